package formula

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bayeskernel/frame"
	"bayeskernel/internal/long"
	"bayeskernel/stan"

	"gonum.org/v1/gonum/mat"
)

// printed are regressions whose programs are compared: formula, family, priors.
var printed = [][3]string{
	{"y ~ x + h", "gaussian", ""},
	{"y ~ x + h", "student", "b ~ normal(0, 2)"},
	{"y ~ 0 + x + h", "gaussian", "b_x ~ normal(0, 1); sigma ~ exponential(1)"},
	{"y ~ 1", "gaussian", ""},
	{"pos ~ x * h", "lognormal", ""},
	{"pos ~ x + (1 | g)", "gamma", "sd ~ exponential(1)"},
	{"prop ~ x", "beta", ""},
	{"bin ~ x + (1 + x | g)", "bernoulli", "cor ~ lkj(2)"},
	{"bin | weights(w) ~ x", "bernoulli", ""},
	{"y | weights(w) ~ x", "student", ""},
	{"y | weights(w) ~ x", "gaussian", ""},
	{"pos | weights(w) ~ x", "lognormal", ""},
	{"pos | weights(w) ~ x", "gamma", ""},
	{"prop | weights(w) ~ x", "beta", ""},
	{"hits | trials(trials) + weights(w) ~ x", "binomial", ""},
	{"count | weights(w) ~ x", "poisson", ""},
	{"count | weights(w) ~ x", "negbinomial", ""},
	{"pos | weights(w) ~ x", "exponential", ""},
	{"pos | weights(w) ~ x", "weibull", ""},
	{"ord | weights(w) ~ x + h", "cumulative", ""},
	{"I(ord > 2) + 1 | weights(w) ~ x", "cumulative", ""},
	{"kind | weights(w) ~ x + (1 | g)", "categorical", ""},
	{"zeros | weights(w) ~ x", "zero_inflated_poisson", ""},
	{"zeros | weights(w) ~ x", "zero_inflated_negbinomial", ""},
	{"hits | trials(trials) + weights(w) ~ x", "zero_inflated_binomial", ""},
	{"cbind(hits, trials - hits) ~ x", "binomial", ""},
	{"hits | trials(trials) ~ x + (1 | g) + (0 + x | g)", "binomial", "sd_g__x ~ normal(0, 1)"},
	{"count ~ x + offset(log(expo)) + (1 | g:k)", "poisson", ""},
	{"count ~ s(z) + (1 + x + z | g)", "negbinomial", "sd_g__x ~ exponential(2)"},
	{"zeros ~ x", "zero_inflated_poisson", ""},
	{"zeros ~ x", "zero_inflated_negbinomial", "zi ~ beta(2, 2)"},
	{"hits | trials(trials) ~ x", "zero_inflated_binomial", ""},
	{"seen | cens(late) ~ x + (1 || g)", "weibull", ""},
	{"seen | cens(late) ~ x", "exponential", "Intercept ~ normal(0, 3)"},
	{"seen | cens(late) ~ x", "lognormal", ""},
	{"ord ~ x + (1 | g)", "cumulative", ""},
	{"ord ~ 1", "cumulative", ""},
	{"kind ~ x + s(z) + (1 + x | g)", "categorical", "b_mur_x ~ normal(0, 1)"},
	{"wave ~ h + s(z, by = h, k = 5) + x", "gaussian", ""},
	{"wave ~ s(z) + s(x, k = 6)", "gaussian", "b ~ normal(0, 5)"},
}

func printedRegression(t *testing.T, data *frame.Frame, c [3]string) *Regression {
	f, err := Parse(c[0])
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Family: c[1], Plain: true} // as printed programs declare it
	if c[2] != "" {
		o.Priors = strings.Split(c[2], "; ")
	}
	r, err := f.Model(data, o)
	if err != nil {
		t.Fatalf("%s: %v", c[0], err)
	}
	return r
}

// toStan turns coordinates of the program into those of the printed one, in Stan or, with values of groups as they are, in
// Go; and returns what the change adds to the log density.
func (r *Regression) toStan(u []float64, standardised bool) (out []float64, jacobian float64) {
	k := 0
	take := func(n int, scale func(j int) float64) {
		for j := range n {
			out = append(out, u[k]*scale(j))
			k++
		}
	}
	one := func(int) float64 { return 1 }
	bySD := func(n int) {
		sd := math.Exp(u[k-1])
		if standardised {
			jacobian += float64(n) * math.Log(sd)
		} else {
			sd = 1
		}
		take(n, func(int) float64 { return 1 / sd })
	}
	per := one
	if r.X != nil && r.prior("b", "b").dist == "flat" && !r.separately() && len(r.slopes()) > 0 {
		n, d := r.X.Dims()
		x := mat.NewDense(n, len(r.slopes()), nil)
		for j := range r.slopes() {
			for i := range n {
				x.Set(i, j, r.X.At(i, j+d-len(r.slopes())))
				if r.means != nil {
					x.Set(i, j, x.At(i, j)-r.means[j])
				}
			}
		}
		s := scaleColumns(x)
		per = func(j int) float64 { return s[j] }
	}
	for range r.predictors {
		take(len(r.slopes()), per)
		switch {
		case r.Family == "cumulative":
			take(r.categories()-1, one)
		case r.Design.Intercept:
			take(1, one)
		}
		take(len(r.Smooths), one)
	}
	take(len(r.family.extra), one)
	for range r.predictors {
		for _, g := range r.Groups {
			m := len(g.Design.Names)
			if g.together() {
				take(m+m*(m-1)/2+m*len(g.labels), one)
				continue
			}
			for range m {
				take(1, one)
				bySD(len(g.labels))
			}
		}
		for _, s := range r.Smooths {
			_, n := s.rows.Dims()
			take(1, one)
			bySD(n)
		}
	}
	if k != len(u) {
		panic(fmt.Sprintf("%d coordinates of %d", k, len(u)))
	}
	return out, jacobian
}

// points are some places and the log densities there.
func (r *Regression) points(t *testing.T) (at [][]float64, lp []float64) {
	target, err := r.Program.Target()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(4))
	grad := make([]float64, target.Dim())
	for range 4 {
		u := make([]float64, target.Dim())
		for j := range u {
			u[j] = .3 * rng.NormFloat64()
		}
		at, lp = append(at, u), append(lp, target.LogDensity(u, grad))
	}
	return at, lp
}

// The programs in Stan are accepted, and their log densities differ from ours by a constant.
func TestStanProgram(t *testing.T) {
	data, err := frame.Read(context.Background(), "testdata/bayes.csv", frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range printed {
		r := printedRegression(t, data, c)
		text := r.StanProgram()
		p, err := stan.Parse(text)
		if err != nil {
			t.Errorf("%s: %v\n%s", c[0], err, text)
			continue
		}
		js, err := r.ProgramData()
		if err != nil {
			t.Fatal(err)
		}
		d, err := stan.ParseData(js)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Bind(d, stan.Options{})
		if err != nil {
			t.Errorf("%s: %v\n%s", c[0], err, text)
			continue
		}
		at, lp := r.points(t)
		base := 0.0
		for i, u := range at {
			v, jacobian := r.toStan(u, true)
			if len(v) != m.Dim() {
				t.Errorf("%s: %d coordinates, want %d\n%s", c[0], m.Dim(), len(v), text)
				break
			}
			got, err := m.LogDensity(v, make([]float64, len(v)))
			if err != nil {
				t.Errorf("%s: %v", c[0], err)
				break
			}
			diff := got - lp[i] - jacobian
			if i == 0 {
				base = diff
			} else if !(math.Abs(diff-base) < 1e-8*math.Max(1, math.Abs(got))) {
				t.Errorf("%s, %s: log density %v differs by %v, at the first point by %v\n%s", c[0], c[1], got, diff, base, text)
				break
			}
		}
	}
}

// The programs in Go compile, and their log densities differ from ours by a constant. They are put together as one.
func TestGoProgram(t *testing.T) {
	data, err := frame.Read(context.Background(), "testdata/bayes.csv", frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files []string
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".go") {
			files = append(files, path)
		}
	}
	names := regexp.MustCompile(`\b(declare|data|matrix)\b(\(|\) \{| struct|$)`)
	var calls strings.Builder
	var want [][]float64
	for k, c := range printed {
		if strings.Contains(c[0], "weights") || !long.Enabled() && k%5 != 1 {
			continue
		}
		r := printedRegression(t, data, c)
		text, err := r.GoProgram()
		if err != nil {
			t.Errorf("%s: %v\n%s", c[0], err, text)
			continue
		}
		text = strings.Replace(text, "func main()", fmt.Sprintf("func main%d()", k), 1)
		text = names.ReplaceAllString(text, fmt.Sprintf("${1}%d$2", k))
		text = strings.Replace(text, "var d data\n", fmt.Sprintf("var d data%d\n", k), 1)
		write(fmt.Sprintf("p%d.go", k), text)
		js, err := r.ProgramData()
		if err != nil {
			t.Fatal(err)
		}
		write(fmt.Sprintf("p%d.json", k), string(js))
		at, lp := r.points(t)
		var places [][]float64
		for i, u := range at {
			v, jacobian := r.toStan(u, false)
			lp[i] += jacobian
			places = append(places, v)
		}
		want = append(want, lp)
		fmt.Fprintf(&calls, "{ var d data%d; read(%q, &d); m := model.New(); declare%d(m, d); tell(m, %#v) }\n", k,
			filepath.Join(dir, fmt.Sprintf("p%d.json", k)), k, places)
	}
	write("main.go", `package main

import ("encoding/json"; "fmt"; "os"; "bayeskernel/model")

func read(file string, d any) { text, _ := os.ReadFile(file); if err := json.Unmarshal(text, d); err != nil { panic(err) } }

func tell(m *model.Model, at [][]float64) {
	p, err := m.Compile()
	if err != nil { panic(err) }
	t, err := p.Target()
	if err != nil { panic(err) }
	for _, u := range at { fmt.Print(t.LogDensity(u, make([]float64, t.Dim())), " ") }
	fmt.Println()
}

func main() {
`+calls.String()+"}\n")
	out, err := exec.Command("go", append([]string{"run"}, files...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for k, line := range lines {
		base := 0.0
		for i, s := range strings.Fields(line) {
			var got float64
			fmt.Sscan(s, &got)
			if diff := got - want[k][i]; i == 0 {
				base = diff
			} else if !(math.Abs(diff-base) < 1e-8*math.Max(1, math.Abs(got))) {
				t.Errorf("program %d: log density %v differs by %v, at the first point by %v", k, got, diff, base)
			}
		}
	}
}
