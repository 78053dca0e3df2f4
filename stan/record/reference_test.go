package record

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"bayeskernel/stan/syntax"
)

// The programs in testdata were written for this package; expected.json has the log densities with all
// constants, gradients and values that the C++ of Stan 2.21 gives them (rstan 2.21.7, g++ 12).
func TestReference(t *testing.T) {
	b, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]struct {
		U, Grad, Values []float64
		LP              float64
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for name, points := range all {
		src, err := os.ReadFile("testdata/" + name + ".stan")
		if err != nil {
			t.Fatal(err)
		}
		tree, err := syntax.Parse(string(src))
		if err != nil {
			t.Fatal(err)
		}
		data := Data{}
		if b, err := os.ReadFile("testdata/" + name + ".json"); err == nil {
			if err := json.Unmarshal(b, (*map[string]any)(&data)); err != nil {
				t.Fatal(err)
			}
		}
		p, err := Bind(tree, data, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(points) < 2 {
			t.Errorf("%s: %d points, want at least 2", name, len(points))
		}
		chain := p.NewChain()
		for k, pt := range points {
			close := func(what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 1e-8*max(1, math.Abs(want))) {
					t.Errorf("%s, point %d: %s is %.12g, want %.12g", name, k+1, what, got, want)
				}
			}
			grad := make([]float64, p.Dim())
			close("log density, recorded or replayed,", chain.LogDensity(pt.U, grad), pt.LP)
			for i, want := range pt.Grad {
				if name == "densities" && i == 2 {
					// Stan's derivative of incomplete gamma and beta functions in their shapes is right to four
					// digits only (package density has them to ten): differences of the log density decide.
					want = slope(func(x float64) float64 {
						u := append([]float64(nil), pt.U...)
						u[i] = x
						return chain.LogDensity(u, make([]float64, len(u)))
					}, pt.U[i])
					if !(math.Abs(grad[i]-want) <= 1e-7*max(1, math.Abs(want))) {
						t.Errorf("%s, point %d: derivative %d is %v, by differences %v", name, k+1, i, grad[i], want)
					}
					continue
				}
				close("a derivative", grad[i], want)
			}
			values, err := p.Values(pt.U)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range pt.Values {
				close("a value", values[i], want)
			}
		}
	}
}

// slope is the derivative by five points.
func slope(f func(x float64) float64, x float64) float64 {
	const h = 1e-3
	return (8*(f(x+h)-f(x-h)) - (f(x+2*h) - f(x-2*h))) / (12 * h)
}

// 200 densities and distribution functions beside Stan's values (testdata/tails.stan, by rstan 2.21.7), null where
// these are infinite. Data are those of library.json.
func TestReferenceTails(t *testing.T) {
	var points []struct {
		U            []float64
		Grad, Values []*float64
	}
	data := Data{}
	for name, to := range map[string]any{"testdata/tails.expected.json": &points, "testdata/library.json": (*map[string]any)(&data)} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(b, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p := bound(t, "tails", data)
	for _, pt := range points {
		grad := make([]float64, p.Dim())
		_, values, err := p.Evaluate(pt.U, grad)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range pt.Values {
			if want == nil {
				continue
			}
			if got := values[i]; !(math.Abs(got-*want) <= 1e-9*max(1, math.Abs(*want))) {
				t.Errorf("value %d is %.15g, want %.15g", i, got, *want)
			}
		}
		for i, want := range pt.Grad { // Stan's derivatives of incomplete gamma functions are good to seven digits
			if !(math.Abs(grad[i]-*want) <= 1e-6*max(1, math.Abs(*want))) {
				t.Errorf("derivative %d is %.15g, want %.15g", i, grad[i], *want)
			}
		}
	}
}
