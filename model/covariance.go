package model

import (
	"math"

	"bayeskernel/engine"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

// Covariance declares a covariance matrix of n rows: D is Wishart, InvWishart or Flat. Its n² values
// are recorded by rows.
func (m *Model) Covariance(name string, n int, d Dist) Mat {
	return m.square(name, n, 1, 1000, "covariance", priors.Covariance{}, d, caller())
}

// Correlation declares a correlation matrix of n rows: D is LKJ or Flat. Its n² values are recorded by
// rows. For normal distributions that use the matrix CorrCholesky is cheaper.
func (m *Model) Correlation(name string, n int, d Dist) Mat {
	return m.square(name, n, 2, priors.MostCorrelations, "correlation", priors.Correlation{}, d, caller())
}

// square declares a square matrix.
func (m *Model) square(name string, n, least, most int, kind string, t priors.Transform, d Dist,
	where string) Mat {
	if n < least || n > most {
		m.declareName(name, where)
		m.failAt(where, "%s: a %s matrix of %s, want %d to %d", name, kind, plural(n, "row"), least, most)
		return brokenMat(m, max(n, 1), max(n, 1), where)
	}
	lo, hi := t.Bounds()
	e := m.block(name, n*n, false, nil, t, lo, hi, d, where)
	e.about().cols = n
	return Mat{e, n, n}
}

// UnitVector declares n values whose squares add up to 1: a direction, all of them being equally
// probable. A factor by Model.Density makes some more probable.
func (m *Model) UnitVector(name string, n int) Expr {
	where := caller()
	return m.block(name, n, false, nil, priors.UnitVector{}, -1, 1, Dist{direction{}}, where)
}

type direction struct{}

func (direction) name() string { return (&engine.Direction{}).Name() }

func (direction) in(*Model, string, string) engine.Distribution { return &engine.Direction{} }

// SumToZero declares n values with sum 0: D is Normal with mean 0 and one standard deviation, given
// that sum, or Flat.
func (m *Model) SumToZero(name string, n int, d Dist) Expr {
	where := caller()
	if n < 2 {
		m.declareName(name, where)
		m.failAt(where, "%s: %s with sum 0, want at least 2", name, plural(n, "value"))
		return Expr{m.brokenNode(where)}
	}
	if f, ok := d.d.(family); ok && f.f.Name == "normal" && f.cut == nil {
		d = Dist{zeroSum{f}}
	}
	return m.block(name, n, false, nil, priors.ZeroSum{}, math.Inf(-1), math.Inf(1), d, where)
}

// zeroSum is a normal distribution given that the sum of the values is 0.
type zeroSum struct{ family }

func (d zeroSum) in(m *Model, of, where string) engine.Distribution {
	u, ok := d.family.in(m, of, where).(*engine.Univariate)
	if !ok {
		return nil
	}
	mean, sd := u.Args[0], u.Args[1]
	if !mean.Fixed || !mean.Scalar || mean.Value[0] != 0 || !sd.Scalar {
		m.failAt(where, "%s: values with sum 0 have a mean of %s and sds of %s, want 0 and a number", of,
			formula(mean), formula(sd))
		return nil
	}
	return &engine.ZeroSum{SD: sd}
}

// Wishart is the distribution of df times the covariance matrix of df normal vectors with mean 0, whose
// covariance matrix is scale: its mean is df scale. It is for Covariance, or for matrices of data by rows,
// one after the other.
func Wishart[A Arg](df A, scale Mat) Dist { return Dist{wishart{argumentOf(df), scale, false}} }

// InvWishart is the distribution of the inverse of a matrix that is Wishart with df and the inverse of
// scale. With n rows its mean is scale/(df-n-1).
func InvWishart[A Arg](df A, scale Mat) Dist { return Dist{wishart{argumentOf(df), scale, true}} }

type wishart struct {
	df      argument
	scale   Mat
	inverse bool
}

func (d wishart) name() string { return (&engine.Wishart{Inverse: d.inverse}).Name() }

func (d wishart) in(m *Model, of, where string) engine.Distribution {
	df, scale := d.df.in(m, where), argumentOf(d.scale.e).in(m, where)
	n := d.scale.rows
	switch {
	case about(df).broken || about(scale).broken:
		return nil
	case n != d.scale.cols:
		m.failAt(where, "%s: the scale of %s has %d rows of %d, want a square matrix", of, d.name(), n,
			d.scale.cols)
		return nil
	case !df.Scalar:
		m.failAt(where, "%s: the df of %s has %s, want a number", of, d.name(), sizeOf(df))
		return nil
	case df.Fixed && !(df.Value[0] > float64(n-1) && density.Positive.Contains(df.Value[0])):
		m.failAt(where, "%s: the df of %s of %s is %v, want more than %d", of, d.name(), plural(n, "row"),
			df.Value[0], n-1)
		return nil
	}
	out := &engine.Wishart{DF: df, Scale: scale, Dim: n, Inverse: d.inverse}
	if scale.Fixed {
		if err := out.ForValues(scale, "the scale of "+d.name()); err != nil {
			m.failAt(where, "%s: %v", of, err)
			return nil
		}
	}
	return out
}
