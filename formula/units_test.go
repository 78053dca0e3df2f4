package formula

import (
	"context"
	"math"
	"testing"

	"bayeskernel/diagnostics"
	"bayeskernel/frame"
)

// A response in millions beside a column in units of 1e-7 has the posterior of both in ordinary units, scaled, within four standard
// errors of Monte Carlo; log likelihoods and draws of the response are scaled too. Chance alone fails one in 1000 such tests.
func TestUnits(t *testing.T) {
	data, err := frame.Read(context.Background(), "testdata/bayes.csv", frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"y ~ x + (1 + x | g) @ gaussian @ b ~ normal(0, 2); Intercept ~ normal(3, 2); sd ~ normal(0, 1); sigma ~ exponential(1)",
			"I(1e8 + 1e6 * y) ~ I(x * 1e-7) + (1 + I(x * 1e-7) | g) @ gaussian @ b ~ normal(0, 2e13); Intercept ~ normal(1.03e8, 2e6); sd ~ " +
				"normal(0, 1e6); `sd_g__I(x * 1e-07)` ~ normal(0, 1e13); sigma ~ exponential(1e-6)"},
		{"y ~ x + s(z) @ student @ sds ~ exponential(1); Intercept ~ normal(3, 2); sigma ~ exponential(1)",
			"I(1e8 + 1e6 * y) ~ I(x * 1e-7) + s(z) @ student @ sds ~ exponential(1e-6); Intercept ~ normal(1.03e8, 2e6); sigma ~ exponential(1e-6)"},
	} {
		a, ra := fitted(t, data, c[0])
		b, rb := fitted(t, data, c[1])
		if a.units != (units{0, 1}) || b.size == 1 || b.level == 0 {
			t.Fatalf("units are %v and %v", a.units, b.units)
		}
		for k := range a.Main() {
			x, y := ra.Column(k), rb.Column(k)
			per := 1e-6
			shift := 0.0
			switch name := ra.Names[k]; name {
			case "nu", "cor_g__Intercept__x":
				per = 1
			case "b_x", "sd_g__x":
				per = 1e-13
			case "b_Intercept":
				shift = -100
			}
			mx, my := meanOf(x), shift+per*meanOf(y)
			if z := (mx - my) / math.Hypot(diagnostics.MCSEMean(x), per*diagnostics.MCSEMean(y)); math.Abs(z) > 4 {
				t.Errorf("%s: %s is %.5g, in other units %.5g: %.1f standard errors", c[0], ra.Names[k], mx, my, z)
			}
		}
	}
}

func meanOf(chains [][]float64) float64 {
	sum, n := 0.0, 0
	for _, c := range chains {
		for _, v := range c {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}
