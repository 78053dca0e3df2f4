package formula_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/formula"
	"bayeskernel/frame"
	"bayeskernel/nuts"
)

// rowsOf is a synthetic table of n rows; those from k on have a group of their own.
func rowsOf(t *testing.T, n, from, to int) *frame.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("y,k,n,x,w,f,g,seen,late\n")
	for i := range n {
		x, w := r.NormFloat64(), 5+2*r.NormFloat64()
		g := string(rune('a' + i%6))
		if i == n-1 {
			g = "new"
		}
		e := r.NormFloat64()
		y, late := 1+2*x+.2*w*w/5+float64(i%6)/3+.5*e, 0
		seen := math.Exp(.5*x + .7*e)
		if seen > 1.5 {
			seen, late = 1.5, 1
		}
		if i >= from && i < to {
			fmt.Fprintf(&b, "%.4f,%d,%d,%.4f,%.4f,%s,%s,%.4f,%d\n", y, i%4, 4+i%3, x, w, []string{"low", "mid", "high"}[i%3], g, seen, late)
		}
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := frame.Read(context.Background(), path, frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sampled is a regression with two chains of its posterior.
func sampled(t *testing.T, text string, data *frame.Frame, o formula.Options, iter, warmup int) (*formula.Regression, *draws.Run) {
	t.Helper()
	f, err := formula.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	reg, err := f.Model(data, o)
	if err != nil {
		t.Fatal(err)
	}
	cfg := nuts.Config{}
	cfg.Chains, cfg.Draws, cfg.Warmup, cfg.Seed = 2, iter, warmup, 5
	run, err := nuts.Sample(t.Context(), reg.Program.Target, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return reg, run
}

// predicted are predictions for a table.
func predicted(t *testing.T, reg *formula.Regression, run *draws.Run, data *frame.Frame, seed uint64) *draws.Run {
	t.Helper()
	out, err := reg.Predict(t.Context(), run, data, seed)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Predictions for the table of the fit are the predictive draws themselves. Those for some of its rows have the
// fitted means of these, within 5 standard errors (below 1e-6 for each of some 50 rows), however the columns
// are coded.
func TestPredict(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ formula, family string }{
		{"I(1000 * y) ~ x + (1 | g)", "gaussian"}, // other units in the program
		{"I(1000 * y + 1e6) ~ x + offset(1000 * x)", "gaussian"},
		{"y ~ I(1000 * x) + w", "gaussian"},
		{"y ~ I(1000 * x)", "b ~ normal(0, 1)"},
		{"y ~ x + (1 + I(1000 * x) | g)", "gaussian"},
		{"y ~ x", "gaussian"},
		{"y ~ 1", "gaussian"},
		{"y ~ x + w", "gaussian"},
		{"y ~ 0 + x + f", "gaussian"},
		{"y ~ x * f + poly(w, 2)", "gaussian"},
		{"y ~ log(w + 20) + offset(2 * x)", "gaussian"},
		{"y ~ x + (1 | g)", "gaussian"},
		{"y ~ x + (1 + x | g)", "gaussian"},
		{"I(1000 * y) ~ x + w + (1 | g/f)", "gaussian"}, // f within g, around g
		{"k ~ x + (1 + x || g) + (1 | g:f)", "poisson"},
		{"y ~ w + (1 + w | g)", "gaussian"}, // counted from the mean of w
		{"k ~ x", "poisson"},
		{"k | trials(n) ~ x", "binomial"},
		{"I(1000 * y) ~ s(x, k = 5) + s(w)", "gaussian"},
		{"k ~ s(x, k = 5) + (1 | g)", "poisson"},
		{"y ~ f + s(x, by = f, k = 4)", "gaussian"},
		{"k ~ x", "zero_inflated_poisson"},
		{"I(exp(y)) ~ x", "gamma"},
		{"seen | cens(late) ~ x + (1 | g)", "weibull"},
		{"seen | cens(late) ~ s(x, k = 5)", "lognormal"},
		{"I(1000 * seen) | cens(late) ~ x", "gaussian"},
	} {
		t.Run(c.formula, func(t *testing.T) {
			all := rowsOf(t, 61, 0, 60)
			o := formula.Options{Family: c.family}
			if strings.Contains(c.family, "~") {
				o = formula.Options{Priors: []string{c.family}}
			}
			reg, run := sampled(t, c.formula, all, o, 300, 300)
			same := predicted(t, reg, run, all, 9)
			want, err := reg.Predictive(ctx, run, 9)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 60 {
				for s := range 300 {
					if strings.Contains(c.formula, "cens(") {
						break // the data are, and predictions are not
					}
					if a, b := same.Chains[1].Values[s][i], want.Chains[1].Values[s][i]; math.Abs(a-b) > 1e-9*(1+math.Abs(b)) {
						t.Fatalf("row %d, draw %d: %v, want %v", i+1, s+1, a, b)
					}
				}
			}
			some := predicted(t, reg, run, rowsOf(t, 61, 40, 47), 3)
			reported, err := reg.Report(run)
			if err != nil {
				t.Fatal(err)
			}
			fitted := make([]float64, 60)
			if err := reg.Fitted(reported, func(mean []float64) {
				for i, m := range mean {
					fitted[i] += m / 600
				}
			}); err != nil {
				t.Fatal(err)
			}
			if len(some.Names) < 7 {
				t.Fatalf("%d predictions, want 7", len(some.Names))
			}
			for i := range 7 {
				mean, se := meanOf(some, i)
				if math.Abs(mean-fitted[40+i]) > 5*se {
					t.Errorf("row %d: mean %v (standard error %v), want %v", 41+i, mean, se, fitted[40+i])
				}
			}
		})
	}
}

// Predicted categories are as frequent as their probabilities, which are computed here from the coefficients, within 5
// standard errors; those of the table of the fit are the predictive draws themselves.
func TestPredictCategories(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		formula, family string
		p               func(at func(string) float64, x float64) []float64
	}{
		{"I(k + 1) ~ x + (1 | g)", "cumulative", func(at func(string) float64, x float64) []float64 {
			var p []float64
			below := 0.0
			for j := range 3 {
				up := 1 / (1 + math.Exp(at("b_x")*x-at(fmt.Sprintf("b_Intercept[%d]", j+1))))
				p, below = append(p, up-below), up
			}
			return append(p, 1-below)
		}},
		{"f ~ x", "categorical", func(at func(string) float64, x float64) []float64 {
			low, mid := math.Exp(at("b_mulow_Intercept")+at("b_mulow_x")*x), math.Exp(at("b_mumid_Intercept")+at("b_mumid_x")*x)
			return []float64{1 / (1 + low + mid), low / (1 + low + mid), mid / (1 + low + mid)}
		}},
		{"f ~ s(x, k = 4) + (1 + x | g) + offset(w / 5)", "categorical", nil},
	} {
		all := rowsOf(t, 61, 0, 60)
		reg, run := sampled(t, c.formula, all, formula.Options{Family: c.family}, 500, 300)
		same := predicted(t, reg, run, all, 9)
		want, err := reg.Predictive(ctx, run, 9)
		if err != nil {
			t.Fatal(err)
		}
		for s, row := range same.Chains[1].Values {
			if !slices.Equal(row, want.Chains[1].Values[s]) {
				t.Fatalf("%s, draw %d: %v, want %v", c.formula, s+1, row, want.Chains[1].Values[s])
			}
		}
		new := rowsOf(t, 61, 58, 61)
		some := predicted(t, reg, run, new, 3)
		if c.p == nil {
			continue
		}
		reported, err := reg.Report(run)
		if err != nil {
			t.Fatal(err)
		}
		xs, _ := new.Column("x")
		x := xs.Floats()[0]
		g, _ := new.Column("g")
		categories := reg.Categories()
		p, share := make([]float64, len(categories)), make([]float64, len(categories))
		for k, c2 := range reported.Chains {
			for i, row := range c2.Values {
				at := func(name string) float64 {
					v := row[slices.Index(reported.Names, name)]
					if c.family == "cumulative" && strings.HasPrefix(name, "b_Intercept") {
						v -= row[slices.Index(reported.Names, "r_g["+g.Texts()[0]+",Intercept]")]
					}
					return v
				}
				for j, v := range c.p(at, x) {
					p[j] += v / 1000
				}
				share[int(some.Chains[k].Values[i][0])-1] += 1. / 1000
			}
		}
		for j := range p {
			if math.Abs(share[j]-p[j]) > 5*math.Sqrt(p[j]*(1-p[j])/1000) {
				t.Errorf("%s: category %s has share %v, want %v", c.formula, categories[j], share[j], p[j])
			}
		}
	}
}

// A group that the fit has not seen is as uncertain as groups are.
func TestPredictNewGroup(t *testing.T) {
	reg, run := sampled(t, "y ~ x + (1 | g)", rowsOf(t, 61, 0, 60), formula.Options{}, 1000, 500)
	fresh, err := reg.Fresh(reg.Groups[0], rowsOf(t, 61, 59, 61))
	if err != nil || strings.Join(fresh, " ") != "new" {
		t.Errorf("fresh groups %v, %v, want new", fresh, err)
	}
	drawn := predicted(t, reg, run, rowsOf(t, 61, 59, 61), 3)
	sigma, _ := run.Draws("sigma")
	sd, _ := run.Draws("sd_g__Intercept")
	var noise, groups float64
	for c := range sigma {
		for i := range sigma[c] {
			noise += sigma[c][i] * sigma[c][i] / 2000
			groups += sd[c][i] * sd[c][i] / 2000
		}
	}
	v := func(i int) float64 { _, se := meanOf(drawn, i); return se * se * 2000 }
	if !(v(0) < 2*noise) || !(v(1) > noise+.4*groups) {
		t.Errorf("variances %v and %v with noise %v and groups %v", v(0), v(1), noise, groups)
	}
}

// meanOf is the mean of a prediction over draws, with its standard error if draws were independent.
func meanOf(run *draws.Run, i int) (mean, se float64) {
	n, squares := 0.0, 0.0
	for _, c := range run.Column(i) {
		for _, v := range c {
			n++
			d := v - mean
			mean += d / n
			squares += d * (v - mean)
		}
	}
	return mean, math.Sqrt(squares / (n - 1) / n)
}
