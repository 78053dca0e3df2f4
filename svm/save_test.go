package svm

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/embedding"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// samples are of two kinds with the same mean: normal, and with a wide tail.
func samples(n int, seed uint64) ([]embedding.Sample, []string) {
	r := rand.New(rand.NewPCG(seed, 2))
	var all []embedding.Sample
	var labels []string
	for i := range n {
		x := mat.NewDense(30, 1, nil)
		for j := range 30 {
			v := r.NormFloat64()
			if i%2 == 1 && r.Float64() < 0.5 {
				v *= 3
			}
			x.Set(j, 0, v)
		}
		all, labels = append(all, embedding.Sample{X: x}), append(labels, [2]string{"thin", "wide"}[i%2])
	}
	return all, labels
}

// A machine on samples tells two laws with the same mean apart: at least 85 of 100 new samples, for a
// true share of about 0.95; a reseed fails with probability below 1e-4.
func TestSamples(t *testing.T) {
	train, labels := samples(100, 1)
	new, truth := samples(100, 2)
	k := rbf(1)
	k.Width = 0.3
	c, err := Classify(t.Context(), k, Samples(train...), labels, Options{C: 10, Probabilities: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Predict(Samples(new...))
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, g := range got {
		if g == truth[i] {
			right++
		}
	}
	if right < 85 {
		t.Errorf("%d of 100 right", right)
	}
	again(t, c, Samples(new...))
}

// again writes and reads a classifier, and wants the same probabilities to the bit.
func again(t *testing.T, c *Classifier, d Data) {
	t.Helper()
	var b bytes.Buffer
	if err := c.Save(&b); err != nil {
		t.Fatal(err)
	}
	r, err := ReadClassifier(&b)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Probabilities(d)
	if err != nil {
		t.Fatal(err)
	}
	q, err := r.Probabilities(d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p {
		sum := 0.0
		for k := range p[i] {
			sum += p[i][k]
			if p[i][k] != q[i][k] {
				t.Fatalf("probability %d of item %d is %v after reading, was %v", k, i, q[i][k], p[i][k])
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("probabilities of item %d add up to %v", i, sum)
		}
	}
}

// Probabilities are calibrated: of items in ten bands of probability the share of the class is within
// 4 standard errors of the mean probability.
func TestProbabilities(t *testing.T) {
	x, labels := rings(600, 11)
	c, err := Classify(t.Context(), rbf(1), Rows(x), labels, Options{Probabilities: true})
	if err != nil {
		t.Fatal(err)
	}
	z, truth := rings(6000, 12)
	p, err := c.Probabilities(Rows(z))
	if err != nil {
		t.Fatal(err)
	}
	var count, said, were [5]float64
	for i, q := range p {
		k := min(int(q[0]*5), 4)
		count[k]++
		said[k] += q[0]
		if truth[i] == c.Classes[0] {
			were[k]++
		}
	}
	for k, n := range count {
		mean := said[k] / n
		if se := math.Sqrt(mean*(1-mean)/n) + 0.02; n > 50 && math.Abs(were[k]/n-mean) > 4*se {
			t.Errorf("band %d: %.0f items, mean probability %.3f, share %.3f", k, n, mean, were[k]/n)
		}
	}
	again(t, c, Rows(z.Slice(0, 20, 0, 2)))
}

// Three classes: the pairwise probabilities of a known vector give it back.
func TestCoupled(t *testing.T) {
	want := []float64{0.2, 0.5, 0.3}
	r := make([]float64, 9)
	for i := range want {
		for j := range want {
			if i != j {
				r[i*3+j] = want[i] / (want[i] + want[j])
			}
		}
	}
	for i, p := range coupled(r, 3) {
		if !(math.Abs(p-want[i]) < 1e-9) {
			t.Errorf("probability %d is %v, want %v", i, p, want[i])
		}
	}
}

func TestErrors(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1, 2, 2, 1, 3, 3, 4, 1})
	bad := mat.NewDense(2, 1, []float64{1, math.NaN()})
	k, ctx := rbf(1), t.Context()
	two := []string{"a", "b", "a", "b"}
	wide := k
	wide.Width = 1
	for _, c := range []struct {
		err  error
		want string
	}{
		{err(Classify(ctx, k, Rows(x), two[:3], Options{})), "3 labels, want one for each of 4"},
		{err(Classify(ctx, k, Rows(x), []string{"a", "a", "a", "a"}, Options{})), `all labels are "a"`},
		{err(Classify(ctx, k, Rows(bad), two[:2], Options{})), "row 2"},
		{err(Classify(ctx, k, Rows(x), two, Options{C: -1})), "C is -1"},
		{err(Classify(ctx, k, Rows(x), two, Options{Nu: 2})), "nu is 2"},
		{err(Classify(ctx, k, Rows(x), []string{"a", "b", "b", "b"}, Options{Nu: 0.9})), "at most 0.5"},
		{err(Classify(ctx, k, Rows(x), two, Options{ClassWeights: map[string]float64{"c": 1}})),
			`class "c", which no label has`},
		{err(Classify(ctx, k, Rows(x), two, Options{Probabilities: true})), "at least 5"},
		{err(Classify(ctx, wide, Rows(x), two, Options{})), "want samples"},
		{err(Classify(ctx, Kernel{}, Rows(x), two, Options{})), "kernel is nil"},
		{err(Classify(ctx, k, Samples(embedding.Sample{X: x}, embedding.Sample{}), two[:2], Options{})),
			"sample 2 is empty"},
		{err(Classify(ctx, k, Samples(embedding.Sample{X: x}, embedding.Sample{X: bad.T()}), two[:2],
			Options{})), "sample 2"},
		{err(Regress(ctx, k, Rows(x), []float64{1}, Options{})), "1 targets"},
		{err(Regress(ctx, k, Rows(x), []float64{1, 2, math.Inf(1), 3}, Options{})), "target 3 is +Inf"},
		{err(ReadClassifier(strings.NewReader(`{"classes":["a"]}`))), "1 classes"},
		{err(ReadMachine(strings.NewReader(`{"coef":[1],"columns":1,"kernel":{"name":"se","theta":[1]}}`))),
			"0 items"},
		{(&Machine{kernel: Kernel{Kernel: kernels.Sum{}}}).Save(nil), "cannot be saved"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) ||
			!strings.HasPrefix(c.err.Error(), "svm: ") {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
}

func err[T any](_ T, e error) error { return e }
