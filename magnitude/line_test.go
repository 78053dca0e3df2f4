package magnitude

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The sums of variables of one column are those of all pairs of rows, with ties, far values and equal columns.
func TestLine(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for _, n := range []int{6, 7, 50, 151} {
		for name, draw := range map[string]func(x float64) (float64, float64){
			"normal": func(float64) (float64, float64) { return r.NormFloat64(), r.NormFloat64() },
			"ties":   func(float64) (float64, float64) { return float64(r.IntN(4)), float64(r.IntN(3)) },
			"far":    func(float64) (float64, float64) { return math.Exp(3 * r.NormFloat64()), r.NormFloat64() + 1e4 },
			"curve":  func(x float64) (float64, float64) { return x, x * x },
		} {
			a, b := make([][]float64, n), make([][]float64, n)
			for i := range n {
				x, y := draw(r.NormFloat64())
				a[i], b[i] = []float64{x}, []float64{y}
			}
			x, y := newLine(a), newLine(b)
			da, db := between2(a), between2(b)
			for of, c := range map[string][2]*product{
				"xy": {x.by(y), newProduct(n, da, db)}, "xx": {x.by(x), newProduct(n, da, da)}, "yy": {y.by(y), newProduct(n, db, db)},
			} {
				near := func(got, want, size float64) bool { return math.Abs(got-want) <= 1e-9*size }
				size := math.Abs(c[1].sum) + math.Abs(c[1].rows)
				if !near(c[0].value(), c[1].value(), size/float64(n*n)) {
					t.Errorf("%d rows, %s, %s: %v, want %v", n, name, of, c[0].value(), c[1].value())
				}
				for k := range n {
					if !near(c[0].without(k), c[1].without(k), size/float64(n*n)) || !near(c[0].a[k], c[1].a[k], c[1].totalA) {
						t.Fatalf("%d rows, %s, %s without row %d: %v, want %v", n, name, of, k, c[0].without(k), c[1].without(k))
					}
				}
			}
		}
	}
}

// Many rows of one column each are all looked at: the seed changes next to nothing.
func TestDependenceOfAllRows(t *testing.T) {
	x, e := normals(20000, 1, 3), normals(20000, 1, 4)
	y := normals(20000, 1, 5)
	for i := range 20000 {
		y.Set(i, 0, .35*x.At(i, 0)+e.At(i, 0))
	}
	one, err := Dependence(t.Context(), x, y, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Dependence(t.Context(), x, y, Options{Seed: 2})
	// Of normals with correlation r the distance correlation is known (Székely, Rizzo and Bakirov, 2007).
	r := .35 / math.Sqrt(1+.35*.35)
	of := func(r float64) float64 {
		return r*math.Asin(r) + math.Sqrt(1-r*r) - r*math.Asin(r/2) - math.Sqrt(4-r*r) + 1
	}
	want := math.Sqrt(of(r) / of(1))
	if err != nil || one.Estimate != two.Estimate || math.Abs(one.Estimate-want) > .02 || one.Lower > want || one.Upper < want ||
		one.Upper-one.Lower > .04 {
		t.Errorf("%+v and %+v, want %v, %v", one, two, want, err)
	}
}
