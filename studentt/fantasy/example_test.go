package fantasy_test

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/kernels"
	"bayeskernel/nuts"
	"bayeskernel/studentt"
	"bayeskernel/studentt/fantasy"

	"gonum.org/v1/gonum/mat"
)

// New rows are drawn given four that lie near 1: most of them lie there too.
func ExampleNext() {
	m, err := studentt.New(kernels.SquaredExponential(1), 1, studentt.Params{Alpha: 8, Beta: 1, Scale2: .1})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if err := m.AddAll(ctx, mat.NewDense(4, 1, []float64{.9, 1, 1.1, 1.2})); err != nil {
		fmt.Println(err)
		return
	}
	var cfg nuts.Config
	cfg.Seed, cfg.Warmup, cfg.Draws, cfg.Chains = 1, 200, 500, 2
	run, err := fantasy.Next(ctx, m, fantasy.Box{Half: []float64{6}}, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	near, n := 0, 0
	for _, chain := range run.Column(0) {
		for _, x := range chain {
			if n++; math.Abs(x-1) < 1.5 {
				near++
			}
		}
	}
	fmt.Println("more than half within 1.5 of 1:", 2*near > n)
	// Output:
	// more than half within 1.5 of 1: true
}
