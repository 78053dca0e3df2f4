package causal_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/causal"
	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// Two causes of one effect are found, and which way.
func Example() {
	r := rand.New(rand.NewPCG(1, 2))
	rows := mat.NewDense(500, 3, nil)
	for i := range 500 {
		sun, wind := r.NormFloat64(), r.NormFloat64()
		rows.SetRow(i, []float64{sun, wind, sun - wind + r.NormFloat64()})
	}
	data, err := causal.NewData([]string{"sun", "wind", "ozone"}, rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	test, err := causal.NewFisherZ(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := causal.PC(context.Background(), test, causal.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Graph)
	fmt.Println(result.Tests, "tests")
	// Output:
	// sun -> ozone, wind -> ozone
	// 6 tests
}

// The effect is a wave of the cause, of which a correlation sees nothing. A kernel test does.
func ExampleNewKernel() {
	r := rand.New(rand.NewPCG(3, 4))
	rows := mat.NewDense(100, 2, nil)
	for i := range 100 {
		x := r.NormFloat64()
		rows.SetRow(i, []float64{x, math.Cos(2*x) + 0.3*r.NormFloat64()})
	}
	data, err := causal.NewData([]string{"cause", "effect"}, rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	correlation, _ := causal.NewFisherZ(data)
	kernel, _ := causal.NewKernel(data, conditional.Options{})
	for _, test := range []causal.Test{correlation, kernel} {
		o, err := test.Independence(context.Background(), 0, 1, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("independent:", o.P > 0.05)
	}
	// Output:
	// independent: true
	// independent: false
}

// How often an edge is in the graphs of random halves of the rows, and which way.
func ExampleStability() {
	r := rand.New(rand.NewPCG(1, 2))
	rows := mat.NewDense(500, 3, nil)
	for i := range 500 {
		sun, wind := r.NormFloat64(), r.NormFloat64()
		rows.SetRow(i, []float64{sun, wind, sun - wind + r.NormFloat64()})
	}
	data, err := causal.NewData([]string{"sun", "wind", "ozone"}, rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	open := func(rows []int, _ uint64) (causal.Test, error) {
		half, err := data.Subset(rows)
		if err != nil {
			return nil, err
		}
		return causal.NewFisherZ(half)
	}
	stable, err := causal.Stability(context.Background(), data.Rows(), open, causal.Options{},
		causal.StabilityOptions{Replicates: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	f := stable.Levels[0].Of("sun", "ozone")
	fmt.Println("always adjacent:", f.Adjacent == 1)
	fmt.Println("mostly sun -> ozone:", f.Forward > 0.8)
	// Output:
	// always adjacent: true
	// mostly sun -> ozone: true
}
