package engine

import (
	"math"
	"math/rand/v2"

	"bayeskernel/internal/fused"
)

// HiddenMarkov is the forward algorithm. With A the transition probabilities and f_t(k) the density of
// value t in state k over its largest,
//
//	S_1(k) = the initial probability of k,  S_t(k) = sum of p_{t-1}(j) A_jk over j,
//	p_t(k) = S_t(k) f_t(k) / c_t,  c_t = sum of S_t(k) f_t(k) over k,
//
// and the result is the sum of the logs of c_t and of the largest densities. In the reverse pass
// g_t(k) is the probability of state k at t given all values: g_T(k) = p_T(k), and
//
//	x_t(j, k) = g_t(k) p_{t-1}(j) A_jk / S_t(k),  g_{t-1}(j) = sum of x_t(j, k) over k.
//
// The derivative in emission(t, k) is g_t(k), in the log of initial(k) g_1(k), in the log of A_jk the
// sum of x_t(j, k) over t.
//
// Its arguments are the initial probabilities, the transition probabilities by rows, and the
// emissions, which are log densities.
type HiddenMarkov struct {
	States  int
	Lengths []int // of the sequences, which are one after the other
	// Logs says that initial and transition probabilities are given by their logs.
	Logs bool
	// Starts says that each sequence has initial probabilities of its own, Varying that each value has
	// transition probabilities of its own. Those of the first value of a sequence are not looked at.
	Starts, Varying bool
	// Terms says that the emissions are terms as [Independent] has them, with a value for each place
	// of all sequences. Otherwise they are one argument with a row of States for each place.
	Terms bool
}

// Steps is the number of places of all sequences.
func (h HiddenMarkov) Steps() int {
	n := 0
	for _, l := range h.Lengths {
		n += l
	}
	return n
}

type hiddenMarkovStep struct {
	HiddenMarkov
	out, adj []float64
	in, din  [][]float64
	g, next  []float64 // of one t
	initial  []float64 // probabilities
	trans    []float64
	d        []float64 // derivatives in transition probabilities
	p, s, f  []float64 // of all t
	each     []float64 // by sequence
	byState  []float64 // emissions, where they are terms, and by places
	log      []float64
}

func (h HiddenMarkov) Bind(out, adj []float64, in, din [][]float64) Step {
	k, n := h.States, h.Steps()
	s := &hiddenMarkovStep{HiddenMarkov: h, out: out, adj: adj, in: in, din: din,
		g: make([]float64, k), next: make([]float64, k), initial: in[0], trans: in[1],
		p: make([]float64, n*k), s: make([]float64, n*k), f: make([]float64, n*k),
		each: make([]float64, len(h.Lengths))}
	if h.Logs {
		s.initial, s.trans = make([]float64, len(in[0])), make([]float64, len(in[1]))
	}
	if din[1] != nil {
		s.d = make([]float64, len(in[1]))
	}
	if h.Terms {
		s.byState, s.log = make([]float64, n*k), make([]float64, n*k)
	}
	return s
}

func (s *hiddenMarkovStep) Forward() {
	if s.Logs {
		for i, v := range s.in[0] {
			s.initial[i] = math.Exp(v)
		}
		for i, v := range s.in[1] {
			s.trans[i] = math.Exp(v)
		}
	}
	if s.Terms {
		s.layTerms()
	}
	at, total := 0, 0.0
	for q, n := range s.Lengths {
		s.each[q] = s.sequence(q, at, n)
		total += s.each[q]
		at += n
	}
	s.out[0] = total
}

// sequence is the log likelihood of sequence q, of n values from place at on.
func (s *hiddenMarkovStep) sequence(q, at, n int) float64 {
	k := s.States
	total := s.relative(at, n)
	product, logs := 1.0, 0.0
	for t := at; t < at+n; t++ {
		p, sum, f := s.p[t*k:(t+1)*k], s.s[t*k:(t+1)*k], s.f[t*k:(t+1)*k]
		if t == at {
			copy(sum, s.start(s.initial, q))
		} else {
			s.ahead(sum, t)
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
	return total + logs + math.Log(product)
}

// start is the part of v, by states, that belongs to the beginning of sequence q.
func (s *hiddenMarkovStep) start(v []float64, q int) []float64 {
	if !s.Starts {
		q = 0
	}
	return v[q*s.States : (q+1)*s.States]
}

// into is the part of v, by rows, that belongs to the transition to place t.
func (s *hiddenMarkovStep) into(v []float64, t int) []float64 {
	if !s.Varying {
		t = 0
	}
	k2 := s.States * s.States
	return v[t*k2 : (t+1)*k2]
}

// ahead writes the probabilities of the states at t given the values before.
func (s *hiddenMarkovStep) ahead(sum []float64, t int) {
	k, trans := s.States, s.into(s.trans, t)
	before := s.p[(t-1)*k : t*k]
	if k == 2 {
		a, b := before[0], before[1]
		sum[0], sum[1] = a*trans[0]+b*trans[2], a*trans[1]+b*trans[3]
		return
	}
	clear(sum)
	for j, v := range before {
		for l, w := range trans[j*k : (j+1)*k] {
			sum[l] += v * w
		}
	}
}

// layTerms adds up the terms of the emissions and lays them out by places.
func (s *hiddenMarkovStep) layTerms() {
	k, n := s.States, len(s.log)/s.States
	addUp(s.byState, s.in[2:], n, k)
	for l := range k {
		for t, v := range s.byState[l*n : (l+1)*n] {
			s.log[t*k+l] = v
		}
	}
}

// emissions are the log densities by places.
func (s *hiddenMarkovStep) emissions() []float64 {
	if s.Terms {
		return s.log
	}
	return s.in[2]
}

// relative writes the densities relative to the largest of each value, and returns the sum of the
// logs of these.
func (s *hiddenMarkovStep) relative(at, n int) float64 {
	k, total := s.States, 0.0
	all := s.emissions()
	for t := at; t < at+n; t++ {
		emission, f := all[t*k:(t+1)*k], s.f[t*k:(t+1)*k]
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
			f[l] = min(top-v, farBelow)
		}
	}
	f := s.f[at*k : (at+n)*k]
	fused.ExpNeg(f, f, 1)
	return total
}

// inLogs computes p_t where the product of probabilities and relative densities is too small for
// either, and returns the log of what they add up to, relative to the largest density.
func (s *hiddenMarkovStep) inLogs(t int) float64 {
	k := s.States
	p, sum, emission := s.p[t*k:(t+1)*k], s.s[t*k:(t+1)*k], s.emissions()[t*k:(t+1)*k]
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
	end := s.Steps()
	for q := len(s.Lengths) - 1; q >= 0; q-- {
		begin := end - s.Lengths[q]
		for j, v := range s.p[(end-1)*k : end*k] {
			s.g[j] = s.adj[0] * v
		}
		for t := end - 1; t > begin; t-- {
			s.emit(t)
			s.back(t)
		}
		s.emit(begin)
		if s.din[0] != nil {
			s.backStart(q)
		}
		end = begin
	}
	if s.d == nil {
		return
	}
	for i, d := range s.d {
		if s.Logs {
			d *= s.trans[i]
		}
		s.din[1][i] += d
	}
}

// emit adds g to the derivatives in the emissions at t.
func (s *hiddenMarkovStep) emit(t int) {
	if !s.Terms {
		if d := s.din[2]; d != nil {
			for j, v := range s.g {
				d[t*s.States+j] += v
			}
		}
		return
	}
	n := len(s.log) / s.States
	for j, d := range s.din[2:] {
		switch {
		case d == nil:
		case len(d) == 1 && n > 1:
			d[0] += s.g[j%s.States]
		default:
			d[t] += s.g[j%s.States]
		}
	}
}

// backStart adds to the derivatives in the initial probabilities.
func (s *hiddenMarkovStep) backStart(q int) {
	d, p := s.start(s.din[0], q), s.start(s.initial, q)
	for j, v := range s.g {
		switch {
		case s.Logs:
			d[j] += v
		case v != 0:
			d[j] += v / p[j]
		}
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
	before, trans := s.p[(t-1)*k:t*k], s.into(s.trans, t)
	if s.d != nil {
		d := s.into(s.d, t)
		for j, v := range before {
			row := d[j*k : (j+1)*k]
			for l, g := range s.g {
				row[l] += g * v
			}
		}
	}
	for j, v := range before {
		total := 0.0
		for l, w := range trans[j*k : (j+1)*k] {
			total += s.g[l] * w
		}
		s.next[j] = total * v
	}
	s.g, s.next = s.next, s.g
}

func (s *hiddenMarkovStep) Each(out []float64) { copy(out, s.each) }

func (s *hiddenMarkovStep) Probabilities(out []float64) {
	k := s.States
	end := s.Steps()
	for q := len(s.Lengths) - 1; q >= 0; q-- {
		begin := end - s.Lengths[q]
		copy(s.g, s.p[(end-1)*k:end*k])
		for t := end - 1; t > begin; t-- {
			copy(out[t*k:(t+1)*k], s.g)
			d := s.d
			s.d = nil
			s.back(t)
			s.d = d
		}
		copy(out[begin*k:(begin+1)*k], s.g)
		end = begin
	}
}

func (s *hiddenMarkovStep) Draw(r *rand.Rand, states []int) {
	k := s.States
	end := s.Steps()
	for q := len(s.Lengths) - 1; q >= 0; q-- {
		begin := end - s.Lengths[q]
		for t := end - 1; t >= begin; t-- {
			copy(s.g, s.p[t*k:(t+1)*k])
			if t < end-1 {
				trans := s.into(s.trans, t+1)
				for j := range s.g {
					s.g[j] *= trans[j*k+states[t+1]]
				}
			}
			total := 0.0
			for _, v := range s.g {
				total += v
			}
			states[t] = pickState(total*r.Float64(), k, func(j int) float64 { return s.g[j] })
		}
		end = begin
	}
}
