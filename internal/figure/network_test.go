package figure

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/plot/vg"
)

// Spots of a row do not lie on each other and stay on the page, and edges without cycles run
// downwards.
func TestNetworkLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := 1; n <= 30; n++ {
		f := Network{}
		for i := range n {
			f.Nodes = append(f.Nodes, []string{"a", "temperature", "wind speed at the airport"}[i%3])
			for j := range i {
				if r.Float64() < 2.5/float64(n) {
					f.Edges = append(f.Edges, NetworkEdge{j, i, false, r.Float64() < 0.7, math.NaN(), false, false})
				}
			}
		}
		d := &network{f, f.order()}
		for _, w := range []vg.Length{narrowWidth, pageWidth, wideWidth} {
			p := d.layout(w)
			for k, row := range p.rows {
				for i, s := range row {
					lo, hi := s.x-s.width/2, s.x+s.width/2
					if lo < -0.01 || hi > float64(w)+0.01 {
						t.Fatalf("%d nodes: row %d from %v to %v of %v", n, k, lo, hi, w)
					}
					if i > 0 && row[i-1].x+row[i-1].width/2 > lo+0.01 {
						t.Fatalf("%d nodes: row %d: %d lies on %d", n, k, i, i-1)
					}
				}
			}
			for i, e := range f.Edges {
				if e.ArrowTo && p.row[e.From] >= p.row[e.To] {
					t.Errorf("%d nodes: edge %d runs up", n, i)
				}
				if way := p.through[i]; len(way) != 1+abs(p.row[e.From]-p.row[e.To]) {
					t.Errorf("%d nodes: edge %d has %d spots", n, i, len(way))
				}
			}
		}
	}
}

func abs(i int) int { return max(i, -i) }

// Sorting the rows leaves no crossing where there need not be one.
func TestNetworkCrossings(t *testing.T) {
	f := Network{Nodes: []string{"a", "b", "c", "d", "e", "f"}}
	for _, e := range [][2]int{{0, 5}, {1, 4}, {2, 3}, {0, 4}} {
		f.Edges = append(f.Edges, NetworkEdge{e[0], e[1], false, true, 1, false, false})
	}
	p := (&network{f, f.order()}).layout(pageWidth)
	if c := p.crossings(); c != 0 {
		t.Errorf("%d crossings", c)
	}
}

func TestNetworkErrors(t *testing.T) {
	for _, f := range []Network{{}, {Nodes: []string{"a"}, Edges: []NetworkEdge{{0, 0, false, true, 1, false, false}}},
		{Nodes: []string{"a", "b"}, Edges: []NetworkEdge{{0, 2, false, true, 1, false, false}}},
		{Nodes: []string{"a", "b"}, Edges: []NetworkEdge{{0, 1, false, true, 2, false, false}}},
		{Nodes: make([]string, MaxNodes+1)}} {
		if _, err := f.Draw(); err == nil {
			t.Errorf("%+v", f.Edges)
		}
	}
}
