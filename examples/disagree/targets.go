package main

import (
	"math"
	"math/rand/v2"

	"bayeskernel/hmc"
)

// target is a density on which chains should disagree, or at least warn.
type target struct {
	name   string
	target hmc.Target
}

// targets lists the targets of the study; all are made up.
func targets() []target {
	return []target{
		{"two modes 6 apart, equal", newMixture(2, 6, []float64{1, 1}, 0.5, 0.5)},
		{"two modes 8 apart, 9 to 1", newMixture(2, 8, []float64{1, 1}, 0.9, 0.1)},
		{"two modes 5 apart, one narrow", newMixture(2, 5, []float64{1, 0.2}, 0.7, 0.3)},
		{"two modes 8 apart, d = 10", newMixture(10, 8, []float64{1, 1}, 0.6, 0.4)},
		{"two modes 10 apart, d = 40", newMixture(40, 10, []float64{1, 1}, 0.5, 0.5)},
		{"three modes, d = 3", newMixture(3, 7, []float64{1, 0.5, 2}, 0.5, 0.25, 0.25)},
		{"funnel, d = 10", funnel(10)},
		{"hierarchy of 8 groups, centred", newSchools(3)},
		{"plateau with a stuck region", plateau{}},
		{"topics, labels exchangeable", newTopics(5)},
	}
}

// mixture is a mixture of round normals whose centres stand in a row along the first axis.
type mixture struct {
	d             int
	apart         float64
	sd, logWeight []float64
}

func newMixture(d int, apart float64, sd []float64, weights ...float64) mixture {
	m := mixture{d: d, apart: apart, sd: sd}
	for _, w := range weights {
		m.logWeight = append(m.logWeight, math.Log(w))
	}
	return m
}

// Dim returns the number of dimensions.
func (m mixture) Dim() int { return m.d }

// LogDensity is the log of the sum, with the largest term taken out.
func (m mixture) LogDensity(x, grad []float64) float64 {
	terms := make([]float64, len(m.sd))
	rest := 0.0
	for _, v := range x[1:] {
		rest += v * v
	}
	top := math.Inf(-1)
	for k, s := range m.sd {
		e := x[0] - m.centre(k)
		terms[k] = m.logWeight[k] - float64(m.d)*math.Log(s) - (e*e+rest)/(2*s*s)
		top = max(top, terms[k])
	}
	sum := 0.0
	for k := range terms {
		terms[k] = math.Exp(terms[k] - top)
		sum += terms[k]
	}
	clear(grad)
	for k, s := range m.sd {
		w := terms[k] / sum / (s * s)
		grad[0] -= w * (x[0] - m.centre(k))
		for i, v := range x[1:] {
			grad[i+1] -= w * v
		}
	}
	return top + math.Log(sum)
}

func (m mixture) centre(k int) float64 {
	return m.apart * (float64(k) - float64(len(m.sd)-1)/2)
}

// funnel is Neal's: the first component is the log variance, of sd 3, of all others.
type funnel int

// Dim returns the number of dimensions.
func (f funnel) Dim() int { return int(f) }

// LogDensity is Neal's.
func (f funnel) LogDensity(x, grad []float64) float64 {
	v, w := x[0], math.Exp(-x[0])
	sum := 0.0
	for i, u := range x[1:] {
		sum += u * u
		grad[i+1] = -w * u
	}
	n := float64(f - 1)
	grad[0] = -v/9 + w*sum/2 - n/2
	return -v*v/18 - w*sum/2 - n*v/2
}

// schools is a centred hierarchy of normal means with little data: mean, log sd, effects.
type schools struct{ y []float64 }

func newSchools(seed uint64) schools {
	r := rand.New(rand.NewPCG(seed, 0))
	var s schools
	for range 8 {
		s.y = append(s.y, 0.3*r.NormFloat64()+r.NormFloat64())
	}
	return s
}

// Dim returns the number of parameters.
func (s schools) Dim() int { return 2 + len(s.y) }

// LogDensity has unit errors of observation and priors N(0, 5^2) and N(0, 1) on mean and sd.
func (s schools) LogDensity(x, grad []float64) float64 {
	mu, tau := x[0], math.Exp(x[1])
	lp := -mu*mu/50 - tau*tau/2 + x[1]
	grad[0], grad[1] = -mu/25, 1-tau*tau
	for i, y := range s.y {
		z := (x[2+i] - mu) / tau
		e := y - x[2+i]
		lp -= z*z/2 + x[1] + e*e/2
		grad[0] += z / tau
		grad[1] += z*z - 1
		grad[2+i] = e - z/tau
	}
	return lp
}

// plateau is a normal with, to one side, a shelf that falls off so slowly that a chain on it hardly
// returns.
type plateau struct{}

// Dim returns 2.
func (plateau) Dim() int { return 2 }

// LogDensity adds exp(-x^2/2) and a shelf around 12 of width 3 and height e^-2.
func (plateau) LogDensity(x, grad []float64) float64 {
	m := mixture{2, 12, []float64{1, 3}, []float64{0, -2 + 2*math.Log(3)}}
	return m.LogDensity(x, grad)
}

// topics is a mixture of words' proportions: documents of words, three topics whose labels can be
// exchanged. Parameters are logits of words by topic and of topics by document.
type topics struct {
	docs, words, k int
	count          []float64 // by document
}

func newTopics(seed uint64) *topics {
	r := rand.New(rand.NewPCG(seed, 0))
	t := &topics{docs: 12, words: 9, k: 3}
	t.count = make([]float64, t.docs*t.words)
	for i := range t.docs {
		for range 40 {
			topic := i % 3
			if r.Float64() < 0.2 {
				topic = r.IntN(3)
			}
			t.count[i*t.words+topic*3+r.IntN(3)]++
		}
	}
	return t
}

// Dim returns the number of logits.
func (t *topics) Dim() int { return t.k * (t.words + t.docs) }

// LogDensity has standard normal priors on the logits.
func (t *topics) LogDensity(x, grad []float64) float64 {
	lp := 0.0
	for i, v := range x {
		lp -= v * v / 2
		grad[i] = -v
	}
	phi := make([]float64, t.k*t.words)
	theta := make([]float64, t.docs*t.k)
	for k := range t.k {
		softmax(phi[k*t.words:(k+1)*t.words], x[k*t.words:])
	}
	at := t.k * t.words
	for i := range t.docs {
		softmax(theta[i*t.k:(i+1)*t.k], x[at+i*t.k:])
	}
	dphi, dtheta := make([]float64, len(phi)), make([]float64, len(theta))
	for i := range t.docs {
		for w := range t.words {
			n := t.count[i*t.words+w]
			p := 0.0
			for k := range t.k {
				p += theta[i*t.k+k] * phi[k*t.words+w]
			}
			lp += n * math.Log(p)
			for k := range t.k {
				dtheta[i*t.k+k] += n / p * phi[k*t.words+w]
				dphi[k*t.words+w] += n / p * theta[i*t.k+k]
			}
		}
	}
	for k := range t.k {
		back(grad[k*t.words:], phi[k*t.words:(k+1)*t.words], dphi[k*t.words:])
	}
	for i := range t.docs {
		back(grad[at+i*t.k:], theta[i*t.k:(i+1)*t.k], dtheta[i*t.k:])
	}
	return lp
}

// softmax sets p to the proportions of the logits x.
func softmax(p, x []float64) {
	top, sum := math.Inf(-1), 0.0
	for i := range p {
		top = max(top, x[i])
	}
	for i := range p {
		p[i] = math.Exp(x[i] - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}

// back adds to grad the gradient through softmax.
func back(grad, p, dp []float64) {
	mean := 0.0
	for i, v := range p {
		mean += v * dp[i]
	}
	for i, v := range p {
		grad[i] += v * (dp[i] - mean)
	}
}
