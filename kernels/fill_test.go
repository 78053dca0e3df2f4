package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func points(r *rand.Rand, n, dim int) []float64 {
	x := make([]float64, n*dim)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func lengthscales(n int, unit float64) []float64 {
	theta := make([]float64, n)
	for a := range theta {
		theta[a] = unit * (0.7 + 0.3*float64(a%4))
	}
	return theta
}

// fillable has kernels of all kinds with n lengthscales.
func fillable(n int, unit float64) []Kernel {
	theta := lengthscales(n, unit)
	list := all(theta...)
	for _, r := range radials() {
		list = append(list, Stationary{r, theta})
	}
	return append(list,
		Stationary{newCustom(), theta},
		Mean{SquaredExponential(theta...)},
		Mean{SquaredExponential(theta...), Matern32(lengthscales(1, unit*1.3)...),
			Stationary{RQ{0.8}, lengthscales(1, max(unit/3, 5e-324))}, Laplacian{theta}},
		Mean{Sum{Laplacian{theta}}, Matern52(theta...)},
	)
}

func TestFillEqualsAt(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, dim := range []int{1, 2, 3, 7, 40} {
		for _, n := range []int{1, dim} {
			x, y := points(r, 5, dim), points(r, 9, dim)
			copy(y[3*dim:], x[:dim]) // equal points
			if dim == 2 {
				y = points(r, 1500, dim) // more than a block
			}
			for _, path := range paths() {
				for _, k := range fillable(n, math.Sqrt(float64(dim))) {
					fillEqualsAt(t, k, path, x, y, dim, 1e-12)
				}
			}
		}
	}
}

func fillEqualsAt(t *testing.T, k Kernel, path Path, x, y []float64, dim int, tol float64) {
	t.Helper()
	ny := len(y) / dim
	got := make([]float64, len(x)/dim*ny)
	Fill(got, k, path, x, y, dim)
	for i, v := range got {
		want := k.At(x[i/ny*dim:][:dim], y[i%ny*dim:][:dim])
		if v != want && !(math.Abs(v-want) <= tol*math.Abs(want)+1e-290) {
			t.Errorf("%v, %T in %d dimensions: Fill %v, At %v", path, k, dim, v, want)
			return
		}
	}
}

// Where squares or reciprocals are out of range, and where x are not numbers.
func TestFillOutOfRange(t *testing.T) {
	x := []float64{0, 1e-320, 1e-200, -1, 1e160, -1e300, math.MaxFloat64}
	for _, path := range paths() {
		for _, unit := range []float64{5e-324, 1e-308, 1e-170, 1e-90, 1, 1e90, 1e170, 1e308} {
			for _, k := range fillable(1, unit) {
				fillEqualsAt(t, k, path, x, x, 1, 1e-12)
			}
			far := Mean{SquaredExponential(unit), SquaredExponential(1e-60 * unit),
				SquaredExponential(1e60 * unit), Matern32(1e-50 * unit)}
			if unit > 1e-200 && unit < 1e200 {
				fillEqualsAt(t, far, path, x, x, 1, 1e-12)
			}
		}
		got := make([]float64, 2)
		Fill(got, Matern52(1), path, []float64{math.NaN(), 1}, []float64{1}, 1)
		if !math.IsNaN(got[0]) || got[1] != 1 {
			t.Errorf("%v: %v, want NaN and 1", path, got)
		}
	}
}

func TestFillDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x, y, dst := points(r, 20, 3), points(r, 70, 3), make([]float64, 1400)
	for _, n := range []int{1, 3} {
		for _, k := range fillable(n, 1) {
			for _, path := range paths() {
				f := func() { Fill(dst, k, path, x, y, 3) }
				want := 0.0
				if mean, ok := k.(Mean); ok && allInRange(mean) {
					want = 1
				}
				if a := testing.AllocsPerRun(5, f); a != want {
					t.Errorf("%v, %T: %v allocations", path, k, a)
				}
			}
		}
	}
}

func TestFillPanicsOnLengths(t *testing.T) {
	k := SquaredExponential(1)
	for i, f := range []func(){
		func() { Fill(make([]float64, 3), k, 0, make([]float64, 4), make([]float64, 2), 2) },
		func() { Fill(make([]float64, 2), k, 0, make([]float64, 5), make([]float64, 2), 2) },
		func() { Fill(nil, k, 0, nil, nil, 0) },
		func() {
			Fill(make([]float64, 1), Matern32(1, 2), 0, make([]float64, 3), make([]float64, 3), 3)
		},
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "kernels: ") {
					t.Errorf("%d: panic %q", i, s)
				}
			}()
			f()
		}()
	}
	Fill(nil, k, 0, nil, make([]float64, 2), 2)
	Fill(nil, k, 0, make([]float64, 2), nil, 2)
}

func TestAsStationary(t *testing.T) {
	theta := []float64{1, 2}
	for _, c := range []struct {
		k    Kernel
		want string
	}{
		{SquaredExponential(theta...), "se"}, {Matern32(theta...), "matern32"}, {Matern52(theta...), "matern52"},
		{Stationary{RQ{2}, theta}, "rq:alpha=2"}, {Laplacian{theta}, ""}, {Sum{Matern32(theta...)}, ""},
		{Stationary{nil, theta}, ""}, {Mean{Matern32(theta...)}, ""},
	} {
		s, ok := AsStationary(c.k)
		if ok != (c.want != "") || ok && (s.Radial.String() != c.want || &s.Theta[0] != &theta[0]) {
			t.Errorf("%T: %v, %v, want %q", c.k, s, ok, c.want)
		}
	}
}

func TestMeanAndCheck(t *testing.T) {
	x, y, theta := []float64{0.3, -1, 2}, []float64{-0.2, 0.5, 2.4}, []float64{0.5, 1, 2}
	mean := Mean{SquaredExponential(theta...), Matern52(theta...)}
	near(t, "Mean", mean.At(x, y), (mean[0].At(x, y)+mean[1].At(x, y))/2, 1e-15)
	for _, c := range []struct {
		k    Kernel
		want string
	}{
		{Stationary{SE{}, theta}, ""}, {mean, ""},
		{Stationary{nil, theta}, "Radial of Stationary is nil"},
		{Stationary{RQ{-1}, theta}, "alpha of rq is -1"},
		{Stationary{RQ{2}, []float64{1, 2}}, "rq:alpha=2 has 2 lengthscales for 3 columns"},
		{Stationary{SE{}, []float64{0}}, "lengthscale 1 of se is 0"},
		{Mean{}, "Mean of no kernels"}, {Mean{SE1(1), nil}, "part 2 of Mean is nil"},
	} {
		if err := c.k.Check(3); c.want == "" {
			if err != nil {
				t.Error(err)
			}
		} else {
			checkError(t, err, c.want)
		}
	}
}

// SE1 is a squared exponential with one lengthscale.
func SE1(theta float64) Kernel { return SquaredExponential(theta) }

func BenchmarkFill(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, dim := range []int{1, 2, 5} {
		x, y := points(r, 500, dim), points(r, 50, dim)
		dst := make([]float64, 500*50)
		for _, k := range fillable(1, 1) {
			name := fmt.Sprintf("%T", k)
			if s, ok := k.(Stationary); ok {
				name = s.Radial.String()
			}
			b.Run(fmt.Sprintf("D=%d/%s", dim, name), func(b *testing.B) {
				path := fastest()
				perPair(b, len(dst), func() { Fill(dst, k, path, x, y, dim) })
			})
		}
	}
}
