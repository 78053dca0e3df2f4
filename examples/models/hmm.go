package models

import (
	"math"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type hmmData struct{ Y []float64 }

// HMMExample is a hidden Markov model of 100 values with two states, which are summed out:
//
//	y[t] ~ normal(mu[z[t]], 1),  z[t] ~ Theta[z[t-1], .],  0 < mu[1] < mu[2]
//	mu[1] ~ normal(3, 1),  mu[2] ~ normal(10, 1)
//
// The rows theta1 and theta2 of Theta are uniform on their simplices. Both states have weight 1
// before the first value. The derivative of log normal(y | mu, 1) in mu is y - mu: hiddenMarkov
// says how the likelihood is put together.
func HMMExample() (Posterior, error) {
	var data hmmData
	ref, err := load("hmm_example", &data)
	if err != nil {
		return Posterior{}, err
	}
	var m byhand.Model
	rows := [2]byhand.Vector{m.Simplex("theta1", 2), m.Simplex("theta2", 2)}
	mu := m.Declare("mu", 2, priors.PositiveOrdered{}, nil)
	prior := [2]priors.Normal{{Mean: 3, SD: 1}, {Mean: 10, SD: 1}}
	likelihood := func() byhand.LogLikelihood {
		h := newHiddenMarkov(len(data.Y))
		return func(v, grad []float64) float64 {
			means, g := mu.Of(v), mu.Of(grad)
			for t, y := range data.Y {
				for k, mean := range means {
					h.logf[t][k] = -(y - mean) * (y - mean) / 2
				}
			}
			lp, ok := h.run(rows, v, grad)
			if !ok {
				return math.Inf(-1)
			}
			for k, mean := range means {
				p, dp := prior[k].LogDensityGrad(mean)
				lp += p
				g[k] = dp
				for t, y := range data.Y {
					g[k] += h.prob[t][k] * (y - mean)
				}
			}
			return lp
		}
	}
	return Posterior{"hmm_example", m.Factory(likelihood), ref}, nil
}

type driveData struct {
	U, V  []float64
	Alpha [2][]float64
}

// HMMDrive is a hidden Markov model of two positive series of 416 values, from basketball, whose
// two states (drive to the basket or not) are summed out:
//
//	u[t] ~ exponential(phi[z[t]]),  v[t] ~ exponential(lambda[z[t]]),  z[t] ~ Theta[z[t-1], .]
//	0 < phi[1] < phi[2],  0 < lambda[1] < lambda[2]
//	phi[1], lambda[1] ~ normal(0, 1),  phi[2], lambda[2] ~ normal(3, 1)
//	theta1 ~ Dirichlet(alpha[1]),  theta2 ~ Dirichlet(alpha[2])
//
// It has a second mode, some 60 units of log density lower, that chains do not leave.
//
// The derivative of log exponential(u | phi) = log phi - phi u in phi is 1/phi - u.
func HMMDrive() (Posterior, error) {
	var data driveData
	ref, err := load("hmm_drive_0", &data)
	if err != nil {
		return Posterior{}, err
	}
	var m byhand.Model
	rows := [2]byhand.Vector{m.Simplex("theta1", 2, data.Alpha[0]...),
		m.Simplex("theta2", 2, data.Alpha[1]...)}
	phi := m.Declare("phi", 2, priors.PositiveOrdered{}, nil)
	lambda := m.Declare("lambda", 2, priors.PositiveOrdered{}, nil)
	prior := [2]priors.Normal{{Mean: 0, SD: 1}, {Mean: 3, SD: 1}}
	likelihood := func() byhand.LogLikelihood {
		h := newHiddenMarkov(len(data.U))
		return func(v, grad []float64) float64 {
			a, b := phi.Of(v), lambda.Of(v)
			if a[0] == 0 || b[0] == 0 { // exp has underflowed
				return math.Inf(-1)
			}
			for k := range 2 {
				norm := math.Log(a[k]) + math.Log(b[k])
				for t := range data.U {
					h.logf[t][k] = norm - a[k]*data.U[t] - b[k]*data.V[t]
				}
			}
			lp, ok := h.run(rows, v, grad)
			if !ok {
				return math.Inf(-1)
			}
			for k := range 2 {
				p, dp := prior[k].LogDensityGrad(a[k])
				q, dq := prior[k].LogDensityGrad(b[k])
				lp += p + q
				for t, prob := range h.prob {
					dp += prob[k] * (1/a[k] - data.U[t])
					dq += prob[k] * (1/b[k] - data.V[t])
				}
				phi.Of(grad)[k], lambda.Of(grad)[k] = dp, dq
			}
			return lp
		}
	}
	return Posterior{"hmm_drive_0", m.Factory(likelihood), ref}, nil
}

// hiddenMarkov sums the states of a hidden Markov model of two states out. With f(t,k) the density
// of the t-th observation in state k and Theta the transition matrix, the forward variables are,
// each step divided by its sum c(t) lest they underflow,
//
//	a(1,k) = f(1,k) / c(1),  a(t,k) = f(t,k) sum_j a(t-1,j) Theta[j,k] / c(t)
//
// and the likelihood is the product of the c(t). The backward variables
//
//	b(N,j) = 1,  b(t-1,j) = sum_k Theta[j,k] f(t,k) b(t,k) / c(t)
//
// make prob(t,k) = a(t,k) b(t,k) the probability of state k at t given all observations (Rabiner
// 1989). The likelihood is linear in each f(t,k) and, term by term, in each Theta[j,k]:
//
//	d/d log f(t,k)  = prob(t,k)
//	d/d Theta[j,k]  = sum_(t>1) a(t-1,j) f(t,k) b(t,k) / c(t)
type hiddenMarkov struct {
	logf [][2]float64 // to be filled in
	f    [][2]float64 // over the larger of the two, and over c
	a    [][2]float64
	prob [][2]float64
}

func newHiddenMarkov(n int) *hiddenMarkov {
	h := &hiddenMarkov{}
	for _, p := range []*[][2]float64{&h.logf, &h.f, &h.a, &h.prob} {
		*p = make([][2]float64, n)
	}
	return h
}

// run returns the log likelihood and writes its derivatives in the rows of Theta. It reports false
// where the likelihood underflows.
func (h *hiddenMarkov) run(rows [2]byhand.Vector, v, grad []float64) (lp float64, ok bool) {
	var theta [2][2]float64
	for j, row := range rows {
		theta[j] = [2]float64(row.Of(v))
	}
	for t, l := range h.logf {
		top, e := math.Max(l[0], l[1]), math.Exp(-math.Abs(l[0]-l[1]))
		f := [2]float64{1, e}
		if l[0] < l[1] {
			f = [2]float64{e, 1}
		}
		a := f
		if t > 0 {
			last := h.a[t-1]
			for k := range 2 {
				a[k] *= last[0]*theta[0][k] + last[1]*theta[1][k]
			}
		}
		c := a[0] + a[1]
		if !(c > 0) {
			return 0, false
		}
		lp += top + math.Log(c)
		h.a[t] = [2]float64{a[0] / c, a[1] / c}
		h.f[t] = [2]float64{f[0] / c, f[1] / c}
	}
	var d [2][2]float64
	b := [2]float64{1, 1}
	for t := len(h.a) - 1; t >= 0; t-- {
		h.prob[t] = [2]float64{h.a[t][0] * b[0], h.a[t][1] * b[1]}
		if t == 0 {
			break
		}
		fb := [2]float64{h.f[t][0] * b[0], h.f[t][1] * b[1]}
		for j := range 2 {
			for k := range 2 {
				d[j][k] += h.a[t-1][j] * fb[k]
			}
			b[j] = theta[j][0]*fb[0] + theta[j][1]*fb[1]
		}
	}
	for j, row := range rows {
		copy(row.Of(grad), d[j][:])
	}
	return lp, finite(lp, b[:]...)
}
