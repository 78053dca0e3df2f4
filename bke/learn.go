package bke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/rows"
)

// LearnOptions are the options of Learn. The zero value maximises the marginal pseudolikelihood
// over the default range.
type LearnOptions struct {
	// Priors, if not nil, are added on the natural scales: the modes are then those of the
	// posterior density of (theta, tau2) itself, not of its logarithms.
	Priors *Priors
	// ThetaMin and ThetaMax are the range of every lengthscale. Zero means the model's own bound
	// or, without one, the end of the range that can contain modes. The search never leaves the
	// bounds of the model.
	ThetaMin, ThetaMax float64
	// Starts is the number of random starts with ARD, in addition to those on the isotropic line
	// and its scaled version; 0 means 16. With one lengthscale nothing is random.
	Starts int
	Seed   uint64 // of the random starts
	// Rows is the number of rows, at equal distances, that the functions Learn and LearnKernels look at in
	// the likelihood; 0 means all. Pseudo-inputs are chosen from all rows. What is learned hardly depends on the
	// number of rows, and the time is proportional to it. It must not be negative.
	Rows int
	// Progress, if not nil, is called from time to time, by one goroutine at a time, with the step
	// under way. Done and total are both 0 here. It must not block.
	Progress func(step string, done, total int)
}

func (s *LearnOptions) progress(step string) {
	if s.Progress != nil {
		s.Progress(step, 0, 0)
	}
}

// Fit is the result of Learn.
type Fit struct {
	Names    []string // of the free parameters, in the order of Mode.Hessian
	Modes    []Mode   // all modes found, the highest first; at least one
	ThetaMin float64  // the range that was searched
	ThetaMax float64
	// Isotropic is, with ARD, the best lengthscale of the isotropic model on the same data, and
	// zero otherwise.
	Isotropic float64
	Failed    int // climbs that ended at no maximum
	Calls     int // evaluations of value and gradient
	Warnings  []Warning
}

// Mode is a local maximum over the range of the search.
type Mode struct {
	Params Params
	Value  float64 // of what was maximised: LogLik plus the log priors on the natural scales
	LogLik float64 // the weighted log pseudolikelihood
	// Hessian of Value in the logarithms of the free parameters.
	Hessian [][]float64
	// LogMass is Laplace's approximation of the log of the integral of exp(Value) around the mode
	// over the free parameters on their natural scales. At an active bound it is the integral of
	// the exponential that decays from the bound.
	LogMass float64
	AtBound []Bound   // empty for a maximum inside the range
	Logs    []float64 // the logarithms of the free parameters, in the order of Fit.Names
}

// Bound is a parameter at the end of the range that was searched.
type Bound struct {
	Name            string
	Value, Min, Max float64
}

func (b Bound) end() string {
	if b.Value == b.Max {
		return "upper end"
	}
	return "lower end"
}

func (b Bound) advice() string {
	if b.Name == "eta" {
		return "the data do not set eta; fix it, or add a prior"
	}
	if b.Value == b.Max {
		return "widen the range, lower the weight, or use more pseudo-inputs"
	}
	return "widen the range, or look for ties in the data"
}

// thetaRange returns the default search range of lengthscales. The lower end is a twentieth of the
// median distance from a row to its nearest other pseudo-input. There is no mode below it: half of
// the rows would gain 400 nats for each unit of log theta, and no row can lose more than a few. The
// upper end is a hundred times the diameter of the data, where kernel values differ from their
// limit by less than 1e-4. It returns an error only if the context ends.
func (m *Model) thetaRange(ctx context.Context) (lo, hi float64, err error) {
	if m.windows != nil {
		lo, hi := m.windowRange()
		return math.Exp(lo), math.Exp(hi), nil
	}
	near := rows.NearestOther(m.x, m.z, m.dim, 1, []float64{1}, ctx.Done())
	if err := stopped(ctx, "the search of a range of theta"); err != nil {
		return 0, 0, err
	}
	slices.Sort(near)
	lo = max(near[len(near)/2]/20, tiniest)
	return lo, 100 * rows.Diameter(slices.Concat(m.x, m.z), m.dim), nil
}

// narrow sets the range of the lengthscales in c.
func (c *criterion) narrow(ctx context.Context, s LearnOptions) error {
	for _, v := range []float64{s.ThetaMin, s.ThetaMax} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("bke: the end of a range of theta is %v, want a finite number, "+
				"not negative", v)
		}
	}
	m := c.model
	lo, hi, err := m.thetaRange(ctx)
	if err != nil {
		return err
	}
	from := max(s.ThetaMin, m.opts.ThetaMin)
	to := cmp.Or(s.ThetaMax, m.opts.ThetaMax)
	if m.opts.ThetaMax > 0 {
		to = min(to, m.opts.ThetaMax)
	}
	if from > 0 {
		if lo = from; to == 0 && hi <= lo { // a bound beyond the default range takes it along
			hi = 1000 * lo
		}
	}
	if to > 0 {
		if hi = to; from == 0 && lo >= hi {
			lo = hi / 1000
		}
	}
	if !(lo < hi) {
		return fmt.Errorf("bke: theta is to be searched from %v to %v, want an increasing range",
			lo, hi)
	}
	for i := range m.thetas() {
		c.lo[i], c.hi[i] = math.Log(lo), math.Log(hi)
	}
	if c.eta >= 0 {
		far := m.pooledSD
		for _, v := range m.x {
			far = max(far, math.Abs(v))
		}
		c.lo[c.eta], c.hi[c.eta] = math.Log(m.pooledSD/etaRange), math.Log(far*etaRange)
	}
	return nil
}

// etaRange bounds a learned eta. Its lower bound is the pooled sd divided by etaRange. Its upper
// bound is etaRange times the pooled sd or the largest absolute value in the data, whichever is
// larger: nu is centred at the origin, and the data need not be. Beyond these bounds the likelihood
// tends to constants.
const etaRange = 1e3

// Learn finds the modes of the weighted marginal log pseudolikelihood, or with priors of the
// posterior, over a range of theta. With one lengthscale it scans log theta with the other
// parameters at their best and climbs from every rise. It misses no mode wider than a few per cent.
// With ARD it also climbs from seeded random starts and may miss some modes. Climbs use L-BFGS on
// the logarithms and finish with Newton's method.
//
// The modes are those of the density on the natural scales, without a change of variables. The
// modes that a sampler sees, on the logarithms, lie a little higher.
func (m *Model) Learn(ctx context.Context, s LearnOptions) (*Fit, error) {
	c := m.newCriterion()
	c.stopAt(ctx)
	if err := c.narrow(ctx, s); err != nil {
		return nil, err
	}
	if s.Starts < 0 {
		return nil, fmt.Errorf("bke: Starts is %d, want a positive number, or 0 for 16", s.Starts)
	}
	if s.Priors != nil {
		if err := c.withPriors(*s.Priors); err != nil {
			return nil, err
		}
	}
	f := &Fit{Names: c.names, ThetaMin: math.Exp(c.lo[0]), ThetaMax: math.Exp(c.hi[0])}
	climbs, err := c.starts(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, start := range climbs {
		f.climb(c, start)
	}
	if err := stopped(ctx, "learning"); err != nil {
		return nil, err
	}
	if len(f.Modes) == 0 {
		return nil, errors.New("bke: no maximum was found between theta = " +
			fmt.Sprintf("%.4g and %.4g: %d climbs failed", f.ThetaMin, f.ThetaMax, f.Failed))
	}
	f.sort()
	f.Calls = c.calls
	if m.opts.ARD && m.dim > 1 {
		iso := *m
		iso.opts.ARD = false
		one, err := iso.Learn(ctx, s)
		if err != nil {
			return nil, err
		}
		f.Isotropic = one.Modes[0].Params.Theta[0]
		f.Calls += one.Calls
	}
	f.Warnings = append(f.warnings(), m.digitWarnings(f.Modes[0].Params)...)
	return f, nil
}

// climb adds the mode above a start.
func (f *Fit) climb(c *criterion, s start) {
	u := slices.Clone(s.u)
	c.climb(u, s.within, 200)
	h, held, ok := c.settle(u, s.within)
	if !ok {
		f.Failed++
		return
	}
	f.add(c.mode(u, h, held))
}

// sort puts the highest mode first.
func (f *Fit) sort() {
	slices.SortStableFunc(f.Modes, func(a, b Mode) int { return cmp.Compare(b.Value, a.Value) })
}

// add keeps a mode unless it duplicates one: closer than a hundredth of a standard deviation, or a
// millionth.
func (f *Fit) add(mode Mode) {
	for _, old := range f.Modes {
		same := true
		for i, u := range old.Logs {
			sd := 1 / math.Sqrt(math.Abs(old.Hessian[i][i]))
			same = same && math.Abs(u-mode.Logs[i]) <= max(1e-6, min(0.01*sd, 0.01))
		}
		if same {
			return
		}
	}
	f.Modes = append(f.Modes, mode)
}

// mode describes the maximum at u.
func (c *criterion) mode(u []float64, h [][]float64, held []bool) Mode {
	g := make([]float64, len(u))
	md := Mode{Params: c.natural(u), Value: c.at(g, u), Hessian: h, Logs: u}
	md.LogLik = md.Value - c.prior(make([]float64, len(u)), u)
	md.LogMass = md.Value
	e, _, _ := curvature(h, held)
	for _, l := range e.values {
		md.LogMass += (math.Log(2*math.Pi) - math.Log(l)) / 2
	}
	for i := range u {
		if !c.jacobian {
			md.LogMass += u[i] // from the logarithms to the natural scales
		}
	}
	for i, b := range held {
		if !b {
			continue
		}
		md.LogMass -= math.Log(math.Abs(g[i]))
		if c.lo[i] == u[i] || c.hi[i] == u[i] {
			md.AtBound = append(md.AtBound, Bound{c.names[i],
				math.Exp(u[i]), math.Exp(c.lo[i]), math.Exp(c.hi[i])})
		}
	}
	return md
}

// start is where a climb begins, and the box that it must not leave.
type start struct {
	u      []float64
	within box
}

// starts returns the starts of all climbs.
func (c *criterion) starts(ctx context.Context, s LearnOptions) ([]start, error) {
	whole := box{c.lo, c.hi}
	k := c.model.thetas()
	if k == 1 {
		scan, err := c.scan(ctx, []float64{0}, c.lo[0], c.hi[0])
		if err != nil {
			return nil, err
		}
		return scan.rises(whole), nil
	}
	// Along the isotropic line, and along the line of equal lengthscales in units of each column.
	var all []start
	sds := rows.SDs(c.model.x, c.model.dim)
	for _, scaled := range []bool{false, true} {
		shift := make([]float64, k)
		for a := range shift {
			if scaled {
				shift[a] = math.Log(sds[a] / c.model.pooledSD)
			}
		}
		scan, err := c.scan(ctx, shift, c.lo[0], c.hi[0])
		if err != nil {
			return nil, err
		}
		for _, st := range scan.rises(whole) {
			st.within = whole
			all = append(all, st)
		}
	}
	src, err := rng.New(rng.PCG, rng.Name{Seed: s.Seed, Purpose: "bke/learn"}, 0)
	if err != nil {
		return nil, err
	}
	r := rand.New(src)
	for range cmp.Or(s.Starts, 16) {
		// Each lengthscale is within a factor of ten of its column's standard deviation.
		u := make([]float64, len(c.lo))
		for a := range k {
			v := math.Log(sds[a]) + math.Ln10*(2*r.Float64()-1)
			u[a] = min(max(v, c.lo[a]), c.hi[a])
		}
		if !c.condition(u) {
			continue
		}
		all = append(all, start{u, whole})
	}
	return all, nil
}
