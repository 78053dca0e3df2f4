package kerneltest_test

import (
	"context"
	"fmt"

	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// From two slices to a p-value.
func ExampleTwoSample() {
	before := []float64{4.9, 5.1, 4.7, 5.6, 5.0, 5.3, 4.4, 5.2, 4.8, 5.4, 4.6, 5.5}
	after := []float64{5.8, 6.4, 5.2, 6.1, 5.9, 6.8, 5.7, 6.0, 6.3, 5.3}
	r, err := kerneltest.TwoSample(context.Background(),
		mat.NewDense(len(before), 1, before), mat.NewDense(len(after), 1, after),
		kerneltest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("p-value %.3f (standard error %.3f), different at level %v: %v\n", r.P, r.PError,
		r.Alpha, r.Reject)
	fmt.Printf("lengthscales %.2f, 2.8, 5.7 and 11.3 times that learned with %d pseudo-inputs (%v)\n",
		r.Kernel.Theta, r.Kernel.Model.M(), r.Kernel.Inputs.Kind)
	// Output:
	// p-value 0.001 (standard error 0.001), different at level 0.05: true
	// lengthscales [0.55 1.10 2.21], 2.8, 5.7 and 11.3 times that learned with 4 pseudo-inputs (quantiles)
}

func ExampleIndependence() {
	x := []float64{-3, -2.5, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3}
	y := []float64{9.3, 6.1, 3.8, 2.5, 0.7, 0.4, -0.2, 0.1, 1.2, 2.0, 4.3, 6.4, 8.8}
	r, err := kerneltest.Independence(context.Background(), mat.NewDense(len(x), 1, x),
		mat.NewDense(len(y), 1, y), kerneltest.Options{
			Kernel: kerneltest.Choice{Rule: kerneltest.PlainMedian},
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("HSIC %.4f, p-value %.3f, normalised %.2f\n", r.Biased, r.P, r.Ratio)
	// Output:
	// HSIC 0.0299, p-value 0.069, normalised 0.32
}

// The published competitors, MMDAgg and MMD-FUSE.
func ExampleOptions_competition() {
	x := mat.NewDense(8, 1, []float64{-0.3, 0.1, 0.2, -0.1, 0.4, -0.2, 0, 0.3})
	y := mat.NewDense(8, 1, []float64{-1.9, 2.1, 1.4, -1.2, 0.9, -1.5, 1.8, -2.3})
	for _, o := range []kerneltest.Options{
		{Kernel: kerneltest.Choice{Rule: kerneltest.AggGrid}, Combine: kerneltest.Aggregate},
		{Kernel: kerneltest.Choice{Rule: kerneltest.FuseGrid}, Combine: kerneltest.Fuse},
	} {
		r, err := kerneltest.TwoSample(context.Background(), x, y, o)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v of %d kernels, %d permutations: p-value %.3f\n", o.Combine,
			len(r.Candidates), r.Permutations, r.P)
	}
	// Output:
	// aggregate of 10 kernels, 1000 permutations: p-value 0.003
	// fuse of 10 kernels, 999 permutations: p-value 0.001
}

// One p-value for three samples.
func ExampleSeveral() {
	var samples []mat.Matrix
	for _, list := range [][]float64{
		{4.2, 11.5, 7.3, 5.8, 6.4, 10, 11.2, 11.2, 5.2, 7},
		{15.2, 21.5, 17.6, 9.7, 14.5, 10, 8.2, 9.4, 16.5, 9.7},
		{23.6, 18.5, 33.9, 25.5, 26.4, 32.5, 26.7, 21.5, 23.3, 29.5},
	} {
		samples = append(samples, mat.NewDense(len(list), 1, list))
	}
	r, err := kerneltest.Several(context.Background(), samples, kerneltest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("groups of %v rows, %d kernels: p-value %.3f\n", r.Groups, len(r.Candidates), r.P)
	// Output:
	// groups of [10 10 10] rows, 4 kernels: p-value 0.001
}
