package models

import "math"

// rk45 integrates dy/dt = f(t, y) by the embedded Runge-Kutta pair of orders 5 and 4 of Dormand and
// Prince (1980), with steps chosen so that the estimated error of one step is at most about
// tolerance times |y[i]| + scale(y) in component i.
type rk45 struct {
	f         func(t float64, y, dy []float64)
	scale     func(y []float64) float64
	tolerance float64
	maxSteps  int // of one integration, rejected ones included
	k         [7][]float64
	next      []float64
	t, step   float64
	steps     int
}

func newRK45(n int, tolerance float64, scale func(y []float64) float64,
	f func(t float64, y, dy []float64)) *rk45 {
	r := &rk45{f: f, scale: scale, tolerance: tolerance, maxSteps: 20000,
		next: make([]float64, n)}
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
		r.stage(s, h, y)
		r.f(r.t+rkNodes[s]*h, r.next, r.k[s])
	}
	size, scale, k := 0.0, r.scale(r.next), &r.k
	for i, v := range r.next {
		e := rkError[0]*k[0][i] + rkError[2]*k[2][i] + rkError[3]*k[3][i] + rkError[4]*k[4][i] +
			rkError[5]*k[5][i] + rkError[6]*k[6][i]
		e = math.Abs(h*e) / (r.tolerance * (scale + math.Abs(v)))
		if !(e <= size) {
			size = e
		}
		if math.IsNaN(e) {
			return math.Inf(1)
		}
	}
	return size
}

// stage writes the point at which stage s evaluates f into r.next: y + h times the sum of the
// derivatives so far, with the weights of row s. Written out, for here the time goes.
func (r *rk45) stage(s int, h float64, y []float64) {
	a, next := &rkStages[s], r.next[:len(y)]
	k0, k1, k2 := r.k[0][:len(y)], r.k[1][:len(y)], r.k[2][:len(y)]
	k3, k4, k5 := r.k[3][:len(y)], r.k[4][:len(y)], r.k[5][:len(y)]
	switch s {
	case 1:
		for i, v := range y {
			next[i] = v + h*a[0]*k0[i]
		}
	case 2:
		for i, v := range y {
			next[i] = v + h*(a[0]*k0[i]+a[1]*k1[i])
		}
	case 3:
		for i, v := range y {
			next[i] = v + h*(a[0]*k0[i]+a[1]*k1[i]+a[2]*k2[i])
		}
	case 4:
		for i, v := range y {
			next[i] = v + h*(a[0]*k0[i]+a[1]*k1[i]+a[2]*k2[i]+a[3]*k3[i])
		}
	case 5:
		for i, v := range y {
			next[i] = v + h*(a[0]*k0[i]+a[1]*k1[i]+a[2]*k2[i]+a[3]*k3[i]+a[4]*k4[i])
		}
	case 6: // a[1] is 0
		for i, v := range y {
			next[i] = v + h*(a[0]*k0[i]+a[2]*k2[i]+a[3]*k3[i]+a[4]*k4[i]+a[5]*k5[i])
		}
	}
}
