package bayesfactor_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayeskernel/kerneltest/bayesfactor"

	"gonum.org/v1/gonum/mat"
)

// Two samples of 60 rows whose means differ by one standard deviation.
func ExampleDensity() {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(60, 1, nil), mat.NewDense(60, 1, nil)
	for i := range 60 {
		x.Set(i, 0, r.NormFloat64())
		y.Set(i, 0, r.NormFloat64()+1)
	}
	result, err := bayesfactor.Density(context.Background(), x, y, bayesfactor.Options{
		Permutations: 199, Points: mat.NewDense(2, 1, []float64{-0.5, 1.5})})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("P(H1) = %.4f: %s\n", result.Probability, result.Words())
	fmt.Printf("p = %.3f\n", result.P)
	fmt.Println("more of x at -0.5:", result.Witness.Low[0] > 0)
	fmt.Println("more of y at 1.5:", result.Witness.High[1] < 0)
	// Output:
	// P(H1) = 0.9995: very strong, for a difference
	// p = 0.005
	// more of x at -0.5: true
	// more of y at 1.5: true
}
