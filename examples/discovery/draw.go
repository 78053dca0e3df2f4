package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/causal/graph"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// nodes are the names of p columns.
func nodes(p int) []string {
	out := make([]string, p)
	for j := range out {
		out[j] = fmt.Sprintf("v%02d", j)
	}
	return out
}

// randomDAG has p nodes, whose order of causes is random, and degree neighbours of each on average.
func randomDAG(r *rand.Rand, p int, degree float64) *graph.Graph {
	g, err := graph.New(nodes(p))
	if err != nil {
		panic(err)
	}
	order := r.Perm(p)
	for b := range p {
		for a := range b {
			if r.Float64() < degree/float64(p-1) {
				g.Set(order[a], order[b], graph.Tail, graph.Arrow)
			}
		}
	}
	return g
}

// sorted are the nodes, causes before effects.
func sorted(g *graph.Graph) []int {
	var out []int
	done := make([]bool, g.Len())
	for len(out) < g.Len() {
	next:
		for i := range g.Len() {
			if done[i] {
				continue
			}
			for _, j := range g.Parents(i) {
				if !done[j] {
					continue next
				}
			}
			done[i] = true
			out = append(out, i)
		}
	}
	return out
}

// noise draws with mean 0 and variance 1.
type noise func(r *rand.Rand) float64

func normal(r *rand.Rand) float64  { return r.NormFloat64() }
func uniform(r *rand.Rand) float64 { return math.Sqrt(12) * (r.Float64() - 0.5) }
func laplace(r *rand.Rand) float64 {
	return (r.ExpFloat64() - r.ExpFloat64()) / math.Sqrt2
}

// linear draws rows of a linear model on g, with coefficients from 0.3 to 1 of either sign, and
// returns the coefficients too: element i*p+j is that of i in j.
func linear(r *rand.Rand, g *graph.Graph, n int, of noise) (*mat.Dense, []float64) {
	p := g.Len()
	b := make([]float64, p*p)
	for j := range p {
		for _, i := range g.Parents(j) {
			b[i*p+j] = (0.3 + 0.7*r.Float64()) * float64(1-2*r.IntN(2))
		}
	}
	m, order := mat.NewDense(n, p, nil), sorted(g)
	for k := range n {
		for _, j := range order {
			v := of(r)
			for _, i := range g.Parents(j) {
				v += b[i*p+j] * m.At(k, i)
			}
			m.Set(k, j, v)
		}
	}
	return m, b
}

// curved draws rows of an additive model: a sum of sin or tanh of each cause, times a weight from 1 to 2 of either
// sign, over the root of their number, and noise of standard deviation a half.
func curved(r *rand.Rand, g *graph.Graph, n int) *mat.Dense { return bent(r, g, n, false) }

// together draws rows of a model with sin or tanh of the weighted sum of the causes. Given one cause of several, the
// mean of a sine over the others is nearly 0, so that each alone looks independent of the effect: the rows are not
// faithful to the graph, and a search that begins with pairs loses these edges.
func together(r *rand.Rand, g *graph.Graph, n int) *mat.Dense { return bent(r, g, n, true) }

func bent(r *rand.Rand, g *graph.Graph, n int, ofSum bool) *mat.Dense {
	p := g.Len()
	m := mat.NewDense(n, p, nil)
	for _, j := range sorted(g) {
		parents := g.Parents(j)
		weight, bend := make([]float64, len(parents)), math.Tanh
		if r.IntN(2) == 0 {
			bend = func(s float64) float64 { return math.Sin(1.5 * s) }
		}
		for k := range weight {
			weight[k] = (1 + r.Float64()) * float64(1-2*r.IntN(2))
		}
		scale := 1.0
		if len(parents) > 0 {
			scale = 0.5
		}
		for k := range n {
			sum, each := 0.0, 0.0
			for l, i := range parents {
				s := weight[l] * m.At(k, i)
				sum, each = sum+s, each+bend(s)/math.Sqrt(float64(len(parents)))
			}
			v := each
			if ofSum {
				v = bend(sum)
			}
			m.Set(k, j, v+scale*r.NormFloat64())
		}
	}
	return m
}

// smooth draws rows of an additive model: a sum of draws from a Gaussian process with lengthscale 1 of each
// cause, both with variance about 1, and noise of half its standard deviation.
func smooth(r *rand.Rand, g *graph.Graph, n int) *mat.Dense {
	m := mat.NewDense(n, g.Len(), nil)
	for _, j := range sorted(g) {
		parents, scale := g.Parents(j), 1.0
		for _, i := range parents {
			scale = 0.5
			mean, sd := stat.MeanStdDev(mat.Col(nil, i, m), nil)
			f := process(r)
			for k := range n {
				m.Set(k, j, m.At(k, j)+f((m.At(k, i)-mean)/sd)/math.Sqrt(float64(len(parents))))
			}
		}
		for k := range n {
			m.Set(k, j, m.At(k, j)+scale*r.NormFloat64())
		}
	}
	return m
}

// process draws a function from a Gaussian process with the squared exponential kernel, by random features.
func process(r *rand.Rand) func(x float64) float64 {
	const features = 300
	var of [features][3]float64 // weight, frequency, phase
	for k := range of {
		of[k] = [3]float64{r.NormFloat64() * math.Sqrt(2./features), r.NormFloat64(), 2 * math.Pi * r.Float64()}
	}
	return func(x float64) float64 {
		v := 0.0
		for _, f := range of {
			v += f[0] * math.Cos(f[1]*x+f[2])
		}
		return v
	}
}
