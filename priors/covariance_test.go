package priors

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// matrices lists the transforms of whole matrices, with the places of their free values.
func matrices() []struct {
	t    Transform
	n    int
	free func(n int) []int
} {
	lower := func(from int) func(n int) []int {
		return func(n int) []int {
			var at []int
			for i := range n {
				for j := range i + 1 - from {
					at = append(at, i*n+j)
				}
			}
			return at
		}
	}
	return []struct {
		t    Transform
		n    int
		free func(n int) []int
	}{{Covariance{}, 1, lower(0)}, {Covariance{}, 4, lower(0)}, {Correlation{}, 2, lower(1)},
		{Correlation{}, 5, lower(1)}}
}

// The log Jacobian against that of differences, the gradient against differences, and the way back.
func TestMatrixTransforms(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, c := range matrices() {
		k, f := c.n*c.n, c.t.Free(c.n*c.n)
		x, gx, back := make([]float64, f), make([]float64, f), make([]float64, f)
		v, gv := make([]float64, k), make([]float64, k)
		at := c.free(c.n)
		if len(at) != f {
			t.Fatalf("%#v: %d coordinates for %d free values", c.t, f, len(at))
		}
		difference := func(i int, of func()) (out []float64) {
			const h = 1e-3
			out = make([]float64, k)
			was := x[i]
			for _, s := range []struct{ steps, weight float64 }{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}} {
				x[i] = was + s.steps*h
				of()
				for j, w := range v {
					out[j] += s.weight * w / (12 * h)
				}
			}
			x[i] = was
			return out
		}
		for range 30 {
			for i := range x {
				x[i] = 3*r.Float64() - 1.5
			}
			jac := mat.NewDense(f, f, nil)
			for j := range x {
				col := difference(j, func() { c.t.Constrain(v, x) })
				for i, place := range at {
					jac.Set(i, j, col[place])
				}
			}
			var lu mat.LU
			lu.Factorize(jac)
			want, _ := lu.LogDet()
			if got := c.t.Constrain(v, x); !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
				t.Errorf("%#v at %v: log Jacobian %v, by differences %v", c.t, x, got, want)
			}
			for i := range c.n { // symmetric, and positive definite
				for j := range i {
					if v[i*c.n+j] != v[j*c.n+i] {
						t.Errorf("%#v: %v is not symmetric", c.t, v)
					}
				}
			}
			var chol mat.Cholesky
			if !chol.Factorize(mat.NewSymDense(c.n, append([]float64(nil), v...))) {
				t.Errorf("%#v: %v is not positive definite", c.t, v)
			}
			if err := c.t.Unconstrain(back, v); err != nil {
				t.Fatal(err)
			}
			for i := range x {
				if !(math.Abs(back[i]-x[i]) <= 1e-9) {
					t.Errorf("%#v: %v comes back as %v", c.t, x, back)
					break
				}
			}
			smooth(v, gv) // not symmetric: every value has a weight of its own
			c.t.PullBack(gx, x, v, gv)
			scratch := make([]float64, k)
			for j := range x {
				const h = 1e-3
				was, diff := x[j], 0.0
				for _, s := range []struct{ steps, weight float64 }{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}} {
					x[j] = was + s.steps*h
					logJ := c.t.Constrain(v, x)
					diff += s.weight * (logJ + smooth(v, scratch)) / (12 * h)
				}
				x[j] = was
				if !(math.Abs(gx[j]-diff) <= 1e-8*(1+math.Abs(diff))) {
					t.Errorf("%#v at %v: gradient %d is %v, by differences %v", c.t, x, j, gx[j], diff)
				}
			}
		}
		if n := testing.AllocsPerRun(10, func() { c.t.Constrain(v, x); c.t.PullBack(gx, x, v, gv) }); n != 0 {
			t.Errorf("%#v: %v allocations", c.t, n)
		}
	}
	for _, c := range []struct {
		t Transform
		v []float64
	}{{Covariance{}, []float64{1, 2, 2, 4}}, {Covariance{}, []float64{1, .5, .4, 1}},
		{Correlation{}, []float64{1, .5, .5, 2}}, {Correlation{}, []float64{1, 1, 1, 1}},
		{Correlation{}, []float64{1, math.NaN(), math.NaN(), 1}}, {UnitVector{}, []float64{1, 1}},
		{ZeroSum{}, []float64{1, 1}}} {
		if err := c.t.Unconstrain(make([]float64, 4), c.v); err == nil {
			t.Errorf("%#v: no error for %v", c.t, c.v)
		}
	}
}

// Vectors of length 1 and of sum 0: length, sum, gradient by differences, and for the latter lengths
// that are kept, which makes its Jacobian 1.
func TestUnitVectorZeroSum(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, c := range []struct {
		t Transform
		k int
	}{{UnitVector{}, 1}, {UnitVector{}, 4}, {ZeroSum{}, 2}, {ZeroSum{}, 5}} {
		f := c.t.Free(c.k)
		x, gx := make([]float64, f), make([]float64, f)
		v, gv, scratch := make([]float64, c.k), make([]float64, c.k), make([]float64, c.k)
		for range 30 {
			square, sum, xx := 0.0, 0.0, 0.0
			for i := range x {
				x[i] = 4*r.Float64() - 2
				xx += x[i] * x[i]
			}
			logJ := c.t.Constrain(v, x)
			for _, w := range v {
				square += w * w
				sum += w
			}
			if _, ok := c.t.(UnitVector); ok {
				if !(math.Abs(square-1) <= 1e-14) || !(math.Abs(logJ+xx/2) <= 1e-14*xx) {
					t.Errorf("unit vector of %v: %v, log Jacobian %v", x, v, logJ)
				}
			} else if !(math.Abs(sum) <= 1e-14) || !(math.Abs(square-xx) <= 1e-13*xx) || logJ != 0 {
				t.Errorf("zero sum of %v: %v, log Jacobian %v", x, v, logJ)
			}
			smooth(v, gv)
			c.t.PullBack(gx, x, v, gv)
			for j := range x {
				const h = 1e-3
				was, diff := x[j], 0.0
				for _, s := range []struct{ steps, weight float64 }{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}} {
					x[j] = was + s.steps*h
					logJ := c.t.Constrain(v, x)
					diff += s.weight * (logJ + smooth(v, scratch)) / (12 * h)
				}
				x[j] = was
				if !(math.Abs(gx[j]-diff) <= 1e-7*(1+math.Abs(diff))) {
					t.Errorf("%#v at %v: gradient %d is %v, by differences %v", c.t, x, j, gx[j], diff)
				}
			}
			c.t.Constrain(v, x)
			if err := c.t.Unconstrain(gx, v); err != nil {
				t.Fatal(err)
			}
			again := make([]float64, c.k)
			c.t.Constrain(again, gx)
			for i := range v {
				if !(math.Abs(v[i]-again[i]) <= 1e-13) {
					t.Errorf("%#v: %v comes back as %v", c.t, v, again)
				}
			}
		}
	}
}
