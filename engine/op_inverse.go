package engine

import "math"

// decomposed is a square matrix as P A = L U, with L of unit diagonal: rows are exchanged so that the
// largest value of a column divides the others.
type decomposed struct {
	n      int
	lu     []float64
	pivot  []int // row k of P A is this one of A
	logDet float64
}

func newDecomposed(n int) *decomposed {
	return &decomposed{n: n, lu: make([]float64, n*n), pivot: make([]int, n)}
}

// of decomposes a and reports whether it is regular.
func (d *decomposed) of(a []float64) bool {
	n, lu := d.n, d.lu
	copy(lu, a)
	d.logDet = 0
	for i := range d.pivot {
		d.pivot[i] = i
	}
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if math.Abs(lu[i*n+k]) > math.Abs(lu[best*n+k]) {
				best = i
			}
		}
		if best != k {
			for j := range n {
				lu[k*n+j], lu[best*n+j] = lu[best*n+j], lu[k*n+j]
			}
			d.pivot[k], d.pivot[best] = d.pivot[best], d.pivot[k]
		}
		p := lu[k*n+k]
		if p == 0 || math.IsNaN(p) || math.IsInf(p, 0) {
			return false
		}
		d.logDet += math.Log(math.Abs(p))
		row := lu[k*n : (k+1)*n]
		for i := k + 1; i < n; i++ {
			other := lu[i*n : (i+1)*n]
			f := other[k] / p
			other[k] = f
			for j := k + 1; j < n; j++ {
				other[j] -= f * row[j]
			}
		}
	}
	return true
}

// solve writes A⁻¹ b into x, for one column of cols: values stand that far apart.
func (d *decomposed) solve(x, b []float64, at, cols int) {
	n, lu := d.n, d.lu
	for i := range n {
		t := b[d.pivot[i]*cols+at]
		for k := range i {
			t -= lu[i*n+k] * x[k*cols+at]
		}
		x[i*cols+at] = t
	}
	for i := n - 1; i >= 0; i-- {
		t := x[i*cols+at]
		for k := i + 1; k < n; k++ {
			t -= lu[i*n+k] * x[k*cols+at]
		}
		x[i*cols+at] = t / lu[i*n+i]
	}
}

// transposed writes A'⁻¹ b into x, for one column of cols. Work has n values.
func (d *decomposed) transposed(x, b, work []float64, at, cols int) {
	n, lu := d.n, d.lu
	for i := range n { // U' work = b
		t := b[i*cols+at]
		for k := range i {
			t -= lu[k*n+i] * work[k]
		}
		work[i] = t / lu[i*n+i]
	}
	for i := n - 1; i >= 0; i-- { // L' P x = work
		for k := i + 1; k < n; k++ {
			work[i] -= lu[k*n+i] * work[k]
		}
	}
	for i, p := range d.pivot {
		x[p*cols+at] = work[i]
	}
}

// LeftDivide is X = A⁻¹ B, for A with N rows of N and B with N rows of P. With c the adjoint of X and
// U = A'⁻¹ c, that of B gains U, and that of A gains -U X'. Where A is singular the values are NaN.
type LeftDivide struct{ N, P int }

type leftDivideStep struct {
	LeftDivide
	*decomposed
	ok                     bool
	out, adj, a, b, da, db []float64
	u, work                []float64
}

func (m LeftDivide) Bind(out, adj []float64, in, din [][]float64) Step {
	return &leftDivideStep{LeftDivide: m, decomposed: newDecomposed(m.N), out: out, adj: adj, a: in[0],
		b: in[1], da: din[0], db: din[1], u: make([]float64, m.N*m.P), work: make([]float64, m.N)}
}

func (s *leftDivideStep) Forward() {
	if s.ok = s.of(s.a); !s.ok {
		fill(s.out, math.NaN())
		return
	}
	for j := range s.P {
		s.solve(s.out, s.b, j, s.P)
	}
}

func (s *leftDivideStep) Backward() {
	if !s.ok {
		return
	}
	for j := range s.P {
		s.transposed(s.u, s.adj, s.work, j, s.P)
	}
	for i, v := range s.u {
		if s.db != nil {
			s.db[i] += v
		}
	}
	if s.da == nil {
		return
	}
	for i := range s.N {
		for k := range s.N {
			t := 0.0
			for j, u := range s.u[i*s.P : (i+1)*s.P] {
				t += u * s.out[k*s.P+j]
			}
			s.da[i*s.N+k] -= t
		}
	}
}

// Inverse is A⁻¹ of N rows, with the adjoint -A'⁻¹ c A'⁻¹. Where A is singular the values are NaN.
type Inverse struct{ N int }

type inverseStep struct {
	Inverse
	*decomposed
	ok                bool
	out, adj, in, din []float64
	identity, work    []float64
}

func (m Inverse) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &inverseStep{Inverse: m, decomposed: newDecomposed(m.N), out: out, adj: adj, in: in[0], din: din[0],
		identity: make([]float64, m.N*m.N), work: make([]float64, m.N)}
	for i := range m.N {
		s.identity[i*m.N+i] = 1
	}
	return s
}

func (s *inverseStep) Forward() {
	if s.ok = s.of(s.in); !s.ok {
		fill(s.out, math.NaN())
		return
	}
	for j := range s.N {
		s.solve(s.out, s.identity, j, s.N)
	}
}

func (s *inverseStep) Backward() {
	n := s.N
	if !s.ok {
		return
	}
	for i := range n { // row i of A'⁻¹ c, times A'⁻¹
		for j := range n {
			t := 0.0
			for k := range n {
				t += s.out[k*n+i] * s.adj[k*n+j]
			}
			s.work[j] = t
		}
		for j := range n {
			t := 0.0
			for k, w := range s.work {
				t += w * s.out[j*n+k]
			}
			s.din[i*n+j] -= t
		}
	}
}

// LogDet is the log of the size of the determinant of N rows, with the adjoint A'⁻¹; -Inf where A is
// singular.
type LogDet struct{ N int }

type logDetStep struct {
	LogDet
	*decomposed
	ok                bool
	out, adj, in, din []float64
	e, x, work        []float64
}

func (m LogDet) Bind(out, adj []float64, in, din [][]float64) Step {
	return &logDetStep{LogDet: m, decomposed: newDecomposed(m.N), out: out, adj: adj, in: in[0],
		din: din[0], e: make([]float64, m.N), x: make([]float64, m.N), work: make([]float64, m.N)}
}

func (s *logDetStep) Forward() {
	if s.ok = s.of(s.in); !s.ok {
		s.out[0] = math.Inf(-1)
		return
	}
	s.out[0] = s.logDet
}

func (s *logDetStep) Backward() {
	if !s.ok {
		return
	}
	for j := range s.N {
		s.e[j] = s.adj[0]
		s.transposed(s.x, s.e, s.work, 0, 1)
		s.e[j] = 0
		for i, v := range s.x {
			s.din[i*s.N+j] += v
		}
	}
}
