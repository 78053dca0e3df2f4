package permute_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/permute"
)

// Does the second sample lie higher than the first? There are 924 ways to part the twelve points,
// and only the observed one, and its exchange, part them so well.
func Example() {
	x := []float64{0.1, 0.5, 0.2, 0.9, 0.4, 0.3, 2.1, 2.6, 2.2, 2.9, 2.5, 2.0}
	n, nx := len(x), 6
	k := make([]float64, n*n)
	for i := range x {
		for j := range x {
			k[i*n+j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]) / 2)
		}
	}
	design, err := permute.NewDesign(n, 1, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	const count = 10000
	signs, err := design.Signs(nx, 0, count)
	if err != nil {
		fmt.Println(err)
		return
	}
	sums := make([]permute.Sums, count)
	m := permute.Matrix{N: n, Data: k}
	if err := permute.Best().Forms(context.Background(), sums, signs, m); err != nil {
		fmt.Println(err)
		return
	}
	unbiased := permute.Sums{XX: 1. / 30, YY: 1. / 30, XY: -2. / 36}
	observed, atLeast := sums[0].Dot(unbiased), 0
	for _, s := range sums {
		if permute.AtLeast(s.Dot(unbiased), observed, 4) {
			atLeast++
		}
	}
	fmt.Printf("MMD² = %.4f, p = %.3f (2/924 = %.3f)\n",
		observed, float64(atLeast)/count, 2./924)
	// Output:
	// MMD² = 1.4786, p = 0.002 (2/924 = 0.002)
}
