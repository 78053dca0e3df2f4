package permute

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
)

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

// Factor holds the centred columns of a factor Phi of a matrix K = Phi Phi'.
type Factor struct {
	n, rank, stride int
	data            []float64 // row by row
}

// Columns are padded to a multiple of columnPad. A tile of a cross product has at most maxCross
// elements.
const (
	columnPad = 16
	maxCross  = 8 * 16
)

// NewFactor centres and packs a factor of n rows given column by column, as by lowrank.Cholesky.
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
	// A part is small enough to take a fraction of a second.
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

// crossTileSize is the number of columns of phi and of psi in a tile of a product.
func crossTileSize(kind fused.Kind) (rows, width int) {
	switch kind {
	case fused.AVX512:
		return 8, 16
	case fused.AVX2:
		return 4, 8
	}
	return 4, 2
}

func crossNorm(kind fused.Kind, out *[maxCross]float64, phi, psi *Factor, p []int32) float64 {
	rows, width := crossTileSize(kind)
	norm := 0.0
	for a := 0; a < phi.rank; a += rows {
		for b := 0; b < psi.rank; b += width {
			crossTile(kind, out, phi, psi, p, a, b)
			for _, v := range out[:rows*width] { // elements beyond a rank are 0
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
