package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/examples/internal/report"
	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// law is one whose directions no rows can tell, or, where some can be told, one whose graph is known.
type law struct {
	name   string
	sets   int
	hidden bool // learned with hidden causes allowed for
	kernel bool
	told   bool // some directions can be told
	n      int
	draw   func(r *rand.Rand, n int) (*mat.Dense, *graph.Graph)
}

func laws() []law {
	type mechanism = func(*rand.Rand, *graph.Graph, int) *mat.Dense
	of := func(random func(*rand.Rand) *graph.Graph, rows mechanism) func(*rand.Rand, int) (*mat.Dense, *graph.Graph) {
		return func(r *rand.Rand, n int) (*mat.Dense, *graph.Graph) {
			g := random(r)
			return rows(r, g, n), g
		}
	}
	straight := func(r *rand.Rand, g *graph.Graph, n int) *mat.Dense {
		m, _ := linear(r, g, n, normal)
		return m
	}
	tree := func(p int, rows mechanism) func(*rand.Rand, int) (*mat.Dense, *graph.Graph) {
		return of(func(r *rand.Rand) *graph.Graph { return randomTree(r, p) }, rows)
	}
	complete := of(func(r *rand.Rand) *graph.Graph { return randomDAG(r, 4, 3) }, straight)
	open := of(randomUntold, straight)
	sparse := of(func(r *rand.Rand) *graph.Graph { return randomDAG(r, 8, 2) }, straight)
	return []law{
		{name: "tree of 6, n = 200", sets: 200, n: 200, draw: tree(6, straight)},
		{name: "tree of 6, n = 1000", sets: 200, n: 1000, draw: tree(6, straight)},
		{name: "random of 5, n = 500", sets: 200, n: 500, draw: open},
		{name: "random of 5, n = 2000", sets: 200, n: 2000, draw: open},
		{name: "all of 4 joined, n = 500", sets: 200, n: 500, draw: complete},
		{name: "all of 4 joined, n = 2000", sets: 200, n: 2000, draw: complete},
		{name: "hidden causes of pairs of 6, allowed for, n = 200", sets: 200, hidden: true, n: 200, draw: hiddenPairs},
		{name: "hidden causes of pairs of 6, allowed for, n = 1000", sets: 200, hidden: true, n: 1000, draw: hiddenPairs},
		{name: "hidden causes of pairs of 6, not allowed for, n = 1000", sets: 200, n: 1000, draw: hiddenPairs},
		{name: "tree of 4, curved, kernel tests, n = 150", sets: 200, kernel: true, n: 150, draw: tree(4, curved)},
		{name: "random of 8, n = 500", sets: 200, told: true, n: 500, draw: sparse},
		{name: "random of 8, n = 2000", sets: 200, told: true, n: 2000, draw: sparse},
	}
}

// randomUntold is a random graph of 5 nodes and degree 2 whose class has no arrow.
func randomUntold(r *rand.Rand) *graph.Graph {
	for {
		g := randomDAG(r, 5, 2)
		if class, err := g.CPDAG(); err == nil && !slices.ContainsFunc(class.Edges(), directed) {
			return g
		}
	}
}

func directed(e graph.Edge) bool { return e.Type() == "directed" }

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
func hiddenPairs(r *rand.Rand, n int) (*mat.Dense, *graph.Graph) {
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
	return mat.DenseCopyOf(m.Slice(0, n, 0, p)), nil
}

// told is what a headline would say of one data set.
type told struct {
	Case   string `json:"case"`
	Set    int    `json:"set"`
	Linked int    `json:"linked"`
	// Single arrows that a headline names, that most half-samples have, and of the graph of all rows; then those of them that
	// the true graph has too.
	Named, Most, All                int
	NamedRight, MostRight, AllRight int
}

func (t told) Of() (string, int) { return t.Case, t.Set }

func (u law) measure(ctx context.Context, seed uint64, set int) (told, error) {
	out := told{Case: u.name, Set: set}
	rows, truth := u.draw(rand.New(rand.NewPCG(seed, uint64(set)<<20|uint64(u.n))), u.n)
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
	count := func(all, right *int, e graph.Edge) {
		*all++
		if truth != nil && truth.Points(truth.Index(e.From), truth.Index(e.To)) {
			*right++
		}
	}
	halves := stable.Levels[0]
	for _, e := range got.Graph.Edges() {
		if directed(e) {
			count(&out.All, &out.AllRight, e)
		}
		sure, there := halves.Sure(e, u.hidden)
		if !there {
			continue
		}
		out.Linked++
		if !directed(sure) {
			continue
		}
		count(&out.Most, &out.MostRight, sure)
		if u.hidden || halves.Certain(sure) {
			count(&out.Named, &out.NamedRight, sure)
		}
	}
	return out, nil
}

func headlines(ctx context.Context, s report.Study, out io.Writer) error {
	list := laws()
	done, err := report.MeasureEach(ctx, s, list, func(u law) report.Case { return report.Case{Name: u.name, Sets: u.sets} },
		func(u law, set int) (told, error) { return u.measure(ctx, s.Seed, set) })
	if err != nil {
		return err
	}
	fmt.Fprint(out, "Data sets with an arrow though none can be told: in the headline, in most half-samples, in the graph of all "+
		"rows:\n\n| law | sets | headline | most halves | all rows | pairs linked, mean |\n| --- | --: | --: | --: | --: | --: |\n")
	for _, u := range list {
		if of := done[u.name]; len(of) > 0 && !u.told {
			linked, n := 0, [3]int{}
			for _, t := range of {
				linked += t.Linked
				for k, arrows := range [3]int{t.Named, t.Most, t.All} {
					if arrows > 0 {
						n[k]++
					}
				}
			}
			fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %.1f |\n", u.name, len(of), n[0], n[1], n[2], float64(linked)/float64(len(of)))
		}
	}
	fmt.Fprint(out, "\nWhere directions can be told, arrows of the true graph and others:\n\n"+
		"| law | sets | headline | most halves | all rows |\n| --- | --: | --: | --: | --: |\n")
	for _, u := range list {
		if of := done[u.name]; len(of) > 0 && u.told {
			var all, right [3]int
			for _, t := range of {
				for k, n := range [3][2]int{{t.Named, t.NamedRight}, {t.Most, t.MostRight}, {t.All, t.AllRight}} {
					all[k], right[k] = all[k]+n[0], right[k]+n[1]
				}
			}
			fmt.Fprintf(out, "| %s | %d", u.name, len(of))
			for k := range all {
				fmt.Fprintf(out, " | %d, %d", right[k], all[k]-right[k])
			}
			fmt.Fprintln(out, " |")
		}
	}
	return nil
}
