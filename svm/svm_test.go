package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

func rbf(theta float64) Kernel {
	return Kernel{Kernel: kernels.SquaredExponential(theta)}
}

// rings are two classes, one around the other, with noise.
func rings(n int, seed uint64) (*mat.Dense, []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, labels := mat.NewDense(n, 2, nil), make([]string, n)
	for i := range n {
		radius := 1.0
		labels[i] = "inner"
		if i%2 == 1 {
			radius, labels[i] = 2, "outer"
		}
		a := 2 * math.Pi * r.Float64()
		x.Set(i, 0, radius*math.Cos(a)+0.4*r.NormFloat64())
		x.Set(i, 1, radius*math.Sin(a)+0.4*r.NormFloat64())
	}
	return x, labels
}

// brute solves min 1/2 a'Qa + p'a in the box with sum y a = 0 by projected gradient steps on a dense
// matrix, far longer than needed.
func brute(q *mat.Dense, p, y []float64, upper float64) float64 {
	n := len(p)
	a, g := make([]float64, n), make([]float64, n)
	norm := 0.0
	for i := range n {
		row := 0.0
		for j := range n {
			row += math.Abs(q.At(i, j))
		}
		norm = max(norm, row)
	}
	project := func(v []float64) []float64 {
		at := func(l float64) (float64, []float64) {
			s, out := 0.0, make([]float64, n)
			for i := range v {
				out[i] = min(max(v[i]-l*y[i], 0), upper)
				s += y[i] * out[i]
			}
			return s, out
		}
		lo, hi := -1e3, 1e3
		for range 200 {
			mid := (lo + hi) / 2
			if s, _ := at(mid); s > 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		_, out := at(lo)
		return out
	}
	value := func(a []float64) float64 {
		s := 0.0
		for i := range n {
			for j := range n {
				s += a[i] * a[j] * q.At(i, j) / 2
			}
			s += p[i] * a[i]
		}
		return s
	}
	z, t := append([]float64(nil), a...), 1.0
	for range 4000 { // accelerated
		for i := range n {
			g[i] = p[i]
			for j := range n {
				g[i] += q.At(i, j) * z[j]
			}
		}
		v := make([]float64, n)
		for i := range v {
			v[i] = z[i] - g[i]/norm
		}
		next := project(v)
		s := (1 + math.Sqrt(1+4*t*t)) / 2
		for i := range z {
			z[i] = next[i] + (t-1)/s*(next[i]-a[i])
		}
		a, t = next, s
	}
	return value(a)
}

func TestObjective(t *testing.T) {
	x, labels := rings(40, 3)
	for _, memory := range []int64{1, 1 << 20} {
		c, err := Classify(t.Context(), rbf(1), Rows(x), labels, Options{C: 2, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		q, p, y := mat.NewDense(40, 40, nil), make([]float64, 40), make([]float64, 40)
		for i := range 40 {
			p[i], y[i] = -1, 1
			if labels[i] == "outer" {
				y[i] = -1
			}
		}
		for i := range 40 {
			for j := range 40 {
				q.Set(i, j, y[i]*y[j]*rbf(1).At(x.RawRowView(i), x.RawRowView(j)))
			}
		}
		want := brute(q, p, y, 2)
		m := c.Pairs[0]
		if !(math.Abs(m.Objective-want) <= 1e-6*(1+math.Abs(want))) || m.Violation > 1e-6 {
			t.Errorf("objective %v, want %v; violation %v", m.Objective, want, m.Violation)
		}
	}
}

// The nu form with the nu that a C form has given is the C form: the share of the sum of weights is
// nu, and the C that goes with it is 1/r.
func TestNuIsC(t *testing.T) {
	x, labels := rings(60, 4)
	c, err := Classify(t.Context(), rbf(1), Rows(x), labels, Options{C: 3})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, v := range c.Pairs[0].Coef {
		sum += math.Abs(v)
	}
	nu := sum / 3 / 60
	d, err := Classify(t.Context(), rbf(1), Rows(x), labels, Options{Nu: nu})
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Pairs[0].Decide(Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Pairs[0].Decide(Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) < 1e-4) {
			t.Errorf("decision %d: %v with C, %v with nu", i, a[i], b[i])
		}
	}
}

func TestRegress(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	const n = 80
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		v := 6 * r.Float64()
		x.Set(i, 0, v)
		y[i] = math.Sin(v) + 0.1*r.NormFloat64()
	}
	m, err := Regress(t.Context(), rbf(1), Rows(x), y, Options{C: 10})
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Decide(Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	// The optimality conditions, item by item: inside the tube no weight, at its edge some, outside C.
	u := map[float64]float64{}
	for j, c := range m.Coef {
		u[m.support.rows[j]] = c
	}
	for i := range n {
		e, w := y[i]-f[i], u[x.At(i, 0)]
		switch {
		case math.Abs(e) < 0.1-1e-5 && w != 0, math.Abs(e) > 0.1+1e-5 && math.Abs(w) != 10,
			w*e < 0:
			t.Errorf("row %d: error %v with weight %v", i, e, w)
		}
	}
	nu, err := Regress(t.Context(), rbf(1), Rows(x), y, Options{C: 10, Nu: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	if s := float64(nu.Support()) / n; s < 0.3 || nu.Violation > 1e-6 {
		t.Errorf("share of support vectors %v with nu 0.3, violation %v", s, nu.Violation)
	}
}

func TestOneClass(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	const n = 500
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
	}
	m, err := OneClass(t.Context(), rbf(1), Rows(x), Options{Nu: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Decide(Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	out, sum := 0, 0.0
	for _, v := range f {
		if v < -1e-5 {
			out++
		}
	}
	for _, c := range m.Coef {
		sum += c
	}
	if out > n/10 || m.Support() < n/10 || math.Abs(sum-1) > 1e-12 {
		t.Errorf("%d of %d outside with nu 0.1, %d support vectors, weights add up to %v", out, n,
			m.Support(), sum)
	}
}
