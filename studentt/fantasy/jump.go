package fantasy

import (
	"math"

	"bayeskernel/hmc"
	"bayeskernel/kernels"
	"bayeskernel/studentt"
)

// scales are the widths around a row that jumps try, in lengthscales.
var scales = [...]float64{1, 0.5, 0.25, 0.125}

// proposal is the density that jumps are drawn from, whatever the state. It is uniform in the box; for
// a radial kernel half of it is normal around the rows, where the peaks are, with several widths.
// Points outside the box are never accepted.
type proposal struct {
	box  Box
	dim  int
	rows []float64
	inv  []float64 // one over the lengthscale of each column
}

func newProposal(m *studentt.Model, b Box) *proposal {
	p := &proposal{box: b, dim: m.Dim()}
	s, ok := kernels.AsStationary(m.Kernel())
	x := m.Points()
	if !ok || x == nil {
		return p
	}
	p.rows = x.RawMatrix().Data
	for j := range p.dim {
		p.inv = append(p.inv, 1/s.Theta[min(j, len(s.Theta)-1)])
	}
	return p
}

// draw writes a point.
func (p *proposal) draw(x []float64, r hmc.Rand) {
	if p.inv == nil || r.Float64() < 0.5 {
		for j := range x {
			x[j] = p.box.half(j) * (2*r.Float64() - 1)
		}
		return
	}
	n := len(p.rows) / p.dim
	row := min(int(r.Float64()*float64(n)), n-1)
	scale := scales[min(int(r.Float64()*float64(len(scales))), len(scales)-1)]
	for j := range x {
		x[j] = p.rows[row*p.dim+j] + scale/p.inv[j]*r.NormFloat64()
	}
}

// logDensity is the log density of the proposal at a point inside the box.
func (p *proposal) logDensity(x []float64) float64 {
	uniform, peak := 1.0, 1.0 // one over the volume of the box, and the normal at its centre
	for j := range x {
		uniform /= 2 * p.box.half(j)
		if p.inv != nil {
			peak *= p.inv[j] / math.Sqrt(2*math.Pi)
		}
	}
	if p.inv == nil {
		return math.Log(uniform)
	}
	sum := 0.0
	for at := 0; at < len(p.rows); at += p.dim {
		q := 0.0
		for j, v := range x {
			u := (v - p.rows[at+j]) * p.inv[j]
			q += u * u
		}
		for _, s := range scales {
			sum += math.Exp(-q/(2*s*s)) / math.Pow(s, float64(p.dim))
		}
	}
	n := float64(len(p.rows) / p.dim)
	return math.Log(0.5*uniform + 0.5*peak*sum/(n*float64(len(scales))))
}

// mixed is a NUTS transition followed by a few Metropolis-Hastings jumps to points of the proposal.
// With Hamiltonian dynamics alone chains stay near the rows they are at. They miss the low but almost
// constant density far away, which adds up over a large volume, and cannot move from peak to peak.
type mixed struct {
	inner    hmc.Transition
	h        *hmc.Hamiltonian
	proposal *proposal
	next     *hmc.Point
	x        []float64
}

// jumps is their number after each transition. One costs as much as a step of NUTS.
const jumps = 5

// Step moves z.
func (t *mixed) Step(z *hmc.Point, eps float64, r hmc.Rand) hmc.Outcome {
	out := t.inner.Step(z, eps, r)
	for range jumps {
		t.jump(z, r)
	}
	out.LP = z.LogP
	return out
}

// jump moves z to a point of the proposal, or leaves it.
func (t *mixed) jump(z *hmc.Point, r hmc.Rand) {
	box := t.proposal.box
	// The density on the scale of u less the volume is that of x.
	ratio := -z.LogP
	for j, u := range z.X {
		ratio += logVolume(u, box.half(j))
		t.x[j] = box.half(j) * math.Tanh(u/2)
	}
	ratio += t.proposal.logDensity(t.x)
	t.proposal.draw(t.x, r)
	accept := r.Float64()
	ratio -= t.proposal.logDensity(t.x)
	for j, v := range t.x {
		s := v / box.half(j)
		u := 2 * math.Atanh(s)
		if math.IsInf(u, 0) || math.IsNaN(u) { // outside
			return
		}
		t.next.X[j] = u
		ratio -= logVolume(u, box.half(j))
	}
	t.h.Evaluate(t.next)
	if math.Log(accept) < ratio+t.next.LogP {
		z.CopyPosition(t.next)
	}
}
