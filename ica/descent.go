package ica

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// search descends on the group of rotations.
type search struct {
	*contrast
	steps int
}

// state is where a search ended.
type state struct {
	q         *mat.Dense
	value     float64
	norm      float64
	steps     int
	converged bool
}

// skew is the gradient on the group, E Q' - Q E', where F was evaluated last.
func (s *search) skew(q *mat.Dense) *mat.Dense {
	e := mat.NewDense(s.m, s.m, nil)
	s.gradient(e)
	a, b := new(mat.Dense), new(mat.Dense)
	a.Mul(e, q.T())
	b.Mul(q, e.T())
	a.Sub(a, b)
	return a
}

// moved is exp(-step G) Q.
func moved(q, g *mat.Dense, step float64) *mat.Dense {
	var a, e, out mat.Dense
	a.Scale(-step, g)
	e.Exp(&a)
	out.Mul(&e, q)
	return &out
}

// descend goes down from q. Each step lowers F by at least a ten-thousandth of what the slope
// promises.
func (s *search) descend(ctx context.Context, q *mat.Dense) (*state, error) {
	value := s.value(q)
	g := s.skew(q)
	out := &state{q: q, value: value, norm: mat.Norm(g, 2)}
	target := math.Max(tolerance*value, least)
	step := 0.1 / math.Max(out.norm, least) // a tenth of a radian at first
	for out.steps < s.steps {
		if out.norm <= target {
			out.converged = true
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.steps++
		slope := out.norm * out.norm / 2 // -dF/dstep
		var next *mat.Dense
		var low float64
		fell := false
		for range 40 {
			step = math.Min(step, 0.5/out.norm) // no turn of more than half a radian
			next = moved(out.q, g, step)
			if low = s.value(next); low <= out.value-1e-4*step*slope {
				fell = true
				break
			}
			step /= 3
		}
		if !fell { // F is flat to rounding here
			out.converged = out.norm <= 1e3*target
			break
		}
		h := s.skew(next)
		step = barzilai(g, h, step)
		out.q, out.value, out.norm, g = next, low, mat.Norm(h, 2), h
	}
	return out, nil
}

// barzilai is the next step by the change of the gradient from g to h along the last.
func barzilai(g, h *mat.Dense, step float64) float64 {
	var d mat.Dense
	d.Sub(h, g)
	m, _ := g.Dims()
	along, square := 0.0, 0.0
	for i := range m {
		for j := range m {
			along -= step * g.At(i, j) * d.At(i, j)
			square += d.At(i, j) * d.At(i, j)
		}
	}
	if !(along > 0) {
		return 3 * step
	}
	return along / square
}
