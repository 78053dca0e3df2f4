package shrinkage

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/embedding"
	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

func TestMean(t *testing.T) {
	x, y := fixture.Normals(1, 30, 2, 0), fixture.Normals(2, 20, 2, 1)
	k := rbf(1.5)
	a := fixture.Get[*Mean](t)(NewMean(k, x, nil))
	b := fixture.Get[*Mean](t)(NewMean(k, y, nil))
	d2 := fixture.Get[float64](t)(MMD2(a, b))
	gram := fixture.Gram(t, k, fixture.Pooled(x, y))
	mmd := fixture.Get[*statistic.MMD](t)(statistic.NewMMD(gram, 30))
	near(t, "MMD²", d2, mmd.Biased(), 0, 1e-12)
	p := fixture.Get[*Problem](t)(New(context.Background(), fixture.Gram(t, k, x)))
	for _, e := range []Estimate{p.Empirical(), p.ShrinkScalar(), p.ShrinkSpectral(TrueLeaveOneOut)} {
		m := fixture.Get[*Mean](t)(NewMean(k, x, e.Weights))
		got := make([]float64, 20)
		if err := m.At(got, y); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			want := 0.0
			for j, w := range e.Weights {
				want += w * k.At(y.RawRowView(i), x.RawRowView(j))
			}
			near(t, e.Method, got[i], want, 0, 1e-12)
		}
	}
}

// A shrunk mean is a sample to package embedding: the means of embedding and witness are its
// values.
func TestSample(t *testing.T) {
	x, y := fixture.Normals(1, 40, 2, 0), fixture.Normals(2, 30, 2, 1)
	theta := []float64{1.2}
	k := kernels.SquaredExponential(theta...)
	model, err := bke.NewModel(fixture.Pooled(x, y), fixture.Normals(3, 10, 2, 0.5), bke.Options{})
	if err != nil {
		t.Fatal(err)
	}
	params := bke.Params{Theta: theta, Tau2: 0.1, Eta: 1}
	p := fixture.Get[*Problem](t)(NewRows(context.Background(), k, x, 0))
	m := fixture.Get[*Mean](t)(NewMean(k, x, p.ShrinkSpectral(TrueLeaveOneOut).Weights))
	points := fixture.Normals(4, 5, 2, 0)
	want := make([]float64, 5)
	if err := m.At(want, points); err != nil {
		t.Fatal(err)
	}
	e, err := embedding.New(model, m.Sample(), params, embedding.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mean, sd, err := e.At(points)
	if err != nil {
		t.Fatal(err)
	}
	w, err := embedding.NewWitness(model, m.Sample(), embedding.Sample{X: y}, []bke.Params{params},
		embedding.Options{})
	if err != nil {
		t.Fatal(err)
	}
	post, err := w.At(t.Context(), points)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := embedding.New(model, embedding.Sample{X: y}, params, embedding.Options{})
	minus, _, err := other.At(points)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		near(t, "embedding", mean[i], want[i], 0, 1e-11)
		near(t, "witness", post.Mean[i], want[i]-minus[i], 1, 1e-11)
		if !math.IsNaN(sd[i]) {
			t.Errorf("standard deviation is %v, want NaN", sd[i])
		}
	}
	if _, _, err := e.Joint(points); err == nil || !strings.Contains(err.Error(), "shrunk") {
		t.Errorf("error is %v", err)
	}
	plain := m.Sample()
	plain.Shrunk = false
	if _, err := embedding.New(model, plain, params, embedding.Options{}); err == nil {
		t.Error("weights whose sum is not 1 are accepted without a word")
	}
}

func TestErrors(t *testing.T) {
	x := fixture.Normals(1, 4, 2, 0)
	bad := mat.NewSymDense(2, []float64{1, math.NaN(), 0, 1})
	negative := mat.NewSymDense(2, []float64{1, 2, 2, 1})
	gram := fixture.Gram(t, rbf(1), x)
	for want, f := range map[string]func() error{
		"Gram matrix has 1 row, want at least 2": func() error {
			_, err := New(context.Background(), mat.NewSymDense(1, []float64{1}))
			return err
		},
		"element 1, 2 of the Gram matrix is NaN": func() error { _, err := New(context.Background(), bad); return err },
		"want none below 0":                      func() error { _, err := New(context.Background(), negative); return err },
		"want a kernel":                          func() error { _, err := NewRows(context.Background(), nil, x, 0); return err },
		"kernels: ": func() error {
			_, err := NewRows(context.Background(), kernels.Polynomial{}, x, 0)
			return err
		},
		"tolerance is -1": func() error { _, err := NewRows(context.Background(), rbf(1), x, -1); return err },
		"tau2 is 0":       func() error { _, err := PosteriorWeights(gram, gram, 0); return err },
		"there are 3 weights, want 4": func() error {
			_, err := NewMean(rbf(1), x, make([]float64, 3))
			return err
		},
		"weight 2 is NaN": func() error {
			_, err := NewMean(rbf(1), x, []float64{0, math.NaN(), 0, 0})
			return err
		},
		"points have 3 columns, want 2": func() error {
			m, _ := NewMean(rbf(1), x, nil)
			return m.At(make([]float64, 4), fixture.Normals(1, 4, 3, 0))
		},
		"Gram matrix of y has 2 rows, want 4": func() error {
			_, err := Covariance(gram, mat.NewSymDense(2, []float64{1, 0, 0, 1}))
			return err
		},
	} {
		err := f()
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "shrinkage: ") {
			t.Errorf("error is %v, want %q in it", err, want)
		}
	}
}

// A kernel that is zero on all rows, and rows all equal.
func TestDegenerate(t *testing.T) {
	zero := fixture.Get[*Problem](t)(New(context.Background(), mat.NewSymDense(3, nil)))
	for _, e := range []Estimate{zero.ShrinkScalar(), zero.ShrinkPlugIn(),
		zero.ShrinkSpectral(TrueLeaveOneOut), zero.ShrinkSpectral(TargetOnly)} {
		for _, w := range e.Weights {
			if w != 0 {
				t.Errorf("%s: weight is %v, want 0", e.Method, w)
			}
		}
	}
	one := mat.NewSymDense(3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	same := fixture.Get[*Problem](t)(New(context.Background(), one))
	for _, e := range []Estimate{same.ShrinkScalar(), same.ShrinkPlugIn(),
		same.ShrinkSpectral(TrueLeaveOneOut), same.ShrinkSpectral(TargetOnly)} {
		for _, w := range e.Weights {
			near(t, e.Method, w, 1.0/3, 0, 1e-8)
		}
	}
}

// A problem of either kind ends with the context, and the error says why.
func TestStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	x := mat.NewDense(3, 1, []float64{0, 1, 2})
	if _, err := New(ctx, fixture.Gram(t, rbf(1), x)); !errors.Is(err, context.Canceled) {
		t.Errorf("New: error %v, want that of the context", err)
	}
	if _, err := NewRows(ctx, rbf(1), x, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("NewRows: error %v, want that of the context", err)
	}
}
