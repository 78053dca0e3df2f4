package pca

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/embedding/shrinkage"
	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

type variant struct {
	Variances []string `json:"eigenvalues"`
	Errors    []string `json:"reconstruction_error"`
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %.17g, want %.17g", what, got, want)
	}
}

func se(theta float64) kernels.Kernel { return kernels.SquaredExponential(theta) }

func TestReference(t *testing.T) {
	var ref struct {
		X      [][]float64
		Sigma2 float64
		KPCA   struct {
			Test    [][]float64
			P       int
			KME     variant
			SCentre variant `json:"S_centre"`
			FCentre variant `json:"F_centre_lambda_0p25"`
			SCOSE   variant `json:"S_COSE"`
			FCOSE   variant `json:"F_COSE_lambda_0p0625"`
		}
	}
	fixture.JSON(t, "../shrinkage/testdata/kmse.json", &ref)
	x, k := fixture.Matrix(ref.X), se(math.Sqrt(ref.Sigma2))
	gram := fixture.Gram(t, k, x)
	mean := fixture.Get[*shrinkage.Problem](t)(shrinkage.New(context.Background(), gram))
	g := fixture.Get[*mat.SymDense](t)(shrinkage.Covariance(gram, nil))
	cov := fixture.Get[*shrinkage.Problem](t)(shrinkage.New(context.Background(), g))
	flexible := func(p *shrinkage.Problem, lambda float64) []float64 {
		w := make([]float64, len(ref.X))
		p.SpectralWeights(w, lambda)
		return w
	}
	for name, c := range map[string]struct {
		o    Options
		want variant
	}{
		"KME":      {Options{}, ref.KPCA.KME},
		"S centre": {Options{Centre: mean.ShrinkScalar().Weights}, ref.KPCA.SCentre},
		"F centre": {Options{Centre: flexible(mean, 0.25)}, ref.KPCA.FCentre},
		"S-COSE":   {Options{Weights: cov.ShrinkScalar().Weights}, ref.KPCA.SCOSE},
		"F-COSE":   {Options{Weights: flexible(cov, 0.0625)}, ref.KPCA.FCOSE},
	} {
		c.o.Components = ref.KPCA.P
		p := fixture.Get[*PCA](t)(New(context.Background(), k, x, c.o))
		errors := fixture.Get[[]float64](t)(p.Errors(fixture.Matrix(ref.KPCA.Test)))
		for i := range c.want.Variances {
			want, _ := strconv.ParseFloat(c.want.Variances[i], 64)
			near(t, fmt.Sprint(name, " variance ", i), p.Variances[i], want, 1e-12)
			want, _ = strconv.ParseFloat(c.want.Errors[i], 64)
			near(t, fmt.Sprint(name, " error ", i), errors[i], want, 1e-12)
		}
	}
}

// With the linear kernel it is principal component analysis: components of the rows are orthogonal
// with variances as given, and all of them reconstruct everything.
func TestLinear(t *testing.T) {
	x := fixture.Normals(1, 50, 3, 2)
	p := fixture.Get[*PCA](t)(New(context.Background(), kernels.Linear{}, x, Options{}))
	if p.Components() != 3 {
		t.Fatalf("%d components, want 3", p.Components())
	}
	s := fixture.Get[*mat.Dense](t)(p.Project(x))
	for a := range 3 {
		for b := range 3 {
			sum, want := 0.0, 0.0
			for i := range 50 {
				sum += s.At(i, a) * s.At(i, b) / 50
			}
			if a == b {
				want = p.Variances[a]
			}
			near(t, "covariance of components", sum, want, 1e-12)
		}
	}
	errors := fixture.Get[[]float64](t)(p.Errors(fixture.Normals(2, 9, 3, 0)))
	for _, e := range errors {
		near(t, "error", e, 0, 1e-12)
	}
}

// Weights of either sign: components are orthonormal functions, and their number is that of the
// positive variances.
func TestSignedWeights(t *testing.T) {
	x := fixture.Normals(1, 20, 2, 0)
	w := make([]float64, 20)
	for i := range w {
		w[i] = float64(i%3) - 0.5
	}
	k := se(1)
	p := fixture.Get[*PCA](t)(New(context.Background(), k, x, Options{Weights: w}))
	gram := fixture.Gram(t, k, x)
	h := mat.NewDense(20, 20, nil)
	h.Apply(func(i, j int, v float64) float64 {
		if i == j {
			return 1 - 1.0/20
		}
		return -1.0 / 20
	}, h)
	var kc mat.Dense
	kc.Product(h, gram, h)
	a, b := make([]float64, 20), make([]float64, 20)
	for i := range p.Components() {
		p.Coefficients(a, i)
		for j := range i + 1 {
			p.Coefficients(b, j)
			want := 0.0
			if i == j {
				want = 1
			}
			got := mat.Inner(mat.NewVecDense(20, a), &kc, mat.NewVecDense(20, b))
			// Coefficients of small variances are large, and rounding of the Gram matrix counts as often.
			size := mat.Norm(mat.NewVecDense(20, a), 2) * mat.Norm(mat.NewVecDense(20, b), 2)
			near(t, fmt.Sprint("inner product ", i, j), got, want, 1e-9+0x1p-52*size*mat.Norm(&kc, 2))
		}
	}
	if p.Components() >= 20 || p.Components() < 5 {
		t.Errorf("%d components", p.Components())
	}
}

// Rows near a circle: the pre-image of a point off it is nearer to it, and no neighbour of a
// pre-image is nearer to the projection.
func TestPreImage(t *testing.T) {
	noise := fixture.Normals(1, 200, 2, 0)
	x := mat.NewDense(200, 2, nil)
	for i := range 200 {
		u := 2 * math.Pi * float64(i) / 200
		x.SetRow(i, []float64{math.Cos(u) + 0.02*noise.At(i, 0), math.Sin(u) + 0.02*noise.At(i, 1)})
	}
	for _, k := range []kernels.Kernel{se(0.5), kernels.Matern52(1, 1)} {
		p := fixture.Get[*PCA](t)(New(context.Background(), k, x, Options{Components: 6}))
		s, _ := kernels.AsStationary(k)
		for _, z := range [][]float64{{0.8, 0.3}, {-1.3, 0.4}, {0.2, -1.2}} {
			got := fixture.Get[*PreImage](t)(p.PreImage(z))
			r := math.Hypot(got.Point[0], got.Point[1])
			if !got.Converged || math.Abs(r-1) > 0.1*math.Abs(math.Hypot(z[0], z[1])-1)+0.05 {
				t.Errorf("%T: pre-image of %v is %v after %d steps", k, z, got.Point, got.Iterations)
			}
			f := p.inverse(s, z)
			best := f.value(got.Point)
			near(t, "distance", got.Distance, 1-2*best+f.square, 1e-12)
			for _, d := range [][]float64{{1e-4, 0}, {-1e-4, 0}, {0, 1e-4}, {0, -1e-4}} {
				if f.value([]float64{got.Point[0] + d[0], got.Point[1] + d[1]}) > best {
					t.Errorf("%T: pre-image of %v is no maximum", k, z)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	x := fixture.Normals(1, 4, 2, 0)
	p := fixture.Get[*PCA](t)(New(context.Background(), kernels.Linear{}, x, Options{Components: 1}))
	fit := func(k kernels.Kernel, x mat.Matrix, o Options) error {
		_, err := New(context.Background(), k, x, o)
		return err
	}
	image := func(p *PCA, z []float64) error { _, err := p.PreImage(z); return err }
	for want, err := range map[string]error{
		"want a kernel":             fit(nil, x, Options{}),
		"want at least 2":           fit(se(1), fixture.Normals(1, 1, 2, 0), Options{}),
		"want 0 or more":            fit(se(1), x, Options{Components: -1}),
		"centre has 3 elements":     fit(se(1), x, Options{Centre: make([]float64, 3)}),
		"element 1 of weights is N": fit(se(1), x, Options{Weights: []float64{math.NaN(), 0, 0, 0}}),
		"want a radial one":         image(p, []float64{1, 2}),
		"point has 3 columns": image(fixture.Get[*PCA](t)(New(context.Background(), se(1), x, Options{})),
			[]float64{1, 2, 3}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "pca: ") {
			t.Errorf("error is %v, want %q in it", err, want)
		}
	}
	if _, err := p.Project(fixture.Normals(1, 2, 3, 0)); err == nil {
		t.Error("points of other columns are accepted")
	}
	same := mat.NewDense(3, 1, []float64{1, 1, 1})
	none := fixture.Get[*PCA](t)(New(context.Background(), se(1), same, Options{}))
	if none.Components() != 0 {
		t.Errorf("equal rows have %d components", none.Components())
	}
	if e := fixture.Get[[]float64](t)(none.Errors(same)); e[1] > 1e-15 {
		t.Errorf("error is %v", e)
	}
}
