package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/priors"
)

// Direction is the uniform distribution of a unit vector. Its density, beside the Jacobian of
// priors.UnitVector, is the constant that makes the coordinates standard normal.
type Direction struct{}

func (d *Direction) Name() string                          { return "uniform_direction" }
func (d *Direction) Arguments() []*Node                    { return nil }
func (d *Direction) Mapped(func(*Node) *Node) Distribution { return d }

// Densities is 1: the vector has one density.
func (d *Direction) Densities(int) int { return 1 }

func (d *Direction) ForParameter(p Place) error {
	if _, ok := p.Transform.(priors.UnitVector); !ok {
		return fmt.Errorf("%s is the distribution of a UnitVector", d.Name())
	}
	return nil
}

func (d *Direction) ForValues(*Node, string) error {
	return fmt.Errorf("%s is the distribution of parameters, not of data", d.Name())
}

func (d *Direction) Bind(_ *Memory, y *Node) Term {
	if y == nil {
		return directionTerm(0)
	}
	return directionTerm(y.N)
}

// directionTerm is the number of values.
type directionTerm int

func (t directionTerm) Add() float64 { return -float64(t) * logSqrt2Pi }

func (t directionTerm) Pointwise(out []float64) int {
	out[0] = t.Add()
	return 1
}

func (t directionTerm) Draw(r *rand.Rand, out []float64) {
	sum := 0.0
	for i := range out {
		out[i] = r.NormFloat64()
		sum += out[i] * out[i]
	}
	for i := range out {
		out[i] /= math.Sqrt(sum)
	}
}

// ZeroSum is the distribution of normal values with mean 0 and one standard deviation, given that
// their sum is 0. N values have n-1 dimensions, and so the density
//
//	-|y|²/(2 sd²) - (n-1) log(sd sqrt(2 pi)).
type ZeroSum struct{ SD *Node }

func (d *ZeroSum) Name() string                             { return "zero_sum_normal" }
func (d *ZeroSum) Arguments() []*Node                       { return []*Node{d.SD} }
func (d *ZeroSum) Mapped(to func(*Node) *Node) Distribution { return &ZeroSum{to(d.SD)} }

// Densities is 1: the values have one density.
func (d *ZeroSum) Densities(int) int { return 1 }

func (d *ZeroSum) ForParameter(p Place) error {
	if _, ok := p.Transform.(priors.ZeroSum); !ok {
		return fmt.Errorf("%s is the distribution of a SumToZero", d.Name())
	}
	return nil
}

func (d *ZeroSum) ForValues(*Node, string) error {
	return fmt.Errorf("%s is the distribution of parameters, not of data", d.Name())
}

func (d *ZeroSum) Bind(c *Memory, y *Node) Term {
	t := &zeroSumTerm{sd: c.Value[d.SD.ID], dsd: c.Adjoint[d.SD.ID]}
	if y != nil {
		t.y, t.dy = c.Value[y.ID], c.Adjoint[y.ID]
	}
	return t
}

type zeroSumTerm struct{ y, dy, sd, dsd []float64 }

func (t *zeroSumTerm) Add() float64 {
	sd := t.sd[0]
	if !(sd > 0) {
		return math.Inf(-1)
	}
	w, sum := 1/(sd*sd), 0.0
	for i, v := range t.y {
		sum += v * v
		if t.dy != nil {
			t.dy[i] -= v * w
		}
	}
	free := float64(len(t.y) - 1)
	if t.dsd != nil {
		t.dsd[0] += (sum*w - free) / sd
	}
	return -sum*w/2 - free*(math.Log(sd)+logSqrt2Pi)
}

func (t *zeroSumTerm) Pointwise(out []float64) int {
	out[0] = t.Add()
	return 1
}

func (t *zeroSumTerm) Draw(r *rand.Rand, out []float64) {
	mean := 0.0
	for i := range out {
		out[i] = r.NormFloat64()
		mean += out[i] / float64(len(out))
	}
	for i := range out {
		out[i] = t.sd[0] * (out[i] - mean)
	}
}
