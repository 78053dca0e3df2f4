package model

import "bayeskernel/engine"

// MvNormal is the multivariate normal distribution with covariance matrix L L', L being lower
// triangular: K.Cholesky() for a covariance matrix K, l.ScaleRows(sd) for standard deviations and the
// Cholesky factor of correlations. Values are one vector or several, one after the other; the mean
// is a number, a vector for all, or has a value for each value. Vectors have a density together.
func MvNormal[A Arg](mean A, l Mat) Dist { return Dist{mvNormal{mean: argumentOf(mean), l: l}} }

// MvStudentT is Student's multivariate t distribution with location and scale matrix L L'.
func MvStudentT[A, B Arg](df A, location B, l Mat) Dist {
	nu := argumentOf(df)
	return Dist{mvNormal{mean: argumentOf(location), l: l, df: &nu}}
}

type mvNormal struct {
	mean argument
	l    Mat
	df   *argument // nil for the normal distribution
}

func (d mvNormal) name() string {
	if d.df != nil {
		return "multi_student_t"
	}
	return "multi_normal"
}

func (d mvNormal) in(m *Model, of, where string) engine.Distribution {
	out := &engine.MvNormal{Mean: d.mean.in(m, where)}
	if d.l.e.node == nil {
		m.failAt(where, "%s: the matrix of %s is one that no model made", of, d.name())
		return nil
	}
	out.L = argumentOf(d.l.e).in(m, where)
	if about(out.Mean).broken || about(out.L).broken {
		return nil
	}
	if d.l.rows != d.l.cols {
		m.failAt(where, "%s: the Cholesky factor of %s has %d rows of %d, want a square matrix", of,
			d.name(), d.l.rows, d.l.cols)
		return nil
	}
	out.Dim = d.l.rows
	if d.df != nil {
		out.DF = d.df.in(m, where)
		switch {
		case about(out.DF).broken:
			return nil
		case !out.DF.Scalar:
			m.failAt(where, "%s: the df of %s has %s, want a number", of, d.name(), sizeOf(out.DF))
			return nil
		case out.DF.Fixed && !(out.DF.Value[0] > 0):
			m.failAt(where, "%s: the df of %s is %v, want a positive number", of, d.name(),
				out.DF.Value[0])
			return nil
		}
	}
	return out
}
