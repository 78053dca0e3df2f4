package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rows is a synthetic table: y = 2 + 3 x, and 1 more where g is b, with errors that cancel.
func rows() string {
	var b strings.Builder
	b.WriteString("y,x,g,day,n\n")
	for i := range 40 {
		x, g, e := float64(i%10), "a", []float64{.5, -.5, -.5, .5}[i%4]
		y := 2 + 3*x + e
		if i >= 20 {
			g, y = "b", y+1
		}
		fmt.Fprintf(&b, "%v,%v,%s,2024-01-%02d,%d\n", y, x, g, 1+i%28, i%3)
	}
	return b.String() + "NA,3,a,2024-02-01,1\n"
}

// A regression is told in words, with its numbers beside: the same files for the same seed.
func TestFit(t *testing.T) {
	inFolder(t, map[string]string{"d.csv": rows()})
	for _, dir := range []string{"a", "b"} {
		code, out, errs := run("fit", "-out", dir, "-iter", "500", "y ~ x + g", "d.csv")
		if code != 0 {
			t.Fatal(errs)
		}
		for _, want := range []string{"One more of x goes with", "g = b, compared with a, goes with", "The chains agree", "b_Intercept", "sigma",
			"Left out 1 of 41 rows", "R² is"} {
			if !strings.Contains(out, want) {
				t.Errorf("there is no %q in\n%s", want, out)
			}
		}
	}
	var r struct {
		Summary struct {
			Parameters []struct {
				Name string
				Mean float64
			}
		}
	}
	text, err := os.ReadFile(filepath.Join("a", "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{2, 3, 1} { // standard errors are below .2
		if p := r.Summary.Parameters[k]; math.Abs(p.Mean-want) > .6 {
			t.Errorf("%s has mean %v, want about %v", p.Name, p.Mean, want)
		}
	}
	for _, name := range []string{"draws_1.csv", "effect-1.svg", "check.svg"} {
		x, err := os.ReadFile(filepath.Join("a", name))
		y, _ := os.ReadFile(filepath.Join("b", name))
		if err != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs between two runs with one seed, or is not there: %v", name, err)
		}
	}
}

// Wrong uses of fit end with a line and the right code, and leave nothing.
func TestWrongFits(t *testing.T) {
	files := map[string]string{"d.csv": rows(), "slip.csv": "x,y\n1.5,1\n2.5,2\n3.5,1\n4.5,3\n5.5,2\n6.5,2\noops,4\n"}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"y ~ x"}, 2, "want FORMULA DATA.csv, found 1 argument"},
		{[]string{"y ~ x +", "d.csv"}, 2, "the formula ends where a term is expected"},
		{[]string{"y x", "d.csv"}, 2, `"x" is not expected here`},
		{[]string{"y ~ w", "d.csv"}, 1, `there is no column "w"`},
		{[]string{"y ~ x", "absent.csv"}, 1, "absent.csv: no such file"},
		{[]string{"y ~ day", "d.csv"}, 1, "day holds dates or times"},
		{[]string{"y ~ lgo(x)", "d.csv"}, 1, "there is no function lgo()"},
		{[]string{"-family", "gausian", "y ~ x", "d.csv"}, 2, `did you mean "gaussian"?`},
		{[]string{"-family", "poisson", "y ~ x", "d.csv"}, 1, "the poisson family wants whole numbers"},
		{[]string{"-prior", "b ~ norml(0, 1)", "y ~ x", "d.csv"}, 2, `did you mean "normal"?`},
		{[]string{"-prior", "sd ~ normal(0, 1)", "y ~ x", "d.csv"}, 1, "sd is no parameter of this model"},
		{[]string{"-levels", "g=c", "y ~ g", "d.csv"}, 2, `column "g" has no value "c"`},
		{[]string{"-levels", "x=1", "y ~ x", "d.csv"}, 2, "want a column of text"},
		{[]string{"y ~ x", "slip.csv"}, 1, `slip.csv: line 8, column "x": "oops" is not a number, as most values are; -levels x takes all for names`},
		{[]string{"-levels", "h=1", "y ~ x", "d.csv"}, 2, `there is no column "h" in d.csv`},
		{[]string{"-na", "error", "y ~ x", "d.csv"}, 1, "the value is missing"},
		{[]string{"-na", "keep", "y ~ x", "d.csv"}, 2, "keep"},
		{[]string{"-iter", "0", "y ~ x", "d.csv"}, 2, "-iter is 0"},
		{[]string{"-delta", "2", "y ~ x", "d.csv"}, 2, "-delta is 2"},
		{[]string{"y ~ x + I(3 * x)", "d.csv"}, 1, "I(3 * x) is a sum of multiples of"},
		{[]string{"y | weights(n - 1) ~ x", "d.csv"}, 1, "want a number from 0"},
		{[]string{"-family", "cumulative", "n | weights(x) ~ y", "d.csv"}, 1, "cumulative family wants"},
		{[]string{"y ~ s(n)", "d.csv"}, 1, "n has 3 distinct values, fewer than the 10 functions"},
		{[]string{"y ~ s(x, n)", "d.csv"}, 1, "not of several"},
		{[]string{"y ~ s(x, k = 2)", "d.csv"}, 1, "k of s(x, k = 2) is 2"},
		{[]string{"y ~ x + s(x)", "d.csv"}, 1, "the line of s(x) is a sum of multiples of"},
		{[]string{"y | cens(x) ~ g", "d.csv"}, 1, "want 0 (seen) or 1"},
		{[]string{"-family", "poisson", "n | cens(x) ~ g", "d.csv"}, 1, "cens() goes with families of numbers"},
		{[]string{"-family", "binomial", "n | trials(x) ~ g", "d.csv"}, 1, "want a whole number from 1"},
		{[]string{"-family", "zero_inflated_binomial", "n ~ g", "d.csv"}, 1, "wants the number of trials"},
		{[]string{"-family", "categorical", "n ~ x", "d.csv"}, 1, "categorical family wants whole numbers from 1"},
		{[]string{"-prior", "sd_g ~ normal(0, 1)", "y ~ x", "d.csv"}, 1, "sd_g is no parameter of this model"},
		{[]string{"-print", "julia", "y ~ x", "d.csv"}, 2, "julia"},
		{[]string{"y ~ mi(x)", "d.csv"}, 1, "mi() is not supported"},
		{[]string{"-family", "binomial", "n ~ x", "d.csv"}, 1, "or counts with the number of trials, k | trials(n)"},
		{[]string{"cbind(n) ~ x", "d.csv"}, 2, "cbind() wants successes and failures"},
		{[]string{"y ~ x + y", "d.csv"}, 1, "y is the response"},
		{[]string{"y ~ cut(x, 3)", "d.csv"}, 1, "cut() is not supported: make a column of it, or write s(x) (character 5 of y ~ cut(x, 3))"},
		{[]string{"Surv(y, n) ~ x", "d.csv"}, 1, "Surv() is not supported: write time | cens(c) ~ ..."},
		{[]string{"y ~ s(x, k = 5, by = n)", "d.csv"}, 1, "n is a column of numbers"},
	} {
		inFolder(t, files)
		code, _, errs := run(append([]string{"fit"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("nuts fit %q: code %d, %q, want %d and %q", c.args, code, errs, c.code, c.want)
		}
		if left, _ := os.ReadDir("."); len(left) != len(files) {
			t.Errorf("nuts fit %q left %d files", c.args, len(left))
		}
	}
}

// Ordinary notation of R runs to the end, with names of columns that need backticks, brackets at the end of names, and numbers as
// factors.
func TestFitNotation(t *testing.T) {
	inFolder(t, map[string]string{"d.csv": strings.Replace(rows(), "y,x,g,day,n", "y,x,a (b),day,the n", 1),
		"t.csv": "Dose,half,k,m\n" + strings.Repeat("1,.5,3,4\n1,1.5,4,3\n2,.5,5,5\n2,1.5,6,2\n", 5)})
	for _, args := range [][]string{
		{"y ~ `the n` + log(scale(x) + 3) + `a (b)`", "d.csv"},
		{"y ~ (1 | `a (b)`) + poly(x, 2) - 1", "d.csv"},
		{"k ~ factor(half) * factor(Dose)", "t.csv"},
		{"cbind(k, m) ~ factor(half) + Dose", "t.csv", "-family", "binomial"},
		{"cbind(k, 9 - k) ~ half", "t.csv", "-family", "binomial"},
		{"I(k > 4) ~ half + m^2", "t.csv", "-family", "binomial", "-prior", "b ~ normal(0, 1)"},
		{"factor(Dose) | weights(k) ~ half", "t.csv", "-family", "categorical"},
		{"log(k) ~ half:Dose + I(half^2) + offset(log(m))", "t.csv"},
	} {
		if code, _, errs := run(append([]string{"fit", "-force", "-out", "o", "-iter", "100", "-chains", "2"}, args...)...); code != 0 {
			t.Errorf("%v: code %d, %s", args, code, errs)
		}
	}
}

// Two groups far apart are not one normal distribution, and a variance that grows is not one variance: both are told,
// with the place. With g the first is well.
func TestFitGoodness(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 30))
	var b strings.Builder
	b.WriteString("y,z,x,g,k\n")
	for i := range 120 {
		e, x := r.NormFloat64(), float64(i%30)/10
		fmt.Fprintf(&b, "%v,%v,%v,%s,%d\n", e+6*float64(i%2), math.Exp(x)*e, x, []string{"a", "b"}[i%2], i%3)
	}
	inFolder(t, map[string]string{"d.csv": b.String()})
	for _, c := range []struct{ formula, family, want, not string }{
		{"y ~ 1", "gaussian", "The model does not fit: the residuals do not have the distribution that it says", "no sign"},
		{"y ~ g", "gaussian", "Goodness of fit: no sign that the residuals differ from the model, in shape or across the columns", "not fit"},
		{"z ~ x", "gaussian", "where x = ", "no sign"},
		{"k ~ x", "poisson", "Leave-one-out", "Stein discrepancy of"},
	} {
		code, out, errs := run("fit", "-out", strings.ReplaceAll(c.formula, " ", ""), "-iter", "300", "-family", c.family, c.formula, "d.csv")
		out = strings.Join(strings.Fields(out), " ")
		if code != 0 || !strings.Contains(out, c.want) || strings.Contains(out, c.not) {
			t.Errorf("%s: want %q, not %q, found %d %s\n%s", c.formula, c.want, c.not, code, errs, out)
		}
	}
}

// Of coefficients that the data leave open, or cannot tell apart, no effect is said; rows have their numbers in the file;
// and weighted densities are not compared with others.
func TestFitSaysWhatIsKnown(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("y,x,twice,apart,gap,w,low\n")
	for i := range 60 {
		x := math.Round(1e4*math.Sin(float64(7*i))) / 1e4
		gap := fmt.Sprintf("%.3f", math.Cos(float64(5*i)))
		if i < 3 {
			gap = ""
		}
		y := x + math.Sin(float64(i*i))
		if i == 40 {
			y = 30
		}
		fmt.Fprintf(&b, "%.3f,%.4f,%.4f,%v,%s,%d,%d\n", y, x, 2*x+1, x > 0, gap, 1+i%2, 1-2*(i%2))
	}
	if err := os.WriteFile("d.csv", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	fit := func(out, formula string, more ...string) (int, string, string) {
		return run(append([]string{"fit", "-chains", "2", "-iter", "200", "-warmup", "300", "-out", out, formula, "d.csv"}, more...)...)
	}
	code, out, errs := fit("apart", "apart ~ x", "-family", "bernoulli")
	if code != 0 || !strings.HasPrefix(out, "The data leave b_x open") || strings.Contains(out, "multiplies the odds") ||
		strings.Contains(out, "Leave-one-out") {
		t.Errorf("separation: exit %d, %s%s", code, out, errs)
	}
	code, out, errs = fit("tied", "y ~ x + twice", "-prior", "b ~ normal(0, 1)", "-prior", "sigma ~ flat")
	if code != 0 || strings.Contains(out, "One more of") || !strings.Contains(out, "cannot tell their coefficients apart") {
		t.Errorf("collinear: exit %d, %s%s", code, out, errs)
	}
	code, out, errs = fit("gap", "y ~ x + gap")
	if code != 0 || !strings.Contains(out, "Left out 3 of 60 rows") || !strings.Contains(out, "One more of x") {
		t.Errorf("gaps: exit %d, %s%s", code, out, errs)
	}
	if code, out, errs = run("loo", "-out", "loo", "gap"); code != 0 || !strings.Contains(out, "y[41]") {
		t.Errorf("loo: exit %d, %s%s, want row 41", code, out, errs)
	}
	if code, out, errs = fit("plain", "y ~ x"); code != 0 {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if code, out, errs = fit("weighted", "y | weights(w) ~ x"); code != 0 {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if code, _, errs = run("compare", "-out", "both", "plain", "weighted"); code != 1 || !strings.Contains(errs, "different responses or weights") {
		t.Errorf("compared: exit %d, %s", code, errs)
	}
	for line, want := range map[string]string{
		"y ~ x + offset(log(low))": "log(low) is NaN in row 2 of d.csv",
	} {
		if code, _, errs := fit("wrong", line); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s", line, code, errs)
		}
	}
	if err := os.WriteFile("new.csv", []byte("x\n0.5\nabc\n0.1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run("predict", "-out", "p", "plain", "new.csv"); code != 1 || !strings.Contains(errs, `x is "abc" in line 3`) {
		t.Errorf("predict: exit %d, %s", code, errs)
	}
}

// Products, polynomials and columns in units of their standard deviation have sentences with the numbers that
// made the data.
func TestFitSaysCurves(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,x,g,w\n")
	for i := range 60 {
		x, w, e := float64(i%10), float64(i%7), []float64{.1, -.1, -.1, .1}[i%4]
		y, g := 2+3*x-w+.5*x*w+e, "a"
		if i >= 30 {
			y, g = y+2*x, "b"
		}
		fmt.Fprintf(&b, "%v,%v,%s,%v\n", y, x, g, w)
	}
	inFolder(t, map[string]string{"d.csv": b.String()})
	say := func(formula string) string {
		t.Helper()
		code, out, errs := run("fit", "-force", "-out", "o", "-iter", "300", "-chains", "2", formula, "d.csv")
		if code != 0 {
			t.Fatal(errs)
		}
		return strings.Join(strings.Fields(out), " ")
	}
	number := func(text, pattern string) float64 {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("there is no %q in %s", pattern, text)
		}
		v, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	text := say("y ~ x*w + x:g")
	if got := number(text, `The slope of x is (\S+) higher for each one more of w`); math.Abs(got-.5) > .05 {
		t.Errorf("%v, want about .5", got)
	}
	if got := number(text, `The slope of x is (\S+) higher where g = b than where g = a`); math.Abs(got-2) > .1 {
		t.Errorf("%v, want about 2", got)
	}
	// Where x is 1 and 8, w = 3 the middle one, g = a: 3.5 and 35.
	text = say("y ~ poly(x, 2)*w*g")
	if got := number(text, `The mean of y is (\S+) `); math.Abs(got-3.5) > .3 || !strings.Contains(text, "with w = 3, g = a") {
		t.Errorf("the mean is %v: %s", got, text)
	}
	if text = say("y ~ scale(x)"); !strings.Contains(text, "One standard deviation more of x goes with ") {
		t.Error(text)
	}
	if text = say("y ~ scale(x, scale = FALSE)"); strings.Contains(text, "standard deviation more") {
		t.Error(text)
	}
}

// Columns that are made factors have all levels in the sentences; a curve that turns is said to be least and greatest; rows
// whose responses are censored have no R²; a prior whose responses are no numbers is named.
func TestFitSaysLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	table := []byte("x,k,y,c\n")
	for i := range 90 {
		x := float64(i) / 89
		table = fmt.Appendf(table, "%.4f,%d,%.4f,%d\n", x, 2+i%3, math.Exp(math.Sin(6*x)+float64(i%3)+0.1*r.NormFloat64()), i%5/4)
	}
	inFolder(t, map[string]string{"d.csv": string(table)})
	for _, c := range []struct {
		args []string
		want []string
		not  string
	}{
		{[]string{"log(y) ~ 0 + factor(k)"}, []string{"where k = 2, ", "where k = 3 and ", "where k = 4."}, ""},
		{[]string{"log(y) ~ s(x) + factor(k)"}, []string{"is least where x = 0.7", "and greatest where x = 0.2", "with k = 2.", "R² is"}, ""},
		{[]string{"-family", "lognormal", "y | cens(c) ~ x"}, []string{"Some values of y are censored"}, "R² is"},
	} {
		code, out, errs := run(append(append([]string{"fit", "-iter", "300", "-chains", "2", "-out", "o", "-force"}, c.args...), "d.csv")...)
		text := strings.Join(strings.Fields(out), " ")
		if code != 0 {
			t.Fatal(errs)
		}
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%v: there is no %q in %s", c.args, w, text)
			}
		}
		if c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%v: %q in %s", c.args, c.not, text)
		}
	}
	code, _, errs := run("prior", "-family", "weibull", "-prior", "b ~ normal(0, 1)", "y ~ x", "d.csv")
	if code != 1 || !strings.Contains(errs, "give narrower priors by -prior than some of b ~ normal(0, 1); Intercept ~ ") {
		t.Errorf("%d, %s", code, errs)
	}
}
