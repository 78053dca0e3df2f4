package face

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
)

// climb maximises a log density by L-BFGS (Nocedal and Wright 2006, algorithms 7.4, 3.5 and 3.6) with the
// tests of convergence that Stan has.
type climb struct {
	density                                    func(x, grad []float64) float64
	history, most                              int
	alpha                                      float64 // of the first line search
	tolObj, tolRelObj, tolGrad, tolRel, tolPar float64
	told                                       func(s *state)
}

// state is where a climb is. Its function is the negative log density.
type state struct {
	x, g         []float64
	f            float64
	iteration    int
	moved        float64 // length of the last step
	alpha, first float64 // of the last line search
	evaluations  int
	why          string // it converged
}

// errNoDescent ends a climb that finds no higher point.
var errNoDescent = errors.New("Line search failed to achieve a sufficient decrease, no more progress can be made")

// errNoMode ends a climb that went far and still goes up.
var errNoMode = errors.New("The log density rises without end: it has no mode")

// far is how long a step of a search may become.
const far = 1e8

// pair is a step with the change of the gradient.
type pair struct {
	s, y []float64
	rho  float64
}

const epsilon = 0x1p-52

func (c *climb) run(x []float64) (*state, error) {
	s := &state{x: append([]float64{}, x...), g: make([]float64, len(x))}
	s.f = c.value(s.x, s.g, s)
	if math.IsInf(s.f, 0) || math.IsNaN(s.f) {
		return s, errors.New("the log density is not finite at the initial point")
	}
	c.told(s)
	var kept []pair
	d := make([]float64, len(x))
	for s.iteration < c.most {
		direction(d, s.g, kept)
		slope := floats.Dot(d, s.g)
		if !(slope < 0) {
			kept = nil
			direction(d, s.g, kept)
			slope = floats.Dot(d, s.g)
		}
		if slope == 0 {
			s.why = "gradient norm is below tolerance"
			return s, nil
		}
		first := 1.0
		if len(kept) == 0 {
			first = min(c.alpha, 1/math.Sqrt(-slope))
		}
		x1, g1, f1, alpha, ok := c.search(s, d, slope, first)
		if ok && alpha*floats.Norm(d, 2) > far*max(1, floats.Norm(s.x, 2)) {
			return s, errNoMode
		}
		if !ok && len(kept) > 0 {
			kept = nil
			continue
		}
		if !ok {
			return s, errNoDescent
		}
		p := pair{s: make([]float64, len(x)), y: make([]float64, len(x))}
		floats.SubTo(p.s, x1, s.x)
		floats.SubTo(p.y, g1, s.g)
		df := s.f - f1
		scale := max(math.Abs(s.f), math.Abs(f1), 1)
		s.x, s.g, s.f, s.alpha, s.first = x1, g1, f1, alpha, first
		s.moved = floats.Norm(p.s, 2)
		s.iteration++
		if sy := floats.Dot(p.s, p.y); sy > 0 {
			p.rho = 1 / sy
			kept = append(kept, p)
			kept = kept[max(0, len(kept)-c.history):]
		}
		direction(d, s.g, kept)
		c.told(s)
		switch norm := floats.Norm(s.g, 2); {
		case norm < c.tolGrad:
			s.why = "gradient norm is below tolerance"
		case math.Abs(floats.Dot(d, s.g))/max(math.Abs(s.f), 1) < c.tolRel*epsilon:
			s.why = "relative gradient magnitude is below tolerance"
		case math.Abs(df) < c.tolObj:
			s.why = "absolute change in objective function was below tolerance"
		case math.Abs(df)/scale < c.tolRelObj*epsilon:
			s.why = "relative change in objective function was below tolerance"
		case s.moved < c.tolPar:
			s.why = "absolute parameter change was below tolerance"
		default:
			continue
		}
		return s, nil
	}
	return s, nil
}

func (c *climb) value(x, g []float64, s *state) float64 {
	s.evaluations++
	lp := c.density(x, g)
	for i := range g {
		g[i] = -g[i]
	}
	if math.IsNaN(lp) || math.IsInf(lp, 0) {
		return math.Inf(1)
	}
	return -lp
}

// direction is minus the gradient times the inverse Hessian that the pairs tell, by two loops over them.
func direction(d, g []float64, kept []pair) {
	for i, v := range g {
		d[i] = -v
	}
	a := make([]float64, len(kept))
	for k := len(kept) - 1; k >= 0; k-- {
		a[k] = kept[k].rho * floats.Dot(kept[k].s, d)
		floats.AddScaled(d, -a[k], kept[k].y)
	}
	if n := len(kept); n > 0 {
		p := kept[n-1]
		floats.Scale(1/(p.rho*floats.Dot(p.y, p.y)), d)
	}
	for k, p := range kept {
		floats.AddScaled(d, a[k]-p.rho*floats.Dot(p.y, d), p.s)
	}
}

// search finds a step along d that keeps the strong conditions of Wolfe.
func (c *climb) search(s *state, d []float64, slope, first float64) (x, g []float64, f, alpha float64, ok bool) {
	const c1, c2 = 1e-4, 0.9
	x, g = make([]float64, len(d)), make([]float64, len(d))
	at := func(a float64) (f, df float64) {
		copy(x, s.x)
		floats.AddScaled(x, a, d)
		f = c.value(x, g, s)
		return f, floats.Dot(g, d)
	}
	low, flow, dlow := 0.0, s.f, slope
	high, fhigh := math.Inf(1), math.Inf(1)
	alpha = first
	for range 60 {
		f, df := at(alpha)
		switch {
		case !(f <= s.f+c1*alpha*slope) || math.IsInf(high, 1) && low > 0 && f >= flow:
			high, fhigh = alpha, f
		case math.Abs(df) <= -c2*slope:
			return x, g, f, alpha, true
		case df > 0:
			high, fhigh = alpha, f
			if !math.IsInf(f, 1) && f < flow { // the better end is the new one: the minimum lies between
				high, fhigh = low, flow
				low, flow, dlow = alpha, f, df
			}
		default:
			low, flow, dlow = alpha, f, df
		}
		if math.IsInf(high, 1) {
			if alpha*floats.Norm(d, 2) > far*max(1, floats.Norm(s.x, 2)) {
				return x, g, f, alpha, true
			}
			alpha *= 4
			continue
		}
		if math.Abs(high-low) <= 1e-15*max(math.Abs(high), math.Abs(low)) {
			break
		}
		// The minimum of the parabola through both ends with the slope at one, not too near an end.
		w := high - low
		t := 0.5
		if !math.IsInf(fhigh, 1) {
			if q := 2 * (fhigh - flow - dlow*w); q > 0 {
				t = -dlow * w / q
			}
		}
		alpha = low + w*min(max(t, 0.1), 0.9)
	}
	// A point that is lower at all is better than none.
	if low > 0 {
		if f, _ := at(low); f < s.f {
			return x, g, f, low, true
		}
	}
	return nil, nil, 0, 0, false
}
