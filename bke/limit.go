package bke

import (
	"math"

	"bayeskernel/internal/logdet"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"
)

// Omega is the objective per row after maximising over tau2, up to terms of order log(theta)/n,
//
//	Omega_f(theta) = mean_i log gamma(x_i) - (f D/2) log V(theta),   V = mean_l Var k(X, z_l),
//
// at the weight f D/m, for lengthscales theta. With f = 1 it does not change when the kernel is
// multiplied by a constant. If every kernel value underflows it is -Inf, its limit as theta goes to
// zero.
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
// If Omega is nowhere well above this limit, the data do not determine a lengthscale.
func (m *Model) OmegaLimit() float64 {
	return m.omegaLimit(blockRows(m.held(), m.m, m.dim), nil)
}

// omegaLimit is OmegaLimit with blocks of the given number of rows. It is not valid once stop is
// closed.
func (m *Model) omegaLimit(rows int, stop <-chan struct{}) float64 {
	var parts []*limitBlock
	n := m.held()
	blocks := workers.NewBlocks(n, rows, func(b, first, last int) { parts[b].run(first, last) })
	blocks.Stop = stop
	for range blocks.Count() {
		parts = append(parts, newLimitBlock(m))
	}
	blocks.Run()
	sum := parts[0]
	for _, p := range parts[1:] {
		sum.add(p)
	}
	v := 0.0
	for _, s := range sum.squares {
		v += s / float64(n*m.m)
	}
	return sum.logGamma/float64(n) - float64(m.dim)/2*math.Log(v/4)
}

// limitBlock has the sums over one block of rows for OmegaLimit.
type limitBlock struct {
	model         *Model
	det           *logdet.Workspace
	ones, zeros   []float64 // kappa and its logarithm: all are alike
	n             float64
	mean, squares []float64 // of |X-z_l|², and the sum of its squared deviations from it
	logGamma      float64
	_             [gap]byte
}

func newLimitBlock(m *Model) *limitBlock {
	b := &limitBlock{model: m, det: m.inputs.Workspace(m.path), mean: apart(m.m), squares: apart(m.m),
		ones: apart(m.m), zeros: apart(m.m)}
	for l := range b.ones {
		b.ones[l] = 1
	}
	return b
}

// run sums over the rows first to last-1.
func (b *limitBlock) run(first, last int) {
	m := b.model
	d := m.dim
	for i := first; i < last; i++ {
		x := m.x[i*d : (i+1)*d]
		b.n++
		for l := range b.mean { // Welford's updates
			r := rows.Distance(x, m.z[l*d:(l+1)*d])
			delta := r*r - b.mean[l]
			b.mean[l] += delta / b.n
			b.squares[l] += delta * (r*r - b.mean[l])
		}
		b.logGamma += b.det.LogDet(x, b.ones, b.zeros)
	}
}

// add merges another block: the squares gain the variance between the two means.
func (b *limitBlock) add(c *limitBlock) {
	n := b.n + c.n
	for l, mean := range c.mean {
		delta := mean - b.mean[l]
		b.mean[l] += delta * (c.n / n)
		b.squares[l] += c.squares[l] + delta*delta*(b.n*c.n/n)
	}
	b.n = n
	b.logGamma += c.logGamma
}
