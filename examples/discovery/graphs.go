package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/examples/internal/report"
	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// cell is a law of graphs and tables.
type cell struct {
	p      int
	degree float64
	n      int
	law    string
}

func (c cell) name() string {
	if c.law == "alarm" {
		return fmt.Sprintf("alarm, n = %d", c.n)
	}
	return fmt.Sprintf("%s, p = %d, degree %g, n = %d", c.law, c.p, c.degree, c.n)
}

func cells() []cell {
	var out []cell
	for _, p := range []int{10, 20, 50} {
		for _, degree := range []float64{2, 3} {
			for _, n := range []int{500, 2000} {
				if p < 50 || degree < 3 {
					out = append(out, cell{p, degree, n, "normal"})
				}
			}
		}
	}
	return append(out, cell{10, 2, 1000, "laplace"}, cell{10, 2, 1000, "uniform"}, cell{8, 2, 300, "curved"}, cell{8, 2, 300, "together"}, cell{8, 2, 300, "smooth"},
		cell{n: 1000, law: "alarm"})
}

// methods are the rules, and the rule of another program: see peer.
var methods = []string{"ordered", "majority", "sets", "peer"}

// scored is what the methods made of one data set.
type scored struct {
	Case    string            `json:"case"`
	Set     int               `json:"set"`
	SHD     map[string]int    `json:"shd"`
	Extends map[string]bool   `json:"extends"`
	Heads   map[string][3]int `json:"heads"` // found, of the class, both
}

func (s scored) Of() (string, int) { return s.Case, s.Set }

func (c cell) draw(seed uint64, set int) (*graph.Graph, *mat.Dense) {
	of := fnv.New64a()
	fmt.Fprint(of, c.name(), set)
	r := rand.New(rand.NewPCG(seed, of.Sum64()))
	if c.law == "alarm" {
		g := alarm()
		m, _ := linear(r, g, c.n, normal)
		return g, m
	}
	g := randomDAG(r, c.p, c.degree)
	if draw, ok := forKernels[c.law]; ok {
		return g, draw(r, g, c.n)
	}
	m, _ := linear(r, g, c.n, map[string]noise{"normal": normal, "laplace": laplace,
		"uniform": uniform}[c.law])
	return g, m
}

// forKernels are the laws that are not linear, learned with kernel tests.
var forKernels = map[string]func(*rand.Rand, *graph.Graph, int) *mat.Dense{"curved": curved, "together": together, "smooth": smooth}

func (c cell) measure(ctx context.Context, seed uint64, set int) (scored, error) {
	out := scored{c.name(), set, map[string]int{}, map[string]bool{}, map[string][3]int{}}
	dag, rows := c.draw(seed, set)
	class, err := dag.CPDAG()
	if err != nil {
		return out, err
	}
	data, err := causal.NewData(dag.Names(), rows)
	if err != nil {
		return out, err
	}
	var test causal.Test
	if _, ok := forKernels[c.law]; ok {
		test, err = causal.NewKernel(data, conditional.Options{})
	} else {
		test, err = causal.NewFisherZ(data)
	}
	if err != nil {
		return out, err
	}
	log := causal.NewLog()
	for k, name := range methods {
		rule := []causal.Rule{causal.InOrder, causal.Majority, causal.SeparatingSets, causal.SeparatingSets}[k]
		got, err := causal.PC(ctx, test, causal.Options{Colliders: rule, Log: log, Parallel: 1})
		if err != nil {
			return out, err
		}
		g := got.Graph
		if name == "peer" {
			g = peer(got)
		}
		d, err := graph.Compare(g, class)
		if err != nil {
			return out, err
		}
		out.SHD[name] = d.SHD
		_, err = g.Extend()
		out.Extends[name] = err == nil
		out.Heads[name] = heads(g, class)
	}
	return out, nil
}

// heads counts the arrowheads of single arrows that were found, those of the class, and both.
func heads(got, want *graph.Graph) (n [3]int) {
	for i := range got.Len() {
		for j := range got.Len() {
			a, b := got.Points(i, j), want.Points(i, j)
			if a {
				n[0]++
			}
			if b {
				n[1]++
			}
			if a && b {
				n[2]++
			}
		}
	}
	return n
}

// peer directs the edges as another program does by default: the colliders of the separating sets in
// the order of the names, those that contradict one before passed over, then Meek's rules.
func peer(r *causal.Result) *graph.Graph {
	g := r.Graph.Clone()
	sets := map[[2]int][]causal.Set{}
	for _, s := range r.Separations {
		sets[[2]int{g.Index(s.X), g.Index(s.Y)}] = s.Sets
	}
	for i := range g.Len() {
		for j := range i {
			if g.Adjacent(i, j) {
				g.Set(i, j, graph.Tail, graph.Tail)
			}
		}
	}
	for t := range g.OpenTriples {
		x, y, z := t[0], t[1], t[2]
		holds := len(sets[[2]int{x, z}]) == 0
		for _, s := range sets[[2]int{x, z}] {
			for _, name := range s.S {
				holds = holds || name == g.Name(y)
			}
		}
		if !holds && !g.Points(y, x) && !g.Points(y, z) {
			g.Set(x, y, graph.Tail, graph.Arrow)
			g.Set(z, y, graph.Tail, graph.Arrow)
		}
	}
	g.Meek(nil)
	return g
}

func graphs(ctx context.Context, s report.Study, out io.Writer) error {
	list := cells()
	done, err := report.MeasureEach(ctx, s, list, func(c cell) report.Case { return report.Case{Name: c.name(), Sets: 20} },
		func(c cell, set int) (scored, error) { return c.measure(ctx, s.Seed, set) })
	if err != nil {
		return err
	}
	fmt.Fprint(out, "Mean structural Hamming distance to the class, in brackets how many graphs stand for a DAG, "+
		"and precision and recall of arrowheads:\n\n| cell | sets |")
	for _, m := range methods {
		fmt.Fprintf(out, " %s |", m)
	}
	fmt.Fprint(out, " ordered - majority |\n| --- | --: |"+" --: | --: | --: | --: | --: |\n")
	logs := map[string]float64{}
	count := 0.0
	for _, c := range list {
		of := done[c.name()]
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(out, "| %s | %d |", c.name(), len(of))
		mean := map[string]float64{}
		for _, m := range methods {
			extends, h := 0, [3]int{}
			for _, r := range of {
				mean[m] += float64(r.SHD[m]) / float64(len(of))
				if r.Extends[m] {
					extends++
				}
				for k := range h {
					h[k] += r.Heads[m][k]
				}
			}
			fmt.Fprintf(out, " %.2f (%d) %.2f/%.2f |", mean[m], extends, float64(h[2])/float64(h[0]),
				float64(h[2])/float64(h[1]))
		}
		diff, square := 0.0, 0.0
		for _, r := range of {
			d := float64(r.SHD["ordered"] - r.SHD["majority"])
			diff, square = diff+d/float64(len(of)), square+d*d/float64(len(of))
		}
		se := math.Sqrt((square - diff*diff) / float64(max(1, len(of)-1)))
		fmt.Fprintf(out, " %.2f ± %.2f |\n", diff, se)
		if c.law == "normal" {
			count++
			for _, m := range methods {
				logs[m] += math.Log(mean[m])
			}
		}
	}
	if count > 0 {
		fmt.Fprintf(out, "\nNormal cells, ratio of geometric means of the distance: to majority %.2f, to the peer %.2f\n",
			math.Exp((logs["ordered"]-logs["majority"])/count), math.Exp((logs["ordered"]-logs["peer"])/count))
	}
	return nil
}
