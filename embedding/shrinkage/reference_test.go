package shrinkage

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// text is a number in quotes.
type text float64

func (v *text) UnmarshalText(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	*v = text(f)
	return err
}

type numbers []text

// entry is what the reference has for one Gram matrix.
type entry struct {
	Rho         text
	Varrho      text
	SLambda     text      `json:"s_lambda"`
	SAlpha      text      `json:"s_alpha"`
	SPlugIn     text      `json:"s_plugin_alpha"`
	Grid        []float64 `json:"lambda_grid"`
	ScoresS     numbers   `json:"loocv_s"`
	WeightsF    []numbers `json:"f_weights"`
	ScoresThm4  numbers   `json:"loocv_f_thm4"`
	ScoresTrue  numbers   `json:"loocv_f_true"`
	LambdaThm4  string    `json:"f_lambda_thm4"`
	LambdaTrue  string    `json:"f_lambda_true"`
	MinimumThm4 text      `json:"f_loocv_min_thm4"`
	MinimumTrue text      `json:"f_loocv_min_true"`
	M           numbers
	C           text
	LossKME     text    `json:"loss_kme"`
	LossS       text    `json:"loss_s"`
	LossF       numbers `json:"loss_f"`
	LossThm4    text    `json:"loss_f_at_thm4"`
	LossTrue    text    `json:"loss_f_at_true"`
}

type posterior struct {
	Tau2    float64
	Weights numbers
	Mean    numbers `json:"post_mean_at_test"`
	Loss    text    `json:"loss_Hk"`
}

type reference struct {
	X       [][]float64
	Sigma2  float64
	Kernels map[string]entry
	COSE    entry
	KPCA    struct {
		Test [][]float64
		FCov struct {
			Weights numbers
		} `json:"F_COSE_lambda_0p0625"`
	}
	Bayes struct {
		Smooth []posterior `json:"r_smooth"`
		Same   []posterior `json:"r_equals_k"`
	} `json:"bayes_eq7"`
}

func read(t *testing.T) (reference, *mat.Dense) {
	t.Helper()
	var r reference
	fixture.JSON(t, "testdata/kmse.json", &r)
	return r, fixture.Matrix(r.X)
}

func rbf(sigma2 float64) kernels.Kernel {
	return kernels.SquaredExponential(math.Sqrt(sigma2))
}

func theKernels(sigma2 float64) map[string]kernels.Kernel {
	return map[string]kernels.Kernel{
		"lin": kernels.Linear{}, "poly2": kernels.Polynomial{Degree: 2, Offset: 1},
		"poly3": kernels.Polynomial{Degree: 3, Offset: 1}, "rbf": rbf(sigma2),
	}
}

// near wants got within tol of want, in units of want or of scale where that is larger.
func near(t *testing.T, what string, got, want, scale, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(scale, math.Abs(want))) {
		t.Errorf("%s is %.17g, want %.17g", what, got, want)
	}
}

const digits = 1e-10

func TestReference(t *testing.T) {
	ref, x := read(t)
	for name, k := range theKernels(ref.Sigma2) {
		gram := fixture.Gram(t, k, x)
		p := fixture.Get[*Problem](t)(New(context.Background(), gram))
		checkEntry(t, name, ref.Kernels[name], p)
		losses(t, name, ref.Kernels[name], p, gram)
	}
	gram := fixture.Gram(t, rbf(ref.Sigma2), x)
	g := fixture.Get[*mat.SymDense](t)(Covariance(gram, nil))
	p := fixture.Get[*Problem](t)(New(context.Background(), g))
	checkEntry(t, "cose", ref.COSE, p)
	w := make([]float64, p.n)
	p.SpectralWeights(w, 0.0625)
	for i, want := range ref.KPCA.FCov.Weights {
		near(t, fmt.Sprint("F-COSE weight ", i), w[i], float64(want), 0, digits)
	}
	both := fixture.Get[*mat.SymDense](t)(Covariance(gram, gram))
	if !mat.EqualApprox(both, g, 0) {
		t.Error("the covariance of x with itself is not that of x")
	}
}

func checkEntry(t *testing.T, name string, e entry, p *Problem) {
	t.Helper()
	near(t, name+" rho", p.rho, float64(e.Rho), 0, 1e-14)
	near(t, name+" varrho", p.vr, float64(e.Varrho), 0, 1e-14)
	s := p.ShrinkScalar()
	if want := float64(e.SLambda); math.IsInf(want, 1) != math.IsInf(s.Lambda, 1) {
		t.Errorf("%s: lambda is %v, want %v", name, s.Lambda, want)
	} else if !math.IsInf(want, 1) {
		near(t, name+" lambda of S", s.Lambda, want, 0, 1e-13)
	}
	near(t, name+" alpha of S", 1-s.Weights[0]*float64(p.n), float64(e.SAlpha), 0, 1e-13)
	plug := p.ShrinkPlugIn()
	near(t, name+" plug-in", 1-plug.Weights[3]*float64(p.n), float64(e.SPlugIn), 0, 1e-13)
	weights := make([]float64, p.n)
	scores := make([]float64, len(e.Grid))
	for _, c := range []struct {
		score Score
		want  numbers
	}{{TargetOnly, e.ScoresThm4}, {TrueLeaveOneOut, e.ScoresTrue}} {
		p.SpectralScores(scores, e.Grid, c.score)
		for i, want := range c.want {
			near(t, fmt.Sprint(name, " ", c.score, " ", i), scores[i], float64(want), 0, 1e-12)
		}
	}
	for i, l := range e.Grid {
		near(t, fmt.Sprint(name, " score of S ", i), p.ScalarScore(l), float64(e.ScoresS[i]), 0, 1e-13)
		p.SpectralWeights(weights, l)
		for j, want := range e.WeightsF[i] {
			near(t, fmt.Sprint(name, " weight ", i, j), weights[j], float64(want), 0.1, digits)
		}
	}
	chosen(t, name, p.ShrinkSpectral(TargetOnly), e.LambdaThm4, e.MinimumThm4)
	chosen(t, name, p.ShrinkSpectral(TrueLeaveOneOut), e.LambdaTrue, e.MinimumTrue)
}

func chosen(t *testing.T, name string, e Estimate, lambda string, minimum text) {
	t.Helper()
	if lambda == "at inf end" {
		if !math.IsInf(e.Lambda, 1) || e.Score > float64(minimum) || e.Weights[0] != 0 {
			t.Errorf("%s: lambda is %v, want +Inf", name, e.Lambda)
		}
		return
	}
	want, err := strconv.ParseFloat(lambda, 64)
	if err != nil {
		t.Fatal(err)
	}
	near(t, name+" lambda, "+e.Method, e.Lambda, want, 0, digits)
	near(t, name+" score, "+e.Method, e.Score, float64(minimum), 0, 1e-13)
}

// losses compares |sum_i w_i k(., x_i) - mu|² with the reference.
func losses(t *testing.T, name string, e entry, p *Problem, gram *mat.SymDense) {
	t.Helper()
	loss := func(w []float64) float64 {
		v := mat.NewVecDense(p.n, w)
		sum := mat.Inner(v, gram, v) + float64(e.C)
		for i, m := range e.M {
			sum -= 2 * w[i] * float64(m)
		}
		return sum
	}
	c := float64(e.C)
	near(t, name+" loss", loss(p.Empirical().Weights), float64(e.LossKME), c, digits)
	near(t, name+" loss of S", loss(p.ShrinkScalar().Weights), float64(e.LossS), c, digits)
	w := make([]float64, p.n)
	for i, l := range e.Grid {
		p.SpectralWeights(w, l)
		near(t, fmt.Sprint(name, " loss of F ", i), loss(w), float64(e.LossF[i]), c, digits)
	}
	if e.LossTrue != 0 {
		near(t, name+" loss at thm4", loss(p.ShrinkSpectral(TargetOnly).Weights),
			float64(e.LossThm4), c, digits)
		near(t, name+" loss at true", loss(p.ShrinkSpectral(TrueLeaveOneOut).Weights),
			float64(e.LossTrue), c, digits)
	}
}

// The posterior mean, and its relation to ShrinkSpectral: with r = k they are the same.
func TestPosterior(t *testing.T) {
	ref, x := read(t)
	k := rbf(ref.Sigma2)
	r := rbf(2 * ref.Sigma2) // the convolution of k with itself, scaled to r(x, x) = 1
	gram := fixture.Gram(t, k, x)
	e := ref.Kernels["rbf"]
	test := fixture.Matrix(ref.KPCA.Test)
	for _, c := range []struct {
		what  string
		prior kernels.Kernel
		want  []posterior
	}{{"r", r, ref.Bayes.Smooth}, {"k", k, ref.Bayes.Same}} {
		prior := fixture.Gram(t, c.prior, x)
		for _, want := range c.want {
			w := fixture.Get[[]float64](t)(PosteriorWeights(prior, gram, want.Tau2))
			for i, v := range want.Weights {
				near(t, fmt.Sprint(c.what, " weight ", i), w[i], float64(v), 0.1, digits)
			}
			m := fixture.Get[*Mean](t)(NewMean(c.prior, x, w))
			at := make([]float64, 3)
			if err := m.At(at, test); err != nil {
				t.Fatal(err)
			}
			for i, v := range want.Mean {
				near(t, fmt.Sprint(c.what, " mean ", i), at[i], float64(v), 0, digits)
			}
			if c.what == "k" {
				p := fixture.Get[*Problem](t)(New(context.Background(), gram))
				same := make([]float64, p.n)
				p.SpectralWeights(same, want.Tau2/float64(p.n))
				for i := range w {
					near(t, "posterior beside spectral", w[i], same[i], 0.1, 1e-12)
				}
			}
			near(t, c.what+" loss", posteriorLoss(c.what == "r", ref, e, m, w), float64(want.Loss), 1,
				digits)
		}
	}
}

// posteriorLoss is the loss of sum_j w_j r(., x_j) in the space of k: with theta² = sigma2 and two
// columns <r_x, r_y> = 4/3 exp(-|x-y|²/(6 theta²)) and <r_x, mu> = E r(x, X).
func posteriorLoss(smooth bool, ref reference, e entry, m *Mean, w []float64) float64 {
	inner, means := rbf(ref.Sigma2), make([]float64, len(w))
	scale := 1.0
	for i := range means {
		means[i] = float64(e.M[i])
	}
	if smooth {
		inner, scale = rbf(3*ref.Sigma2), 4.0/3
		pi := []float64{0.25, 0.75}
		mu := [][]float64{{-1, 0.5}, {1, 0.75}}
		cov := [][3]float64{{1, 0.25, 1.5}, {0.75, -0.5, 1.25}}
		for i, x := range ref.X {
			means[i] = 0
			for c := range pi {
				s := 2 * ref.Sigma2
				a, b, d := cov[c][0]+s, cov[c][1], cov[c][2]+s
				det := a*d - b*b
				u, v := x[0]-mu[c][0], x[1]-mu[c][1]
				q := (d*u*u - 2*b*u*v + a*v*v) / det
				means[i] += pi[c] * s / math.Sqrt(det) * math.Exp(-q/2)
			}
		}
	}
	loss := float64(e.C)
	for i := range w {
		loss -= 2 * w[i] * means[i]
		for j := range w {
			loss += scale * w[i] * w[j] * inner.At(ref.X[i], ref.X[j])
		}
	}
	return loss
}
