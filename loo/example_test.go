package loo_test

import (
	"context"
	"fmt"

	"bayeskernel/hmc"
	"bayeskernel/loo"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// Is a slope worth having? The same 12 values with one and without.
func Example() {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	y := []float64{0.9, 2.3, 2.8, 4.4, 4.6, 6.3, 7.2, 7.7, 9.4, 9.8, 11.3, 11.9}
	var results []loo.Model
	for _, name := range []string{"no slope", "slope"} {
		m := model.New()
		data := m.Data("y", y)
		mean, sd := m.Real("a", model.Normal(0, 10)), m.Positive("sd", model.HalfNormal(5))
		if name == "slope" {
			mean = mean.Add(m.Real("b", model.Normal(0, 5)).Mul(m.Data("x", x)))
		}
		m.Observe(data, model.Normal(mean, sd))
		p, err := m.Compile()
		if err != nil {
			fmt.Println(err)
			return
		}
		run, err := nuts.Sample(context.Background(), p.Target, nuts.Config{
			Settings: hmc.Settings{Seed: 1}})
		if err != nil {
			fmt.Println(err)
			return
		}
		ll, err := p.LogLik(context.Background(), run)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := loo.LOO(context.Background(), ll, loo.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		results = append(results, loo.Model{Name: name, Result: r})
	}
	order, err := loo.Compare(results...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range order {
		fmt.Printf("%-8s %.0f\n", c.Name, c.Difference)
	}
	// Output:
	// slope    0
	// no slope -29
}
