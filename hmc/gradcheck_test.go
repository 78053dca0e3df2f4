package hmc

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/internal/testmodels"
)

func TestCheckGradientAcceptsRightOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	offset := testmodels.Func{N: 2, F: func(x, g []float64) float64 {
		return testmodels.Banana().F(x, g) - 1e9 // rounding of the value swamps small differences
	}}
	edge := testmodels.Func{N: 1, F: func(x, g []float64) float64 { // x > 0, log density log x - x
		if x[0] <= 0 {
			return math.Inf(-1)
		}
		g[0] = 1/x[0] - 1
		return math.Log(x[0]) - x[0]
	}}
	flat := testmodels.Func{N: 2, F: func(x, g []float64) float64 { g[0], g[1] = 0, 0; return 0 }}
	for name, target := range map[string]testmodels.Func{
		"gauss2": testmodels.Gauss2(), "gauss3": testmodels.Gauss3(), "banana": testmodels.Banana(),
		"funnel": testmodels.Funnel(), "quartic": testmodels.Quartic(), "smooth": smooth(),
		"logistic": testmodels.Logistic(3), "bimodal": testmodels.Bimodal(3, 0.3, 5),
		"scales": testmodels.Normal(1e-6, 1, 1e6), "offset": offset, "flat": flat,
	} {
		for range 200 {
			x := make([]float64, target.N)
			for i := range x {
				x[i] = 3 * r.NormFloat64()
			}
			if err := CheckGradient(target, x); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	// Values with noise of their own: rounded to single precision, scattered as an iteration that
	// stops early leaves them, or with kinks.
	scatter := func(x []float64) float64 { // as good as random, but the same at the same point
		h := math.Float64bits(x[0])*0x9E3779B97F4A7C15 ^ math.Float64bits(x[1])*0xBF58476D1CE4E5B9
		h ^= h >> 29
		return float64(h*0x94D049BB133111EB>>11)/(1<<52) - 1
	}
	rough := map[string]func(lp float64, x []float64) float64{
		"single": func(lp float64, x []float64) float64 { return float64(float32(lp)) },
		"1e-9":   func(lp float64, x []float64) float64 { return lp + 1e-9*scatter(x) },
		"1e-6":   func(lp float64, x []float64) float64 { return lp + 1e-6*scatter(x) },
	}
	for name, spoil := range rough {
		target := testmodels.Func{N: 2, F: func(x, g []float64) float64 {
			return spoil(testmodels.Banana().F(x, g), x)
		}}
		for range 1000 {
			x := []float64{2 * r.NormFloat64(), 2 * r.NormFloat64()}
			if err := CheckGradient(target, x); err != nil {
				t.Fatalf("noise %s: %v", name, err)
			}
		}
	}
	kinks := testmodels.Func{N: 1, F: func(x, g []float64) float64 { // slopes change every 0.05
		k := math.Floor(x[0] / 0.05)
		g[0] = -0.05 * k
		return -0.05*k*(x[0]-0.05*k) - 0.0025*k*(k-1)/2
	}}
	for range 1000 {
		if err := CheckGradient(kinks, []float64{3 * r.NormFloat64()}); err != nil {
			t.Fatalf("kinks: %v", err)
		}
	}
	for _, x := range []float64{1e-9, 1e-6, 1e-3, 1, 50} {
		if err := CheckGradient(edge, []float64{x}); err != nil {
			t.Errorf("edge at %v: %v", x, err)
		}
	}
}

// wrong returns smooth() with its gradient spoilt.
func wrong(spoil func(x, g []float64)) testmodels.Func {
	return testmodels.Func{N: 3, F: func(x, g []float64) float64 {
		lp := smooth().F(x, g)
		spoil(x, g)
		return lp
	}}
}

func TestCheckGradientFindsWrongOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for name, spoil := range map[string]func(x, g []float64){
		"sign":        func(x, g []float64) { g[1] = -g[1] },
		"all signs":   func(x, g []float64) { g[0], g[1], g[2] = -g[0], -g[1], -g[2] },
		"part in 1e3": func(x, g []float64) { g[1] += 1e-3 * math.Max(1, math.Abs(g[1])) },
		"missing":     func(x, g []float64) { g[1] = 0 },
		"jacobian":    func(x, g []float64) { g[1]++ },
		"NaN":         func(x, g []float64) { g[1] = math.NaN() },
		"Inf":         func(x, g []float64) { g[1] = math.Inf(1) },
	} {
		for range 100 {
			x := []float64{r.NormFloat64(), 1 + r.Float64(), r.NormFloat64()}
			err := CheckGradient(wrong(spoil), x)
			var ge *GradientError
			if !errors.As(err, &ge) {
				t.Fatalf("%s at %v: %v", name, x, err)
			}
			if name != "all signs" && ge.Component != 1 {
				t.Fatalf("%s at %v: blames component %d", name, x, ge.Component)
			}
		}
	}
	// A value without one of its terms, at a scale far from one.
	big := testmodels.Func{N: 1, F: func(x, g []float64) float64 {
		g[0] = -1e8*x[0] - 10
		return -0.5e8 * x[0] * x[0]
	}}
	if err := CheckGradient(big, []float64{1e-8}); err == nil {
		t.Error("a constant force of 10 too much was not seen")
	}
}

// TestQuickCheck: in many dimensions one wrong component is found all the same, and a right
// gradient costs far fewer evaluations than there are components.
func TestQuickCheck(t *testing.T) {
	const d = 1000
	calls := 0
	target := func(spoil int) testmodels.Func {
		return testmodels.Func{N: d, F: func(x, g []float64) float64 {
			calls++
			lp := testmodels.Logistic(d).F(x, g)
			if spoil >= 0 {
				g[spoil] *= -1
			}
			return lp
		}}
	}
	r := rand.New(rand.NewPCG(3, 3))
	x := make([]float64, d)
	for i := range x {
		x[i] = 1 + r.Float64()
	}
	if err := quickCheck(target(-1), target(-1), x); err != nil || calls > 120 {
		t.Errorf("%d evaluations, error %v", calls, err)
	}
	for _, i := range []int{0, 1, 500, d - 1} {
		var ge *GradientError
		err := quickCheck(target(i), target(i), x)
		if !errors.As(err, &ge) || ge.Component != i {
			t.Errorf("component %d: %v", i, err)
		}
	}
}

// named gives a target names.
type named struct {
	testmodels.Func
	names []string
}

func (n named) Names() []string            { return n.names }
func (n named) Constrain(dst, x []float64) { copy(dst, x) }

func TestCheckGradientNamesTheParameter(t *testing.T) {
	target := named{wrong(func(x, g []float64) { g[2] *= 2 }), []string{"mu", "tau", "sigma"}}
	err := CheckGradient(target, []float64{0.3, 0.2, 1.5})
	if err == nil || !strings.Contains(err.Error(), "component 2 (sigma)") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("error is %q", err)
	}
}

func TestCheckGradientBadPoints(t *testing.T) {
	nan := testmodels.Func{N: 1, F: func(x, g []float64) float64 { return math.NaN() }}
	if err := CheckGradient(nan, []float64{1}); err == nil {
		t.Error("NaN was taken")
	}
	if err := CheckGradient(smooth(), []float64{1}); err == nil {
		t.Error("a point of the wrong dimension was taken")
	}
}
