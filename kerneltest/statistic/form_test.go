package statistic

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"

	"gonum.org/v1/gonum/mat"
)

// A matrix with known eigenvalues, turned at random: cumulants and tails are those of the weights.
func TestQuadraticForm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	const n = 30
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 100 * math.Pow(0.6, float64(i))
	}
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	var q, m mat.Dense
	qr.QTo(&q)
	m.Mul(&q, mat.NewDiagDense(n, weights))
	m.Mul(&m, q.T())
	form := NewQuadraticForm(m.RawMatrix().Data, n)
	var sums [3]float64
	for _, w := range weights {
		sums[0], sums[1], sums[2] = sums[0]+w, sums[1]+2*w*w, sums[2]+8*w*w*w
	}
	for k, v := range form.Cumulants() {
		if fixture.Relative(v, sums[k]) > 1e-12 {
			t.Errorf("cumulant %d: %v, want %v", k+1, v, sums[k])
		}
	}
	for _, x := range []float64{100, 300, 1000} {
		want, _, err := Imhof(weights, x)
		if err != nil {
			t.Fatal(err)
		}
		got, err := form.Tail(Spectral, x)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.P-want) > 1e-10 {
			t.Errorf("spectral at %v: %v, want %v", x, got.P, want)
		}
		third, err := weightedPearson(x, [3]float64{sums[0], sums[1] / 2, sums[2] / 8})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ = form.Tail(Pearson, x); math.Abs(got.P-third.P) > 1e-11 {
			t.Errorf("pearson at %v: %v, want %v", x, got.P, third.P)
		}
		second, err := gammaTail(GammaKCI, x, sums[0], sums[1])
		if err != nil {
			t.Fatal(err)
		}
		if got, _ = form.Tail(GammaKCI, x); math.Abs(got.P-second.P) > 1e-11 {
			t.Errorf("gamma at %v: %v, want %v", x, got.P, second.P)
		}
	}
	if _, err := form.Tail(Gamma, 1); err == nil ||
		!strings.Contains(err.Error(), "null of a quadratic form is gamma") {
		t.Errorf("error %v", err)
	}
	if got, err := NewQuadraticForm(make([]float64, 9), 3).Tail(Pearson, 0); err != nil || got.P != 1 {
		t.Errorf("of 0: %+v, %v", got, err)
	}
}
