package bayesfactor

import (
	"context"
	"fmt"

	"bayeskernel/internal/permute"

	"gonum.org/v1/gonum/mat"
)

// witnessAt returns mean and standard deviation of delta at the points, at one lengthscale and one
// amplitude.
func witnessAt(x, y, points mat.Matrix, theta, s float64) (mean, sd []float64, err error) {
	c, err := newContrast(x, y, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	d, err := permute.NewDesign(c.x+c.y, 0, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("bayesfactor: %w", err)
	}
	a, err := c.arrange(ctx, d, 0, 1)
	if err != nil {
		return nil, nil, err
	}
	at, err := c.points(points)
	if err != nil {
		return nil, nil, err
	}
	v, err := c.view(ctx, a, at, theta, 0)
	if err != nil {
		return nil, nil, err
	}
	for i := range v.count {
		m, sigma := v.normal(i, v.amplitude(s), make([]float64, v.f.rank))
		mean, sd = append(mean, m), append(sd, sigma)
	}
	return mean, sd, nil
}

// pairedAt is log BF of Paired at one lengthscale, in the units of the data, and one amplitude.
func pairedAt(x, y mat.Matrix, theta, s float64) (float64, error) {
	p, err := newPairs(x, y)
	if err != nil {
		return 0, err
	}
	d, err := p.design(0)
	if err != nil {
		return 0, err
	}
	ctx := context.Background()
	a, err := p.arrange(ctx, d, 0, 1)
	if err != nil {
		return 0, err
	}
	return single(ctx, p, a, theta, s)
}
