package target_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/bke/target"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/mat"
)

// normalRows draws n standard normal rows.
func normalRows(r *rand.Rand, n, d int) *mat.Dense {
	a := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			a.Set(i, j, r.NormFloat64())
		}
	}
	return a
}

func column(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

func newModel(t *testing.T, x, z mat.Matrix, o bke.Options) *bke.Model {
	t.Helper()
	m, err := bke.NewModel(x, z, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newTarget(t *testing.T, f hmc.Factory) hmc.Target {
	t.Helper()
	density, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return density
}

// options are models with every set of free hyperparameters.
var options = []bke.Options{
	{}, {ARD: true}, {Nu: bke.Gaussian}, {Nu: bke.Gaussian, ARD: true, Weight: 0.5}, {Tau2: 0.2},
	{Nu: bke.Lebesgue, Tau2: 0.2, ARD: true}, {Nu: bke.Gaussian, Eta: 2},
	{Nu: bke.Gaussian, Eta: 2, Tau2: 1}, {ThetaMax: 7}, {ThetaMin: 0.3, ThetaMax: 7, ARD: true},
	{ThetaMin: 0.3},
}

// The log density is that of the definition: parts, priors and change of variables, and its
// gradient agrees with differences, for every set of free parameters.
func TestTargetIsThePosterior(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	x, z := normalRows(r, 12, 2), normalRows(r, 5, 2)
	x.Scale(3, x)
	z.Scale(3, z)
	custom := bke.Priors{Theta: priors.LogNormal{Mu: 0.2, Sigma: 0.7},
		Tau2: priors.HalfNormal{Scale: 2},
		Eta:  priors.InvGamma{Shape: 2, Scale: 3}, ThetaScale: 1.7}
	for _, o := range options {
		for _, p := range []bke.Priors{{}, custom, {ThetaScale: 1}} {
			m := newModel(t, x, z, o)
			density := newTarget(t, target.New(m, p))
			names := density.(hmc.Constrainer).Names()
			if !slices.Equal(names, m.Free()) || density.Dim() != len(names) {
				t.Errorf("%+v: names %v, want %v", o, names, m.Free())
			}
			u, grad := make([]float64, density.Dim()), make([]float64, density.Dim())
			for range 5 {
				density.(hmc.Initializer).Initial(u, r)
				if err := hmc.CheckGradient(density, u); err != nil {
					t.Errorf("%+v, %+v at %v: %v", o, p, u, err)
				}
				logPrior, logLik := plainPosterior(m, o, p, density, u)
				got, want := density.LogDensity(u, grad), logPrior+logLik
				if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
					t.Errorf("%+v, %+v at %v: log density %v, want %v", o, p, u, got, want)
				}
			}
		}
	}
}

// plainPosterior writes both parts of the log posterior out from the definitions: priors and change
// of variables, and the weighted log pseudolikelihood.
func plainPosterior(mod *bke.Model, o bke.Options, p bke.Priors, density hmc.Target,
	u []float64) (lp, logLik float64) {
	v := make([]float64, len(u))
	density.(hmc.Constrainer).Constrain(v, u)
	q := bke.Params{Tau2: o.Tau2, Eta: o.Eta}
	scale := p.ThetaScale
	if scale == 0 {
		scale = mod.PooledSD()
	}
	gamma11 := func(x, s float64) float64 { return -x/s - math.Log(s) }
	for i, name := range mod.Free() {
		switch {
		case strings.HasPrefix(name, "theta"):
			q.Theta = append(q.Theta, v[i])
			if p.Theta == nil {
				lp += gamma11(v[i], scale)
			} else {
				lp += p.Theta.LogDensity(v[i]/scale) - math.Log(scale)
			}
			lo, hi := o.ThetaMin, o.ThetaMax
			if hi > 0 {
				lp += math.Log((v[i] - lo) * (hi - v[i]) / (hi - lo))
			} else {
				lp += math.Log(v[i] - lo)
			}
			if v[i] < lo || hi > 0 && v[i] > hi {
				return math.NaN(), math.NaN()
			}
		case name == "tau2":
			q.Tau2 = v[i]
			lp += math.Log(v[i])
			if p.Tau2 == nil {
				lp += gamma11(v[i], 1)
			} else {
				lp += p.Tau2.LogDensity(v[i])
			}
		case name == "eta":
			q.Eta = v[i]
			lp += math.Log(v[i])
			if p.Eta == nil {
				lp += gamma11(v[i], mod.PooledSD())
			} else {
				lp += p.Eta.LogDensity(v[i])
			}
		}
	}
	g, j := mod.Evaluator().Value(q)
	return lp, mod.Weight()*g + j
}

func TestTargetErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 15))
	m := newModel(t, normalRows(r, 12, 2), normalRows(r, 5, 2), bke.Options{Nu: bke.Gaussian})
	for _, c := range []struct {
		p    bke.Priors
		want string
	}{
		{bke.Priors{Eta: priors.Flat{}}, "prior of eta is flat"},
		{bke.Priors{ThetaScale: -1}, "ThetaScale is -1"},
		{bke.Priors{ThetaScale: math.NaN()}, "ThetaScale is NaN"},
		{bke.Priors{Tau2: priors.Gamma{Shape: -1, Rate: 1}}, "tau2"},
		{bke.Priors{Theta: priors.Uniform{Lo: 1, Hi: 2}}, "confined"},
	} {
		if _, err := target.New(m, c.p)(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.p, err, c.want)
		}
		fit := &bke.Fit{Modes: []bke.Mode{{Params: bke.Params{Theta: []float64{1}, Tau2: 1, Eta: 1}}}}
		if _, err := target.Starts(m, c.p, fit, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: Starts: error %v, want %q", c.p, err, c.want)
		}
	}
}

// Tempering multiplies the log pseudolikelihood alone, and its gradient is that of its value.
func TestTempered(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 17))
	x, z := normalRows(r, 12, 2), normalRows(r, 5, 2)
	for _, o := range options {
		m := newModel(t, x, z, o)
		for _, temper := range []float64{0, 0.01, 0.3, 1, 2.5} {
			density := newTarget(t, target.Tempered(m, bke.Priors{}, temper))
			u, grad := make([]float64, density.Dim()), make([]float64, density.Dim())
			for range 3 {
				density.(hmc.Initializer).Initial(u, r)
				if err := hmc.CheckGradient(density, u); err != nil {
					t.Errorf("%+v, temper %v at %v: %v", o, temper, u, err)
				}
				logPrior, logLik := plainPosterior(m, o, bke.Priors{}, density, u)
				got, want := density.LogDensity(u, grad), logPrior+temper*logLik
				if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(logPrior)+temper*math.Abs(logLik))) {
					t.Errorf("%+v, temper %v at %v: log density %v, want %v", o, temper, u, got, want)
				}
			}
		}
	}
}

// With temper 1 it is the posterior, to the last bit.
func TestTemperedByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 19))
	x, z := normalRows(r, 12, 2), normalRows(r, 5, 2)
	for _, o := range options {
		m := newModel(t, x, z, o)
		a := newTarget(t, target.New(m, bke.Priors{}))
		b := newTarget(t, target.Tempered(m, bke.Priors{}, 1))
		u, ga, gb := make([]float64, a.Dim()), make([]float64, a.Dim()), make([]float64, a.Dim())
		for range 5 {
			a.(hmc.Initializer).Initial(u, r)
			if va, vb := a.LogDensity(u, ga), b.LogDensity(u, gb); va != vb || !slices.Equal(ga, gb) {
				t.Errorf("%+v at %v: %v with gradient %v, tempered %v with %v", o, u, va, ga, vb, gb)
			}
		}
	}
}

// With temper 0 the density is that of the priors even where the pseudolikelihood vanishes.
func TestTemperedByZero(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 4), column(0.5, 1.5), bke.Options{})
	u, grad := []float64{-600, 0}, make([]float64, 2) // theta = exp(-600)
	if lp := newTarget(t, target.New(m, bke.Priors{})).LogDensity(u, grad); !math.IsInf(lp, -1) &&
		!math.IsNaN(lp) {
		t.Fatalf("the log density is %v where the pseudolikelihood was to vanish", lp)
	}
	// Gamma(1,1) priors of theta over the pooled sd and of tau2, and theta tau2 of the logarithms.
	want := -math.Log(m.PooledSD()) - 1 - 600
	lp := newTarget(t, target.Tempered(m, bke.Priors{}, 0)).LogDensity(u, grad)
	if !(math.Abs(lp-want) <= 1e-12*math.Abs(want)) {
		t.Errorf("log density %v, want %v", lp, want)
	}
}

func TestTemperedErrors(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 4), column(0.5, 1.5), bke.Options{})
	for _, temper := range []float64{-1, math.NaN(), math.Inf(1)} {
		want := fmt.Sprintf("target: temper is %v, want a finite number, not negative", temper)
		if _, err := target.Tempered(m, bke.Priors{}, temper)(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestTargetDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 21))
	m := newModel(t, normalRows(r, 12, 2), normalRows(r, 5, 2),
		bke.Options{Nu: bke.Gaussian, ARD: true})
	density := newTarget(t, target.Tempered(m, bke.Priors{}, 0.5))
	u, grad := make([]float64, density.Dim()), make([]float64, density.Dim())
	if n := testing.AllocsPerRun(100, func() { density.LogDensity(u, grad) }); n != 0 {
		t.Errorf("LogDensity allocates %v times, want 0", n)
	}
}

// Chains start where the modes are, whatever the bounds and what is fixed.
func TestStarts(t *testing.T) {
	for _, o := range []bke.Options{{}, {Tau2: 0.3}, {Nu: bke.Gaussian},
		{ThetaMin: 0.01, ThetaMax: 9}} {
		m := laplaceModel(t, "n50", o)
		mode := func(theta, mass float64) bke.Mode {
			return bke.Mode{Params: bke.Params{Theta: []float64{theta}, Tau2: theta / 2, Eta: theta / 3},
				LogMass: 1000 + math.Log(mass)}
		}
		f := &bke.Fit{Modes: []bke.Mode{mode(0.5, 0.6), mode(3, 0.4), mode(8, 1e-9)}}
		got, err := target.Starts(m, bke.Priors{}, f, 5)
		if err != nil {
			t.Fatal(err)
		}
		density := newTarget(t, target.New(m, bke.Priors{}))
		for c, want := range []float64{0.5, 0.5, 0.5, 3, 3} {
			v := make([]float64, len(m.Free()))
			density.(hmc.Constrainer).Constrain(v, got[c])
			at := map[string]float64{"theta": want, "tau2": want / 2, "eta": want / 3}
			for j, name := range m.Free() {
				if math.Abs(v[j]-at[name]) > 1e-12 {
					t.Errorf("%+v, chain %d starts at %s = %v, want %v", o, c, name, v[j], at[name])
				}
			}
		}
		if _, err := target.Starts(m, bke.Priors{}, &bke.Fit{}, 4); err == nil {
			t.Error("no modes, and no error")
		}
	}
}

// Chain c of n starts in the mode in which the quantile (c+1/2)/n of the mass lies.
func TestStartsAreSharedOut(t *testing.T) {
	m := laplaceModel(t, "n50", bke.Options{Tau2: 0.3})
	density := newTarget(t, target.New(m, bke.Priors{}))
	for _, c := range []struct {
		masses []float64
		want   string // the modes of five chains
	}{
		{[]float64{1}, "00000"}, {[]float64{0.91, 0.09}, "00000"}, {[]float64{0.89, 0.11}, "00001"},
		{[]float64{0.2, 0.8}, "01111"}, {[]float64{0.09, 0.91}, "11111"},
		{[]float64{0.4, 0.15, 0.45}, "00122"},
	} {
		fit := new(bke.Fit)
		for k, mass := range c.masses {
			fit.Modes = append(fit.Modes, bke.Mode{LogMass: math.Log(mass) - 1e4,
				Params: bke.Params{Theta: []float64{float64(k + 1)}}})
		}
		starts, err := target.Starts(m, bke.Priors{}, fit, 5)
		if err != nil {
			t.Fatal(err)
		}
		got, v := "", make([]float64, 1)
		for _, x := range starts {
			density.(hmc.Constrainer).Constrain(v, x)
			got += fmt.Sprint(math.Round(v[0]) - 1)
		}
		if got != c.want {
			t.Errorf("masses %v: chains start in modes %s, want %s", c.masses, got, c.want)
		}
	}
}

// A mode on a bound is infinitely far away on the sampler's scale: the start is just inside.
func TestStartsInsideTheBounds(t *testing.T) {
	for _, c := range []struct{ lo, hi, theta, want float64 }{
		{0, 2, 2, 1.998}, {0.5, 0, 0.5, 0.5005}, {0.5, 1e9, 0.5, 0.5005}, {0.5, 0.6, 0.6, 0.5999},
		{0.5, 0.6, 0.5, 0.5001}, {0, 1e9, 1e-3, 1e-3},
	} {
		m := laplaceModel(t, "n50", bke.Options{ThetaMin: c.lo, ThetaMax: c.hi})
		mode := bke.Mode{Params: bke.Params{Theta: []float64{c.theta}, Tau2: 0.1}}
		got, err := target.Starts(m, bke.Priors{}, &bke.Fit{Modes: []bke.Mode{mode}}, 1)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		density := newTarget(t, target.New(m, bke.Priors{}))
		v := make([]float64, 2)
		density.(hmc.Constrainer).Constrain(v, got[0])
		if math.Abs(v[0]-c.want) > 1e-6*c.want {
			t.Errorf("%+v: start at %v", c, v[0])
		}
	}
}

// Columns are found by name, chains follow each other, and what the model fixes is filled in.
func TestDraws(t *testing.T) {
	x, z := column(0, 1, 2, 4), column(0.5, 1.5)
	run := &draws.Run{Names: []string{"tau2", "other", "theta"}, Chains: []draws.Chain{
		{Values: [][]float64{{0.1, 9, 1}, {0.2, 9, 2}}}, {Values: [][]float64{{0.3, 9, 3}}}}}
	got, err := target.Draws(newModel(t, x, z, bke.Options{}), run)
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(got); s != "[{[1] 0.1 0} {[2] 0.2 0} {[3] 0.3 0}]" {
		t.Error(s)
	}
	m := newModel(t, x, z, bke.Options{Nu: bke.Gaussian, Eta: 7, Tau2: 5})
	if got, err = target.Draws(m, run); err != nil || fmt.Sprint(got[2]) != "{[3] 5 7}" {
		t.Error(got, err)
	}
	_, err = target.Draws(newModel(t, x, z, bke.Options{Nu: bke.Gaussian}), run)
	if want := "target: the run has no parameter eta, want [theta tau2 eta]"; err == nil ||
		err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
