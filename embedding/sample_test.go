package embedding

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/bke"

	"gonum.org/v1/gonum/mat"
)

// Weights of 1/n are no weights.
func TestEqualWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := normalRows(r, 30, 2), normalRows(r, 20, 2)
	m := pooledModel(t, x, y, bke.Options{})
	points, p := normalRows(r, 12, 2), params(0.7, 0.1)
	plain := newEmbedding(t, m, x, p, Options{})
	weighted, err := New(m, Sample{X: x, Weights: equal(30)}, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m1, s1 := at(t, plain, points)
	m2, s2 := at(t, weighted, points)
	if d := max(worst(m1, m2), worst(s1, s2)); d > 1e-14 {
		t.Errorf("off by %v", d)
	}
	c1, cov1 := jointly(t, plain, points)
	c2, cov2 := jointly(t, weighted, points)
	d := worst(cov1.RawSymmetric().Data, cov2.RawSymmetric().Data)
	if d = max(d, worst(c1, c2)); d > 1e-9 {
		t.Errorf("jointly off by %v", d)
	}
}

// A row of weight 2/n against the same row twice, in closed form. The empirical embeddings are
// equal. Of n rows as given, the two that are equal add 2/n² to sum w², the one in their place
// 4/n²; and the sum of w² (k-m)² counts it twice as much.
func TestWeightTwoIsNotTheRowTwice(t *testing.T) {
	const n, theta, point = 6, 0.8, 0.3
	twice := column(-1, -0.2, 0.5, 0.9, 2, 2)
	once := Sample{X: column(-1, -0.2, 0.5, 0.9, 2),
		Weights: []float64{1. / n, 1. / n, 1. / n, 1. / n, 2. / n}}
	m := newModel(t, twice, column(-0.5, 1.2, 0.1), bke.Options{})
	p := params(theta, 0.1)
	scale := p.Tau2 / m.Evaluator().Level(p)
	var k [n]float64
	mean := 0.0
	for i := range k {
		d := (twice.At(i, 0) - point) / theta
		k[i] = math.Exp(-d * d / 2)
		mean += k[i] / n
	}
	sum := 0.0
	for _, v := range k[:4] {
		sum += (v - mean) * (v - mean) / n / n
	}
	last := (k[4] - mean) * (k[4] - mean) / n / n
	check := func(s Sample, spread, square float64) (sd float64) {
		t.Helper()
		noise := scale*spread/(1-square) + square*square/2
		e, err := New(m, s, p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, sds := at(t, e, column(point))
		nearly(t, "mean", got[0], mean/(1+noise), 1e-14)
		nearly(t, "variance", sds[0]*sds[0], noise/(1+noise), 1e-13)
		return sds[0]
	}
	a := check(Sample{X: twice}, sum+2*last, 1./n)
	b := check(once, sum+4*last, 8./n/n)
	if !(b > a) {
		t.Errorf("sd %v with a weight of 2/n, %v with the row twice", b, a)
	}
	// The mean that is shrunk is the same: undo the shrinkage.
	e1 := newEmbedding(t, m, twice, p, Options{})
	e2, _ := New(m, once, p, Options{})
	m1, s1 := at(t, e1, column(point))
	m2, s2 := at(t, e2, column(point))
	nearly(t, "empirical embedding", m1[0]/(1-s1[0]*s1[0]), m2[0]/(1-s2[0]*s2[0]), 1e-14)
}

// Negative weights: a mean, and no band.
func TestNegativeWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	x := normalRows(r, 5, 1)
	m := pooledModel(t, x, normalRows(r, 20, 1), bke.Options{})
	w := []float64{0.5, -0.25, 0.25, 1.5, -1}
	s, p, points := Sample{X: x, Weights: w}, params(0.5, 0.1), column(0, 0.4)
	e, err := New(m, s, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	mean, sd := at(t, e, points)
	for j := range mean {
		want := 0.0
		for i, v := range w {
			d := (x.At(i, 0) - points.At(j, 0)) / 0.5
			want += v * math.Exp(-d*d/2)
		}
		near(t, "mean", mean[j], want, 1e-14)
		if !math.IsNaN(sd[j]) {
			t.Errorf("sd is %v, want NaN", sd[j])
		}
	}
	_, _, err = e.Joint(points)
	wantError(t, err, "sample has negative weights")
	_, err = e.Draws(points, 1, r.Uint64())
	wantError(t, err, "negative weights")
	_, err = New(m, s, p, Options{Noise: IID})
	wantError(t, err, "negative weights")
	wit, err := NewWitness(m, s, Sample{X: x}, []bke.Params{p}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	post, err := wit.At(t.Context(), points)
	if err != nil || math.IsNaN(post.Mean[0]) || !math.IsNaN(post.SD[0]) ||
		!math.IsNaN(post.Quantile(0.5)[0]) || !math.IsNaN(post.Positive()[0]) {
		t.Error(post, err)
	}
	_, err = post.Band(0.8)
	wantError(t, err, "negative weights")
	_, err = wit.Functions(t.Context(), points, 1, r.Uint64())
	wantError(t, err, "negative weights")
}

func TestSampleErrors(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 3, 5), column(0.5, 1.5), bke.Options{})
	x := column(0, 1, 2)
	for _, c := range []struct {
		s    Sample
		want string
	}{
		{Sample{}, "sample is nil"},
		{Sample{X: column(1, math.NaN())}, "sample is NaN in row 2, column 1"},
		{Sample{X: mat.NewDense(2, 2, nil)}, "sample has 2 columns, want 1"},
		{Sample{X: column(1)}, "sample has 1 row, want at least 2"},
		{Sample{X: x, Weights: []float64{1}}, "sample has 1 weight, want 3, one for each row"},
		{Sample{X: x, Weights: []float64{1, 1, 1}}, "sum of the weights of sample is 3, want 1"},
		{Sample{X: x, Weights: []float64{1, 1e-8, 0}}, "is 1.00000001, want 1"},
		{Sample{X: x, Weights: []float64{1, math.Inf(1), 0}}, "weight 2 of sample is +Inf"},
		{Sample{X: x, Weights: []float64{0, 1, 0}}, "sample has all its weight on one row"},
	} {
		_, err := New(m, c.s, params(1, 0.1), Options{})
		wantError(t, err, c.want)
	}
	w := []float64{0.5, 0.25, 0.25 + 5e-10}
	if _, err := New(m, Sample{X: x, Weights: w}, params(1, 0.1), Options{}); err != nil {
		t.Error(err)
	}
	if !slices.Equal(w, []float64{0.5, 0.25, 0.25 + 5e-10}) {
		t.Error("the weights given were changed")
	}
}

// Nothing can be drawn without random numbers, or fewer than one time.
func TestNothingToDrawFrom(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 3, 5), column(0.5, 1.5), bke.Options{})
	e, err := New(m, Sample{X: column(0, 1, 2)}, params(1, 0.1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWitness(m, Sample{X: column(0, 1, 2)}, Sample{X: column(3, 4, 5)}, []bke.Params{params(1, 0.1)},
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Draws(column(1), 0, 1)
	wantError(t, err, "0 draws asked for")
	_, err = w.Functions(t.Context(), column(1), 0, 1)
	wantError(t, err, "0 functions asked for")
}
