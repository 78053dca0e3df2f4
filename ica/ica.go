package ica

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Options configures the search. Zero values mean the defaults in parentheses.
type Options struct {
	Theta  float64 // lengthscale of the kernel, in standard deviations of a component (0.7)
	Pairs  int     // pairs of features, a cosine and a sine each (16)
	Starts int     // rotations to start from: fixed points of three contrasts, then random ones (4)
	Steps  int     // most steps from each start (300)
	Seed   uint64
}

// Result holds the components found.
type Result struct {
	// Unmixing has a row for each component: y = Unmixing (x - Mean), each of variance 1.
	Unmixing *mat.Dense
	Mixing   *mat.Dense // its inverse
	Mean     []float64
	HSIC     float64 // the sum over pairs of components
	Gradient float64 // the norm of its gradient on the group of rotations
	Steps    int
	// Converged reports whether the gradient fell below the tolerance.
	Converged bool
	// Minima has the HSIC reached on at most 1000 rows from each start that was not where an earlier one
	// had ended.
	Minima []float64
	// Warnings are sentences: components that look normal, and starts that found other components.
	Warnings []string
}

// tolerance is the norm of the gradient at which a search ends, relative to HSIC at its start. Least
// is that norm where HSIC is already small.
const (
	tolerance = 1e-4
	least     = 1e-12
)

// Find finds as many independent components of the rows of x as there are columns.
func Find(ctx context.Context, x mat.Matrix, o Options) (*Result, error) {
	data, n, m, err := rows.Finite("x", x)
	if err != nil {
		return nil, fmt.Errorf("ica: %w", err)
	}
	if m < 2 || n <= m {
		return nil, fmt.Errorf("ica: x has %s and %s, want at least 2 columns and more rows than columns",
			rows.Count(n, "row"), rows.Count(m, "column"))
	}
	if o, err = o.complete(); err != nil {
		return nil, err
	}
	if p := rows.Span(data, m); !p.Full() {
		return nil, fmt.Errorf("ica: %s: want columns none of which is determined by the others",
			p.Finding())
	}
	mean, white, err := whiten(data, n, m)
	if err != nil {
		return nil, err
	}
	starts, err := starts(ctx, thinned(data, n, m, screen), m, o)
	if err != nil {
		return nil, err
	}
	few := thinned(data, n, m, screen)
	judge := &search{contrast: newContrast(few, m, o.Pairs, o.Theta)}
	var ends []*state
	var minima []float64
	for _, q := range starts {
		for _, e := range ends { // a start where an earlier one ended has nothing to add
			if apart(q, e.q) < sameComponents/2 {
				q = nil
				break
			}
		}
		if q == nil {
			continue
		}
		s := newSweep(few, m, q)
		for k, theta := range []float64{wide * o.Theta, o.Theta} {
			s.at(theta)
			if err := s.all(ctx, q, sweeps, k > 0); err != nil {
				return nil, err
			}
		}
		ends = append(ends, &state{q: q, value: judge.value(q)})
		minima = append(minima, ends[len(ends)-1].value)
	}
	best := ends[0]
	for _, e := range ends {
		if e.value < best.value {
			best = e
		}
	}
	all := &search{contrast: newContrast(data, m, o.Pairs, o.Theta), steps: o.Steps}
	ended := best
	if best, err = all.descend(ctx, ended.q); err != nil {
		return nil, err
	}
	out := &Result{Unmixing: new(mat.Dense), Mixing: new(mat.Dense), Mean: mean, HSIC: best.value,
		Gradient: best.norm, Steps: best.steps, Converged: best.converged, Minima: minima}
	out.Unmixing.Mul(best.q, white)
	var y mat.Dense
	y.Mul(mat.NewDense(n, m, data), best.q.T())
	out.Warnings = warnings(&y, ends)
	return out, out.Mixing.Inverse(out.Unmixing)
}

// screen is the number of rows that starts are tried on. The best start continues on all rows.
const screen = 1000

// The kernel of the first sweeps is so much wider than that of the last: wide kernels have fewer minima,
// narrow ones see more. At most so many sweeps go over all pairs with each.
const (
	wide   = 2
	sweeps = 6
)

// starts are the fixed points of the three contrasts, and then random rotations.
func starts(ctx context.Context, z []float64, m int, o Options) ([]*mat.Dense, error) {
	source, err := rng.New(rng.PCG, rng.Name{Seed: o.Seed, Purpose: "ica: starts"}, 0)
	if err != nil {
		return nil, fmt.Errorf("ica: %w", err)
	}
	r := rand.New(source)
	var out []*mat.Dense
	for k := range o.Starts {
		q := rotation(m, r)
		if k < len(contrasts) {
			if q, err = fixedPoint(ctx, z, m, q, contrasts[k]); err != nil {
				return nil, err
			}
		}
		out = append(out, q)
	}
	return out, nil
}

// thinned has at most that many rows, at even distances.
func thinned(data []float64, n, m, most int) []float64 {
	count := min(n, most)
	out := make([]float64, 0, count*m)
	for i := range count {
		at := i * n / count
		out = append(out, data[at*m:(at+1)*m]...)
	}
	return out
}

func (o Options) complete() (Options, error) {
	if o.Theta == 0 {
		o.Theta = 0.7
	}
	if o.Pairs == 0 {
		o.Pairs = 16
	}
	if o.Starts == 0 {
		o.Starts = 4
	}
	if o.Steps == 0 {
		o.Steps = 300
	}
	if !(o.Theta > 0) || math.IsInf(o.Theta, 1) || o.Pairs < 1 || o.Starts < 1 || o.Steps < 1 {
		return o, fmt.Errorf("ica: options are %+v, want positive numbers", o)
	}
	return o, nil
}

// Components writes the components of a row into dst.
func (r *Result) Components(dst, x []float64) {
	m := len(r.Mean)
	if len(dst) != m || len(x) != m {
		panic("ica: Components: lengths do not fit")
	}
	for i := range dst {
		s := 0.0
		for j, v := range r.Unmixing.RawRowView(i) {
			s += v * (x[j] - r.Mean[j])
		}
		dst[i] = s
	}
}

// whiten centres the rows and gives them the unit covariance, in place, along their principal axes.
func whiten(data []float64, n, m int) (mean []float64, white *mat.Dense, err error) {
	mean = make([]float64, m)
	for i, v := range data {
		mean[i%m] += v / float64(n)
	}
	for i := range data {
		data[i] -= mean[i%m]
	}
	x := mat.NewDense(n, m, data)
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThinV) {
		return nil, nil, fmt.Errorf("ica: principal axes were not found")
	}
	var v mat.Dense
	svd.VTo(&v)
	values := svd.Values(nil)
	white = mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			white.Set(i, j, v.At(j, i)/values[i]*math.Sqrt(float64(n)))
		}
	}
	var z mat.Dense
	z.Mul(x, white.T())
	copy(data, z.RawMatrix().Data)
	return mean, white, nil
}

func identity(m int) *mat.Dense {
	q := mat.NewDense(m, m, nil)
	for i := range m {
		q.Set(i, i, 1)
	}
	return q
}

// rotation is a random orthogonal matrix.
func rotation(m int, r *rand.Rand) *mat.Dense {
	a := mat.NewDense(m, m, nil)
	a.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, a)
	var qr mat.QR
	qr.Factorize(a)
	var q, upper mat.Dense
	qr.QTo(&q)
	qr.RTo(&upper)
	for j := range m { // unique with a positive diagonal, and then uniform
		if upper.At(j, j) < 0 {
			for i := range m {
				q.Set(i, j, -q.At(i, j))
			}
		}
	}
	return &q
}
