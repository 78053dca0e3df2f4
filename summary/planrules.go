package summary

import (
	"cmp"
	"context"
	"math"

	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"
)

// shifts sets the numbers near the means of kernel values.
func (p *planner) shifts(ctx context.Context) error {
	d := p.Dim()
	n := min(p.n, shiftRows)
	z := p.flat()
	var nodes []*Node
	for w := range p.Windows {
		for j := range p.Windows[w].Nodes {
			nodes = append(nodes, &p.Windows[w].Nodes[j])
		}
	}
	for t := range p.Tests {
		nodes = append(nodes, &p.Tests[t])
	}
	return cmp.Or(workers.Run(ctx, len(nodes), 0, func(k int) error {
		node := nodes[k]
		node.Shift = make([]float64, p.M())
		for l := range node.Shift {
			sum := 0.0
			for i := range n {
				r := rows.Distance(p.x[i*d:(i+1)*d], z[l*d:(l+1)*d]) / node.Theta
				sum += math.Exp(-r * r / 2)
			}
			node.Shift[l] = sum / float64(n)
		}
		return nil
	})...)
}

// grid lays the lattice, fine enough for the smallest theta and wide enough for the range of the pilot.
func (p *planner) grid(context.Context) error {
	d := p.Dim()
	if d > 2 {
		p.Notes = append(p.Notes, "A summary of more than two columns has no kernel means: bands of embeddings are "+
			"made from rows.")
		return nil
	}
	least, most := math.Exp(p.Windows[0].From), math.Exp(p.Windows[len(p.Windows)-1].To)
	for _, tests := range []bool{true, false} {
		lo, hi := least, most
		if tests {
			if d == 2 {
				continue // it would take too much room
			}
			lo, hi = min(lo, p.Tests[0].Theta), max(hi, p.Tests[len(p.Tests)-1].Theta)
		}
		g := &Lattice{Step: lo / latticeSteps[d]}
		for a := range d {
			from, to := rows.Range(p.x, d, a)
			margin := 0.02*(to-from) + (reachOf+0.1)*hi
			cells := math.Ceil((to-from+2*margin)/g.Step) + 1
			g.From = append(g.From, from-margin)
			g.Count = append(g.Count, int(min(cells, mostCells+1)))
		}
		if g.check(d) == nil && g.cells() <= mostCells/4 {
			p.Lattice = g
			return nil
		}
	}
	p.Notes = append(p.Notes, "The range of the data is too many lengthscales wide for kernel means in a summary: "+
		"bands of embeddings are made from rows.")
	return nil
}

// rule sets how rows are cut.
func (p *planner) rule(context.Context) error {
	if p.Plan.Bins = p.o.Bins; p.Plan.Bins == 0 {
		p.Plan.Bins = defaultBins
	}
	p.Block = mostBlock
	if p.pilot != nil {
		want := p.pilot.typicalChunk() / int64(cycles*p.Plan.Bins)
		for p.Block > leastBlock && int64(p.Block) > want {
			p.Block /= 2
		}
	}
	keep := p.o.Keep
	if keep == 0 {
		keep = defaultKeep
	}
	expected := float64(p.Plan.Rows)
	if expected == 0 {
		expected = 1e7
	}
	// JSON numbers are read exactly up to 2^53 by other programs.
	share := min(1, float64(keep)/expected)
	p.Plan.Keep = uint64(share*(1<<53)) << 11
	if share == 1 {
		p.Plan.Keep = math.MaxUint64
	}
	return nil
}
