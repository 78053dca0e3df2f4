package embedding

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"

	"gonum.org/v1/gonum/mat"
)

// pooledModel has the rows of both samples and the default pseudo-inputs.
func pooledModel(t testing.TB, x, y *mat.Dense, o bke.Options) *bke.Model {
	t.Helper()
	var all mat.Dense
	all.Stack(x, y)
	in, err := inputs.Choose(t.Context(), &all, inputs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return newModel(t, &all, in.Z, o)
}

func newModel(t testing.TB, x, z mat.Matrix, o bke.Options) *bke.Model {
	t.Helper()
	m, err := bke.NewModel(x, z, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newEmbedding(t testing.TB, m *bke.Model, x mat.Matrix, p bke.Params, o Options) *Embedding {
	t.Helper()
	e, err := New(m, Sample{X: x}, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newWitness(t testing.TB, m *bke.Model, x, y mat.Matrix, draws []bke.Params,
	o Options) *Witness {
	t.Helper()
	w, err := NewWitness(m, Sample{X: x}, Sample{X: y}, draws, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func at(t testing.TB, e *Embedding, points mat.Matrix) (mean, sd []float64) {
	t.Helper()
	mean, sd, err := e.At(points)
	if err != nil {
		t.Fatal(err)
	}
	return mean, sd
}

func jointly(t testing.TB, e *Embedding, points mat.Matrix) (mean []float64, cov *mat.SymDense) {
	t.Helper()
	mean, cov, err := e.Joint(points)
	if err != nil {
		t.Fatal(err)
	}
	return mean, cov
}

// normalAndLaplace draws n + n rows of N(0, 1) and Laplace(0, sqrt 0.5), which has variance 1.
func normalAndLaplace(r *rand.Rand, n int) (x, y *mat.Dense) {
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, r.NormFloat64())
		y.Set(i, 0, (r.ExpFloat64()-r.ExpFloat64())*math.Sqrt(0.5))
	}
	return x, y
}

func normalRows(r *rand.Rand, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for a := range d {
			x.Set(i, a, r.NormFloat64())
		}
	}
	return x
}

// someDraws are draws of the hyperparameters about a point.
func someDraws(r *rand.Rand, n int) []bke.Params {
	var out []bke.Params
	for range n {
		out = append(out, bke.Params{Theta: []float64{0.28 * math.Exp(0.1*r.NormFloat64())},
			Tau2: 0.07 * math.Exp(0.05*r.NormFloat64())})
	}
	return out
}

func params(theta, tau2 float64) bke.Params {
	return bke.Params{Theta: []float64{theta}, Tau2: tau2}
}

func column(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

func rowsOf(a mat.Matrix) [][]float64 {
	n, _ := a.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = mat.Row(nil, i, a)
	}
	return out
}

// near compares two numbers to an absolute tolerance.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.17g, want %.17g: off by %.2g, want %.2g", what, got, want, got-want, tol)
	}
}

// nearly compares two numbers to a relative tolerance.
func nearly(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	near(t, what, got, want, tol*math.Abs(want))
}

// worst returns the largest difference of two vectors.
func worst(a, b []float64) float64 {
	w := 0.0
	for i := range a {
		if d := math.Abs(a[i] - b[i]); !(d <= w) {
			w = d
		}
	}
	return w
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %q in it", err, want)
	}
}
