package loo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/internal/fixture"
)

// number is a number, or a word for one that JSON does not have.
type number float64

func (x *number) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	if text == "NA" {
		text = "NaN"
	}
	v, err := strconv.ParseFloat(text, 64)
	*x = number(v)
	return err
}

type estimates struct {
	REff        []number `json:"r_eff"`
	K           []number `json:"k"`
	NEff        []number `json:"n_eff"`
	ELPD        []number `json:"elpd_loo_i"`
	P           []number `json:"p_loo_i"`
	MCSE        []number `json:"mcse_elpd_loo_i_lognormal"`
	TotalELPD   []number `json:"elpd_loo"`
	TotalP      []number `json:"p_loo"`
	WAIC        []number `json:"elpd_waic"`
	WAICP       []number `json:"p_waic"`
	WAICi       []number `json:"elpd_waic_i"`
	LastWeights []number `json:"log_weights_last_obs_first20"`
}

type reference struct {
	LogLik [][][]float64 `json:"log_lik"`
	Given  estimates     `json:"r_eff_given"`
	One    estimates     `json:"r_eff_one"`
}

func runOf(ll [][][]float64) *draws.Run {
	run := &draws.Run{}
	for i := range ll[0][0] {
		run.Names = append(run.Names, fmt.Sprintf("y[%d]", i+1))
	}
	for _, c := range ll {
		run.Chains = append(run.Chains, draws.Chain{Values: c})
	}
	return run
}

// near compares with tolerance 1e-9, relative above 1; both NaN or the same infinity is equal.
func near(t *testing.T, what string, got float64, want number) {
	t.Helper()
	w := float64(want)
	if got == w || math.IsNaN(got) && math.IsNaN(w) {
		return
	}
	if !(math.Abs(got-w) <= 1e-9*(1+math.Abs(w))) {
		t.Errorf("%s is %v, want %v", what, got, w)
	}
}

func TestReference(t *testing.T) {
	var all map[string]reference
	var raw map[string]any
	fixture.JSON(t, "testdata/loo.json", &raw)
	delete(raw, "about")
	all = map[string]reference{}
	for _, name := range []string{"loo_example", "normal_outlier", "heavy", "few_draws_constant"} {
		var one struct {
			LooExample       reference `json:"loo_example"`
			NormalOutlier    reference `json:"normal_outlier"`
			Heavy            reference `json:"heavy"`
			FewDrawsConstant reference `json:"few_draws_constant"`
		}
		fixture.JSON(t, "testdata/loo.json", &one)
		all[name] = map[string]reference{"loo_example": one.LooExample,
			"normal_outlier": one.NormalOutlier, "heavy": one.Heavy,
			"few_draws_constant": one.FewDrawsConstant}[name]
	}
	for name, ref := range all {
		run := runOf(ref.LogLik)
		for kind, want := range map[string]estimates{"given": ref.Given, "one": ref.One} {
			var eff []float64
			for _, v := range want.REff {
				eff = append(eff, float64(v))
			}
			got, err := LOO(t.Context(), run, Options{Eff: eff})
			if err != nil {
				t.Fatal(name, err)
			}
			waic, err := WAIC(run)
			if err != nil {
				t.Fatal(err)
			}
			m, err := read(run)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range got.Points {
				at := fmt.Sprintf("%s, r_eff %s, observation %d: ", name, kind, i+1)
				near(t, at+"k", p.K, want.K[i])
				near(t, at+"n_eff", p.NEff, want.NEff[i])
				near(t, at+"elpd", p.ELPD, want.ELPD[i])
				near(t, at+"p", p.P, want.P[i])
				near(t, at+"waic", waic.Points[i].ELPD, want.WAICi[i])
				if !math.IsNaN(p.MCSE) {
					near(t, at+"mcse", p.MCSE, want.MCSE[i])
				}
			}
			last := m.all(len(m.names) - 1)
			for s := range last {
				last[s] = -last[s]
			}
			w, _ := Smooth(last, eff[len(eff)-1])
			for s, v := range want.LastWeights {
				// The file has weights as they are before they are normalised.
				near(t, fmt.Sprintf("%s, %s: difference of weight %d to the first", name, kind, s),
					w[s]-w[0], v-want.LastWeights[0])
			}
			near(t, name+": elpd", got.ELPD, want.TotalELPD[0])
			near(t, name+": se", got.SE, want.TotalELPD[1])
			near(t, name+": p", got.P, want.TotalP[0])
			near(t, name+": se of p", got.PSE, want.TotalP[1])
			near(t, name+": waic", waic.ELPD, want.WAIC[0])
			near(t, name+": se of waic", waic.SE, want.WAIC[1])
			near(t, name+": p of waic", waic.P, want.WAICP[0])
		}
	}
}

func TestCompareReference(t *testing.T) {
	var file struct {
		Normal  reference `json:"normal_outlier"`
		Compare struct {
			Student   [][][]float64 `json:"log_lik_student"`
			Diff      []number      `json:"elpd_diff"`
			SE        []number      `json:"se_diff"`
			ELPD      []number
			Stacking  []number
			PseudoBMA []number `json:"pseudobma"`
			REff      []number `json:"r_eff_student"`
		}
	}
	fixture.JSON(t, "testdata/loo.json", &file)
	var eff []float64
	for _, v := range file.Normal.Given.REff {
		eff = append(eff, float64(v))
	}
	normal, err := LOO(t.Context(), runOf(file.Normal.LogLik), Options{Eff: eff})
	if err != nil {
		t.Fatal(err)
	}
	student, err := LOO(t.Context(), runOf(file.Compare.Student), Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := Model{"normal", normal}, Model{"student", student}
	got, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Name != "student" {
		t.Errorf("the best is %s", got[0].Name)
	}
	// The file was made with another estimate of r_eff for the second model, and does not say which:
	// it changes elpd by 1.3e-5.
	close := func(what string, got float64, want number, tol float64) {
		if !(math.Abs(got-float64(want)) <= tol) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	for k, c := range got {
		close(c.Name+": difference", c.Difference, file.Compare.Diff[k], 2e-5)
		close(c.Name+": its standard error", c.SE, file.Compare.SE[k], 2e-5)
	}
	w, err := Stacking(a, b)
	if err != nil {
		t.Fatal(err)
	}
	// With the totals of the file the rest is exact; its stacking weights are those of an optimiser
	// that keeps away from the edge.
	a.Result, b.Result = &Result{ELPD: float64(file.Compare.ELPD[0]), Points: normal.Points},
		&Result{ELPD: float64(file.Compare.ELPD[1]), Points: student.Points}
	v, err := PseudoBMA(a, b)
	if err != nil {
		t.Fatal(err)
	}
	for k := range w {
		close("stacking weight", w[k], file.Compare.Stacking[k], 1e-6)
		close("pseudo-BMA weight", v[k], file.Compare.PseudoBMA[k], 1e-9)
	}
}

// Weights of three models against a grid on the simplex.
func TestStackingOnGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	models := make([]Model, 3)
	for k := range models {
		res := &Result{}
		for i := range 40 {
			res.Points = append(res.Points, Point{Name: fmt.Sprint(i), ELPD: r.NormFloat64()})
		}
		models[k] = Model{fmt.Sprint("m", k), res}
	}
	score := func(w ...float64) float64 {
		s := 0.0
		for i := range 40 {
			p := 0.0
			for k, m := range models {
				p += w[k] * math.Exp(m.Points[i].ELPD)
			}
			s += math.Log(p)
		}
		return s
	}
	w, err := Stacking(models...)
	if err != nil {
		t.Fatal(err)
	}
	best := score(w...)
	for a := range 101 {
		for b := range 101 - a {
			if s := score(float64(a)/100, float64(b)/100, 1-float64(a+b)/100); s > best+1e-9 {
				t.Fatalf("weights %v score %v, (%d, %d) hundredths %v", w, best, a, b, s)
			}
		}
	}
}

// conjugate is y[i] ~ N(mu, 1) with mu ~ N(0, 9), where everything is known in closed form.
type conjugate struct {
	y    []float64
	fits int
}

// posterior returns the mean and the variance of mu given the rows that are left.
func (c *conjugate) posterior(without []int) (mean, v float64) {
	n, sum := float64(len(c.y)-len(without)), 0.0
	for _, y := range c.y {
		sum += y
	}
	for _, i := range without {
		sum -= c.y[i]
	}
	v = 1 / (n + 1./9)
	return sum * v, v
}

func (c *conjugate) fit(_ context.Context, without []int) (*draws.Run, error) {
	c.fits++
	mean, v := c.posterior(without)
	r := rand.New(rand.NewPCG(uint64(c.fits), 3))
	ll := make([][][]float64, 2)
	for chain := range ll {
		for range 2000 {
			mu := mean + math.Sqrt(v)*r.NormFloat64()
			row := make([]float64, len(c.y))
			for i, y := range c.y {
				row[i] = -(y-mu)*(y-mu)/2 - math.Log(2*math.Pi)/2
			}
			ll[chain] = append(ll[chain], row)
		}
	}
	return runOf(ll), nil
}

// exact is the log predictive density of row i without some rows.
func (c *conjugate) exact(i int, without []int) float64 {
	mean, v := c.posterior(without)
	d := c.y[i] - mean
	return -d*d/2/(1+v) - math.Log(2*math.Pi*(1+v))/2
}

// Estimates against closed forms. With 4000 independent draws their Monte Carlo errors are below
// 0.02 for each row, and 0.1 is five times that.
func TestExact(t *testing.T) {
	c := &conjugate{}
	r := rand.New(rand.NewPCG(7, 7))
	for range 12 {
		c.y = append(c.y, 1+r.NormFloat64())
	}
	whole, err := c.fit(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	loo, err := LOO(t.Context(), whole, Options{})
	if err != nil {
		t.Fatal(err)
	}
	high := *loo
	high.Points = append([]Point(nil), loo.Points...)
	high.Points[3].K = 1
	c.fits = 0
	refitted, err := Refit(t.Context(), &high, c.fit)
	if err != nil {
		t.Fatal(err)
	}
	if c.fits != 1 {
		t.Errorf("%d fits, want 1", c.fits)
	}
	fold, err := Folds(12, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	k, err := KFold(t.Context(), fold, c.fit)
	if err != nil {
		t.Fatal(err)
	}
	c.fits = 0
	future, err := FutureOut(t.Context(), 12, 4, c.fit)
	if err != nil {
		t.Fatal(err)
	}
	if c.fits < 1 || c.fits > 5 {
		t.Errorf("%d fits for 8 predictions", c.fits)
	}
	for i := range c.y {
		var together, later []int
		for j, f := range fold {
			if f == fold[i] {
				together = append(together, j)
			}
			if j >= i {
				later = append(later, j)
			}
		}
		for _, q := range []struct {
			what      string
			got, want float64
		}{{"loo", loo.Points[i].ELPD, c.exact(i, []int{i})},
			{"refitted", refitted.Points[i].ELPD, c.exact(i, []int{i})},
			{"fold", k.Points[i].ELPD, c.exact(i, together)}} {
			if !(math.Abs(q.got-q.want) < 0.1) {
				t.Errorf("%s of row %d: %v, want %v", q.what, i, q.got, q.want)
			}
		}
		if i >= 4 {
			if got, want := future.Points[i-4].ELPD, c.exact(i, later); !(math.Abs(got-want) < 0.1) {
				t.Errorf("future of row %d: %v, want %v", i, got, want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	good := runOf([][][]float64{{{-1, -2}, {-1, -3}, {-2, -2}}})
	bad := runOf([][][]float64{{{-1, math.NaN()}, {-1, -3}}})
	short := runOf([][][]float64{{{-1, -2}, {-1, -3}}, {{-1, -2}}})
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(LOO(t.Context(), nil, Options{})), "no log likelihoods"},
		{second(LOO(ended, good, Options{})), "stopped after 0 of"},
		{second(LOO(t.Context(), bad, Options{})), "y[2] is NaN at draw 1 of chain 1"},
		{second(LOO(t.Context(), short, Options{})), "chain 2 has 1 draws"},
		{second(LOO(t.Context(), good, Options{Eff: []float64{1}})), "1 values of Eff"},
		{second(LOO(t.Context(), good, Options{Eff: []float64{1, math.NaN()}})), "is NaN, want a positive"},
		{second(Compare(Model{Name: "a"})), "at least 2"},
		{second(Stacking(Model{Name: "a"}, Model{Name: "b"})), "has no result"},
		{second(Folds(3, 5, 1)), "5 folds of 3"},
		{second(FutureOut(t.Context(), 4, 4, nil)), "from 4 of 4"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Without a function that fits, or a result, there is an error.
func TestNilFit(t *testing.T) {
	ctx := context.Background()
	_, kfold := KFold(ctx, []int{0, 1}, nil)
	_, future := FutureOut(ctx, 3, 1, nil)
	_, refit := Refit(ctx, nil, nil)
	for _, err := range []error{kfold, future, refit} {
		if err == nil || !strings.Contains(err.Error(), "is nil, want") {
			t.Errorf("error %v, want that something is nil", err)
		}
	}
}
