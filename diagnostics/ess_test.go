package diagnostics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Autocovariances by transform equal those by direct summation, for lengths with and without small
// factors.
func TestAutocovariance(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for _, n := range []int{3, 4, 5, 8, 31, 32, 33, 127, 128, 129, 500, 1021} {
		chains := autoregressive(r, 3, n, 0.8)
		want := make([]float64, n)
		for _, c := range chains {
			m := naiveMean(c)
			for lag := range want {
				for i := 0; i+lag < n; i++ {
					want[lag] += (c[i] - m) * (c[i+lag] - m) / float64(3*n)
				}
			}
		}
		got := autocovariance(slices.Concat(chains...), n)
		if len(got) != n {
			t.Fatalf("length %d: %d lags", n, len(got))
		}
		for lag := range want {
			if math.Abs(got[lag]-want[lag]) > 1e-13*want[0] {
				t.Fatalf("length %d, lag %d: %v, want %v", n, lag, got[lag], want[lag])
			}
		}
	}
}

// A stationary autoregression has S(1-phi)/(1+phi) effective draws for its mean, and with phi² in
// place of phi for its second moment. In 400 such runs from other seeds the estimates were off by
// 1% on average, with the standard deviations below; 6 of those are allowed.
func TestESSOfAutoregression(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	for _, c := range []struct{ phi, sd float64 }{
		{-0.5, 0.049}, {0, 0.022}, {0.5, 0.040}, {0.9, 0.088},
	} {
		chains := autoregressive(r, 4, 5000, c.phi)
		first := 20_000 * (1 - c.phi) / (1 + c.phi)
		second := 20_000 * (1 - c.phi*c.phi) / (1 + c.phi*c.phi)
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"ESSBulk", ESSBulk(chains), first},
			{"ESSMean", ESSMean(chains), first},
			{"ESSSD", ESSSD(chains), second},
		} {
			if math.Abs(v.got/v.want-1) > 0.01+6*c.sd {
				t.Errorf("phi %v: %s is %.0f, want about %.0f", c.phi, v.name, v.got, v.want)
			}
		}
	}
}

func TestESSCap(t *testing.T) {
	antithetic := readDraws(t, "antithetic_m06")
	if got, want := ESSBulk(antithetic), ESSCap(4, 250); got != want {
		t.Errorf("antithetic chains: %v, want the cap %v", got, want)
	}
	if got := ESSCap(4, 250); !closeTo(got, 3000, 1e-15, 0) {
		t.Errorf("cap of 1000 draws: %v, want 1000 log10 1000", got)
	}
	odd := make([][]float64, 4)
	for j := range odd {
		odd[j] = antithetic[j][:249]
	}
	if got, want := ESSMean(odd), ESSCap(4, 249); got != want || want != ESSCap(4, 248) {
		t.Errorf("odd length: %v, want the cap %v", got, want)
	}
	if iid := readDraws(t, "iid_normal"); !(ESSBulk(iid) < ESSCap(4, 250)) {
		t.Error("independent draws reach the cap")
	}
	for _, c := range [][2]int{{0, 10}, {-1, 10}, {4, 3}, {4, -5}} {
		if got := ESSCap(c[0], c[1]); !math.IsNaN(got) {
			t.Errorf("cap of %d chains of %d: %v, want NaN", c[0], c[1], got)
		}
	}
}

// The sum of the autocorrelations, in cases small enough to do by hand.
func TestAutocorrelationTime(t *testing.T) {
	for _, c := range []struct {
		name string
		rho  []float64
		want float64
	}{
		{"five lags: none is looked at", []float64{1, 0.5, 0.2, 0.1, 0}, 2},
		{"lag one below -1", []float64{1, -1.1, 1, -1, 1, -1, 1, -1, 1, -1}, 2},
		{"one pair, even lag positive", []float64{1, 0.4, 0.1, -0.3, 0, 0, 0, 0, 0, 0},
			-1 + 2*1.4 + 0.1},
		{"one pair, even lag negative", []float64{1, 0.4, -0.1, -0.3, 0, 0, 0, 0, 0, 0},
			-1 + 2*1.4},
		{"ends at the last pair allowed", []float64{1, 0.5, 0.3, 0.1, 0.2, 0.1, 9, 9},
			-1 + 2*(1.5+0.4) + 0.2},
		{"last pair positive, its even lag negative", []float64{1, 0.5, 0.3, 0.1, -0.2, 0.3, 9, 9},
			-1 + 2*(1.5+0.4) - 0.2},
		{"made monotone", []float64{1, -0.5, 0.6, 0.2, 0.3, 0, -1, -1, 0, 0, 0},
			-1 + 2*(0.5+0.5+0.3)},
		{"monotone twice", []float64{1, -0.8, 0.5, 0.2, 0.3, 0.1, 0.05, -0.1, 0, 0, 0, 0},
			-1 + 2*(0.2*3) + 0.05},
	} {
		if got := autocorrelationTime(slices.Clone(c.rho), len(c.rho)); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestQuantileArgument(t *testing.T) {
	chains := readDraws(t, "iid_normal")
	for _, p := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1), math.Inf(-1), -5e-324} {
		for name, f := range map[string]func([][]float64, float64) float64{
			"Quantile": Quantile, "ESSQuantile": ESSQuantile, "MCSEQuantile": MCSEQuantile,
		} {
			if got := f(chains, p); !math.IsNaN(got) {
				t.Errorf("%s at %v: %v, want NaN", name, p, got)
			}
		}
	}
	all := slices.Concat(chains...)
	if got, want := Quantile(chains, 0), slices.Min(all); got != want {
		t.Errorf("quantile at 0: %v, want the minimum %v", got, want)
	}
	if got, want := Quantile(chains, 1), slices.Max(all); got != want {
		t.Errorf("quantile at 1: %v, want the maximum %v", got, want)
	}
	if got, want := ESSQuantile(chains, 1), ESSQuantile(chains, 1-0.5/1000); got != want {
		t.Errorf("ESS at 1: %v, want %v", got, want)
	}
}

// The sums of products and the transform give the same autocovariances, at every lag that both
// know, for chains shorter and longer than a block.
func TestDirectLags(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 9))
	for _, n := range []int{8, 9, 17, 31, 32, 33, 100} {
		a := slices.Concat(autoregressive(r, 3, n, 0.8)...)
		var l lags
		l.centre(a, n)
		var direct []float64
		for len(direct)+block <= min(n, mostDirect) {
			direct = l.direct(direct)
		}
		want := l.transform()
		for lag, got := range direct {
			if math.Abs(got-want[lag]) > 1e-14*want[0] {
				t.Errorf("%d draws, lag %d: %v, want %v", n, lag, got, want[lag])
			}
		}
	}
}
