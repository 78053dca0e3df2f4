package bke

import "math"

// Omega is the objective per row that is left once tau2 is maximised out, up to terms of order
// log(theta)/n,
//
//	Omega_f(theta) = mean_i log gamma(x_i) - (f D/2) log V(theta),   V = mean_l Var k(X, z_l),
//
// at the weight f D/m, for lengthscales theta. With f = 1 it does not change when the kernel is
// multiplied by a constant. Where every kernel value underflows it is -Inf, which is its limit as
// theta goes to zero.
func (e *Evaluator) Omega(theta []float64, f float64) float64 {
	mod := e.model
	p, ok := mod.resolve(Params{Theta: theta, Tau2: 1, Eta: 1})
	if !ok {
		return math.NaN()
	}
	s := e.sums(p, false)
	n, m, d := float64(mod.n), float64(mod.m), float64(mod.dim)
	v := s.spread / (n * m)
	if v < 1e-300 || math.IsInf(s.logGamma, -1) {
		return math.Inf(-1)
	}
	return s.logGamma/n - f*d/2*math.Log(v)
}

// OmegaLimit returns the limit of Omega at f = 1 as theta, the same for all coordinates, goes
// to infinity:
//
//	Omega_1 = 1/2 mean_i logdet sum_l (x_i-z_l)(x_i-z_l)' - (D/2) log(mean_l Var|X-z_l|² / 4)
//
// For k = 1 - |x-z|²/(2 theta²) + ..., log gamma loses 2 D log theta and log V loses 4 log theta.
// If no lengthscale has a value of Omega well above this limit, the data do not determine one.
func (m *Model) OmegaLimit() float64 {
	g := newGramian(m.m, m.dim)
	p := rowPass{model: m, g: g}
	for a := range g.scale {
		g.scale[a] = 1
	}
	for l := range g.k {
		g.k[l] = 1
	}
	d := m.dim
	mean, ss := make([]float64, m.m), make([]float64, m.m)
	logGamma := 0.0
	for i := range m.n {
		p.row = m.x[i*d : (i+1)*d]
		for l := range mean { // Welford's updates
			r := distance(p.row, m.z[l*d:(l+1)*d])
			delta := r*r - mean[l]
			mean[l] += delta / float64(i+1)
			ss[l] += delta * (r*r - mean[l])
		}
		p.vectors()
		logGamma += g.logDet(p.vectors)
	}
	v := 0.0
	for _, s := range ss {
		v += s / float64(m.n*m.m)
	}
	return logGamma/float64(m.n) - float64(d)/2*math.Log(v/4)
}
