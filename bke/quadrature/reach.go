package quadrature

import (
	"context"
	"math"

	"bayeskernel/bke"
)

// reach is how many nats below the top the search for mass ends.
const reach = 60

// look finds modes and the ridge of best tau2 for each theta, wherever it is within reach of the
// top. If tau2 is fixed, or theta alone is free, the ridge is the posterior itself.
func look(ctx context.Context, s *bke.Surface) ([]seed, []bke.Mode, error) {
	points, modes, err := s.Ridge(ctx, reach)
	if err != nil {
		return nil, nil, err
	}
	var seeds []seed
	for i, p := range points {
		// With the neighbours of what is within reach, so that the cells go beyond it.
		near := false
		for j := max(i-1, 0); j <= min(i+1, len(points)-1); j++ {
			near = near || points[j].Value > modes[0].Value-reach
		}
		if near && !math.IsInf(p.Value, -1) {
			// The spreads are those along each coordinate, the other fixed. A steep ridge is as narrow
			// along theta as along tau2, and slips between the nodes of a wider cell.
			h, d := s.Hessian(p.Logs), len(p.Logs)
			seeds = append(seeds, seed{p.Logs, spreads(h, make([]float64, d), make([]bool, d))})
		}
	}
	if err := stopped(ctx); err != nil { // with spreads that are none
		return nil, nil, err
	}
	return append(bridge(seeds), seedsOf(s, modes)...), modes, nil
}

// bridge adds seeds between neighbours along a steep ridge.
func bridge(seeds []seed) []seed {
	var out []seed
	for i, s := range seeds {
		out = append(out, s)
		if i+1 == len(seeds) || len(s.u) == 1 {
			continue
		}
		t := seeds[i+1]
		n := int(math.Abs(t.u[1]-s.u[1]) / min(s.sd[1], t.sd[1]) / 2)
		for k := 1; k <= min(n, 1000); k++ {
			f := float64(k) / float64(n+1)
			mid := seed{make([]float64, 2), make([]float64, 2)}
			for a := range mid.u {
				mid.u[a] = (1-f)*s.u[a] + f*t.u[a]
				mid.sd[a] = min(s.sd[a], t.sd[a])
			}
			out = append(out, mid)
		}
	}
	return out
}

// seedsOf returns the modes as seeds.
func seedsOf(s *bke.Surface, modes []bke.Mode) []seed {
	var out []seed
	for _, m := range modes {
		g, held := make([]float64, len(m.Logs)), make([]bool, len(m.Logs))
		s.Gradient(g, m.Logs)
		for i, name := range s.Names() {
			for _, b := range m.AtBound {
				held[i] = held[i] || b.Name == name
			}
		}
		out = append(out, seed{m.Logs, spreads(m.Hessian, g, held)})
	}
	return out
}

// spreads returns how far the density reaches along each coordinate: a standard deviation, or from
// a bound the length over which it falls by a factor of e.
func spreads(h [][]float64, g []float64, held []bool) []float64 {
	sd := make([]float64, len(g))
	for i := range sd {
		sd[i] = 1 / math.Sqrt(math.Abs(h[i][i]))
		if held[i] {
			sd[i] = min(sd[i], 1/math.Abs(g[i]))
		}
		if !(sd[i] > 1e-9) { // also NaN
			sd[i] = 1e-9
		}
	}
	return sd
}

// lookAround finds modes and what is within reach of the top on a grid of two parameters. Neither
// is tau2.
func lookAround(ctx context.Context, s *bke.Surface) ([]seed, []bke.Mode, error) {
	lo, hi, err := s.SearchRange(ctx)
	if err != nil {
		return nil, nil, err
	}
	var n [2]int
	for k := range n {
		n[k] = int(math.Ceil((hi[k] - lo[k]) / gridStep))
	}
	at := func(i, j int) []float64 {
		return []float64{
			lo[0] + (hi[0]-lo[0])*float64(i)/float64(n[0]),
			lo[1] + (hi[1]-lo[1])*float64(j)/float64(n[1])}
	}
	lp := make([][]float64, n[0]+1)
	top := math.Inf(-1)
	for i := range lp {
		lp[i] = make([]float64, n[1]+1)
		for j := range lp[i] {
			lp[i][j] = s.Value(at(i, j))
			top = max(top, lp[i][j])
		}
	}
	var starts [][]float64
	var seeds []seed
	for i := range lp {
		for j, v := range lp[i] {
			if highest(lp, i, j) {
				starts = append(starts, at(i, j))
			}
			if v > top-reach {
				seeds = append(seeds, seed{at(i, j), []float64{gridStep, gridStep}})
			}
		}
	}
	modes, err := s.Modes(ctx, starts)
	return append(seeds, seedsOf(s, modes)...), modes, err
}

// gridStep is the step of that grid, in logs: twenty for a factor of ten.
const gridStep = 0.115

// highest reports whether no neighbour is higher.
func highest(lp [][]float64, i, j int) bool {
	for a := max(i-1, 0); a <= min(i+1, len(lp)-1); a++ {
		for b := max(j-1, 0); b <= min(j+1, len(lp[a])-1); b++ {
			if lp[a][b] > lp[i][j] {
				return false
			}
		}
	}
	return !math.IsInf(lp[i][j], -1)
}
