package bke

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
)

// kernelCase is one of the reference cases of package kernels, by brute force in 50 to 60 digits.
type kernelCase struct {
	Data, Kernel, Convention string
	Lengthscales             []float64
	Tau2, Eta, Alpha         float64
	Weights, Scales          []float64
	LogGaussian              numeral   `json:"log_gaussian"`
	LogJacobian              numeral   `json:"log_jacobian"`
	GaussianTheta            []numeral `json:"gaussian_d_log_lengthscales"`
	JacobianTheta            []numeral `json:"jacobian_d_log_lengthscales"`
	GaussianTau2             numeral   `json:"gaussian_d_log_tau2"`
	GaussianEta              *numeral  `json:"gaussian_d_log_eta"`
}

func (c kernelCase) radial(t *testing.T) kernels.Radial {
	t.Helper()
	switch c.Kernel {
	case "matern32":
		return kernels.Matern{Nu: 1.5}
	case "matern52":
		return kernels.Matern{Nu: 2.5}
	case "rational_quadratic":
		return kernels.RQ{Alpha: c.Alpha}
	case "mixture":
		return kernels.Mixture{Weights: c.Weights, Widths: c.Scales}
	}
	t.Fatalf("unknown kernel %q", c.Kernel)
	return nil
}

// Both parts and all gradients of 72 cases, with a lengthscale for each column where there are several
// and, where these are equal, with one for all.
func TestReferenceKernels(t *testing.T) {
	var file struct {
		Data  map[string]struct{ X, Z [][]float64 }
		Cases []kernelCase
	}
	fixture.JSON(t, "../kernels/testdata/kernels.json", &file)
	if len(file.Cases) != 72 {
		t.Fatalf("%d cases, want 72", len(file.Cases))
	}
	const tol = 1e-10
	for i, c := range file.Cases {
		nu, err := kernels.ParseNu(c.Convention)
		if err != nil {
			t.Fatal(err)
		}
		data := file.Data[c.Data]
		for _, ard := range []bool{true, false} {
			theta := c.Lengthscales
			if !ard && len(theta) > 1 {
				if len(slices.Compact(slices.Clone(theta))) > 1 {
					continue
				}
				theta = theta[:1]
			}
			what := fmt.Sprintf("case %d, %s, %s, %s, ARD %v: ", i, c.Kernel, c.Convention, c.Data, ard)
			mod, err := NewModel(fixture.Matrix(data.X), fixture.Matrix(data.Z),
				Options{Kernel: c.radial(t), Nu: nu, ARD: ard, Weight: 1})
			if err != nil {
				t.Fatal(what, err)
			}
			e, p := mod.Evaluator(), Params{Theta: theta, Tau2: c.Tau2, Eta: c.Eta}
			g, j := e.Value(p)
			nearly(t, what+"Gaussian part", g, float64(c.LogGaussian), tol)
			nearly(t, what+"Jacobian part", j, float64(c.LogJacobian), tol)
			dg, dj := gradients(e, p)
			sumG, sumJ := 0.0, 0.0
			for a := range c.GaussianTheta {
				sumG += float64(c.GaussianTheta[a])
				sumJ += float64(c.JacobianTheta[a])
				if len(theta) == len(c.GaussianTheta) {
					nearly(t, what+"Gaussian d theta", dg[a], float64(c.GaussianTheta[a]), tol)
					nearly(t, what+"Jacobian d theta", dj[a], float64(c.JacobianTheta[a]), tol)
				}
			}
			if len(theta) == 1 {
				nearly(t, what+"Gaussian d theta", dg[0], sumG, tol)
				nearly(t, what+"Jacobian d theta", dj[0], sumJ, tol)
			}
			nearly(t, what+"Gaussian d tau2", dg[len(theta)], float64(c.GaussianTau2), tol)
			if c.GaussianEta != nil {
				nearly(t, what+"Gaussian d eta", dg[len(theta)+1], float64(*c.GaussianEta), tol)
			}
		}
	}
}

// someKernels are one of each family.
var someKernels = []string{"se", "matern32", "matern52", "rq:alpha=30", "mixture:widths=1/4,weights=0.5/0.5"}

// Gradients against differences for every kernel, measure, one lengthscale and several, and 1 to 50
// columns, at theta and tau2 where people are.
func TestKernelGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	for _, text := range someKernels {
		k, err := kernels.ParseRadial(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []int{1, 2, 3, 5, 10, 50} {
			for _, nu := range []Nu{Unit, Lebesgue, Gaussian} {
				for _, ard := range []bool{false, true} {
					if ard && d > 10 || nu == Gaussian && d > 3 {
						continue // minutes, and nothing new
					}
					x, z := normalRows(r, 6, d), normalRows(r, d+3, d)
					z.SetRow(0, x.RawRowView(0)) // a row that is a pseudo-input
					mod, err := NewModel(x, z, Options{Kernel: k, Nu: nu, ARD: ard})
					if err != nil {
						t.Fatal(err)
					}
					p := Params{Theta: make([]float64, mod.thetas()), Tau2: 0.1 * math.Exp(r.NormFloat64()),
						Eta: math.Exp(r.NormFloat64())}
					for a := range p.Theta {
						p.Theta[a] = math.Sqrt(float64(d)) * math.Exp(0.5*r.NormFloat64())
					}
					checkGradient(t, hardCase{model: mod, p: p, what: fmt.Sprintf("%s, D = %d, %v, ARD %v",
						text, d, nu, ard)})
				}
			}
		}
	}
}

// As theta goes to infinity Omega tends to the same limit for every kernel whose kappa is finite at 0:
// like theta^-2, like theta^-1 for Matern 3/2.
func TestOmegaLimitOfEveryKernel(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	x, z := normalRows(r, 30, 2), normalRows(r, 8, 2)
	for _, text := range someKernels {
		k, err := kernels.ParseRadial(text)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := NewModel(x, z, Options{Kernel: k})
		if err != nil {
			t.Fatal(err)
		}
		tol := 1e-4
		if text == "matern32" {
			tol = 2e-2
		}
		// Beyond a few thousand sds the variance of k, of order theta^-4, has no digits left.
		if got, want := mod.Evaluator().Omega([]float64{1000}, 1), mod.OmegaLimit(); math.Abs(got-want) > tol {
			t.Errorf("%s: Omega is %v at theta = 1000, its limit %v", text, got, want)
		}
	}
}

func TestKernelErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(75, 76))
	x, z := normalRows(r, 30, 5), normalRows(r, 8, 5)
	_, err := NewModel(x, z, Options{Kernel: kernels.RQ{Alpha: 1}})
	wantError(t, err, "alpha")
	_, err = NewModel(x, z, Options{Kernel: kernels.Matern{Nu: 0.5}})
	wantError(t, err, "want")
	if _, err := NewModel(x, z, Options{Kernel: kernels.RQ{Alpha: 1}, Nu: Gaussian}); err != nil {
		t.Error(err)
	}
}

// A rational quadratic kernel has a plateau at theta = 0 too: that of |x-z|^(-2 alpha), whose Omega is
// worked out here from its definition. The margin of a fit is above the higher one.
func TestPlateauAtZero(t *testing.T) {
	const alpha = 0.7
	r := rand.New(rand.NewPCG(77, 78))
	x, z := normalRows(r, 60, 1), normalRows(r, 6, 1)
	mod, err := NewModel(x, z, Options{Kernel: kernels.RQ{Alpha: alpha}})
	if err != nil {
		t.Fatal(err)
	}
	want, v := 0.0, 0.0
	for i := range 60 {
		g := 0.0
		for l := range 6 {
			d := math.Abs(x.At(i, 0) - z.At(l, 0))
			slope := 2 * alpha * math.Pow(d, -2*alpha-1)
			g += slope * slope
		}
		want += math.Log(g) / 2 / 60
	}
	for l := range 6 {
		mean, square := 0.0, 0.0
		for i := range 60 {
			k := math.Pow(math.Abs(x.At(i, 0)-z.At(l, 0)), -2*alpha)
			mean += k / 60
			square += k * k / 60
		}
		v += (square - mean*mean) / 6
	}
	want -= math.Log(v) / 2
	e := mod.Evaluator()
	if got := e.Omega(mod.belowAll([]float64{1}), 1); math.Abs(got-want) > 1e-6 {
		t.Errorf("Omega at theta near 0 is %v, want %v", got, want)
	}
	theta := []float64{0.3}
	top := max(want, mod.OmegaLimit())
	if got := mod.Doubling(theta).Margin; math.Abs(got-(e.Omega(theta, 1)-top)) > 1e-6 {
		t.Errorf("margin %v, want %v above %v", got, e.Omega(theta, 1)-top, top)
	}
}
