package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"

	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
	"bayeskernel/stein/runs"
)

// plain is a density of coordinates that are the values themselves.
type plain struct {
	dim int
	f   func(x, grad []float64) float64
}

func (p plain) Dim() int                                        { return p.dim }
func (p plain) LogDensity(x, grad []float64) float64            { return p.f(x, grad) }
func (p plain) Unconstrain(values []float64) ([]float64, error) { return values, nil }

// each is a density of independent coordinates with log density f and score df.
func each(dim int, f, df func(x float64) float64) plain {
	return plain{dim, func(x, grad []float64) float64 {
		lp := 0.0
		for a, v := range x {
			lp += f(v)
			grad[a] = df(v)
		}
		return lp
	}}
}

func normals(dim int) plain {
	return each(dim, func(x float64) float64 { return -x * x / 2 }, func(x float64) float64 { return -x })
}

// t5 has the variance 1.
func t5(dim int) plain {
	return each(dim, func(x float64) float64 { return -3 * math.Log1p(x*x/3) }, func(x float64) float64 { return -6 * x / (3 + x*x) })
}

// correlated normals: each coordinate is .9 of the one before, and noise.
func correlated(dim int) plain {
	return plain{dim, func(x, grad []float64) float64 {
		lp, w := -x[0]*x[0]/2, 1/(1-.81)
		grad[0] = -x[0]
		for a := 1; a < dim; a++ {
			d := x[a] - .9*x[a-1]
			lp -= w * d * d / 2
			grad[a] = -w * d
			grad[a-1] += .9 * w * d
		}
		return lp
	}}
}

func banana() plain {
	return plain{2, func(x, grad []float64) float64 {
		d := x[1] - x[0]*x[0]/2
		grad[0], grad[1] = -x[0]+d*x[0], -d
		return -x[0]*x[0]/2 - d*d/2
	}}
}

// modes are two normals so far apart in the first of dim coordinates, with a share of the lower one.
func modes(dim int, apart, share float64) plain {
	return plain{dim, func(x, grad []float64) float64 {
		lp := 0.0
		for a := range x {
			lp -= x[a] * x[a] / 2
			grad[a] = -x[a]
		}
		l := math.Log(1-share) - math.Log(share) + apart*x[0] - apart*apart/2
		up := 1 / (1 + math.Exp(-l))
		grad[0] += apart * up
		return lp + math.Log(share) + math.Max(l, 0) + math.Log1p(math.Exp(-math.Abs(l)))
	}}
}

// logistic is a regression of 100 outcomes on ten columns, with a normal prior.
func logistic(seed uint64, prior float64) plain {
	r := rand.New(rand.NewPCG(seed, 0x109))
	var x [][]float64
	var y []float64
	for range 100 {
		row, eta, one := make([]float64, 10), 0.0, 0.0
		for a := range row {
			row[a] = r.NormFloat64()
			eta += row[a] * float64(a-5) / 5
		}
		if r.Float64() < 1/(1+math.Exp(-eta)) {
			one = 1
		}
		x, y = append(x, row), append(y, one)
	}
	return plain{10, func(b, grad []float64) float64 {
		lp := 0.0
		for a, v := range b {
			lp -= v * v / (2 * prior * prior)
			grad[a] = -v / (prior * prior)
		}
		for i, row := range x {
			eta := 0.0
			for a, v := range row {
				eta += v * b[a]
			}
			lp += y[i]*eta - math.Log1p(math.Exp(eta))
			p := 1 / (1 + math.Exp(-eta))
			for a, v := range row {
				grad[a] += (y[i] - p) * v
			}
		}
		return lp
	}}
}

// schools is the meta-analysis of eight schools.
func schools() (*model.Program, error) {
	m := model.New()
	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfCauchy(5))
	theta := m.Reals("theta", 8, model.Normal(mu, tau), model.NonCentred)
	m.Observe(m.Data("y", []float64{28, 8, -3, 7, -1, 1, 18, 12}), model.Normal(theta, []float64{15, 10, 16, 11, 9, 11, 10, 18}))
	return m.Compile()
}

// ofProgram is the target of a program.
type ofProgram struct {
	hmc.Target
	*model.Program
}

func (o ofProgram) Unconstrain(values []float64) ([]float64, error) {
	return o.Program.Unconstrain(values)
}

// sampled is a run of NUTS of a target.
func sampled(ctx context.Context, seed uint64, t plain) (*draws.Run, error) {
	var c nuts.Config
	c.Seed, c.Parallel = seed, 1
	return nuts.Sample(ctx, hmc.Shared(t), c)
}

// made is a run of four chains of 1000 rows.
func made(dim int, row func(c, i int, last []float64) []float64) *draws.Run {
	run := &draws.Run{}
	for a := range dim {
		run.Names = append(run.Names, fmt.Sprintf("x[%d]", a))
	}
	for c := range 4 {
		var chain draws.Chain
		var last []float64
		for i := range 1000 {
			last = row(c, i, last)
			chain.Values, chain.Stats = append(chain.Values, last), append(chain.Stats, draws.Stat{})
		}
		run.Chains = append(run.Chains, chain)
	}
	return run
}

// remembering are chains of normal values that keep rho of what they were, times scale.
func remembering(seed uint64, dim int, rho, scale float64) *draws.Run {
	r := rand.New(rand.NewPCG(seed, 0xa21))
	return made(dim, func(_, _ int, last []float64) []float64 {
		x := make([]float64, dim)
		for a := range x {
			x[a] = r.NormFloat64()
			if last != nil {
				x[a] = rho*last[a]/scale + math.Sqrt(1-rho*rho)*x[a]
			}
			x[a] *= scale
		}
		return x
	})
}

// kind is what the check should say of a run.
type kind int

const (
	sound kind = iota
	fault
	blind // a mode that was missed, far away: nothing can be said
)

// constructed is a run, with the density that it is compared with.
type constructed struct {
	name string
	kind kind
	sets int
	make func(ctx context.Context, seed uint64) (*draws.Run, runs.Target, error)
}

// of is a run that needs no sampler.
func of(run func(seed uint64) *draws.Run, t plain) func(context.Context, uint64) (*draws.Run, runs.Target, error) {
	return func(_ context.Context, seed uint64) (*draws.Run, runs.Target, error) { return run(seed), t, nil }
}

// by is a run of NUTS of one density, compared with another.
func by(t, other plain) func(context.Context, uint64) (*draws.Run, runs.Target, error) {
	return func(ctx context.Context, seed uint64) (*draws.Run, runs.Target, error) {
		run, err := sampled(ctx, seed, t)
		return run, other, err
	}
}

var constructions = []constructed{
	{"independent, 2 columns", sound, 2, of(func(s uint64) *draws.Run { return remembering(s, 2, 0, 1) }, normals(2))},
	{"independent, 10 columns", sound, 2, of(func(s uint64) *draws.Run { return remembering(s, 10, 0, 1) }, normals(10))},
	{"chains that keep .9", sound, 2, of(func(s uint64) *draws.Run { return remembering(s, 2, .9, 1) }, normals(2))},
	{"chains that keep .97", sound, 2, of(func(s uint64) *draws.Run { return remembering(s, 2, .97, 1) }, normals(2))},
	{"NUTS, normal, 10 columns", sound, 2, by(correlated(10), correlated(10))},
	{"NUTS, banana", sound, 3, by(banana(), banana())},
	{"NUTS, t5", sound, 2, by(t5(5), t5(5))},
	{"NUTS, logistic", sound, 2, by(logistic(1, 2), logistic(1, 2))},
	{"NUTS, eight schools", sound, 3, func(ctx context.Context, seed uint64) (*draws.Run, runs.Target, error) {
		p, err := schools()
		if err != nil {
			return nil, nil, err
		}
		t, err := p.Target()
		if err != nil {
			return nil, nil, err
		}
		var c nuts.Config
		c.Seed, c.Parallel, c.TargetAccept = seed, 1, .95
		run, err := nuts.Sample(ctx, p.Target, c)
		return run, ofProgram{t, p}, err
	}},
	{"variance 10% too large, 10 columns", fault, 4,
		of(func(s uint64) *draws.Run { return remembering(s, 10, 0, math.Sqrt(1.1)) }, normals(10))},
	{"t5 is asked for, the draws are normal, 2 columns", fault, 3, of(func(s uint64) *draws.Run { return remembering(s, 2, 0, 1) }, t5(2))},
	{"the same, 10 columns", fault, 3, of(func(s uint64) *draws.Run { return remembering(s, 10, 0, 1) }, t5(10))},
	{"logistic, another prior", fault, 4, by(logistic(1, 1), logistic(1, 2))},
	{"one mode of two, 2.5 sd apart", fault, 4, of(func(s uint64) *draws.Run { return remembering(s, 1, 0, 1) }, modes(1, 2.5, .5))},
	{"chains in modes of their own", fault, 2, of(func(s uint64) *draws.Run {
		r := rand.New(rand.NewPCG(s, 0x30de))
		return made(2, func(c, _ int, _ []float64) []float64 {
			return []float64{r.NormFloat64() + 8*float64(c%2), r.NormFloat64()}
		})
	}, modes(2, 8, .3))},
	{"one mode of two, 10 sd apart", blind, 4, of(func(s uint64) *draws.Run { return remembering(s, 2, 0, 1) }, modes(2, 10, .5))},
}

// inspection is one run.
type inspection struct {
	Case             string
	Set              int
	P, Discrepancy   float64 // -1 where too few blocks
	Suspect, Warned  bool    // by the gradients; by R-hat
	Sentence, Faulty string  // Faulty: what is wrong with the sentence
}

// Of says which run this is.
func (i inspection) Of() (string, int) { return i.Case, i.Set }

// claims is what no sentence may say.
var claims = regexp.MustCompile(`(?i)converge|correct|all modes|valid|reliable`)

func inspect(ctx context.Context, c constructed, set int, seed uint64) (inspection, error) {
	out := inspection{Case: c.name, Set: set, Discrepancy: -1}
	run, target, err := c.make(ctx, seed)
	if err != nil {
		return out, err
	}
	points, err := runs.Read(ctx, run, target, nil, 0)
	if err != nil {
		return out, err
	}
	found, err := runs.Inspect(points, runs.Options{Seed: seed})
	if err != nil {
		return out, err
	}
	out.P, out.Suspect, out.Warned, out.Sentence = found.P, found.Suspect(), runs.Apart(run), found.Sentence()
	checked := !math.IsNaN(found.PDiscrepancy)
	if checked {
		out.Discrepancy = found.PDiscrepancy
	}
	shape := regexp.MustCompile(`Stein discrepancy`).MatchString(out.Sentence)
	limit := regexp.MustCompile(`This says nothing of modes that no chain has visited\.$`).MatchString(out.Sentence)
	switch {
	case claims.MatchString(out.Sentence):
		out.Faulty = "claims too much"
	case shape && !checked:
		out.Faulty = "speaks of a discrepancy that was not compared"
	case !out.Suspect && !limit:
		out.Faulty = "does not say what it is blind to"
	}
	return out, nil
}

// inspections are those of all runs of a list, by their names.
func inspections(ctx context.Context, s report.Study, list []constructed) (map[string]map[int]inspection, error) {
	return report.MeasureEach(ctx, s, list, func(c constructed) report.Case { return report.Case{Name: c.name, Sets: c.sets} },
		func(c constructed, set int) (inspection, error) { return inspect(ctx, c, set, s.Seed+uint64(set)) })
}

func inspected(ctx context.Context, s report.Study, out io.Writer) error {
	done, err := inspections(ctx, s, constructions)
	if len(done) == 0 {
		return err
	}
	fmt.Fprintf(out, "Runs of 4 chains of 1000 draws, seeds from %d: how many are suspect by the gradients, how many more by R-hat, how many sentences claim\n"+
		"what was not checked.\n\n| run | kind | runs | suspect | R-hat alone | wrong sentences |\n| --- | --- | --: | --: | --: | --: |\n", s.Seed)
	names, total := []string{"sound", "fault", "blind spot"}, [3][4]int{}
	for _, c := range constructions {
		var n [4]int
		for _, r := range done[c.name] {
			n[0]++
			if r.Suspect {
				n[1]++
			} else if r.Warned {
				n[2]++
			}
			if r.Faulty != "" {
				n[3]++
			}
		}
		if n[0] == 0 {
			continue
		}
		for k, v := range n {
			total[c.kind][k] += v
		}
		fmt.Fprintf(out, "| %s | %s | %d | %d | %d | %d |\n", c.name, names[c.kind], n[0], n[1], n[2], n[3])
	}
	for k, n := range total {
		if n[0] > 0 {
			fmt.Fprintf(out, "| all | %s | %d | %d | %d | %d |\n", names[k], n[0], n[1], n[2], n[3])
		}
	}
	return err
}
