package engine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/internal/density"
	"bayeskernel/priors"
)

// MvNormal is the multivariate normal distribution or, with DF, Student-t, of vectors of Dim values.
type MvNormal struct {
	Mean, L, DF *Node
	Dim         int
}

func (d *MvNormal) Name() string {
	if d.DF != nil {
		return "multi_student_t"
	}
	return "multi_normal"
}

func (d *MvNormal) Arguments() []*Node {
	if d.DF != nil {
		return []*Node{d.Mean, d.L, d.DF}
	}
	return []*Node{d.Mean, d.L}
}

func (d *MvNormal) Mapped(to func(*Node) *Node) Distribution {
	out := &MvNormal{Mean: to(d.Mean), L: to(d.L), Dim: d.Dim}
	if d.DF != nil {
		out.DF = to(d.DF)
	}
	return out
}

// Densities is the number of vectors among n values.
func (d *MvNormal) Densities(n int) int { return n / d.Dim }

func (d *MvNormal) ForParameter(p Place) error {
	if t, ok := p.Transform.(priors.Interval); !ok || !math.IsInf(t.Lo, -1) || !math.IsInf(t.Hi, 1) {
		return fmt.Errorf("%s is for parameters that may be any number", d.Name())
	}
	return d.sizes(p.N, "the parameter")
}

func (d *MvNormal) ForValues(y *Node, name string) error { return d.sizes(y.N, name) }

func (d *MvNormal) sizes(n int, name string) error {
	if n%d.Dim != 0 {
		return fmt.Errorf("%s has %s, want vectors of %d for %s", name, plural(n, "value"), d.Dim,
			d.Name())
	}
	if !d.Mean.Scalar && d.Mean.N != d.Dim && d.Mean.N != n {
		return fmt.Errorf("the mean of %s has %s and %s %s in vectors of %d", d.Name(),
			plural(d.Mean.N, "value"), name, plural(n, "value"), d.Dim)
	}
	return nil
}

func (d *MvNormal) Bind(c *Memory, y *Node) Term {
	t := &mvNormalTerm{dim: d.Dim, mean: c.Value[d.Mean.ID], dMean: c.Adjoint[d.Mean.ID],
		l: c.Value[d.L.ID], dl: c.Adjoint[d.L.ID], w: make([]float64, d.Dim), u: make([]float64, d.Dim)}
	if y != nil {
		t.y, t.dy = c.Value[y.ID], c.Adjoint[y.ID]
	}
	if d.DF != nil {
		t.df, t.dDF = c.Value[d.DF.ID], c.Adjoint[d.DF.ID]
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

func (t *mvNormalTerm) Add() float64 {
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

func (t *mvNormalTerm) Pointwise(out []float64) int {
	norm, rows := t.norm(), len(t.y)/t.dim
	for r := range rows {
		k, _ := t.kernel(t.square(r * t.dim))
		out[r] = norm + k
	}
	return rows
}

func (t *mvNormalTerm) Draw(r *rand.Rand, out []float64) {
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
