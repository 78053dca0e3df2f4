package main

import (
	"fmt"

	"bayeskernel/causal/graph"
)

// arrows are those of the ALARM network for monitoring patients (Beinlich, Suermondt, Chavez and Cooper 1989), by
// the numbers that causal-learn (MIT licence) gives the nodes of the bnlearn repository's copy. Its structure only:
// the coefficients and the rows are synthetic.
var arrows = [][2]int{
	{4, 5}, {4, 7}, {5, 2}, {5, 3}, {6, 1}, {6, 5}, {6, 7}, {7, 36}, {8, 9}, {11, 10}, {11, 12}, {13, 34}, {14,
		15}, {15, 34}, {15, 37}, {17, 26}, {17, 31}, {19, 20}, {20, 21}, {21, 34}, {23, 22}, {23, 24}, {24, 21},
	{25, 18}, {25, 24}, {25, 26}, {25, 31}, {25, 32}, {27, 30}, {28, 29}, {29, 30}, {30, 26}, {30, 31}, {31,
		16}, {31, 18}, {31, 32}, {32, 20}, {32, 33}, {33, 16}, {33, 34}, {34, 35}, {35, 9}, {35, 10}, {35, 12}, {35,
		36}, {36, 37},
}

func alarm() *graph.Graph {
	var names []string
	for j := range 37 {
		names = append(names, fmt.Sprintf("X%02d", j+1))
	}
	var edges []graph.Edge
	for _, a := range arrows {
		edges = append(edges, graph.Directed(names[a[0]-1], names[a[1]-1]))
	}
	g, err := graph.FromEdges(names, edges...)
	if err != nil {
		panic(err)
	}
	return g
}
