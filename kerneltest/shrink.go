package kerneltest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A shrunk kernel makes the statistic of rule Bayes: the log Bayes factor of lengthscale theta and
// amplitude s (package bayesfactor) is, but for a constant that no permutation changes and a
// factor, the biased squared MMD with the kernel
//
//	Kc (Kc + ridge I)⁻¹,   Kc = HKH,   ridge = N² kappa0/s² = N³/(m n (N-1) s²),
//
// in which eigenvectors of Kc with an eigenvalue above the ridge count alike, where plain MMD
// weighs them by their eigenvalues and sees the coarsest differences alone. Divided by
// its standard deviation over permutations, as Largest does, it is the log Bayes factor
// standardised. No row's label is looked at: the test is exact.

// ridge is that of an amplitude.
func (t *twoSample) ridge(amplitude float64) float64 {
	m, n := float64(t.m), float64(t.n)
	return (m + n) * (m + n) / (m * n) * (m + n) / (m + n - 1) / (amplitude * amplitude)
}

const (
	// shrunkTolerance is the error of a kernel value in a factor that is shrunk: ridges are far above.
	shrunkTolerance = 1e-2
	// Up to shrunkRows rows, a kernel without a factor of low rank is shrunk whole.
	shrunkRows = 1500
	// shrunkRank is the largest rank of a factor beyond.
	shrunkRank = 400
)

// shared is the factor of a kernel before it is shrunk; low is nil where it has none of low rank.
type shared struct {
	kernel kernels.Kernel
	low    *statistic.Factor
}

// shrunkForm makes the form of kernel k, shrunk.
func (t *twoSample) shrunkForm(ctx context.Context, k int) (*form, int, error) {
	f := &form{t: t, tiles: newTiles(t.kernels[k], t.rows, t.dim), shrunk: true}
	if !reflect.DeepEqual(t.plain.kernel, t.kernels[k]) {
		low, err := t.shrinkable(ctx, f.tiles)
		if err != nil {
			return nil, 0, err
		}
		t.plain = shared{t.kernels[k], low}
	}
	ridge := t.ridge(t.amplitudes[k])
	if low := t.plain.low; low != nil {
		shrunk, err := low.Shrink(ridge)
		if err != nil {
			return nil, 0, fmt.Errorf("kerneltest: %w", err)
		}
		f.factor = newWeightedFactor(shrunk, t.weights)
		f.diag = f.factor.diag
		t.replaced[k] = approximationBy(low)
		return f, 8 * len(shrunk.Columns()), nil
	}
	var err error
	if f.gram, err = f.tiles.gram(ctx); err != nil {
		return nil, 0, err
	}
	data, n := f.gram.RawSymmetric().Data, f.tiles.n
	if !shrink(data, n, ridge) {
		return nil, 0, fmt.Errorf("kerneltest: the Gram matrix of kernel %d is not positive semidefinite, "+
			"want another rule than bayes", k+1)
	}
	t.weigh(data, 0, n, 0, n)
	for i := range n {
		f.diag = append(f.diag, data[i*n+i])
	}
	return f, 8 * len(data), nil
}

// shrinkable returns a factor of low rank, nil where the whole matrix is as good.
func (t *twoSample) shrinkable(ctx context.Context, k *tiles) (*statistic.Factor, error) {
	limit := min(shrunkRank, max(8, t.limits.rank/2)) // there are two of them at a time
	if k.n <= shrunkRows {
		limit = max(1, k.n/4)
	}
	low, err := k.sortedFactor(ctx, shrunkTolerance, limit, t.o.step("factor"))
	if err != nil {
		return nil, err
	}
	if low.TraceError() > 0 && k.n <= shrunkRows {
		return nil, nil
	}
	return low, nil
}

// shrink replaces the n x n Gram matrix K by I - ridge (HKH + ridge I)⁻¹ without the direction of
// the constants, and reports whether HKH + ridge I is positive definite.
func shrink(data []float64, n int, ridge float64) bool {
	means := make([]float64, n)
	grand := 0.0
	for i := range means {
		means[i] = total(data[i*n:(i+1)*n]) / float64(n)
		grand += means[i] / float64(n)
	}
	a := mat.NewSymDense(n, nil)
	raw := a.RawSymmetric().Data
	for i := range n {
		for j := i; j < n; j++ {
			raw[i*n+j] = data[i*n+j] - means[i] - means[j] + grand
		}
		raw[i*n+i] += ridge
	}
	var c mat.Cholesky
	if !c.Factorize(a) || c.InverseTo(a) != nil {
		return false
	}
	for i := range n { // the inverse is 1/ridge along the constants
		for j := i; j < n; j++ {
			v := -ridge * raw[i*n+j]
			if i == j {
				v++
			}
			data[i*n+j], data[j*n+i] = v, v
		}
	}
	return true
}

// offDiagonal returns the sum of the squares of the elements off the diagonal of the weighted
// matrix, and the sums of its rows, each element times the weight of its column.
func (f *form) offDiagonal() (squares float64, sums []float64) {
	n, data := f.tiles.n, f.gram.RawSymmetric().Data
	sums = make([]float64, n)
	a := f.t.weights
	if a == nil {
		a = slices.Repeat([]float64{1}, n)
	}
	for i := range n {
		row := data[i*n : (i+1)*n]
		squares += blas64.Dot(vector(row), vector(row)) - row[i]*row[i]
		sums[i] = blas64.Dot(vector(row), vector(a)) - a[i]*row[i]
	}
	return squares, sums
}

// strongest sets the scales of a result and returns the form of the first: the kernels of the test
// in the order of their statistics. Without a table of them, or where kernels are shrunk, what they see a witness does not show: there they are
// the plain kernels of the default ladder, or those that were given.
func (t *twoSample) strongest(ctx context.Context, r *Result, chosen *Chosen, all *table) (*form,
	error) {
	if t.amplitudes == nil && all != nil {
		ratios := make([]float64, len(t.kernels))
		for k, kernel := range t.kernels {
			r.Scales = append(r.Scales, chosen.scale(k, kernel))
			ratios[k] = all.ratio(k)
		}
		r.order(ratios)
		return t.form(ctx, r.Best)
	}
	t.plain = shared{}
	r.Scales = chosen.ladder()
	ratios := make([]float64, len(r.Scales))
	forms := make([]*form, len(r.Scales))
	for k, s := range r.Scales {
		var err error
		if forms[k], _, err = t.plainForm(ctx, s.Kernel); err != nil {
			return nil, err
		}
		if ratios[k], err = forms[k].ratio(ctx); err != nil {
			return nil, err
		}
	}
	return forms[r.order(ratios)], nil
}

// order sorts the scales by the ratios, the largest first, and returns the place that the first
// had.
func (r *Result) order(ratios []float64) int {
	places := make([]int, len(ratios))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(i, j int) int { return cmp.Compare(ratios[j], ratios[i]) })
	scales := slices.Clone(r.Scales)
	for i, k := range places {
		r.Scales[i] = scales[k]
	}
	return places[0]
}

// scale is that of kernel k.
func (c *Chosen) scale(k int, kernel kernels.Kernel) Scale {
	s := Scale{Kernel: kernel, Theta: c.Theta[k]}
	if c.Rungs != nil {
		s.Rung = c.Rungs[k]
	}
	return s
}

// ladder are the scales of the default ladder where a lengthscale was learned, and else those of
// the kernels, each once.
func (c *Chosen) ladder() []Scale {
	var out []Scale
	if c.Rungs == nil {
		for k, kernel := range c.Kernels {
			if k == 0 || !reflect.DeepEqual(kernel, c.Kernels[k-1]) {
				out = append(out, c.scale(k, kernel))
			}
		}
		return out
	}
	of, _ := kernels.AsStationary(ofNumbers(c.Kernels[0]))
	for _, e := range defaultRungs() {
		s := Scale{Rung: math.Exp2(e)}
		theta := make([]float64, len(of.Theta))
		for a, v := range of.Theta {
			theta[a] = v / c.Rungs[0] * s.Rung
		}
		s.Kernel, s.Theta = radial(bke.Options{Kernel: of.Radial}, theta...), geometric(theta)
		if c.wrap != nil {
			s.Kernel = c.wrap(s.Kernel)
		}
		out = append(out, s)
	}
	return out
}

// ratio is the unbiased statistic of the data over its standard deviation under the null
// hypothesis.
func (f *form) ratio(ctx context.Context) (float64, error) {
	_, sums, _, err := f.observed(ctx)
	if err != nil {
		return 0, err
	}
	norm, err := f.norm(ctx)
	if err != nil || !(norm > 0) {
		return math.Inf(-1), err
	}
	return sums.Dot(f.sampleWeights().coefficients(true)) / norm, nil
}
