package model

import "bayeskernel/engine"

// RandomWalk is the distribution of values whose first has the distribution first, and each other's
// distance from the one before the distribution step, such as Normal(0, sd).
func RandomWalk(first, step Dist) Dist { return Autoregression([]float64{1}, first, step) }

// Autoregression is the distribution of values y with
//
//	y_t - c_1 y_{t-1} - ... - c_p y_{t-p} ~ step
//
// for each but the first p, which have the distribution first. With 2 and -1 it is a random walk of
// order 2. Parameters of the distribution step are numbers, or have a value for each value but the
// first p. Of data, values have log densities given those before.
func Autoregression[A Arg](coefficients A, first, step Dist) Dist {
	return Dist{series{argumentOf(coefficients), first, step}}
}

type series struct {
	coef        argument
	first, step Dist
}

func (series) name() string { return (&engine.Series{}).Name() }

func (d series) in(m *Model, of, where string) engine.Distribution {
	coef := d.coef.in(m, where)
	if about(coef).broken {
		return nil
	}
	part := func(p Dist) *engine.Univariate {
		if p.d == nil {
			m.failAt(where, "%s: %s without a distribution of its first values or its steps", of, d.name())
			return nil
		}
		in := p.in(m, of, where)
		u, ok := in.(*engine.Univariate)
		if in != nil && !ok {
			m.failAt(where, "%s: %s cannot be that of steps", of, p.name())
		}
		return u
	}
	first, step := part(d.first), part(d.step)
	if first == nil || step == nil {
		return nil
	}
	return &engine.Series{Coef: coef, First: first, Step: step}
}

// ICAR is the intrinsic conditional autoregression on the n nodes of a graph: values of neighbours differ
// by standard normal amounts, and their sum is near 0, as normal with sd .001 n. Edges go from node
// from[i] to node to[i], counted from 0, each once. The graph must be connected. With independent effects
// beside it is the model BYM2.
func ICAR(n int, from, to []int) Dist { return Dist{icar{n, from, to}} }

type icar struct {
	n        int
	from, to []int
}

func (icar) name() string { return (&engine.ICAR{}).Name() }

func (d icar) in(m *Model, of, where string) engine.Distribution {
	out, err := engine.NewICAR(d.n, d.from, d.to)
	if err != nil {
		m.failAt(where, "%s: icar: %v", of, err)
		return nil
	}
	return out
}
