package engine

import (
	"math"
	"math/rand/v2"

	"bayeskernel/internal/fused"
)

// Summed is the step of an operation that sums latents out: [Independent], [HiddenMarkov] or
// [Elimination]. Its value is the log of a sum over all states of all latents. After Forward it also
// knows the distribution of the states given everything else.
type Summed interface {
	Step
	// Each writes the log of the sum of each component: latents of different components do not depend
	// on each other.
	Each(out []float64)
	// Probabilities writes the probabilities of the states of each latent, one latent after the other.
	Probabilities(out []float64)
	// Draw writes states, counted from 0, drawn together.
	Draw(r *rand.Rand, states []int)
}

// Independent sums out latents that do not depend on each other, each with States states. Its
// arguments are terms of the log density by states: those of one term are States vectors with a value
// for each latent, or numbers. With x_ik the sum of the terms of latent i in state k, the value is
//
//	sum over i of log sum over k of exp x_ik,
//
// and the derivative in x_ik is the probability of state k.
type Independent struct{ Latents, States int }

type independentStep struct {
	Independent
	out, adj []float64
	in, din  [][]float64
	x        []float64 // by states, then latents: x less the largest, then its exp
	top, sum []float64
}

func (op Independent) Bind(out, adj []float64, in, din [][]float64) Step {
	n := op.Latents
	return &independentStep{Independent: op, out: out, adj: adj, in: in, din: din,
		x: make([]float64, n*op.States), top: make([]float64, n), sum: make([]float64, n)}
}

// addUp writes the sum of the terms of each state.
func addUp(x []float64, in [][]float64, n, states int) {
	for j, v := range in {
		e := x[j%states*n : (j%states+1)*n]
		switch {
		case len(v) == 1 && j < states:
			fill(e, v[0])
		case len(v) == 1:
			for i := range e {
				e[i] += v[0]
			}
		case j < states:
			copy(e, v)
		default:
			for i, a := range v[:len(e)] {
				e[i] += a
			}
		}
	}
}

// farBelow is a difference of logs whose exponential is 0.
const farBelow = 1000

func (s *independentStep) Forward() {
	n := s.Latents
	addUp(s.x, s.in, n, s.States)
	copy(s.top, s.x[:n])
	for k := 1; k < s.States; k++ {
		for i, v := range s.x[k*n : (k+1)*n] {
			if v > s.top[i] {
				s.top[i] = v
			}
		}
	}
	total, lost := 0.0, false
	for _, v := range s.top {
		total += v
	}
	for k := range s.States {
		x := s.x[k*n : (k+1)*n]
		for i, v := range x {
			d := s.top[i] - v
			if !(d <= farBelow) { // or no state is possible
				lost = lost || math.IsNaN(d) && !math.IsInf(s.top[i], -1)
				d = farBelow
			}
			x[i] = d
		}
	}
	if lost {
		s.out[0] = math.NaN()
		return
	}
	fused.ExpNeg(s.x, s.x, 1)
	copy(s.sum, s.x[:n])
	for k := 1; k < s.States; k++ {
		for i, v := range s.x[k*n : (k+1)*n] {
			s.sum[i] += v
		}
	}
	product, logs := 1.0, 0.0
	for _, v := range s.sum { // at least 1 and at most the number of states
		if product *= v; product > largeProduct {
			logs += math.Log(product)
			product = 1
		}
	}
	s.out[0] = total + logs + math.Log(product)
}

func (s *independentStep) Backward() {
	n, a := s.Latents, s.adj[0]
	for i, v := range s.sum {
		s.sum[i] = a / v
	}
	for j, d := range s.din {
		if d == nil {
			continue
		}
		x := s.x[j%s.States*n : (j%s.States+1)*n]
		if len(d) == 1 && n > 1 {
			t := 0.0
			for i, v := range x {
				t += v * s.sum[i]
			}
			d[0] += t
			continue
		}
		for i, v := range x {
			d[i] += v * s.sum[i]
		}
	}
}

func (s *independentStep) Each(out []float64) {
	for i, v := range s.sum {
		out[i] = s.top[i] + math.Log(v)
	}
}

func (s *independentStep) Probabilities(out []float64) {
	for i, v := range s.sum {
		for k := range s.States {
			out[i*s.States+k] = s.x[k*s.Latents+i] / v
		}
	}
}

func (s *independentStep) Draw(r *rand.Rand, states []int) {
	for i, v := range s.sum {
		u := v * r.Float64()
		states[i] = pickState(u, s.States, func(k int) float64 { return s.x[k*s.Latents+i] })
	}
}

// pickState returns the state in which u falls: the last one that has a weight, at the latest.
func pickState(u float64, states int, weight func(k int) float64) int {
	last := 0
	for k := range states {
		w := weight(k)
		if w > 0 {
			if last = k; u < w {
				break
			}
		}
		u -= w
	}
	return last
}
