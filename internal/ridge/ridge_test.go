package ridge

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// gaussian is the matrix of a squared exponential kernel of n random points.
func gaussian(n, dim int, ell float64, r *rand.Rand) []float64 {
	x := make([]float64, n*dim)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	k := make([]float64, n*n)
	for i := range n {
		for j := range n {
			q := 0.0
			for a := range dim {
				d := (x[i*dim+a] - x[j*dim+a]) / ell
				q += d * d
			}
			k[i*n+j] = math.Exp(-q / 2)
		}
	}
	return k
}

// Against lambda (K + lambda I)^-1 by inversion, for matrices of low and of full rank; leave one
// out against fits without the point; the likelihood against its definition.
func TestAgainstInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, c := range []struct {
		n, dim int
		ell    float64
		low    bool
	}{{60, 1, 1, true}, {60, 1, 0.6, true}, {60, 2, 0.1, false}, {41, 3, 0.5, false}, {2, 1, 1, false},
		{1, 1, 1, false}} {
		k := gaussian(c.n, c.dim, c.ell, r)
		b := New(k, c.n)
		if b.low != c.low {
			t.Errorf("%+v: rank %d", c, b.rank)
		}
		f := make([]float64, 3*c.n)
		for i := range f {
			f[i] = r.NormFloat64()
		}
		o := b.Project(f)
		for _, lambda := range []float64{1e-4, 1e-2, 1, 100} {
			inverse := shifted(t, k, c.n, lambda)
			checkResidual(t, o, inverse, lambda)
			checkLikelihood(t, o, k, inverse, lambda)
			if c.n > 2 {
				checkLeaveOneOut(t, o, k, lambda)
			}
		}
	}
}

// shifted is (K + lambda I)^-1.
func shifted(t *testing.T, k []float64, n int, lambda float64) *mat.Dense {
	t.Helper()
	a := mat.NewDense(n, n, append([]float64(nil), k...))
	for i := range n {
		a.Set(i, i, a.At(i, i)+lambda)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil && inverse.IsEmpty() {
		t.Fatal(err)
	}
	return &inverse
}

// checkResidual allows for the condition of the inverse, n/lambda, in units of 2^-52.
func checkResidual(t *testing.T, o *Outputs, inverse *mat.Dense, lambda float64) {
	t.Helper()
	n := o.b.n
	tol := 1e-13 * (10 + float64(n)/lambda)
	got, diag := make([]float64, len(o.f)), o.b.diagonal(lambda)
	o.Residual(got, lambda)
	for i := range n {
		if want := lambda * inverse.At(i, i); math.Abs(diag[i]-want) > tol*want {
			t.Errorf("n = %d, lambda = %v: R[%d][%d] is %v, want %v", n, lambda, i, i, diag[i], want)
		}
		for k := range o.count {
			want := 0.0
			for j := range n {
				want += lambda * inverse.At(i, j) * o.f[k*n+j]
			}
			if math.Abs(got[k*n+i]-want) > tol {
				t.Errorf("n = %d, lambda = %v: residual %v, want %v", n, lambda, got[k*n+i], want)
			}
		}
	}
}

func checkLikelihood(t *testing.T, o *Outputs, k []float64, inverse *mat.Dense, lambda float64) {
	t.Helper()
	n := o.b.n
	form := 0.0
	for c := range o.count {
		v := mat.NewVecDense(n, o.f[c*n:(c+1)*n])
		form += mat.Inner(v, inverse, v)
	}
	a := mat.NewSymDense(n, append([]float64(nil), k...))
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+lambda)
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		t.Fatal("not positive definite")
	}
	want := -(chol.LogDet() + float64(n)*math.Log(form)) / 2
	if got := o.LogLikelihood(lambda); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
		t.Errorf("n = %d, lambda = %v: log likelihood %v, want %v", n, lambda, got, want)
	}
}

// checkLeaveOneOut fits without each point in turn.
func checkLeaveOneOut(t *testing.T, o *Outputs, k []float64, lambda float64) {
	t.Helper()
	n, want := o.b.n, 0.0
	for out := range n {
		var rest []int
		for i := range n {
			if i != out {
				rest = append(rest, i)
			}
		}
		part := make([]float64, 0, (n-1)*(n-1))
		for _, i := range rest {
			for _, j := range rest {
				part = append(part, k[i*n+j])
			}
		}
		inverse := shifted(t, part, n-1, lambda)
		for c := range o.count {
			miss := o.f[c*n+out]
			for a, i := range rest {
				for b, j := range rest {
					miss -= k[out*n+i] * inverse.At(a, b) * o.f[c*n+j]
				}
			}
			want += miss * miss / float64(n)
		}
	}
	if got := o.LeaveOneOut(lambda); math.Abs(got-want) > 1e-8*want {
		t.Errorf("n = %d, lambda = %v: leave-one-out error %v, want %v", n, lambda, got, want)
	}
}
