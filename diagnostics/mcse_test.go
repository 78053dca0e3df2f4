package diagnostics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// Estimates of independent runs, each less the truth and over its own Monte Carlo standard error,
// have mean square 1. The mean square of 300 of them has a standard deviation of about 0.09 (a
// little more than sqrt(2/300), the errors being estimates); 0.5 on either side is more than five
// of those.
func TestMCSECalibration(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	const reps = 300
	type estimate struct {
		name        string
		value, mcse func([][]float64) float64
		truth       float64
		squares     float64
	}
	estimates := []estimate{
		{name: "mean", value: Mean, mcse: MCSEMean},
		{name: "sd", value: SD, mcse: MCSESD, truth: 1},
		{name: "5% quantile", value: atQuantile(Quantile, 0.05),
			mcse: atQuantile(MCSEQuantile, 0.05), truth: naiveNormal(0.05)},
		{name: "median", value: atQuantile(Quantile, 0.5), mcse: atQuantile(MCSEQuantile, 0.5)},
	}
	for range reps {
		chains := autoregressive(r, 4, 250, 0.5)
		for k := range estimates {
			e := &estimates[k]
			z := (e.value(chains) - e.truth) / e.mcse(chains)
			e.squares += z * z / reps
		}
	}
	for _, e := range estimates {
		t.Logf("%s: mean square %.3f", e.name, e.squares)
		if math.Abs(e.squares-1) > 0.5 {
			t.Errorf("%s: mean square of the standardized errors %.3f, want 1", e.name, e.squares)
		}
	}
}

// The beta quantiles behind MCSEQuantile and the normal ones behind ranks, against R 4.2's qbeta
// and qnorm.
func TestQuantileFunctions(t *testing.T) {
	for _, c := range []struct{ e, p, q, want float64 }{
		{2.5, 0, belowMinusOne, 0.04815991688543677},
		{2.5, 0.5, belowMinusOne, 0.26587672382383332},
		{2.5, 0.999, belowOne, 0.95153717016805217},
		{99.7, 0.05, belowMinusOne, 0.036082129151580787},
		{99.7, 0.05, belowOne, 0.081669650875756949},
		{99.7, 0.5, belowOne, 0.54957973158533635},
		{1071.46, 0.05, belowMinusOne, 0.044151488398927019},
		{1071.46, 0.5, belowOne, 0.5152607873763887},
		{1071.46, 0.999, belowMinusOne, 0.99683505964610897},
		{12345.6, 0, belowOne, 0.00014910048941709173},
		{12345.6, 0.05, belowOne, 0.052035144882639828},
		{1e6, 0, belowMinusOne, 1.7275364610372313e-07},
		{1e6, 0.5, belowMinusOne, 0.49950000059519362},
		{1e6, 0.999, belowOne, 0.99903061942077309},
	} {
		got := mathext.InvRegIncBeta(c.e*c.p+1, c.e*(1-c.p)+1, c.q)
		if !closeTo(got, c.want, 1e-9, 0) {
			t.Errorf("beta quantile %v at e = %v, p = %v: %.17g, want %.17g",
				c.q, c.e, c.p, got, c.want)
		}
	}
	for _, c := range []struct{ p, want float64 }{
		{1e-12, -7.0344838253011321},
		{1e-6, -4.7534243088228987},
		{0.001, -3.0902323061678132},
		{0.0249, -1.9616778690637862},
		{0.0251, -1.9582558379498316},
		{0.0749, -1.4402382675279632},
		{0.0751, -1.4388253927525398},
		{0.2, -0.84162123357291418},
		{0.4999, -0.00025066283008800752},
		{0.5, 0},
		{0.6, 0.25334710313579978},
		{0.99999, 4.2648907939238399},
	} {
		if got := mathext.NormalQuantile(c.p); !closeTo(got, c.want, 1e-14, 0) {
			t.Errorf("normal quantile at %v: %.17g, want %.17g", c.p, got, c.want)
		}
	}
}

// Results beyond the largest float64 are infinite; everything below it is computed.
func TestExtremes(t *testing.T) {
	const big = math.MaxFloat64
	chains := [][]float64{{big, -big, big, 0, -big, big}, {-big, 0, big, -big, 0, -big}}
	small := mapDraws(chains, func(v float64) float64 { return v * 0x1p-1024 })
	for name, f := range map[string]func([][]float64) float64{
		"RHat": RHat, "ESSMean": ESSMean, "ESSSD": ESSSD, "ParetoK": ParetoK,
	} {
		if got, want := f(chains), f(small); !closeTo(got, want, 0, 0) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for name, f := range map[string]func([][]float64) float64{
		"Mean": Mean, "SD": SD, "MCSEMean": MCSEMean, "MCSESD": MCSESD,
		"Quantile": atQuantile(Quantile, 0.4), "MCSEQuantile": atQuantile(MCSEQuantile, 0.4),
	} {
		if got, want := f(chains), math.Ldexp(f(small), 1024); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := SD([][]float64{{big, -big, big, -big}}); !math.IsInf(got, 1) {
		t.Errorf("a standard deviation above the largest number is %v", got)
	}
}

// Descriptive numbers exist where diagnostics do not.
func TestDescriptive(t *testing.T) {
	for _, c := range []struct {
		name             string
		chains           [][]float64
		mean, sd, median float64
	}{
		{"one draw", [][]float64{{7}}, 7, math.NaN(), 7},
		{"two draws", [][]float64{{1}, {2}}, 1.5, math.Sqrt(0.5), 1.5},
		{"equal", [][]float64{{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}}, 0.1, 0, 0.1},
		{"offset", [][]float64{{1e15, 1e15 + 1, 1e15 + 2}}, 1e15 + 1, 1, 1e15 + 1},
		{"none", nil, math.NaN(), math.NaN(), math.NaN()},
		{"infinite", [][]float64{{1, math.Inf(1)}}, math.NaN(), math.NaN(), math.NaN()},
	} {
		sum := Summarize(c.chains)
		if !closeTo(sum.Mean, c.mean, 0, 0) || !closeTo(sum.SD, c.sd, 1e-15, 0) ||
			!closeTo(sum.Q50, c.median, 0, 0) {
			t.Errorf("%s: mean %v, sd %v, median %v; want %v, %v, %v",
				c.name, sum.Mean, sum.SD, sum.Q50, c.mean, c.sd, c.median)
		}
	}
}

// Estimates hold, to the bit, what the functions return.
func TestSummarize(t *testing.T) {
	for name := range readReference(t) {
		c := readDraws(t, name)
		got := Summarize(c)
		for what, v := range map[string][2]float64{
			"mean": {got.Mean, Mean(c)}, "sd": {got.SD, SD(c)},
			"MCSE of the mean": {got.MCSEMean, MCSEMean(c)}, "of the sd": {got.MCSESD, MCSESD(c)},
			"q05": {got.Q05, Quantile(c, 0.05)}, "its MCSE": {got.MCSEQ05, MCSEQuantile(c, 0.05)},
			"q50": {got.Q50, Quantile(c, 0.5)}, "MCSE of q50": {got.MCSEQ50, MCSEQuantile(c, 0.5)},
			"q95": {got.Q95, Quantile(c, 0.95)}, "MCSE of q95": {got.MCSEQ95, MCSEQuantile(c, 0.95)},
			"R-hat": {got.RHat, RHat(c)}, "bulk ESS": {got.ESSBulk, ESSBulk(c)},
			"tail ESS": {got.ESSTail, ESSTail(c)}, "k": {got.ParetoK, ParetoK(c)},
		} {
			if math.Float64bits(v[0]) != math.Float64bits(v[1]) {
				t.Errorf("%s: %s is %v, want %v", name, what, v[0], v[1])
			}
		}
		if want := Check(c); fmt.Sprint(got.Err) != fmt.Sprint(want) {
			t.Errorf("%s: error %v, want %v", name, got.Err, want)
		}
	}
}
