package engine

import "math"

// GroupSum has the sum of the values of each group: At is the group of each value, of N.
type GroupSum struct {
	At []int
	N  int
}

type groupSumStep struct {
	GroupSum
	out, adj, in, din []float64
}

func (g GroupSum) Bind(out, adj []float64, in, din [][]float64) Step {
	return &groupSumStep{g, out, adj, in[0], din[0]}
}

func (s *groupSumStep) Forward() {
	clear(s.out)
	for i, k := range s.At {
		s.out[k] += s.in[i]
	}
}

func (s *groupSumStep) Backward() {
	for i, k := range s.At {
		s.din[i] += s.adj[k]
	}
}

// GroupLogSumExp has the log of the sum of the exponentials of the values of each group, -Inf of none.
type GroupLogSumExp GroupSum

type groupLogSumExpStep struct {
	GroupLogSumExp
	out, adj, in, din []float64
	top               []float64
}

func (g GroupLogSumExp) Bind(out, adj []float64, in, din [][]float64) Step {
	return &groupLogSumExpStep{g, out, adj, in[0], din[0], make([]float64, len(out))}
}

func (s *groupLogSumExpStep) Forward() {
	fill(s.top, math.Inf(-1))
	for i, k := range s.At {
		s.top[k] = max(s.top[k], s.in[i])
	}
	clear(s.out)
	for i, k := range s.At {
		if t := s.top[k]; !math.IsInf(t, 0) {
			s.out[k] += math.Exp(s.in[i] - t)
		}
	}
	for k, t := range s.top {
		if math.IsInf(t, 0) {
			s.out[k] = t
		} else {
			s.out[k] = t + math.Log(s.out[k])
		}
	}
}

func (s *groupLogSumExpStep) Backward() {
	for i, k := range s.At {
		if a := s.adj[k]; a != 0 && !math.IsInf(s.out[k], 0) {
			s.din[i] += a * math.Exp(s.in[i]-s.out[k])
		}
	}
}

// Extreme is the larger of two values, or the smaller one. Where they are equal the first counts.
type Extreme struct{ Smaller bool }

type extremeStep struct {
	sign         float64
	out, adj     []float64
	a, b, da, db []float64
	ma, mb       int
}

func (e Extreme) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &extremeStep{sign: 1, out: out, adj: adj, a: in[0], b: in[1], da: din[0], db: din[1]}
	if e.Smaller {
		s.sign = -1
	}
	if len(s.a) == len(out) {
		s.ma = -1
	}
	if len(s.b) == len(out) {
		s.mb = -1
	}
	return s
}

func (s *extremeStep) Forward() {
	for i := range s.out {
		a, b := s.a[i&s.ma], s.b[i&s.mb]
		if s.sign*b > s.sign*a || b != b {
			a = b
		}
		s.out[i] = a
	}
}

func (s *extremeStep) Backward() {
	for i, d := range s.adj {
		if a, b := s.a[i&s.ma], s.b[i&s.mb]; s.sign*b > s.sign*a {
			if s.db != nil {
				s.db[i&s.mb] += d
			}
		} else if s.da != nil {
			s.da[i&s.ma] += d
		}
	}
}
