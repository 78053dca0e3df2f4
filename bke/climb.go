package bke

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// box bounds a climb: lo <= u <= hi. Coordinates with lo = hi stay put.
type box struct{ lo, hi []float64 }

func (b box) clone() box {
	return box{append([]float64(nil), b.lo...), append([]float64(nil), b.hi...)}
}

// width is the size of the box in coordinate i.
func (b box) width(i int) float64 { return b.hi[i] - b.lo[i] }

// climb moves u uphill inside the box until it gains no more, by L-BFGS (Nocedal and Wright 2006,
// chapter 7). Its coordinates y are unbounded: u = lo + (hi-lo) (1 + tanh y)/2. An end of the box
// is then at infinity; settle finds out which bounds hold.
func (c *criterion) climb(u []float64, b box, iterations int) {
	var open []int
	for i := range u {
		if b.width(i) > 0 {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return
	}
	x, g := append([]float64(nil), u...), make([]float64, len(u))
	y0 := make([]float64, len(open))
	for k, i := range open {
		t := 2*(u[i]-b.lo[i])/b.width(i) - 1
		y0[k] = math.Atanh(min(max(t, -0.999), 0.999))
	}
	at := func(y []float64) float64 {
		for k, i := range open {
			x[i] = b.lo[i] + b.width(i)*(1+math.Tanh(y[k]))/2
		}
		return -c.at(g, x)
	}
	problem := optimize.Problem{
		Func: at,
		Grad: func(dst, y []float64) {
			at(y)
			for k, i := range open {
				s := 1 / math.Cosh(y[k])
				dst[k] = -g[i] * b.width(i) * s * s / 2
			}
		},
	}
	settings := &optimize.Settings{
		MajorIterations: iterations,
		FuncEvaluations: 20 * iterations,
		Converger:       &optimize.FunctionConverge{Absolute: 1e-6, Iterations: 3},
	}
	// How the climb ended does not matter, only where: settle judges that.
	result, _ := optimize.Minimize(problem, y0, settings,
		&optimize.LBFGS{GradStopThreshold: math.NaN()})
	if result == nil || math.IsInf(result.F, 0) {
		return
	}
	at(result.X)
	copy(u, x)
}

const (
	newtonSteps = 60
	settled     = 1e-13 // Newton decrement, in nats
	nearBound   = 1e-3  // of the box: closer, with the gradient pointing out, is at the bound
)

// settle takes Newton steps inside the box from u, until it is at a maximum. It reports the Hessian
// there and the coordinates held by a bound; ok is false if there is no maximum.
func (c *criterion) settle(u []float64, b box) (h [][]float64, held []bool, ok bool) {
	d := len(u)
	g, next, gNext := make([]float64, d), make([]float64, d), make([]float64, d)
	c.at(g, u)
	for range newtonSteps {
		held = c.hold(u, g, b)
		lp := c.at(g, u)
		if math.IsInf(lp, -1) {
			return nil, nil, false
		}
		h = c.hessian(u)
		move, decrement, definite := newtonStep(h, g, held)
		if move == nil {
			return nil, nil, false
		}
		if definite && decrement < settled {
			return h, held, true
		}
		better := false
		for part := 1.0; part > 1e-9 && !better; part /= 2 {
			for i := range next {
				next[i] = min(max(u[i]+part*move[i], b.lo[i]), b.hi[i])
			}
			l := c.at(gNext, next)
			// Close to the maximum the gain is below the rounding of the value.
			better = l > lp || decrement < 1e-4 && definite && l > lp-1e-12*math.Abs(lp)
		}
		if !better {
			// No step gains anything in double precision: as near as can be, if near at all.
			return h, held, definite && decrement < 1e-6
		}
		copy(u, next)
	}
	return nil, nil, false
}

// hold moves coordinates that are practically at a bound onto it, and reports which bounds are
// active.
func (c *criterion) hold(u, g []float64, b box) []bool {
	held := make([]bool, len(u))
	for i := range u {
		switch near := nearBound * b.width(i); {
		case b.width(i) == 0:
			held[i] = true
		case u[i]-b.lo[i] < near && g[i] < 0:
			u[i], held[i] = b.lo[i], true
		case b.hi[i]-u[i] < near && g[i] > 0:
			u[i], held[i] = b.hi[i], true
		}
	}
	return held
}

// newtonStep returns the step to the maximum of the quadratic with gradient g and Hessian h over
// the coordinates that are not held, its decrement g'(-h)^-1 g, and whether -h is positive definite
// there. Where it is not, directions of upward curvature are followed as if they curved downward.
func newtonStep(h [][]float64, g []float64, held []bool) (move []float64, decrement float64,
	definite bool) {
	move = make([]float64, len(g))
	eigen, free, ok := curvature(h, held)
	if !ok {
		return nil, 0, false
	}
	definite = true
	for k, l := range eigen.values {
		definite = definite && l > 0
		s := 0.0
		for a, i := range free {
			s += eigen.vectors.At(a, k) * g[i]
		}
		l = max(math.Abs(l), 1e-12)
		decrement += s * s / l
		step := min(max(s/l, -1), 1) // in logs: no more than a factor of e
		for a, i := range free {
			move[i] += eigen.vectors.At(a, k) * step
		}
	}
	return move, decrement, definite
}

// eigensystem is that of the negative Hessian over the free coordinates.
type eigensystem struct {
	values  []float64
	vectors mat.Dense
}

// curvature returns the eigensystem of -h over the coordinates that are not held.
func curvature(h [][]float64, held []bool) (e eigensystem, free []int, ok bool) {
	for i := range held {
		if !held[i] {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return e, nil, true
	}
	a := mat.NewSymDense(len(free), nil)
	for k, i := range free {
		for l, j := range free[:k+1] {
			if math.IsNaN(h[i][j]) || math.IsInf(h[i][j], 0) {
				return e, nil, false
			}
			a.SetSym(k, l, -h[i][j])
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		return e, nil, false
	}
	eig.VectorsTo(&e.vectors)
	e.values = eig.Values(nil)
	return e, free, true
}
