package target

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/hyper"
)

// New returns the factory of the log posterior density of the free hyperparameters of m: weighted
// log pseudolikelihood plus log priors plus the change of variables. The sampler moves on log
// theta, log tau2 and log eta. Where theta has a lower bound only, it moves on log(theta -
// ThetaMin); with an upper bound, on the logit of its place in the interval. Bounds truncate the
// prior, whose constant stays as it was. Draws are recorded on the natural scales under the names
// of Model.Free; a starting point can be drawn from the priors (hmc.InitTarget).
//
// From draws of a wide prior chains may end in modes that have next to no mass and never leave
// them: Starts has better points.
func New(m *bke.Model, p bke.Priors) hmc.Factory { return Tempered(m, p, 1) }

// Tempered is New with the log pseudolikelihood times temper. The priors and the change of
// variables stay as they are. With temper 0 the density is that of the priors, and with 1 the
// posterior.
func Tempered(m *bke.Model, p bke.Priors, temper float64) hmc.Factory {
	space, err := newSpace(m, p)
	if err == nil && (!(temper >= 0) || math.IsInf(temper, 1)) {
		err = fmt.Errorf("target: temper is %v, want a finite number, not negative", temper)
	}
	return func() (hmc.Target, error) {
		if err != nil {
			return nil, err
		}
		if temper == 0 {
			return space.Posterior(nil), nil
		}
		e := m.Evaluator()
		return space.Posterior(func(v, grad []float64) float64 {
			value := e.Gradient(grad, m.Params(v))
			for i := range grad { // Gradient is in the logarithms: d/dv = (d/d log v)/v
				grad[i] = temper * grad[i] / v[i]
			}
			return temper * value
		}), nil
	}
}

// newSpace is that of the free hyperparameters.
func newSpace(m *bke.Model, p bke.Priors) (*hyper.Space, error) {
	free, err := m.Hyperparameters(p)
	if err != nil {
		return nil, err
	}
	var list []hyper.Parameter
	for _, h := range free {
		list = append(list, hyper.Parameter(h))
	}
	space, err := hyper.NewSpace(list)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	return space, nil
}

// Starts returns points for that many chains on the sampler's scale, for hmc.Start.Points. They are
// the modes that Model.Learn found with the same priors. Each serves a number of chains in
// proportion to its mass. A mode on a bound of theta is infinitely far away on that scale; its
// point is a little inside.
func Starts(m *bke.Model, p bke.Priors, fit *bke.Fit, chains int) ([][]float64, error) {
	free, err := m.Hyperparameters(p)
	if err != nil {
		return nil, err
	}
	space, err := newSpace(m, p)
	if err != nil {
		return nil, err
	}
	if len(fit.Modes) == 0 || chains < 1 {
		return nil, fmt.Errorf("target: starts are wanted for %d chains from %d modes, want at least "+
			"one of both", chains, len(fit.Modes))
	}
	out := make([][]float64, chains)
	for c, k := range shareOut(fit.Modes, chains) {
		v := m.Values(fit.Modes[k].Params)
		keepInside(v, free)
		if out[c], err = space.Unconstrain(v); err != nil {
			return nil, fmt.Errorf("target: %w", err)
		}
	}
	return out, nil
}

// shareOut returns the mode of each chain: the one in which the quantile (c+1/2)/chains of the mass
// lies.
func shareOut(modes []bke.Mode, chains int) []int {
	top := math.Inf(-1)
	for _, mode := range modes {
		top = max(top, mode.LogMass)
	}
	var upTo []float64 // the sums of the masses
	all := 0.0
	for _, mode := range modes {
		all += math.Exp(mode.LogMass - top)
		upTo = append(upTo, all)
	}
	of := make([]int, chains)
	k := 0
	for c := range of {
		for upTo[k] < all*(float64(c)+0.5)/float64(chains) {
			k++
		}
		of[c] = k
	}
	return of
}

// keepInside moves values at a bound inside: by a thousandth of the interval, and at the lower
// bound by a thousandth of the bound itself if that is less.
func keepInside(v []float64, free []bke.Hyperparameter) {
	for _, h := range free {
		n := max(h.Len, 1)
		lo, hi := h.Lo+min(h.Lo, h.Hi-h.Lo)/1000, h.Lo+0.999*(h.Hi-h.Lo)
		for a := range n {
			v[a] = min(max(v[a], lo), hi)
		}
		v = v[n:]
	}
}

// Draws reads the hyperparameters of m from a run of a sampler, chain by chain.
func Draws(m *bke.Model, run *draws.Run) ([]bke.Params, error) {
	free := m.Free()
	at := make([]int, len(free))
	for j, name := range free {
		if at[j] = slices.Index(run.Names, name); at[j] < 0 {
			return nil, fmt.Errorf("target: the run has no parameter %s, want %v", name, free)
		}
	}
	var out []bke.Params
	for _, c := range run.Chains {
		for _, row := range c.Values {
			v := make([]float64, len(at))
			for j, k := range at {
				v[j] = row[k]
			}
			out = append(out, m.Params(v))
		}
	}
	return out, nil
}
