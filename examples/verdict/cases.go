package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/examples/internal/laws"

	"gonum.org/v1/gonum/mat"
)

// problem is two laws and the number of rows of each sample.
type problem struct {
	name string
	p, q laws.Law
	n    int
	sets int // data sets of the study
}

// problems are those of the study. Of two columns the first differs, or their correlation.
func problems() []problem {
	normal := laws.Line(1, 0)
	var out []problem
	for dim := 1; dim <= 2; dim++ {
		wide := func(first laws.Law) laws.Law {
			if dim == 1 {
				return first
			}
			return laws.Product(first, normal)
		}
		for _, c := range []struct {
			name string
			q    laws.Law
		}{
			{"same", wide(normal)}, {"shift .25", wide(laws.Line(1, 0.25))},
			{"scale 1.3", wide(laws.Line(1.3, 0))}, {"Laplace", wide(laws.Laplace(math.Sqrt(0.5)))},
			{"correlation .5", laws.Normal(2, 0.5)},
		} {
			if c.q.Dim != dim {
				continue
			}
			for _, n := range []int{50, 100, 200, 400} {
				out = append(out, problem{name: fmt.Sprintf("%s, D = %d, n = %d", c.name, dim, n),
					p: wide(normal), q: c.q, n: n, sets: 300})
			}
		}
	}
	return out
}

// samples draws data set number set.
func (c problem) samples(seed uint64, set int) (x, y *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, uint64(set)))
	rows := func(l laws.Law) *mat.Dense {
		out := mat.NewDense(c.n, l.Dim, nil)
		for i := range c.n {
			l.Draw(out.RawRowView(i), r)
		}
		return out
	}
	return rows(c.p), rows(c.q)
}
