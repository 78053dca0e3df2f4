package bke

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bayeskernel/bke/inputs"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/mat"
)

// readColumn reads a file of one column with a header.
func readColumn(t testing.TB, folder, name string) []float64 {
	t.Helper()
	var v []float64
	for _, row := range readLikelihoodCSV(t, folder+"/"+name, 1) {
		v = append(v, row[0])
	}
	return v
}

func vector(v []float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

func oneColumn(t testing.TB, x, z []float64, o Options) *Model {
	t.Helper()
	m, err := NewModel(vector(x), vector(z), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// laplaceModel is the model of normal_laplace: 50 or 400 rows of each sample.
func laplaceModel(t testing.TB, size string, o Options) *Model {
	t.Helper()
	const folder = "normal_laplace"
	x := append(readColumn(t, folder, "n"+size+"_p.csv"), readColumn(t, folder, "n"+size+"_q.csv")...)
	return oneColumn(t, x, readColumn(t, folder, "n"+size+"_z.csv"), o)
}

func learn(t *testing.T, m *Model, s LearnOptions) *Fit {
	t.Helper()
	f, err := m.Learn(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// slowProfile maximises the weighted log pseudolikelihood over tau2 by golden sections, with
// nothing but values.
func slowProfile(e *Evaluator, theta float64) (lp, tau2 float64) {
	at := func(v float64) float64 {
		g, j := e.Value(Params{Theta: []float64{theta}, Tau2: math.Exp(v), Eta: 1})
		return e.model.opts.Weight*g + j
	}
	a, b := -40.0, 5.0
	const phi = 0.6180339887498949
	for b-a > 1e-6 {
		c, d := b-phi*(b-a), a+phi*(b-a)
		if at(c) > at(d) {
			b = d
		} else {
			a = c
		}
	}
	return at((a + b) / 2), math.Exp((a + b) / 2)
}

// Every rise of a fine brute-force profile is a mode of the fit, and the other way round.
func TestLearnFindsEveryMode(t *testing.T) {
	fx, fz := clusters(10)
	for _, c := range []struct {
		name string
		m    *Model
	}{
		{"normal and Laplace", laplaceModel(t, "50", Options{})},
		{"critical weight", laplaceModel(t, "50", Options{Weight: 0.05})},
		{"weight 1", weight1Model(t, "n50_m20", Options{Weight: 1, ThetaMax: 0.4})},
		{"clusters", oneColumn(t, fx, fz, Options{})},
		{"lattice", oneColumn(t, []float64{0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 9},
			[]float64{0, 1, 2, 3, 4, 6}, Options{})},
		{"lebesgue", oneColumn(t, fx, fz, Options{Nu: Lebesgue})},
	} {
		f := learn(t, c.m, LearnOptions{})
		e := c.m.Evaluator()
		const steps = 200
		var lp, thetas []float64
		for i := range steps + 1 {
			th := f.ThetaMin * math.Pow(f.ThetaMax/f.ThetaMin, float64(i)/steps)
			l, _ := slowProfile(e, th)
			lp, thetas = append(lp, l), append(thetas, th)
		}
		var want []float64
		for i := 1; i < steps; i++ {
			if lp[i] > lp[i-1] && lp[i] >= lp[i+1] {
				want = append(want, thetas[i])
			}
		}
		var got []float64
		for _, m := range f.Modes {
			if len(m.AtBound) == 0 {
				got = append(got, m.Params.Theta[0])
			}
		}
		slices.Sort(got)
		if len(got) != len(want) {
			t.Errorf("%s: modes %v, want near %v", c.name, got, want)
			continue
		}
		for i := range got {
			if math.Abs(math.Log(got[i]/want[i])) > math.Log(thetas[1]/thetas[0]) {
				t.Errorf("%s: mode at %v, want near %v", c.name, got[i], want[i])
			}
			l, tau2 := slowProfile(e, got[i])
			k := slices.IndexFunc(f.Modes, func(m Mode) bool { return m.Params.Theta[0] == got[i] })
			within(t, c.name+": value", f.Modes[k].LogLik, l, 1e-10)
			within(t, c.name+": tau2", f.Modes[k].Params.Tau2, tau2, 1e-5)
		}
	}
}

// At a MAP the derivative of the log posterior in theta and tau2 themselves vanishes, without a
// change of variables; its second differences are the Hessian; and Laplace's approximation of a
// posterior that is nearly normal is near the mass by quadrature.
func TestLearnMAP(t *testing.T) {
	m := laplaceModel(t, "400", Options{})
	p := &Priors{Theta: priors.Gamma{Shape: 3, Rate: 20}, Tau2: priors.LogNormal{Mu: -3, Sigma: 0.1},
		ThetaScale: 2}
	f := learn(t, m, LearnOptions{Priors: p})
	if len(f.Modes) != 1 || len(f.Warnings) != 0 {
		t.Fatalf("%d modes and warnings %v, want one and none", len(f.Modes), f.Warnings)
	}
	best := f.Modes[0]
	e := m.Evaluator()
	value := func(theta, tau2 float64) float64 {
		g, j := e.Value(Params{Theta: []float64{theta}, Tau2: tau2})
		return m.Weight()*g + j + p.Theta.LogDensity(theta/2) - math.Log(2) + p.Tau2.LogDensity(tau2)
	}
	th, t2 := best.Params.Theta[0], best.Params.Tau2
	within(t, "value", best.Value, value(th, t2), 1e-13)
	const h = 1e-3
	at := func(i, j float64) float64 { return value(th*math.Exp(i*h), t2*math.Exp(j*h)) }
	// Slopes in units of the value's rounding over the step; the curvature is about 1000.
	if d := (at(1, 0) - at(-1, 0)) / (2 * h); math.Abs(d) > 2e-3 {
		t.Errorf("slope in log theta is %v", d)
	}
	if d := (at(0, 1) - at(0, -1)) / (2 * h); math.Abs(d) > 2e-3 {
		t.Errorf("slope in log tau2 is %v", d)
	}
	within(t, "Hessian 11", best.Hessian[0][0], (at(1, 0)-2*at(0, 0)+at(-1, 0))/h/h, 1e-4)
	within(t, "Hessian 22", best.Hessian[1][1], (at(0, 1)-2*at(0, 0)+at(0, -1))/h/h, 1e-4)
	within(t, "Hessian 12", best.Hessian[0][1],
		(at(1, 1)-at(1, -1)-at(-1, 1)+at(-1, -1))/(4*h*h), 1e-3)
}

// In other units theta is the same in those units, and tau2 the same. The default priors scale.
func TestLearnUnits(t *testing.T) {
	x, z := readColumn(t, "normal_laplace", "n50_p.csv"), readColumn(t, "normal_laplace", "n50_z.csv")
	times := func(c float64, v []float64) []float64 {
		out := make([]float64, len(v))
		for i := range v {
			out[i] = c * v[i]
		}
		return out
	}
	for _, p := range []*Priors{nil, {}} {
		a := learn(t, oneColumn(t, x, z, Options{}), LearnOptions{Priors: p}).Modes[0].Params
		b := learn(t, oneColumn(t, times(1000, x), times(1000, z), Options{}),
			LearnOptions{Priors: p}).Modes[0].Params
		within(t, "theta", b.Theta[0], 1000*a.Theta[0], 1e-7)
		within(t, "tau2", b.Tau2, a.Tau2, 1e-7)
	}
}

func TestLearnBounds(t *testing.T) {
	m := weight1Model(t, "n50_m20", Options{Weight: 1, ThetaMin: 0.01, ThetaMax: 0.06})
	f := learn(t, m, LearnOptions{})
	best := f.Modes[0]
	if len(f.Modes) != 1 || best.Params.Theta[0] != math.Exp(math.Log(0.06)) {
		t.Fatalf("modes %+v, want one at 0.06", f.Modes)
	}
	lp, tau2 := slowProfile(m.Evaluator(), 0.06)
	within(t, "value", best.LogLik, lp, 1e-10)
	within(t, "tau2", best.Params.Tau2, tau2, 1e-5)
	if len(best.AtBound) != 1 || best.AtBound[0].Name != "theta" {
		t.Errorf("at bound %+v", best.AtBound)
	}
	f = learn(t, m, LearnOptions{ThetaMin: 0.02, ThetaMax: 5})
	if f.ThetaMin < 0.0199 || f.ThetaMax > 0.0601 {
		t.Errorf("searched %v to %v, beyond the model's bounds", f.ThetaMin, f.ThetaMax)
	}
	// tau2 fixed: nothing but theta is free.
	fixed := learn(t, weight1Model(t, "n50_m20", Options{Weight: 1, Tau2: 1}), LearnOptions{})
	if len(fixed.Names) != 1 || fixed.Modes[0].Params.Tau2 != 1 || len(fixed.Warnings) != 0 {
		t.Errorf("%+v", fixed)
	}
}

// A change of one column's units changes its lengthscale alone.
func TestLearnARD(t *testing.T) {
	m := plane2(t, 60, 10, Options{ARD: true})
	f := learn(t, m, LearnOptions{Starts: 4, Seed: 1})
	again := learn(t, m, LearnOptions{Starts: 4, Seed: 1})
	if f.Modes[0].Value != again.Modes[0].Value || len(f.Modes) != len(again.Modes) {
		t.Error("the same seed gives another fit")
	}
	x, z := mat.NewDense(60, 2, slices.Clone(m.x)), mat.NewDense(10, 2, slices.Clone(m.z))
	for _, a := range []*mat.Dense{x, z} {
		a.Apply(func(_, j int, v float64) float64 { return v * []float64{1, 50}[j] }, a)
	}
	scaled, err := NewModel(x, z, Options{ARD: true})
	if err != nil {
		t.Fatal(err)
	}
	g := learn(t, scaled, LearnOptions{Starts: 4, Seed: 1})
	a, b := f.Modes[0].Params, g.Modes[0].Params
	within(t, "theta[1]", b.Theta[0], a.Theta[0], 1e-6)
	within(t, "theta[2]", b.Theta[1], 50*a.Theta[1], 1e-6)
	within(t, "tau2", b.Tau2, a.Tau2, 1e-6)
	if f.Isotropic <= 0 {
		t.Error("no isotropic lengthscale")
	}
}

// Two climbs to one maximum end closer than a hundredth of an sd; what is farther apart is another.
func TestModesAreKeptApart(t *testing.T) {
	h := [][]float64{{-10000}} // an sd of 0.01
	f := &Fit{}
	for _, u := range []float64{0, 0.00005, -0.00005, 0.01, 0.05} {
		f.add(Mode{Logs: []float64{u}, Hessian: h})
	}
	if len(f.Modes) != 3 {
		t.Errorf("%d modes, want those at 0, 0.01 and 0.05", len(f.Modes))
	}
}

// A bound of the model beyond the default range moves the other end of it.
func TestLearnBoundsBeyondTheRange(t *testing.T) {
	lo, hi, err := laplaceModel(t, "50", Options{}).thetaRange(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    Options
		want float64
	}{
		{Options{ThetaMax: lo / 2, Tau2: 0.1}, lo / 2},
		{Options{ThetaMin: 2 * hi, Tau2: 0.1}, 2 * hi},
	} {
		f := learn(t, laplaceModel(t, "50", c.o), LearnOptions{})
		within(t, "theta", f.Modes[0].Params.Theta[0]/c.want, 1, 1e-12)
		if len(f.Modes[0].AtBound) != 1 {
			t.Errorf("%+v: at bound %+v", c.o, f.Modes[0].AtBound)
		}
	}
}

// nu is centred at the origin. Data far from it need an eta as large as their distance.
func TestLearnEtaFarFromTheOrigin(t *testing.T) {
	x, z := readColumn(t, "normal_laplace", "n50_p.csv"), readColumn(t, "normal_laplace", "n50_z.csv")
	for _, v := range [][]float64{x, z} {
		for i := range v {
			v[i] += 1e7
		}
	}
	m := oneColumn(t, x, z, Options{Nu: Gaussian, Tau2: 0.1})
	best := learn(t, m, LearnOptions{}).Modes[0]
	e := m.Evaluator()
	for i := range 100 {
		g, j := e.Value(Params{Theta: best.Params.Theta, Eta: math.Pow(10, -2+0.13*float64(i))})
		if v := m.Weight()*g + j; v > best.LogLik+1e-9 {
			t.Errorf("eta = %.3g: %v, above %v at %v", math.Pow(10, -2+0.13*float64(i)), v, best.LogLik,
				best.Params.Eta)
		}
	}
}

// cancelling is the prior gamma(1,1) that ends a context at one of its calls, and counts on.
type cancelling struct {
	priors.Gamma
	cancel context.CancelFunc
	calls  *int
	at     int
}

func (c cancelling) LogDensityGrad(x float64) (logp, dlogp float64) {
	if *c.calls++; *c.calls == c.at {
		c.cancel()
	}
	return c.Gamma.LogDensityGrad(x)
}

// Whatever is under way when a context ends, at most the evaluation at hand is completed.
func TestCancelledWithinOneEvaluation(t *testing.T) {
	m := laplaceModel(t, "50", Options{})
	for name, run := range map[string]func(ctx context.Context, p Priors) error{
		"learn": func(ctx context.Context, p Priors) error {
			_, err := m.Learn(ctx, LearnOptions{Priors: &p})
			return err
		},
		"surface": func(ctx context.Context, p Priors) error {
			s, err := m.Surface(ctx, p)
			if err != nil {
				return err
			}
			_, _, err = s.Ridge(ctx, 60)
			return err
		},
	} {
		until := func(at int) (calls int, err error) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			one := priors.Gamma{Shape: 1, Rate: 1}
			err = run(ctx, Priors{Tau2: cancelling{one, cancel, &calls, at}})
			return calls, err
		}
		total, err := until(-1)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []float64{0, 0.1, 0.5, 0.9, 0.95, 0.99} {
			at := 1 + int(part*float64(total-1))
			calls, err := until(at)
			if calls > at+1 || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: cancelled at evaluation %d, ended after %d: %v", name, at, calls, err)
			}
		}
	}
}

// An evaluation during which the context ended is no value, whatever it came to.
func TestStoppedEvaluationIsNoValue(t *testing.T) {
	m := laplaceModel(t, "50", Options{})
	for name, call := range map[string]func(c *criterion, u []float64) bool{
		"at": func(c *criterion, u []float64) bool {
			return math.IsInf(c.at(make([]float64, 2), u), -1)
		},
		"value": func(c *criterion, u []float64) bool { return math.IsInf(c.value(u), -1) },
		"slope": func(c *criterion, u []float64) bool { return math.IsNaN(c.slopeTau2(u)) },
	} {
		for _, early := range []bool{false, true} {
			ctx, cancel := context.WithCancel(context.Background())
			calls, at := 0, -1
			if early {
				at = 1
			}
			c := m.newCriterion()
			c.stopAt(ctx)
			one := priors.Gamma{Shape: 1, Rate: 1}
			if err := c.withPriors(Priors{Tau2: cancelling{one, cancel, &calls, at}}); err != nil {
				t.Fatal(err)
			}
			if got := call(c, []float64{-1, -3}); got != early || calls != 1 {
				t.Errorf("%s, stopped: %v, no value: %v, %d calls", name, early, got, calls)
			}
			cancel()
		}
	}
}

// ends fails the test if f takes more than a minute, as it would in an endless loop.
func ends(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: no end after a minute", what)
	}
}

// Where there is no slope there is no root, and no search for one.
func TestBestTau2WithoutSlope(t *testing.T) {
	c := laplaceModel(t, "50", Options{}).newCriterion()
	ends(t, "theta is NaN", func() {
		if c.bestTau2([]float64{math.NaN(), 0}) {
			t.Error("found a tau2 for theta = NaN")
		}
	})
}

// In any units learning comes to an end: with the same lengthscale in these units or, where the
// arithmetic would not allow it, with one error.
func TestLearnEndsInAnyUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	for _, dim := range []int{1, 2} {
		x := normalRows(r, 30, dim)
		want := 0.0
		for _, e := range []int{0, -1020, -700, -480, -240, -225, -100, 100, 220, 231, 480, 700, 1020} {
			y := mat.NewDense(30, dim, nil)
			y.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, e) }, x)
			what := fmt.Sprintf("%d columns, units of 2^%d", dim, e)
			ends(t, what, func() {
				f, err := Learn(context.Background(), y, inputs.Options{}, Options{},
					LearnOptions{Priors: &Priors{}})
				if units := math.Ldexp(1, e); units < 1e-70 || units > 1e69 {
					if err == nil || !strings.Contains(err.Error(), "column 1 of the rows and pseudo-inputs goes from") {
						t.Errorf("%s: error %v", what, err)
					}
					return
				}
				if err != nil {
					t.Errorf("%s: %v", what, err)
					return
				}
				theta := f.Fit.Modes[0].Params.Theta
				d := f.Model.Doubling(theta)
				got := math.Ldexp(theta[0], -e)
				if e == 0 {
					want = got
				}
				nearly(t, what+": theta", got, want, 1e-9)
				limit := f.Model.OmegaLimit()
				if math.IsNaN(d.Margin) || math.IsInf(d.Margin, 0) || math.IsInf(limit, 0) {
					t.Errorf("%s: doubling %+v, limit of Omega %v", what, d, limit)
				}
			})
		}
	}
}

// Neighbours at the smallest distance there is, and bounds near the ends of the range of float64.
func TestLearnEndsAtTheEndsOfTheRange(t *testing.T) {
	x := make([]float64, 60)
	for i := range x {
		x[i] = 5e-324 * float64(i%2)
		if i%4 == 3 {
			x[i] = math.Sin(float64(i))
		}
	}
	z := []float64{0, 5e-324, 0.3, -0.7}
	tame := laplaceModel(t, "50", Options{})
	for what, c := range map[string]struct {
		m *Model
		s LearnOptions
	}{
		"gap":      {oneColumn(t, x, z, Options{}), LearnOptions{Priors: &Priors{}}},
		"ThetaMin": {tame, LearnOptions{ThetaMin: 1e-300}},
		"tiny":     {tame, LearnOptions{ThetaMin: 1e-310, ThetaMax: 1e-305}},
		"huge":     {tame, LearnOptions{ThetaMin: 1e300, ThetaMax: 1e305}},
	} {
		ends(t, what, func() {
			f, err := c.m.Learn(context.Background(), c.s)
			if (f == nil) == (err == nil) || what == "gap" && !(err == nil && f.ThetaMin > 0) {
				t.Errorf("%s: fit %+v, error %v", what, f, err)
			}
		})
	}
}

// A scan whose context has ended does not pass over the rows any more, at any of its points.
func TestCancelledScanMakesNoPass(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := laplaceModel(t, "50", Options{}).newCriterion()
	c.done = ctx.Done()
	_, err := c.scan(ctx, []float64{0}, math.Log(0.01), math.Log(100))
	if !errors.Is(err, context.Canceled) || c.passed != nil {
		t.Errorf("error %v, a pass at theta = %v", err, c.passed)
	}
}

func TestLearnErrors(t *testing.T) {
	m := laplaceModel(t, "50", Options{})
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		s    LearnOptions
		want string
	}{
		{context.Background(), LearnOptions{ThetaMin: 2, ThetaMax: 1}, "increasing range"},
		{context.Background(), LearnOptions{ThetaMin: -1}, "finite number"},
		{context.Background(), LearnOptions{ThetaMax: math.NaN()}, "finite number"},
		{context.Background(), LearnOptions{Starts: -1}, "Starts is -1"},
		{context.Background(), LearnOptions{Priors: &Priors{Theta: priors.Gamma{}}}, "prior of theta"},
		{context.Background(), LearnOptions{Priors: &Priors{Theta: priors.Uniform{Lo: 0.1, Hi: 1}}},
			"confined"},
		{done, LearnOptions{}, "stopped before the end"},
	} {
		if _, err := m.Learn(c.ctx, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.s, err, c.want)
		}
	}
}

func TestModelProfile(t *testing.T) {
	ctx := context.Background()
	m := laplaceModel(t, "50", Options{})
	thetas := []float64{0.02, 0.1, 0.2, 1, 30, 500}
	p, err := m.Profile(ctx, thetas)
	if err != nil {
		t.Fatal(err)
	}
	for i, th := range thetas {
		lp, tau2 := slowProfile(m.Evaluator(), th)
		within(t, "profile", p.LogLik[i], lp, 1e-10)
		within(t, "tau2", p.Tau2[i], tau2, 1e-5)
	}
	all, err := m.Profile(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	best := learn(t, m, LearnOptions{}).Modes[0]
	top := slices.Max(all.LogLik)
	if !slices.IsSorted(all.Theta) || top > best.LogLik || top < best.LogLik-1 {
		t.Errorf("the profile's top is %v, the mode's %v", top, best.LogLik)
	}
	// With eta free the profile is over both, so that it is at least that with eta fixed.
	free := laplaceModel(t, "50", Options{Nu: Gaussian})
	pf, err := free.Profile(ctx, []float64{0.2, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, eta := range []float64{0.3, pf.Eta[0], pf.Eta[1], 10} {
		px, err := laplaceModel(t, "50", Options{Nu: Gaussian, Eta: eta}).Profile(ctx, []float64{0.2, 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range px.LogLik {
			if px.LogLik[i] > pf.LogLik[i]+1e-9 ||
				eta == pf.Eta[i] && px.LogLik[i] < pf.LogLik[i]-1e-9 {
				t.Errorf("eta fixed at %v: %v, free (%v): %v", eta, px.LogLik[i], pf.Eta[i],
					pf.LogLik[i])
			}
		}
	}
	if _, err := m.Profile(ctx, []float64{-1}); err == nil {
		t.Error("no error for theta = -1")
	}
	if _, err := plane2(t, 20, 5, Options{ARD: true}).Profile(ctx, nil); err == nil {
		t.Error("no error with ARD")
	}
}
