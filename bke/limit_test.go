package bke

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/fixture"

	"gonum.org/v1/gonum/mat"
)

// normalRows draws n standard normal rows.
func normalRows(r *rand.Rand, n, d int) *mat.Dense {
	a := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			a.Set(i, j, r.NormFloat64())
		}
	}
	return a
}

// Along tau2 = s theta^-4 the log pseudolikelihood of weight w (unit, isotropic) goes like
// (w (2mn-2-D) - 2nD) log theta: upwards for weight 1, where that is 2n(m-D) - (D+2), and downwards
// for D/m and below (section 5 of DERIVATION.md).
func TestRunawayDirection(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, size := range []struct{ d, n, m int }{{1, 20, 6}, {1, 40, 12}, {2, 25, 8}, {3, 30, 10}} {
		x, z := normalRows(r, size.n, size.d), normalRows(r, size.m, size.d)
		var all mat.Dense
		all.Stack(x, z)
		_, diameter := spacings(&all)
		n, m, d := float64(size.n), float64(size.m), float64(size.d)
		for _, c := range []struct {
			weight, want float64
		}{
			{1, 2*n*(m-d) - (d + 2)},
			{d / m, -d * (d + 2) / m},
			{0.9 * d / m, -(0.2*n*d + 0.9*d*(d+2)/m)},
			{0, -(0.2*n*d + 0.9*d*(d+2)/m)}, // the default
		} {
			mod, err := NewModel(x, z, Options{Weight: c.weight})
			if err != nil {
				t.Fatal(err)
			}
			e := mod.Evaluator()
			at := func(diameters float64) (value, slope float64) {
				theta := diameters * diameter
				grad := make([]float64, 2)
				v := e.Gradient(grad, Params{Theta: []float64{theta},
					Tau2: math.Pow(diameter/theta, 4) / 10})
				return v, grad[0] - 4*grad[1]
			}
			v30, _ := at(30)
			v100, g100 := at(100)
			slope := (v100 - v30) / math.Log(100./30)
			if math.Abs(slope-c.want) > 0.02 {
				t.Errorf("%+v, weight %.3g: slope %.4f, want %.4f", size, mod.Weight(), slope, c.want)
			}
			if math.Abs(g100-c.want) > 0.02 {
				t.Errorf("%+v, weight %.3g: derivative at 100 diameters %.4f, want %.4f",
					size, mod.Weight(), g100, c.want)
			}
		}
	}
}

// The whole posterior at weight 1, tau2 free, sits at a theta of thousands of standard deviations
// with tau2/n near 1e-16 or 1e-21. Its moments by the trapezoidal rule in log theta and log(tau2
// theta^4) against those found in 60-digit arithmetic.
func TestRunawayMode(t *testing.T) {
	var file struct {
		Modes map[string]struct {
			ThetaMean float64 `json:"theta_mean"`
			ThetaSD   float64 `json:"theta_sd"`
			Tau2Mean  float64 `json:"tau2_mean"`
			LogZ      float64
		} `json:"runaway_mode"`
	}
	readLikelihood(t, "normal_laplace_weight1/posterior.json", &file)
	if len(file.Modes) != 2 {
		t.Fatalf("%d modes, want 2", len(file.Modes))
	}
	for name, want := range file.Modes {
		mod := weight1Model(t, name, Options{Weight: 1})
		e := mod.Evaluator()
		v0 := math.Log(want.Tau2Mean) + 4*math.Log(want.ThetaMean)
		su, sv := want.ThetaSD/want.ThetaMean, math.Sqrt(2/float64(mod.n*mod.m))
		const half, perSD = 12, 1.5 // 8 standard deviations either way
		var z, m1, m2, t1 float64
		for i := -half; i <= half; i++ {
			for j := -half; j <= half; j++ {
				u := math.Log(want.ThetaMean) + float64(i)*su/perSD
				logTau2 := v0 + float64(j)*sv/perSD - 4*u
				theta, tau2 := math.Exp(u), math.Exp(logTau2)
				g, l := e.Value(Params{Theta: []float64{theta}, Tau2: tau2})
				f := math.Exp(g + l - theta - tau2 + u + logTau2 - want.LogZ)
				z += f
				m1 += f * theta
				m2 += f * (theta - want.ThetaMean) * (theta - want.ThetaMean)
				t1 += f * tau2
			}
		}
		nearly(t, name+": log Z", want.LogZ+math.Log(z*su*sv/perSD/perSD), want.LogZ, 1e-9)
		nearly(t, name+": mean of theta", m1/z, want.ThetaMean, 1e-8)
		nearly(t, name+": sd of theta", math.Sqrt(m2/z), want.ThetaSD, 1e-6)
		nearly(t, name+": mean of tau2", t1/z, want.Tau2Mean, 1e-7)
	}
}

// weight1Model reads testdata/likelihood/normal_laplace_weight1.
func weight1Model(t testing.TB, name string, o Options) *Model {
	t.Helper()
	dir := "normal_laplace_weight1/" + name
	mod, err := NewModel(fixture.Matrix(readLikelihoodCSV(t, dir+"_x.csv", 1)),
		fixture.Matrix(readLikelihoodCSV(t, dir+"_u.csv", 1)), o)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// For data that are 0 or 1 the profile is known: Omega - Omega(inf) = log(u/(e^u-1)) with u =
// 1/(2 theta²).
func TestProfileOfTwoPoints(t *testing.T) {
	x, z := mat.NewDense(9, 1, nil), mat.NewDense(5, 1, nil)
	for i := range 9 {
		x.Set(i, 0, float64(i%3%2))
	}
	for l := range 5 {
		z.Set(l, 0, float64(l%2))
	}
	mod, err := NewModel(x, z, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, limit := mod.Evaluator(), mod.OmegaLimit()
	for _, theta := range []float64{0.05, 0.3, 1, 5, 80} {
		u := 1 / (2 * theta * theta)
		got, want := e.Omega([]float64{theta}, 1)-limit, math.Log(u/math.Expm1(u))
		if math.Abs(got-want) > 1e-11*(1+math.Abs(want))+1e-15*theta*theta {
			t.Errorf("theta = %v: %v, want %v", theta, got, want)
		}
	}
	// Away from the data all kernel values underflow in the end.
	for l := range 5 {
		z.Set(l, 0, 0.3+float64(l)/20)
	}
	if mod, err = NewModel(x, z, Options{}); err != nil {
		t.Fatal(err)
	}
	if v := mod.Evaluator().Omega([]float64{1e-3}, 1); !math.IsInf(v, -1) {
		t.Errorf("theta = 0.001: %v, want -Inf", v)
	}
}

// Omega_1 tends to its limit, at the rate theta^-2; and multiplying data, pseudo-inputs and theta
// by c takes D log c from both.
func TestOmegaLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	for _, d := range []int{1, 2, 5} {
		x, z := normalRows(r, 50, d), normalRows(r, 3*d+2, d)
		mod, err := NewModel(x, z, Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, limit := mod.Evaluator(), mod.OmegaLimit()
		near := e.Omega([]float64{1e2}, 1) - limit
		far := e.Omega([]float64{1e4}, 1) - limit
		if math.Abs(near) > 1e-2 || math.Abs(far) > 1e-6 || math.Abs(far) > 1e-3*math.Abs(near) {
			t.Errorf("D = %d: distances from the limit %.3g and %.3g", d, near, far)
		}
		var x7, z7 mat.Dense
		x7.Scale(7, x)
		z7.Scale(7, z)
		big, err := NewModel(&x7, &z7, Options{})
		if err != nil {
			t.Fatal(err)
		}
		at := e.Omega([]float64{0.8}, 1)
		shift := -float64(d) * math.Log(7)
		if got := big.Evaluator().Omega([]float64{5.6}, 1); math.Abs(got-at-shift) > 1e-11 {
			t.Errorf("D = %d: rescaled by 7: %v, want %v", d, got, at+shift)
		}
		if got := big.OmegaLimit(); math.Abs(got-limit-shift) > 1e-11 {
			t.Errorf("D = %d: limit rescaled by 7: %v, want %v", d, got, limit+shift)
		}
		// With f < 1 what is left falls like -2 D (1-f) log theta.
		fall := e.Omega([]float64{1e4}, 0.9) - e.Omega([]float64{1e2}, 0.9)
		if want := -0.2 * float64(d) * math.Log(100); math.Abs(fall-want) > 1e-2 {
			t.Errorf("D = %d: at f = 0.9 it falls by %v, want %v", d, fall, want)
		}
	}
}
