package nuts

import (
	"fmt"
	"math"

	"bayeskernel/draws"
	"bayeskernel/hmc"
)

// defaults returns w with its zero values replaced, or an error that names the field at fault.
func (w WithinOrbit) defaults() (WithinOrbit, error) {
	if w.MaxHalvings == 0 {
		w.MaxHalvings = 10
	}
	if w.MaxError == 0 {
		w.MaxError = 1
	}
	switch {
	case w.MaxHalvings < 0 || w.MaxHalvings > 20:
		return w, fmt.Errorf("nuts: WithinOrbit.MaxHalvings is %d: it must be from 1 to 20, "+
			"or 0 for 10", w.MaxHalvings)
	case !(w.MaxError > 0) || math.IsInf(w.MaxError, 1):
		return w, fmt.Errorf("nuts: WithinOrbit.MaxError is %v: it must be positive and finite, "+
			"or 0 for 1", w.MaxError)
	case !(w.Finer >= 0 && w.Finer < 1):
		return w, fmt.Errorf("nuts: WithinOrbit.Finer is %v: it must be at least 0 and below 1",
			w.Finer)
	}
	return w, nil
}

// method returns the sampler as hmc.Run takes it. The name tells all that its draws depend on, so
// that a checkpoint is resumed with the same.
func (w WithinOrbit) method(depth int) (hmc.Method, error) {
	w, err := w.defaults()
	if err != nil {
		return hmc.Method{}, err
	}
	return hmc.Method{
		Name: fmt.Sprintf("walnuts (MaxError %v, MaxHalvings %d, Finer %v)", w.MaxError,
			w.MaxHalvings, w.Finer),
		New:      func(h *hmc.Hamiltonian) hmc.Transition { return NewWalnuts(h, depth, w) },
		Describe: func(s *draws.Sampler) { s.MaxDepth = depth },
	}, nil
}
