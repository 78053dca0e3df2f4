package bke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/bke/inputs"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// ThetaInterval is an interval estimate of theta. The posterior given the pseudo-inputs is far too
// narrow for that. The pseudolikelihood is composite: it treats m numbers computed from a row of D
// as if each were new information. So its curvature overstates the information in the rows
// (DERIVATION.md, part 6). The interval comes from the tempered posterior
//
//	p(theta) × pseudolikelihood^Temper,
//
// with Temper chosen so that its spread matches the variation of theta from data set to data set.
type ThetaInterval struct {
	Theta    float64 // the mode it belongs to
	From, To float64
	Level    float64 // of the interval, 0.9 by default
	Temper   float64 // the power of the pseudolikelihood, at most 1

	// Standard deviations of log theta: by the sandwich formula, by a jackknife over ten groups of
	// rows, and over other pseudo-inputs of the same kind (0 if these have no seed). The interval
	// takes the larger of the first two and adds the variance over pseudo-inputs.
	SDSandwich, SDJackknife, SDSeeds float64

	// AtLeast reports that the uncertainty may be even larger. With fewer than 500 rows theta is
	// biased. With several columns, rows far from every pseudo-input skew the density.
	AtLeast bool
}

// IntervalOptions are the options of Fitted.ThetaInterval. The zero value is the default.
type IntervalOptions struct {
	Level float64 // 0 means 0.9
	Seeds int     // number of other sets of pseudo-inputs to try; 0 means 8, negative none
	Seed  uint64  // of the groups of the jackknife
}

// jackknifeGroups is the number of groups of rows that are left out in turn.
const jackknifeGroups = 10

// ThetaInterval computes the interval of one lengthscale. The pseudo-inputs were chosen from the
// rows x. The priors p are those of the fit, nil for none. It costs about 250 passes over the rows
// in one column, and 150 more if the pseudo-inputs have seeds.
func (f *Fitted) ThetaInterval(ctx context.Context, x mat.Matrix, p *Priors, o IntervalOptions) (
	*ThetaInterval, error) {
	m := f.Model
	if m.thetas() > 1 {
		return nil, fmt.Errorf("bke: an interval of %d lengthscales was asked for, want a model with one",
			m.thetas())
	}
	if m.n < fewestOfInterval {
		return nil, fmt.Errorf("bke: an interval of theta was asked for with %d rows, want at least %d", m.n,
			fewestOfInterval)
	}
	if m.windows != nil {
		return nil, errors.New("bke: an interval of theta was asked for where only sums of the rows are " +
			"known, want the rows")
	}
	if x == nil {
		return nil, errors.New("bke: an interval of theta was asked for without rows, want those of the fit")
	}
	if _, dim := x.Dims(); dim != m.dim {
		return nil, fmt.Errorf("bke: an interval of theta was asked for with %d columns, want %d as in the fit",
			dim, m.dim)
	}
	best := f.Fit.Modes[0]
	out := &ThetaInterval{Theta: best.Params.Theta[0], Level: cmp.Or(o.Level, 0.9),
		AtLeast: m.n < 500 || m.dim > 1}
	if !(out.Level > 0 && out.Level < 1) {
		return nil, fmt.Errorf("bke: level of an interval is %v, want it between 0 and 1", o.Level)
	}
	h, j, err := m.information(ctx, best.Params)
	if err != nil {
		return nil, err
	}
	n := float64(m.n)
	out.SDSandwich = math.Sqrt(j/n) / h
	if out.SDJackknife, err = f.jackknife(ctx, x, p, o.Seed); err != nil {
		return nil, err
	}
	if out.SDSeeds, err = f.overSeeds(ctx, x, p, o); err != nil {
		return nil, err
	}
	sd := math.Hypot(max(out.SDSandwich, out.SDJackknife), out.SDSeeds)
	out.Temper = min(1, 1/(n*h*sd*sd))
	out.From, out.To, err = f.tempered(ctx, p, out, max(sd, 1/math.Sqrt(n*h)))
	return out, err
}

// fewestOfInterval is the number of rows of which the jackknife makes two groups.
const fewestOfInterval = 4

// information returns, per row, the curvature -d²Omega/du² of the profile objective in u = log theta and
// the variance of the scores of the rows,
//
//	s_i = d log gamma_i/du - (wm/2) [V'/V + (V_i' - V_i V'/V)/V],   V_i = mean_l (k_il - kbar_l)²,
//
// V the mean of the V_i. The two would be equal if the pseudolikelihood were a true likelihood.
func (m *Model) information(ctx context.Context, p Params) (curvature, variance float64, err error) {
	e := m.Evaluator()
	e.stopAt(ctx.Done())
	weight := m.opts.Weight * float64(m.m) / 2
	n := float64(m.n)
	const step = 0.02
	slope := func(u float64) float64 {
		s := e.sums(Params{Theta: []float64{p.Theta[0] * math.Exp(u)}}, true)
		return s.dlog[0]/n - weight*s.dspread[0]/s.spread
	}
	curvature = -(slope(step) - slope(-step)) / (2 * step)
	s := e.sums(p, true)
	muhat, dmuhat := slices.Clone(s.muhat), slices.Clone(s.dmuhat)
	v, dv := s.spread/n, s.dspread[0]/n
	b := newRowBlock(m, muhat)
	b.setTheta(p.Theta)
	mean := 0.0
	scores := make([]float64, 0, m.n)
	for i := range m.n {
		if i%1024 == 0 {
			if err := stopped(ctx, "the interval of theta"); err != nil {
				return 0, 0, err
			}
		}
		b.load(i, true)
		vi, dvi := 0.0, 0.0
		for l, k := range b.k {
			c, dk := k-muhat[l], 0.0
			if b.kappa[l] > 0 {
				dk = b.kappa[l] * b.total[l]
			}
			vi += c * c
			dvi += 2 * c * (dk - dmuhat[l])
		}
		b.dlog[0] = -2 * float64(m.dim)
		b.addLeverages()
		score := b.dlog[0] - weight*(dv/v+(dvi-vi*dv/v)/v)
		scores = append(scores, score)
		mean += score / n
	}
	for _, v := range scores {
		variance += (v - mean) * (v - mean) / (n - 1)
	}
	if !(curvature > 0) || !(variance >= 0) {
		return 0, 0, errors.New("bke: the interval of theta was asked for where the profile is not " +
			"curved downwards, want a mode inside the range of theta")
	}
	return curvature, variance, nil
}

// jackknife returns the standard deviation of log theta over fits that leave out a tenth of the rows
// each. The groups depend on the set of rows and the seed, not on the order of the rows.
func (f *Fitted) jackknife(ctx context.Context, x mat.Matrix, p *Priors, seed uint64) (float64, error) {
	data, n, dim, err := rows.Finite("x", f.Inputs.Likelihood(x))
	if err != nil {
		return 0, fmt.Errorf("bke: %w", err)
	}
	groups := min(jackknifeGroups, n/2)
	if groups < 2 {
		return 0, nil // nothing is left without a group
	}
	src, err := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: "bke/jackknife"}, 0)
	if err != nil {
		return 0, err
	}
	order := rows.Order(data, dim)
	group := make([]int, n)
	for k, at := range rand.New(src).Perm(n) {
		group[order[at]] = k % groups
	}
	var logs []float64
	for g := range groups {
		part := make([]float64, 0, len(data))
		for i := range n {
			if group[i] != g {
				part = append(part, data[i*dim:(i+1)*dim]...)
			}
		}
		kept := mat.NewDense(len(part)/dim, dim, part)
		z := mat.Matrix(f.Inputs.Z)
		if f.Inputs.Kind == inputs.Quantiles {
			in, err := inputs.Choose(ctx, kept, inputs.Options{Number: f.Inputs.Asked})
			if err != nil {
				return 0, fmt.Errorf("bke: %w", err)
			}
			z = in.Z
		}
		u, ok, err := f.refit(ctx, kept, z, p)
		if err != nil {
			return 0, err
		}
		if ok {
			logs = append(logs, u)
		}
	}
	if len(logs) < 2 {
		return 0, nil
	}
	k := float64(len(logs))
	return math.Sqrt((k-1)/k*(k-1)) * stat.StdDev(logs, nil), nil
}

// overSeeds returns the standard deviation of log theta over other pseudo-inputs of the same kind.
func (f *Fitted) overSeeds(ctx context.Context, x mat.Matrix, p *Priors, o IntervalOptions) (float64,
	error) {
	kind := f.Inputs.Kind
	if o.Seeds < 0 || kind != inputs.KMeans && kind != inputs.HeldOut {
		return 0, nil
	}
	logs := []float64{math.Log(f.Fit.Modes[0].Params.Theta[0])}
	for s := range cmp.Or(o.Seeds, 8) {
		in, err := inputs.Choose(ctx, x, inputs.Options{Kind: kind, Number: f.Inputs.Asked,
			Seed: 0x5eed<<32 + uint64(s) + o.Seed<<8})
		if err != nil {
			return 0, fmt.Errorf("bke: %w", err)
		}
		u, ok, err := f.refit(ctx, in.Likelihood(x), in.Z, p)
		if err != nil {
			return 0, err
		}
		if ok {
			logs = append(logs, u)
		}
	}
	return stat.StdDev(logs, nil), nil
}

// refit climbs from the fit's mode to the mode for other rows or pseudo-inputs, and reports whether
// there is one within a factor of ten.
func (f *Fitted) refit(ctx context.Context, x, z mat.Matrix, p *Priors) (logTheta float64, ok bool,
	err error) {
	m, err := NewModelContext(ctx, x, z, f.Model.opts)
	if err != nil {
		return 0, false, err
	}
	c := m.newCriterion()
	c.stopAt(ctx)
	if p != nil {
		if err := c.withPriors(*p); err != nil {
			return 0, false, err
		}
	}
	u := slices.Clone(f.Fit.Modes[0].Logs)
	ok = c.follow(u, -f.Fit.Modes[0].Hessian[0][0])
	return u[0], ok, stopped(ctx, "the interval of theta")
}

// follow moves log theta from u to a zero of the slope of the profile, by the secant method. Each
// step costs a pass over the rows. It starts with the curvature of a neighbouring profile and gives
// up beyond a factor of ten.
func (c *criterion) follow(u []float64, curvature float64) bool {
	const within, furthest, steps = 1e-6, 2.3, 40
	from := u[0]
	p := c.best(u)
	for range steps {
		step := 0.1
		if curvature > 0 {
			step = min(math.Abs(p.slope)/curvature, 0.5)
		}
		next := min(max(u[0]+math.Copysign(step, p.slope), c.lo[0]), c.hi[0])
		if math.Abs(next-u[0]) < within {
			return !math.IsInf(p.lp, -1)
		}
		if math.Abs(next-from) > furthest {
			return false
		}
		moved := next - u[0]
		copy(u, p.u)
		u[0] = next
		q := c.best(u)
		if math.IsInf(q.lp, -1) {
			return false
		}
		curvature = (p.slope - q.slope) / moved
		p = q
	}
	return false
}

// tempered returns the central interval of the tempered posterior of theta, with tau2 and eta at their
// best for each theta. It steps outwards from the mode by a quarter of a standard deviation, until the
// density of log theta has fallen by 25 nats.
func (f *Fitted) tempered(ctx context.Context, p *Priors, out *ThetaInterval, sd float64) (from, to float64,
	err error) {
	m := f.Model
	c := m.newCriterion()
	c.stopAt(ctx)
	logPrior := func(float64) float64 { return 0 }
	if p != nil {
		r, err := m.resolvePriors(*p)
		if err != nil {
			return 0, 0, err
		}
		logPrior = func(u float64) float64 {
			l := r.Theta.LogDensity(math.Exp(u))
			return l + u
		}
	}
	const fallen, most = 25, 200
	step := sd / 4
	density := func(u float64) float64 {
		start := c.origin()
		start[0] = u
		return out.Temper*c.best(start).lp + logPrior(u)
	}
	centre := math.Log(out.Theta)
	top := density(centre)
	t, l := []float64{centre}, []float64{top}
	for _, way := range []float64{-1, 1} {
		for k := 1; k <= most; k++ {
			u := centre + way*step*float64(k)
			if u < c.lo[0] || u > c.hi[0] {
				break
			}
			v := density(u)
			if err := stopped(ctx, "the interval of theta"); err != nil {
				return 0, 0, err
			}
			t, l = append(t, u), append(l, v)
			if top = max(top, v); !(v > top-fallen) {
				break
			}
		}
		if way < 0 { // so far in decreasing order
			slices.Reverse(t)
			slices.Reverse(l)
		}
	}
	// The trapezoidal rule, whose error is negligible at this step.
	sums := make([]float64, len(t))
	for i := 1; i < len(t); i++ {
		sums[i] = sums[i-1] + (math.Exp(l[i-1]-top)+math.Exp(l[i]-top))/2*(t[i]-t[i-1])
	}
	quantile := func(level float64) float64 {
		want := level * sums[len(sums)-1]
		i, _ := slices.BinarySearch(sums, want)
		if i == 0 {
			return math.Exp(t[0])
		}
		share := (want - sums[i-1]) / (sums[i] - sums[i-1])
		return math.Exp(t[i-1] + share*(t[i]-t[i-1]))
	}
	return quantile((1 - out.Level) / 2), quantile((1 + out.Level) / 2), nil
}
