package engine

import "math"

// Cholesky of n rows. Row by row, for j < i,
//
//	L_ij = (A_ij - sum of L_ik L_jk over k < j) / L_jj,
//	L_ii = sqrt(A_ii - sum of L_ik² over k < i).
//
// The reverse pass goes through these assignments from the last to the first. With l the adjoints
// of L, and a_ij = l_ij/L_jj, a_ii = l_ii/(2 L_ii) those of A,
//
//	l_jj -= a_ij L_ij,  l_ik -= a_ij L_jk,  l_jk -= a_ij L_ik,
//
// and of the diagonal l_ik -= 2 a_ii L_ik (Murray, Differentiation of the Cholesky decomposition,
// arXiv:1602.07527, 2016).
type Cholesky struct{ N int }

type choleskyStep struct {
	n                      int
	out, adj, in, din, bar []float64
}

func (c Cholesky) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &choleskyStep{n: c.N, out: out, adj: adj, in: in[0], din: din[0]}
	if s.din != nil {
		s.bar = make([]float64, len(out))
	}
	return s
}

func (s *choleskyStep) Forward() {
	n, l := s.n, s.out
	for i := range n {
		row := l[i*n : (i+1)*n]
		for j := range i {
			other := l[j*n : j*n+j+1]
			t := s.in[i*n+j]
			for k, v := range other[:j] {
				t -= row[k] * v
			}
			row[j] = t / other[j]
		}
		t := s.in[i*n+i]
		for _, v := range row[:i] {
			t -= v * v
		}
		if !(t > 0) {
			for k := range l {
				l[k] = math.NaN()
			}
			return
		}
		row[i] = math.Sqrt(t)
		clear(row[i+1:])
	}
}

func (s *choleskyStep) Backward() {
	n, l, bar := s.n, s.out, s.bar
	copy(bar, s.adj)
	for i := n - 1; i >= 0; i-- {
		row, rowBar := l[i*n:(i+1)*n], bar[i*n:(i+1)*n]
		a := rowBar[i] / (2 * row[i])
		s.din[i*n+i] += a
		for k, v := range row[:i] {
			rowBar[k] -= 2 * a * v
		}
		for j := i - 1; j >= 0; j-- {
			other, otherBar := l[j*n:j*n+j+1], bar[j*n:j*n+j+1]
			a := rowBar[j] / other[j]
			s.din[i*n+j] += a
			otherBar[j] -= a * row[j]
			for k, v := range other[:j] {
				rowBar[k] -= a * v
				otherBar[k] -= a * row[k]
			}
		}
	}
}

// Solve is x = L⁻¹ b. With c the adjoint of x and u = L'⁻¹ c, that of b gains u, and that of L gains
// -u x' in its lower triangle.
type Solve struct{ N int }

type solveStep struct {
	n                          int
	out, adj, l, b, dl, db, up []float64
}

func (c Solve) Bind(out, adj []float64, in, din [][]float64) Step {
	return &solveStep{n: c.N, out: out, adj: adj, l: in[0], b: in[1], dl: din[0], db: din[1],
		up: make([]float64, c.N)}
}

func (s *solveStep) Forward() { forwardSolve(s.out, s.l, s.b) }

func (s *solveStep) Backward() {
	backSolve(s.up, s.l, s.adj)
	for i, u := range s.up {
		if s.db != nil {
			s.db[i] += u
		}
		if s.dl == nil {
			continue
		}
		row := s.dl[i*s.n : i*s.n+i+1]
		for j, x := range s.out[:i+1] {
			row[j] -= u * x
		}
	}
}

// forwardSolve writes L⁻¹ b into x, for L by rows.
func forwardSolve(x, l, b []float64) {
	n := len(x)
	for i := range n {
		t := b[i]
		row := l[i*n : i*n+i+1]
		for j, v := range x[:i] {
			t -= row[j] * v
		}
		x[i] = t / row[i]
	}
}

// backSolve writes L'⁻¹ b into x, for L by rows. X and b may be the same.
func backSolve(x, l, b []float64) {
	n := len(x)
	copy(x, b)
	for i := n - 1; i >= 0; i-- {
		row := l[i*n : i*n+i+1]
		x[i] /= row[i]
		for j, v := range row[:i] {
			x[j] -= v * x[i]
		}
	}
}
