package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/examples/internal/laws"

	"gonum.org/v1/gonum/mat"
)

// problem is two laws and the numbers of rows.
type problem struct {
	name   string
	p, q   laws.Law
	np, nq int
	sets   int  // data sets of the study
	plane  bool // two columns: on a grid too
}

// problems are those of the study.
func problems() []problem {
	nl := func(np, nq, sets int) problem {
		return problem{name: "normal, Laplace", p: laws.Line(1, 0),
			q: laws.Laplace(math.Sqrt(0.5)), np: np, nq: nq, sets: sets}
	}
	t3 := func(n, sets int) problem {
		return problem{name: "t3, normal", p: laws.Student(), q: laws.Line(1, 0), np: n,
			nq: n, sets: sets}
	}
	counts := func(n, sets int) problem {
		return problem{name: "Poisson 3, 3.5", p: laws.Poisson(3), q: laws.Poisson(3.5), np: n, nq: n,
			sets: sets}
	}
	corr := func(dim, n, sets int, correlation float64) problem {
		return problem{name: fmt.Sprintf("%d-D normal, corr %g", dim, correlation),
			p: laws.Normal(dim, 0), q: laws.Normal(dim, correlation), np: n, nq: n, sets: sets,
			plane: dim == 2}
	}
	all := []problem{
		nl(50, 50, 400),
		{name: "two bumps, normal", p: laws.Line(0.5, -1, 1), q: laws.Line(math.Sqrt(1.25), 0), np: 50,
			nq: 50, sets: 400},
		t3(50, 400), counts(50, 400), nl(30, 400, 300), nl(400, 400, 300), t3(400, 300),
		counts(400, 300), corr(2, 50, 100, 0.5), corr(2, 400, 40, 0.5),
		{name: "3 x 3 grid", p: laws.Grid(1), q: laws.Grid(2), np: 100, nq: 100, sets: 40, plane: true},
		corr(5, 50, 100, 0.35), corr(5, 400, 24, 0.35), corr(10, 50, 40, 0.35),
		corr(10, 400, 10, 0.35),
	}
	for i := range all {
		all[i].name += fmt.Sprintf(", %d", all[i].np)
		if all[i].nq != all[i].np {
			all[i].name += fmt.Sprintf(" and %d", all[i].nq)
		}
	}
	return all
}

// samples draws data set number set.
func (c problem) samples(seed uint64, set int) (x, y *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, uint64(set)))
	rows := func(l laws.Law, n int) *mat.Dense {
		out := mat.NewDense(n, l.Dim, nil)
		for i := range n {
			l.Draw(out.RawRowView(i), r)
		}
		return out
	}
	return rows(c.p, c.np), rows(c.q, c.nq)
}
