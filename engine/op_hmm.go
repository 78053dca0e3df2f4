package engine

import (
	"math"

	"bayeskernel/internal/fused"
)

// HiddenMarkov is the forward algorithm. With A the transition probabilities and f_t(k) the density of
// value t in state k over its largest,
//
//	S_1(k) = exp initial(k),  S_t(k) = sum of p_{t-1}(j) A_jk over j,
//	p_t(k) = S_t(k) f_t(k) / c_t,  c_t = sum of S_t(k) f_t(k) over k,
//
// and the result is the sum of the logs of c_t and of the largest densities. In the reverse pass
// g_t(k) is the probability of state k at t given all values: g_T(k) = p_T(k), and
//
//	x_t(j, k) = g_t(k) p_{t-1}(j) A_jk / S_t(k),  g_{t-1}(j) = sum of x_t(j, k) over k.
//
// The derivative in emission(t, k) is g_t(k), in initial(k) g_1(k), in the log of A_jk the sum of
// x_t(j, k) over t.
type HiddenMarkov struct{ States, Steps int }

type hiddenMarkovStep struct {
	HiddenMarkov
	out, adj []float64
	in, din  [][]float64
	g, next  []float64 // of one t
	trans, d []float64
	p, s, f  []float64 // of all t
}

func (h HiddenMarkov) Bind(out, adj []float64, in, din [][]float64) Step {
	k := h.States
	return &hiddenMarkovStep{HiddenMarkov: h, out: out, adj: adj, in: in, din: din,
		g: make([]float64, k), next: make([]float64, k), trans: make([]float64, k*k),
		d: make([]float64, k*k), p: make([]float64, h.Steps*k), s: make([]float64, h.Steps*k),
		f: make([]float64, h.Steps*k)}
}

func (s *hiddenMarkovStep) Forward() {
	k, n := s.States, s.Steps
	for i, v := range s.in[1] {
		s.trans[i] = math.Exp(v)
	}
	total := s.relative()
	product, logs := 1.0, 0.0
	for t := range n {
		p, sum, f := s.p[t*k:(t+1)*k], s.s[t*k:(t+1)*k], s.f[t*k:(t+1)*k]
		if t == 0 {
			for j, v := range s.in[0] {
				sum[j] = math.Exp(v)
			}
		} else {
			clear(sum)
			for j, v := range s.p[(t-1)*k : t*k] {
				for l, w := range s.trans[j*k : (j+1)*k] {
					sum[l] += v * w
				}
			}
		}
		c := 0.0
		for l, v := range sum {
			p[l] = v * f[l]
			c += p[l]
		}
		if !(c > 1e-280) {
			c = 1
			total += s.inLogs(t)
		}
		if q := product * c; q > smallProduct && q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, c, logs)
		}
		w := 1 / c
		for l := range p {
			p[l] *= w
		}
	}
	s.out[0] = total + logs + math.Log(product)
}

// relative writes the densities relative to the largest of each value, and returns the sum of the
// logs of these.
func (s *hiddenMarkovStep) relative() float64 {
	const most = 1000 // exp(-1000) is 0
	k, total := s.States, 0.0
	for t := range s.Steps {
		emission, f := s.in[2][t*k:(t+1)*k], s.f[t*k:(t+1)*k]
		top := emission[0]
		for _, v := range emission[1:] {
			if v > top {
				top = v
			}
		}
		if math.IsInf(top, -1) { // no state has this value: inLogs finds the same
			top = 0
		}
		total += top
		for l, v := range emission {
			f[l] = min(top-v, most)
		}
	}
	fused.ExpNeg(s.f, s.f, 1)
	return total
}

// inLogs computes p_t where the product of probabilities and relative densities is too small for
// either, and returns the log of what they add up to, relative to the largest density.
func (s *hiddenMarkovStep) inLogs(t int) float64 {
	k := s.States
	p, sum, emission := s.p[t*k:(t+1)*k], s.s[t*k:(t+1)*k], s.in[2][t*k:(t+1)*k]
	largest, top := math.Inf(-1), math.Inf(-1)
	for l, v := range sum {
		p[l] = math.Log(v) + emission[l]
		if p[l] > top || math.IsNaN(p[l]) {
			top = p[l]
		}
		largest = max(largest, emission[l])
	}
	if math.IsInf(top, -1) || math.IsNaN(top) {
		clear(p)
		return top
	}
	c := 0.0
	for l, v := range p {
		p[l] = math.Exp(v - top)
		c += p[l]
	}
	for l := range p {
		p[l] /= c
	}
	return top + math.Log(c) - largest
}

func (s *hiddenMarkovStep) Backward() {
	k := s.States
	clear(s.d)
	for j, v := range s.p[(s.Steps-1)*k:] {
		s.g[j] = s.adj[0] * v
	}
	for t := s.Steps - 1; t >= 0; t-- {
		if d := s.din[2]; d != nil {
			for j, v := range s.g {
				d[t*k+j] += v
			}
		}
		if t > 0 {
			s.back(t)
		}
	}
	for i, d := range s.din[0] {
		s.din[0][i] = d + s.g[i]
	}
	for i, d := range s.din[1] {
		s.din[1][i] = d + s.d[i]*s.trans[i]
	}
}

// back carries g from t to t-1, and adds to the derivatives in the transition probabilities.
func (s *hiddenMarkovStep) back(t int) {
	k := s.States
	for l, v := range s.s[t*k : (t+1)*k] {
		if v == 0 {
			s.g[l] = 0
		} else {
			s.g[l] /= v
		}
	}
	for j, v := range s.p[(t-1)*k : t*k] {
		total := 0.0
		trans, d := s.trans[j*k:(j+1)*k], s.d[j*k:(j+1)*k]
		for l, g := range s.g {
			total += g * trans[l]
			d[l] += g * v
		}
		s.next[j] = total * v
	}
	s.g, s.next = s.next, s.g
}
