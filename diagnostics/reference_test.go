package diagnostics

import (
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"bayeskernel/internal/fixture"
)

// readDraws reads a file of draws: a row per iteration, a column per chain.
func readDraws(t testing.TB, name string) [][]float64 {
	t.Helper()
	rows := fixture.Rows(t, filepath.Join("testdata", "draws", name+".csv"), 0)
	chains := make([][]float64, len(rows[0]))
	for _, row := range rows {
		for j, v := range row {
			chains[j] = append(chains[j], v)
		}
	}
	return chains
}

// readReference returns the reference values, case by case. Values that are not numbers, such as
// lists and messages, are left out.
func readReference(t testing.TB) map[string]map[string]float64 {
	t.Helper()
	var file struct{ Cases map[string]map[string]any }
	fixture.JSON(t, filepath.Join("testdata", "posterior_1.7.1.json"), &file)
	out := make(map[string]map[string]float64)
	for name, values := range file.Cases {
		out[name] = make(map[string]float64)
		for key, v := range values {
			switch v := v.(type) {
			case float64:
				out[name][key] = v
			case string: // NaN, Inf, -Inf
				if x, err := strconv.ParseFloat(v, 64); err == nil {
					out[name][key] = x
				}
			}
		}
	}
	return out
}

// pairs puts chains 0 and 1 into one superchain, 2 and 3 into the next, and so on.
func pairs(chains int) []int {
	id := make([]int, chains)
	for j := range id {
		id[j] = j / 2
	}
	return id
}

func singletons(chains int) []int {
	id := make([]int, chains)
	for j := range id {
		id[j] = j
	}
	return id
}

// internal applies a method of sample, NaN where there is no sample.
func internal(f func(*sample) float64) func([][]float64) float64 {
	return func(c [][]float64) float64 {
		if s := load(c); s != nil {
			return f(s)
		}
		return math.NaN()
	}
}

func atQuantile(f func([][]float64, float64) float64, p float64) func([][]float64) float64 {
	return func(c [][]float64) float64 { return f(c, p) }
}

func drawCount(c [][]float64) int { return len(c) * len(c[0]) }

// quantities maps the keys of the reference file to what computes them here. A mad and the
// values of samplers that do not split have no counterpart.
var quantities = map[string]func([][]float64) float64{
	"rhat":        RHat,
	"rhat_bulk":   internal(func(s *sample) float64 { return rhat(s.bulkScores(), s.half()) }),
	"rhat_folded": internal((*sample).rhatFolded),
	"rhat_basic": internal(func(s *sample) float64 {
		return rhat(s.split(s.centred()), s.half())
	}),
	"rhat_basic_nosplit": internal(func(s *sample) float64 { return rhat(s.centred(), s.draws) }),
	"ess_bulk":           ESSBulk,
	"ess_tail":           ESSTail,
	"ess_basic":          ESSMean,
	"ess_basic_nosplit":  internal(func(s *sample) float64 { return ess(s.centred(), s.draws) }),
	"ess_mean":           ESSMean,
	"ess_sd":             ESSSD,
	"ess_q05":            atQuantile(ESSQuantile, 0.05),
	"ess_q50":            atQuantile(ESSQuantile, 0.5),
	"ess_q95":            atQuantile(ESSQuantile, 0.95),
	"mcse_mean":          MCSEMean,
	"mcse_sd":            MCSESD,
	"mcse_q05":           atQuantile(MCSEQuantile, 0.05),
	"mcse_q50":           atQuantile(MCSEQuantile, 0.5),
	"mcse_q95":           atQuantile(MCSEQuantile, 0.95),
	"mean":               Mean,
	"sd":                 SD,
	"median":             atQuantile(Quantile, 0.5),
	"q05":                atQuantile(Quantile, 0.05),
	"q95":                atQuantile(Quantile, 0.95),
	"rhat_nested_pairs": func(c [][]float64) float64 {
		return RHatNested(c, pairs(len(c)))
	},
	"rhat_nested_singletons": func(c [][]float64) float64 {
		return RHatNested(c, singletons(len(c)))
	},
	"khat_both": ParetoK,
	"khat_left": internal(func(s *sample) float64 {
		return s.paretoK(leftTail, s.essTail()/float64(len(s.x)))
	}),
	"khat_right": internal(func(s *sample) float64 {
		return s.paretoK(rightTail, s.essTail()/float64(len(s.x)))
	}),
	"khat_right_reff1": internal(func(s *sample) float64 { return s.paretoK(rightTail, 1) }),
	"khat_threshold":   func(c [][]float64) float64 { return ParetoKThreshold(drawCount(c)) },
	"min_ss":           func(c [][]float64) float64 { return ParetoMinDraws(ParetoK(c)) },
	"convergence_rate": func(c [][]float64) float64 {
		return ParetoRate(ParetoK(c), drawCount(c))
	},
}

// closeTo reports agreement to tol relative, or to tol times floor for values near zero.
func closeTo(got, want, tol, floor float64) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(got)
	case math.IsInf(want, 0):
		return got == want
	}
	return math.Abs(got-want) <= tol*max(math.Abs(want), floor)
}

// departure says what a quantity is here where it is not that of the reference, and whether that
// is so. Nothing else departs.
func departure(name, key string, want float64) (ours float64, departs bool) {
	nan := math.NaN()
	described := key == "mean" || key == "sd" || key == "median" || key == "q05" || key == "q95"
	switch name {
	case "len1", "len2", "len3": // no diagnostics of fewer than four draws
		if !described && key != "khat_threshold" {
			return nan, true
		}
	case "has_inf", "has_nan":
		if key != "khat_threshold" {
			return nan, true
		}
	case "const_per_chain", "const_per_chain4": // chains that stand still in different places
		switch key {
		case "rhat", "rhat_bulk":
			return math.Inf(1), true
		case "rhat_folded": // in the first file all distances from the median are equal
			if name == "const_per_chain4" {
				return math.Inf(1), true
			}
		}
	case "odd101":
		if key == "rhat_nested_pairs" { // superchains of two chains and of one
			return nan, true
		}
	}
	switch {
	case key == "khat_both" && math.IsInf(want, -1): // no tail can be fitted
		return nan, true
	case key == "min_ss" || key == "convergence_rate": // of a k that is undefined
		switch name {
		case "poisson_ties", "bernoulli_rare", "len6", "len5", "short4", "constant",
			"const_per_chain", "const_per_chain4":
			return nan, true
		}
	}
	return 0, false
}

// rescaled lists what the reference cannot compute because of the scale of the draws. Such values
// are compared in TestRescaled.
func rescaled(name, key string, want float64) bool {
	switch name {
	case "tiny_scale", "small_scale":
		return math.IsNaN(want) || key == "convergence_rate"
	case "huge_scale":
		return key == "ess_sd" || key == "mcse_sd"
	}
	return false
}

func TestReference(t *testing.T) {
	compared := 0
	for name, values := range readReference(t) {
		chains := readDraws(t, name)
		tol := 1e-9
		if name == "big_offset" { // 1e9 and a spread of 1: the reference has lost nine digits
			tol = 1e-7
		}
		for key, f := range quantities {
			want, ok := values[key]
			if !ok {
				t.Errorf("%s: no reference for %s", name, key)
				continue
			}
			if rescaled(name, key, want) {
				continue
			}
			if ours, departs := departure(name, key, want); departs {
				want = ours
			}
			floor := 0.0
			switch key {
			case "mean", "median", "q05", "q95":
				floor = values["sd"]
			case "khat_both", "khat_left", "khat_right", "khat_right_reff1":
				floor = 1
			}
			if got := f(chains); !closeTo(got, want, tol, floor) {
				t.Errorf("%s: %s is %.17g, want %.17g", name, key, got, want)
			}
			compared++
		}
	}
	if compared < 31*len(quantities)-40 {
		t.Errorf("compared %d values only", compared)
	}
}

// Draws too small or too large for the reference give what the same draws give at a scale of one,
// computed by the direct sums of naive_test.go.
func TestRescaled(t *testing.T) {
	scales := map[string]float64{"tiny_scale": 1e17, "small_scale": 1e12, "huge_scale": 1e-150}
	direct := map[string]func([][]float64) float64{
		"rhat_basic": func(c [][]float64) float64 { return naiveRHat(naiveSplit(c)) },
		"ess_mean":   func(c [][]float64) float64 { return naiveESS(naiveSplit(c)) },
		"ess_sd":     naiveESSSD,
		"ess_q05":    func(c [][]float64) float64 { return naiveESSQuantile(c, 0.05) },
		"ess_q50":    func(c [][]float64) float64 { return naiveESSQuantile(c, 0.5) },
		"ess_q95":    func(c [][]float64) float64 { return naiveESSQuantile(c, 0.95) },
		"mcse_mean":  naiveMCSEMean,
		"mcse_sd":    naiveMCSESD,
		"khat_both":  ParetoK, // checked at other scales by the reference
		"mcse_q05":   atQuantile(MCSEQuantile, 0.05),
		"rhat_nested_pairs": func(c [][]float64) float64 {
			return RHatNested(c, pairs(len(c)))
		},
	}
	for name, scale := range scales {
		chains := readDraws(t, name)
		atOne := mapDraws(chains, func(v float64) float64 { return v * scale })
		for key, f := range direct {
			want := f(atOne)
			if key == "mcse_mean" || key == "mcse_sd" || key == "mcse_q05" {
				want /= scale
			}
			if got := quantities[key](chains); !closeTo(got, want, 1e-9, 0) {
				t.Errorf("%s: %s is %v, want %v", name, key, got, want)
			}
		}
	}
}

// The reference's autocovariances of the first chain, at the first lags.
func TestReferenceAutocovariance(t *testing.T) {
	var file struct {
		Cases map[string]struct {
			Autocov any `json:"autocov_chain1"`
		}
	}
	fixture.JSON(t, filepath.Join("testdata", "posterior_1.7.1.json"), &file)
	for name, c := range file.Cases {
		want, ok := c.Autocov.([]any)
		if !ok { // a message: one draw
			continue
		}
		chain := readDraws(t, name)[0]
		if name == "big_offset" { // keep what the offset does to the reference out of this
			continue
		}
		got := autocovariance(chain, len(chain))
		scale, _ := want[0].(float64)
		for lag, w := range want {
			w, ok := w.(float64)
			if !ok || math.Abs(got[lag]-w) > 1e-13*scale {
				t.Errorf("%s: lag %d: autocovariance %v, want %v", name, lag, got[lag], w)
			}
		}
	}
}
