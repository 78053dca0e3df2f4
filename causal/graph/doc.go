// Package graph holds causal graphs: edges with a mark, tail or arrow, at either end.
//
// A graph without cycles whose edges are all of the form a -> b is a directed acyclic graph (DAG).
// Data tell DAGs apart only up to their Markov equivalence class, the DAGs with the same
// adjacencies and the same colliders x -> y <- z with x and z not adjacent. A class is drawn as one
// graph, the CPDAG: an edge is directed where all members agree, and undirected, a - b, where they
// do not. Knowledge, of the order in time say, directs more edges and gives an MPDAG. A graph
// learned from a sample may hold conflicts besides: an edge with two arrows, a <-> b, for which the
// data speak both ways.
//
// # To begin with
//
//	g, err := graph.FromEdges([]string{"rain", "sprinkler", "wet"},
//		graph.Directed("rain", "wet"), graph.Directed("sprinkler", "wet"))
//	fmt.Println(g)                          // rain -> wet, sprinkler -> wet
//	a, err := g.Adjust("rain", "wet")       // columns to adjust for
//	c, err := graph.Compare(g, truth)       // structural Hamming distance and more
//
// The nodes of a graph are in the order of their names, whatever order they came in. All that is
// written follows that order, so that equal graphs give equal bytes.
//
// WriteJSON keeps everything, and ReadJSON reads it back. WriteDOT, WriteDagitty, WriteGraphML,
// WriteCSV and WriteMatrix are for other programs.
//
// # Sources
//
// Meek (1995) has the four rules of Graph.Meek. Dor and Tarsi (1992) find the member of
// Graph.Extend. Perković, Textor, Kalisch and Maathuis (2018) and Perković, Kalisch and Maathuis
// (2017) characterise the sets of Graph.Adjust, and Henckel, Perković and Maathuis (2022) the one
// of least variance.
package graph
