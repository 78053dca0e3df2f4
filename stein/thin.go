package stein

import (
	"cmp"
	"fmt"
	"math"

	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Thinning says how Thin measures distances. The zero value is that of the identity.
type Thinning struct {
	// Preconditioner is the matrix A: "id" (or empty) for I; "med" for I/m², m the median distance of at most
	// 1000 rows evenly spaced; "sclmed" for log(min(n, 1000)) I/m²; "smpcov" for the inverse
	// covariance of the rows.
	Preconditioner string
	// Standardise divides each column by its mean absolute deviation first.
	Standardise bool
	// Regularise subtracts t/m log p(x) at step t, which keeps the masses of several modes apart. In ten
	// columns and more it pulls points inward.
	Regularise bool
}

// most is the number of rows that the median distance rests on.
const most = 1000

// Thin chooses m rows of x, with scores u, whose squared discrepancy is small: one after another, the best
// at each step (Riabiz and others, Optimal Thinning of MCMC Output, 2022). The kernel is (1+q)^-1/2. Rows may come up
// repeatedly. Logp, the log densities of the rows, is needed to regularise alone. It takes O(n m D).
func Thin(x, u mat.Matrix, logp []float64, m int, o Thinning) ([]int, error) {
	if err := cmp.Or(rows.Check("x", x), rows.Check("u", u)); err != nil {
		return nil, fmt.Errorf("stein: %w", err)
	}
	n, d := x.Dims()
	if r, c := u.Dims(); r != n || c != d {
		return nil, fmt.Errorf("stein: rows are %d x %d and scores %d x %d; they must be of one shape", n, d, r, c)
	}
	if m < 1 {
		return nil, fmt.Errorf("stein: m is %d; at least 1 row must be chosen", m)
	}
	if o.Regularise {
		if len(logp) != n {
			return nil, fmt.Errorf("stein: %d log densities for %d rows; there must be as many", len(logp), n)
		}
		for i, v := range logp {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("stein: the log density of row %d is %v; it must be finite", i, v)
			}
		}
	}
	if o.Standardise {
		var err error
		if x, u, err = standardise(x, u); err != nil {
			return nil, err
		}
	}
	a, err := precondition(x, o.Preconditioner)
	if err != nil {
		return nil, err
	}
	k, err := New(kernels.RQ{Alpha: .5}, a)
	if err != nil {
		return nil, err
	}
	p, err := k.read(x, u)
	if err != nil {
		return nil, err
	}
	half := make([]float64, n) // half the objective
	for i := range half {
		half[i] = k.diagonal(p.u[i*d:(i+1)*d]) / 2
	}
	w := k.newRow(p)
	chosen := make([]int, 0, m)
	for t := 1; t <= m; t++ {
		best, least := 0, math.Inf(1)
		for i, v := range half {
			if o.Regularise {
				v -= float64(t) / float64(m) * logp[i] / 2
			}
			if v < least {
				best, least = i, v
			}
		}
		chosen = append(chosen, best)
		if t == m {
			break
		}
		w.against(p.x[best*d:(best+1)*d], p.u[best*d:(best+1)*d])
		for i, v := range w.value {
			half[i] += v
		}
	}
	return chosen, nil
}

// standardise divides columns by their mean absolute deviations and multiplies scores by them.
func standardise(x, u mat.Matrix) (*mat.Dense, *mat.Dense, error) {
	n, d := x.Dims()
	rows, scores := mat.DenseCopyOf(x), mat.DenseCopyOf(u)
	for j := range d {
		centre, s := 0.0, 0.0
		for i := range n {
			centre += x.At(i, j) / float64(n)
		}
		for i := range n {
			s += math.Abs(x.At(i, j)-centre) / float64(n)
		}
		if s == 0 {
			return nil, nil, fmt.Errorf("stein: column %d is constant and cannot be standardised", j)
		}
		for i := range n {
			rows.Set(i, j, rows.At(i, j)/s)
			scores.Set(i, j, scores.At(i, j)*s)
		}
	}
	return rows, scores, nil
}

// precondition returns the matrix A of that name.
func precondition(x mat.Matrix, name string) (mat.Symmetric, error) {
	n, d := x.Dims()
	switch name {
	case "", "id":
		return Lengthscale(1, d), nil
	case "med", "sclmed":
		m, err := Median(x)
		if err != nil {
			return nil, err
		}
		if !(m > 0) {
			return nil, fmt.Errorf("stein: the median distance of rows is %v; preconditioner %s needs one above 0", m, name)
		}
		if name == "med" {
			return Lengthscale(m, d), nil
		}
		if n < 2 {
			return nil, fmt.Errorf("stein: preconditioner sclmed needs at least 2 rows")
		}
		return Lengthscale(m/math.Sqrt(math.Log(float64(min(n, most)))), d), nil
	case "smpcov":
		if n < 2 {
			return nil, fmt.Errorf("stein: preconditioner smpcov needs at least 2 rows")
		}
		var chol mat.Cholesky
		if !chol.Factorize(covariance(x)) {
			return nil, fmt.Errorf("stein: the covariance of the rows is singular; preconditioner smpcov needs its inverse")
		}
		out := mat.NewSymDense(d, nil)
		if err := chol.InverseTo(out); err != nil {
			return nil, fmt.Errorf("stein: the covariance of the rows is nearly singular: %w", err)
		}
		return out, nil
	}
	return nil, fmt.Errorf("stein: there is no preconditioner %q; there are id, med, sclmed and smpcov", name)
}

// covariance of rows, with divisor n-1.
func covariance(x mat.Matrix) *mat.SymDense {
	n, d := x.Dims()
	c := mat.DenseCopyOf(x)
	for j := range d {
		centre := mat.Sum(c.ColView(j)) / float64(n)
		for i := range n {
			c.Set(i, j, c.At(i, j)-centre)
		}
	}
	out := mat.NewSymDense(d, nil)
	out.SymOuterK(1/float64(n-1), c.T())
	return out
}

// Median is the median distance of at most 1000 rows evenly spaced: the usual lengthscale. It is 0 for one row, and
// where half of them are equal.
func Median(x mat.Matrix) (float64, error) {
	if _, _, _, err := rows.Parts("x", x); err != nil {
		return 0, fmt.Errorf("stein: %w", err)
	}
	if err := rows.Scaled("x", x); err != nil {
		return 0, fmt.Errorf("stein: %w", err)
	}
	_, d := x.Dims()
	at := spaced(x, most)
	some := mat.NewDense(len(at), d, nil)
	for i, k := range at {
		for j := range d {
			some.Set(i, j, x.At(k, j))
		}
	}
	m, err := kernels.MedianDistance(some, 0)
	if err != nil { // one row, or equal ones
		return 0, nil
	}
	return m.All, nil
}

// spaced is the numbers of at most so many rows, evenly spaced from the first to the last.
func spaced(x mat.Matrix, size int) []int {
	n, _ := x.Dims()
	out := make([]int, min(n, size))
	for i := range out {
		if len(out) > 1 {
			out[i] = i * (n - 1) / (len(out) - 1)
		}
	}
	return out
}
