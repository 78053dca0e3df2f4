package ode

import (
	"errors"
	"fmt"
	"math"
)

// System is the right-hand side of n equations.
type System interface {
	// Eval writes f(t, y) into f. With jy not nil it also writes df/dy, n by n, and df/dp, n by the
	// number of parameters, row by row.
	Eval(t float64, y, f, jy, jp []float64)
}

// Method is a way to take a step.
type Method int

// The methods.
const (
	DormandPrince Method = iota
	Radau
	Eighth
)

// Options say how exact a solution is to be. Zero values mean the defaults in parentheses.
type Options struct {
	Method         Method
	RelTol, AbsTol float64 // of the error of one step (1e-6)
	MaxSteps       int     // between two times (1e6)
	// Switch lets an explicit method go on with Radau once the equations are stiff.
	Switch bool
}

var (
	// ErrStiff says that MaxSteps of the explicit method were not enough, because stability alone kept
	// them short.
	ErrStiff = errors.New("ode: too many steps, for the equations are stiff here: use the implicit method")
	// ErrSteps says that MaxSteps were not enough.
	ErrSteps = errors.New("ode: too many steps between two times")
	// ErrStep says that a step became too small to be taken: the solution may not exist so far.
	ErrStep = errors.New("ode: the step became too small; the solution may be infinite")
)

// Solver has the memory of a system of n equations whose solution is differentiated in q directions:
// the n start values first, if initial, and then the p parameters.
type Solver struct {
	o       Options
	n, p, q int
	initial bool
	size    int // n (1 + q): y, then S column by column
	z, next []float64
	k       [13][]float64
	last    []float64 // the last stage of a step, at its end
	err     []float64
	jy, jp  []float64
	radau   *radau
	steps   int // taken in the last Solve
	stiff   bool
}

// New returns a solver of n equations with p parameters. Initial says whether derivatives in the start
// values are wanted.
func New(n, p int, initial bool, o Options) (*Solver, error) {
	if o.RelTol == 0 {
		o.RelTol = 1e-6
	}
	if o.AbsTol == 0 {
		o.AbsTol = 1e-6
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 1_000_000
	}
	switch {
	case n < 1 || p < 0:
		return nil, fmt.Errorf("ode: %d equations with %d parameters, want at least 1 and 0", n, p)
	case !(o.RelTol > 0 && o.AbsTol > 0):
		return nil, fmt.Errorf("ode: the tolerances are %v and %v, want positive numbers", o.RelTol, o.AbsTol)
	case o.MaxSteps < 1:
		return nil, fmt.Errorf("ode: at most %d steps, want at least 1", o.MaxSteps)
	case o.Method < DormandPrince || o.Method > Eighth:
		return nil, fmt.Errorf("ode: method %d, want DormandPrince, Radau or Eighth", o.Method)
	}
	s := &Solver{o: o, n: n, p: p, q: p, initial: initial}
	if initial {
		s.q += n
	}
	s.size = n * (1 + s.q)
	s.z, s.next, s.err = make([]float64, s.size), make([]float64, s.size), make([]float64, s.size)
	s.last = make([]float64, n)
	for i := range s.k {
		if i < 7 || o.Method == Eighth {
			s.k[i] = make([]float64, s.size)
		}
	}
	s.jy, s.jp = make([]float64, n*n), make([]float64, n*p)
	if o.Method == Radau || o.Switch {
		s.radau = newRadau(s)
	}
	return s, nil
}

// Directions is the number of directions in which solutions are differentiated.
func (s *Solver) Directions() int { return s.q }

// Steps is the number of steps that the last Solve took.
func (s *Solver) Steps() int { return s.steps }

// Stiff reports whether stability kept the steps of the last Solve short for a while: the implicit
// method may be faster.
func (s *Solver) Stiff() bool { return s.stiff }

// Solve integrates from y0 at t0 and writes the solution at times, which rise from t0 on, into y, n
// values for each time. With sens not nil it also writes the derivatives, n by q row by row for each
// time.
func (s *Solver) Solve(sys System, t0 float64, y0, times, y, sens []float64) error {
	size := s.n
	clear(s.z)
	copy(s.z, y0)
	if sens != nil {
		size = s.size
		if s.initial {
			for i := range s.n {
				s.z[s.n*(1+i)+i] = 1
			}
		}
	}
	w := &walk{s: s, sys: sys, size: size, t: t0, implicit: s.o.Method == Radau}
	s.steps, s.stiff = 0, false
	for i, to := range times {
		if err := w.to(to); err != nil {
			return err
		}
		copy(y[i*s.n:(i+1)*s.n], s.z)
		for j := 0; sens != nil && j < s.q; j++ {
			for r := range s.n {
				sens[(i*s.n+r)*s.q+j] = s.z[s.n*(1+j)+r]
			}
		}
	}
	return nil
}

// walk is one integration.
type walk struct {
	s     *Solver
	sys   System
	size  int // of what is integrated: n, or all
	t, h  float64
	begun bool // k[0] is the slope at t
	stiff int  // steps at the border of stability
	calm  int  // steps away from it, since the last of those

	implicit bool
}

// slope writes the derivative of z at t into d.
func (w *walk) slope(t float64, z, d []float64) {
	s := w.s
	if w.size == s.n {
		w.sys.Eval(t, z[:s.n], d[:s.n], nil, nil)
		return
	}
	w.sys.Eval(t, z[:s.n], d[:s.n], s.jy, s.jp)
	s.slopes(s.jy, s.jp, z, d)
}

// slopes writes the derivative of S, which is jy S + jp.
func (s *Solver) slopes(jy, jp, z, d []float64) {
	n := s.n
	for j := range s.q {
		col, out := z[n*(1+j):n*(2+j)], d[n*(1+j):n*(2+j)]
		for r := range n {
			sum := 0.0
			if k := j - (s.q - s.p); k >= 0 {
				sum = jp[r*s.p+k]
			}
			for c, v := range col {
				sum += jy[r*n+c] * v
			}
			out[r] = sum
		}
	}
}

// to integrates up to a time.
func (w *walk) to(end float64) error {
	s := w.s
	if !(end >= w.t) || math.IsInf(end, 1) {
		return fmt.Errorf("ode: a time is %v, want one from %v on", end, w.t)
	}
	if end == w.t {
		return nil
	}
	if !w.begun {
		w.slope(w.t, s.z, s.k[0])
		w.begun = true
	}
	if w.h == 0 {
		w.h = w.first(end - w.t)
	}
	for range s.o.MaxSteps {
		left := end - w.t
		h, ends := w.h, false
		if h >= left*(1-1e-12) {
			h, ends = left, true
		}
		if w.t+h == w.t || !(h > 0) {
			return ErrStep
		}
		s.steps++
		grow, err := w.try(h)
		if err != nil {
			return err
		}
		if grow < 0 { // refused: -grow is the factor
			w.h = h * -grow
			continue
		}
		w.t += h
		s.z, s.next = s.next, s.z
		if ends {
			w.t = end
			if next := h * grow; next > w.h || next < h {
				w.h = next
			}
			return nil
		}
		w.h = h * grow
	}
	if w.stiff > 0 {
		return ErrStiff
	}
	return ErrSteps
}

func (w *walk) try(h float64) (float64, error) {
	switch {
	case w.implicit:
		return w.s.radau.try(w, h)
	case w.s.o.Method == Eighth:
		return w.eighth(h)
	}
	return w.explicit(h)
}

// norm is the root mean square of err in units of the tolerance.
func (w *walk) norm(err []float64) float64 {
	s, sum := w.s, 0.0
	for i, e := range err[:w.size] {
		u := e / (s.o.AbsTol + s.o.RelTol*max(math.Abs(s.z[i]), math.Abs(s.next[i])))
		sum += u * u
	}
	return math.Sqrt(sum / float64(w.size))
}

// first is a step that moves the solution by a hundredth of its size.
func (w *walk) first(most float64) float64 {
	s := w.s
	d0, d1 := 0.0, 0.0
	for i, v := range s.z[:w.size] {
		u := s.o.AbsTol + s.o.RelTol*math.Abs(v)
		d0 += v / u * v / u
		d1 += s.k[0][i] / u * s.k[0][i] / u
	}
	h := 0.01 * math.Sqrt(d0/d1)
	if !(d0 > 1e-10 && d1 > 1e-10) || math.IsInf(h, 0) || math.IsNaN(h) {
		h = 1e-6
	}
	return min(h, most)
}

// growth is the factor for the next step: below 0 if this one is refused.
func growth(err, order float64) float64 {
	if !(err <= 1) {
		if math.IsNaN(err) || math.IsInf(err, 0) {
			return -0.1
		}
		return -max(0.1, 0.9*math.Pow(err, -1/order))
	}
	return min(5, max(0.2, 0.9*math.Pow(max(err, 1e-10), -1/order)))
}

// The coefficients of Dormand and Prince.
var (
	nodes  = [7]float64{0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1}
	stages = [7][6]float64{
		{},
		{1.0 / 5},
		{3.0 / 40, 9.0 / 40},
		{44.0 / 45, -56.0 / 15, 32.0 / 9},
		{19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
		{9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
		{35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
	}
	errors5 = [7]float64{71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525,
		-1.0 / 40}
)

// explicit tries a step of Dormand and Prince.
func (w *walk) explicit(h float64) (float64, error) {
	s := w.s
	for i := 1; i < 7; i++ {
		for r, v := range s.z[:w.size] {
			sum := 0.0
			for j := range i {
				sum += stages[i][j] * s.k[j][r]
			}
			s.next[r] = v + h*sum
		}
		if i == 5 {
			copy(s.last, s.next[:s.n]) // the sixth stage, at the end of the step too
		}
		w.slope(w.t+nodes[i]*h, s.next, s.k[i])
	}
	stiff := w.border(h, s.k[5], s.k[6], 3.25)
	for r := range s.err[:w.size] {
		sum := 0.0
		for j, e := range errors5 {
			sum += e * s.k[j][r]
		}
		s.err[r] = h * sum
	}
	grow := growth(w.norm(s.err), 5)
	if grow < 0 {
		return grow, nil
	}
	w.watch(stiff)
	s.k[0], s.k[6] = s.k[6], s.k[0]
	return grow, nil
}

// watch counts steps as long as stability allows: fifteen of them with few others between are a sign of
// stiffness.
func (w *walk) watch(stiff bool) {
	if stiff {
		w.stiff, w.calm = w.stiff+1, 0
		if w.stiff >= 15 {
			w.s.stiff = true
			w.implicit = w.s.o.Switch
		}
	} else if w.calm++; w.calm >= 6 {
		w.stiff = 0
	}
}

// border reports whether h times the largest eigenvalue, estimated from the slopes a and b at two values at the
// end of the step, is at the border of stability.
func (w *walk) border(h float64, a, b []float64, limit float64) bool {
	s := w.s
	num, den := 0.0, 0.0
	for r := range s.n {
		x, y := b[r]-a[r], s.next[r]-s.last[r]
		num += x * x
		den += y * y
	}
	return den > 0 && h*math.Sqrt(num/den) > limit
}
