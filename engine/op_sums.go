package engine

import "math"

// Sum is the sum of the values times Scale. Mean says that Scale is one over their number.
type Sum struct {
	Scale float64
	Mean  bool
}

type sumStep struct {
	Sum
	out, adj, in, din []float64
}

func (s Sum) Bind(out, adj []float64, in, din [][]float64) Step {
	return &sumStep{s, out, adj, in[0], din[0]}
}

func (s *sumStep) Forward() {
	t := 0.0
	for _, v := range s.in {
		t += v
	}
	s.out[0] = s.Scale * t
}

func (s *sumStep) Backward() {
	a := s.Scale * s.adj[0]
	for i := range s.din {
		s.din[i] += a
	}
}

// LogSumExp is the log of the sum of the exponentials.
type LogSumExp struct{}

type logSumExpStep struct{ out, adj, in, din []float64 }

func (LogSumExp) Bind(out, adj []float64, in, din [][]float64) Step {
	return &logSumExpStep{out, adj, in[0], din[0]}
}

func (s *logSumExpStep) Forward() { s.out[0] = logSum(s.in) }

func (s *logSumExpStep) Backward() {
	if math.IsInf(s.out[0], 0) {
		return
	}
	for i, v := range s.in {
		s.din[i] += s.adj[0] * math.Exp(v-s.out[0])
	}
}

// CumSum has the sums of the values up to each.
type CumSum struct{}

type cumSumStep struct{ out, adj, in, din []float64 }

func (CumSum) Bind(out, adj []float64, in, din [][]float64) Step {
	return &cumSumStep{out, adj, in[0], din[0]}
}

func (s *cumSumStep) Forward() {
	t := 0.0
	for i, v := range s.in {
		t += v
		s.out[i] = t
	}
}

func (s *cumSumStep) Backward() {
	t := 0.0
	for i := len(s.adj) - 1; i >= 0; i-- {
		t += s.adj[i]
		s.din[i] += t
	}
}

// Softmax is exp(x) divided by its sum.
type Softmax struct{}

type softmaxStep struct{ out, adj, in, din []float64 }

func (Softmax) Bind(out, adj []float64, in, din [][]float64) Step {
	return &softmaxStep{out, adj, in[0], din[0]}
}

func (s *softmaxStep) Forward() {
	top := math.Inf(-1)
	for _, v := range s.in {
		top = max(top, v)
	}
	t := 0.0
	for i, v := range s.in {
		s.out[i] = math.Exp(v - top)
		t += s.out[i]
	}
	for i := range s.out {
		s.out[i] /= t
	}
}

func (s *softmaxStep) Backward() {
	t := 0.0
	for i, p := range s.out {
		t += p * s.adj[i]
	}
	for i, p := range s.out {
		s.din[i] += p * (s.adj[i] - t)
	}
}
