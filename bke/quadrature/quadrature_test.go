package quadrature

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/internal/fixture"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/mat"
)

// referencePosterior is an entry of posterior.json.
type referencePosterior struct {
	N, M           int
	Weight, LogZ   float64
	ThetaMean      float64    `json:"theta_mean"`
	ThetaSD        float64    `json:"theta_sd"`
	Tau2Mean       float64    `json:"tau2_mean"`
	Tau2SD         float64    `json:"tau2_sd"`
	ThetaQuantiles [5]float64 `json:"theta_quantiles_05_25_50_75_95"`
	Tau2Quantiles  [5]float64 `json:"tau2_quantiles_05_25_50_75_95"`
	CorrLog        float64    `json:"corr_log"`
	ModeTheta      float64    `json:"mode_theta"`
	ModeTau2       float64    `json:"mode_tau2"`
}

func readPosterior(t testing.TB, folder, entry string) referencePosterior {
	t.Helper()
	var all map[string]json.RawMessage
	fixture.JSON(t, "../testdata/likelihood/"+folder+"/posterior.json", &all)
	var p referencePosterior
	if err := json.Unmarshal(all[entry], &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func within(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1e-3, math.Abs(want))) {
		t.Errorf("%s is %.15g, want %.15g: off by %.2g", what, got, want, got-want)
	}
}

// The bar is 1e-6. The reference is said to be right to about 1e-8; 1e-9 is what both reach.
func TestQuadratureReference(t *testing.T) {
	const tol = 1e-9
	levels := [5]float64{0.05, 0.25, 0.5, 0.75, 0.95}
	for _, c := range []struct {
		folder, entry string
		model         *bke.Model
	}{
		{"normal_laplace", "n50", laplaceModel(t, "50", bke.Options{Weight: 0.05})},
		{"normal_laplace", "n400", laplaceModel(t, "400", bke.Options{Weight: 0.05})},
		{"normal_laplace_weight1", "n50_m20",
			weight1Model(t, "n50_m20", bke.Options{Weight: 1, ThetaMax: 0.4})},
		{"normal_laplace_weight1", "n400_m20",
			weight1Model(t, "n400_m20", bke.Options{Weight: 1, ThetaMax: 0.4})},
	} {
		want := readPosterior(t, c.folder, c.entry)
		m := c.model
		if m.N() != want.N || m.M() != want.M {
			t.Fatalf("%s: %d x %d, want %d x %d", c.entry, m.N(), m.M(), want.N, want.M)
		}
		q, err := Integrate(context.Background(), m, bke.Priors{ThetaScale: 1})
		if err != nil {
			t.Fatal(err)
		}
		what := c.folder + " " + c.entry + " "
		// The reference does not renormalise the prior of a bounded theta.
		within(t, what+"logZ", q.LogMarginal+q.LogPriorMass, want.LogZ, tol)
		within(t, what+"E theta", q.Mean[0], want.ThetaMean, tol)
		within(t, what+"sd theta", q.SD[0], want.ThetaSD, tol)
		within(t, what+"E tau2", q.Mean[1], want.Tau2Mean, tol)
		within(t, what+"sd tau2", q.SD[1], want.Tau2SD, tol)
		// The folder of weight 1 has the correlation of theta and tau2 themselves as corr_log.
		corr := q.Corr[0][1]
		if want.Weight < 1 {
			corr = q.CovLog[0][1] / math.Sqrt(q.CovLog[0][0]*q.CovLog[1][1])
		}
		within(t, what+"correlation", corr, want.CorrLog, tol)
		for i, p := range levels {
			within(t, what+"quantile of theta", q.Quantile(0, p), want.ThetaQuantiles[i], tol)
			within(t, what+"quantile of tau2", q.Quantile(1, p), want.Tau2Quantiles[i], tol)
		}
		if want.ModeTheta > 0 {
			within(t, what+"mode of log theta", q.Modes[0].Params.Theta[0], want.ModeTheta, 1e-8)
			within(t, what+"mode of log tau2", q.Modes[0].Params.Tau2, want.ModeTau2, 1e-7)
			within(t, what+"log prior mass", q.LogPriorMass, math.Log(-math.Expm1(-0.4)), 1e-9)
		}
	}
}

// brute integrates the posterior of two parameters over the rectangle from lo to hi of their
// logarithms by the trapezoidal rule, whose error is exponentially small if the density vanishes on
// all sides. It returns the mass over exp(top), the means and second moments.
func brute(logp func(u []float64) float64, lo, hi []float64, steps []int) (logZ float64,
	mean, second []float64) {
	d := len(lo)
	u := make([]float64, d)
	var vals []float64
	var at [][]float64
	total := 1
	for _, s := range steps {
		total *= s + 1
	}
	top := math.Inf(-1)
	for i := range total {
		rest := i
		for k := range d {
			u[k] = lo[k] + (hi[k]-lo[k])*float64(rest%(steps[k]+1))/float64(steps[k])
			rest /= steps[k] + 1
		}
		vals = append(vals, logp(u))
		at = append(at, append([]float64(nil), u...))
		top = max(top, vals[i])
	}
	mass := 0.0
	mean, second = make([]float64, d), make([]float64, d)
	for i, v := range vals {
		w := math.Exp(v - top)
		mass += w
		for k := range d {
			mean[k] += w * math.Exp(at[i][k])
			second[k] += w * math.Exp(2*at[i][k])
		}
	}
	for k := range d {
		mean[k] /= mass
		second[k] /= mass
	}
	logZ = top + math.Log(mass)
	for k := range d {
		logZ += math.Log((hi[k] - lo[k]) / float64(steps[k]))
	}
	return logZ, mean, second
}

// posteriorOf returns the log posterior in the logarithms of the free parameters, put together by
// hand from the evaluator's value and the priors: gamma(shape,1) for theta over the pooled sd,
// gamma(1,1) for the others.
func posteriorOf(m *bke.Model, shape float64) func(u []float64) float64 {
	e := m.Evaluator()
	norm, _ := math.Lgamma(shape)
	return func(u []float64) float64 {
		k := len(slices.DeleteFunc(m.Free(), func(n string) bool { return n == "tau2" || n == "eta" }))
		p := bke.Params{Theta: make([]float64, k)}
		lp := 0.0
		for a := range k {
			p.Theta[a] = math.Exp(u[a])
			v := p.Theta[a] / m.PooledSD()
			lp += u[a] + (shape-1)*math.Log(v) - v - math.Log(m.PooledSD()) - norm
		}
		if slices.Contains(m.Free(), "tau2") {
			p.Tau2 = math.Exp(u[k])
			lp += u[k] - p.Tau2
			k++
		}
		if slices.Contains(m.Free(), "eta") {
			p.Eta = math.Exp(u[k])
			lp += u[k] - p.Eta/m.PooledSD() - math.Log(m.PooledSD())
		}
		g, j := e.Value(p)
		return m.Weight()*g + j + lp
	}
}

// Quantile, Prob and Density are three views of one marginal.
func TestQuadratureMarginals(t *testing.T) {
	x, z := clusters(1.5)
	q, err := Integrate(context.Background(), oneColumn(t, x, z, bke.Options{}), bke.Priors{Theta: priors.Gamma{Shape: 6, Rate: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for k := range q.Names {
		mean, before := 0.0, 0.0
		for i := range 300 {
			p := (float64(i) + 0.5) / 300
			v := q.Quantile(k, p)
			if v <= before {
				t.Fatalf("quantile %v of %s is %v, not above %v", p, q.Names[k], v, before)
			}
			before = v
			mean += v / 300
			within(t, "probability", q.Prob(k, v), p, 1e-8)
			if i%20 == 10 {
				const h = 1e-5
				d := (q.Prob(k, v*(1+h)) - q.Prob(k, v*(1-h))) / (2 * h * v)
				within(t, "density", q.Density(k, v), d, 1e-5)
			}
		}
		within(t, "mean of quantiles", mean, q.Mean[k], 2e-2)
	}
	for _, p := range []float64{-1, 0, 1, 2, math.NaN()} {
		if v := q.Quantile(0, p); !math.IsNaN(v) {
			t.Errorf("quantile %v is %v", p, v)
		}
	}
	if q.Prob(0, -1) != 0 || q.Prob(0, math.Inf(1)) != 1 || !math.IsNaN(q.Prob(0, math.NaN())) ||
		q.Density(0, -1) != 0 || q.Density(0, math.Inf(1)) != 0 {
		t.Error("Prob or Density is wrong beyond the support")
	}
}

// Bounds cut the posterior where it is high, and the prior is normalised within them; an improper
// prior has no marginal.
func TestQuadratureBounds(t *testing.T) {
	x, z := clusters(1.5)
	ctx := context.Background()
	whole, err := Integrate(ctx, oneColumn(t, x, z, bke.Options{}), bke.Priors{})
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := whole.Quantile(0, 0.3), whole.Quantile(0, 0.6)
	m := oneColumn(t, x, z, bke.Options{ThetaMin: lo, ThetaMax: hi})
	cut, err := Integrate(ctx, m, bke.Priors{})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "share of the mass", cut.LogMarginal+cut.LogPriorMass-whole.LogMarginal,
		math.Log(0.3), 1e-7)
	within(t, "prior mass", cut.LogPriorMass,
		math.Log(math.Exp(-lo/m.PooledSD())-math.Exp(-hi/m.PooledSD())), 1e-9)
	within(t, "median", cut.Quantile(0, 0.5), whole.Quantile(0, 0.45), 1e-7)
	flat, err := Integrate(ctx, m, bke.Priors{Theta: priors.Flat{}})
	if err != nil || !math.IsNaN(flat.LogMarginal) || !(flat.Mean[0] > lo && flat.Mean[0] < hi) {
		t.Errorf("flat prior: log marginal %v, mean %v, error %v", flat.LogMarginal, flat.Mean, err)
	}
}

// clusters are three tight clusters with too few pseudo-inputs: the posterior of theta has a mode
// at the width of a cluster and one at the distance between them.
func clusters(gap float64) (x, z []float64) {
	for i := range 12 {
		x = append(x, gap*float64(i%3)+0.37*math.Sin(float64(7*i)))
	}
	return x, []float64{-0.1, 0.2, gap - 0.1, gap + 0.3, 2 * gap}
}

func plane2(t testing.TB, n, m int, o bke.Options) *bke.Model {
	t.Helper()
	point := func(i, shift int) []float64 {
		a := float64(i + shift)
		return []float64{math.Sin(3*a) + 0.3*math.Cos(a*a), 2 * math.Cos(5*a)}
	}
	x, z := mat.NewDense(n, 2, nil), mat.NewDense(m, 2, nil)
	for i := range n {
		x.SetRow(i, point(i, 0))
	}
	for l := range m {
		z.SetRow(l, point(l, 1000))
	}
	model, err := bke.NewModel(x, z, o)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func TestQuadratureBruteForce(t *testing.T) {
	small := readColumn(t, "normal_laplace", "n50_p.csv")[:12]
	z := readColumn(t, "normal_laplace", "n50_z.csv")[:5]
	cx, cz := clusters(1.5)
	fx, fz := clusters(10)
	for _, c := range []struct {
		name   string
		model  *bke.Model
		lo, hi []float64
		steps  []int
		modes  int
		shape  float64
	}{
		{"tau2 fixed", oneColumn(t, small, z, bke.Options{Tau2: 0.1}),
			[]float64{-9}, []float64{6}, []int{3000}, 1, 1},
		{"tau2 fixed, weight 1", oneColumn(t, small, z, bke.Options{Tau2: 1, Weight: 1}),
			[]float64{-9}, []float64{6}, []int{3000}, 1, 1},
		{"lebesgue", oneColumn(t, small, z, bke.Options{Nu: bke.Lebesgue}),
			[]float64{-6, -9}, []float64{4, 5}, []int{160, 220}, 1, 1},
		{"two modes, one far lower", oneColumn(t, fx, fz, bke.Options{}),
			[]float64{-6, -12}, []float64{7, 5}, []int{250, 300}, 2, 1},
		{"two modes alike", oneColumn(t, cx, cz, bke.Options{}),
			[]float64{-5, -22}, []float64{4.5, 5}, []int{220, 320}, 2, 6},
		{"gaussian, eta free", oneColumn(t, small, z, bke.Options{Nu: bke.Gaussian, Tau2: 0.1}),
			[]float64{-6, -34}, []float64{5, 5}, []int{150, 250}, 1, 1},
		{"gaussian, eta fixed", oneColumn(t, small, z, bke.Options{Nu: bke.Gaussian, Eta: 2}),
			[]float64{-6, -9}, []float64{4, 5}, []int{160, 220}, 1, 1},
		{"ARD", plane2(t, 12, 5, bke.Options{ARD: true, Tau2: 0.1}),
			[]float64{-4, -4}, []float64{6, 6}, []int{160, 160}, 0, 1},
		{"isotropic, two columns", plane2(t, 12, 5, bke.Options{}),
			[]float64{-4, -9}, []float64{6, 5}, []int{160, 220}, 1, 1},
	} {
		q, err := Integrate(context.Background(), c.model, bke.Priors{Theta: priors.Gamma{Shape: c.shape, Rate: 1}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		t.Logf("%s: %d calls, %d modes, mean %.4g sd %.4g", c.name, q.Calls, len(q.Modes), q.Mean, q.SD)
		logZ, mean, second := brute(posteriorOf(c.model, c.shape), c.lo, c.hi, c.steps)
		within(t, c.name+": log marginal", q.LogMarginal, logZ, 1e-8)
		for k := range mean {
			within(t, c.name+": mean", q.Mean[k], mean[k], 1e-8)
			within(t, c.name+": second moment", q.SD[k]*q.SD[k]+q.Mean[k]*q.Mean[k], second[k], 1e-8)
		}
		if c.modes > 0 && len(q.Modes) != c.modes {
			t.Errorf("%s: %d modes, want %d", c.name, len(q.Modes), c.modes)
		}
	}
}

// Two values and a prior that prefers small theta: tau2 falls by eight orders of magnitude while
// theta halves, and the density is a thin ridge across the plane. The trapezoidal rule goes along
// it: for each log theta it is centred at the log of the mean variance of the kernel values.
func TestQuadratureOfSteepRidge(t *testing.T) {
	x, z := []float64{0, 0, 0, 1, 0}, []float64{0.25, 0.75}
	m := oneColumn(t, x, z, bke.Options{})
	p := bke.Priors{Theta: priors.Gamma{Shape: 0.1, Rate: 0.1}, Tau2: priors.Gamma{Shape: 0.1, Rate: 0.1},
		ThetaScale: 1}
	q, err := Integrate(context.Background(), m, p)
	if err != nil {
		t.Fatal(err)
	}
	e := m.Evaluator()
	logZ, mean, _ := brute(func(u []float64) float64 {
		theta, v := math.Exp(u[0]), 0.0
		for _, z := range z {
			k := func(x float64) float64 { return math.Exp(-(x - z) * (x - z) / (2 * theta * theta)) }
			v += (k(1) - k(0)) * (k(1) - k(0)) * 0.16 / 2
		}
		tau2 := v * math.Exp(u[1])
		g, j := e.Value(bke.Params{Theta: []float64{theta}, Tau2: tau2})
		return m.Weight()*g + j + p.Theta.LogDensity(theta) + u[0] +
			p.Tau2.LogDensity(tau2) + math.Log(tau2)
	}, []float64{math.Log(0.01), -5}, []float64{math.Log(400), 14}, []int{600, 150})
	within(t, "log marginal", q.LogMarginal, logZ, 1e-8)
	within(t, "mean of theta", q.Mean[0], mean[0], 1e-8)
}

// Bounds that the prior all but excludes have no prior mass that could be told from 0.
func TestQuadratureBeyondThePrior(t *testing.T) {
	x, z := clusters(1.5)
	m := oneColumn(t, x, z, bke.Options{ThetaMin: 60, ThetaMax: 61, Tau2: 0.1})
	q, err := Integrate(context.Background(), m, bke.Priors{})
	if err != nil || !math.IsNaN(q.LogMarginal) || !math.IsNaN(q.LogPriorMass) {
		t.Errorf("log marginal %v, log prior mass %v, error %v", q.LogMarginal, q.LogPriorMass, err)
	}
}

func TestQuadratureErrors(t *testing.T) {
	x, z := clusters(10)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		m    *bke.Model
		p    bke.Priors
		want string
	}{
		{"three free", context.Background(), oneColumn(t, x, z, bke.Options{Nu: bke.Gaussian}), bke.Priors{},
			"3 parameters [theta tau2 eta] are free"},
		{"cancelled", ctx, oneColumn(t, x, z, bke.Options{}), bke.Priors{}, "stopped before the end"},
		{"improper", context.Background(), oneColumn(t, x, z, bke.Options{Weight: 1}),
			bke.Priors{Theta: priors.Flat{}}, "does not fall off as theta tends to infinity"},
		{"bad prior", context.Background(), oneColumn(t, x, z, bke.Options{}),
			bke.Priors{Tau2: priors.Gamma{Shape: -1, Rate: 1}}, "prior of tau2"},
		{"prior on an interval", context.Background(), oneColumn(t, x, z, bke.Options{}),
			bke.Priors{Tau2: priors.Uniform{Lo: 0, Hi: 0.01}}, "prior of tau2 is uniform(0,0.01), confined"},
	} {
		_, err := Integrate(c.ctx, c.m, c.p)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.name, err, c.want)
		}
	}
}

func readColumn(t testing.TB, folder, name string) []float64 {
	t.Helper()
	b, err := os.ReadFile("../testdata/likelihood/" + folder + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, line := range strings.Fields(string(b))[1:] { // the first is a header
		v, err := strconv.ParseFloat(line, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func oneColumn(t testing.TB, x, z []float64, o bke.Options) *bke.Model {
	t.Helper()
	m, err := bke.NewModel(mat.NewDense(len(x), 1, x), mat.NewDense(len(z), 1, z), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func laplaceModel(t testing.TB, size string, o bke.Options) *bke.Model {
	t.Helper()
	const folder = "normal_laplace"
	x := append(readColumn(t, folder, "n"+size+"_p.csv"), readColumn(t, folder, "n"+size+"_q.csv")...)
	return oneColumn(t, x, readColumn(t, folder, "n"+size+"_z.csv"), o)
}

func weight1Model(t testing.TB, name string, o bke.Options) *bke.Model {
	t.Helper()
	const folder = "normal_laplace_weight1"
	return oneColumn(t, readColumn(t, folder, name+"_x.csv"), readColumn(t, folder, name+"_u.csv"), o)
}

// Laplace's approximation is off by something of the order of 1/n.
func TestLaplaceMassAgainstQuadrature(t *testing.T) {
	m := laplaceModel(t, "400", bke.Options{Weight: 0.05})
	p := bke.Priors{ThetaScale: 1}
	for _, c := range []struct {
		m   *bke.Model
		p   bke.Priors
		tol float64
	}{
		{m, p, 0.02},
		// At a bound: the mass of the exponential that falls off from it.
		{weight1Model(t, "n50_m20", bke.Options{Weight: 1, ThetaMin: 0.01, ThetaMax: 0.06}),
			bke.Priors{}, 0.05},
	} {
		q, err := Integrate(t.Context(), c.m, c.p)
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.m.Learn(t.Context(), bke.LearnOptions{Priors: &c.p})
		if err != nil {
			t.Fatal(err)
		}
		if d := f.Modes[0].LogMass - q.LogMarginal - q.LogPriorMass; math.Abs(d) > c.tol {
			t.Errorf("Laplace mass is off by %v", d)
		}
		if d := q.Modes[0].LogMass - q.LogMarginal - q.LogPriorMass; math.Abs(d) > c.tol {
			t.Errorf("Laplace mass on the logs is off by %v", d)
		}
	}
}
