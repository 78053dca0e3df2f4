package formula

import (
	"math"
	"slices"
	"strconv"
)

// polynomials are orthogonal on the values that they were made for: p_0 = 1 and
//
//	p_{k+1}(x) = (x - alpha_k) p_k(x) - norm_k/norm_{k-1} p_{k-1}(x),
//
// where norm_k is the sum of the squares of p_k, and alpha_k that of x p_k^2 over norm_k. The leading
// coefficients are 1, so the signs are those of R's poly.
type polynomials struct {
	alpha, norm []float64
}

// newPolynomials makes those of degrees up to k. It reports whether there are enough distinct values.
func newPolynomials(x []float64, degree int) (*polynomials, bool) {
	if distinct := slices.Compact(slices.Sorted(slices.Values(x))); len(distinct) <= degree {
		return nil, false
	}
	p := &polynomials{}
	last, now := make([]float64, len(x)), make([]float64, len(x))
	for i := range now {
		now[i] = 1
	}
	for k := 0; k <= degree; k++ {
		norm, first := 0.0, 0.0
		for i, v := range now {
			norm += v * v
			first += x[i] * v * v
		}
		p.norm, p.alpha = append(p.norm, norm), append(p.alpha, first/norm)
		for i, v := range now {
			next := (x[i] - p.alpha[k]) * v
			if k > 0 {
				next -= norm / p.norm[k-1] * last[i]
			}
			last[i], now[i] = v, next
		}
	}
	return p, true
}

// at are the polynomials of degree 1 and more, of norm 1.
func (p *polynomials) at(x []float64) [][]float64 {
	out := make([][]float64, len(p.norm)-1)
	for k := range out {
		out[k] = make([]float64, len(x))
	}
	for i, v := range x {
		last, now := 0.0, 1.0
		for k := range out {
			next := (v - p.alpha[k]) * now
			if k > 0 {
				next -= p.norm[k] / p.norm[k-1] * last
			}
			last, now = now, next
			out[k][i] = now / math.Sqrt(p.norm[k+1])
		}
	}
	return out
}

// poly evaluates polynomials of one expression.
func (r *reading) poly(n *node) (*value, error) {
	a, o, err := r.arguments(n, 1, "degree", "raw")
	if err != nil {
		return nil, err
	}
	degree := 1.0
	if o.given("degree") {
		degree = o["degree"]
	}
	if degree != math.Trunc(degree) || degree < 1 || degree > 20 {
		return nil, r.fail(n, "the degree of %s is %v, want a whole number from 1 to 20", n, degree)
	}
	x, _, err := r.numbers(a[0])
	if err != nil {
		return nil, err
	}
	out := &value{}
	for k := 1; k <= int(degree); k++ {
		out.names = append(out.names, strconv.Itoa(k))
	}
	if o["raw"] == 1 {
		for k := 1; k <= int(degree); k++ {
			c := make([]float64, len(x))
			for i, v := range x {
				c[i] = math.Pow(v, float64(k))
			}
			out.columns = append(out.columns, c)
		}
		return out.orOne(), nil
	}
	key := n.String()
	if r.first {
		p, ok := newPolynomials(x, int(degree))
		if !ok {
			return nil, r.fail(n, "%s has too few distinct values for a polynomial of degree %v", a[0], degree)
		}
		r.from.polys[key] = p
	}
	out.columns = r.from.polys[key].at(x)
	return out.orOne(), nil
}

// orOne leaves out the name of a column that is the only one, as R does.
func (v *value) orOne() *value {
	if len(v.columns) == 1 {
		v.names = nil
	}
	return v
}
