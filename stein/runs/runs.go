package runs

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
)

// Target is a density of unconstrained coordinates, with the way to them from the values of a draw.
type Target interface {
	hmc.Target
	Unconstrain(values []float64) ([]float64, error)
}

// Points are draws in unconstrained coordinates, chain after chain.
type Points struct {
	X, U  *mat.Dense // the coordinates, and the gradient of the log density there
	LogP  []float64
	Chain []int // of each row, from 0
	Draw  []int // of each row within its chain, from 0
	Names []string
}

// Read brings the draws of a run to the coordinates of the target, and computes their gradients. It takes so many
// draws of each chain, evenly spaced, or all if most is 0. Names are those of the coordinates, nil for numbers.
// Chains of different lengths are cut as for a summary.
func Read(ctx context.Context, run *draws.Run, t Target, names []string, most int) (*Points, error) {
	chains, n := run.Used()
	if len(chains) == 0 || n == 0 {
		return nil, fmt.Errorf("runs: the run has no draws")
	}
	dim, each := t.Dim(), n
	if most > 0 {
		each = min(n, most)
	}
	size := each * len(chains)
	p := &Points{X: mat.NewDense(size, dim, nil), U: mat.NewDense(size, dim, nil), LogP: make([]float64, size), Names: names}
	for _, c := range chains {
		for k := range each {
			p.Chain, p.Draw = append(p.Chain, c), append(p.Draw, k*n/each)
		}
	}
	i := 0
	for _, c := range chains {
		err := run.Chains[c].Part(0, len(run.Names), n, func(at int, row []float64) error {
			if i == size || p.Chain[i] != c || p.Draw[i] != at {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := p.put(i, t, row); err != nil {
				return fmt.Errorf("runs: chain %d, draw %d: %w", c+1, at+1, err)
			}
			i++
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// put brings a draw to the coordinates of the target.
func (p *Points) put(i int, t Target, row []float64) error {
	x, err := t.Unconstrain(row)
	if err != nil {
		return err
	}
	copy(p.X.RawRowView(i), x)
	p.LogP[i] = t.LogDensity(p.X.RawRowView(i), p.U.RawRowView(i))
	if math.IsNaN(p.LogP[i]) || math.IsInf(p.LogP[i], 0) {
		return fmt.Errorf("the log density is %v", p.LogP[i])
	}
	return nil
}

// name is what coordinate a is called.
func (p *Points) name(a int) string {
	if a < len(p.Names) {
		return p.Names[a]
	}
	return fmt.Sprintf("x[%d]", a)
}

// series are the values f of the rows, a slice for each chain.
func (p *Points) series(f func(i int) float64) [][]float64 {
	var out [][]float64
	for i, c := range p.Chain {
		if i == 0 || c != p.Chain[i-1] {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], f(i))
	}
	return out
}

// each calls f for all coordinates, over the cores.
func (p *Points) each(f func(a int)) {
	_, dim := p.X.Dims()
	_ = workers.Each(context.Background(), dim, 0, func() func(int) error {
		return func(a int) error { f(a); return nil }
	})
}
