package record

import (
	"math"

	"bayeskernel/engine"
)

// kernelFunctions are covariances of Gaussian processes.
func kernelFunctions() []entry {
	periodic := func(c *run, a []Value) Value {
		x, y := a[0], a[0]
		if len(a) == 5 {
			y, a = a[1], a[1:]
		}
		alpha, rho, period := c.t.square(real(a[1])), real(a[2]), real(a[3])
		w := c.t.mul(constant(-2), c.t.unary(unaryOps["inv_square"], rho))
		return c.squaredDistances(x, y, func(_, _ int, d2 Real) Real {
			if d2.V == 0 && c.t.compare(engine.Equal, d2, constant(0)) {
				return alpha
			}
			d := c.t.unary(unaryOps["sqrt"], d2)
			s := c.t.unary(unaryOps["sin"], c.t.div(c.t.mul(constant(math.Pi), d), period))
			return c.t.mul(alpha, c.t.exp(c.t.mul(w, c.t.square(s))))
		})
	}
	dot := func(c *run, a []Value) Value {
		x, y := a[0], a[0]
		if len(a) == 3 {
			y, a = a[1], a[1:]
		}
		sigma := c.t.square(real(a[1]))
		n, _ := length(x)
		m, _ := length(y)
		out := newMatrix(n, m)
		for i := range n {
			for j := range m {
				out.set(i, j, c.t.add(sigma, c.t.dot(scalars(element(x, i)), scalars(element(y, j)))))
			}
		}
		return out
	}
	return []entry{
		{"matrix gp_periodic_cov(array[] real|array[] vector, real, real, real)", periodic},
		{"matrix gp_periodic_cov(array[] real, array[] real, real, real, real)", periodic},
		{"matrix gp_periodic_cov(array[] vector, array[] vector, real, real, real)", periodic},
		{"matrix gp_dot_prod_cov(array[] real|array[] vector, real)", dot},
		{"matrix gp_dot_prod_cov(array[] real, array[] real, real)", dot},
		{"matrix gp_dot_prod_cov(array[] vector, array[] vector, real)", dot},
	}
}

// hiddenFunctions infer the states of hidden Markov models, after the densities of the observations in each
// state, a column a time, the matrix of transitions, and the probabilities of the first state.
func hiddenFunctions() []entry {
	return []entry{
		{"matrix hmm_hidden_state_prob(matrix, matrix, vector)", func(c *run, a []Value) Value {
			logs, gamma := a[0].(*Matrix), a[1].(*Matrix)
			forward := c.filtered(logs, gamma, scalars(a[2]))
			k, n := logs.R, logs.C
			out := newMatrix(k, n)
			after := make([]float64, k) // of what comes after, given the state
			for i := range after {
				after[i] = 1
			}
			for t := n - 1; t >= 0; t-- {
				s := 0.0
				p := make([]float64, k)
				for i := range k {
					p[i] = forward[t][i] * after[i]
					s += p[i]
				}
				for i := range k {
					out.set(i, t, constant(p[i]/s))
				}
				top := math.Inf(-1)
				for j := range k {
					top = math.Max(top, logs.at(j, t).V)
				}
				next, s := make([]float64, k), 0.0
				for i := range k {
					for j := range k {
						next[i] += gamma.at(i, j).V * math.Exp(logs.at(j, t).V-top) * after[j]
					}
					s += next[i]
				}
				for i := range next {
					next[i] /= s
				}
				after = next
			}
			return out
		}},
		{"array[] int hmm_latent_rng(matrix, matrix, vector)", func(c *run, a []Value) Value {
			logs, gamma := a[0].(*Matrix), a[1].(*Matrix)
			if c.r == nil {
				panic(faultf("hmm_latent_rng outside of transformed data and generated quantities"))
			}
			forward := c.filtered(logs, gamma, scalars(a[2]))
			out := make(Ints, logs.C)
			for t := logs.C - 1; t >= 0; t-- {
				p, s := make([]Real, logs.R), 0.0
				for i := range p {
					w := forward[t][i]
					if t+1 < logs.C {
						w *= gamma.at(i, out[t+1]-1).V
					}
					p[i] = constant(w)
					s += w
				}
				out[t] = c.category(p, func(x float64) float64 { return x / s }).(int)
			}
			return out
		}},
	}
}

// filtered are the probabilities of the states given the observations so far.
func (c *run) filtered(logs, gamma *Matrix, rho []Real) [][]float64 {
	c.chain(gamma, rho)
	k := logs.R
	out := make([][]float64, logs.C)
	for t := range out {
		out[t] = make([]float64, k)
		top, s := math.Inf(-1), 0.0
		for j := range k {
			top = math.Max(top, logs.at(j, t).V)
		}
		for j := range k {
			p := rho[j].V
			if t > 0 {
				p = 0
				for i := range k {
					p += out[t-1][i] * gamma.at(i, j).V
				}
			}
			out[t][j] = p * math.Exp(logs.at(j, t).V-top)
			s += out[t][j]
		}
		for j := range k {
			out[t][j] /= s
		}
	}
	return out
}
