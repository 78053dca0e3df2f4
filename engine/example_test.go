package engine_test

import (
	"fmt"

	"bayeskernel/engine"
	"bayeskernel/internal/density"
)

// Four values that are normal, with a mean and the log of a standard deviation as inputs.
func Example() {
	g := &engine.Graph{}
	mean := g.Add(&engine.Node{N: 1, Scalar: true})
	logSD := g.Add(&engine.Node{N: 1, Scalar: true})
	y := g.Add(&engine.Node{N: 4, Fixed: true, Value: []float64{0, 1, 2, 3}})
	sd := g.Apply(engine.Exp, 1, true, logSD)

	d := engine.NewDensity(g, nil)
	normal := &engine.Univariate{Family: density.Normal(), Args: []*engine.Node{mean, sd}}
	d.Terms = append(d.Terms, d.Rewrite(normal, y))
	d.Fuse()
	for _, r := range d.Rewrote {
		fmt.Println(r.Part, r.By)
	}

	c := d.Bind(d.Terms, []*engine.Node{mean, logSD})
	c.Value[mean.ID][0], c.Value[logSD.ID][0] = 1, 0
	fmt.Printf("log density %.4f\n", c.Gradient(0)) // -(1+0+1+4)/2 - 2 log(2 pi)
	fmt.Println("derivatives", c.Adjoint[mean.ID], c.Adjoint[logSD.ID])
	// Output:
	// a regression of 4 rows on 1 columns by QR
	// log density -6.6758
	// derivatives [2] [2]
}
