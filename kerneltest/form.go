package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/permute"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

const (
	// Up to ExactRows rows, of both samples together, tests of two samples have the exact kernel.
	ExactRows = 40000
	// Up to denseRows rows, a Gram matrix is stored.
	denseRows = 4096
	// keptBytes is the memory in which what all permutations need of the kernels is kept.
	keptBytes = 1 << 28
	// factorBytes is the memory of one factor.
	factorBytes = 240e6
	// With rowsPerRank rows or more for each of its features, a factor is faster than the matrix
	// computed tile by tile.
	rowsPerRank = 60
)

// limits decide how a kernel is held, by the number of rows.
type limits struct {
	dense, exact int // up to this many rows a Gram matrix is stored, and the kernel is exact
	kept         int // bytes in which Gram matrices and factors are kept from use to use
	rank         int // of an approximation
}

// approximateRank is the rank of approximations in tests of two samples of so many rows.
func approximateRank(rows int) int {
	return max(8, min(statistic.RankLimit(rows), factorBytes/8/rows))
}

// form is one kernel of a test of two samples: as a Gram matrix, or a factor, or, if both are nil,
// tile by tile. With weights a of the rows, all of them are of a_i a_j k(i,j).
type form struct {
	t      *twoSample
	tiles  *tiles
	gram   *mat.SymDense
	factor *weightedFactor
	diag   []float64 // a_i² k(i,i); with a factor and no weights, of the centred kernel
	sums   *rowSums  // nil before they are asked for, or with a factor
	shrunk bool      // the kernel is not that of the tiles
}

// form returns that of kernel k. What it is does not depend on the labels.
func (t *twoSample) form(ctx context.Context, k int) (*form, error) {
	if t.held[k] != nil {
		return t.held[k], nil
	}
	f, size, err := t.newForm(ctx, k)
	if err != nil {
		return nil, err
	}
	if size*len(t.kernels) <= t.limits.kept {
		t.held[k] = f
	}
	return f, nil
}

// newForm makes that of kernel k, and says how many bytes it takes.
func (t *twoSample) newForm(ctx context.Context, k int) (*form, int, error) {
	if t.amplitudes != nil {
		return t.shrunkForm(ctx, k)
	}
	f, size, err := t.plainForm(ctx, t.kernels[k])
	if err == nil && f.factor != nil {
		t.replaced[k] = approximationBy(f.factor.f)
	}
	return f, size, err
}

// plainForm makes that of the kernel itself.
func (t *twoSample) plainForm(ctx context.Context, k kernels.Kernel) (*form, int, error) {
	f := &form{t: t, tiles: newTiles(k, t.rows, t.dim)}
	size := 16 * f.tiles.n
	low, err := t.lowRank(ctx, f.tiles)
	switch {
	case err != nil:
		return nil, 0, err
	case low != nil:
		f.factor = newWeightedFactor(low, t.weights)
		f.diag = f.factor.diag
		size = 8 * len(low.Columns())
	default:
		f.diag = f.tiles.diagonal()
		for i := range f.diag {
			f.diag[i] *= t.weight(i) * t.weight(i)
		}
		if f.tiles.n <= t.limits.dense {
			size = 8 * f.tiles.n * f.tiles.n
			if f.gram, err = f.tiles.gram(ctx); err != nil {
				return nil, 0, err
			}
			t.weigh(f.gram.RawSymmetric().Data, 0, f.tiles.n, 0, f.tiles.n)
		}
	}
	return f, size, nil
}

// lowRank returns the factor that replaces the kernel, nil where none does: beyond ExactRows rows, and
// below where it is no approximation, and faster.
func (t *twoSample) lowRank(ctx context.Context, k *tiles) (*statistic.Factor, error) {
	step := t.o.step("factor")
	switch {
	case k.n <= t.limits.dense:
		return nil, nil
	case k.n > t.limits.exact:
		return k.sortedFactor(ctx, factorTolerance, t.limits.rank, step)
	}
	limit := min(t.limits.rank, k.n/rowsPerRank)
	if some := limit * 2 / 3; some == 0 || k.rankOf(3*limit, some+1) > some {
		return nil, nil // that of all rows would be above the limit, or not far below
	}
	f, err := k.sortedFactor(ctx, factorTolerance, limit, step)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil || f.TraceError() > 0 {
		return nil, nil // a kernel that is not positive semidefinite has no factor
	}
	return f, nil
}

// weight is that of row i.
func (t *twoSample) weight(i int) float64 {
	if t.weights == nil {
		return 1
	}
	return t.weights[i]
}

// weigh multiplies kernel values by the weights of their rows.
func (t *twoSample) weigh(dst []float64, i0, i1, j0, j1 int) {
	if t.weights == nil {
		return
	}
	for i := i0; i < i1; i++ {
		row := dst[(i-i0)*(j1-j0) : (i-i0+1)*(j1-j0)]
		for j, a := range t.weights[j0:j1] {
			row[j] *= t.weights[i] * a
		}
	}
}

// sampleTotals are what a choice of the first sample has of the weights: their sums and sums of
// squares over the first sample and the second, as x, x2, y, y2.
type sampleTotals struct{ x, x2, y, y2 float64 }

// sampleTotals returns them for every permutation, one for all if there are no weights.
func (t *twoSample) sampleTotals(ctx context.Context, signs *permute.Signs) ([]sampleTotals,
	error) {
	m, n := float64(t.m), float64(t.n)
	if t.weights == nil {
		return []sampleTotals{{m, m, n, n}}, nil
	}
	a := make([]float64, 2*len(t.weights))
	for i, w := range t.weights {
		a[i], a[len(t.weights)+i] = w, w*w
	}
	sums := make([]float64, 2*signs.Count())
	if err := permute.Best().ColumnSums(ctx, sums, signs, a); err != nil {
		return nil, fmt.Errorf("kerneltest: %w", err)
	}
	all, squares := total(a[:len(t.weights)]), total(a[len(t.weights):])
	out := make([]sampleTotals, signs.Count())
	for b := range out {
		x, x2 := sums[2*b], sums[2*b+1]
		out[b] = sampleTotals{x, x2, all - x, squares - x2}
	}
	return out, nil
}

// coefficients are those of the sums of the weighted kernel.
func (s sampleTotals) coefficients(unbiased bool) permute.Sums {
	if unbiased {
		return permute.Sums{XX: 1 / (s.x*s.x - s.x2), YY: 1 / (s.y*s.y - s.y2), XY: -2 / (s.x * s.y)}
	}
	return permute.Sums{XX: 1 / (s.x * s.x), YY: 1 / (s.y * s.y), XY: -2 / (s.x * s.y)}
}

// values are the statistics of all permutations, and the sum of the sizes of their terms.
func (f *form) values(ctx context.Context, engine permute.Engine, signs *permute.Signs,
	totals []sampleTotals) ([]float64, float64, error) {
	unbiased := f.t.o.Unbiased || len(f.t.kernels) > 1
	sums := make([]permute.Sums, signs.Count())
	var size float64
	var err error
	if f.factor != nil {
		size, err = f.factor.forms(ctx, engine, sums, signs, totals)
	} else {
		size, err = f.forms(ctx, engine, sums, signs)
	}
	if err != nil {
		return nil, 0, err
	}
	if !unbiased {
		if err := f.addDiagonal(ctx, sums, signs); err != nil {
			return nil, 0, err
		}
		size += math.Abs(total(f.diag))
	}
	out := make([]float64, len(sums))
	for b, s := range sums {
		out[b] = s.Dot(totals[min(b, len(totals)-1)].coefficients(unbiased))
	}
	w := totals[0].coefficients(unbiased)
	return out, size * max(w.XX, w.YY), nil
}

// forms computes the sums off the diagonal from the matrix.
func (f *form) forms(ctx context.Context, engine permute.Engine, dst []permute.Sums,
	signs *permute.Signs) (size float64, err error) {
	m := permute.Matrix{N: f.tiles.n, Bound: f.tiles.bound()}
	if f.t.weights != nil {
		top := slices.Max(f.t.weights)
		m.Bound *= top * top
	}
	if f.gram != nil {
		m.Data = f.gram.RawSymmetric().Data
	} else {
		m.Tile = func(dst []float64, i0, i1, j0, j1 int) {
			f.tiles.fill(dst, i0, i1, j0, j1)
			f.t.weigh(dst, i0, i1, j0, j1)
		}
	}
	if err := engine.Forms(ctx, dst, signs, m); err != nil {
		return 0, fmt.Errorf("kerneltest: %w", err)
	}
	return math.Abs(dst[0].XX) + math.Abs(dst[0].YY) + 2*math.Abs(dst[0].XY), nil
}

// addDiagonal adds the elements of the diagonal to the sums within the samples.
func (f *form) addDiagonal(ctx context.Context, sums []permute.Sums, signs *permute.Signs) error {
	m, n, same := float64(f.t.m), float64(f.t.n), true
	for _, v := range f.diag {
		same = same && v == f.diag[0]
	}
	if same {
		for b := range sums {
			sums[b].XX += f.diag[0] * m
			sums[b].YY += f.diag[0] * n
		}
		return nil
	}
	dx := make([]float64, len(sums))
	if err := permute.Best().ColumnSums(ctx, dx, signs, f.diag); err != nil {
		return fmt.Errorf("kerneltest: %w", err)
	}
	all := total(f.diag)
	for b := range sums {
		sums[b].XX += dx[b]
		sums[b].YY += all - dx[b]
	}
	return nil
}

// rowSums returns the sums of the rows of the matrix, computed once.
func (f *form) rowSums(ctx context.Context) (*rowSums, error) {
	if f.sums == nil {
		s, err := f.tiles.rowSums(ctx, f.t.m, f.t.weights, f.t.o.step("scale"))
		if err != nil {
			return nil, err
		}
		f.sums = s
	}
	return f.sums, nil
}

// norm is the unit of the statistic where there are several kernels. It does not depend on the
// labels.
func (f *form) norm(ctx context.Context) (float64, error) {
	var squares float64
	var sums []float64 // of the rows, times the weights
	if f.factor != nil {
		squares, sums = f.factor.offDiagonal(f.t.o.Combine.of().squares)
	} else if f.shrunk {
		squares, sums = f.offDiagonal()
	} else {
		s, err := f.rowSums(ctx)
		if err != nil {
			return 0, err
		}
		squares, sums = s.squares, make([]float64, f.tiles.n)
		for i := range sums {
			sums[i] = s.toX[i] + s.toY[i]
			if s.second != nil {
				sums[i] = f.t.weights[i] * s.second[i]
			}
		}
	}
	if f.t.o.Combine.of().squares {
		n := float64(min(f.t.m, f.t.n))
		return math.Sqrt(squares) / (n * (n - 1)) / f.t.o.Sharpness, nil
	}
	if f.t.weights != nil {
		diag := f.diag
		if f.factor != nil {
			diag = f.factor.centred
		}
		return weightedDeviation(f.t.m, f.t.n, squares, sums, diag, f.t.weights), nil
	}
	return nullDeviation(f.t.m, f.t.n, squares, sums), nil
}
