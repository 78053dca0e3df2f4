package ridge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// Q is orthogonal and Q T Q' is the matrix, for sizes on both sides of the panels' ends, and T is that of LAPACK.
func TestTridiagonal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 5, small, small + 1, small + panel, small + panel + 1, 257, 400} {
		for _, what := range []string{"kernel", "random", "diagonal", "tiny"} {
			a := gaussian(n, 1, 1, r)
			for i := range n {
				for j := range i + 1 {
					switch {
					case what == "random":
						a[i*n+j] = r.NormFloat64()
					case what == "diagonal" && i != j:
						a[i*n+j] = 0
					case what == "tiny" && i != j: // points far from each other
						a[i*n+j] = 1e-310 * float64(1+(i+j)%3)
					}
					a[j*n+i] = a[i*n+j]
				}
			}
			want, q := mat.NewDense(n, n, append([]float64(nil), a...)), append([]float64(nil), a...)
			d, e := tridiagonal(q, n)
			tri := mat.NewDense(n, n, nil)
			for i := range n {
				tri.Set(i, i, d[i])
				if i > 0 {
					tri.Set(i, i-1, e[i-1])
					tri.Set(i-1, i, e[i-1])
				}
			}
			basis := mat.NewDense(n, n, q)
			var got, ones mat.Dense
			got.Product(basis, tri, basis.T())
			ones.Mul(basis.T(), basis)
			bound, size := 1e-14*float64(n), 0.0
			for _, v := range want.RawMatrix().Data {
				size = max(size, math.Abs(v))
			}
			for i := range n {
				for j := range n {
					one := 0.0
					if i == j {
						one = 1
					}
					if math.Abs(got.At(i, j)-want.At(i, j)) > bound*size || math.Abs(ones.At(i, j)-one) > bound {
						t.Fatalf("%s, n = %d: element %d, %d is %g, want %g; of Q'Q it is %g", what, n, i, j, got.At(i, j), want.At(i, j), ones.At(i, j))
					}
				}
			}
			if what != "random" {
				continue
			}
			theirs := want.RawMatrix().Data
			d2, e2, tau, work := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, 64*n)
			lapack.Implementation{}.Dsytrd(blas.Lower, n, theirs, n, d2, e2[:max(n-1, 0)], tau[:max(n-1, 0)], work, len(work))
			for i := range min(n, 40) {
				if math.Abs(d[i]-d2[i]) > 1e-9 || i < len(e) && math.Abs(e[i]-e2[i]) > 1e-9 {
					t.Fatalf("n = %d: %d of T is %g, %g, LAPACK has %g, %g", n, i, d[i], e[i], d2[i], e2[i])
				}
			}
		}
	}
}

func BenchmarkTridiagonal(b *testing.B) {
	for _, n := range []int{100, 200, 400, 1000} {
		a := gaussian(n, 1, 1, rand.New(rand.NewPCG(1, 2)))
		q := make([]float64, n*n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				copy(q, a)
				tridiagonal(q, n)
			}
		})
		d, e, tau, work := make([]float64, n), make([]float64, n-1), make([]float64, n-1), make([]float64, 64*n)
		b.Run(fmt.Sprint(n, "-lapack"), func(b *testing.B) {
			for b.Loop() {
				copy(q, a)
				var of lapack.Implementation
				of.Dsytrd(blas.Lower, n, q, n, d, e, tau, work, len(work))
				of.Dorgtr(blas.Lower, n, q, n, tau, work, len(work))
			}
		})
	}
}
