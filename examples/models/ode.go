package models

import "math"

// rk45 integrates dy/dt = f(t, y) by the embedded Runge-Kutta pair of orders 5 and 4 of Dormand and
// Prince (1980), with steps chosen so that the estimated error of one step is about tolerance times
// 1 + |y| in every component.
type rk45 struct {
	f         func(t float64, y, dy []float64)
	tolerance float64
	maxSteps  int // of one integration, rejected ones included
	k         [7][]float64
	next      []float64
	t, step   float64
	steps     int
}

func newRK45(n int, tolerance float64, f func(t float64, y, dy []float64)) *rk45 {
	r := &rk45{f: f, tolerance: tolerance, maxSteps: 20000, next: make([]float64, n)}
	for i := range r.k {
		r.k[i] = make([]float64, n)
	}
	return r
}

// The coefficients of Dormand and Prince: nodes, stages (the last row gives the solution of order
// 5), and the difference between that and the solution of order 4.
var (
	rkNodes  = [7]float64{0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1}
	rkStages = [7][6]float64{
		{},
		{1. / 5},
		{3. / 40, 9. / 40},
		{44. / 45, -56. / 15, 32. / 9},
		{19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
		{9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
		{35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
	}
	rkError = [7]float64{71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525,
		-1. / 40}
)

// start begins an integration at t and y with a first try of the step.
func (r *rk45) start(t float64, y []float64, step float64) {
	r.t, r.step, r.steps = t, step, 0
	r.f(t, y, r.k[0])
}

// to moves y from where the last call left it to the time end. It reports false if that takes too
// many steps or meets values that are not finite.
func (r *rk45) to(end float64, y []float64) bool {
	for r.t < end {
		if r.steps++; r.steps > r.maxSteps {
			return false
		}
		h, last := r.step, false
		if r.t+h >= end {
			h, last = end-r.t, true
		}
		if r.t+h == r.t && !last {
			return false
		}
		size := r.try(h, y)
		if !(size <= 1) {
			if !(size < math.MaxFloat64) {
				size = 1e9
			}
			r.step = h * math.Max(0.1, 0.9*math.Pow(size, -0.2))
			continue
		}
		if r.t += h; last {
			r.t = end
		}
		copy(y, r.next)
		r.k[0], r.k[6] = r.k[6], r.k[0] // the last stage is the first of the next step
		grown := h * math.Min(5, 0.9*math.Pow(math.Max(size, 1e-10), -0.2))
		if !last || grown > r.step { // a step cut short says little
			r.step = grown
		}
	}
	return true
}

// try writes the solution after a step h into r.next and returns the largest estimated error of a
// component in units of what is tolerated.
func (r *rk45) try(h float64, y []float64) float64 {
	for s := 1; s < 7; s++ {
		copy(r.next, y)
		for j, a := range rkStages[s][:s] {
			if a == 0 {
				continue
			}
			ha := h * a
			for i, k := range r.k[j] {
				r.next[i] += ha * k
			}
		}
		r.f(r.t+rkNodes[s]*h, r.next, r.k[s])
	}
	size := 0.0
	for i, v := range r.next {
		e := 0.0
		for s, c := range rkError {
			e += c * r.k[s][i]
		}
		e = math.Abs(h*e) / (r.tolerance * (1 + math.Abs(v)))
		if !(e <= size) { // a NaN is the largest of all
			size = e
		}
		if math.IsNaN(e) {
			return math.Inf(1)
		}
	}
	return size
}
