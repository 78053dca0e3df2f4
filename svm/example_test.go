package svm_test

import (
	"context"
	"fmt"

	"bayeskernel/kernels"
	"bayeskernel/svm"

	"gonum.org/v1/gonum/mat"
)

// Exclusive or, which no line separates.
func ExampleClassify() {
	x := mat.NewDense(4, 2, []float64{0, 0, 1, 1, 0, 1, 1, 0})
	labels := []string{"same", "same", "different", "different"}
	k := svm.Kernel{Kernel: kernels.SquaredExponential(0.5)}
	c, err := svm.Classify(context.Background(), k, svm.Rows(x), labels, svm.Options{C: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	classes, err := c.Predict(svm.Rows(mat.NewDense(2, 2, []float64{0.1, 0.9, 0.8, 0.9})))
	fmt.Println(classes, err)
	// Output: [different same] <nil>
}
