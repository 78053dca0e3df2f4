package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/examples/internal/report"
	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// untold is a law whose directions no rows can tell.
type untold struct {
	name   string
	sets   int
	hidden bool // learned with hidden causes allowed for
	kernel bool
	n      int
	draw   func(r *rand.Rand, n int) *mat.Dense
}

func untolds() []untold {
	tree := func(p int, draw func(*rand.Rand, *graph.Graph, int) *mat.Dense) func(*rand.Rand, int) *mat.Dense {
		return func(r *rand.Rand, n int) *mat.Dense { return draw(r, randomTree(r, p), n) }
	}
	straight := func(r *rand.Rand, g *graph.Graph, n int) *mat.Dense {
		m, _ := linear(r, g, n, normal)
		return m
	}
	complete := func(r *rand.Rand, n int) *mat.Dense { return straight(r, randomDAG(r, 4, 3), n) }
	return []untold{
		{name: "tree of 6, n = 200", sets: 200, n: 200, draw: tree(6, straight)},
		{name: "tree of 6, n = 1000", sets: 200, n: 1000, draw: tree(6, straight)},
		{name: "all of 4 joined, n = 500", sets: 200, n: 500, draw: complete},
		{name: "hidden causes of pairs of 6, allowed for, n = 200", sets: 200, hidden: true, n: 200, draw: hiddenPairs},
		{name: "hidden causes of pairs of 6, allowed for, n = 1000", sets: 200, hidden: true, n: 1000, draw: hiddenPairs},
		{name: "hidden causes of pairs of 6, not allowed for, n = 1000", sets: 200, n: 1000, draw: hiddenPairs},
		{name: "tree of 4, curved, kernel tests, n = 150", sets: 200, kernel: true, n: 150, draw: tree(4, curved)},
	}
}

// randomTree has a root and arrows away from it: no node has two causes, and no arrow can be told.
func randomTree(r *rand.Rand, p int) *graph.Graph {
	g, err := graph.New(nodes(p))
	if err != nil {
		panic(err)
	}
	order := r.Perm(p)
	for k := 1; k < p; k++ {
		g.Set(order[r.IntN(k)], order[k], graph.Tail, graph.Arrow)
	}
	return g
}

// hiddenPairs draws six columns of which none has an effect on another: each of six hidden causes has effects
// on two random ones.
func hiddenPairs(r *rand.Rand, n int) *mat.Dense {
	const p = 6
	g, err := graph.New(nodes(2 * p))
	if err != nil {
		panic(err)
	}
	for k := p; k < 2*p; k++ {
		two := r.Perm(p)[:2]
		g.Set(k, two[0], graph.Tail, graph.Arrow)
		g.Set(k, two[1], graph.Tail, graph.Arrow)
	}
	m, _ := linear(r, g, n, normal)
	return mat.DenseCopyOf(m.Slice(0, n, 0, p))
}

// told is what a headline would say of one data set.
type told struct {
	Case     string `json:"case"`
	Set      int    `json:"set"`
	Directed int    `json:"directed"` // single arrows that most half-samples have
	Linked   int    `json:"linked"`
	All      int    `json:"all"` // single arrows of the graph of all rows
}

func (t told) Of() (string, int) { return t.Case, t.Set }

func (u untold) measure(ctx context.Context, seed uint64, set int) (told, error) {
	out := told{Case: u.name, Set: set}
	rows := u.draw(rand.New(rand.NewPCG(seed, uint64(set)<<20|uint64(u.n))), u.n)
	_, p := rows.Dims()
	data, err := causal.NewData(nodes(p), rows)
	if err != nil {
		return out, err
	}
	open := func(d *causal.Data, seed uint64) (causal.Test, error) {
		if u.kernel {
			return causal.NewKernel(d, conditional.Options{Seed: seed})
		}
		return causal.NewFisherZ(d)
	}
	learn := causal.PC
	name := "PC"
	if u.hidden {
		learn, name = causal.FCI, "FCI"
	}
	test, err := open(data, seed)
	if err != nil {
		return out, err
	}
	o := causal.Options{Parallel: 1}
	got, err := learn(ctx, test, o)
	if err != nil {
		return out, err
	}
	stable, err := causal.Stability(ctx, u.n, func(rows []int, seed uint64) (causal.Test, error) {
		half, err := data.Subset(rows)
		if err != nil {
			return nil, err
		}
		return open(half, seed)
	}, o, causal.StabilityOptions{Replicates: 100, Seed: seed, Algorithm: learn, Name: name})
	if err != nil {
		return out, err
	}
	for _, e := range got.Graph.Edges() {
		if e.Type() == "directed" {
			out.All++
		}
		if sure, there := stable.Levels[0].Sure(e, u.hidden); there {
			out.Linked++
			if sure.Type() == "directed" {
				out.Directed++
			}
		}
	}
	return out, nil
}

func headlines(ctx context.Context, s report.Study, out io.Writer) error {
	list := untolds()
	done, err := report.MeasureEach(ctx, s, list, func(u untold) report.Case { return report.Case{Name: u.name, Sets: u.sets} },
		func(u untold, set int) (told, error) { return u.measure(ctx, s.Seed, set) })
	if err != nil {
		return err
	}
	fmt.Fprint(out, "Data sets whose headline claims a direction though none can be told, and those in which the graph "+
		"of all rows has one:\n\n| law | sets | headline | graph of all rows | pairs linked, mean |\n| --- | --: | --: | --: | --: |\n")
	for _, u := range list {
		of := done[u.name]
		if len(of) == 0 {
			continue
		}
		claims, all, linked := 0, 0, 0
		for _, t := range of {
			if t.Directed > 0 {
				claims++
			}
			if t.All > 0 {
				all++
			}
			linked += t.Linked
		}
		fmt.Fprintf(out, "| %s | %d | %d | %d | %.1f |\n", u.name, len(of), claims, all, float64(linked)/float64(len(of)))
	}
	return nil
}
