package engine

import (
	"math"

	"bayeskernel/internal/product"
)

// Cholesky of n rows, in blocks of columns. With J the columns of a block, R and D the rows of J left of
// it and in it, and B and C the rows below,
//
//	D D' = A_D - R R',  C = (A_C - B R') D'⁻¹.
//
// The reverse pass goes through the blocks from the last to the first. With bars for the adjoints of L,
// and a_D and a_C those of A, it is the derivative of these two lines:
//
//	a_C = C̄ D⁻¹,  B̄ -= a_C R,  D̄ -= the lower triangle of a_C' C,
//	a_D from D̄ by the unblocked reverse pass,  R̄ -= a_C' B + (a_D + a_D') R
//
// (Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, 2016). All products of three
// loops are those of package product. Within a block, row by row, for j < i,
//
//	L_ij = (A_ij - sum of L_ik L_jk over k < j) / L_jj,
//	L_ii = sqrt(A_ii - sum of L_ik² over k < i),
//
// and the reverse pass goes through these assignments from the last to the first: with l the adjoints of
// L, and a_ij = l_ij/L_jj, a_ii = l_ii/(2 L_ii) those of A,
//
//	l_jj -= a_ij L_ij,  l_ik -= a_ij L_jk,  l_jk -= a_ij L_ik,
//
// and of the diagonal l_ik -= 2 a_ii L_ik.
type Cholesky struct{ N int }

// choleskyBlock is the number of columns of a block.
const choleskyBlock = 16

type choleskyStep struct {
	n                      int
	out, adj, in, din, bar []float64
	sym                    []float64 // a_D + a_D'
	work                   *product.Work
}

func (c Cholesky) Bind(out, adj []float64, in, din [][]float64) Step {
	s := &choleskyStep{n: c.N, out: out, adj: adj, in: in[0], din: din[0]}
	if s.din != nil {
		s.bar = make([]float64, len(out))
		s.sym = make([]float64, choleskyBlock*choleskyBlock)
	}
	if c.N > choleskyBlock {
		s.work = new(product.Work)
	}
	return s
}

func (s *choleskyStep) Forward() {
	n, l := s.n, s.out
	for i := range n {
		copy(l[i*n:i*n+i+1], s.in[i*n:i*n+i+1])
		clear(l[i*n+i+1 : (i+1)*n])
	}
	for from := 0; from < n; from += choleskyBlock {
		to := min(from+choleskyBlock, n)
		if from > 0 {
			s.work.Subtract(l[from*n+from:], n, n-from, to-from, from,
				product.View{Data: l[from*n:], Row: n, Next: 1},
				product.View{Data: l[from*n:], Row: n, Next: 1}, product.Lower)
		}
		if !s.diagonal(from, to) {
			for k := range l {
				l[k] = math.NaN()
			}
			return
		}
		for i := to; i < n; i++ { // C
			row := l[i*n+from : i*n+to]
			for j := range row {
				other := l[(from+j)*n+from : (from+j)*n+from+j+1]
				t := row[j]
				for k, v := range other[:j] {
					t -= row[k] * v
				}
				row[j] = t / other[j]
			}
		}
	}
}

// diagonal factors a block on the diagonal, and clears what a product wrote above it.
func (s *choleskyStep) diagonal(from, to int) bool {
	n, l := s.n, s.out
	for i := from; i < to; i++ {
		row := l[i*n+from : i*n+to]
		for j := range i - from {
			other := l[(from+j)*n+from : (from+j)*n+from+j+1]
			t := row[j]
			for k, v := range other[:j] {
				t -= row[k] * v
			}
			row[j] = t / other[j]
		}
		t := row[i-from]
		for _, v := range row[:i-from] {
			t -= v * v
		}
		if !(t > 0) {
			return false
		}
		row[i-from] = math.Sqrt(t)
		clear(row[i-from+1:])
	}
	return true
}

func (s *choleskyStep) Backward() {
	n, l, bar := s.n, s.out, s.bar
	copy(bar, s.adj)
	last := (n - 1) / choleskyBlock * choleskyBlock
	for from := last; from >= 0; from -= choleskyBlock {
		to := min(from+choleskyBlock, n)
		width := to - from
		below := func(m []float64) product.View { // the columns of the rows below, as rows
			return product.View{Data: m, Row: 1, Next: n}
		}
		if to < n {
			for i := to; i < n; i++ { // a_C
				row := bar[i*n+from : i*n+to]
				for j := width - 1; j >= 0; j-- {
					other := l[(from+j)*n+from : (from+j)*n+from+j+1]
					v := row[j] / other[j]
					row[j] = v
					for k, w := range other[:j] {
						row[k] -= v * w
					}
				}
			}
			s.work.Subtract(bar[to*n:], n, n-to, from, width,
				product.View{Data: bar[to*n+from:], Row: n, Next: 1}, below(l[from*n:]), product.All)
			s.work.Subtract(bar[from*n+from:], n, width, width, n-to, below(bar[to*n+from:]),
				below(l[to*n+from:]), product.Lower)
			s.work.Subtract(bar[from*n:], n, width, from, n-to, below(bar[to*n+from:]),
				below(l[to*n:]), product.All)
		}
		s.diagonalBack(from, to)
		for i := range width {
			for j := range i + 1 {
				v := bar[(from+i)*n+from+j]
				s.sym[i*width+j] = v
				s.sym[j*width+i] = v
			}
			s.sym[i*width+i] *= 2
		}
		if from > 0 {
			s.work.Subtract(bar[from*n:], n, width, from, width, product.Rows(s.sym, width),
				below(l[from*n:]), product.All)
		}
	}
	for i := range n {
		din := s.din[i*n : i*n+i+1]
		for j, v := range bar[i*n : i*n+i+1] {
			din[j] += v
		}
	}
}

// diagonalBack is the reverse pass of a block on the diagonal, in place.
func (s *choleskyStep) diagonalBack(from, to int) {
	n, l, bar := s.n, s.out, s.bar
	for i := to - 1; i >= from; i-- {
		row, rowBar := l[i*n+from:i*n+to], bar[i*n+from:i*n+to]
		at := i - from
		a := rowBar[at] / (2 * row[at])
		rowBar[at] = a
		for k, v := range row[:at] {
			rowBar[k] -= 2 * a * v
		}
		for j := at - 1; j >= 0; j-- {
			other, otherBar := l[(from+j)*n+from:(from+j)*n+to], bar[(from+j)*n+from:(from+j)*n+to]
			a := rowBar[j] / other[j]
			rowBar[j] = a
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
