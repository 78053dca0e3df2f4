package inputs_test

import (
	"context"
	"fmt"

	"bayeskernel/bke/inputs"

	"gonum.org/v1/gonum/mat"
)

func ExampleChoose() {
	x := mat.NewDense(40, 1, nil)
	for i := range 40 {
		x.Set(i, 0, float64(i*i)/100) // all samples together
	}
	in, err := inputs.Choose(context.Background(), x, inputs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d %v: %.2f\n", in.Asked, in.Kind, in.Z.RawMatrix().Data)
	// Output:
	// 8 quantiles: [0.06 0.54 1.49 2.91 4.81 7.19 10.04 13.37]
}
