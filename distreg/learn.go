package distreg

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/bke/inputs"
	within "bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
)

// LearnOptions say how a regression is learned. The zero value is the default.
type LearnOptions struct {
	Landmarks int        // number of landmarks, k-means centres of all rows; 0 is 30
	Points    mat.Matrix // the landmarks themselves
	Thetas    []float64  // lengthscales tried, in units of the median distance; nil is .25, .35, .5, .75
	Seed      uint64
	// Noise, R and Prior are those of Form.
	Noise, R, Prior string
}

// Trial is one lengthscale that was tried.
type Trial struct {
	Theta, N0, LogEvidence float64
}

// Fit is a regression that was learned.
type Fit struct {
	Model       *Model
	Params      Params
	Landmarks   *mat.Dense
	LogEvidence float64
	Tried       []Trial
}

const (
	landmarksByDefault = 30
	floorByDefault     = 1e-4
	jitterByDefault    = 1e-3
	n0Start            = 20
	n0Rounds           = 3
	// alphaSpread is the prior standard deviation of the intercept, in those of the labels. The
	// features are positive, so that the intercept has to make up for the mean embedding.
	alphaSpread = 10
	// mostRows is how many rows are clustered: more would only take longer.
	mostRows = 10000
)

// Learn chooses landmarks, and the lengthscale, sigma and kappa by the evidence of the moment form. Eta
// and S are 1. Rows should be in comparable units, as bke.Standardize makes them.
//
// With N rows in n bags and m landmarks it costs O(N m²) for each lengthscale, and O(n m²) for each of
// some hundred values of the evidence.
func Learn(ctx context.Context, bags []mat.Matrix, y []float64, o LearnOptions) (*Fit, error) {
	for _, theta := range o.Thetas {
		if !(theta > 0) || math.IsInf(theta, 0) {
			return nil, fmt.Errorf("distreg: theta is %v; it must be positive and finite", theta)
		}
	}
	z, median, err := landmarks(ctx, bags, o)
	if err != nil {
		return nil, err
	}
	if len(y) < 2 || len(y) != len(bags) {
		return nil, fmt.Errorf("distreg: %v bags and %v labels; there must be as many, and at least 2", len(bags), len(y))
	}
	mean, sd := stat.MeanStdDev(y, nil)
	if !(sd > 0) || math.IsInf(sd, 0) {
		return nil, fmt.Errorf("distreg: the labels have the standard deviation %v; it must be positive and finite", sd)
	}
	m, err := New(Data{Bags: bags, Y: y, Landmarks: z}, Form{Noise: o.Noise, R: o.R, Prior: o.Prior, N0: n0Start,
		Floor: floorByDefault, Jitter: jitterByDefault, AlphaMean: mean, AlphaSD: alphaSpread * sd})
	if err != nil {
		return nil, err
	}
	thetas := o.Thetas
	if thetas == nil {
		thetas = []float64{.25, .35, .5, .75}
	}
	best := &Fit{Landmarks: z, LogEvidence: math.Inf(-1)}
	for _, share := range thetas {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one, at, err := m.settle(share * median)
		if err != nil {
			return nil, err
		}
		p, value := one.climb(at, sd)
		best.Tried = append(best.Tried, Trial{Theta: p.Theta, N0: one.form.N0, LogEvidence: value})
		if value > best.LogEvidence {
			best.Model, best.Params, best.LogEvidence = one, p, value
			one.prepared = at
		}
	}
	if best.Model == nil {
		return nil, fmt.Errorf("distreg: no lengthscale of %v medians has an evidence", thetas)
	}
	return best, nil
}

// landmarks returns the landmarks and the median distance of rows.
func landmarks(ctx context.Context, bags []mat.Matrix, o LearnOptions) (*mat.Dense, float64, error) {
	total, dim := 0, 0
	for i, b := range bags {
		if b == nil {
			continue
		}
		if within.Nil(b) {
			return nil, 0, fmt.Errorf("distreg: bag %v is a nil pointer, want a matrix, or nil for one without rows", i+1)
		}
		n, d := b.Dims()
		if n > 0 && dim > 0 && d != dim {
			return nil, 0, fmt.Errorf("distreg: bag %v has %v columns and those before it %v", i+1, d, dim)
		}
		if n > 0 {
			dim, total = d, total+n
		}
		if _, err := rows(fmt.Sprintf("bag %v", i+1), b, dim); err != nil {
			return nil, 0, err
		}
	}
	if total == 0 {
		return nil, 0, fmt.Errorf("distreg: the bags have no rows")
	}
	every := (total + mostRows - 1) / mostRows
	var data []float64
	seen := 0
	for _, b := range bags {
		if b == nil {
			continue
		}
		n, _ := b.Dims()
		for i := range n {
			if seen%every == 0 {
				data = append(data, mat.Row(nil, i, b)...)
			}
			seen++
		}
	}
	x := mat.NewDense(len(data)/dim, dim, data)
	medians, err := kernels.MedianDistance(x, o.Seed)
	if err != nil {
		return nil, 0, fmt.Errorf("distreg: %w", err)
	}
	if !(medians.Distinct > 0) {
		return nil, 0, fmt.Errorf("distreg: all rows are equal")
	}
	if o.Points != nil {
		return mat.DenseCopyOf(o.Points), medians.Distinct, nil
	}
	number := o.Landmarks
	if number == 0 {
		number = min(landmarksByDefault, x.RawMatrix().Rows)
	}
	set, err := inputs.Choose(ctx, x, inputs.Options{Number: number, Seed: o.Seed})
	if err != nil {
		return nil, 0, fmt.Errorf("distreg: %w", err)
	}
	return set.Z, medians.Distinct, nil
}

// settle returns the model with the weights of bags that its own eigenvalues ask for: N0 is the number
// of rows at which a bag's embedding is half its own along the three widest directions.
func (m *Model) settle(theta float64) (*Model, *prepared, error) {
	all := make([]*sums, len(m.bags))
	for i, x := range m.bags {
		all[i] = m.sum(x, theta, false)
	}
	out := &Model{form: m.form, bags: m.bags, n: m.n, y: m.y, z: m.z, dim: m.dim, m: m.m, w: m.w, leastRows: m.leastRows}
	for range n0Rounds {
		f, err := out.frame(all, theta, false)
		if err != nil {
			return nil, nil, err
		}
		top := f.lambda[max(0, m.m-3):]
		wide := floats.Sum(top) / float64(len(top))
		if !(wide > 0) {
			break // bags do not differ
		}
		out.form.N0 = 1 / wide
		out.weigh()
	}
	at, err := out.place(all, theta, false)
	return out, at, err
}

// climb maximises the evidence over sigma and kappa.
func (m *Model) climb(at *prepared, sd float64) (Params, float64) {
	p := Params{Sigma: sd, Kappa: sd, Eta: 1, S: 1, Theta: at.theta}
	in := m.inferAll(at, p, 0)
	unit := sd / math.Sqrt(max(in.spread(), 1e-12))
	params := func(v []float64) Params {
		q := p
		q.Sigma, q.Kappa = math.Exp(v[0]), math.Exp(v[1])
		return q
	}
	// The logarithms stay within ten of the labels' scale: beyond, the evidence is flat.
	outside := func(v []float64) bool {
		return math.Abs(v[0]-math.Log(sd)) > 10 || math.Abs(v[1]-math.Log(unit)) > 10
	}
	problem := optimize.Problem{
		Func: func(v []float64) float64 {
			if outside(v) {
				return math.Inf(1)
			}
			return -m.evidence(nil, in, at.frame, params(v))
		},
		Grad: func(grad, v []float64) {
			m.evidence(grad, in, at.frame, params(v))
			floats.Scale(-1, grad)
		},
	}
	value, best := math.Inf(-1), p
	for _, start := range [][2]float64{{.5, 1}, {.1, 3}} {
		v := []float64{math.Log(start[0] * sd), math.Log(start[1] * unit)}
		settings := &optimize.Settings{MajorIterations: 100, FuncEvaluations: 400,
			Converger: &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 5}}
		// An error such as a line search without progress leaves the best point all the same.
		result, _ := optimize.Minimize(problem, v, settings, &optimize.BFGS{GradStopThreshold: math.NaN()})
		if result != nil && -result.F > value {
			value, best = -result.F, params(result.X)
		}
	}
	return best, value
}
