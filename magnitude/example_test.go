package magnitude_test

import (
	"context"
	"fmt"
	"log"

	"bayeskernel/magnitude"

	"gonum.org/v1/gonum/mat"
)

// Two made-up samples, of which the first is larger by 2 on average.
func ExampleSamples() {
	x := mat.NewDense(8, 1, []float64{3, 5, 4, 6, 7, 5, 4, 6})
	y := mat.NewDense(8, 1, []float64{2, 3, 4, 1, 5, 3, 2, 4})
	r, err := magnitude.Samples(context.Background(), x, y, magnitude.Options{Columns: []string{"height"}})
	if err != nil {
		log.Fatal(err)
	}
	c := r.Columns[0]
	fmt.Printf("%s: difference of means %.3g\n", c.Name, c.Mean.Estimate)
	fmt.Printf("a row of the first sample exceeds one of the second with probability %.3f\n",
		c.Exceeds.Estimate)
	// Output:
	// height: difference of means 2
	// a row of the first sample exceeds one of the second with probability 0.859
}
