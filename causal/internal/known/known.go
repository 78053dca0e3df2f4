// Package known has graphs whose CPDAG, or what knowledge makes of it, is known, for tests.
package known

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"bayeskernel/causal/graph"
)

// Case is a DAG and what a test of d-separation must make of it.
type Case struct {
	Name     string
	DAG      *graph.Graph
	Want     *graph.Graph // the CPDAG, or the graph with the knowledge
	Tiers    [][]string
	Required [][2]string
	Queries  int // a floor of the number of tests, where it is known
}

//go:embed testdata/dags.json
var file []byte

type numbered struct {
	P                         int
	Dag, Directed, Undirected [][2]int
	Tier                      []int
	Required                  [][2]int
}

var content struct {
	Graphs []struct {
		Name       string
		Nodes      []string
		Dag        [][2]string
		Directed   [][2]string `json:"cpdag_directed"`
		Undirected [][2]string `json:"cpdag_undirected"`
		Floor      int         `json:"oracle_tests_floor"`
	}
	Random, Tiers, Required []numbered
}

// Networks are the 13 of the bnlearn repository.
func Networks(t testing.TB) []Case {
	read(t)
	var out []Case
	for _, g := range content.Graphs {
		out = append(out, Case{Name: g.Name, DAG: build(t, g.Nodes, g.Dag, nil),
			Want: build(t, g.Nodes, g.Directed, g.Undirected), Queries: g.Floor})
	}
	return out
}

// Random are 60 DAGs; 25 need Meek's third rule.
func Random(t testing.TB) []Case { read(t); return cases(t, "random", content.Random) }

// WithKnowledge are 30 cases with tiers and 30 with required edges; 15 need the fourth rule.
func WithKnowledge(t testing.TB) []Case {
	read(t)
	return append(cases(t, "tiers", content.Tiers), cases(t, "required", content.Required)...)
}

func read(t testing.TB) {
	t.Helper()
	if content.Graphs != nil {
		return
	}
	if err := json.Unmarshal(file, &content); err != nil {
		t.Fatal(err)
	}
	if len(content.Graphs) != 13 || len(content.Random) != 60 || len(content.Tiers) != 30 ||
		len(content.Required) != 30 {
		t.Fatal("dags.json has not all graphs")
	}
}

func cases(t testing.TB, kind string, list []numbered) []Case {
	var out []Case
	for i, g := range list {
		nodes := make([]string, g.P)
		for j := range nodes {
			nodes[j] = strconv.Itoa(j)
		}
		c := Case{Name: fmt.Sprintf("%s %d", kind, i), DAG: build(t, nodes, names(g.Dag), nil),
			Want: build(t, nodes, names(g.Directed), names(g.Undirected)), Required: names(g.Required)}
		for j, tier := range g.Tier {
			for len(c.Tiers) <= tier {
				c.Tiers = append(c.Tiers, nil)
			}
			c.Tiers[tier] = append(c.Tiers[tier], nodes[j])
		}
		out = append(out, c)
	}
	return out
}

func names(edges [][2]int) [][2]string {
	var out [][2]string
	for _, e := range edges {
		out = append(out, [2]string{strconv.Itoa(e[0]), strconv.Itoa(e[1])})
	}
	return out
}

func build(t testing.TB, nodes []string, directed, undirected [][2]string) *graph.Graph {
	t.Helper()
	var edges []graph.Edge
	for _, e := range directed {
		edges = append(edges, graph.Directed(e[0], e[1]))
	}
	for _, e := range undirected {
		edges = append(edges, graph.Undirected(e[0], e[1]))
	}
	g, err := graph.FromEdges(nodes, edges...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
