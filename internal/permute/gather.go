package permute

import (
	"context"
	"slices"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/workers"
)

// Rows is a symmetric matrix K, given in full or some rows at a time. Only the diagonal and the
// elements above it are read.
type Rows struct {
	Data []float64 // row by row, n x n; nil if there is Fill

	// Fill writes rows i0 to i1-1 into dst, n elements a row. It may leave out elements below the
	// diagonal. Several goroutines call it at once.
	Fill func(dst []float64, i0, i1 int)
}

// Gather computes, for every pair of matrices K and L and every permutation p, the sum over i and j
// of K[i][j] L[p(i)][p(j)], into dst[l*len(ks)+k][p] for K number k and L number l. Every L is a
// symmetric n x n matrix held row by row. One load of an element of L serves up to three K, and the
// elements of up to three L are loaded together. The bits depend on the kind, not on the number of
// workers, permutations or matrices.
func (e Engine) Gather(ctx context.Context, dst [][]float64, p *Perms, ks []Rows,
	ls ...[]float64) error {
	n, ok := p.n, len(dst) == len(ks)*len(ls)
	for _, l := range ls {
		ok = ok && len(l) == n*n
	}
	for _, k := range ks {
		ok = ok && (k.Fill != nil || len(k.Data) == n*n)
	}
	for _, d := range dst {
		ok = ok && len(d) == p.count
	}
	if !ok {
		panic("permute: the matrices, the permutations and the sums do not fit each other")
	}
	g := &gathering{kind: e.kernels(), p: p, ks: ks, ls: ls, dst: dst}
	for i := 0; i < n; i += max(8, blockNumbers/(3*(n-i))) {
		g.starts = append(g.starts, i)
	}
	g.starts = append(g.starts, n)
	for _, d := range dst {
		clear(d)
	}
	if err := g.run(ctx, e); err != nil {
		return err
	}
	for _, d := range dst {
		for b := range d {
			d[b] *= 2
		}
		if err := finite(d); err != nil {
			return err
		}
	}
	return nil
}

const (
	// blockNumbers is the number of elements above the diagonal of three K that are worked on at a
	// time: a megabyte, for the second cache.
	blockNumbers = 1 << 17
	// waveBlocks is the number of blocks of rows whose sums are kept apart, to be added in the same
	// order on any number of workers.
	waveBlocks = 16
)

// gathering is one call of Gather.
type gathering struct {
	kind   fused.Kind
	p      *Perms
	ks     []Rows
	ls     [][]float64
	dst    [][]float64
	starts []int // of the blocks of rows of K, and n
}

// run takes the rows of K in blocks. A block stays in the second cache while the rows of each L pass
// by one after another. For each of these rows it handles every permutation that brings the row
// together with a row of the block.
func (g *gathering) run(ctx context.Context, e Engine) error {
	blocks := len(g.starts) - 1
	steps := workers.NewMeter(blocks, e.Progress)
	e.Progress = nil
	wave := make([][][]float64, min(waveBlocks, blocks))
	for k := range wave {
		wave[k] = make([][]float64, len(g.dst))
		for d := range wave[k] {
			wave[k][d] = make([]float64, g.p.count)
		}
	}
	for from := 0; from < blocks; from += len(wave) {
		some := min(len(wave), blocks-from)
		err := e.each(ctx, some, func() func(int) {
			w := g.newWorker()
			return func(k int) {
				w.block(wave[k], g.starts[from+k], g.starts[from+k+1])
				steps.Tick()
			}
		})
		if err != nil {
			return err
		}
		for _, sums := range wave[:some] {
			for d, s := range sums {
				for b, v := range s {
					g.dst[d][b] += v
				}
			}
		}
	}
	return nil
}

// A meeting is a row of K and a row of L that permutation b brings together.
type meeting struct{ b, i int32 }

// gatherer is a worker's memory.
type gatherer struct {
	*gathering
	rows     [][]float64 // of each K from row i0 on
	buffer   [][]float64 // for each K that is not held in full
	first    []int       // of the meetings of each row of L
	meetings []meeting
	packed   []float64 // rows of three L, side by side
}

func (g *gathering) newWorker() *gatherer {
	w := &gatherer{gathering: g, rows: make([][]float64, len(g.ks)),
		buffer: make([][]float64, len(g.ks)), first: make([]int, g.p.n+1)}
	if len(g.ls) >= 3 && len(g.ks) > 1 && g.kind != fused.Portable {
		w.packed = make([]float64, 4*g.p.n)
	}
	return w
}

// block sets sums to the sums over rows i0 to i1-1 of K.
func (w *gatherer) block(sums [][]float64, i0, i1 int) {
	n := w.p.n
	for c, k := range w.ks {
		if k.Fill == nil {
			w.rows[c] = k.Data[i0*n : i1*n]
			continue
		}
		w.buffer[c] = slices.Grow(w.buffer[c][:0], (i1-i0)*n)[:(i1-i0)*n]
		w.rows[c] = w.buffer[c]
		k.Fill(w.rows[c], i0, i1)
	}
	w.meet(i0, i1)
	for _, s := range sums {
		clear(s)
	}
	for l := 0; l < len(w.ls); {
		some := 1
		if l+3 <= len(w.ls) && w.packed != nil {
			some = 3
		}
		for r := range n {
			if at := w.meetings[w.first[r]:w.first[r+1]]; len(at) > 0 {
				w.row(sums[l*len(w.ks):(l+some)*len(w.ks)], at, i0, r, w.ls[l:l+some])
			}
		}
		l += some
	}
}

// meet lists the meetings of rows i0 to i1-1 of K, by the row of L.
func (w *gatherer) meet(i0, i1 int) {
	clear(w.first)
	w.meetings = slices.Grow(w.meetings[:0], (i1-i0)*w.p.count)[:(i1-i0)*w.p.count]
	for b := range w.p.count {
		for _, r := range w.p.At(b)[i0:i1] {
			w.first[r+1]++
		}
	}
	for r := range w.p.n {
		w.first[r+1] += w.first[r]
	}
	for b := range w.p.count {
		for i, r := range w.p.At(b)[i0:i1] {
			w.meetings[w.first[r]] = meeting{int32(b), int32(i0 + i)}
			w.first[r]++
		}
	}
	copy(w.first[1:], w.first)
	w.first[0] = 0
}

// row adds half the diagonal element and the elements to its right, for row r of one or three L and
// the rows of K that it meets.
func (w *gatherer) row(sums [][]float64, meetings []meeting, i0, r int, ls [][]float64) {
	n, count := w.p.n, len(w.ks)
	if len(ls) == 3 {
		pack(w.packed, ls[0][r*n:(r+1)*n], ls[1][r*n:(r+1)*n], ls[2][r*n:(r+1)*n])
	}
	for _, m := range meetings {
		b, i := int(m.b), int(m.i)
		from := (i - i0) * n
		at := w.p.At(b)[i+1:]
		for d, l := range ls {
			for c := range count {
				sums[d*count+c][b] += w.rows[c][from+i] * l[r*n+r] / 2
			}
		}
		c := 0
		for ; c+1 < count; c += 3 {
			last := min(c+2, count-1) // of two matrices the second is taken twice
			k0, k1 := w.rows[c][from+i+1:from+n], w.rows[c+1][from+i+1:from+n]
			k2 := w.rows[last][from+i+1 : from+n]
			if len(ls) == 3 {
				s := rowDotsOfThree(w.kind, k0, k1, k2, w.packed, at)
				for d := range 3 {
					for k := c; k <= last; k++ {
						sums[d*count+k][b] += s[3*d+k-c]
					}
				}
				continue
			}
			s := rowDots(w.kind, k0, k1, k2, ls[0][r*n:(r+1)*n], at)
			for k := c; k <= last; k++ {
				sums[k][b] += s[k-c]
			}
		}
		if c < count {
			for d, l := range ls {
				sums[d*count+c][b] += rowDot(w.kind, w.rows[c][from+i+1:from+n], l[r*n:(r+1)*n], at)
			}
		}
	}
}

// pack lays three rows side by side, four numbers to an element. The fourth is not used.
func pack(dst, l0, l1, l2 []float64) {
	n := len(l0)
	l1, l2, dst = l1[:n], l2[:n], dst[:4*n]
	for j, v := range l0 {
		q := dst[4*j : 4*j+4]
		q[0], q[1], q[2] = v, l1[j], l2[j]
	}
}

func rowDotPortable(k, l []float64, p []int32) float64 {
	p = p[:len(k)]
	var s0, s1, s2, s3 float64
	for ; len(k) >= 4 && len(p) >= 4; k, p = k[4:], p[4:] {
		s0 += k[0] * l[p[0]]
		s1 += k[1] * l[p[1]]
		s2 += k[2] * l[p[2]]
		s3 += k[3] * l[p[3]]
	}
	for j, v := range k {
		s0 += v * l[p[j]]
	}
	return (s0 + s1) + (s2 + s3)
}

// rowDotsPortable is rowDotPortable for three rows k, with the sums in the same order.
func rowDotsPortable(k0, k1, k2, l []float64, p []int32) (out [3]float64) {
	var a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3 float64
	n := len(k0)
	k1, k2, p = k1[:n], k2[:n], p[:n]
	j := 0
	for ; j+4 <= n; j += 4 {
		v0, v1, v2, v3 := l[p[j]], l[p[j+1]], l[p[j+2]], l[p[j+3]]
		a0 += k0[j] * v0
		a1 += k0[j+1] * v1
		a2 += k0[j+2] * v2
		a3 += k0[j+3] * v3
		b0 += k1[j] * v0
		b1 += k1[j+1] * v1
		b2 += k1[j+2] * v2
		b3 += k1[j+3] * v3
		c0 += k2[j] * v0
		c1 += k2[j+1] * v1
		c2 += k2[j+2] * v2
		c3 += k2[j+3] * v3
	}
	for ; j < n; j++ {
		v := l[p[j]]
		a0 += k0[j] * v
		b0 += k1[j] * v
		c0 += k2[j] * v
	}
	return [3]float64{(a0 + a1) + (a2 + a3), (b0 + b1) + (b2 + b3), (c0 + c1) + (c2 + c3)}
}
