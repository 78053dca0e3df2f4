package density

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Solution is the minimum of w'Mw - 2 b'w over weights w that are not negative and have sum 1.
type Solution struct {
	Weights   []float64
	Objective float64
	// KKT is the largest violation of the conditions for the minimum, in units of the largest element
	// of M and b. With g = Mw - b, no g_j may be below w'g, and none above where w_j > 0. The
	// objective is then within 2 KKT (in the same units) of the smallest.
	KKT     float64
	Support int // weights that are positive
	Steps   int
}

// Minimise finds it by an active set: the weight with the most negative multiplier enters, and the
// minimum over the weights in use is taken, as far as none of them becomes negative. Every step
// lowers the objective, so that no set comes twice. A step costs O(s³) for s weights in use.
func Minimise(m *mat.SymDense, b []float64) (*Solution, error) {
	n := m.SymmetricDim()
	if n != len(b) {
		return nil, fmt.Errorf("density: b has %d elements, want %d, as many as M has rows", len(b), n)
	}
	p := &program{m: m, b: b, n: n, w: make([]float64, n), g: make([]float64, n)}
	for i := range n {
		p.scale = max(p.scale, math.Abs(b[i]), m.At(i, i))
		for j := i; j < n; j++ {
			if math.IsNaN(m.At(i, j)+b[i]) || math.IsInf(m.At(i, j)+b[i], 0) {
				return nil, fmt.Errorf("density: element %d, %d of M or %d of b is no finite number", i+1,
					j+1, i+1)
			}
		}
	}
	if p.scale == 0 {
		p.scale = 1
	}
	p.start()
	for steps := 1; steps <= 50*n+100; steps++ {
		enter, violation := p.worst()
		if violation <= 1e-13*p.scale || !p.advance(enter) {
			return p.solution(steps), nil
		}
	}
	return nil, errors.New("density: weights were not found")
}

type program struct {
	m     *mat.SymDense
	b     []float64
	n     int
	scale float64
	w, g  []float64 // weights, and Mw - b
	use   []int     // the weights that are not held at 0
}

// start is the best single weight.
func (p *program) start() {
	best := 0
	value := func(j int) float64 { return p.m.At(j, j) - 2*p.b[j] }
	for j := range p.n {
		if value(j) < value(best) {
			best = j
		}
	}
	p.w[best] = 1
	p.use = []int{best}
	p.gradient()
}

func (p *program) gradient() {
	for i := range p.g {
		p.g[i] = -p.b[i]
		for _, j := range p.use {
			p.g[i] += p.m.At(i, j) * p.w[j]
		}
	}
}

// worst returns the weight at 0 whose increase lowers the objective fastest, and how fast.
func (p *program) worst() (enter int, violation float64) {
	level := p.level()
	enter = -1
	for j, g := range p.g {
		if p.w[j] == 0 && level-g > violation {
			enter, violation = j, level-g
		}
	}
	return enter, violation
}

// level is w'g, the multiplier of the sum.
func (p *program) level() float64 {
	level := 0.0
	for _, j := range p.use {
		level += p.w[j] * p.g[j]
	}
	return level
}

// advance takes in a weight and goes to the minimum over those in use, dropping those that reach 0
// on the way. It reports whether the objective fell.
func (p *program) advance(enter int) bool {
	before := p.objective()
	old := append([]float64(nil), p.w...)
	oldUse := append([]int(nil), p.use...)
	p.use = append(p.use, enter)
	for {
		target, ok := p.equality()
		if !ok {
			break
		}
		// As far as no weight becomes negative; the first is dropped.
		step, drop := 1.0, -1
		for i, j := range p.use {
			if target[i] <= 0 && p.w[j] > target[i] {
				if s := p.w[j] / (p.w[j] - target[i]); s < step || drop < 0 {
					step, drop = s, i
				}
			}
		}
		for i, j := range p.use {
			p.w[j] += step * (target[i] - p.w[j])
		}
		if drop < 0 {
			break
		}
		p.w[p.use[drop]] = 0
		p.use = append(p.use[:drop], p.use[drop+1:]...)
		if len(p.use) == 1 {
			p.w[p.use[0]] = 1
			break
		}
	}
	p.normalise()
	p.gradient()
	if p.objective() < before {
		return true
	}
	copy(p.w, old)
	p.use = oldUse
	p.gradient()
	return false
}

// normalise puts the sum right that rounding has changed.
func (p *program) normalise() {
	sum := 0.0
	for _, j := range p.use {
		p.w[j] = max(p.w[j], 0)
		sum += p.w[j]
	}
	for _, j := range p.use {
		p.w[j] /= sum
	}
}

// equality is the minimum over the weights in use of sum 1, whatever their signs: with directions
// e_i - e_0 it is a system of one unknown less. Directions along which M is zero, to within
// rounding, are left alone: the eigenvalues are small there.
func (p *program) equality() (target []float64, ok bool) {
	s := len(p.use) - 1
	first := p.use[0]
	h, r := mat.NewSymDense(s, nil), mat.NewVecDense(s, nil)
	for a, i := range p.use[1:] {
		gi, g0 := -p.b[i], -p.b[first]
		for _, l := range p.use {
			gi += p.m.At(i, l) * p.w[l]
			g0 += p.m.At(first, l) * p.w[l]
		}
		r.SetVec(a, g0-gi)
		for b, j := range p.use[1 : a+2] {
			h.SetSym(a, b, p.m.At(i, j)-p.m.At(i, first)-p.m.At(first, j)+p.m.At(first, first))
		}
	}
	step, ok := newton(h, r)
	if !ok {
		return nil, false
	}
	target = make([]float64, s+1)
	target[0] = p.w[first]
	for a, i := range p.use[1:] {
		target[a+1] = p.w[i] + step.AtVec(a)
		target[0] -= step.AtVec(a)
	}
	return target, true
}

// newton solves h step = r by Cholesky, or by eigenvalues where h is singular.
func newton(h *mat.SymDense, r *mat.VecDense) (*mat.VecDense, bool) {
	var c mat.Cholesky
	step := new(mat.VecDense)
	if c.Factorize(h) && c.Cond() < 1e12 {
		return step, c.SolveVecTo(step, r) == nil
	}
	var e mat.EigenSym
	if !e.Factorize(h, true) {
		return nil, false
	}
	var v mat.Dense
	e.VectorsTo(&v)
	values := e.Values(nil)
	n := len(values)
	step = mat.NewVecDense(n, nil)
	for k, d := range values {
		if d > 1e-14*values[n-1] {
			u := v.ColView(k)
			step.AddScaledVec(step, mat.Dot(u, r)/d, u)
		}
	}
	return step, true
}

func (p *program) objective() float64 {
	sum := 0.0
	for _, j := range p.use {
		sum += p.w[j] * (p.g[j] - p.b[j])
	}
	return sum
}

func (p *program) solution(steps int) *Solution {
	s := &Solution{Weights: p.w, Objective: p.objective(), Steps: steps}
	level := p.level()
	for j, g := range p.g {
		miss := level - g
		if p.w[j] > 0 {
			s.Support++
			miss = math.Abs(miss)
		}
		s.KKT = max(s.KKT, miss/p.scale)
	}
	return s
}
