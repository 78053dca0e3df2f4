package record

import (
	"slices"

	"bayeskernel/engine"
	"bayeskernel/stan/types"
)

// entry is a function of the library: its signature, in the words of package types, and what it does. Of
// several entries for one name the last has the function that computes all of them.
type entry struct {
	signature string
	call      func(c *run, a []Value) Value
}

func (e entry) name() string {
	_, name, _, _ := types.Split(e.signature)
	return name
}

// entries are those of all families of functions that stand in files of their own.
func entries() []entry {
	return slices.Concat(specialFunctions(), matrixFunctions(), sparseFunctions(), kernelFunctions(),
		hiddenFunctions(), randomFunctions())
}

func sortedCopy(x []float64) []float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x
}

// custom records a function of numbers that computes its Jacobian: row by row for each value, where jac is
// not nil.
func (t *Tape) custom(n int, args []Real, f func(in, out, jac []float64)) []Real {
	return t.call(engine.Custom{Make: func() engine.Computation { return &jacobian{f: f} }}, n, args)
}

type jacobian struct {
	f   func(in, out, jac []float64)
	jac []float64
}

// Forward implements engine.Computation.
func (j *jacobian) Forward(out []float64, in [][]float64) { j.f(in[0], out, nil) }

// Pullback implements engine.Computation.
func (j *jacobian) Pullback(din [][]float64, dout, out []float64, in [][]float64) {
	m := len(in[0])
	if j.jac == nil {
		j.jac = make([]float64, len(out)*m)
	}
	clear(j.jac)
	j.f(in[0], out, j.jac)
	for i, d := range dout {
		if d == 0 {
			continue
		}
		for k := range m {
			din[0][k] += d * j.jac[i*m+k]
		}
	}
}

// pulled records a function of numbers with its derivatives backwards.
func (t *Tape) pulled(n int, args []Real, forward func(in, out []float64), back func(in, out, dout, din []float64)) []Real {
	return t.call(engine.Custom{Make: func() engine.Computation { return &pullback{forward, back} }}, n, args)
}

type pullback struct {
	forward func(in, out []float64)
	back    func(in, out, dout, din []float64)
}

// Forward implements engine.Computation.
func (p *pullback) Forward(out []float64, in [][]float64) { p.forward(in[0], out) }

// Pullback implements engine.Computation.
func (p *pullback) Pullback(din [][]float64, dout, out []float64, in [][]float64) {
	p.back(in[0], out, dout, din[0])
}
