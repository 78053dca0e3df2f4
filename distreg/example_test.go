package distreg_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/distreg"

	"gonum.org/v1/gonum/mat"
)

// The label of a bag is the standard deviation of its rows, which the mean of the rows says nothing
// about. A bag of 200 rows is predicted better than one of 5.
func Example() {
	r := rand.New(rand.NewPCG(1, 2))
	bag := func(sd float64, n int) mat.Matrix {
		x := mat.NewDense(n, 1, nil)
		x.Apply(func(int, int, float64) float64 { return sd * r.NormFloat64() }, x)
		return x
	}
	var bags []mat.Matrix
	var y []float64
	for range 100 {
		sd := 0.5 + r.Float64()
		bags, y = append(bags, bag(sd, 5+r.IntN(100))), append(y, sd)
	}
	fit, err := distreg.Learn(context.Background(), bags, y, distreg.LearnOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, variance, err := fit.Model.Predict(fit.Params, []mat.Matrix{bag(1.2, 200), bag(1.2, 5)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, n := range []int{200, 5} {
		fmt.Printf("%v rows: off by less than 0.3: %v, sd below 0.1: %v\n", n, math.Abs(mean[i]-1.2) < 0.3, math.Sqrt(variance[i]) < 0.1)
	}
	// Output:
	// 200 rows: off by less than 0.3: true, sd below 0.1: true
	// 5 rows: off by less than 0.3: true, sd below 0.1: false
}
