package engine

import (
	"math"

	"bayeskernel/internal/density"
)

// Each applies a function to every value.
type Each struct{ Function Function1 }

type eachStep struct {
	Function1
	out, adj, in, din []float64
}

// Bind implements Operation.
func (e Each) Bind(out, adj []float64, in, din [][]float64) Step {
	return &eachStep{e.Function, out, adj, in[0], din[0]}
}

func (s *eachStep) Forward() {
	for i, v := range s.in[:len(s.out)] {
		s.out[i] = s.F(v)
	}
}

func (s *eachStep) Backward() {
	for i, d := range s.adj[:len(s.din)] {
		if d != 0 {
			s.din[i] += d * s.D(s.in[i], s.out[i])
		}
	}
}

// Each2 applies a function to every pair of values; one argument may be a number.
type Each2 struct{ Function Function2 }

type each2Step struct {
	Function2
	out, adj, a, b, da, db []float64
	ma, mb                 int
}

// Bind implements Operation.
func (e Each2) Bind(out, adj []float64, in, din [][]float64) Step {
	return &each2Step{e.Function, out, adj, in[0], in[1], din[0], din[1], mask(out, in[0]), mask(out, in[1])}
}

// mask is -1 for a vector and 0 for a number, so that i&mask is the place of the value that goes with
// value i.
func mask(out, in []float64) int {
	if len(in) == len(out) {
		return -1
	}
	return 0
}

func (s *each2Step) Forward() {
	for i := range s.out {
		s.out[i] = s.F(s.a[i&s.ma], s.b[i&s.mb])
	}
}

func (s *each2Step) Backward() {
	for i, d := range s.adj {
		if d == 0 {
			continue
		}
		x, y := s.D(s.a[i&s.ma], s.b[i&s.mb], s.out[i])
		if s.da != nil {
			s.da[i&s.ma] += d * x
		}
		if s.db != nil {
			s.db[i&s.mb] += d * y
		}
	}
}

// PickEach takes value i from value At[i] of argument From[i].
type PickEach struct{ From, At []int32 }

type pickEachStep struct {
	PickEach
	out, adj []float64
	in, din  [][]float64
}

// Bind implements Operation.
func (p PickEach) Bind(out, adj []float64, in, din [][]float64) Step {
	return &pickEachStep{p, out, adj, in, din}
}

func (s *pickEachStep) Forward() {
	at := s.At[:len(s.out)]
	for i, k := range s.From[:len(s.out)] {
		s.out[i] = s.in[k][at[i]]
	}
}

func (s *pickEachStep) Backward() {
	at := s.At[:len(s.adj)]
	for i, k := range s.From[:len(s.adj)] {
		if d := s.din[k]; d != nil {
			d[at[i]] += s.adj[i]
		}
	}
}

// RowSum has in row i the sum of value i of all arguments, of which some may be numbers.
type RowSum struct{}

// RowLogSumExp has the log of the sum of the exponentials.
type RowLogSumExp struct{}

// RowDot has the sum of the products of value i of the first half of the arguments with that of the second.
type RowDot struct{}

type rowStep struct {
	out, adj []float64
	in, din  [][]float64
	masks    []int
}

func newRowStep(out, adj []float64, in, din [][]float64) rowStep {
	s := rowStep{out: out, adj: adj, in: in, din: din}
	for _, v := range in {
		s.masks = append(s.masks, mask(out, v))
	}
	return s
}

// Bind implements Operation.
func (RowSum) Bind(out, adj []float64, in, din [][]float64) Step {
	s := newRowStep(out, adj, in, din)
	return &rowSumStep{s}
}

type rowSumStep struct{ rowStep }

func (s *rowSumStep) Forward() {
	clear(s.out)
	for k, in := range s.in {
		if s.masks[k] == 0 {
			for i := range s.out {
				s.out[i] += in[0]
			}
			continue
		}
		for i, v := range in[:len(s.out)] {
			s.out[i] += v
		}
	}
}

func (s *rowSumStep) Backward() {
	for k, din := range s.din {
		switch {
		case din == nil:
		case s.masks[k] == 0:
			t := 0.0
			for _, d := range s.adj {
				t += d
			}
			din[0] += t
		default:
			for i, d := range s.adj[:len(din)] {
				din[i] += d
			}
		}
	}
}

// Bind implements Operation.
func (RowDot) Bind(out, adj []float64, in, din [][]float64) Step {
	return &rowDotStep{newRowStep(out, adj, in, din)}
}

type rowDotStep struct{ rowStep }

func (s *rowDotStep) Forward() {
	clear(s.out)
	half := len(s.in) / 2
	for k, x := range s.in[:half] {
		y, mx, my := s.in[half+k], s.masks[k], s.masks[half+k]
		for i := range s.out {
			s.out[i] += x[i&mx] * y[i&my]
		}
	}
}

func (s *rowDotStep) Backward() {
	half := len(s.in) / 2
	for k := range s.in {
		other := k + half
		if k >= half {
			other = k - half
		}
		din, y, m, my := s.din[k], s.in[other], s.masks[k], s.masks[other]
		switch {
		case din == nil:
		case m == 0:
			t := 0.0
			for i, d := range s.adj {
				t += d * y[i&my]
			}
			din[0] += t
		default:
			for i, d := range s.adj {
				din[i] += d * y[i&my]
			}
		}
	}
}

// Bind implements Operation.
func (RowLogSumExp) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &rowLogSumExpStep{rowStep: newRowStep(out, adj, in, din), sum: make([]float64, len(out)),
		w: make([]float64, len(in)*len(out))}
	return s
}

// rowLogSumExpStep has in w the exponentials, a block for each argument.
type rowLogSumExpStep struct {
	rowStep
	sum, w []float64
}

func (s *rowLogSumExpStep) Forward() {
	n := len(s.out)
	top, sum := s.out, s.sum
	for i := range top {
		top[i] = math.Inf(-1)
	}
	for k, in := range s.in {
		m := s.masks[k]
		for i, t := range top {
			if v := in[i&m]; !(v <= t) {
				top[i] = v
			}
		}
	}
	for k, in := range s.in {
		w, m := s.w[k*n:(k+1)*n], s.masks[k]
		for i, t := range top {
			w[i] = 0 // where both are infinite, or one is not a number
			if d := t - in[i&m]; d > 0 {
				w[i] = min(d, 1e4)
			}
		}
	}
	expNeg(s.w)
	clear(sum)
	for k := range s.in {
		for i, v := range s.w[k*n : (k+1)*n] {
			sum[i] += v
		}
	}
	for i, v := range sum {
		top[i] += math.Log(v)
	}
}

func (s *rowLogSumExpStep) Backward() {
	n := len(s.out)
	for i, d := range s.adj {
		s.sum[i] = d / s.sum[i]
	}
	for k, din := range s.din {
		if din == nil {
			continue
		}
		w := s.w[k*n : (k+1)*n]
		if s.masks[k] == 0 {
			t := 0.0
			for i, d := range s.sum {
				t += d * w[i]
			}
			din[0] += t
			continue
		}
		for i, d := range s.sum {
			din[i] += d * w[i]
		}
	}
}

// LogDensities has the log density, or probability, of each value. The first argument has the values, the
// others the parameters; each may be a number.
type LogDensities struct{ Part FamilyPart }

type logDensitiesStep struct {
	FamilyPart
	out, adj []float64
	in, din  [][]float64
	masks    []int
	once     bool // the part of the density without values is the same for all
	grad     []density.Grad
	a        density.Params
	work     density.Grad
}

// Bind implements Operation.
func (l LogDensities) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &logDensitiesStep{FamilyPart: l.Part, out: out, adj: adj, in: in, din: din,
		grad: make([]density.Grad, len(out)), once: l.Part.Tail == Whole}
	for k, v := range in {
		s.masks = append(s.masks, mask(out, v))
		s.once = s.once && (k == 0 || len(v) == 1 || k-1 == l.Part.Family.Location)
	}
	return s
}

func (s *logDensitiesStep) Forward() {
	y, m, norm := s.in[0], s.masks[0], 0.0
	for i := range s.out {
		for k, v := range s.in[1:] {
			s.a[k] = v[i&s.masks[k+1]]
		}
		if !s.once {
			s.out[i] = s.At(y[i&m], &s.a, &s.grad[i], &s.work)
			continue
		}
		if i == 0 {
			norm = s.At(y[i&m], &s.a, &s.grad[i], &s.work)
			if math.IsNaN(norm) {
				for i := range s.out {
					s.out[i] = norm
				}
				return
			}
			norm = s.Family.Norm(&s.a, &s.work)
		}
		g := &s.grad[i]
		l := s.Family.Kernel(y[i&m], &s.a, g) + norm
		for k := range s.Family.Params {
			g[k+1] += s.work[k+1]
		}
		if s.Family.Base != nil {
			l += s.Family.Base(y[i&m], &s.a)
		}
		if math.IsInf(l, -1) {
			*g = density.Grad{}
		}
		s.out[i] = l
	}
}

func (s *logDensitiesStep) Backward() {
	for k, din := range s.din {
		if din == nil {
			continue
		}
		if s.masks[k] != 0 {
			for i, d := range s.adj[:len(din)] {
				din[i] += d * s.grad[i][k]
			}
			continue
		}
		t := 0.0
		for i, d := range s.adj {
			t += d * s.grad[i][k]
		}
		din[0] += t
	}
}
