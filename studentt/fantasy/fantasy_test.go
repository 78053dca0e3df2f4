package fantasy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
	"bayeskernel/nuts"
	"bayeskernel/studentt"

	"gonum.org/v1/gonum/mat"
)

func model(t testing.TB, k kernels.Kernel, p studentt.Params, x *mat.Dense) *studentt.Model {
	t.Helper()
	_, d := x.Dims()
	m := fixture.Get[*studentt.Model](t)(studentt.New(k, d, p))
	if err := m.AddAll(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	return m
}

// toy is the parabola with its 14 rows.
func toy(t testing.TB) *studentt.Model {
	return model(t, kernels.Sum{kernels.Linear{}, kernels.Polynomial{Degree: 2}},
		studentt.Params{Alpha: 2, Beta: 1.0 / 128, Scale2: 1.0 / 8},
		mat.NewDense(14, 1, []float64{-1.375, -1, -.875, -1.25, -.625, -1.125, -.75, .625, .875, 1, 1.125,
			1.375, 1.25, .75}))
}

// squares makes a run of the squares of a column.
func squares(c [][]float64) [][]float64 {
	out := make([][]float64, len(c))
	for i, chain := range c {
		for _, v := range chain {
			out[i] = append(out[i], v*v)
		}
	}
	return out
}

// check compares the mean of draws with what it should be: 4 Monte Carlo errors, beyond which a
// right sampler gets in 1 of 16,000 seeds.
func check(t *testing.T, what string, c [][]float64, want float64) {
	t.Helper()
	mean, se := diagnostics.Mean(c), diagnostics.MCSEMean(c)
	rhat, ess := diagnostics.RHat(c), diagnostics.ESSBulk(c)
	t.Logf("%s: %.4f, want %.4f; Monte Carlo error %.4f, R-hat %.3f, bulk ESS %.0f", what, mean, want,
		se, rhat, ess)
	if !(math.Abs(mean-want) <= 4*se) || !(rhat < 1.01) || !(ess > 400) {
		t.Errorf("%s: mean is %v, want %v within 4 x %v; R-hat %v, ESS %v", what, mean, want, se, rhat,
			ess)
	}
}

// Moments of a new row in the toy, whose density has two peaks, against those on a fine grid.
func TestToyMoments(t *testing.T) {
	m, box := toy(t), Box{[]float64{3}}
	points, probs, err := Grid(t.Context(), m, box, 20000)
	if err != nil {
		t.Fatal(err)
	}
	var want [2]float64
	for i, p := range probs {
		v := points.At(i, 0)
		want[0] += p * v
		want[1] += p * v * v
	}
	run := fixture.Get[*draws.Run](t)(Next(t.Context(), m, box, nuts.Config{
		Settings: nuts.Settings{Seed: 1, Warmup: 500, Draws: 2000}}))
	c, _ := run.Draws("x[0]")
	check(t, "mean", c, want[0])
	check(t, "second moment", squares(c), want[1])
}

// A squared exponential in two columns with a box: the plain around the rows has its share.
func TestPlain(t *testing.T) {
	x := fixture.Normals(1, 8, 2, 0)
	m := model(t, kernels.SquaredExponential(1),
		studentt.Params{Alpha: 1, Beta: 0.01, Scale2: 1}, x)
	box := Box{[]float64{6}}
	points, probs, err := Grid(t.Context(), m, box, 300)
	if err != nil {
		t.Fatal(err)
	}
	far := func(a, b float64) float64 {
		if math.Hypot(a, b) > 5 {
			return 1
		}
		return 0
	}
	var want [2]float64
	for i, p := range probs {
		a, b := points.At(i, 0), points.At(i, 1)
		want[0] += p * (a*a + b*b)
		want[1] += p * far(a, b)
	}
	run := fixture.Get[*draws.Run](t)(Next(t.Context(), m, box, nuts.Config{
		Settings: nuts.Settings{Seed: 2, Warmup: 500, Draws: 3000}}))
	x0, _ := run.Draws("x[0]")
	x1, _ := run.Draws("x[1]")
	norm, away := make([][]float64, len(x0)), make([][]float64, len(x0))
	for c := range x0 {
		for i, a := range x0[c] {
			norm[c] = append(norm[c], a*a+x1[c][i]*x1[c][i])
			away[c] = append(away[c], far(a, x1[c][i]))
		}
	}
	check(t, "squared norm", norm, want[0])
	mean, se := diagnostics.Mean(away), diagnostics.MCSEMean(away)
	if math.Abs(mean-want[1]) > 4*se || want[1] < 0.005 {
		t.Errorf("share of the plain is %v, want %v within 4 x %v", mean, want[1], se)
	}
}

// The proposal integrates to one, but for what is outside the box, and draws have its law: the
// share in a corner to 4.5 standard errors, a false alarm in 1 of 100,000 seeds.
func TestProposal(t *testing.T) {
	m := model(t, kernels.SquaredExponential(0.5, 1),
		studentt.Params{Alpha: 1, Beta: 0.01, Scale2: 1}, fixture.Normals(1, 4, 2, 0))
	for _, p := range []*proposal{newProposal(m, Box{[]float64{8}}),
		newProposal(toy(t), Box{[]float64{8}})} {
		total, corner, h := 0.0, 0.0, 0.04
		x := make([]float64, p.dim)
		for a := -8 + h/2; a < 8; a += h {
			x[0] = a
			for b := -8 + h/2; b < 8; b += h {
				w := h * h
				if p.dim == 2 {
					x[1] = b
				} else {
					w = h
				}
				w *= math.Exp(p.logDensity(x))
				total += w
				if a < 0.4 {
					corner += w
				}
				if p.dim == 1 {
					break
				}
			}
		}
		if math.Abs(total-1) > 1e-6 {
			t.Errorf("integral is %v", total)
		}
		r := rand.New(rand.NewPCG(1, 2))
		const n = 100000
		count := 0.0
		for range n {
			p.draw(x, r)
			if x[0] < 0.4 {
				count++
			}
		}
		if math.Abs(count/n-corner) > 4.5*math.Sqrt(corner*(1-corner)/n) {
			t.Errorf("share is %v, want %v", count/n, corner)
		}
	}
}

func TestTargetGradient(t *testing.T) {
	m := toy(t)
	e := &target{e: m.Evaluator(), box: Box{[]float64{3}}, x: make([]float64, 1)}
	for _, u := range []float64{-3, -0.4, 0, 1.1, 5} {
		if err := hmc.CheckGradient(e, []float64{u}); err != nil {
			t.Error(err)
		}
		f := func(h float64) float64 { return e.LogDensity([]float64{u + h}, make([]float64, 1)) }
		d := func(h float64) float64 { return (f(h) - f(-h)) / (2 * h) }
		g := make([]float64, 1)
		e.LogDensity([]float64{u}, g)
		if want := (4*d(5e-4) - d(1e-3)) / 3; math.Abs(g[0]-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("gradient at %v is %v, want %v", u, g[0], want)
		}
		h := 1e-5
		x, y := make([]float64, 1), make([]float64, 1)
		e.Constrain(x, []float64{u - h})
		e.Constrain(y, []float64{u + h})
		if got, want := logVolume(u, 3), math.Log((y[0]-x[0])/(2*h)); math.Abs(got-want) > 1e-8 {
			t.Errorf("log volume at %v is %v, want %v", u, got, want)
		}
	}
}

// The second of two fantasy rows, over 200 sequences, has the exact law given the first: its
// probability transform is uniform. The bound on the largest deviation is that of Kolmogorov at a
// false alarm of 1 in 1000.
func TestSample(t *testing.T) {
	k, p := kernels.SquaredExponential(1), studentt.Params{Alpha: 10, Beta: 0.01,
		Scale2: 0.1}
	box := Box{[]float64{4}}
	one := model(t, k, p, mat.NewDense(1, 1, nil))
	points, probs, err := Grid(t.Context(), one, box, 4000)
	if err != nil {
		t.Fatal(err)
	}
	cdf := func(x float64) float64 {
		sum := 0.0
		for i, q := range probs {
			if points.At(i, 0) < x {
				sum += q
			}
		}
		return sum
	}
	const n = 200
	var u []float64
	for seed := range uint64(n) {
		m := fixture.Get[*studentt.Model](t)(studentt.New(k, 1, p))
		x, q, err := Sample(t.Context(), m, Options{Rows: 2, Box: box, Config: nuts.Config{
			Settings: nuts.Settings{Seed: seed, Chains: 1, Warmup: 60, Draws: 30}}})
		if err != nil {
			t.Fatal(err)
		}
		if m.Rows() != 2 || len(q) != 1 || x.At(0, 0) != 0 {
			t.Fatalf("%d rows, %d qualities", m.Rows(), len(q))
		}
		u = append(u, cdf(x.At(1, 0)))
	}
	worst := 0.0
	for _, a := range u {
		below, at := 0, 0
		for _, b := range u {
			if b < a {
				below++
			}
			if b <= a {
				at++
			}
		}
		worst = max(worst, math.Abs(a-float64(below)/n), math.Abs(a-float64(at)/n))
	}
	if worst > 1.95/math.Sqrt(n) {
		t.Errorf("largest deviation is %v", worst)
	}
}

// The same seed makes the same rows, and rows stay in the box.
func TestSampleRepeats(t *testing.T) {
	k := kernels.SquaredExponential(1)
	var all []*mat.Dense
	for range 2 {
		m := fixture.Get[*studentt.Model](t)(studentt.New(k, 2, studentt.Params{Alpha: 1, Beta: 0.01,
			Scale2: 0.1}))
		x, _, err := Sample(t.Context(), m, Options{Rows: 6, Box: Box{[]float64{2, 3}},
			Config: nuts.Config{Settings: nuts.Settings{Seed: 7, Warmup: 50, Draws: 20}}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			if math.Abs(x.At(i, 0)) > 2 || math.Abs(x.At(i, 1)) > 3 {
				t.Errorf("row %d is %v", i, x.RawRowView(i))
			}
		}
		all = append(all, x)
	}
	if !mat.Equal(all[0], all[1]) {
		t.Error("the same seed made other rows")
	}
}

func TestErrors(t *testing.T) {
	m := toy(t)
	next := func(b Box) error { _, err := Next(t.Context(), m, b, nuts.Config{}); return err }
	sample := func(o Options) error { _, _, err := Sample(t.Context(), m, o); return err }
	grid := func(count int) error { _, _, err := Grid(t.Context(), m, Box{[]float64{1}}, count); return err }
	for want, err := range map[string]error{
		"box has 0 widths, want 1 or 1":  next(Box{}),
		"half width 1 of the box is -1":  next(Box{[]float64{-1}}),
		"number of rows is 0":            sample(Options{}),
		"model has 14 rows, want none":   sample(Options{Rows: 2}),
		"a grid of 1 points a side in 1": grid(1),
	} {
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "fantasy: ") {
			t.Errorf("error is %v, want %q in it", err, want)
		}
	}
}

func ExampleSample() {
	k := kernels.SquaredExponential(1)
	m, err := studentt.New(k, 2, studentt.Params{Alpha: 1, Beta: 0.01, Scale2: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := Options{Rows: 5, Box: Box{[]float64{6}}}
	o.Config.Seed = 1
	x, quality, err := Sample(context.Background(), m, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, d := x.Dims()
	fmt.Println(n, d, len(quality))
	// Output: 5 2 4
}
