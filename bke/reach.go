package bke

import (
	"context"
	"fmt"
	"math"
	"slices"
)

const (
	reach    = 60  // nats below the top at which the search for mass ends
	furthest = 100 // in logs, that the posterior is followed
)

// look finds modes and the ridge of best tau2 for each theta, wherever it is within reach of the
// top. If tau2 is fixed, or theta alone is free, the ridge is the posterior itself.
func (c *criterion) look(ctx context.Context) ([]seed, []Mode, error) {
	lo, hi, err := c.model.thetaRange(ctx)
	if err != nil {
		return nil, nil, err
	}
	lo, hi = max(math.Log(lo), c.lo[0]), min(math.Log(hi), c.hi[0])
	if !(lo < hi) {
		lo, hi = c.lo[0], c.hi[0]
	}
	l, err := c.scan(ctx, []float64{0}, lo, hi)
	if err != nil {
		return nil, nil, err
	}
	if err := c.lengthen(ctx, l); err != nil {
		return nil, nil, err
	}
	whole := box{c.lo, c.hi}
	modes, err := c.peaks(ctx, l.rises(whole))
	if err != nil {
		return nil, nil, err
	}
	var seeds []seed
	for i, p := range l.points {
		// With the neighbours of what is within reach, so that the cells go beyond it.
		near := false
		for j := max(i-1, 0); j <= min(i+1, len(l.points)-1); j++ {
			near = near || l.points[j].lp > modes[0].Value-reach
		}
		if near && !math.IsInf(p.lp, -1) {
			// The spreads are those along each coordinate, the other fixed: where the ridge is steep
			// it is as narrow along theta as along tau2, and a cell that is not falls between its
			// nodes.
			h, d := c.hessian(p.u), len(p.u)
			seeds = append(seeds, seed{p.u, spreads(h, make([]float64, d), make([]bool, d))})
		}
	}
	if err := stopped(ctx, "the quadrature"); err != nil { // with spreads that are none
		return nil, nil, err
	}
	return append(bridge(seeds), seedsOf(c, modes)...), modes, nil
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

// lengthen continues a scan on either side while the profile is within reach of the top.
func (c *criterion) lengthen(ctx context.Context, l *line) error {
	for _, up := range []bool{false, true} {
		for {
			top := math.Inf(-1)
			for _, p := range l.points {
				top = max(top, p.lp)
			}
			end, sign, bound := 0, -1.0, c.lo[0]
			if up {
				end, sign, bound = len(l.points)-1, 1.0, c.hi[0]
			}
			if l.points[end].lp < top-reach || l.t[end] == bound {
				break
			}
			t := l.t[end] + sign*scanStep
			if sign*(t-bound) > 0 {
				t = bound
			}
			if math.Abs(t-l.t[len(l.t)/2]) > furthest {
				return c.endless(up)
			}
			u := append([]float64(nil), l.points[end].u...)
			u[0] = t
			p := c.best(u)
			if err := stopped(ctx, "the quadrature"); err != nil {
				return err
			}
			if math.IsInf(p.lp, -1) { // tau2 has left the range of numbers before the end
				return c.endless(up)
			}
			l.insert(up, t, p)
		}
	}
	return nil
}

func (c *criterion) endless(up bool) error {
	where := "0"
	if up {
		where = "infinity"
	}
	return fmt.Errorf("bke: the posterior does not fall off as %s tends to %s: bound theta, lower "+
		"the weight (%.4g), or use a proper prior", c.names[0], where, c.model.opts.Weight)
}

func (l *line) insert(up bool, t float64, p point) {
	at := 0
	if up {
		at = len(l.t)
	}
	l.t, l.points = slices.Insert(l.t, at, t), slices.Insert(l.points, at, p)
}

// peaks climbs from the starts and returns the modes, the highest first.
func (c *criterion) peaks(ctx context.Context, starts []start) ([]Mode, error) {
	f := &Fit{}
	for _, s := range starts {
		f.climb(c, s)
	}
	if err := stopped(ctx, "the quadrature"); err != nil {
		return nil, err
	}
	if len(f.Modes) == 0 {
		return nil, fmt.Errorf("bke: the posterior has no mode that could be found: "+
			"%d climbs failed", f.Failed)
	}
	f.sort()
	return f.Modes, nil
}

// seedsOf returns the modes as seeds.
func seedsOf(c *criterion, modes []Mode) []seed {
	var out []seed
	for _, m := range modes {
		g, held := make([]float64, len(m.u)), make([]bool, len(m.u))
		c.at(g, m.u)
		for i, name := range c.names {
			for _, b := range m.AtBound {
				held[i] = held[i] || b.Name == name
			}
		}
		out = append(out, seed{m.u, spreads(m.Hessian, g, held)})
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

// lookAround finds modes and what is within reach of the top on a grid of two parameters neither of
// which is tau2.
func (c *criterion) lookAround(ctx context.Context) ([]seed, []Mode, error) {
	s := Search{}
	wide := &criterion{}
	*wide = *c
	wide.lo, wide.hi = slices.Clone(c.lo), slices.Clone(c.hi)
	if err := wide.narrow(ctx, s); err != nil {
		return nil, nil, err
	}
	var n [2]int
	for k := range n {
		n[k] = int(math.Ceil((wide.hi[k] - wide.lo[k]) / scanStep))
	}
	at := func(i, j int) []float64 {
		return []float64{
			wide.lo[0] + (wide.hi[0]-wide.lo[0])*float64(i)/float64(n[0]),
			wide.lo[1] + (wide.hi[1]-wide.lo[1])*float64(j)/float64(n[1])}
	}
	lp := make([][]float64, n[0]+1)
	top := math.Inf(-1)
	for i := range lp {
		lp[i] = make([]float64, n[1]+1)
		for j := range lp[i] {
			lp[i][j] = c.value(at(i, j))
			top = max(top, lp[i][j])
		}
	}
	var starts []start
	var seeds []seed
	for i := range lp {
		for j, v := range lp[i] {
			if highest(lp, i, j) {
				starts = append(starts, start{at(i, j), box{c.lo, c.hi}})
			}
			if v > top-reach {
				seeds = append(seeds, seed{at(i, j), []float64{scanStep, scanStep}})
			}
		}
	}
	modes, err := c.peaks(ctx, starts)
	return append(seeds, seedsOf(c, modes)...), modes, err
}

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
