package conditional

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// several is a table of x, y and columns of z, where x and y are functions of the first two alone.
func several(n, columns int, seed uint64) ([]string, *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 9))
	names := []string{"x", "y"}
	for j := range columns {
		names = append(names, "z"+string(rune('0'+j)))
	}
	m := mat.NewDense(n, columns+2, nil)
	for i := range n {
		for j := range columns {
			m.Set(i, 2+j, r.NormFloat64())
		}
		f := m.At(i, 2) * m.At(i, 3)
		m.Set(i, 0, f+0.5*r.NormFloat64())
		m.Set(i, 1, f+0.5*r.NormFloat64())
	}
	return names, m
}

// The derivatives against differences of the loss, also with a discrete column.
func TestSearchGradient(t *testing.T) {
	names, m := several(40, 4, 1)
	for i := range 40 {
		m.Set(i, 5, float64(i%3))
	}
	c, err := NewTable(names, m, Options{Discrete: []bool{false, false, false, false, false, true}})
	if err != nil {
		t.Fatal(err)
	}
	s := c.newSearch(group{0}, group{2, 3, 4, 5}, false)
	at := []float64{0.3, -0.2, 0.9, -3}
	got := make([]float64, 4)
	s.loss(at, got)
	for j := range at {
		const h = 1e-5
		at[j] += h
		up := s.loss(at, nil)
		at[j] -= 2 * h
		down := s.loss(at, nil)
		at[j] += h
		if want := (up - down) / (2 * h); math.Abs(got[j]-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("derivative %d is %v, want %v", j, got[j], want)
		}
	}
}

// The columns that tell nothing get long lengthscales.
func TestRelevance(t *testing.T) {
	names, m := several(200, 5, 2)
	c, err := NewTable(names, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.relevance(t.Context(), group{0}, group{2, 3, 4, 5, 6}, false)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range s {
		if relevant := j < 2; relevant != (v > 0.2) {
			t.Errorf("column %d has lengthscale %.3g", j, 1/v)
		}
	}
}

// Few rows for the number of columns are said so.
func TestDoubtful(t *testing.T) {
	for _, c := range []struct {
		n, columns int
		want       bool
	}{{100, 4, false}, {100, 5, true}, {119, 5, true}, {120, 5, false}, {300, 5, false}} {
		names, m := several(c.n, c.columns, 3)
		z := make([]int, c.columns)
		for j := range z {
			z[j] = 2 + j
		}
		table, err := NewTable(names, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := table.Test(t.Context(), []int{0}, []int{1}, z)
		if err != nil || r.Doubtful != c.want || (len(r.Notes) > 0) != c.want {
			t.Errorf("%+v: %+v, %v", c, r, err)
		}
	}
}

// The moments from features are those of the matrix that the features make.
func TestMomentsOfFeatures(t *testing.T) {
	const n = 30
	r := rand.New(rand.NewPCG(6, 6))
	draw := func(count int) []float64 {
		out := make([]float64, count)
		for i := range out {
			out[i] = r.NormFloat64()
		}
		return out
	}
	c := &Table{n: n}
	x, y, factor, a := draw(2*n), draw(3*n), draw(n), draw(n)
	gram, sum, with := c.multiplied(x, y, [][]float64{nil, factor}, a)
	m, total := make([]float64, n*n), 0.0
	for i := range n {
		for j := range n {
			s, u := 0.0, 0.0
			for k := range 2 {
				s += x[k*n+i] * x[k*n+j]
			}
			for k := range 3 {
				u += y[k*n+i] * y[k*n+j]
			}
			m[i*n+j] = s * u * (1 + factor[i]*factor[j])
			total += m[i*n+j]
		}
	}
	if got := dot(sum, sum); math.Abs(got-total) > 1e-10*total {
		t.Errorf("statistic %v, want %v", got, total)
	}
	got, want := momentsOfFeatures(gram, with), momentsOf(m, a)
	for k, v := range got {
		if math.Abs(v-want[k]) > 1e-10*want[k] {
			t.Errorf("moments %v, want %v", got, want)
		}
	}
}

// Errors of which one is 0 in every row say nothing.
func TestNoCovariance(t *testing.T) {
	if v := newCovariance([]float64{1, 0, 2}, []float64{0, 1, 0}); v != nil {
		t.Errorf("%+v", v)
	}
	v := newCovariance([]float64{1, 1, 1, 1}, []float64{1, 1, 1, -1})
	if want := math.Erfc(math.Sqrt(2. / 3)); v == nil || math.Abs(v.p-want) > 1e-15 {
		t.Errorf("%+v, want p = %v", v, want)
	}
}

// The inverse times the matrix is the identity, and a matrix that is not positive definite has none.
func TestInvert(t *testing.T) {
	for _, n := range []int{1, 32, 33, 101} {
		r := rand.New(rand.NewPCG(uint64(n), 8))
		root, a := make([]float64, n*n), make([]float64, n*n)
		for i := range root {
			root[i] = r.NormFloat64()
		}
		for i := range n {
			for j := range n {
				a[i*n+j] = dot(root[i*n:(i+1)*n], root[j*n:(j+1)*n])
			}
			a[i*n+i] += 1
		}
		inv := append([]float64(nil), a...)
		if !new(inverter).invert(inv, n) {
			t.Fatalf("n = %d: no inverse", n)
		}
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := dot(inv[i*n:(i+1)*n], a[j*n:(j+1)*n]); math.Abs(got-want) > 1e-8 {
					t.Fatalf("n = %d: element %d, %d of the product is %v", n, i, j, got)
				}
			}
		}
		a[n*n-1] = -1
		if new(inverter).invert(a, n) {
			t.Errorf("n = %d: an inverse of a matrix that is not positive definite", n)
		}
	}
}
