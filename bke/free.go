package bke

import (
	"math"

	"bayeskernel/priors"
)

// Hyperparameter is theta, tau2 or eta of a model that leaves it free.
type Hyperparameter struct {
	Name string
	// Len is the number of lengthscales with ARD, which Free calls theta[1] to theta[Len]. It is 0
	// for a single value, which Free calls Name.
	Len    int
	Lo, Hi float64      // bounds of every value
	Prior  priors.Prior // of each value, in the units of the data; bounds truncate it
}

// Hyperparameters returns the free hyperparameters in the order of Free, with their priors from p
// or the defaults. The caller has to check the parameters of the priors and compare their supports
// with Lo and Hi.
func (m *Model) Hyperparameters(p Priors) ([]Hyperparameter, error) {
	p, err := m.resolvePriors(p)
	if err != nil {
		return nil, err
	}
	theta := Hyperparameter{Name: "theta", Prior: p.Theta}
	theta.Lo, theta.Hi = m.opts.bounds()
	if m.opts.ARD {
		theta.Len = m.dim
	}
	out := []Hyperparameter{theta}
	if m.freeTau2() {
		out = append(out, Hyperparameter{Name: "tau2", Hi: math.Inf(1), Prior: p.Tau2})
	}
	if m.freeEta() {
		out = append(out, Hyperparameter{Name: "eta", Hi: math.Inf(1), Prior: p.Eta})
	}
	return out, nil
}

// Params returns the point with free hyperparameters v, in the order of Free and on their natural
// scales. The others keep the values fixed by the model. Theta is a slice of v, not a copy.
func (m *Model) Params(v []float64) Params {
	k := m.thetas()
	p := Params{Theta: v[:k:k], Tau2: m.opts.Tau2, Eta: m.opts.Eta}
	v = v[k:]
	if m.freeTau2() {
		p.Tau2, v = v[0], v[1:]
	}
	if m.freeEta() {
		p.Eta, v = v[0], v[1:]
	}
	if len(v) > 0 {
		panic("bke: Params: length of v is more than the number of free hyperparameters")
	}
	return p
}

// Values is the reverse of Params. The values do not share memory with p.
func (m *Model) Values(p Params) []float64 {
	v := append([]float64(nil), p.Theta...)
	if m.freeTau2() {
		v = append(v, p.Tau2)
	}
	if m.freeEta() {
		v = append(v, p.Eta)
	}
	return v
}
