package permute

import (
	"context"

	"bayeskernel/internal/fused"
)

// Rows is a symmetric matrix K, given in full or some rows at a time. Only its diagonal and what is
// above are looked at.
type Rows struct {
	Data []float64 // row by row, n x n; nil if there is Fill

	// Fill writes rows i0 to i1-1 into dst, n elements a row, of which those below the diagonal may
	// be left out. It is called by several goroutines at once.
	Fill func(dst []float64, i0, i1 int)
}

// together is the number of permutations that share the rows of K and L they bring into the cache.
const together = 256

// Gather computes, for every pair of matrices K and L and every permutation p, the sum over i and j
// of K[i][j] L[p(i)][p(j)], into dst[l*len(ks)+k][p] for K number k and L number l. Every L is a
// symmetric n x n matrix held row by row. An element of L is brought where it is needed once for up
// to three K, and those of up to three L together. The bits depend on the kind, not on the number
// of workers, of permutations or of matrices.
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
	g := &gathering{kind: e.kernels(), p: p, ks: ks, ls: ls, dst: dst, engine: e}
	g.engine.Progress = nil
	if err := g.run(ctx, e.meter); err != nil {
		return err
	}
	for _, d := range dst {
		if err := finite(d); err != nil {
			return err
		}
	}
	return nil
}

// gathering is one call of Gather.
type gathering struct {
	kind    fused.Kind
	engine  Engine
	p       *Perms
	ks      []Rows
	ls      [][]float64
	dst     [][]float64
	inverse []int32     // of part q of the permutations, row r of L, permutation b of the part
	rows    [][]float64 // of each K from row i0 on
	buffer  [][]float64 // for those that are not held in full
}

// run takes so many rows of K at a time that those of three K make a megabyte, for the second
// cache, and with them one row of L after another, for the first: all permutations that bring the
// two together are dealt with.
func (g *gathering) run(ctx context.Context, meter func(total int) *meter) error {
	n, step := g.p.n, max(8, 1<<17/(3*g.p.n))
	size := g.partSize()
	parts := (g.p.count + size - 1) / size
	g.invert(size)
	g.rows = make([][]float64, len(g.ks))
	g.buffer = make([][]float64, len(g.ks))
	steps := meter(parts * ((n + step - 1) / step)) // a part can take minutes
	for i0 := 0; i0 < n; i0 += step {
		i1 := min(i0+step, n)
		if err := g.fetch(ctx, i0, i1); err != nil {
			return err
		}
		err := g.engine.each(ctx, parts, func() func(int) {
			return func(part int) {
				g.part(part*size, min((part+1)*size, g.p.count), i0, i1)
				steps.tick()
			}
		})
		if err != nil {
			return err
		}
	}
	for _, d := range g.dst {
		for b := range d {
			d[b] *= 2
		}
	}
	return nil
}

// partSize is the number of permutations that a worker takes at a time.
func (g *gathering) partSize() int {
	return max(1, min(together, (g.p.count+g.engine.workers()-1)/g.engine.workers()))
}

// invert makes the inverse permutations and sets the sums to 0.
func (g *gathering) invert(size int) {
	n, count := g.p.n, g.p.count
	g.inverse = make([]int32, n*count)
	for b := range count {
		first := b / size * size
		width := min(size, count-first)
		part := g.inverse[n*first : n*(first+width)]
		for i, row := range g.p.At(b) {
			part[int(row)*width+b-first] = int32(i)
		}
	}
	for _, d := range g.dst {
		clear(d)
	}
}

// fetch places rows i0 to i1-1 of every K.
func (g *gathering) fetch(ctx context.Context, i0, i1 int) error {
	const some = 4 // rows that are computed at once
	n := g.p.n
	for c, k := range g.ks {
		if k.Fill == nil {
			g.rows[c] = k.Data[i0*n : i1*n]
			continue
		}
		if g.buffer[c] == nil {
			g.buffer[c] = make([]float64, (i1-i0)*n)
		}
		g.rows[c] = g.buffer[c][:(i1-i0)*n]
		err := g.engine.each(ctx, (i1-i0+some-1)/some, func() func(int) {
			return func(part int) {
				from, to := i0+part*some, min(i0+(part+1)*some, i1)
				k.Fill(g.rows[c][(from-i0)*n:(to-i0)*n], from, to)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// part adds the products of rows i0 to i1-1 of K, for permutations first to last-1.
func (g *gathering) part(first, last, i0, i1 int) {
	n, width := g.p.n, last-first
	inverse := g.inverse[n*first : n*last]
	var rows [3][]float64
	for l := 0; l < len(g.ls); {
		some := 1
		if l+3 <= len(g.ls) && len(g.ks) > 1 && n <= threeRows {
			some = 3
		}
		for r := range n {
			for k := range some {
				rows[k] = g.ls[l+k][r*n : (r+1)*n]
			}
			for b, at := range inverse[r*width : (r+1)*width] {
				if i := int(at); uint(i-i0) < uint(i1-i0) {
					g.add(first+b, i, (i-i0)*n, r, l, rows[:some])
				}
			}
		}
		l += some
	}
}

// threeRows is the number of elements of a row of L up to which the first cache has room for three.
const threeRows = 2500

// add adds half a diagonal element and what is beside it, for row i of the K, which begins at from,
// and row r of one or three L, of which the first is number l, for permutation b, which brings the
// two together.
func (g *gathering) add(b, i, from, r, l int, rows [][]float64) {
	n, count := g.p.n, len(g.ks)
	at := g.p.at[b*n+i+1 : (b+1)*n]
	for d, row := range rows {
		for c := range g.ks {
			g.dst[(l+d)*count+c][b] += g.rows[c][from+i] * row[r] / 2
		}
	}
	c := 0
	for ; c+1 < count; c += 3 {
		last := min(c+2, count-1) // of two matrices the second is taken twice
		k0, k1 := g.rows[c][from+i+1:from+n], g.rows[c+1][from+i+1:from+n]
		k2 := g.rows[last][from+i+1 : from+n]
		if len(rows) == 3 {
			s := rowDotsOfThree(g.kind, k0, k1, k2, rows[0], rows[1], rows[2], at)
			for d := range 3 {
				for k := c; k <= last; k++ {
					g.dst[(l+d)*count+k][b] += s[3*d+k-c]
				}
			}
			continue
		}
		s := rowDots(g.kind, k0, k1, k2, rows[0], at)
		for k := c; k <= last; k++ {
			g.dst[l*count+k][b] += s[k-c]
		}
	}
	if c < count {
		for d, row := range rows {
			g.dst[(l+d)*count+c][b] += rowDot(g.kind, g.rows[c][from+i+1:from+n], row, at)
		}
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
