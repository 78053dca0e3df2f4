package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/examples/internal/report"
)

// directions is what DirectLiNGAM made of one data set.
type directions struct {
	Case  string `json:"case"`
	Set   int    `json:"set"`
	Exact bool   `json:"exact"`
	Edges int    `json:"edges"`
	Right int    `json:"right"` // arrows of the DAG
	Wrong int    `json:"wrong"` // other arrows
}

func (d directions) Of() (string, int) { return d.Case, d.Set }

func lingam(ctx context.Context, s report.Study, out io.Writer) error {
	list := []struct {
		name string
		of   noise
		sets int
	}{{"laplace", laplace, 20}, {"uniform", uniform, 20}, {"normal", normal, 100}}
	var cases []report.Case
	for _, l := range list {
		cases = append(cases, report.Case{Name: l.name, Sets: l.sets})
	}
	done, err := report.Measure(ctx, s, cases, func(i, set int) (directions, error) {
		d := directions{Case: list[i].name, Set: set}
		r := rand.New(rand.NewPCG(s.Seed, uint64(i)<<32|uint64(set)))
		dag := randomDAG(r, 10, 2)
		m, _ := linear(r, dag, 1000, list[i].of)
		data, err := causal.NewData(dag.Names(), m)
		if err != nil {
			return d, err
		}
		got, err := causal.LiNGAM(ctx, data, causal.Options{})
		if err != nil {
			return d, err
		}
		d.Exact, d.Edges = got.Graph.Equal(dag), len(got.Graph.Edges())
		arrows := arrowsOf(got.Graph, func(a, b string) bool { return dag.Points(dag.Index(a), dag.Index(b)) })
		d.Right, d.Wrong = arrows[0], arrows[1]
		return d, nil
	})
	if err != nil {
		return err
	}
	fmt.Fprint(out, "| noise | sets | exact | edges | arrows right | wrong | sets with an arrow |\n"+
		"| --- | --: | --: | --: | --: | --: | --: |\n")
	for _, c := range cases {
		var n [5]int
		for _, d := range done[c.Name] {
			for k, v := range []int{report.One(d.Exact), d.Edges, d.Right, d.Wrong, report.One(d.Right+d.Wrong > 0)} {
				n[k] += v
			}
		}
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %d |\n", c.Name, len(done[c.Name]), n[0], n[1], n[2], n[3], n[4])
	}
	return nil
}

// held says whether intervals hold an effect.
type held struct {
	Case     string `json:"case"`
	Set      int    `json:"set"`
	Drawn    int    `json:"drawn"` // graphs until one was learned without error
	Possible int    `json:"possible"`
	Interval bool   `json:"interval"`
	Adjusted int    `json:"adjusted"` // 1 holds it, -1 does not, 0 there is none
}

func (h held) Of() (string, int) { return h.Case, h.Set }

// effect measures a random pair of a DAG of 6 nodes whose class PC finds in 1000 rows.
func effect(ctx context.Context, seed uint64, set int) (held, error) {
	const p, n = 6, 1000
	h := held{Case: "effects", Set: set}
	r := rand.New(rand.NewPCG(seed, uint64(set)))
	for {
		h.Drawn++
		dag := randomDAG(r, p, 2)
		class, err := dag.CPDAG()
		if err != nil {
			return h, err
		}
		m, b := linear(r, dag, n, normal)
		data, err := causal.NewData(dag.Names(), m)
		if err != nil {
			return h, err
		}
		test, err := causal.NewFisherZ(data)
		if err != nil {
			return h, err
		}
		got, err := causal.PC(ctx, test, causal.Options{Parallel: 1})
		if err != nil {
			return h, err
		}
		pair := r.Perm(p)[:2]
		if !got.Graph.Equal(class) {
			continue
		}
		e, err := causal.EffectOf(data, got.Graph, dag.Name(pair[0]), dag.Name(pair[1]), nil)
		if err != nil {
			return h, err
		}
		if e.None {
			continue
		}
		truth := total(dag, b, pair[0])[pair[1]]
		h.Possible, h.Interval = len(e.Possible), e.Low <= truth && truth <= e.High
		if a := e.Adjusted; a != nil {
			h.Adjusted = 2*report.One(a.Low <= truth && truth <= a.High) - 1
		}
		return h, nil
	}
}

// total are the effects of a node on all others: the sums over directed paths of the products of coefficients.
func total(dag *graph.Graph, b []float64, from int) []float64 {
	p := dag.Len()
	out := make([]float64, p)
	out[from] = 1
	for _, j := range sorted(dag) {
		for _, i := range dag.Parents(j) {
			if j != from {
				out[j] += out[i] * b[i*p+j]
			}
		}
	}
	return out
}

func effects(ctx context.Context, s report.Study, out io.Writer) error {
	done, err := report.Measure(ctx, s, []report.Case{{Name: "effects", Sets: 200}},
		func(_, set int) (held, error) { return effect(ctx, s.Seed, set) })
	if err != nil {
		return err
	}
	interval, adjusted, all, several, within := 0, 0, 0, 0, 0
	for _, h := range done["effects"] {
		interval += report.One(h.Interval)
		several += report.One(h.Possible > 1)
		within += report.One(h.Possible > 1 && h.Interval)
		all += report.One(h.Adjusted != 0)
		adjusted += report.One(h.Adjusted > 0)
	}
	fmt.Fprintf(out, "The interval over the class holds the true effect in %d of %d graphs (in %d of the %d with several "+
		"possible sets of parents), the adjusted one in %d of %d.\n", interval, len(done["effects"]), within, several, adjusted, all)
	return nil
}
