package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// problem is two laws, the number of rows of each sample, and what is measured.
type problem struct {
	name    string
	kind    kind
	n, sets int
	draw    func(r *rand.Rand, n int) (x, y *mat.Dense)
}

type kind int

const (
	null   kind = iota // the Bayes factor alone
	alter              // with p-values by permutation, and that of MMD with the median heuristic
	paired             // the Bayes factor of pairs beside it
	points             // the models at 40 points
)

// problems are those of the study.
func problems() []problem {
	rows := func(n, dim int, fill func(row []float64)) *mat.Dense {
		out := mat.NewDense(n, dim, nil)
		for i := range n {
			fill(out.RawRowView(i))
		}
		return out
	}
	column := func(p, q func(r *rand.Rand) float64) func(*rand.Rand, int) (x, y *mat.Dense) {
		return func(r *rand.Rand, n int) (x, y *mat.Dense) {
			x = rows(n, 1, func(row []float64) { row[0] = p(r) })
			return x, rows(n, 1, func(row []float64) { row[0] = q(r) })
		}
	}
	normal := func(mean, sd float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return mean + sd*r.NormFloat64() }
	}
	laplace := func(r *rand.Rand) float64 { return math.Sqrt(0.5) * (r.ExpFloat64() - r.ExpFloat64()) }
	uniform := func(r *rand.Rand) float64 { return r.Float64() }
	wave := func(r *rand.Rand) float64 { // density 1 + sin(6 pi x)/2
		for {
			if x := r.Float64(); 1.5*r.Float64() < 1+0.5*math.Sin(6*math.Pi*x) {
				return x
			}
		}
	}
	same := column(normal(0, 1), normal(0, 1))
	correlated := func(r *rand.Rand, n int) (x, y *mat.Dense) {
		fill := func(rho float64) func(row []float64) {
			return func(row []float64) {
				row[0] = r.NormFloat64()
				row[1] = rho*row[0] + math.Sqrt(1-rho*rho)*r.NormFloat64()
			}
		}
		x = rows(n, 2, fill(0))
		return x, rows(n, 2, fill(0.5))
	}
	pairs := func(shift float64) func(r *rand.Rand, n int) (x, y *mat.Dense) {
		return func(r *rand.Rand, n int) (x, y *mat.Dense) {
			x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
			for i := range n {
				a := r.NormFloat64()
				x.Set(i, 0, a)
				y.Set(i, 0, 0.8*a+0.6*r.NormFloat64()+shift)
			}
			return x, y
		}
	}
	return []problem{
		{"one law, n = 50", null, 50, 200, same}, {"one law, n = 200", null, 200, 200, same},
		{"one law, n = 500", null, 500, 100, same}, {"one law, n = 2000", null, 2000, 20, same},
		{"shift .5, n = 50", alter, 50, 100, column(normal(0, 1), normal(0.5, 1))},
		{"Laplace, n = 50", alter, 50, 100, column(normal(0, 1), laplace)},
		{"sd 1.5, n = 50", alter, 50, 100, column(normal(0, 1), normal(0, 1.5))},
		{"shift .25, n = 200", alter, 200, 60, column(normal(0, 1), normal(0.25, 1))},
		{"Laplace, n = 200", alter, 200, 60, column(normal(0, 1), laplace)},
		{"1 + sin(6 pi x)/2, n = 300", alter, 300, 60, column(wave, uniform)},
		{"2-D correlation .5, n = 100", alter, 100, 40, correlated},
		{"independent, shift .5, n = 60", paired, 60, 100, column(normal(0, 1), normal(0.5, 1))},
		{"pairs, correlation .8, n = 60", paired, 60, 100, pairs(0)},
		{"pairs, correlation .8, shift .25, n = 60", paired, 60, 100, pairs(0.25)},
		{"at 40 points, one law, n = 50", points, 50, 100, same},
	}
}

// samples draws data set number set.
func (p problem) samples(seed uint64, set int) (x, y *mat.Dense) {
	return p.draw(rand.New(rand.NewPCG(seed, uint64(set))), p.n)
}
