package nuts

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
)

// bothWays is a source of randomness that takes every choice both ways, one run after another: what
// was chosen so far is repeated, and the last choice left open is turned. prob is the probability
// of the run just made.
type bothWays struct {
	s       *walnuts
	normals []float64
	taken   []float64 // 0 makes a choice true, just below 1 false
	turned  []bool    // both ways seen, or one of them impossible
	at      int
	prob    float64
}

func (b *bothWays) NormFloat64() float64 {
	v := b.normals[0]
	b.normals = b.normals[1:]
	return v
}

func (b *bothWays) Float64() float64 {
	p := b.s.prob
	if b.at == len(b.taken) {
		if p > 0 {
			b.taken, b.turned = append(b.taken, 0), append(b.turned, p >= 1)
		} else {
			b.taken, b.turned = append(b.taken, math.Nextafter(1, 0)), append(b.turned, true)
		}
	}
	u := b.taken[b.at]
	b.at++
	if u == 0 {
		b.prob *= p
	} else {
		b.prob *= 1 - p
	}
	return u
}

// next turns the last choice that is open and reports whether there was one.
func (b *bothWays) next() bool {
	for i := len(b.taken) - 1; i >= 0; i-- {
		if !b.turned[i] {
			b.taken, b.turned = b.taken[:i+1], b.turned[:i+1]
			b.taken[i], b.turned[i] = math.Nextafter(1, 0), true
			return true
		}
	}
	return false
}

// phase is a point of phase space in the plane.
type phase struct{ x, p [2]float64 }

func (a phase) flip() phase { return phase{a.x, [2]float64{-a.p[0], -a.p[1]}} }

func (a phase) near(x []float64) bool {
	return math.Hypot(a.x[0]-x[0], a.x[1]-x[1]) < 1e-8*(1+math.Hypot(x[0], x[1]))
}

// naive is the macro step written down a second time, as the definition has it: forwards, with the
// momentum turned for the way back, whole paths, no shortcuts.
type naive struct {
	f        testmodels.Func
	eps      float64
	maxError float64
	most     int
}

func kinetic(a phase) float64 { return (a.p[0]*a.p[0] + a.p[1]*a.p[1]) / 2 }

func (m naive) energy(a phase) float64 {
	var g [2]float64
	return kinetic(a) - m.f.F(a.x[:], g[:])
}

func (m naive) path(a phase, halvings int) (end phase, within bool) {
	var g [2]float64
	var changes []float64
	before := a
	n := math.Pow(2, float64(halvings))
	e := m.eps / n
	for range int(n) {
		m.f.F(a.x[:], g[:])
		for i := range a.x {
			a.p[i] += e / 2 * g[i]
			a.x[i] += e * a.p[i]
		}
		m.f.F(a.x[:], g[:])
		for i := range a.x {
			a.p[i] += e / 2 * g[i]
		}
		unit := (kinetic(a) + kinetic(before)) / 2 / (2 * 2)
		changes = append(changes, (m.energy(a)-m.energy(before))/math.Max(1, unit))
		before = a
	}
	for i := range changes { // no stretch of the path changes too much
		sum := 0.0
		for _, c := range changes[i:] {
			if sum += c; math.Abs(sum) > m.maxError {
				return a, false
			}
		}
	}
	return a, true
}

// reachable appends the points that up to n macro steps from a can end at, with any of the extra
// numbers of halvings.
func (m naive) reachable(to []phase, a phase, n, extra int) []phase {
	if n == 0 {
		return to
	}
	for l := 0; l <= m.most; l++ {
		if _, ok := m.path(a, l); ok {
			for e := range extra + 1 {
				end, _ := m.path(a, l+e)
				to = m.reachable(append(to, end), end, n-1, extra)
			}
			break
		}
	}
	return to
}

// ends returns the probability with which a transition from a ends at each of the given points, by
// running it once for every way that its choices can fall.
func ends(s *walnuts, eps float64, a phase, points []phase) (prob []float64, sum float64) {
	prob = make([]float64, len(points))
	z := hmc.NewPoint(2)
	r := &bothWays{s: s}
	for first := true; first || r.next(); first = false {
		copy(z.X, a.x[:])
		s.h.Evaluate(z)
		r.at, r.prob, r.normals = 0, 1, a.p[:]
		s.Step(z, eps, r)
		sum += r.prob
		for i, b := range points {
			if b.near(z.X) {
				prob[i] += r.prob
				break
			}
		}
	}
	return prob, sum
}

// TestWithinOrbitBalance: for points z and z' of phase space, exp(-H(z)) P(z to z') equals
// exp(-H(z')) P(z' to z), where P comes from running the sampler once for every way that its
// choices can fall. No chance is involved: the probabilities are exact.
func TestWithinOrbitBalance(t *testing.T) {
	funnel := testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		e := math.Exp(-x[0])
		g[0] = -x[0]/9 + 0.5*e*x[1]*x[1] - 0.5
		g[1] = -e * x[1]
		return -x[0]*x[0]/18 - 0.5*e*x[1]*x[1] - 0.5*x[0]
	}}
	for _, c := range []struct {
		name   string
		depth  int
		starts int
		w      WithinOrbit
	}{
		{"as many halvings as needed", 3, 60, WithinOrbit{MaxError: 0.4, MaxHalvings: 6}},
		{"finer", 2, 40, WithinOrbit{MaxError: 0.4, MaxHalvings: 6, Finer: 1. / 3}},
		{"too few halvings", 2, 40, WithinOrbit{MaxError: 0.4, MaxHalvings: 2, Finer: 0.4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			const eps = 0.9
			m := naive{funnel, eps, c.w.MaxError, c.w.MaxHalvings}
			s := newWalnuts(hmc.NewHamiltonian(funnel, hmc.NewUnitMetric(2)), c.depth, c.w)
			r := rand.New(rand.NewPCG(3, 4))
			extra := 0
			if c.w.Finer > 0 {
				extra = 1
			}
			pairs, moved := 0, 0.0
			for start := range c.starts { // some far out
				var a phase
				a.x[0] = 3*r.NormFloat64() - 1
				a.x[1] = math.Exp(a.x[0]/2) * r.NormFloat64() * float64(1+start%4)
				a.p = [2]float64{r.NormFloat64(), r.NormFloat64()}
				n := 1<<c.depth - 1
				points := m.reachable([]phase{a}, a, n, extra)
				for _, b := range m.reachable(nil, a.flip(), n, extra) {
					points = append(points, b.flip())
				}
				there, sum := ends(s, eps, a, points)
				total := 0.0
				for _, p := range there {
					total += p
				}
				if !(math.Abs(sum-1) < 1e-12) || !(math.Abs(total-sum) < 1e-12) {
					t.Fatalf("from %v: probabilities sum to %v, to known points %v", a, sum, total)
				}
				moved += 1 - there[0]
				for i, b := range points[1:] {
					p := there[i+1]
					if p == 0 {
						continue
					}
					back, _ := ends(s, eps, b, []phase{a})
					ratio := p / back[0] * math.Exp(m.energy(b)-m.energy(a))
					if !(math.Abs(ratio-1) < 1e-6) {
						t.Fatalf("%v to %v: %v there, %v back, ratio of flows %v", a, b, p, back[0],
							ratio)
					}
					pairs++
				}
			}
			t.Logf("%d pairs, %.2f of the probability moves, %d dead ends, halvings %v", pairs,
				moved/float64(c.starts), s.deadEnds, s.halved)
			if pairs < 5*c.starts || s.deadEnds < 100 {
				t.Errorf("the case is too easy: %d pairs, %d dead ends", pairs, s.deadEnds)
			}
		})
	}
}
