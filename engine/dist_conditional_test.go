package engine

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/kernels"
)

// The factor of the covariance, multiplied with its transpose, by the inverse of the kernel matrix:
// equal to 1e-10.
func TestConditionalFactor(t *testing.T) {
	const s, l, jitter = 1.7, 0.8, 0.05
	x, at := []float64{-1, -0.4, 0.1, 0.9, 1.5}, []float64{-2, -0.4, 0, 0.5, 0.6, 3}
	n, to := len(x), len(at)
	g := &Graph{}
	data := func(scalar bool, v ...float64) *Node {
		return g.Add(&Node{N: len(v), Scalar: scalar, Fixed: true, Value: v})
	}
	points, kernel := data(false, x...), Kernel{Radial: kernels.SE{}, N: n, Dim: 1}
	amplitude, length := data(true, s), data(true, l)
	k := g.Apply(kernel, n*n, false, points, amplitude, length, data(true, jitter))
	args := []*Node{points, data(false, at...), g.Apply(Cholesky{n}, n*n, false, k), amplitude, length}
	op := ConditionalMean{kernel, to}
	mean := g.Apply(op, to, false, append(args, data(false, 1, -2, 0.5, 0, 3))...)
	c := &Memory{Value: make([][]float64, len(g.Nodes)), Adjoint: make([][]float64, len(g.Nodes))}
	for _, a := range g.Nodes {
		c.Value[a.ID] = a.Value
	}
	term := (&Conditional{op, append([]*Node{mean}, args...)}).Bind(c, nil).(*conditionalTerm)
	term.decompose()
	columns := term.factor.Columns()

	gram := func(a, b []float64) *mat.Dense {
		k := mat.NewDense(len(a), len(b), nil)
		k.Apply(func(i, j int, _ float64) float64 {
			return s * s * math.Exp(-(a[i]-b[j])*(a[i]-b[j])/(2*l*l))
		}, k)
		return k
	}
	noisy := gram(x, x)
	for i := range n {
		noisy.Set(i, i, noisy.At(i, i)+jitter)
	}
	var inverse, part, want mat.Dense
	if err := inverse.Inverse(noisy); err != nil {
		t.Fatal(err)
	}
	part.Mul(gram(at, x), &inverse)
	want.Mul(&part, gram(x, at))
	want.Sub(gram(at, at), &want)
	for i := range to {
		for j := range to {
			sum := 0.0
			for r := range term.factor.Pivots {
				sum += columns[r*to+i] * columns[r*to+j]
			}
			if w := want.At(i, j); !(math.Abs(sum-w) <= 1e-10) {
				t.Errorf("covariance (%d, %d) is %v, want %v", i, j, sum, w)
			}
		}
	}
}
