package stein_test

import (
	"fmt"
	"math/rand/v2"

	"bayeskernel/kernels"
	"bayeskernel/stein"

	"gonum.org/v1/gonum/mat"
)

// Rows of N(0, 1), and the same moved by a half, beside the density of N(0, 1), whose score is -x.
func Example() {
	r := rand.New(rand.NewPCG(1, 2))
	x, moved := mat.NewDense(200, 1, nil), mat.NewDense(200, 1, nil)
	for i := range 200 {
		v := r.NormFloat64()
		x.Set(i, 0, v)
		moved.Set(i, 0, v+0.5)
	}
	score := func(x *mat.Dense) *mat.Dense {
		var u mat.Dense
		u.Scale(-1, x)
		return &u
	}
	k, err := stein.New(kernels.RQ{Alpha: 0.5}, stein.Lengthscale(1, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := k.U(x, score(x))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := k.U(moved, score(moved))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the moved rows are farther:", b > 10*max(a, 0.001))
	// Output: the moved rows are farther: true
}
