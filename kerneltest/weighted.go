package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/permute"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/blas/blas64"
)

// rowWeights returns those of all rows, first of x, with mean 1; nil if none were given.
func (o Options) rowWeights(m, n int) ([]float64, error) {
	if o.SampleWeights != nil {
		return nil, fmt.Errorf("kerneltest: there are sample weights with two samples, want WeightsX and " +
			"WeightsY")
	}
	if o.WeightsX == nil && o.WeightsY == nil {
		return nil, nil
	}
	out := make([]float64, 0, m+n)
	for _, s := range []struct {
		name    string
		weights []float64
		rows    int
	}{{"x", o.WeightsX, m}, {"y", o.WeightsY, n}} {
		if s.weights == nil {
			s.weights = slices.Repeat([]float64{1}, s.rows)
		}
		if err := checkWeights(s.name, s.weights, s.rows); err != nil {
			return nil, err
		}
		out = append(out, s.weights...)
	}
	if !o.permutes() {
		return nil, fmt.Errorf("kerneltest: null is %v with weights of rows, want permutation", o.Null)
	}
	mean := total(out) / float64(len(out))
	for i := range out {
		out[i] /= mean
	}
	return out, nil
}

// checkWeights wants a weight in range for each of so many rows of a sample.
func checkWeights(name string, weights []float64, rows int) error {
	if len(weights) != rows {
		return fmt.Errorf("kerneltest: there are %d weights of the rows of %s, want %d", len(weights), name,
			rows)
	}
	for i, w := range weights {
		if !(w >= 1/mostWeight && w <= mostWeight) {
			return fmt.Errorf("kerneltest: weight of row %d of %s is %v, want a number from %v to %v", i+1,
				name, w, 1/mostWeight, mostWeight)
		}
	}
	return nil
}

// negligible is what a variance must exceed in units of the size of its terms. Below it is rounding.
const negligible = 1e-14

// mostWeight is the largest weight of a row, so that no sum of squares overflows.
const mostWeight = 1e50

// weightedFactor is a factor of the centred kernel a_i a_j k(i,j): its columns are a_i (f_i - mean)
// with mean = sum a_i f_i/sum a_i, so that they sum to 0. Without weights, statistics are those of
// the centred kernel, as they do not change; with them, the mean is put back.
type weightedFactor struct {
	f       *statistic.Factor
	a       []float64 // nil for ones
	columns []float64 // those of f, changed in place if there are weights
	centre  []float64 // the features of the kernel itself are columns/a + centre
	centred []float64 // diagonal of the centred kernel
	diag    []float64 // of the kernel whose sums are computed: the same, or with weights the kernel
}

// newWeightedFactor takes f over: with weights its columns are changed.
func newWeightedFactor(f *statistic.Factor, a []float64) *weightedFactor {
	w := &weightedFactor{f: f, a: a, columns: f.Columns(), centre: slices.Clone(f.Mean())}
	if a == nil {
		w.centred = f.Diagonal()
		w.diag = w.centred
		return w
	}
	n, all := f.Rows(), total(a)
	for k := range f.Rank() {
		column, mean := w.columns[k*n:(k+1)*n], 0.0
		for i, v := range column {
			mean += a[i] * v / all
		}
		for i, v := range column {
			column[i] = a[i] * (v - mean)
		}
		w.centre[k] += mean
	}
	w.centred, w.diag = f.Diagonal(), w.whole()
	return w
}

// whole is the diagonal of the kernel itself.
func (w *weightedFactor) whole() []float64 {
	n := w.f.Rows()
	diag := make([]float64, n)
	for k, c := range w.centre {
		for i, v := range w.columns[k*n : (k+1)*n] {
			v += w.weight(i) * c
			diag[i] += v * v
		}
	}
	return diag
}

// sums are those off the diagonal for columns that sum to inX over the first sample, where weights
// are x and elements of the diagonal dx in sum. Without weights the sum over all pairs of rows of
// the first sample, |inX|², is also that over the second.
func (w *weightedFactor) sums(inX []float64, t sampleTotals, dx, all float64) permute.Sums {
	var xx, yy, xy float64
	for k, v := range inX {
		c := 0.0
		if w.a != nil {
			c = w.centre[k]
		}
		p, q := v+t.x*c, t.y*c-v
		xx += p * p
		yy += q * q
		xy += p * q
	}
	return permute.Sums{XX: xx - dx, YY: yy - (all - dx), XY: xy}
}

// forms computes the sums off the diagonal, and a bound of the sum of the sizes of their terms.
func (w *weightedFactor) forms(ctx context.Context, engine permute.Engine, dst []permute.Sums,
	signs *permute.Signs, totals []sampleTotals) (size float64, err error) {
	r := w.f.Rank()
	inX, dx := make([]float64, len(dst)*r), make([]float64, len(dst))
	if err := engine.ColumnSums(ctx, inX, signs, w.columns); err != nil {
		return 0, fmt.Errorf("kerneltest: %w", err)
	}
	engine.Progress = nil
	if err := engine.ColumnSums(ctx, dx, signs, w.diag); err != nil {
		return 0, fmt.Errorf("kerneltest: %w", err)
	}
	all := total(w.diag)
	for b := range dst {
		dst[b] = w.sums(inX[b*r:(b+1)*r], totals[min(b, len(totals)-1)], dx[b], all)
	}
	for _, d := range w.diag {
		size += math.Sqrt(max(0, d))
	}
	return size * size, nil
}

// offDiagonal returns the sum of the squares of the elements off the diagonal, and the sums of its
// rows, each times its weight, weighted: of the kernel itself or of the centred one.
func (w *weightedFactor) offDiagonal(itself bool) (squares float64, rows []float64) {
	f := w.f
	products := f.Covariance()
	toward := make([]float64, f.Rank()) // sum of a_i times the columns
	aa := float64(f.Rows())
	if w.a != nil {
		lowrank.Products(toward, w.a, w.columns, f.Rows())
		aa = blas64.Dot(vector(w.a), vector(w.a))
	}
	rows = make([]float64, f.Rows())
	for i := range rows {
		rows[i] = -w.weight(i) * w.centred[i]
	}
	lowrank.Combine(rows, 1, toward, w.columns)
	diag := w.centred
	if itself { // its features are columns + a centre'
		c := vector(w.centre)
		if f.Rank() > 0 {
			blas64.Ger(1, vector(toward), c, products)
			blas64.Ger(1, c, vector(toward), products)
			blas64.Ger(aa, c, c, products)
		}
		diag = w.whole()
	}
	for _, v := range products.Data {
		squares += v * v
	}
	for _, d := range diag {
		squares -= d * d
	}
	return max(0, squares), rows
}

func (w *weightedFactor) weight(i int) float64 {
	if w.a == nil {
		return 1
	}
	return w.a[i]
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// weightedDeviation is nullDeviation for weights a of the rows, of mean 1, up to terms of relative
// size 1/n: the sums of the rows off the diagonal are of a_j times the elements. What weights
// cannot tell apart, sums of a_i h_j, is projected out of the whole matrix, and then the diagonal
// left out.
func weightedDeviation(m, n int, squares float64, sums, diag, a []float64) float64 {
	var aa, along, across float64
	whole := squares
	for i, s := range sums {
		s += a[i] * diag[i]
		aa += a[i] * a[i]
		along += a[i] * s
		across += s * s
		whole += diag[i] * diag[i]
	}
	centred := whole - 2*across/aa + along*along/(aa*aa)
	for i, s := range sums {
		s += a[i] * diag[i]
		d := diag[i] - 2*a[i]*s/aa + a[i]*a[i]*along/(aa*aa)
		centred -= d * d
	}
	if !(centred > negligible*whole) {
		return 0
	}
	x, y, all := float64(m), float64(n), float64(m+n)
	scale := 2 * (1/(x*(x-1)) + 1/(y*(y-1)) + 2/(x*y))
	return math.Sqrt(scale * centred / (all * (all - 1)))
}

// describe sets the statistics of the kernel with the largest statistic.
func (f *form) describe(ctx context.Context, r *Result) error {
	m := f.t.m
	witness, sums, variation, err := f.observed(ctx)
	if err != nil {
		return err
	}
	s := f.sampleWeights()
	r.Unbiased, r.Ratio = math.NaN(), math.NaN()
	if m >= 2 && f.t.n >= 2 {
		r.Unbiased = sums.Dot(s.coefficients(true))
		v := 4 * (f.spread(witness, 0, m) + f.spread(witness, m, f.tiles.n))
		floor := negligible * total(f.diag) / float64(f.tiles.n)
		if v > floor*floor {
			r.Ratio = r.Unbiased / math.Sqrt(v)
		}
	}
	sums.XX += total(f.diag[:m])
	sums.YY += total(f.diag[m:])
	r.Biased = max(0, sums.Dot(s.coefficients(false)))
	r.noteAlike("the pooled sample", f.t.rows, f.t.dim, variation)
	return nil
}

// sampleWeights are the sums of the weights of the data as they are.
func (f *form) sampleWeights() (s sampleTotals) {
	for i := range f.tiles.n {
		a := f.t.weight(i)
		if i < f.t.m {
			s.x, s.x2 = s.x+a, s.x2+a*a
		} else {
			s.y, s.y2 = s.y+a, s.y2+a*a
		}
	}
	return s
}

// spread estimates the variance of the weighted mean of the witness over some rows: with equal
// weights, the variance with divisor n-1 over n.
func (f *form) spread(witness []float64, from, to int) float64 {
	var all, second, mean float64
	for i := from; i < to; i++ {
		a := f.t.weight(i)
		all += a
		second += a * a
		mean += a * witness[i]
	}
	mean /= all
	v := 0.0
	for i := from; i < to; i++ {
		d := f.t.weight(i) / all * (witness[i] - mean)
		v += d * d
	}
	return v / (1 - second/(all*all))
}

// observed returns the witness at the rows, up to a constant, the sums of the data as they are, and
// the variation of the kernel in units of its size.
func (f *form) observed(ctx context.Context) (witness []float64, s permute.Sums, variation float64,
	err error) {
	m, n := f.t.m, f.tiles.n
	var x, y float64
	for i := range n {
		if i < m {
			x += f.t.weight(i)
		} else {
			y += f.t.weight(i)
		}
	}
	witness = make([]float64, n)
	if w := f.factor; w != nil {
		inX := make([]float64, w.f.Rank())
		for k := range inX {
			inX[k] = total(w.columns[k*n : k*n+m])
		}
		lowrank.Combine(witness, 1/x+1/y, inX, w.columns)
		for i := range witness {
			witness[i] /= w.weight(i)
		}
		s = w.sums(inX, sampleTotals{x: x, y: y}, total(f.diag[:m]), total(f.diag))
		return witness, s, total(w.centred) / (float64(n) * w.f.DiagMean()), nil
	}
	sums, err := f.rowSums(ctx)
	if err != nil {
		return nil, s, 0, err
	}
	for i := range witness {
		a, toX, toY := f.t.weight(i), sums.toX[i], sums.toY[i]
		if i < m {
			s.XX += a * toX
			s.XY += a * toY
			toX += f.diag[i] / a
		} else {
			s.YY += a * toY
			toY += f.diag[i] / a
		}
		witness[i] = toX/x - toY/y
	}
	mean := 0.0
	for i, d := range f.diag {
		mean += d / f.t.weight(i) / (x + y)
	}
	grand := (s.XX + s.YY + 2*s.XY + total(f.diag)) / ((x + y) * (x + y))
	return witness, s, (mean - grand) / mean, nil
}
