package shrinkage_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bayeskernel/embedding/shrinkage"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Twenty rows in five columns: how much each estimator shrinks, and what leaving out each row in
// turn says of its risk.
func Example() {
	r := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(20, 5, nil)
	x.Apply(func(i, j int, v float64) float64 { return r.NormFloat64() }, x)
	k := kernels.SquaredExponential(2)
	p, err := shrinkage.NewRows(context.Background(), k, x, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range []shrinkage.Estimate{
		p.Empirical(),
		p.ShrinkScalar(),
		p.ShrinkPlugIn(),
		p.ShrinkSpectral(shrinkage.TrueLeaveOneOut),
	} {
		sum := 0.0
		for _, w := range e.Weights {
			sum += w
		}
		fmt.Printf("%-23s lambda %.3f  sum of weights %.3f  score %.4f\n", e.Method, e.Lambda, sum,
			e.Score)
	}
	// Output:
	// empirical               lambda 0.000  sum of weights 1.000  score 0.6503
	// scalar                  lambda 0.085  sum of weights 0.922  score 0.6477
	// plug-in                 lambda 0.075  sum of weights 0.930  score 0.6478
	// spectral, leave-one-out lambda 0.619  sum of weights 0.912  score 0.6478
}
