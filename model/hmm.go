package model

import "math"

// HiddenMarkov returns the log likelihood of a sequence that hidden states generate, the sum over all
// their paths. With K states and T values, initial has the logs of the K probabilities of the first
// state, transition those of the K x K of the next state (column) after each (row), and emission
// the log density of each value (T rows) in each state (K columns). The probabilities must add up
// to 1. Give the result to AddLogDensity.
func HiddenMarkov(initial Expr, transition, emission Mat) Expr {
	where := caller()
	m := model("HiddenMarkov", where, initial, transition.e, emission.e)
	if m == nil {
		return nowhere("HiddenMarkov", where)
	}
	k := transition.rows
	switch {
	case initial.broken || transition.e.broken || emission.e.broken:
	case transition.cols != k:
		m.failAt(where, "HiddenMarkov: the transitions have %d rows of %d, want a square matrix", k,
			transition.cols)
	case initial.n != k:
		m.failAt(where, "HiddenMarkov: %s of initial states and %d states in the transitions",
			plural(initial.n, "value"), k)
	case emission.cols != k:
		m.failAt(where, "HiddenMarkov: the emissions have %s and the transitions %s",
			plural(emission.cols, "state"), plural(k, "state"))
	default:
		return Expr{m.apply("HiddenMarkov", hiddenMarkov{k, emission.rows}, 1, true, where, initial.node,
			transition.e.node, emission.e.node)}
	}
	return Expr{m.brokenNode(where)}
}

// hiddenMarkov is the forward algorithm. With a_t(k) the log density of the values up to t and of
// state k at t, A the transition probabilities, and c_t the largest of a_t,
//
//	a_1(k) = initial(k) + emission(1, k),
//	a_t(k) = log S_t(k) + c_{t-1} + emission(t, k),  S_t(k) = sum of p_{t-1}(j) A_jk over j,
//	p_t(j) = exp(a_t(j) - c_t),
//
// and the result is the log of the sum of exp(a_T). In the reverse pass g_t(k), the derivative in
// a_t(k), is the probability of state k at t given all values: g_T(k) = p_T(k)/sum of p_T, and
//
//	x_t(j, k) = g_t(k) p_{t-1}(j) A_jk / S_t(k),  g_{t-1}(j) = sum of x_t(j, k) over k.
//
// The derivative in emission(t, k) is g_t(k), in initial(k) g_1(k), in the log of A_jk the sum of
// x_t(j, k) over t.
type hiddenMarkov struct{ states, steps int }

type hiddenMarkovStep struct {
	hiddenMarkov
	out, adj   []float64
	in, din    [][]float64
	a, g, next []float64 // of one t
	trans      []float64
	p, s       []float64 // of all t
}

func (h hiddenMarkov) bind(out, adj []float64, in, din [][]float64) step {
	k := h.states
	return &hiddenMarkovStep{hiddenMarkov: h, out: out, adj: adj, in: in, din: din,
		a: make([]float64, k), g: make([]float64, k), next: make([]float64, k),
		trans: make([]float64, k*k), p: make([]float64, h.steps*k), s: make([]float64, h.steps*k)}
}

func (s *hiddenMarkovStep) forward() {
	k, emission := s.states, s.in[2]
	for i, v := range s.in[1] {
		s.trans[i] = math.Exp(v)
	}
	for j, v := range s.in[0] {
		s.a[j] = v + emission[j]
	}
	top := s.scale(0)
	for t := 1; t < s.steps; t++ {
		p, sum := s.p[(t-1)*k:t*k], s.s[t*k:(t+1)*k]
		clear(sum)
		for j, v := range p {
			for l, w := range s.trans[j*k : (j+1)*k] {
				sum[l] += v * w
			}
		}
		for l, v := range sum {
			s.a[l] = math.Log(v) + top + emission[t*k+l]
		}
		top = s.scale(t)
	}
	sum := 0.0
	for _, v := range s.p[(s.steps-1)*k:] {
		sum += v
	}
	s.out[0] = top + math.Log(sum)
}

// scale writes p_t and returns c_t.
func (s *hiddenMarkovStep) scale(t int) float64 {
	top := math.Inf(-1)
	for _, v := range s.a {
		if v > top || math.IsNaN(v) {
			top = v
		}
	}
	p := s.p[t*s.states : (t+1)*s.states]
	if math.IsInf(top, -1) {
		clear(p)
		return top
	}
	for j, v := range s.a {
		p[j] = math.Exp(v - top)
	}
	return top
}

func (s *hiddenMarkovStep) backward() {
	k, sum := s.states, 0.0
	last := s.p[(s.steps-1)*k:]
	for _, v := range last {
		sum += v
	}
	for j, v := range last {
		s.g[j] = s.adj[0] * v / sum
	}
	for t := s.steps - 1; t >= 0; t-- {
		if d := s.din[2]; d != nil {
			for j, v := range s.g {
				d[t*k+j] += v
			}
		}
		if t > 0 {
			s.back(t)
		}
	}
	if d := s.din[0]; d != nil {
		for j, v := range s.g {
			d[j] += v
		}
	}
}

// back carries g from t to t-1.
func (s *hiddenMarkovStep) back(t int) {
	k := s.states
	p, of := s.p[(t-1)*k:t*k], s.s[t*k:(t+1)*k]
	for j, v := range p {
		total := 0.0
		for l, w := range s.trans[j*k : (j+1)*k] {
			if of[l] == 0 {
				continue
			}
			x := s.g[l] * v * w / of[l]
			total += x
			if d := s.din[1]; d != nil {
				d[j*k+l] += x
			}
		}
		s.next[j] = total
	}
	s.g, s.next = s.next, s.g
}
