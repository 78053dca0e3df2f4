package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
)

// replicate makes one replicate. The error is also the replicate's.
func (h *harness) replicate(ctx context.Context, index int) (Replicate, *draws.Run, error) {
	rep := Replicate{Index: index}
	var run *draws.Run
	err := guard(func() error {
		sim, err := h.simulate(index)
		if err != nil {
			return err
		}
		if err := h.checkTruth(sim); err != nil {
			return err
		}
		rep.Truth = sim.Truth
		run, err = h.Sampler(ctx, sim.Posterior, h.stream(index, "sample").Uint64())
		if err != nil {
			return err
		}
		return h.rank(&rep, sim, run)
	})
	if err != nil {
		rep.Ranks = nil
		rep.Error = err.Error()
	}
	return rep, run, err
}

func (h *harness) checkTruth(sim Simulation) error {
	if want := len(h.names) - len(h.model.Quantities); len(sim.Truth) != want {
		return fmt.Errorf("calibration: Simulate gave %d parameters, before it gave %d",
			len(sim.Truth), want)
	}
	for j, v := range sim.Truth {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("calibration: Simulate drew %v for %s, want a finite number", v,
				h.names[j])
		}
	}
	return nil
}

// rank ranks the truth among the draws.
func (h *harness) rank(rep *Replicate, sim Simulation, run *draws.Run) error {
	params := len(sim.Truth)
	if !slices.Equal(run.Names, h.names[:params]) {
		return fmt.Errorf("calibration: the draws are of %q, want %q", run.Names,
			h.names[:params])
	}
	for _, c := range run.Chains {
		rep.Divergences += len(c.Divergences)
		rep.Draws += len(c.Values)
	}
	if rep.Draws == 0 {
		return fmt.Errorf("calibration: the sampler made no draws")
	}
	truth := slices.Clone(sim.Truth)
	cols := make([][][]float64, len(h.names))
	for j := range params {
		cols[j] = run.Column(j)
	}
	if q := len(h.model.Quantities); q > 0 {
		truth = append(truth, make([]float64, q)...)
		sim.Quantities(truth[params:], sim.Truth)
		quantityColumns(cols[params:], sim, run)
	}
	for j, col := range cols {
		if err := checkNaN(h.names[j], truth[j], col); err != nil {
			return err
		}
	}
	rep.ESS = smallestESS(cols, rep.Draws)
	rep.Kept = max(1, min(h.Ranks, rep.Draws, int(rep.ESS)))
	r := h.stream(rep.Index, "ties")
	for j, col := range cols {
		rank := rankOf(truth[j], thin(col, rep.Kept), r)
		rep.Ranks = append(rep.Ranks, spread(rank, rep.Kept, h.Ranks, r))
	}
	return nil
}

// quantityColumns computes the model's quantities for all draws, chain by chain.
func quantityColumns(cols [][][]float64, sim Simulation, run *draws.Run) {
	dst := make([]float64, len(cols))
	for _, c := range run.Chains {
		for j := range cols {
			cols[j] = append(cols[j], make([]float64, len(c.Values)))
		}
		for i, row := range c.Values {
			sim.Quantities(dst, row)
			for j, v := range dst {
				cols[j][len(cols[j])-1][i] = v
			}
		}
	}
}

func checkNaN(name string, truth float64, col [][]float64) error {
	if math.IsNaN(truth) {
		return fmt.Errorf("calibration: %s of the true parameters is NaN", name)
	}
	for c, chain := range col {
		if i := slices.IndexFunc(chain, math.IsNaN); i >= 0 {
			return fmt.Errorf("calibration: %s is NaN in draw %d of chain %d", name, i, c)
		}
	}
	return nil
}

// smallestESS returns the smallest bulk effective sample size. (That of the tails is too noisy for
// a few hundred draws.) One that is undefined, because all draws are equal, say, does not count;
// where all are, draws are taken to be independent.
func smallestESS(cols [][][]float64, size int) float64 {
	least := math.Inf(1)
	for _, col := range cols {
		if ess := diagnostics.ESSBulk(col); ess < least { // false for NaN
			least = ess
		}
	}
	if math.IsInf(least, 1) {
		return float64(size)
	}
	return least
}

// thin takes n draws evenly from the chains, laid end to end.
func thin(chains [][]float64, n int) []float64 {
	all := slices.Concat(chains...)
	kept := make([]float64, n)
	for i := range kept {
		kept[i] = all[(2*i+1)*len(all)/(2*n)]
	}
	return kept
}

// rankOf returns the number of draws below the truth. Of the draws equal to it, a number from none
// to all counts as below, each with the same probability. A continuous quantity would have this
// rank with its ties broken at random.
func rankOf(truth float64, kept []float64, r *rand.Rand) int {
	below, equal := 0, 0
	for _, v := range kept {
		switch {
		case v < truth:
			below++
		case v == truth:
			equal++
		}
	}
	if equal > 0 {
		below += r.IntN(equal + 1)
	}
	return below
}

// spread turns a rank among n draws into one among ranks draws, by drawing a point within the
// rank's share of (0,1). The first is uniform on 0 … n if and only if the second is uniform on 0 …
// ranks (up to the detail that n draws cannot show). It changes nothing where n is ranks.
func spread(rank, n, ranks int, r *rand.Rand) int {
	if n == ranks {
		return rank
	}
	u := (float64(rank) + r.Float64()) / float64(n+1)
	return min(ranks, int(u*float64(ranks+1)))
}

// check makes sure that the replicate can be judged.
func (rep *Replicate) check(names []string, ranks int) error {
	if len(rep.Ranks) != len(names) {
		return fmt.Errorf("calibration: replicate %d has %d ranks for %d names", rep.Index,
			len(rep.Ranks), len(names))
	}
	for j, v := range rep.Ranks {
		if v < 0 || v > ranks {
			return fmt.Errorf("calibration: replicate %d has rank %d of %s, want 0 to %d", rep.Index, v,
				names[j], ranks)
		}
	}
	return nil
}
