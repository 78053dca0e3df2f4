package statistic

import (
	"math"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// What is made of the margins of matrices or of factors is what is made of the matrices.
func TestHSICOfMargins(t *testing.T) {
	const n = 75
	x := fixture.Normals(3, n, 2, 0)
	k := fixture.Gram(t, gaussian(0.7), x)
	l := fixture.Gram(t, kernels.Sum{gaussian(1), gaussian(3)}, x.Slice(0, n, 0, 1))
	want := fixture.Get[*HSIC](t)(NewHSIC(k, l))
	var ck, cl mat.Dense
	h := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			h.Set(i, j, -1./n)
		}
		h.Set(i, i, 1-1./n)
	}
	ck.Product(h, k, h)
	cl.Product(h, l, h)
	cross := 0.0
	for i := range n {
		for j := range n {
			cross += ck.At(i, j) * cl.At(i, j)
		}
	}
	fx, fy := fixture.Get[*Factor](t)(FactorGram(k, 0)), fixture.Get[*Factor](t)(FactorGram(l, 0))
	a, b := fixture.Get[*Centred](t)(NewCentred("k", k)), fixture.Get[*Centred](t)(NewCentred("l", l))
	num, tail := fixture.Get[float64](t), fixture.Get[Tail](t)
	for i, got := range []*HSIC{
		fixture.Get[*HSIC](t)(NewHSICMargins(fx.Margin(), fy.Margin(), cross)),
		fixture.Get[*HSIC](t)(NewHSICMargins(a.Margin(), b.Margin(), cross)),
	} {
		vx, vy := got.Variation()
		wx, wy := want.Variation()
		for name, v := range map[string][2]float64{
			"Biased":     {got.Biased(), want.Biased()},
			"Unbiased":   {num(got.Unbiased()), num(want.Unbiased())},
			"Normalized": {num(got.Normalized()), num(want.Normalized())},
			"GammaKCI":   {tail(got.Tail(GammaKCI)).P, tail(want.Tail(GammaKCI)).P},
			"variation":  {vx, wx},
			"of y":       {vy, wy},
			"by trace":   {vy * 2, mat.Trace(&cl) / n}, // the kernel is 2 on the diagonal
		} {
			if math.Abs(v[0]-v[1]) > 1e-12 {
				t.Errorf("case %d: %s is %v, want %v", i, name, v[0], v[1])
			}
		}
		p, err := got.Tail(Spectral)
		if (err == nil) != (i == 0) || err == nil && math.Abs(p.P-tail(want.Tail(Spectral)).P) > 1e-11 {
			t.Errorf("case %d: spectral %v, %v", i, p, err)
		}
		if p, err := got.Tail(Gamma); err == nil {
			t.Errorf("case %d: gamma %v, want an error", i, p)
		}
	}
	row, grand := a.Means()
	for i, v := range row {
		if math.Abs(v-total(mat.Col(nil, i, k))/n) > 1e-14 {
			t.Errorf("mean %d is %v", i, v)
		}
	}
	if want := mat.Sum(k) / (n * n); math.Abs(grand-want) > 1e-14 {
		t.Errorf("mean of all is %v, want %v", grand, want)
	}
	for i, v := range a.Replace() {
		if math.Abs(v-ck.At(i/n, i%n)) > 1e-14 {
			t.Fatalf("element %d is %v, want %v", i, v, ck.At(i/n, i%n))
		}
	}
}

// The normalised HSIC of a variable with itself is 1, and with a constant kernel there is none.
func TestHSICNormalized(t *testing.T) {
	g := fixture.Gram(t, gaussian(1), fixture.Normals(5, 12, 1, 0))
	if e := fixture.Get[float64](t)(fixture.Get[*HSIC](t)(NewHSIC(g, g)).Normalized()); math.Abs(e-1) > 1e-14 {
		t.Errorf("normalised HSIC %v, want 1", e)
	}
	if e, err := fixture.Get[*HSIC](t)(NewHSIC(g, constant(12, 0))).Normalized(); err == nil {
		t.Errorf("normalised HSIC %v, want an error", e)
	}
}
