package priors

import (
	"math"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Prior
	}{
		{"gamma(1,1)", Gamma{1, 1}},
		{"Gamma( 2 , 0.5 )", Gamma{2, 0.5}},
		{"\tGAMMA (1e-3,\n1E3) ", Gamma{1e-3, 1e3}},
		{"inv_gamma(3,4)", InvGamma{3, 4}},
		{"inverse-gamma(3,4)", InvGamma{3, 4}},
		{"Inverse Gamma(3,4)", InvGamma{3, 4}},
		{"exponential(2)", Exponential{2}},
		{"normal(-1.5,+2)", Normal{-1.5, 2}},
		{"half-normal(2)", HalfNormal{2}},
		{"halfnormal(2)", HalfNormal{2}},
		{"log_normal(0,1)", LogNormal{0, 1}},
		{"lognormal(0,1)", LogNormal{0, 1}},
		{"student_t(4,0,2.5)", StudentT{4, 0, 2.5}},
		{"Student-T(4,0,2.5)", StudentT{4, 0, 2.5}},
		{"half_cauchy(5)", HalfCauchy{5}},
		{"Half Cauchy(5)", HalfCauchy{5}},
		{"beta(5,5)", Beta{5, 5}},
		{"uniform(-1,1)", Uniform{-1, 1}},
		{"flat", Flat{}},
		{"Flat ( ) ", Flat{}},
		{"gamma(0x1p-3,5e-324)", Gamma{0.125, 5e-324}},
	} {
		if got, err := Parse(c.text); err != nil || got != c.want {
			t.Errorf("Parse(%q) = %v, %v, want %v", c.text, got, err, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const known = "want one of beta, exponential, flat, gamma, half_cauchy, half_normal, inv_gamma, " +
		"lognormal, normal, student_t, uniform"
	for _, c := range []struct{ text, want string }{
		{"", `priors: unknown prior "", ` + known},
		{"(1,1)", `priors: unknown prior "", ` + known},
		{"gama (1,1)", `priors: unknown prior "gama", ` + known},
		{"1", `priors: unknown prior "1", ` + known},
		{"gamma", `priors: gamma takes shape and rate: gamma(shape, rate): got 0 in "gamma"`},
		{"gamma()", `priors: gamma takes shape and rate: gamma(shape, rate): got 0 in "gamma()"`},
		{"gamma(1)", `priors: gamma takes shape and rate: gamma(shape, rate): got 1 in "gamma(1)"`},
		{"student_t(1,2)", `priors: student_t takes df, location and scale: ` +
			`student_t(df, location, scale): got 2 in "student_t(1,2)"`},
		{"exponential(1,2)", `priors: exponential takes rate: exponential(rate): ` +
			`got 2 in "exponential(1,2)"`},
		{"flat(1)", `priors: flat takes no parameters: got 1 in "flat(1)"`},
		{"gamma(1,1,)", `priors: gamma takes shape and rate: gamma(shape, rate): ` +
			`got 3 in "gamma(1,1,)"`},
		{"gamma(1,1", `priors: "gamma(1,1" has no closing parenthesis`},
		{"gamma(1,1) x", `priors: "gamma(1,1) x" goes on after its closing parenthesis`},
		{"gamma(1,(1))", `priors: "gamma(1,(1))" goes on after its closing parenthesis`},
		{"gamma(1,one)", `priors: gamma: rate "one" is not a number`},
		{"gamma(,1)", `priors: gamma: shape "" is not a number`},
		{"gamma(1e999,1)", `priors: gamma: shape "1e999" is too large`},
		{"gamma(-1,1)", "priors: gamma(-1,1): shape is -1, want a positive number"},
		{"gamma(0,1)", "priors: gamma(0,1): shape is 0, want a positive number"},
		{"gamma(1e-999,1)", "priors: gamma(0,1): shape is 0, want a positive number"},
		{"gamma(nan,1)", "priors: gamma(NaN,1): shape is NaN, want a finite number"},
		{"normal(inf,1)", "priors: normal(+Inf,1): mean is +Inf, want a finite number"},
		{"uniform(2,1)", "priors: uniform(2,1): lo is 2 and hi is 1, want lo < hi"},
	} {
		p, err := Parse(c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("Parse(%q) = %v, %v\nwant %s", c.text, p, err, c.want)
		}
	}
	if _, err := Parse(strings.Repeat("gamma(", 1<<20)); err == nil || len(err.Error()) > 300 {
		t.Errorf("a long text must give a short error: %.400v", err)
	}
}

func TestStringRoundTrip(t *testing.T) {
	odd := []Prior{Gamma{1.0 / 3, math.Pi * 1e200}, Normal{-0.1, 5e-324 * 3}, Uniform{-1e-7, 1e21},
		StudentT{math.Nextafter(4, 5), -2.5e-300, 1e7}}
	for _, p := range append(every(), odd...) {
		if got, err := Parse(p.String()); err != nil || got != p {
			t.Errorf("Parse(%q) = %v, %v", p.String(), got, err)
		}
	}
	if got := (Gamma{1, 1}).String(); got != "gamma(1,1)" {
		t.Errorf("String is %q, want gamma(1,1)", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range every() {
		f.Add(p.String())
	}
	for _, s := range []string{"", "(", ")", "flat(", "gamma(1,,)", "normal(nan,1)", "-_ _(,)",
		"uniform(-1.7e308,1.7e308)", "beta(1e308,1e308)", "GAMMA(0x1p-3,1_0)", "half normal(µ)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			if msg := err.Error(); !strings.HasPrefix(msg, "priors: ") || strings.Contains(msg, "\n") {
				t.Errorf("Parse(%q): the error is not one line with our name: %q", s, msg)
			}
			return
		}
		again, err := Parse(p.String())
		if err != nil || again != p || again.String() != p.String() {
			t.Errorf("Parse(%q) = %v, which reads back as %v, %v", s, p, again, err)
		}
		if logp := p.LogDensity(0.5); math.IsNaN(logp) || math.IsInf(logp, 1) {
			t.Errorf("%v: log density %v at 0.5", p, logp)
		}
	})
}
