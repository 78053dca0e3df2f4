package bayesfactor

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/permute"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Density compares H1, the rows of x and of y have different distributions, with H0, they have the
// same. It returns the Bayes factor of the model `density` of the package comment, with lengthscale
// and amplitude integrated out. Results depend on the data, the options and the seed alone.
func Density(ctx context.Context, x, y mat.Matrix, o Options) (*Result, error) {
	c, err := newContrast(x, y, o.WeightsX, o.WeightsY)
	if err != nil {
		return nil, err
	}
	if o, err = o.complete(c.x + c.y); err != nil {
		return nil, err
	}
	if o.Blocks != nil && len(o.Blocks) != c.x+c.y {
		return nil, fmt.Errorf("bayesfactor: blocks have %d labels, want one for each of %d rows",
			len(o.Blocks), c.x+c.y)
	}
	return c.run(ctx, o)
}

// run is Density with complete options.
func (c *contrast) run(ctx context.Context, o Options) (*Result, error) {
	d, err := permute.NewDesign(c.x+c.y, o.Seed, o.Blocks)
	if err != nil {
		return nil, fmt.Errorf("bayesfactor: %w", err)
	}
	r, q, err := run(ctx, c, d, c.unit, o)
	if err != nil {
		return nil, err
	}
	r.RowsX, r.RowsY = c.x, c.y
	r.LogM0 = c.logM0(q.observed)
	if o.Points != nil {
		if r.Witness, err = c.averaged(ctx, q, r, o.Points); err != nil {
			return nil, err
		}
	}
	c.warn(r)
	return r, nil
}

// run integrates, and compares with permutations.
func run(ctx context.Context, m model, d *permute.Design, unit float64, o Options) (*Result, *integral,
	error) {
	q := &integral{m: m, o: o, unit: unit, s: amplitudeRule(), from: math.Log(o.Theta.Low),
		to: math.Log(o.Theta.High)}
	for i := range q.s.at {
		q.s.at[i] *= o.Amplitude
		q.s.weight[i] *= o.Amplitude
	}
	var err error
	if q.observed, err = m.arrange(ctx, d, 0, 1); err != nil {
		return nil, nil, err
	}
	if o.Permutations > 0 {
		if q.all, err = m.arrange(ctx, d, 0, o.Permutations+1); err != nil {
			return nil, nil, err
		}
	}
	p, change, err := q.integrate(ctx)
	if err != nil {
		return nil, nil, err
	}
	r := &Result{LogBF: p.logBF, Error: change, Floor: q.posterior(q.floors).logBF, P: math.NaN(),
		LogM0: math.NaN(), Probability: 1 / (1 + math.Exp(-p.logBF)), Unit: unit, Nodes: len(q.logs),
		Rank: q.rank, TraceError: q.traceError}
	r.summarize(q, p)
	if o.Permutations > 0 {
		r.compare(q.permutedBF())
	}
	return r, q, nil
}

// compare counts the permutations that are at least the first.
func (r *Result) compare(all []float64) {
	r.Observed, r.Draws, r.Permutations = all[0], all[1:], len(all)-1
	for _, v := range r.Draws {
		// Sums over the rank: equal by right, they differ by roundings of terms of size 1.
		if permute.AtLeast(v, r.Observed, float64(r.Rank)) {
			r.AtLeast++
		}
	}
	r.P = float64(1+r.AtLeast) / float64(1+r.Permutations)
}

// summarize sets the posteriors.
func (r *Result) summarize(q *integral, p *posterior) {
	r.Theta = Posterior{At: make([]float64, len(p.u.at)), Weight: p.atU}
	for i, u := range p.u.at {
		r.Theta.At[i] = q.unit * math.Exp(u)
		r.Theta.Density = append(r.Theta.Density, p.atU[i]/p.u.weight[i]/r.Theta.At[i])
	}
	r.S = Posterior{At: slices.Clone(q.s.at), Weight: p.atS}
	for j, w := range p.atS {
		r.S.Density = append(r.S.Density, w/q.s.weight[j])
	}
	r.Theta.moments()
	r.S.moments()
}

// logM0 is -1/2 [(N-1) log(2 pi kappa0) + v'v], and v'v is N-1 without weights.
func (c *contrast) logM0(a *arrangements) float64 {
	square := 0.0
	for i := range c.x + c.y {
		v := -a.toY[0]
		if i < c.x {
			v = a.toX[0]
		}
		square += v * v * c.massOf(i)
	}
	return -0.5 * (c.freedom()*math.Log(2*math.Pi*c.kappa) + square)
}

// warn adds what makes the answer depend on the prior.
func (c *contrast) warn(r *Result) {
	all := c.sorted
	if ratio, column := rows.TailRatio(all, c.dim); ratio > 3 {
		of := ""
		if c.dim > 1 {
			of = fmt.Sprintf(" of column %d", column+1)
		}
		r.note("The standard deviation%s is %.1f times what the middle half of the rows suggests: "+
			"outliers set the range of lengthscales.", of, ratio)
	}
	r.warnEdges()
	if r.TraceError > 0.01 {
		r.note("Kernels were cut at rank %d, which leaves out up to %.2g%% of their trace: differences "+
			"on the smallest scales are not seen.", r.Rank, 100*r.TraceError)
	}
}

// warnEdges looks for a posterior of the lengthscale at either end of its range.
func (r *Result) warnEdges() {
	low, high := 0.0, 0.0
	n := len(r.Theta.At)
	for i, w := range r.Theta.Weight { // intervals of log t are of one length
		if i < n/10 {
			low += w
		}
		if i >= n-n/10 {
			high += w
		}
	}
	for _, e := range []struct {
		mass float64
		name string
	}{{low, "smallest"}, {high, "largest"}} {
		if e.mass > 0.5 {
			r.note("More than half of the posterior of the lengthscale is in the %s tenth of its "+
				"range: the prior decides.", e.name)
		}
	}
}

func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Evidence is the model at one lengthscale, in the units of the data, and one amplitude.
type Evidence struct{ LogBF, LogM0, LogM1 float64 }

// DensityAt is Density at one lengthscale and one amplitude.
func DensityAt(x, y mat.Matrix, theta, s float64) (Evidence, error) {
	ctx := context.Background()
	c, err := newContrast(x, y, nil, nil)
	if err != nil {
		return Evidence{}, err
	}
	d, err := permute.NewDesign(c.x+c.y, 0, nil)
	if err != nil {
		return Evidence{}, fmt.Errorf("bayesfactor: %w", err)
	}
	a, err := c.arrange(ctx, d, 0, 1)
	if err != nil {
		return Evidence{}, err
	}
	m0 := c.logM0(a)
	bf, err := single(ctx, c, a, theta, s)
	return Evidence{LogBF: bf, LogM0: m0, LogM1: m0 + bf}, err
}

// single is log BF of the data at one lengthscale and one amplitude.
func single(ctx context.Context, m model, a *arrangements, theta, s float64) (float64, error) {
	if !(theta > 0 && s >= 0) || math.IsInf(theta, 1) || math.IsInf(s, 1) {
		return 0, fmt.Errorf("bayesfactor: lengthscale and amplitude are %v and %v, want positive "+
			"numbers", theta, s)
	}
	f, err := m.at(ctx, theta)
	if err != nil {
		return 0, err
	}
	z, square, err := m.project(ctx, f, a)
	if err != nil {
		return 0, err
	}
	out := make([]float64, 1)
	f.node.at(s*s*m.variance(), out, z, square, &workspace{})
	return out[0], nil
}
