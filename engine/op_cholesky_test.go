package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The factor against gonum's, and its reverse pass against the formula with whole matrices,
//
//	A̅ = L'⁻¹ P L⁻¹,  P the lower triangle of L' L̅ with half its diagonal,
//
// whose symmetric part is the derivative; for sizes within a block, at its end and of several.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 2, 7, 16, 17, 32, 33, 70, 131} {
		a, root := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		root.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, root)
		a.Mul(root, root.T())
		for i := range n {
			a.Set(i, i, a.At(i, i)+0.5)
		}
		in := a.RawMatrix().Data
		out, adj, din := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				adj[i*n+j] = r.NormFloat64()
			}
		}
		s := Cholesky{n}.Bind(out, adj, [][]float64{in}, [][]float64{din})
		s.Forward()
		var c mat.Cholesky
		if !c.Factorize(mat.NewSymDense(n, in)) {
			t.Fatal("not positive definite")
		}
		var lower mat.TriDense
		c.LTo(&lower)
		size := mat.Max(a)
		for i := range n {
			for j := range n {
				if w := lower.At(i, j); !(math.Abs(out[i*n+j]-w) <= 1e-12*(1+math.Sqrt(size))) {
					t.Fatalf("n = %d: L %d %d is %v, want %v", n, i, j, out[i*n+j], w)
				}
			}
		}
		s.Backward()
		var p, inverse, left, want mat.Dense
		l, bar := mat.NewDense(n, n, out), mat.NewDense(n, n, adj)
		p.Mul(l.T(), bar)
		for i := range n {
			p.Set(i, i, p.At(i, i)/2)
			for j := i + 1; j < n; j++ {
				p.Set(i, j, 0)
			}
		}
		if err := inverse.Inverse(l); err != nil {
			t.Fatal(err)
		}
		left.Mul(inverse.T(), &p)
		want.Mul(&left, &inverse)
		scale := mat.Norm(&want, math.Inf(1))
		for i := range n {
			for j := range n {
				w := 0.0 // an entry below the diagonal stands for both
				if j < i {
					w = want.At(i, j) + want.At(j, i)
				} else if j == i {
					w = want.At(i, i)
				}
				if d := din[i*n+j]; !(math.Abs(d-w) <= 1e-11*(1+scale)) {
					t.Fatalf("n = %d: derivative %d %d is %v, want %v", n, i, j, d, w)
				}
			}
		}
		if n := testing.AllocsPerRun(3, func() { s.Forward(); s.Backward() }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}
