package statistic

import "fmt"

// Margin is what HSIC needs to know of one of the two variables alone.
type Margin struct {
	Diagonal []float64 // of the centred Gram matrix
	Squares  float64   // sum of its squared elements
	DiagMean float64   // mean of the diagonal of the Gram matrix, which is not centred, and
	OffMean  float64   // of what is off the diagonal

	gram   *Centred // nil where it was not kept
	factor *Factor  // nil where there is none
}

// withoutSquares leaves to the caller what takes another pass over the matrix.
func (c *Centred) withoutSquares() Margin {
	n := float64(c.n)
	return Margin{gram: c, Diagonal: c.diagonal(), DiagMean: c.diagMean,
		OffMean: (n*c.grand - c.diagMean) / (n - 1)}
}

// Margin returns what HSIC needs to know of the matrix, which may then be replaced.
func (c *Centred) Margin() Margin {
	m := c.withoutSquares()
	m.Squares, m.gram = c.norm2(), nil
	return m
}

// Margin returns what HSIC needs to know of the factor.
func (f *Factor) Margin() Margin {
	v := Margin{factor: f, Diagonal: f.Diagonal(), DiagMean: f.diagMean}
	for _, e := range f.Covariance().Data {
		v.Squares += e * e
	}
	n, grand := float64(f.n), 0.0
	for _, e := range f.mean {
		grand += e * e
	}
	v.OffMean = (n*grand - f.diagMean) / (n - 1)
	return v
}

// factored returns a factor of all ranks for a null distribution.
func (v *Margin) factored(null Null) (*Factor, error) {
	if v.factor != nil {
		return v.factor, nil
	}
	if v.gram == nil {
		return nil, fmt.Errorf("statistic: null %v of an HSIC made of margins, want Gram matrices or "+
			"factors", null)
	}
	return v.gram.factor(0)
}
