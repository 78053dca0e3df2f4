package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"bayeskernel/examples/internal/report"
	"bayeskernel/frame"
	"bayeskernel/internal/density"
)

// source is a regression, and data that it makes: a value of y for the sum of terms eta.
type source struct {
	name, formula, family string
	rows                  int
	y                     func(r *rand.Rand, eta float64) float64
	law                   func(r *rand.Rand) func(r *rand.Rand, eta float64) float64 // makes y, where that differs from set to set
}

var sources = []source{
	{"normal", "y ~ x1", "gaussian", 50, func(r *rand.Rand, eta float64) float64 { return 2 + 3*eta + r.NormFloat64() }, nil},
	{"normal, 20 rows", "y ~ 1", "gaussian", 20, func(r *rand.Rand, eta float64) float64 { return 100 + 7*r.NormFloat64() }, nil},
	{"normal, 6 columns", "y ~ x1 + x2 + x3 + x4 + x5 + x6", "gaussian", 40,
		func(r *rand.Rand, eta float64) float64 { return eta + r.NormFloat64() }, nil},
	{"normal, groups", "y ~ x1 + (1 | g)", "gaussian", 60, func(r *rand.Rand, eta float64) float64 { return eta + r.NormFloat64() }, nil},
	{"normal, smooth", "y ~ s(x1)", "gaussian", 80, func(r *rand.Rand, eta float64) float64 { return math.Sin(3*eta) + r.NormFloat64() }, nil},
	{"student", "y ~ x1", "student", 60, func(r *rand.Rand, eta float64) float64 {
		f := density.StudentT()
		return eta + f.Rand(r, &density.Params{4, 0, 1})
	}, nil},
	{"student, 24 rows", "y ~ 1", "student", 24, func(r *rand.Rand, _ float64) float64 {
		f := density.StudentT()
		return f.Rand(r, &density.Params{3, 0, 1})
	}, nil},
	{name: "student, 24 rows, from its prior", formula: "y ~ 1", family: "student", rows: 24,
		law: func(r *rand.Rand) func(*rand.Rand, float64) float64 {
			g, f := density.Gamma(), density.StudentT()
			nu := math.Max(1, g.Rand(r, &density.Params{2, .1}))
			return func(r *rand.Rand, _ float64) float64 { return f.Rand(r, &density.Params{nu, 0, 1}) }
		}},
	{"mixture of three normals", "", "", 80, func(r *rand.Rand, _ float64) float64 {
		k := min(2, r.IntN(10)/2) // two tenths, two tenths, six tenths
		return []float64{10, 33, 21}[k] + []float64{.5, .9, 2}[k]*r.NormFloat64()
	}, nil},
	{"lognormal", "y ~ x1", "lognormal", 50, func(r *rand.Rand, eta float64) float64 { return math.Exp(eta + .7*r.NormFloat64()) }, nil},
	{"gamma", "y ~ x1", "gamma", 50, func(r *rand.Rand, eta float64) float64 {
		f := density.Gamma()
		return math.Max(1e-9, f.Rand(r, &density.Params{1.5, 1.5 * math.Exp(-eta)}))
	}, nil},
	{"weibull", "y ~ x1", "weibull", 50, func(r *rand.Rand, eta float64) float64 {
		return math.Exp(eta) * math.Pow(r.ExpFloat64()+1e-9, 1/1.5)
	}, nil},
	{"beta", "y ~ x1", "beta", 50, func(r *rand.Rand, eta float64) float64 {
		f, m := density.BetaProportion(), 1/(1+math.Exp(-eta))
		return math.Min(1-1e-9, math.Max(1e-9, f.Rand(r, &density.Params{m, 6})))
	}, nil},
}

// level is one data set.
type level struct {
	Case                string
	Set                 int
	P, PShape, PColumns float64 // the last -1 without columns; P -1 if the chains do not agree
}

// Of says which data set this is.
func (l level) Of() (string, int) { return l.Case, l.Set }

// make makes a table.
func (s source) make(ctx context.Context, seed uint64) (*frame.Frame, error) {
	r := rand.New(rand.NewPCG(seed, 0x1e7e1))
	if s.law != nil {
		s.y = s.law(r)
	}
	var b bytes.Buffer
	b.WriteString("y,x1,x2,x3,x4,x5,x6,g\n")
	groups := make([]float64, 12)
	for g := range groups {
		groups[g] = r.NormFloat64()
	}
	for i := range s.rows {
		var x [6]float64
		for a := range x {
			x[a] = r.NormFloat64()
		}
		eta := x[0]
		if strings.Contains(s.formula, "| g") {
			eta += groups[i%12]
		}
		fmt.Fprintf(&b, "%g", s.y(r, eta))
		for _, v := range x {
			fmt.Fprintf(&b, ",%g", v)
		}
		fmt.Fprintf(&b, ",g%d\n", i%12)
	}
	return frame.Read(ctx, "-", frame.Options{Stdin: &b})
}

func levels(ctx context.Context, s report.Study, out io.Writer) error {
	var cases []report.Case
	for _, c := range sources {
		cases = append(cases, report.Case{Name: c.name, Sets: 400})
	}
	done, err := report.Measure(ctx, s, cases, func(i, set int) (level, error) {
		c := sources[i]
		seed := s.Seed + uint64(set)
		l := level{Case: c.name, Set: set, PColumns: -1}
		t, err := c.make(ctx, seed)
		if err != nil {
			return l, err
		}
		m := fitted{formula: c.formula, family: c.family}
		if c.formula == "" {
			m.declared = threeNormals
		}
		g, err := test(ctx, t, m, seed)
		if errors.Is(err, errApart) {
			l.P = -1
			return l, nil
		}
		if err != nil {
			return l, err
		}
		if l.P, l.PShape = g.P, g.PShape; !math.IsNaN(g.PGiven) {
			l.PColumns = g.PGiven
		}
		return l, nil
	})
	if len(done) == 0 {
		return err
	}
	fmt.Fprintf(out, "Data of regressions that are fitted to them, seeds from %d: how often p is at most .05 and .01, and p of the shape and of the\n"+
		"columns at most .05. Sets whose chains do not agree are left out.\n\n| data | sets | .05 | .01 | shape, .05 | columns, .05 |\n| --- | --: | --: | --: | --: | --: |\n", s.Seed)
	for _, c := range sources {
		var count [4]int
		n := 0
		for _, l := range done[c.name] {
			if l.P < 0 {
				continue
			}
			n++
			for k, hit := range []bool{l.P <= .05, l.P <= .01, l.PShape <= .05, l.PColumns >= 0 && l.PColumns <= .05} {
				if hit {
					count[k]++
				}
			}
		}
		if n > 0 {
			fmt.Fprintf(out, "| %s | %d | %.3f | %.3f | %.3f | %.3f |\n", c.name, n, float64(count[0])/float64(n), float64(count[1])/float64(n),
				float64(count[2])/float64(n), float64(count[3])/float64(n))
		}
	}
	return err
}
