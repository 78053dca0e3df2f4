package models_test

import (
	"fmt"

	"bayeskernel/examples/models"
	"bayeskernel/hmc"
)

func ExampleARK() {
	p, err := models.ARK()
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := p.Factory()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Name, "has dimension", target.Dim())
	fmt.Println("gradient at zero:", hmc.CheckGradient(target, make([]float64, target.Dim())))
	fmt.Printf("sigma is about %.3f\n", p.Reference["sigma"].Mean)
	// Output:
	// arK has dimension 7
	// gradient at zero: <nil>
	// sigma is about 0.151
}
