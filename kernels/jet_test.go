package kernels

import (
	"math"
	"testing"
)

func differentiable() map[string]Differentiable {
	se := SquaredExponential(1.5, 0.7, 2)
	return map[string]Differentiable{
		"linear":      Linear{},
		"poly1":       Polynomial{1, 0.5},
		"poly2":       Polynomial{2, 0},
		"poly4":       Polynomial{4, 1.5},
		"all subsets": AllSubsets{},
		"se":          se,
		"matern52":    Matern52(1.3),
		"matern32":    Matern32(1.3),
		"rq":          Stationary{RQ{1.5}, []float64{1.3}},
		"mixture":     Stationary{Mixture{[]float64{0.25, 0.75}, []float64{1, 3}}, []float64{2}},
		"sum":         Sum{Linear{}, Polynomial{2, 0}, se},
		"mean":        Mean{AllSubsets{}, se},
		"product":     Product{se, Polynomial{2, 1}, AllSubsets{}},
		"nested":      Sum{Product{Linear{}, Sum{se, Polynomial{3, 1}}}, Mean{se, Linear{}}},
	}
}

// difference is the central difference of f in element i of x with Richardson's correction.
func difference(f func(x []float64) float64, x []float64, i int, h float64) float64 {
	at := func(s float64) float64 {
		y := append([]float64(nil), x...)
		y[i] += s
		return f(y)
	}
	d := func(h float64) float64 { return (at(h) - at(-h)) / (2 * h) }
	return (4*d(h/2) - d(h)) / 3
}

func within(got, want, tol float64) bool { return math.Abs(got-want) <= tol*(1+math.Abs(want)) }

func TestAddGradient(t *testing.T) {
	x, y := []float64{0.5, -1, 2}, []float64{0.25, 0.75, -1.5}
	for name, k := range differentiable() {
		got := []float64{1, 2, 3}
		k.AddGradient(got, -2, x, y)
		for i := range x {
			d := difference(func(x []float64) float64 { return k.At(x, y) }, x, i, 1e-3)
			if want := float64(i+1) - 2*d; !within(got[i], want, 1e-9) {
				t.Errorf("%s: derivative %d is %v, want %v", name, i, got[i], want)
			}
		}
		same := make([]float64, 3)
		k.AddGradient(same, 1, x, x)
		for i := range x {
			want := difference(func(z []float64) float64 { return k.At(z, x) }, x, i, 1e-3)
			if tol := 2e-6; !within(same[i], want, tol) || math.IsNaN(same[i]) {
				t.Errorf("%s: derivative %d at y = x is %v, want %v", name, i, same[i], want)
			}
		}
	}
}

// Each order is compared with differences of the one below it.
func TestJet(t *testing.T) {
	x := []float64{0.5, -1, 2}
	d := len(x)
	for name, k := range differentiable() {
		var j Jet
		k.Jet(&j, []float64{1, 1, 1}) // memory in use must not matter
		k.Jet(&j, x)
		grad := func(i int, x, y []float64) float64 {
			g := make([]float64, d)
			k.AddGradient(g, 1, x, y)
			return g[i]
		}
		tol := 1e-8
		if name == "matern32" {
			tol = 1e-3 // its third derivative is not continuous where y = x
		}
		if !within(j.Value, k.At(x, x), 1e-14) {
			t.Errorf("%s: value is %v, want %v", name, j.Value, k.At(x, x))
		}
		for i := range d {
			if want := grad(i, x, x); !within(j.First[i], want, 1e-12) {
				t.Errorf("%s: first %d is %v, want %v", name, i, j.First[i], want)
			}
			for m := range d {
				want := difference(func(z []float64) float64 { return grad(i, z, x) }, x, m, 1e-3)
				if got := j.Second[m*d+i]; !within(got, want, tol) {
					t.Errorf("%s: second %d %d is %v, want %v", name, m, i, got, want)
				}
				want = difference(func(z []float64) float64 { return grad(i, x, z) }, x, m, 1e-3)
				if got := j.Mixed[i*d+m]; !within(got, want, tol) {
					t.Errorf("%s: mixed %d %d is %v, want %v", name, i, m, got, want)
				}
			}
		}
		thirds(t, name, k, &j, x)
	}
}

// thirds compares d_m d_i d'_j k with differences: along the diagonal the mixed derivative changes
// by d_m d_i d'_j k + d_m d_j d'_i k.
func thirds(t *testing.T, name string, k Differentiable, j *Jet, x []float64) {
	d := len(x)
	for m := range d {
		for i := range d {
			for l := range d {
				want := difference(func(z []float64) float64 {
					var at Jet
					k.Jet(&at, z)
					return at.Mixed[i*d+l]
				}, x, m, 1e-3)
				got := j.Third[(m*d+i)*d+l] + j.Third[(m*d+l)*d+i]
				if !within(got, want, 1e-7) {
					t.Errorf("%s: third %d %d %d is %v, want %v", name, m, i, l, got, want)
				}
				// d_m d_i is symmetric.
				if got, want := j.Third[(m*d+i)*d+l], j.Third[(i*d+m)*d+l]; !within(got, want, 1e-12) {
					t.Errorf("%s: third %d %d %d is %v, want %v", name, m, i, l, got, want)
				}
			}
		}
	}
}

func TestDifferentiableParts(t *testing.T) {
	bad := Laplacian{[]float64{1}}
	for _, k := range []Kernel{bad, Sum{Linear{}, bad}, Mean{Product{Linear{}, bad}}} {
		if _, err := AsDifferentiable(k); err == nil ||
			err.Error() != "kernels: kernel is kernels.Laplacian, want one with derivatives" {
			t.Errorf("%T: error is %v", k, err)
		}
	}
	for name, k := range differentiable() {
		if _, err := AsDifferentiable(k); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, k := range []Polynomial{{0, 1}, {2, -1}, {2, math.NaN()}} {
		if k.Check(1) == nil {
			t.Errorf("%v is accepted", k)
		}
	}
}

func TestJetAllocatesOnce(t *testing.T) {
	x := []float64{0.5, -1, 2}
	for name, k := range differentiable() {
		var j Jet
		k.Jet(&j, x)
		g := make([]float64, 3)
		if n := testing.AllocsPerRun(10, func() {
			k.Jet(&j, x)
			k.AddGradient(g, 1, x, x)
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
