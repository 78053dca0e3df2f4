package model_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/calibration"
	"bayeskernel/hmc"
	"bayeskernel/internal/long"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// calibrate ranks the truths of simulations among draws of their posteriors, and judges each name
// at level alpha.
func calibrate(t *testing.T, c calibration.Model, simulations int,
	alpha float64) *calibration.Report {
	t.Helper()
	cfg := calibration.Options{Seed: 5, Simulations: simulations}
	cfg.Sampler = calibration.NUTS(nuts.Config{Settings: hmc.Settings{Warmup: 300, Draws: 300,
		TargetAccept: 0.9}})
	res, err := calibration.Run(context.Background(), c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	report, err := res.Check(alpha)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// process has counts whose log rate is a Gaussian process.
func process(y []float64) *model.Model {
	m, n := model.New(), len(y)
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i) / float64(n-1)
	}
	amplitude := m.Positive("amplitude", model.HalfNormal(1))
	length := m.Positive("lengthscale", model.InvGamma(3, 1))
	z := m.Reals("z", n, model.Normal(0, 1))
	k := model.SquaredExponential(m.Data("x", x), amplitude, length, 1e-6)
	m.Observe(m.Data("y", y), model.PoissonLog(k.Cholesky().MatVec(z).Shift(1)))
	return m
}

// occupancy has sites that were visited three times each, and may have the species that nobody saw.
func occupancy(seen []float64) *model.Model {
	m, n := model.New(), len(seen)
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(2*i)/float64(n-1) - 1
	}
	psi := m.Real("a", model.Normal(0, 1)).Add(m.Real("b", model.Normal(0, 1)).Mul(m.Data("x", x)))
	z := m.Latent("there", n, model.BernoulliLogit(psi))
	m.Observe(m.Data("seen", seen), model.Binomial(3, z.Mul(m.Interval("p", 0, 1, model.Beta(2, 2)))))
	return m
}

// regimes is a hidden Markov model of two states.
func regimes(y []float64) *model.Model {
	m := model.New()
	stay := m.Intervals("stay", 2, 0, 1, model.Beta(4, 2))
	mu := m.Ordered("mu", 2, model.Normal(0, 2))
	rows := model.Stack(stay.El(0), stay.El(0).OneMinus(), stay.El(1).OneMinus(), stay.El(1))
	z := m.Latent("state", len(y), model.Markov([]float64{.5, .5}, model.MatOf(2, 2, rows)))
	m.Observe(m.Data("y", y), model.Normal(mu.Pick(z), m.Positive("sd", model.LogNormal(0, .5))))
	return m
}

// Simulation-based calibration of nine models, among them schools with the centring that is learned and two with
// latents that are summed out: few simulations of three in the ordinary run, many of each in the long one.
// Each of the 69 names that are ranked leaves its envelope with probability 1e-4, so that another seed fails
// with probability 0.0069 at most.
func TestCalibration(t *testing.T) {
	names, simulations := []string{"schools", "mixture", "occupancy"}, 60
	if long.Enabled() {
		names = append(names, "schools, not centred", "garch",
			"autoregression", "slopes", "process", "regimes")
		simulations = long.Of(400, 1000)
	}
	models := all()
	models["process"] = process(wholes(8, 5))
	models["occupancy"], models["regimes"] = occupancy(wholes(20, 3)), regimes(numbers(25))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c, err := compile(t, models[name]).Calibration()
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range calibrate(t, c, simulations, 1e-4).Quantities {
				t.Log(q.Sentence)
				if q.Leaves {
					t.Error(q.Sentence)
				}
			}
		})
	}
}

// mistake is a model that data come from, and what somebody could write in its place: a declaration
// for the values that were observed, with parameters or quantities of the same names. What is right
// is declared in the same way, so that nothing but the mistake differs.
type mistake struct {
	name  string
	data  *model.Model
	right func(y []float64) *model.Model
	wrong func(y []float64) *model.Model
}

// simulated draws parameters and data from one model, and has the posterior of the other, declared
// with these data.
func simulated(right *model.Program, declare func(y []float64) *model.Model) calibration.Model {
	return calibration.Model{Simulate: func(r *rand.Rand) (calibration.Simulation, error) {
		none := calibration.Simulation{}
		truth, err := right.Prior(context.Background(), 1, r.Uint64())
		if err != nil {
			return none, err
		}
		data, err := right.Predictive(context.Background(), truth, r.Uint64())
		if err != nil {
			return none, err
		}
		p, err := declare(data.Chains[0].Values[0]).Compile()
		if err != nil {
			return none, err
		}
		posterior := func() (hmc.Target, error) {
			target, err := p.Target()
			if err != nil {
				return nil, err
			}
			return selected{target, target.(hmc.Constrainer), truth.Names}, nil
		}
		return calibration.Simulation{Truth: truth.Chains[0].Values[0], Posterior: posterior}, nil
	}}
}

// selected keeps those draws of a target that have the names of another.
type selected struct {
	hmc.Target
	of    hmc.Constrainer
	names []string
}

func (s selected) Names() []string { return s.names }

func (s selected) Constrain(dst, x []float64) {
	from := s.of.Names()
	row := make([]float64, len(from))
	s.of.Constrain(row, x)
	for i, name := range s.names {
		dst[i] = row[slices.Index(from, name)]
	}
}

// flips are heads among throws of coins: single throws, of which the program makes one row for each
// coin, or sums that were made by hand with trials throws each.
func flips(coins, throws int, y []float64, trials float64) *model.Model {
	m := model.New()
	mean, sd := m.Real("mean", model.Normal(0, 1)), m.Positive("sd", model.HalfNormal(1))
	logOdds := m.Reals("log_odds", coins, model.Normal(mean, sd), model.NonCentred)
	if trials == 0 {
		of := make([]int, coins*throws)
		for i := range of {
			of[i] = i / throws
		}
		m.Observe(m.Data("y", y), model.BernoulliLogit(logOdds.At(of)))
		return m
	}
	heads := make([]float64, coins)
	for i, v := range y {
		heads[i/throws] += v
	}
	m.Observe(m.Data("heads", heads), model.BinomialLogit(trials, logOdds))
	return m
}

// effects of eight groups, of which the mean or the standard deviation can be left out where z
// becomes what was observed.
func effects(y []float64, mean, sd bool) *model.Model {
	m := model.New()
	mu, tau := m.Real("mu", model.Normal(0, 2)), m.Positive("tau", model.LogNormal(0.7, 0.3))
	z := m.Reals("z", 8, model.Normal(0, 1))
	theta := mu.Add(tau.Mul(z))
	m.Quantity("theta", theta)
	switch {
	case !mean:
		theta = tau.Mul(z)
	case !sd:
		theta = mu.Add(z)
	}
	m.Observe(m.Data("y", y), model.Normal(theta, 1))
	return m
}

// lagged is autoregression with its coefficients on the values at these distances in the past.
func lagged(y []float64, first, second int) *model.Model {
	m, n := model.New(), len(y)
	series := m.Data("y", y)
	b := m.Reals("b", 2, model.Normal(0, 0.3))
	sd := m.Positive("sd", model.LogNormal(0, 0.5))
	begin := max(2, first, second)
	back := func(lag int) model.Expr { return series.Slice(begin-lag, n-lag) }
	mean := b.El(0).Mul(back(first)).Add(b.El(1).Mul(back(second)))
	m.Observe(series.Slice(begin, n), model.Normal(mean, sd))
	return m
}

// reactions are positive values, from a normal distribution that is truncated at 0 or is not.
func reactions(y []float64, truncated bool) *model.Model {
	m := model.New()
	mu, sd := m.Real("mu", model.Normal(0, 1)), m.Positive("sd", model.LogNormal(0, 0.5))
	d := model.Normal(mu, sd)
	if truncated {
		d = d.Truncate(0, math.Inf(1))
	}
	m.Observe(m.Data("y", y), d)
	return m
}

// garchByHand is garch with beta1 made of a coordinate in the unit interval, with the Jacobian of
// its width or without. The density of beta1 is uniform from 0 to the width.
func garchByHand(y []float64, jacobian bool) *model.Model {
	m, n := model.New(), len(y)
	series := m.Data("y", y)
	mu, a0 := m.Real("mu", model.Normal(0, 1)), m.Positive("alpha0", model.HalfNormal(1))
	a1 := m.Interval("alpha1", 0, 1, model.Beta(2, 5))
	u, width := m.Interval("u", 0, 1, model.Flat()), a1.OneMinus()
	b1 := u.Mul(width)
	m.Quantity("beta1", b1)
	m.AddLogDensity(width.Log().Neg())
	if jacobian {
		m.AddLogDensity(width.Log())
	}
	h := model.Recur(n, 1, a0.Add(a1.Mul(series.Sub(mu).Square().Slice(0, n-1))), b1)
	m.Observe(series, model.Normal(mu, h.Sqrt()))
	return m
}

func mistakes() []mistake {
	type declare = func(y []float64) *model.Model
	without := func(mean, sd bool) declare {
		return func(y []float64) *model.Model { return effects(y, mean, sd) }
	}
	lags := func(first, second int) declare {
		return func(y []float64) *model.Model {
			return lagged(slices.Concat(series(30)[:2], y), first, second)
		}
	}
	return []mistake{
		{"a binomial with a trial too many", flips(6, 5, wholes(30, 1), 0),
			func(y []float64) *model.Model { return flips(6, 5, y, 5) },
			func(y []float64) *model.Model { return flips(6, 5, y, 6) }},
		{"no Jacobian of a width", garch(series(40)),
			func(y []float64) *model.Model { return garchByHand(y, true) },
			func(y []float64) *model.Model { return garchByHand(y, false) }},
		{"z without its location", effects(series(8), true, true), without(true, true),
			without(false, true)},
		{"z without its scale", effects(series(8), true, true), without(true, true),
			without(true, false)},
		{"a lag off by one", autoregression(series(30)), lags(1, 2), lags(2, 3)},
		{"a truncation without its constant", reactions(make([]float64, 10), true),
			func(y []float64) *model.Model { return reactions(y, true) },
			func(y []float64) *model.Model { return reactions(y, false) }},
	}
}

// Mistakes that simulation-based calibration has to find, with 1000 simulations, at a level of 1e-6
// for each name. What is right is judged at 1e-4: of its 53 names in all one leaves with probability
// 0.006 at most, for another seed. The ordinary run has 200 simulations of the first.
func TestCalibrationFindsMistakes(t *testing.T) {
	all, simulations := mistakes(), 1000
	if !long.Enabled() {
		all, simulations = all[:1], 200
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			p := compile(t, c.data)
			for _, q := range calibrate(t, simulated(p, c.right), simulations, 1e-4).Quantities {
				if q.Leaves {
					t.Errorf("without the mistake: %s", q.Sentence)
				}
			}
			report := calibrate(t, simulated(p, c.wrong), simulations, 1e-6)
			found := false
			for _, q := range report.Quantities {
				t.Log(q.Sentence)
				found = found || q.Leaves
			}
			if !found {
				t.Errorf("it was not found\n%v", report)
			}
		})
	}
}
