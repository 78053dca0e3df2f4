package models

import (
	"math/rand/v2"
	"testing"

	"bayeskernel/hmc"
)

// TestLargeGradients compares the gradients with differences at five points each.
func TestLargeGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range Large() {
		target, err := p.Factory()
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			x := make([]float64, target.Dim())
			for i := range x {
				x[i] = 2*r.Float64() - 1
			}
			if err := hmc.CheckGradient(target, x); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
	}
}
