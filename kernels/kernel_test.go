package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/internal/fused"

	"gonum.org/v1/gonum/mat"
)

// besselK returns K_nu(s) from its integral over t of exp(-s cosh t) cosh(nu t), 0 to infinity, by
// the trapezium rule, which converges faster than any power of the step for this integrand.
func besselK(nu, s float64) float64 {
	const h = 1.0 / 256
	sum := math.Exp(-s) / 2
	for t := h; t < 12; t += h {
		sum += math.Exp(-s*math.Cosh(t)) * math.Cosh(nu*t)
	}
	return h * sum
}

// matern is the Matern kernel of order nu by its definition (Rasmussen and Williams, 2006,
// eq. 4.14), of which Laplacian, Matern32 and Matern52 are the cases 1/2, 3/2 and 5/2.
func matern(nu, r float64) float64 {
	s := math.Sqrt(2*nu) * r
	return math.Pow(2, 1-nu) / math.Gamma(nu) * math.Pow(s, nu) * besselK(nu, s)
}

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestKernelsEqualTheirDefinitions(t *testing.T) {
	x, y := []float64{0.3, -1, 2}, []float64{-0.2, 0.5, 2.4}
	for _, theta := range [][]float64{{0.25}, {1}, {3}, {0.5, 1, 2}, {1, 1e3, 0.3}} {
		r := 0.0
		for a := range x {
			r += math.Pow((x[a]-y[a])/theta[min(a, len(theta)-1)], 2)
		}
		r = math.Sqrt(r)
		near(t, "SE", SquaredExponential(theta...).At(x, y), math.Exp(-r*r/2), 1e-14)
		near(t, "Laplacian", Laplacian{theta}.At(x, y), matern(0.5, r), 1e-12)
		near(t, "Matern32", Matern32(theta...).At(x, y), matern(1.5, r), 1e-12)
		near(t, "Matern52", Matern52(theta...).At(x, y), matern(2.5, r), 1e-12)
	}
}

func all(theta ...float64) []Kernel {
	return []Kernel{
		SquaredExponential(theta...), Laplacian{theta}, Matern32(theta...), Matern52(theta...),
		Sum{SquaredExponential(theta...), Laplacian{theta}},
		Product{Matern32(theta...), Sum{Matern52(theta...), Laplacian{theta}}},
	}
}

func TestOneLengthscaleIsEqualLengthscales(t *testing.T) {
	x, y := []float64{0.3, -1, 2}, []float64{-0.2, 0.5, 2.4}
	ard := all(0.7, 0.7, 0.7)
	for i, k := range all(0.7) {
		if a, b := k.At(x, y), ard[i].At(x, y); a != b {
			t.Errorf("%T: %v with one lengthscale, %v with three equal ones", k, a, b)
		}
		if a, b := k.At(x, y), k.At(y, x); a != b {
			t.Errorf("%T is not symmetric: %v and %v", k, a, b)
		}
	}
}

func TestSumAndProductFollowTheirParts(t *testing.T) {
	x, y := []float64{1, 2}, []float64{0, 3}
	a, b := SquaredExponential(1), Matern32(2, 3)
	near(t, "Sum", Sum{a, b, a}.At(x, y), 2*a.At(x, y)+b.At(x, y), 1e-15)
	near(t, "Product", Product{a, b, a}.At(x, y), a.At(x, y)*a.At(x, y)*b.At(x, y), 1e-15)
}

func TestFarAndNearPoints(t *testing.T) {
	for i, k := range all(1)[:4] {
		for _, c := range []struct{ d, theta, want float64 }{
			{0, 1, 1}, {1e-300, 1, 1}, {1e300, 1, 0}, {1, 5e-324, 0}, {1e-200, 1e100, 1},
			{math.MaxFloat64, 1, 0}, {1e5, 1, 0},
		} {
			k := all(c.theta)[i]
			if got := k.At([]float64{c.d, 0}, []float64{0, 0}); got != c.want {
				t.Errorf("%T at distance %v, theta %v: %v, want %v", k, c.d, c.theta, got, c.want)
			}
		}
		// Units do not matter, also where squares of differences are out of range.
		want := k.At([]float64{0.3, 0.4}, []float64{0, 0})
		for _, unit := range []float64{0x1p-700, 0x1p700} {
			got := all(unit)[i].At([]float64{0.3 * unit, 0.4 * unit}, []float64{0, 0})
			near(t, fmt.Sprintf("%T in units of %v", k, unit), got, want, 1e-15)
		}
	}
	// The square of r underflows, r does not.
	one, zero := []float64{1}, []float64{0, 0}
	near(t, "1-Laplacian", 1-Laplacian{one}.At([]float64{1e-10}, []float64{0}), 1e-10, 1e-5)
	near(t, "radius", radius([]float64{3e-200, 4e-200}, zero, one), 5e-200, 1e-15)
	near(t, "radius", radius([]float64{3e200, 4e200}, zero, one), 5e200, 1e-15)
}

func TestCheck(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		k    Kernel
		dim  int
		want string
	}{
		{SquaredExponential(1), 3, ""},
		{SquaredExponential(1, 2, 3), 3, ""},
		{SquaredExponential(), 3, "se has 0 lengthscales for 3 columns"},
		{Laplacian{[]float64{1, 2}}, 3, "Laplacian has 2 lengthscales for 3 columns"},
		{Matern32(1, 0), 2, "lengthscale 2 of matern32 is 0"},
		{Matern52(-1), 2, "lengthscale 1 of matern52 is -1"},
		{Laplacian{[]float64{nan}}, 2, "lengthscale 1 of Laplacian is NaN"},
		{Laplacian{[]float64{math.Inf(1)}}, 2, "is +Inf"},
		{Sum{}, 1, "Sum of no kernels"},
		{Product{nil}, 1, "part 1 of Product is nil"},
		{Sum{Laplacian{[]float64{1}}, Product{Matern32(0)}}, 1, "of matern32 is 0"},
		{Product{Sum{Laplacian{[]float64{1}}}}, 1, ""},
	} {
		err := c.k.Check(c.dim)
		if c.want == "" {
			if err != nil {
				t.Errorf("%v: %v", c.k, err)
			}
			continue
		}
		checkError(t, err, c.want)
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one that says %q", want)
		return
	}
	s := err.Error()
	ok := strings.HasPrefix(s, "kernels: ") && strings.Contains(s, want)
	if !ok || strings.Contains(s, "\n") {
		t.Errorf("error %q, want one line from kernels that says %q", s, want)
	}
}

func TestShapeErrorsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"rows":  func() { Laplacian{[]float64{1}}.At([]float64{1, 2}, []float64{1}) },
		"theta": func() { Matern32(1, 2).At([]float64{1}, []float64{1}) },
		"Gram": func() {
			_ = Gram(mat.NewSymDense(2, nil), Laplacian{[]float64{1}}, mat.NewDense(3, 1, nil))
		},
		"Cross": func() {
			x := mat.NewDense(3, 1, nil)
			_ = Cross(mat.NewDense(3, 2, nil), Laplacian{[]float64{1}}, x, x)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "kernels: ") {
					t.Errorf("panic %q, want one from kernels", s)
				}
			}()
			f()
		})
	}
}

// All kernels here are strictly positive definite on distinct points.
func TestGramIsPositiveDefinite(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(12, 2, nil)
	for i := range 12 {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
	}
	for _, k := range all(0.3, 0.4) {
		var g mat.SymDense
		if err := Gram(&g, k, x); err != nil {
			t.Fatal(err)
		}
		var c mat.Cholesky
		if !c.Factorize(&g) {
			t.Errorf("Gram matrix of %T is not positive definite", k)
		}
	}
}

// paths are the numerical paths of this machine.
func paths() []Path {
	var p []Path
	for k := fused.Portable; k <= fused.AVX512; k++ {
		if fused.Available(k) {
			p = append(p, k)
		}
	}
	return p
}
