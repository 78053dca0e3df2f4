package input

import (
	"math"
	"math/rand/v2"

	"bayeskernel/internal/rng"

	"gonum.org/v1/gonum/mat"
)

// example draws the two samples of section 5.2 of Flaxman et al. (2016): standard normal and
// Laplace, equal in mean and variance.
func example(n int, seed uint64) (*Dataset, error) {
	src, err := rng.New("", rng.Name{Seed: seed, Purpose: "normal against Laplace"}, 0)
	if err != nil {
		return nil, err
	}
	r := rand.New(src)
	d := &Dataset{P: mat.NewDense(n, 1, nil), Q: mat.NewDense(n, 1, nil), Columns: []string{"x"},
		PName: "N(0, 1)", QName: "Laplace(0, √½)", Synthetic: true,
		Source: "synthetic samples of N(0, 1) and Laplace(0, √½)"}
	for i := range n {
		d.P.Set(i, 0, r.NormFloat64())
		u := r.Float64() - 0.5
		d.Q.Set(i, 0, -math.Copysign(math.Sqrt(0.5)*math.Log1p(-2*math.Abs(u)), u))
	}
	return d, nil
}
