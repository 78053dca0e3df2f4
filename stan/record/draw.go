package record

import "math/rand/v2"

// drawn is a recording of the transformed parameters, from which draws have them without a run of the program.
type drawn struct {
	tape  *Tape
	scope map[string]*variable // parameters and transformed parameters, with their places
}

// mostMisses is how many more draws than not may need a new recording before the program is run for each.
const mostMisses = 10

// Generate is that of the program, with the same bits: transformed parameters are those of a recording, which is made
// anew where a guard comes out otherwise.
func (c *Chain) Generate(u []float64, r *rand.Rand) (values []float64, err error) {
	if c.p.tree.TransformedParameters == nil || c.misses > mostMisses {
		return c.p.Generate(u, r)
	}
	if c.drawn != nil && c.drawn.at(u) {
		c.misses = max(0, c.misses-1)
	} else {
		c.misses++ // recording takes longer than running the program
		if c.drawn = c.p.drawn(u); c.drawn == nil {
			return c.p.Generate(u, r)
		}
	}
	defer caught(&err)
	run := c.p.newRun(newTape(nil))
	run.u, run.r = u, r
	for name, v := range c.drawn.scope {
		run.scopes[0][name] = &variable{v.t, c.drawn.now(v.v)}
	}
	var l flatList
	run.flat(&l)
	err = run.quantities(&l)
	return l.values, err
}

// drawn records at u; nil where the program rejects it, and where a replay may have other bits.
func (p *Program) drawn(u []float64) *drawn {
	c, err := p.recorded(u, false)
	if err != nil || c.chose {
		return nil
	}
	d := &drawn{tape: c.t, scope: map[string]*variable{}}
	for name, v := range c.scopes[0] {
		if p.data[name] != v {
			d.scope[name] = v
		}
	}
	c.t.Grow(false)
	return d
}

// at computes the values at u, and reports whether all guards come out as recorded.
func (d *drawn) at(u []float64) bool {
	copy(d.tape.Val[1:1+len(u)], u)
	return d.tape.Forward(1 + len(u))
}

// now is a copy of a value as it was last computed.
func (d *drawn) now(v Value) Value {
	numbers := func(x []Real) []Real {
		out := make([]Real, len(x))
		for i, e := range x {
			if e.N != 0 {
				e = constant(d.tape.Val[e.N])
			}
			out[i] = e
		}
		return out
	}
	switch v := v.(type) {
	case Real:
		return numbers([]Real{v})[0]
	case Vector:
		return Vector(numbers(v))
	case RowVector:
		return RowVector(numbers(v))
	case Reals:
		return Reals(numbers(v))
	case *Matrix:
		return &Matrix{v.R, v.C, numbers(v.X)}
	case Array:
		return each(v, d.now)
	case Tuple:
		return each(v, d.now)
	}
	return v
}
