package power_test

import (
	"context"
	"fmt"
	"os"

	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/power"
)

// The median heuristic and the learned lengthscale on a normal and a Laplace distribution that have
// the same mean and variance.
func Example() {
	problems, err := power.ParseProblems("normal-laplace:n=100")
	if err != nil {
		fmt.Println(err)
		return
	}
	options := kerneltest.Options{Permutations: 199}
	methods, err := power.ParseMethods("median learned", options)
	if err != nil {
		fmt.Println(err)
		return
	}
	records, err := power.Run(context.Background(), problems, methods,
		power.Options{Seed: 1, Replicates: 60, Settings: power.Settings(options)})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := power.Compare(records, problems[0].Name, "learned", "median")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := power.WriteComparisons(os.Stdout, []power.Comparison{c}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// | problem        | A       | B      | data sets | only A | only B | power A - B    | p       |
	// | -------------- | ------- | ------ | --------- | ------ | ------ | -------------- | ------- |
	// | normal-laplace | learned | median | 60        | 19     | 2      | +0.283 ± 0.067 | 0.00022 |
}
