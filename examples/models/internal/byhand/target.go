package byhand

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/hmc"
	"bayeskernel/priors"
)

var (
	_ hmc.Target      = (*target)(nil)
	_ hmc.Constrainer = (*target)(nil)
	_ hmc.Initializer = (*target)(nil)
)

// posterior is the frozen form of a Model that all chains share.
type posterior struct {
	blocks     []block
	quantities []quantity
	values     int
	free       int
	densities  []density // one per block
	logNorm    float64   // all the constants of the priors
	record     []string  // names of what is recorded
}

// target is one chain's view of a posterior, with its workspace.
type target struct {
	*posterior
	likelihood LogLikelihood
	v          []float64 // values
	gp, g      []float64 // gradients in v of the prior and of everything
}

// density is the log prior of a block without its constant: of each value, or of all of them
// together. Both are nil where there is nothing to add.
type density struct {
	each  func(x float64) (logp, dlogp float64)
	joint func(v, grad []float64) float64
}

// compile freezes the model as declared so far.
func (m *Model) compile() (*posterior, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	p := &posterior{
		blocks:     slices.Clone(m.blocks),
		quantities: slices.Clone(m.quantities),
		values:     m.values,
		free:       m.free,
		record:     m.names(),
	}
	for _, b := range p.blocks {
		var d density
		switch b.prior.(type) {
		case nil:
			var logNorm float64
			d.joint, logNorm = b.joint.Split()
			p.logNorm += logNorm
		case priors.Flat:
		default:
			var logNorm float64
			d.each, logNorm = priors.Split(b.prior)
			p.logNorm += float64(b.n) * logNorm
		}
		p.densities = append(p.densities, d)
	}
	return p, nil
}

func (p *posterior) target() *target {
	work := make([]float64, 3*p.values)
	return &target{
		posterior: p,
		v:         work[:p.values:p.values],
		gp:        work[p.values : 2*p.values : 2*p.values],
		g:         work[2*p.values:],
	}
}

// Dim returns the number of unconstrained coordinates.
func (t *target) Dim() int { return t.free }

// LogDensity returns log prior + log likelihood + log |det J| at x, and its gradient.
func (t *target) LogDensity(x, grad []float64) float64 {
	t.wantDim("x", len(x), t.free)
	t.wantDim("grad", len(grad), t.free)
	lp := t.logNorm + t.transform(t.v, x)
	if !allFinite(t.v) {
		// exp has overflowed, which is as good as outside the support, unless x itself is NaN.
		return worst(x)
	}
	lp += t.logPrior()
	if math.IsNaN(lp) || math.IsInf(lp, -1) {
		return lp
	}
	if !allFinite(t.gp) {
		return math.Inf(-1) // so near an end of the support that 1/v overflows
	}
	// The likelihood has a gradient of its own to fill, so that assigning to it is as good as
	// adding.
	clear(t.g)
	if t.likelihood != nil {
		lp += t.likelihood(t.v, t.g)
	}
	if math.IsNaN(lp) || math.IsInf(lp, -1) {
		return lp
	}
	for i, g := range t.gp {
		t.g[i] += g
	}
	for i := range t.blocks {
		b := &t.blocks[i]
		b.t.PullBack(b.coords(grad), b.coords(x), b.part(t.v), b.part(t.g))
	}
	return lp
}

// transform writes the values at x into v and returns log |det J|.
func (p *posterior) transform(v, x []float64) float64 {
	logJ := 0.0
	for i := range p.blocks {
		b := &p.blocks[i]
		logJ += b.t.Constrain(b.part(v), b.coords(x))
	}
	return logJ
}

// logPrior returns the log prior at t.v without its constants, and leaves its gradient in t.gp.
func (t *target) logPrior() float64 {
	lp := 0.0
	for i, d := range t.densities {
		b := &t.blocks[i]
		v, g := b.part(t.v), b.part(t.gp)
		switch {
		case d.joint != nil:
			lp += d.joint(v, g)
		case d.each != nil:
			for j, w := range v {
				l, dl := d.each(w)
				lp += l
				g[j] = dl
			}
		}
	}
	return lp
}

// Names returns the names of the parameters and of the derived quantities.
func (t *target) Names() []string { return slices.Clone(t.record) }

// Constrain writes the values of the parameters at x into dst, then the derived quantities.
func (t *target) Constrain(dst, x []float64) {
	t.wantDim("x", len(x), t.free)
	t.wantDim("dst", len(dst), len(t.record))
	v, rest := dst[:t.values:t.values], dst[t.values:]
	t.transform(v, x)
	for _, q := range t.quantities {
		q.f(rest[:q.n:q.n], v)
		rest = rest[q.n:]
	}
}

func (t *target) wantDim(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("byhand: len(%s) is %d, want %d", what, got, want))
	}
}

// allFinite reports whether v holds neither NaN nor an infinity.
func allFinite(v []float64) bool {
	sum := 0.0
	for _, w := range v {
		sum += 0 * w
	}
	return sum == 0
}

// worst is NaN if x holds a NaN and -Inf otherwise.
func worst(x []float64) float64 {
	for _, u := range x {
		if math.IsNaN(u) {
			return u
		}
	}
	return math.Inf(-1)
}
