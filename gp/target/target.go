package target

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/draws"
	"bayeskernel/gp"
	"bayeskernel/hmc"
	"bayeskernel/internal/hyper"
	"bayeskernel/priors"
)

// Priors are those of the hyperparameters. Nil means log-normal with standard deviation 1 of the
// logarithm. The median is the root mean square of the outputs for the signal, a third of it for
// the noise, and the standard deviation of the column for a lengthscale.
type Priors struct {
	Signal, Noise, Theta priors.Prior
}

// New returns the factory of the log posterior density. Draws are recorded as signal, noise and
// theta.
func New(m *gp.Model, p Priors) hmc.Factory {
	space, err := newSpace(m, p)
	return func() (hmc.Target, error) {
		if err != nil {
			return nil, err
		}
		return space.Posterior(func(v, grad []float64) float64 {
			r, err := m.At(gp.Params{Signal: v[0], Noise: v[1], Theta: v[2:]})
			if err != nil || r.Gradient(grad) != nil {
				return math.Inf(-1)
			}
			for i := range grad { // in the logarithms
				grad[i] /= v[i]
			}
			return r.LogLikelihood
		}), nil
	}
}

func newSpace(m *gp.Model, p Priors) (*hyper.Space, error) {
	outputs, columns, err := m.Units()
	if err != nil {
		return nil, err
	}
	about := func(name string, p priors.Prior, unit float64) hyper.Parameter {
		if p == nil {
			p = priors.LogNormal{Mu: math.Log(unit), Sigma: 1}
		}
		return hyper.Parameter{Name: name, Hi: math.Inf(1), Prior: p}
	}
	list := []hyper.Parameter{about("signal", p.Signal, outputs), about("noise", p.Noise, outputs/3)}
	for a, name := range thetas(len(columns)) {
		list = append(list, about(name, p.Theta, columns[a]))
	}
	space, err := hyper.NewSpace(list)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	return space, nil
}

// thetas are the names of so many lengthscales.
func thetas(count int) []string {
	if count == 1 {
		return []string{"theta"}
	}
	var names []string
	for a := range count {
		names = append(names, fmt.Sprintf("theta[%d]", a+1))
	}
	return names
}

// Starts returns points for that many chains on the sampler's scale: the maxima in turn.
func Starts(m *gp.Model, p Priors, fit *gp.Fit, chains int) ([][]float64, error) {
	space, err := newSpace(m, p)
	if err != nil {
		return nil, err
	}
	if chains < 1 || len(fit.Maxima) == 0 {
		return nil, fmt.Errorf("target: starts are wanted for %d chains from %d maxima, want at least "+
			"one of both", chains, len(fit.Maxima))
	}
	out := make([][]float64, chains)
	for c := range out {
		at := fit.Maxima[c%len(fit.Maxima)].Params
		v := append([]float64{at.Signal, at.Noise}, at.Theta...)
		if out[c], err = space.Unconstrain(v); err != nil {
			return nil, fmt.Errorf("target: %w", err)
		}
	}
	return out, nil
}

// Draws reads the hyperparameters from a run of a sampler, chain by chain.
func Draws(m *gp.Model, run *draws.Run) ([]gp.Params, error) {
	names := append([]string{"signal", "noise"}, thetas(m.Lengthscales())...)
	at := make([]int, len(names))
	for j, name := range names {
		if at[j] = slices.Index(run.Names, name); at[j] < 0 {
			return nil, fmt.Errorf("target: the run has no parameter %s, want %v", name, names)
		}
	}
	var out []gp.Params
	for _, c := range run.Chains {
		for _, row := range c.Values {
			p := gp.Params{Signal: row[at[0]], Noise: row[at[1]]}
			for _, k := range at[2:] {
				p.Theta = append(p.Theta, row[k])
			}
			out = append(out, p)
		}
	}
	return out, nil
}
