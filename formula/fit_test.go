package formula

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"bayeskernel/frame"
	"bayeskernel/internal/long"
	"bayeskernel/nuts"
)

// With flat priors and many rows posteriors are what R's lm, glm and polr give: estimates within a tenth of a
// standard error, standard errors within 5%. Thresholds of polr are named 1|2; intercepts and thresholds have a weak
// prior.
func TestClassical(t *testing.T) {
	data, err := frame.Read(context.Background(), "testdata/classical.csv", frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/classical.txt")
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		if k%3 > 0 && !long.Enabled() {
			continue
		}
		lines := strings.Split(c, "\n")
		of, family, _ := strings.Cut(lines[0], ";")
		f, err := Parse(of)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Model(data, Options{Family: family})
		if err != nil {
			t.Errorf("%s: %v", of, err)
			continue
		}
		c := nuts.Config{}
		c.Seed = 7
		run, err := nuts.Sample(context.Background(), r.Program.Target, c)
		if err != nil {
			t.Fatal(err)
		}
		reported, err := r.Report(run)
		if err != nil {
			t.Fatal(err)
		}
		s := reported.Summary()
		place := map[string]int{}
		for k, p := range s.Parameters {
			place[p.Name] = k
		}
		thresholds := 0
		for _, line := range lines[1:] {
			var name string
			var mean, se float64
			if _, err := fmt.Sscan(line, &name, &mean, &se); err != nil {
				at := strings.LastIndex(line[:strings.LastIndexByte(line, ' ')], " ")
				name = line[:at]
				fmt.Sscan(line[at:], &mean, &se)
			}
			key := "b_" + short(name)
			if strings.Contains(name, "|") {
				thresholds++
				key = element("b_Intercept", thresholds-1)
			}
			k, ok := place[key]
			if !ok {
				t.Errorf("%s: there is no %s among %v", of, key, reported.Names)
				continue
			}
			p := s.Parameters[k]
			if math.Abs(p.Mean-mean) > .1*se || math.Abs(p.SD/se-1) > .05 {
				t.Errorf("%s: %s has mean %.5g and sd %.4g, R %.5g and %.4g", of, key, p.Mean, p.SD, mean, se)
			}
		}
	}
}

// Default priors are those that brms 2.18's get_prior prints for these data.
func TestDefaultPriors(t *testing.T) {
	log := familyByName(t, "gamma")
	y := []float64{1, 2, 3, 4, 100}
	for _, c := range []struct {
		family *family
		y      []float64
		want   string
	}{
		// median(log(y)) = 1.0986, mad 1.0281 (R).
		{log, y, "student_t(3, 1.1, 2.5)"},
		// median 3, mad 1.4826.
		{familyByName(t, "gaussian"), y, "student_t(3, 3, 2.5)"},
		// median 30, mad 14.826.
		{familyByName(t, "student"), []float64{10, 20, 30, 40, 1000}, "student_t(3, 30, 14.8)"},
		{familyByName(t, "bernoulli"), []float64{0, 1, 1}, "student_t(3, 0, 2.5)"},
	} {
		for _, p := range defaultPriors(c.family, c.y, nil) {
			if p.Of == "Intercept" && p.Text != c.want {
				t.Errorf("%s: %s, want %s", c.family.name, p.Text, c.want)
			}
		}
	}
}

func familyByName(t *testing.T, name string) *family {
	f, err := familyOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Mistakes are told in a line, with the place in the formula.
func TestMistakes(t *testing.T) {
	data := table(t)
	for _, c := range []struct{ formula, family, prior, want string }{
		{"y", "", "", "there is no ~"},
		{"y ~ x ~ z", "", "", "there is a second ~"},
		{"y ~ x +", "", "", "the formula ends where a term is expected"},
		{"y ~ (x", "", "", `the formula ends where ")" is expected`},
		{"y ~ log(x", "", "", `the formula ends where ")" is expected`},
		{"y ~ x | g", "", "", "terms of groups stand in brackets"},
		{"y ~ 2 * x", "", "", "the number 2 is no term"},
		{"y ~ x^z", "", "", "is not a whole number"},
		{"y | foo(x) ~ z", "", "", "does not belong beside the response"},
		{"~ x", "", "", "there is no response"},
		{"y ~ w", "", "", `has no column "w"`},
		{"y ~ sqr(x)", "", "", `there is no function sqr(); did you mean "sqrt"?`},
		{"y ~ log(g)", "", "", "g is a column of text"},
		{"g ~ x", "", "", "g holds text"},
		{"z ~ log(y)", "", "", "log(y) is NaN in row"},
		{"y ~ poly(x, 0)", "", "", "the degree of poly(x, 0) is 0"},
		{"y ~ x + I(2 * x)", "", "", "I(2 * x) is a sum of multiples of (Intercept), x; leave one of them out"},
		{"y ~ I(0 * x)", "", "", "I(0 * x) is 0 in every row"},
		{"y ~ I(0 * x + 1)", "", "", "has the same value in every row"},
		{"y ~ x + (1 | x + z)", "", "", "is no column of groups"},
		{"y ~ x + (1 | g) + (1 + x | g)", "", "", "(Intercept) varies over g twice"},
		{"y ~ x + mi(z)", "", "", "mi() is not supported"},
		{"y ~ x", "gausian", "", `did you mean "gaussian"?`},
		{"y ~ x", "poisson", "", "the poisson family wants whole numbers from 0"},
		{"k ~ x", "binomial", "", "binomial family wants 0 or 1, or one of two names, or counts with the number of trials"},
		{"k | trials(k) ~ x", "poisson", "", "go with -family binomial"},
		{"g ~ x", "bernoulli", "", "g has 3 values (a, b, c), want 2"},
		{"y ~ x", "", "b normal(0, 1)", "is not expected here"},
		{"y ~ x", "", "sd ~ normal(0, 1)", "sd is no parameter of this model"},
		{"y ~ x", "", "b ~ norml(0, 1)", `did you mean "normal"?`},
		{"y ~ x", "", "b ~ normal(0)", "the number of arguments is 1, want 2"},
		{"y ~ x", "", "b ~ normal(0, s)", "s is no number"},
		{"y ~ x", "", "b ~ lkj(1)", "correlations have the prior lkj"},
		{"y ~ x", "", "sigma ~ uniform(0, 10)", "sigma ~ uniform(0, 10) leaves out values of sigma, which may be any positive number"},
		{"y ~ x", "", "b ~ gamma(1, 1)", "leaves out values of b, which may be any number"},
	} {
		f, err := Parse(c.formula)
		if err == nil {
			o := Options{Family: c.family}
			if c.prior != "" {
				o.Priors = []string{c.prior}
			}
			_, err = f.Model(data, o)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.formula, err, c.want)
		}
	}
}

// Any text is read or refused, without a panic.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"y ~ x", "y|trials(n)~poly(x,2)+(1+x||g/h)-1", "`a b` ~ (x+z)^3:g %in% h", "~", "y ~ I(x == \"a\")",
		"~(.*.*A)^22"} {
		f.Add(s)
	}
	data, err := frame.Read(context.Background(), "testdata/data.csv", frame.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 60 {
			return
		}
		p, err := Parse(s)
		if err == nil {
			_, _, _ = p.NewDesign(data)
		}
	})
}
