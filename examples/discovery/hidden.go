package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"bayeskernel/causal"
	"bayeskernel/causal/graph"
	"bayeskernel/examples/internal/report"

	"gonum.org/v1/gonum/mat"
)

// searches are those that part hidden compares. Plain FCI takes colliders from the separating sets. Surely are the
// marks that most half-samples have: those that pages and headlines claim.
var searches = []string{"FCI, oracle", "PC, oracle", "FCI" + surely, "RFCI" + surely, "FCI", "RFCI", "FCI, plain", "PC"}

const surely = ", most half-samples"

// claimed is how many single arrows each search drew, of causes and of no causes.
type claimed struct {
	Case   string            `json:"case"`
	Set    int               `json:"set"`
	Arrows map[string][2]int `json:"arrows"`
}

func (c claimed) Of() (string, int) { return c.Case, c.Set }

// concealed draws a DAG of 10 nodes with 3 neighbours of each on average, and 2000 rows of the first 7.
func concealed(ctx context.Context, seed uint64, set int) (claimed, error) {
	const p, seen, n = 10, 7, 2000
	out := claimed{"hidden", set, map[string][2]int{}}
	r := rand.New(rand.NewPCG(seed, uint64(set)))
	dag := randomDAG(r, p, 3)
	m, _ := linear(r, dag, n, normal)
	data, err := causal.NewData(nodes(seen), mat.DenseCopyOf(m.Slice(0, n, 0, seen)))
	if err != nil {
		return out, err
	}
	fisher, err := causal.NewFisherZ(data)
	if err != nil {
		return out, err
	}
	oracle, err := causal.Oracle(dag)
	if err != nil {
		return out, err
	}
	for _, name := range searches {
		test, learn, o := causal.Test(fisher), causal.FCI, causal.Options{Parallel: 1}
		switch name {
		case "FCI, oracle", "PC, oracle":
			test = visible{oracle, seen}
		case "FCI, plain":
			o.Colliders = causal.SeparatingSets
		}
		switch {
		case strings.HasPrefix(name, "PC"):
			learn = causal.PC
		case strings.HasPrefix(name, "RFCI"):
			learn = causal.RFCI
		}
		got, err := learn(ctx, test, o)
		if err != nil {
			return out, err
		}
		cause := func(a, b string) bool { return dag.Reaches(dag.Index(a), dag.Index(b)) }
		if short, half := strings.CutSuffix(name, surely); half {
			s := causal.StabilityOptions{Replicates: 100, Algorithm: learn, Name: short}
			if got.Graph, err = sureOf(ctx, data, got.Graph, o, s); err != nil {
				return out, err
			}
		}
		out.Arrows[name] = arrowsOf(got.Graph, cause)
	}
	return out, nil
}

// sureOf leaves the edges and marks that most half-samples have.
func sureOf(ctx context.Context, data *causal.Data, g *graph.Graph, o causal.Options, s causal.StabilityOptions) (*graph.Graph, error) {
	stable, err := causal.Stability(ctx, data.Rows(), func(rows []int, _ uint64) (causal.Test, error) {
		half, err := data.Subset(rows)
		if err != nil {
			return nil, err
		}
		return causal.NewFisherZ(half)
	}, o, s)
	if err != nil {
		return nil, err
	}
	out, err := graph.New(g.Names())
	if err != nil {
		return nil, err
	}
	out.Partial = true
	for _, e := range g.Edges() {
		if sure, there := stable.Levels[0].Sure(e, true); there {
			out.Set(out.Index(sure.From), out.Index(sure.To), sure.MarkFrom, sure.MarkTo)
		}
	}
	return out, nil
}

// arrowsOf counts the arrows a -> b that are right, and the others.
func arrowsOf(g *graph.Graph, right func(a, b string) bool) (n [2]int) {
	for a := range g.Len() {
		for b := range g.Len() {
			switch {
			case !g.Points(a, b):
			case right(g.Name(a), g.Name(b)):
				n[0]++
			default:
				n[1]++
			}
		}
	}
	return n
}

// visible is a test of the first columns.
type visible struct {
	causal.Test
	p int
}

func (v visible) Names() []string { return v.Test.Names()[:v.p] }

func hiddenCauses(ctx context.Context, s report.Study, out io.Writer) error {
	done, err := report.Measure(ctx, s, []report.Case{{Name: "hidden", Sets: 200}},
		func(_, set int) (claimed, error) { return concealed(ctx, s.Seed, set) })
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Arrows in %d graphs, of causes and of no causes:\n\n| search | right | wrong |\n| --- | --: | --: |\n",
		len(done["hidden"]))
	for _, name := range searches {
		var sum [2]int
		for _, c := range done["hidden"] {
			sum[0] += c.Arrows[name][0]
			sum[1] += c.Arrows[name][1]
		}
		fmt.Fprintf(out, "| %s | %d | %d |\n", name, sum[0], sum[1])
	}
	return nil
}
