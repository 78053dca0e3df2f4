package model

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

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

func (d mvNormal) in(m *Model, of, where string) distribution {
	out := &mvNormalOf{mean: d.mean.in(m, where)}
	if d.l.e.node == nil {
		m.failAt(where, "%s: the matrix of %s is one that no model made", of, d.name())
		return nil
	}
	out.l = argumentOf(d.l.e).in(m, where)
	if about(out.mean).broken || about(out.l).broken {
		return nil
	}
	if d.l.rows != d.l.cols {
		m.failAt(where, "%s: the Cholesky factor of %s has %d rows of %d, want a square matrix", of,
			d.name(), d.l.rows, d.l.cols)
		return nil
	}
	out.dim = d.l.rows
	if d.df != nil {
		out.df = d.df.in(m, where)
		switch {
		case about(out.df).broken:
			return nil
		case !out.df.Scalar:
			m.failAt(where, "%s: the df of %s has %s, want a number", of, d.name(), sizeOf(out.df))
			return nil
		case out.df.Fixed && !(out.df.Value[0] > 0):
			m.failAt(where, "%s: the df of %s is %v, want a positive number", of, d.name(),
				out.df.Value[0])
			return nil
		}
	}
	return out
}

// mvNormalOf is the distribution in a model.
type mvNormalOf struct {
	mean, l, df *Node
	dim         int
}

func (d *mvNormalOf) name() string {
	if d.df != nil {
		return "multi_student_t"
	}
	return "multi_normal"
}

func (d *mvNormalOf) arguments() []*Node {
	if d.df != nil {
		return []*Node{d.mean, d.l, d.df}
	}
	return []*Node{d.mean, d.l}
}

func (d *mvNormalOf) mapped(to func(*Node) *Node) distribution {
	out := &mvNormalOf{mean: to(d.mean), l: to(d.l), dim: d.dim}
	if d.df != nil {
		out.df = to(d.df)
	}
	return out
}

// densities is the number of vectors among n values.
func (d *mvNormalOf) densities(n int) int { return n / d.dim }

func (d *mvNormalOf) forParameter(p Place) error {
	if t, ok := p.Transform.(priors.Interval); !ok || !math.IsInf(t.Lo, -1) || !math.IsInf(t.Hi, 1) {
		return fmt.Errorf("%s is for parameters that may be any number", d.name())
	}
	return d.sizes(p.N, "the parameter")
}

func (d *mvNormalOf) forValues(y *Node, name string) error { return d.sizes(y.N, name) }

func (d *mvNormalOf) sizes(n int, name string) error {
	if n%d.dim != 0 {
		return fmt.Errorf("%s has %s, want vectors of %d for %s", name, plural(n, "value"), d.dim,
			d.name())
	}
	if !d.mean.Scalar && d.mean.N != d.dim && d.mean.N != n {
		return fmt.Errorf("the mean of %s has %s and %s %s in vectors of %d", d.name(),
			plural(d.mean.N, "value"), name, plural(n, "value"), d.dim)
	}
	return nil
}

func (d *mvNormalOf) bind(c *memory, y *Node) term {
	t := &mvNormalTerm{dim: d.dim, mean: c.value[d.mean.ID], dMean: c.adjoint[d.mean.ID],
		l: c.value[d.l.ID], dl: c.adjoint[d.l.ID], w: make([]float64, d.dim), u: make([]float64, d.dim)}
	if y != nil {
		t.y, t.dy = c.value[y.ID], c.adjoint[y.ID]
	}
	if d.df != nil {
		t.df, t.dDF = c.value[d.df.ID], c.adjoint[d.df.ID]
	}
	return t
}

// mvNormalTerm is the log density of vectors y of d values. With w = L⁻¹(y - mean), q = w'w and
// u = L'⁻¹ w, that of the normal distribution is
//
//	-q/2 - sum of log L_ii - d log(2 pi)/2,
//
// with derivatives -u in y, u in the mean, and u_i w_j - [i = j]/L_ii in L_ij, j <= i. That of the t
// distribution with df degrees of freedom is
//
//	log Gamma((df+d)/2) - log Gamma(df/2) - d log(df pi)/2 - sum of log L_ii - (df+d)/2 log(1+q/df);
//
// u and u w' have the factor (df+d)/(df+q).
type mvNormalTerm struct {
	dim               int
	y, dy             []float64
	mean, dMean       []float64
	l, dl, df, dDF, w []float64
	u                 []float64
}

// at is the place in the mean of value i of a row that begins at value start.
func (t *mvNormalTerm) at(start, i int) int {
	switch len(t.mean) {
	case 1:
		return 0
	case t.dim:
		return i
	}
	return start + i
}

// norm returns the part of the log density without y, -Inf outside the support.
func (t *mvNormalTerm) norm() float64 {
	d, logs := float64(t.dim), 0.0
	for i := range t.dim {
		v := t.l[i*t.dim+i]
		if !(v > 0) {
			return math.Inf(-1)
		}
		logs += math.Log(v)
	}
	if t.df == nil {
		return -logs - d*logSqrt2Pi
	}
	nu := t.df[0]
	if !(nu > 0) {
		return math.Inf(-1)
	}
	up, _ := math.Lgamma((nu + d) / 2)
	down, _ := math.Lgamma(nu / 2)
	return up - down - d/2*math.Log(nu*math.Pi) - logs
}

// square computes w and returns q.
func (t *mvNormalTerm) square(start int) float64 {
	for i := range t.w {
		t.u[i] = t.y[start+i] - t.mean[t.at(start, i)]
	}
	forwardSolve(t.w, t.l, t.u)
	q := 0.0
	for _, v := range t.w {
		q += v * v
	}
	return q
}

// kernel is the part of the log density with y, and the factor of u.
func (t *mvNormalTerm) kernel(q float64) (lp, factor float64) {
	if t.df == nil {
		return -q / 2, 1
	}
	nu, d := t.df[0], float64(t.dim)
	return -(nu + d) / 2 * math.Log1p(q/nu), (nu + d) / (nu + q)
}

func (t *mvNormalTerm) add() float64 {
	norm := t.norm()
	if math.IsInf(norm, -1) {
		return norm
	}
	lp, rows := 0.0, 0
	for start := 0; start < len(t.y); start += t.dim {
		q := t.square(start)
		k, factor := t.kernel(q)
		lp += norm + k
		rows++
		backSolve(t.u, t.l, t.w)
		for i, u := range t.u {
			u *= factor
			if t.dy != nil {
				t.dy[start+i] -= u
			}
			if t.dMean != nil {
				t.dMean[t.at(start, i)] += u
			}
			if t.dl != nil {
				row := t.dl[i*t.dim : i*t.dim+i+1]
				for j, w := range t.w[:i+1] {
					row[j] += u * w
				}
			}
		}
		if t.dDF != nil {
			nu, d := t.df[0], float64(t.dim)
			t.dDF[0] += (density.Digamma((nu+d)/2) - density.Digamma(nu/2) - d/nu - math.Log1p(q/nu) +
				(nu+d)/(nu+q)*q/nu) / 2
		}
	}
	if t.dl != nil {
		for i := range t.dim {
			t.dl[i*t.dim+i] -= float64(rows) / t.l[i*t.dim+i]
		}
	}
	return lp
}

func (t *mvNormalTerm) pointwise(out []float64) int {
	norm, rows := t.norm(), len(t.y)/t.dim
	for r := range rows {
		k, _ := t.kernel(t.square(r * t.dim))
		out[r] = norm + k
	}
	return rows
}

func (t *mvNormalTerm) draw(r *rand.Rand, out []float64) {
	f := density.Gamma()
	for start := 0; start < len(out); start += t.dim {
		for i := range t.w {
			t.w[i] = r.NormFloat64()
		}
		scale := 1.0
		if t.df != nil {
			half := t.df[0] / 2
			scale = 1 / math.Sqrt(f.Rand(r, &density.Params{half, half}))
		}
		for i := range t.dim {
			v := 0.0
			for j, w := range t.w[:i+1] {
				v += t.l[i*t.dim+j] * w
			}
			out[start+i] = t.mean[t.at(start, i)] + scale*v
		}
	}
}
