package features_test

import (
	"fmt"
	"math/rand/v2"

	"bayeskernel/kernels"
	"bayeskernel/kernels/features"
)

// Two streams of rows that differ by a shift, each summed up as it comes.
func Example() {
	k := kernels.SquaredExponential(1)
	f, err := features.NewFourier(k, 1, features.FourierOptions{Pairs: 256})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := features.NewMean(f), features.NewMean(f)
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		if err := a.Add([]float64{r.NormFloat64()}); err != nil {
			fmt.Println(err)
		}
		if err := b.Add([]float64{0.5 + r.NormFloat64()}); err != nil {
			fmt.Println(err)
		}
	}
	_, d2, err := features.MMD2(a, b)
	// With the kernel itself it is 2 (1 - exp(-1/24))/sqrt 3 = 0.0471.
	fmt.Printf("%.3f %v\n", d2, err)
	// Output: 0.046 <nil>
}
