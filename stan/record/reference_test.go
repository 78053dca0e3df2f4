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
