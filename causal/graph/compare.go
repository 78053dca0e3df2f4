package graph

import (
	"fmt"
	"slices"
)

// Comparison says how far a graph is from a known one. A share of nothing is NaN.
type Comparison struct {
	SHD      int // structural Hamming distance: pairs of nodes whose edge, or lack of one, differs
	Missing  int // pairs that are adjacent in the known graph only
	Extra    int // pairs that are adjacent in the other only
	Reversed int // pairs that are adjacent in both, with other marks

	AdjacencyPrecision, AdjacencyRecall float64
	// Of arrowheads: those of an edge that has the same arrowhead in both graphs count as right.
	ArrowheadPrecision, ArrowheadRecall float64
}

// Compare compares a graph with the known one, which must have the same nodes.
func Compare(got, want *Graph) (Comparison, error) {
	var c Comparison
	for _, name := range got.names {
		if want.Index(name) < 0 {
			return c, fmt.Errorf("graph: the known graph has no node %q, want the nodes of the other",
				name)
		}
	}
	if !slices.Equal(got.names, want.names) {
		for _, name := range want.names {
			if got.Index(name) < 0 {
				return c, fmt.Errorf("graph: the known graph has a node %q that the other has not, want "+
					"the same nodes", name)
			}
		}
	}
	var edges, edgesWant, both, heads, headsWant, headsBoth float64
	for i := range got.names {
		for j := range got.names {
			a, b := got.Mark(i, j), want.Mark(i, j)
			count(&heads, &headsWant, &headsBoth, a == Arrow, b == Arrow)
			if j >= i {
				continue
			}
			count(&edges, &edgesWant, &both, a != None, b != None)
			same := a == b && got.Mark(j, i) == want.Mark(j, i)
			switch {
			case same:
				continue
			case a == None:
				c.Missing++
			case b == None:
				c.Extra++
			default:
				c.Reversed++
			}
			c.SHD++
		}
	}
	c.AdjacencyPrecision, c.AdjacencyRecall = both/edges, both/edgesWant
	c.ArrowheadPrecision, c.ArrowheadRecall = headsBoth/heads, headsBoth/headsWant
	return c, nil
}

// count adds to the numbers of those in the first, in the second and in both.
func count(a, b, both *float64, inA, inB bool) {
	if inA {
		*a++
	}
	if inB {
		*b++
	}
	if inA && inB {
		*both++
	}
}
