package nuts

import (
	"math"

	"bayeskernel/draws"
	"bayeskernel/hmc"
)

// Sampler is the transition of the No-U-Turn sampler on one Hamiltonian. It owns the memory of a
// trajectory, so that a step allocates nothing, and belongs to one goroutine.
type Sampler struct {
	h        *hmc.Hamiltonian
	maxDepth int
	limit    int                 // on the depth for the time being, at most maxDepth
	leaf     func(*subtree) bool // build for depth 0: makes one step

	sample *hmc.Point    // the state chosen so far
	ends   [2]*hmc.Point // the trajectory's ends in time: backward, forward
	whole  subtree       // the trajectory so far, beg being the end that stays
	other  subtree       // its newest half
	levels []subtree     // levels[k] is the second half of a tree of depth k+1 being built

	// Of the transition under way.
	rng       hmc.Rand
	eps       float64 // signed by the direction of time
	h0        float64
	z         *hmc.Point // the end that moves
	leaves    int
	prob      float64 // of the choice being made
	sumAccept float64
	sumSym    float64
	out       hmc.Outcome
	broke     []float64
}

var _ hmc.Limiter = (*Sampler)(nil)

// subtree is a stretch of trajectory in the order in which it was built: beg is the end nearer to
// the start. All its slices belong to it and are swapped, never shared.
type subtree struct {
	pBeg, vBeg, pEnd, vEnd []float64 // momentum and velocity at its ends
	rho                    []float64 // sum of its momenta
	logW                   float64   // log of the sum of its weights exp(H0 - H)
	prop                   *hmc.Point
	propEnergy             float64
}

func newSubtree(d int) subtree {
	b := make([]float64, 5*d)
	cut := func(i int) []float64 { return b[i*d : (i+1)*d : (i+1)*d] }
	return subtree{pBeg: cut(0), vBeg: cut(1), pEnd: cut(2), vEnd: cut(3), rho: cut(4),
		prop: hmc.NewPoint(d)}
}

// New returns a sampler whose trajectories double at most maxDepth times, which must be positive.
func New(h *hmc.Hamiltonian, maxDepth int) *Sampler {
	d := h.Dim()
	s := &Sampler{h: h, maxDepth: maxDepth, limit: maxDepth, sample: hmc.NewPoint(d),
		broke: make([]float64, d)}
	s.ends = [2]*hmc.Point{hmc.NewPoint(d), hmc.NewPoint(d)}
	s.whole, s.other = newSubtree(d), newSubtree(d)
	s.levels = make([]subtree, maxDepth)
	for i := range s.levels {
		s.levels[i] = newSubtree(d)
	}
	s.leaf = s.leapfrog
	return s
}

// Limit bounds how often trajectories double from here on, beside what New was told; 0 is no bound.
func (s *Sampler) Limit(doublings int) {
	s.limit = s.maxDepth
	if doublings > 0 {
		s.limit = min(doublings, s.maxDepth)
	}
}

// Step moves z by one transition with step size eps. The random numbers it takes, in this order:
// the normals of the momentum; then for each doubling one uniform for the direction, one for each
// merger of two halves inside the new tree, and one for the choice between the old trajectory and
// the new tree unless the latter weighs more.
func (s *Sampler) Step(z *hmc.Point, eps float64, r hmc.Rand) hmc.Outcome {
	s.rng = r
	s.leaves, s.sumAccept, s.sumSym = 0, 0, 0
	s.out = hmc.Outcome{}
	gradients := s.h.Gradients

	s.h.Momentum(z, r)
	s.h0 = s.h.Energy(z)
	s.sample.CopyPosition(z)
	energy := s.h0
	s.ends[0].CopyFrom(z)
	s.ends[1].CopyFrom(z)
	w := &s.whole
	copy(w.rho, z.P)
	w.logW = 0

	depth := 0
	for depth < s.limit {
		s.eps, s.z = eps, s.ends[1]
		stays := s.ends[0]
		if s.choose(0.5) {
			s.eps, s.z, stays = -eps, s.ends[0], s.ends[1]
		}
		copy(w.vBeg, stays.V)
		copy(w.pEnd, s.z.P)
		copy(w.vEnd, s.z.V)

		t := &s.other
		if !s.build(depth, t) {
			break
		}
		depth++
		// Biased progressive sampling: the new half is favoured, which moves the chain further.
		if t.logW > w.logW || s.choose(math.Exp(t.logW-w.logW)) {
			s.sample, t.prop = t.prop, s.sample
			energy = t.propEnergy
		}
		w.logW, _ = logAddExp(w.logW, t.logW)
		ok := persists(w, t)
		for i, p := range t.rho {
			w.rho[i] += p
		}
		if !ok {
			break
		}
	}

	z.CopyPosition(s.sample)
	n := float64(s.leaves)
	s.out.Stat = draws.Stat{
		LP: z.LogP, AcceptStat: s.sumAccept / n, StepSize: eps, Energy: energy,
		TreeDepth: depth, Leapfrogs: s.h.Gradients - gradients, Divergent: s.out.Reason != "",
	}
	s.out.Symmetric = s.sumSym / n
	return s.out
}

// choose is true with probability p.
func (s *Sampler) choose(p float64) bool {
	s.prob = p
	return s.rng.Float64() < p
}

// build extends the trajectory from s.z by 2^depth steps and leaves the new stretch in t. It
// reports whether the stretch can be used: not if it diverged, nor if it, or a stretch inside it,
// turned back on itself.
func (s *Sampler) build(depth int, t *subtree) bool {
	if depth == 0 {
		return s.leaf(t)
	}
	if !s.build(depth-1, t) {
		return false
	}
	b := &s.levels[depth-1]
	if !s.build(depth-1, b) {
		return false
	}
	// Inside a new tree the choice is unbiased: each state by its weight.
	sum, pb := logAddExp(t.logW, b.logW)
	if s.choose(pb) {
		t.prop, b.prop = b.prop, t.prop
		t.propEnergy = b.propEnergy
	}
	t.logW = sum
	ok := persists(t, b)
	for i, p := range b.rho {
		t.rho[i] += p
	}
	t.pEnd, b.pEnd = b.pEnd, t.pEnd
	t.vEnd, b.vEnd = b.vEnd, t.vEnd
	return ok
}

// leapfrog is the leaf of plain NUTS: one leapfrog step.
func (s *Sampler) leapfrog(t *subtree) bool {
	s.h.Leapfrog(s.z, s.eps)
	energy := s.h.Energy(s.z)
	s.tally(energy)
	w := s.h0 - energy
	if !(-w <= hmc.MaxEnergyError) || s.h.Err() != nil {
		s.breakAt(s.z)
		return false
	}
	t.begin(s.z, energy, w)
	return true
}

// tally adds to the statistics of acceptance those of a step that ends at the given energy.
func (s *Sampler) tally(energy float64) {
	s.leaves++
	w := s.h0 - energy
	if math.IsNaN(w) {
		w = math.Inf(-1)
	}
	s.out.Lost = max(s.out.Lost, -w)
	e := math.Exp(-math.Abs(w))
	if w > 0 {
		s.sumAccept++
	} else {
		s.sumAccept += e
	}
	s.sumSym += 2 * e / (1 + e)
}

// breakAt notes that the trajectory diverged at z.
func (s *Sampler) breakAt(z *hmc.Point) {
	copy(s.broke, z.X)
	s.out.Broke = s.broke
	s.out.EnergyError = s.h.Energy(z) - s.h0
	if math.IsNaN(s.out.EnergyError) {
		s.out.EnergyError = math.Inf(1)
	}
	s.out.Reason = hmc.DivergenceReason(z)
}

// begin makes t the stretch of the one state z.
func (t *subtree) begin(z *hmc.Point, energy, logW float64) {
	t.logW = logW
	copy(t.pBeg, z.P)
	copy(t.vBeg, z.V)
	copy(t.pEnd, z.P)
	copy(t.vEnd, z.V)
	copy(t.rho, z.P)
	t.prop.CopyPosition(z)
	t.propEnergy = energy
}

// persists reports whether the stretch a followed by the stretch b still moves apart. The ends of a
// stretch move apart while the velocities at both have a positive dot product with the sum of its
// momenta. The test covers the whole, and each half with the first state of the other, because a
// U-turn can hide at the seam.
//
// All of it is symmetric under reversal of time, so the order of building serves as well as that
// of time.
func persists(a, b *subtree) bool {
	n := len(a.rho)
	rhoA, rhoB := a.rho, b.rho[:n]
	vBegA, vEndA, pEndA := a.vBeg[:n], a.vEnd[:n], a.pEnd[:n]
	vBegB, vEndB, pBegB := b.vBeg[:n], b.vEnd[:n], b.pBeg[:n]
	var w1, w2, l1, l2, r1, r2 float64
	for i, ra := range rhoA {
		rb := rhoB[i]
		whole, left, right := ra+rb, ra+pBegB[i], rb+pEndA[i]
		w1 += vBegA[i] * whole
		w2 += vEndB[i] * whole
		l1 += vBegA[i] * left
		l2 += vBegB[i] * left
		r1 += vEndA[i] * right
		r2 += vEndB[i] * right
	}
	return w1 > 0 && w2 > 0 && l1 > 0 && l2 > 0 && r1 > 0 && r2 > 0
}

// logAddExp returns log(e^a + e^b) and the share of e^b in the sum.
func logAddExp(a, b float64) (sum, shareB float64) {
	if a >= b {
		e := math.Exp(b - a)
		return a + math.Log1p(e), e / (1 + e)
	}
	e := math.Exp(a - b)
	return b + math.Log1p(e), 1 / (1 + e)
}
