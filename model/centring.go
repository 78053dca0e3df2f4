package model

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

// The pilot runs of ChooseCentring.
const (
	pilotWarmup = 300
	pilotDraws  = 300
	pilotChains = 2
)

// Choice is what ChooseCentring found: the effective draws per 1000 gradients of a pilot, the least of
// all that is recorded, for one way of sampling the parameters that were declared Automatic.
type Choice struct {
	Centred     []string // those that are sampled themselves
	Efficiency  float64
	Divergences int
}

// ChooseCentring compiles the program and decides, for each parameter that was declared Automatic,
// whether it is sampled itself (centred) or by location and scale. Data that say much about each
// value of a group call for the first, data that say little for the second, and only a pilot run
// tells: two short chains for all parameters one way, all the other, and then one by one changed
// where there are several. What has fewer divergences wins and, of those with equally few, what has
// more effective draws per gradient. It returns the winner and what was found, the winner first.
func (m *Model) ChooseCentring(ctx context.Context, seed uint64, options ...CompileOption) (*Program,
	[]Choice, error) {
	p, err := m.Compile(options...)
	if err != nil {
		return nil, nil, err
	}
	var groups []*parameter
	for _, q := range p.m.parameters {
		if q.automatic {
			groups = append(groups, q)
		}
	}
	if len(groups) == 0 {
		return p, nil, nil
	}
	c := &centring{p: p, groups: groups, seed: seed}
	none, all := make([]bool, len(groups)), make([]bool, len(groups))
	for k := range all {
		all[k] = true
	}
	for _, way := range [][]bool{none, all} {
		if err := c.try(ctx, way); err != nil {
			return nil, nil, err
		}
	}
	if len(groups) > 1 {
		for k := range groups {
			way := append([]bool(nil), c.ways[c.best]...)
			way[k] = !way[k]
			if err := c.try(ctx, way); err != nil {
				return nil, nil, err
			}
		}
	}
	found := append([]Choice{c.found[c.best]}, c.found[:c.best]...)
	return c.programs[c.best], append(found, c.found[c.best+1:]...), nil
}

// centring is what was tried so far.
type centring struct {
	p        *Program
	groups   []*parameter
	seed     uint64
	ways     [][]bool
	programs []*Program
	found    []Choice
	best     int
}

// try makes a pilot run with some groups centred.
func (c *centring) try(ctx context.Context, way []bool) error {
	set := map[*parameter]bool{}
	var out Choice
	for k, q := range c.groups {
		if way[k] {
			set[q] = true
			out.Centred = append(out.Centred, q.name)
		}
	}
	p, err := c.p.centred(set)
	if err != nil {
		return err
	}
	run, err := nuts.Sample(ctx, p.Target, nuts.Config{Settings: hmc.Settings{Chains: pilotChains,
		Warmup: pilotWarmup, Draws: pilotDraws, Seed: c.seed}})
	if err != nil {
		return fmt.Errorf("model: a pilot run: %w", err)
	}
	out.Efficiency, out.Divergences = efficiency(run)
	c.ways, c.programs, c.found = append(c.ways, way), append(c.programs, p), append(c.found, out)
	last := len(c.found) - 1
	if last > 0 && better(out, c.found[c.best]) {
		c.best = last
	}
	return nil
}

// better compares divergences, of which a few are chance, before efficiency.
func better(a, b Choice) bool {
	const few = pilotChains * pilotDraws / 100
	if a.Divergences > few || b.Divergences > few {
		return a.Divergences < b.Divergences
	}
	return a.Efficiency > b.Efficiency
}

// efficiency is the least bulk effective sample size per 1000 gradients after warm-up, 0 where there
// is none.
func efficiency(run *draws.Run) (least float64, divergences int) {
	least = math.Inf(1)
	gradients := 0
	for _, c := range run.Chains {
		gradients += c.Gradients
		divergences += len(c.Divergences)
	}
	for _, name := range run.Names {
		v, _ := run.Draws(name)
		if e := diagnostics.ESSBulk(v); e < least {
			least = e
		}
	}
	if math.IsInf(least, 1) || math.IsNaN(least) {
		least = 0
	}
	return 1000 * least / float64(gradients), divergences
}

// centred returns the program with some parameters that are not centred sampled themselves.
func (p *Program) centred(set map[*parameter]bool) (*Program, error) {
	if len(set) == 0 {
		return p, nil
	}
	c := &cloner{from: p.m, node: map[*node]*node{}, factor: map[*Factor]*Factor{}, centred: set}
	m, err := c.clone()
	if err != nil {
		return nil, err
	}
	q, err := m.Compile(func(q *Program) { q.off = p.off })
	if err != nil {
		return nil, err
	}
	q.recorded, q.sizes = p.recorded, p.sizes
	return q, nil
}
