package engine

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// SolveLU is X = A⁻¹ B for a general matrix of N rows and P columns on the right, all by rows. With C the
// adjoint of X and G = A'⁻¹ C, that of B gains G, and that of A gains -G X'. The values are NaN where A is
// singular.
type SolveLU struct{ N, P int }

type solveLUStep struct {
	SolveLU
	out, adj, a, b, da, db []float64
	lu                     mat.LU
	x                      mat.Dense
}

// Bind implements Operation.
func (s SolveLU) Bind(out, adj []float64, in, din [][]float64) Step {
	return &solveLUStep{SolveLU: s, out: out, adj: adj, a: in[0], b: in[1], da: din[0], db: din[1]}
}

func (s *solveLUStep) Forward() {
	if s.N == 0 || s.P == 0 {
		return
	}
	s.lu.Factorize(mat.NewDense(s.N, s.N, s.a))
	if !s.solve(false, s.b) {
		for i := range s.out {
			s.out[i] = math.NaN()
		}
		return
	}
	copy(s.out, s.x.RawMatrix().Data)
}

// solve reports false where the matrix is singular; one that is nearly so is solved as well as can be.
func (s *solveLUStep) solve(transposed bool, b []float64) bool {
	s.x.Reset()
	err := s.lu.SolveTo(&s.x, transposed, mat.NewDense(s.N, s.P, b))
	if err == nil {
		return true
	}
	_, ill := err.(mat.Condition)
	return ill && !math.IsInf(s.lu.Cond(), 1)
}

func (s *solveLUStep) Backward() {
	if s.N == 0 || s.P == 0 || !s.solve(true, s.adj) {
		return
	}
	g := s.x.RawMatrix().Data
	for i := range s.N {
		row := g[i*s.P : (i+1)*s.P]
		if s.db != nil {
			for j, v := range row {
				s.db[i*s.P+j] += v
			}
		}
		if s.da == nil {
			continue
		}
		for k := range s.N {
			t := 0.0
			for j, v := range row {
				t += v * s.out[k*s.P+j]
			}
			s.da[i*s.N+k] -= t
		}
	}
}

// EigenSym has the eigenvalues of a symmetric matrix of N rows, rising, and then the eigenvectors, one after
// the other. With w the eigenvalues, V the eigenvectors as columns, d and D their adjoints, that of the
// matrix is the symmetric part of V M V', where M_ii = d_i and M_ij = (V'D)_ij/(w_j - w_i). Between
// eigenvalues that are equal to ten digits M_ij is taken as 0, which is right for all that does not depend
// on the basis that was chosen.
type EigenSym struct{ N int }

type eigenSymStep struct {
	n                 int
	out, adj, in, din []float64
	work, a           []float64
	v, m, t           blas64.General // v has the eigenvectors as rows
}

// Bind implements Operation.
func (e EigenSym) Bind(out, adj []float64, in, din [][]float64) Step {
	n := e.N
	square := func() blas64.General {
		return blas64.General{Rows: n, Cols: n, Stride: max(n, 1), Data: make([]float64, n*n)}
	}
	s := &eigenSymStep{n: n, out: out, adj: adj, in: in[0], din: din[0], a: make([]float64, n*n), v: square(),
		m: square(), t: square()}
	size := []float64{0}
	lapack64.Syev(lapack.EVCompute, s.symmetric(), make([]float64, n), size, -1)
	s.work = make([]float64, max(int(size[0]), 3*n, 1))
	return s
}

func (s *eigenSymStep) symmetric() blas64.Symmetric {
	return blas64.Symmetric{N: s.n, Stride: max(s.n, 1), Data: s.a, Uplo: blas.Upper}
}

func (s *eigenSymStep) Forward() {
	n := s.n
	for i := range n {
		for j := i; j < n; j++ {
			s.a[i*n+j] = (s.in[i*n+j] + s.in[j*n+i]) / 2
		}
	}
	for _, v := range s.a {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			s.fail()
			return
		}
	}
	if !lapack64.Syev(lapack.EVCompute, s.symmetric(), s.out[:n], s.work, len(s.work)) {
		s.fail()
		return
	}
	for j := range n {
		flip := 1.0
		for i := range n { // a sign that does not depend on how it was computed
			if x := s.a[i*n+j]; math.Abs(x) > 1e-8 {
				flip = math.Copysign(1, x)
				break
			}
		}
		for i := range n {
			s.out[n+j*n+i] = flip * s.a[i*n+j]
		}
	}
}

func (s *eigenSymStep) fail() {
	for i := range s.out {
		s.out[i] = math.NaN()
	}
}

func (s *eigenSymStep) Backward() {
	n := s.n
	if n == 0 {
		return
	}
	values := s.out[:n]
	copy(s.v.Data, s.out[n:])
	d := blas64.General{Rows: n, Cols: n, Stride: n, Data: s.adj[n:]}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, s.v, d, 0, s.m) // V'D, both stored transposed
	for i := range n {
		for j := range n {
			v := &s.m.Data[i*n+j]
			if i == j {
				*v = s.adj[i]
			} else if d := values[j] - values[i]; math.Abs(d) > 1e-10*math.Abs(values[n-1]) {
				*v /= d
			} else {
				*v = 0
			}
		}
	}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, s.v, s.m, 0, s.t)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, s.t, s.v, 0, s.m)
	for i := range n {
		for j := range n {
			s.din[i*n+j] += (s.m.Data[i*n+j] + s.m.Data[j*n+i]) / 2
		}
	}
}
