package kerneltest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

func TestIndTmp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rnd := func(n, d int) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				x.Set(i, j, r.NormFloat64())
			}
		}
		return x
	}
	x, y := rnd(2000, 3), rnd(2000, 3)
	t0 := time.Now()
	last := t0
	step := ""
	res, err := Independence(context.Background(), x, y, Options{Progress: func(s string, done, total int) {
		if s != step {
			fmt.Printf("%s at %v\n", s, time.Since(last))
			step = s
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("independence 2000x3", time.Since(t0), res.P, res.Kernel.Theta)
}
