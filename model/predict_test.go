package model_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/examples/declared"
	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
	"bayeskernel/temper"

	"gonum.org/v1/gonum/mat"
)

func compile(t *testing.T, m *model.Model, o ...model.CompileOption) *model.Program {
	t.Helper()
	p, err := m.Compile(o...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// schools is the meta-analysis with proper priors.
func schools(o ...model.Option) *model.Model {
	m := model.New()
	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfCauchy(5))
	theta := m.Reals("theta", 8, model.Normal(mu, tau), o...)
	m.Observe(m.Data("y", []float64{28, 8, -3, 7, -1, 1, 18, 12}),
		model.Normal(theta, []float64{15, 10, 16, 11, 9, 11, 10, 18}))
	return m
}

// garch has a variance that follows its own past.
func garch(y []float64) *model.Model {
	m, n := model.New(), len(y)
	series := m.Data("y", y)
	mu, a0 := m.Real("mu", model.Normal(0, 1)), m.Positive("alpha0", model.HalfNormal(1))
	a1 := m.Interval("alpha1", 0, 1, model.Beta(2, 5))
	b1 := m.Between("beta1", m.Const(0), a1.OneMinus(), model.Uniform(0, a1.OneMinus()))
	h := model.Recur(n, 1, a0.Add(a1.Mul(series.Sub(mu).Square().Slice(0, n-1))), b1)
	m.Observe(series, model.Normal(mu, h.Sqrt()))
	return m
}

// mixture has two normal parts in the order of their means. Their standard deviations stay away
// from 0, where a part of a single value has a density so narrow that chains get stuck.
func mixture(y []float64) *model.Model {
	m := model.New()
	mu, sd := m.Ordered("mu", 2, model.Normal(0, 2)), m.Positives("sigma", 2, model.LogNormal(0, 0.3))
	w := m.Interval("theta", 0, 1, model.Beta(5, 5))
	m.Observe(m.Data("y", y), model.Mix(model.Stack(w, w.OneMinus()),
		model.Normal(mu.El(0), sd.El(0)), model.Normal(mu.El(1), sd.El(1))))
	return m
}

// autoregression is of order 2.
func autoregression(y []float64) *model.Model {
	m, n := model.New(), len(y)
	series := m.Data("y", y)
	b := m.Reals("b", 2, model.Normal(0, 0.3))
	sd := m.Positive("sd", model.LogNormal(0, 0.5))
	mean := b.El(0).Mul(series.Slice(1, n-1)).Add(b.El(1).Mul(series.Slice(0, n-2)))
	m.Observe(series.Slice(2, n), model.Normal(mean, sd))
	return m
}

// slopes has intercepts and slopes that vary between groups, and counts.
func slopes(groups, each int) *model.Model {
	m := model.New()
	var labels []string
	var x, y []float64
	r := rand.New(rand.NewPCG(4, 4))
	for g := range groups {
		for range each {
			labels = append(labels, string(rune('a'+g)))
			x, y = append(x, r.NormFloat64()), append(y, float64(r.IntN(5)))
		}
	}
	group, in := m.Factor("group", labels)
	mu, sd := m.Real("mu", model.Normal(0, 1)), m.Positive("sd", model.HalfNormal(0.5))
	a := group.Reals("a", model.Normal(mu, sd), model.NonCentred)
	b := group.Reals("b", model.Normal(0, 0.5))
	m.Observe(m.Data("y", y), model.PoissonLog(a.Of(in).Add(b.Of(in).Mul(m.Data("x", x)))))
	return m
}

func series(n int) []float64 {
	r := rand.New(rand.NewPCG(1, 9))
	y := make([]float64, n)
	for i := range y {
		y[i] = r.NormFloat64()
	}
	return y
}

func all() map[string]*model.Model {
	return map[string]*model.Model{
		"schools": schools(), "schools, not centred": schools(model.NonCentred),
		"garch": garch(series(40)), "mixture": mixture(series(30)),
		"autoregression": autoregression(series(30)), "slopes": slopes(5, 6),
	}
}

// The sum of the pointwise log likelihood is its part of the log density: what the prior leaves.
func TestLogLikIsPartOfLogDensity(t *testing.T) {
	for name, m := range all() {
		p := compile(t, m)
		f, err := p.Reference()
		if err != nil {
			t.Fatal(err)
		}
		whole, err := p.Target()
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 1))
		x, g := make([]float64, whole.Dim()), make([]float64, whole.Dim())
		for range 10 {
			f.Draw(x, r)
			row := make([]float64, len(p.Names()))
			whole.(hmc.Constrainer).Constrain(row, x)
			ll, err := p.LogLik(t.Context(), &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: [][]float64{row}}}})
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, v := range ll.Chains[0].Values[0] {
				sum += v
			}
			want := whole.LogDensity(x, g) - f.LogDensity(x, g)
			if !(math.Abs(sum-want) <= 1e-10*(1+math.Abs(want))) {
				t.Errorf("%s: the pointwise log likelihood adds up to %v, want %v", name, sum, want)
			}
			back, err := p.Unconstrain(row)
			if err != nil {
				t.Fatal(err)
			}
			for i := range x {
				if !(math.Abs(back[i]-x[i]) <= 1e-6*(1+math.Abs(x[i]))) {
					t.Errorf("%s: coordinate %d is %v after Constrain and Unconstrain, was %v", name, i,
						back[i], x[i])
				}
			}
		}
	}
}

// Gradients by differences, with all rewrites and without.
func TestGradients(t *testing.T) {
	off := model.Without(model.Regressions, model.EqualRows, model.Sums, model.Variances)
	for name, m := range all() {
		var lp []float64
		for _, p := range []*model.Program{compile(t, m), compile(t, m, off)} {
			target, err := p.Target()
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(3, 1))
			x, g := make([]float64, target.Dim()), make([]float64, target.Dim())
			for i := range x {
				x[i] = r.NormFloat64() / 2
			}
			lp = append(lp, target.LogDensity(x, g))
			if err := hmc.CheckGradient(target, x); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if n := testing.AllocsPerRun(10, func() { target.LogDensity(x, g) }); n != 0 {
				t.Errorf("%s: a gradient allocates %v times", name, n)
			}
		}
		if !(math.Abs(lp[0]-lp[1]) <= 1e-10*(1+math.Abs(lp[1]))) {
			t.Errorf("%s: %v with rewrites and %v without", name, lp[0], lp[1])
		}
	}
}

// The evidence of the eight schools, -31.311 by quadrature (theta integrated out in closed form, the
// rest on a grid): a tempered run has a standard error of 0.004, so that 0.03 is 7 of them.
func TestReferenceIsNormalised(t *testing.T) {
	p := compile(t, schools(model.NonCentred))
	_, report, err := temper.Sample(context.Background(), p.Target, temper.Config{
		Settings: hmc.Settings{Chains: 2, Warmup: 500, Draws: 2000, Seed: 3}, Reference: p.Reference})
	if err != nil {
		t.Fatal(err)
	}
	want := evidence()
	if !(math.Abs(report.LogZ-want) < 0.03) {
		t.Errorf("log evidence %v, by quadrature %v", report.LogZ, want)
	}
}

// evidence integrates over mu in closed form, and over log tau by the trapezoidal rule.
func evidence() float64 {
	y, s := []float64{28, 8, -3, 7, -1, 1, 18, 12}, []float64{15, 10, 16, 11, 9, 11, 10, 18}
	total, h := 0.0, 0.01
	for l := -25.0; l < 15; l += h {
		tau := math.Exp(l)
		// y ~ N(0, diag(s² + tau²) + 25 11'), by the matrix determinant lemma.
		a, b, c, logDet := 1./25, 0.0, 0.0, math.Log(25)
		for j, v := range y {
			w := 1 / (s[j]*s[j] + tau*tau)
			a += w
			b += w * v
			c += w * v * v
			logDet -= math.Log(w)
		}
		lp := -4*math.Log(2*math.Pi) - (logDet+math.Log(a))/2 - (c-b*b/a)/2
		prior := math.Log(2/math.Pi/5) - math.Log1p(tau*tau/25) + l
		total += h * math.Exp(lp+prior)
	}
	return math.Log(total)
}

// Predictive draws of an autoregression take the values drawn before, not those observed: with b = 0.9
// and 0 the variance of the last of 200 is 1/(1-0.81), whatever was observed.
func TestPredictiveStepByStep(t *testing.T) {
	p := compile(t, autoregression(make([]float64, 200)))
	run := &draws.Run{Names: p.Names(), Chains: make([]draws.Chain, 1)}
	const count = 400
	for range count {
		run.Chains[0].Values = append(run.Chains[0].Values, []float64{0.9, 0, 1})
	}
	got, err := p.Predictive(t.Context(), run, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, row := range got.Chains[0].Values {
		v := row[len(row)-1]
		sum += v * v / count
	}
	want := 1 / (1 - 0.81)
	if !(math.Abs(sum/want-1) < 5*math.Sqrt(2./count)) { // 5 standard errors
		t.Errorf("variance of the last value is %v, want %v", sum, want)
	}
}

// predictedFrom are n draws of the prior of p, and what q predicts from them.
func predictedFrom(t *testing.T, p, q *model.Program, n int) (run, predicted *draws.Run) {
	t.Helper()
	run, err := p.Prior(t.Context(), n, 1)
	if err != nil {
		t.Fatal(err)
	}
	if predicted, err = q.Predictive(t.Context(), run, 2); err != nil {
		t.Fatal(err)
	}
	return run, predicted
}

// New labels get parameters drawn from their distribution.
func TestNewLabels(t *testing.T) {
	p := compile(t, slopes(2, 3))
	q, err := p.WithLabels("group", []string{"a", "new", "b", "new", "a", "a"})
	if err != nil {
		t.Fatal(err)
	}
	run, got := predictedFrom(t, p, q, 50)
	if len(got.Chains[0].Values) != 50 || len(got.Names) != 6 {
		t.Errorf("%d draws of %v", len(got.Chains[0].Values), got.Names)
	}
	if _, err := q.LogLik(t.Context(), run); err == nil {
		t.Error("a log likelihood for labels without parameters")
	}
}

// Labels can be exchanged again and again: the last ones count.
func TestLabelsTwice(t *testing.T) {
	m := model.New()
	group, in := m.Factor("group", []string{"a", "b"})
	m.Observe(m.Data("y", []float64{0, 0}), model.Normal(group.Reals("alpha", model.Normal(0, 3)).Of(in), 1e-9))
	p := compile(t, m)
	q, err := p.WithLabels("group", []string{"b", "b", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if q, err = q.WithLabels("group", []string{"b", "a", "b", "a"}); err != nil {
		t.Fatal(err)
	}
	run, got := predictedFrom(t, p, q, 1)
	alpha, y := run.Chains[0].Values[0], got.Chains[0].Values[0]
	for i, want := range []float64{alpha[1], alpha[0], alpha[1], alpha[0]} {
		if !(math.Abs(y[i]-want) < 1e-7) {
			t.Errorf("values %v, want %v for b, a, b, a", y, alpha)
		}
	}
}

// Columns side by side take as many rows as their vectors have with other data.
func TestWithDataColumns(t *testing.T) {
	m := model.New()
	x := m.Data("x", []float64{1, 2, 3})
	a := m.Real("a", model.Normal(0, 1))
	m.Observe(m.Data("y", []float64{1, 2, 1}), model.CategoricalLogit(model.Columns(x.Scale(0), x.Mul(a).Scale(1e9), a)))
	p := compile(t, m)
	q, err := p.WithData(model.NewData{Values: map[string][]float64{"x": {1, -1, 1, -1, 1}, "y": {1, 1, 1, 1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	run, got := predictedFrom(t, p, q, 20)
	at := slices.Index(run.Names, "a")
	for i, row := range run.Chains[0].Values {
		v := got.Chains[0].Values[i]
		if len(v) != 5 {
			t.Fatalf("draw %d: predicted %v", i, v)
		}
		for j, x := range []float64{1, -1, 1, -1, 1} {
			if second := x*row[at] > 0; (v[j] == 2) != second {
				t.Fatalf("draw %d: predicted %v from a = %v", i, v, row[at])
			}
		}
	}
}

// Values of a covariate and labels of a factor change together, for another number of rows: predictions have
// the mean of their rows at each draw.
func TestWithData(t *testing.T) {
	m := model.New()
	group, in := m.Factor("group", []string{"a", "b", "a", "b", "a"})
	x := m.Data("x", []float64{1, 2, 3, 4, 5})
	alpha := group.Reals("alpha", model.Normal(0, 3))
	beta := m.Real("beta", model.Normal(0, 1))
	m.Observe(m.Data("y", make([]float64, 5)), model.Normal(alpha.Of(in).Add(x.Mul(beta)), 1e-9))
	p := compile(t, m)
	q, err := p.WithData(model.NewData{Values: map[string][]float64{"x": {10, -2}},
		Labels: map[string][]string{"group": {"b", "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	run, got := predictedFrom(t, p, q, 20)
	if len(got.Names) != 2 {
		t.Fatalf("predicted %v", got.Names)
	}
	column := func(name string) int { return slices.Index(run.Names, name) }
	a, b, slope := column("alpha[1]"), column("alpha[2]"), column("beta")
	if a < 0 || b < 0 || slope < 0 {
		t.Fatalf("drew %v", run.Names)
	}
	for i, row := range run.Chains[0].Values {
		v := got.Chains[0].Values[i]
		if !(math.Abs(v[0]-row[b]-10*row[slope]) < 1e-7 && math.Abs(v[1]-row[a]+2*row[slope]) < 1e-7) {
			t.Fatalf("draw %d: predicted %v from %v", i, v, row)
		}
	}
	for _, try := range []func() (*model.Program, error){
		func() (*model.Program, error) { return p.With("x", []float64{10, -2}) },
		func() (*model.Program, error) { return p.WithLabels("group", []string{"b", "a"}) },
	} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), "WithData") ||
			!strings.Contains(err.Error(), "predict_test.go:") {
			t.Errorf("one of two that belong together: %v", err)
		}
	}
}

func TestDeclaredNames(t *testing.T) {
	for _, d := range declared.All() {
		if m, err := d.Declare(); err != nil {
			t.Error(err)
		} else if p := compile(t, m); len(p.String()) < 20 {
			t.Errorf("%s: %s", d.Name, p)
		}
	}
}

// Held-out rows leave the density by what LogLik says of them, with every rewrite.
func TestWithout(t *testing.T) {
	held := []int{0, 3, 4}
	for name, m := range all() {
		p := compile(t, m)
		q, err := p.Without(held)
		if err != nil {
			t.Fatal(name, err)
		}
		whole, err := p.Target()
		if err != nil {
			t.Fatal(err)
		}
		part, err := q.Target()
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(2, 2))
		x, g := make([]float64, whole.Dim()), make([]float64, whole.Dim())
		for i := range x {
			x[i] = r.NormFloat64() / 2
		}
		row := make([]float64, len(p.Names()))
		whole.(hmc.Constrainer).Constrain(row, x)
		ll, err := q.LogLik(t.Context(), &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: [][]float64{row}}}})
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for _, i := range held {
			want += ll.Chains[0].Values[0][i]
		}
		got := whole.LogDensity(x, g) - part.LogDensity(x, g)
		if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Errorf("%s: without rows %v the log density falls by %v, want %v", name, held, got, want)
		}
		if err := hmc.CheckGradient(part, x); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// With the same data, labels or matrix the program is the same.
func TestWithTheSameData(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1})
	m := model.New()
	b := m.Reals("b", 2, model.Normal(0, 10))
	m.Observe(m.Data("y", []float64{1, 2, 3}), model.Normal(m.Matrix("x", x).MatVec(b), 1))
	same := func(m *model.Model, with func(p *model.Program) (*model.Program, error)) {
		t.Helper()
		p := compile(t, m)
		q, err := with(p)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := p.String(), q.String(); a != b {
			t.Errorf("%s\nwith the same data %s", a, b)
		}
		f, g := targetOf(t, m), target(t, q)
		r := rand.New(rand.NewPCG(7, 1))
		at, df, dg := make([]float64, f.Dim()), make([]float64, f.Dim()), make([]float64, f.Dim())
		for range 20 {
			for i := range at {
				at[i] = 2 * r.NormFloat64()
			}
			lp, other := f.LogDensity(at, df), g.LogDensity(at, dg)
			if lp != other || !math.IsInf(lp, -1) && !slices.Equal(df, dg) {
				t.Fatalf("%s: log density %v, with the same data %v", p, lp, other)
			}
		}
	}
	same(m, func(p *model.Program) (*model.Program, error) { return p.WithMatrix("x", x) })
	for _, c := range []struct {
		m *model.Model
		y []float64
	}{{schools(), []float64{28, 8, -3, 7, -1, 1, 18, 12}},
		{schools(model.NonCentred), []float64{28, 8, -3, 7, -1, 1, 18, 12}},
		{garch(series(40)), series(40)}, {mixture(series(30)), series(30)},
		{autoregression(series(30)), series(30)}, {process(wholes(8, 5)), wholes(8, 5)}} {
		same(c.m, func(p *model.Program) (*model.Program, error) { return p.With("y", c.y) })
	}
	same(slopes(2, 3), func(p *model.Program) (*model.Program, error) {
		return p.WithLabels("group", []string{"a", "a", "a", "b", "b", "b"})
	})
}

func target(t *testing.T, p *model.Program) hmc.Target {
	t.Helper()
	f, err := p.Target()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Other data, of another length: predictions at new values of x.
func TestWithOtherData(t *testing.T) {
	m := model.New()
	x, y := m.Data("x", []float64{1, 2, 3, 4}), m.Data("y", []float64{2, 4, 6, 8})
	b := m.Real("b", model.Normal(0, 10))
	m.Observe(y, model.Normal(b.Mul(x), 0.001))
	p := compile(t, m)
	run := &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: [][]float64{{2}, {3}}}}}
	two, err := p.With("x", []float64{10, 20})
	if err != nil {
		t.Fatal(err)
	}
	short, err := two.Predictive(t.Context(), run, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v := short.Chains[0].Values[0]; len(v) != 2 || !(math.Abs(v[1]-40) < 0.01) {
		t.Errorf("predictions %v, want 20 and 40", v)
	}
	if _, err := two.LogLik(t.Context(), run); err == nil {
		t.Error("a log likelihood of rows that were not observed")
	}
	q, err := p.With("x", []float64{10, 20, 30, 40})
	if err != nil {
		t.Fatal(err)
	}
	got, err := q.Predictive(t.Context(), run, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v := got.Chains[0].Values[1][3]; !(math.Abs(v-120) < 0.01) {
		t.Errorf("prediction %v, want 120", v)
	}
	for _, bad := range []func() (*model.Program, error){
		func() (*model.Program, error) { return p.With("z", nil) },
		func() (*model.Program, error) { return p.With("x", []float64{math.NaN()}) },
		func() (*model.Program, error) { return p.WithLabels("county", nil) },
	} {
		if _, err := bad(); err == nil {
			t.Error("no error")
		}
	}
}

// Another matrix of predictors, with other rows, through MatVec and a column.
func TestWithMatrix(t *testing.T) {
	m := model.New()
	x := m.Matrix("x", mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}))
	b := m.Reals("b", 2, model.Normal(0, 10))
	m.Observe(m.Data("y", []float64{1, 2, 3}), model.Normal(x.MatVec(b).Add(x.Col(1)), 0.001))
	p := compile(t, m)
	run := &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: [][]float64{{2, 3}}}}}
	q, err := p.WithMatrix("x", mat.NewDense(2, 2, []float64{1, 1, 2, 5}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := q.Predictive(t.Context(), run, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{6, 24} {
		if v := got.Chains[0].Values[0]; len(v) != 2 || !(math.Abs(v[i]-want) < 0.01) {
			t.Errorf("predictions %v, want 6 and 24", v)
		}
	}
	for _, bad := range []*mat.Dense{mat.NewDense(2, 1, nil), mat.NewDense(1, 2, []float64{1, math.Inf(1)})} {
		if _, err := p.WithMatrix("x", bad); err == nil {
			t.Error("no error")
		}
	}
	if _, err := p.WithMatrix("z", mat.NewDense(1, 2, nil)); err == nil {
		t.Error("no error")
	}
}

func TestPredictionsEndWithTheirContext(t *testing.T) {
	m := model.New()
	mu := m.Real("mu", model.Normal(0, 1))
	m.Observe(m.Data("y", []float64{1, 2}), model.Normal(mu, 1))
	p, err := m.Compile()
	if err != nil {
		t.Fatal(err)
	}
	run, err := p.Prior(t.Context(), 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, f := range map[string]func() error{
		"Prior":      func() error { _, err := p.Prior(ctx, 3, 1); return err },
		"Predictive": func() error { _, err := p.Predictive(ctx, run, 1); return err },
		"LogLik":     func() error { _, err := p.LogLik(ctx, run); return err },
	} {
		if err := f(); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "model: ") {
			t.Errorf("%s: error is %v, want that of the context", name, err)
		}
	}
}

// Ranges far from where a distribution has its probability are drawn from wherever they stand: 8 and 9 are that far
// from 0 that none of a million normal values comes there.
func TestDrawsOfFarRanges(t *testing.T) {
	inf := math.Inf(1)
	m := model.New()
	in := m.Interval("in", 8, 9, model.Normal(0, 1))
	between := m.Between("between", m.Const(8), m.Const(9), model.Normal(0, 1))
	mu := m.Real("mu", model.Normal(-20, 1))
	above := m.Positives("above", 3, model.Normal(mu, 1).Truncate(0, inf))
	m.Quantity("all", model.Stack(in, between, above))
	y := model.Normal(mu, 1).Truncate(8, inf)
	m.Observe(m.Data("y", []float64{8.5}), y)
	m.Predict("w", 2, model.Normal(0, 1).Truncate(40, 41))
	p := compile(t, m)
	run, err := p.Prior(t.Context(), 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := p.Predictive(t.Context(), run, 1)
	if err != nil {
		t.Fatal(err)
	}
	within := func(run *draws.Run, lo, hi float64, names ...string) {
		t.Helper()
		for _, name := range names {
			all, ok := run.Draws(name)
			if !ok {
				t.Fatalf("no %s among %v", name, run.Names)
			}
			for _, v := range all[0] {
				if !(v >= lo && v <= hi) {
					t.Errorf("%s is %v, want it from %v to %v", name, v, lo, hi)
				}
			}
		}
	}
	within(run, 8, 9, "in", "between")
	within(run, 0, 2, "above[1]", "above[3]")
	within(predicted, 8, 12, "y[1]")
	within(predicted, 40, 41, "w[1]", "w[2]")
	c, err := p.Calibration()
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(20) {
		if _, err := c.Simulate(rand.New(rand.NewPCG(i, 1))); err != nil {
			t.Error(err)
		}
	}
}

// A range without probability is an error, not NaN.
func TestNoDrawIsAnError(t *testing.T) {
	m := model.New()
	a := m.Real("a", model.Normal(0, 1))
	m.Observe(m.Data("y", []float64{1, 1}), model.TruncateAt(model.Uniform(0, 2), a, 3))
	p := compile(t, m)
	_, err := p.Predictive(t.Context(), &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: [][]float64{{2.5}}}}}, 1)
	if want := "model: y[1]: there is no draw from uniform(0, 2) truncated to (a, 3): "; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Constants are those values that are the same in all draws, and no run warns of them.
func TestConstants(t *testing.T) {
	m := model.New()
	r := m.Correlation("R", 3, model.LKJ(1))
	l := m.CorrCholesky("L", 3, model.LKJ(2))
	a := m.Reals("a", 2, model.Normal(0, 1))
	m.Quantity("of R", model.Stack(r.El(1, 1), r.El(1, 2)))
	m.Quantity("of L", l.El(0, 1))
	m.Observe(m.Data("y", []float64{1, 2}), model.Normal(a, 1))
	p := compile(t, m)
	run, err := p.Prior(t.Context(), 50, 1)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for j, name := range run.Names {
		first, varies := run.Chains[0].Values[0][j], false
		for _, row := range run.Chains[0].Values {
			varies = varies || row[j] != first
		}
		if !varies {
			want = append(want, name)
		}
	}
	if got := p.Constants(); len(got) != 3+4+1+1 || !slices.Equal(got, want) {
		t.Errorf("constants are %v, want %v", got, want)
	}
	warned := func(run *draws.Run) []string {
		for _, w := range run.Warnings() {
			if w.Kind == draws.WarnConstant {
				return w.Parameters
			}
		}
		return nil
	}
	if got := warned(run); got != nil {
		t.Errorf("prior: a warning of %v", got)
	}
	run, err = nuts.Sample(t.Context(), p.Target, nuts.Config{Settings: hmc.Settings{Seed: 1, Draws: 50}})
	if err != nil {
		t.Fatal(err)
	}
	if got := warned(run); got != nil {
		t.Errorf("a warning of %v", got)
	}
	for c := range run.Chains { // none moves
		for i := range run.Chains[c].Values {
			run.Chains[c].Values[i] = run.Chains[0].Values[0]
		}
	}
	if got := warned(run); len(got) != len(run.Names)-len(want) || slices.Contains(got, "R[1,1]") {
		t.Errorf("a warning of %v, want all of %v but %v", got, run.Names, want)
	}
}
