package diagnostics_test

import (
	"errors"
	"fmt"
	"math"

	"bayeskernel/diagnostics"
)

// cycle stands in for a sampler: n points of a smooth curve without a period, so that the output
// below is the same everywhere.
func cycle(n int, speed, start float64) []float64 {
	chain := make([]float64, n)
	for i := range chain {
		at := start + speed*float64(i)
		chain[i] = math.Sin(at) + math.Cos(math.Sqrt2*at)
	}
	return chain
}

func Example() {
	// Four chains that explore the same distribution, and four of which the last does not.
	var good, bad [][]float64
	for j := range 4 {
		good = append(good, cycle(500, 2.5, float64(3*j)))
		bad = append(bad, cycle(500, 2.5, float64(3*j)))
	}
	for i := range bad[3] {
		bad[3][i] += 3
	}

	for _, chains := range [][][]float64{good, bad} {
		r, limit := diagnostics.RHat(chains), diagnostics.RHatLimit(chains, 1)
		fmt.Printf("R-hat %.2f, above %.2f: %v\n", r, limit, r > limit)
	}
	// Output:
	// R-hat 1.00, above 1.01: false
	// R-hat 1.48, above 1.01: true
}

func ExampleCheck() {
	chains := [][]float64{
		{0.3, 0.1, 0.4, 0.1, 0.5, 0.9},
		{0.2, 0.6, math.NaN(), 0.3, 0.5, 0.8},
	}
	fmt.Println(diagnostics.RHat(chains))

	err := diagnostics.Check(chains)
	fmt.Println(err)

	var fault *diagnostics.Error
	if errors.As(err, &fault) && fault.Reason == diagnostics.NonFinite {
		fmt.Println("look at chain", fault.Chain)
	}
	// Output:
	// NaN
	// diagnostics: chain 1, iteration 2: value NaN, want a finite number
	// look at chain 1
}

func ExampleSummarize() {
	chains := [][]float64{cycle(400, 0.1, 0), cycle(400, 0.1, 50), cycle(400, 0.1, 99)}
	s := diagnostics.Summarize(chains)
	fmt.Printf("mean %.2f with error %.2f\n", s.Mean, s.MCSEMean)
	fmt.Printf("sd %.2f, 90%% interval %.2f to %.2f\n", s.SD, s.Q05, s.Q95)
	fmt.Printf("worth %.0f independent draws in the bulk, %.0f in the tails\n", s.ESSBulk, s.ESSTail)
	// Output:
	// mean 0.02 with error 0.12
	// sd 1.02, 90% interval -1.69 to 1.73
	// worth 75 independent draws in the bulk, 168 in the tails
}

// Chains that alternate about the mean estimate it better than independent draws would; how much
// better is not known once the cap is reached.
func ExampleESSCap() {
	var chains [][]float64
	for j := range 4 {
		c := cycle(100, 2.5, float64(j))
		for i := range c {
			c[i] = (3 + c[i]) * math.Pow(-1, float64(i+j))
		}
		chains = append(chains, c)
	}
	if ess := diagnostics.ESSMean(chains); ess == diagnostics.ESSCap(4, 100) {
		fmt.Printf("at least %.0f\n", ess)
	}
	// Output:
	// at least 1041
}

func ExampleRHatNested() {
	// Six chains of five draws; the first three started from one point, the others from another.
	var chains [][]float64
	for j := range 6 {
		chains = append(chains, cycle(5, 2, float64(j)))
	}
	fmt.Printf("%.3f\n", diagnostics.RHatNested(chains, []int{0, 0, 0, 1, 1, 1}))
	// Output:
	// 1.025
}

func ExampleEBFMI() {
	slow := cycle(300, 0.05, 0)
	fmt.Printf("%.3f, below 0.3: the energy changes too slowly\n", diagnostics.EBFMI(slow))
	// Output:
	// 0.004, below 0.3: the energy changes too slowly
}

func ExampleParetoK() {
	// Quantiles of a Cauchy distribution, which has no mean, in a scattered order.
	chain := make([]float64, 1000)
	for i := range chain {
		u := (float64(i*377%1000) + 0.5) / 1000
		chain[i] = math.Tan(math.Pi * (u - 0.5))
	}
	k := diagnostics.ParetoK([][]float64{chain})
	fmt.Printf("k = %.2f, threshold %.2f\n", k, diagnostics.ParetoKThreshold(1000))
	// Output:
	// k = 0.92, threshold 0.67
}
