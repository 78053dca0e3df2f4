package learn

import (
	"math"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Laplace's approximation agrees with quadrature, for 200 rows to a tenth of a nat.
func TestIntegrate(t *testing.T) {
	x, z := mat.NewDense(200, 1, nil), mat.NewDense(8, 1, nil)
	for i := range 200 {
		x.Set(i, 0, math.Sqrt2*math.Erfinv((2*float64(i)+1)/200-1))
	}
	for l := range 8 {
		z.Set(l, 0, math.Sqrt2*math.Erfinv((2*float64(l)+1)/8-1))
	}
	for _, r := range []kernels.Radial{kernels.SE{}, kernels.Matern{Nu: 1.5}} {
		m, err := bke.NewModel(x, z, bke.Options{Kernel: r})
		if err != nil {
			t.Fatal(err)
		}
		fit, err := m.Learn(t.Context(), bke.LearnOptions{Priors: &bke.Priors{}})
		if err != nil {
			t.Fatal(err)
		}
		c := study.Candidate{Radial: r, Model: m, Fit: fit}
		exact, how, err := integrate(t.Context(), c, bke.Priors{})
		if err != nil || how != "quadrature" {
			t.Fatal(how, err)
		}
		near, err := laplace(t.Context(), c, bke.Priors{})
		if err != nil || math.Abs(near-exact) > 0.1 {
			t.Errorf("%v: %v by Laplace's approximation, %v by quadrature", r, near, exact)
		}
	}
}

// kappa(0) in closed form: 1, 2nu/(2nu-2), 1, and sum w/s².
func TestCurvature(t *testing.T) {
	for text, want := range map[string]float64{"se": 1, "matern32": 3, "matern52": 5. / 3,
		"matern:nu=4": 8. / 6, "rq:alpha=1.5": 1, "mixture:widths=1/4,weights=0.5/0.5": 0.5 + 0.5/16} {
		r, err := kernels.ParseRadial(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := curvature(r); math.Abs(got-want) > 1e-14*want {
			t.Errorf("%s: kappa(0) = %v, want %v", text, got, want)
		}
	}
}
