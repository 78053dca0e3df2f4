package permute

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
)

// together is the number of permutations that share the rows of K and L they bring into the cache.
const together = 256

// Gather computes, for every permutation p, the sum over i and j of K[i][j] L[p(i)][p(j)], for two
// symmetric n x n matrices held row by row, of whose K only the diagonal and what is above are
// looked at. The bits depend on the kind, not on the number of workers or of permutations.
func (e Engine) Gather(ctx context.Context, dst []float64, p *Perms, k, l []float64) error {
	n := p.n
	if len(dst) != p.count || len(k) != n*n || len(l) != n*n {
		panic("permute: the matrices, the permutations and the sums do not fit each other")
	}
	kind := e.kernels()
	parts, step := (p.count+together-1)/together, rowsAtOnce(n)
	steps := e.meter(parts * ((n + step - 1) / step)) // a part can take minutes
	quiet := e
	quiet.Progress = nil
	err := quiet.each(ctx, parts, func() func(int) {
		inverse := make([]int32, n*min(together, p.count))
		return func(part int) {
			first := part * together
			count := min(together, p.count-first)
			some := &Perms{n: n, count: count, at: p.at[first*n : (first+count)*n]}
			some.gather(kind, dst[first:first+count], k, l, inverse[:n*count], func() bool {
				steps.tick()
				return ctx.Err() == nil
			})
		}
	})
	if err != nil {
		return err
	}
	if steps.done < steps.total {
		return context.Cause(ctx)
	}
	return finite(dst)
}

// finite says which sum is not a finite number.
func finite(dst []float64) error {
	for b, v := range dst {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("permute: the sum of permutation %d is %v, want finite kernel values",
				b, v)
		}
	}
	return nil
}

// rowsAtOnce is the number of rows of K that make a megabyte.
func rowsAtOnce(n int) int { return max(8, 1<<17/n) }

// gather takes a megabyte of rows of K at a time, for the second cache, and with them one row of L
// after another, for the first: all permutations that bring the two together are dealt with. After
// each megabyte it asks whether to go on.
func (p *Perms) gather(kind fused.Kind, dst, k, l []float64, inverse []int32, more func() bool) {
	n := p.n
	for b := range p.count {
		diagonal := 0.0
		for i, row := range p.At(b) {
			inverse[int(row)*p.count+b] = int32(i)
			diagonal += k[i*n+i] * l[int(row)*n+int(row)]
		}
		dst[b] = diagonal / 2
	}
	step := rowsAtOnce(n)
	for i0 := 0; i0 < n; i0 += step {
		for r := range n {
			row := l[r*n : (r+1)*n]
			for b, at := range inverse[r*p.count : (r+1)*p.count] {
				i := int(at)
				if uint(i-i0) < uint(step) {
					dst[b] += rowDot(kind, k[i*n+i+1:(i+1)*n], row, p.at[b*n+i+1:(b+1)*n])
				}
			}
		}
		if !more() {
			return
		}
	}
	for b := range dst {
		dst[b] *= 2
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

// Factor holds the centred columns of a factor Phi of a matrix K = Phi Phi'.
type Factor struct {
	n, rank, stride int
	data            []float64 // row by row
}

// columns are padded to a multiple of this, and a tile of a cross product has at most maxCross
// elements.
const (
	columnPad = 16
	maxCross  = 8 * 16
)

// NewFactor centres and packs a factor of n rows given column by column, as lowrank.Cholesky has
// it.
func NewFactor(columns []float64, n int) *Factor {
	if n < 1 || len(columns)%n != 0 {
		panic("permute: the factor does not have whole columns")
	}
	f := &Factor{n: n, rank: len(columns) / n}
	f.stride = (f.rank + columnPad - 1) / columnPad * columnPad
	f.data = make([]float64, n*f.stride)
	for c := range f.rank {
		column := columns[c*n : (c+1)*n]
		mean := 0.0
		for _, v := range column {
			mean += v
		}
		mean /= float64(n)
		for i, v := range column {
			f.data[i*f.stride+c] = v - mean
		}
	}
	return f
}

// Cross computes, for every permutation p, the squared norm of the sum over i of phi[i] psi[p(i)]',
// which is what Gather computes for the centred matrices. The bits depend on the kind alone.
func (e Engine) Cross(ctx context.Context, dst []float64, p *Perms, phi, psi *Factor) error {
	if len(dst) != p.count || phi.n != p.n || psi.n != p.n {
		panic("permute: the factors, the permutations and the sums do not fit each other")
	}
	kind := e.kernels()
	// So many at a time that a part takes a fraction of a second.
	some := min(32, max(1, 1<<28/(p.n*max(1, phi.rank*psi.rank))))
	err := e.each(ctx, (p.count+some-1)/some, func() func(int) {
		var out [maxCross]float64
		return func(part int) {
			for b := part * some; b < min(p.count, (part+1)*some); b++ {
				dst[b] = crossNorm(kind, &out, phi, psi, p.At(b))
			}
		}
	})
	if err != nil {
		return err
	}
	return finite(dst)
}

func crossNorm(kind fused.Kind, out *[maxCross]float64, phi, psi *Factor, p []int32) float64 {
	rows, width := 4, 2
	switch kind {
	case fused.AVX512:
		rows, width = 8, 16
	case fused.AVX2:
		rows, width = 4, 8
	}
	norm := 0.0
	for a := 0; a < phi.rank; a += rows {
		for b := 0; b < psi.rank; b += width {
			crossTile(kind, out, phi, psi, p, a, b)
			for _, v := range out[:rows*width] { // what is beyond a rank is 0
				norm += v * v
			}
		}
	}
	return norm
}

// crossPortable multiplies four columns of phi and two of psi.
func crossPortable(out *[maxCross]float64, phi, psi *Factor, p []int32, a, b int) {
	var s00, s01, s10, s11, s20, s21, s30, s31 float64
	for i, row := range p {
		f := (*[4]float64)(phi.data[i*phi.stride+a:])
		g := (*[2]float64)(psi.data[int(row)*psi.stride+b:])
		g0, g1 := g[0], g[1]
		s00 += f[0] * g0
		s01 += f[0] * g1
		s10 += f[1] * g0
		s11 += f[1] * g1
		s20 += f[2] * g0
		s21 += f[2] * g1
		s30 += f[3] * g0
		s31 += f[3] * g1
	}
	*(*[8]float64)(out[:]) = [8]float64{s00, s01, s10, s11, s20, s21, s30, s31}
}
