package bke

import (
	"math"

	"bayeskernel/internal/fused"

	"gonum.org/v1/gonum/floats"
)

// pairs evaluates the kernel k of the data and the prior covariance r of the embedding at given
// hyperparameters, over all pairs of two sets of points.
type pairs struct {
	kind fused.Kind
	dim  int
	inv  []float64 // 1/theta_a
	amp  float64   // r is amp exp(-near/4 - far), see Nu
	far  []float64 // for Gaussian, the weight of ((x_a+y_a)/theta_a)²; else empty
}

// set takes new hyperparameters.
func (g *pairs) set(nu Nu, dim int, p Params) {
	g.dim = dim
	g.inv, g.far = g.inv[:0], g.far[:0]
	for a := range dim {
		t := p.theta(a)
		g.inv = append(g.inv, 1/t)
		if nu == Gaussian {
			// c²/(theta²+2 eta²) with c = (x+y)/2.
			h := math.Hypot(1, math.Sqrt2*p.Eta/t)
			g.far = append(g.far, 1/(4*h*h))
		}
	}
	g.amp = math.Exp(logAmplitude(nu, p, dim))
}

// kernel writes k(x_i, y_j) into dst[i*ny+j].
func (g *pairs) kernel(dst, x, y []float64) { g.fill(dst, x, y, 0.5, nil) }

// prior writes r(x_i, y_j) into dst[i*ny+j].
func (g *pairs) prior(dst, x, y []float64) {
	g.fill(dst, x, y, 0.25, g.far)
	if g.amp != 1 {
		for i := range dst {
			dst[i] *= g.amp
		}
	}
}

// fill writes exp(-near d(x_i, y_j) - far terms), where d is the squared distance in units of
// theta.
func (g *pairs) fill(dst, x, y []float64, near float64, far []float64) {
	ny := len(y) / g.dim
	for i := 0; i*g.dim < len(x); i++ {
		xi, row := x[i*g.dim:(i+1)*g.dim], dst[i*ny:(i+1)*ny]
		if g.dim == 1 {
			squares(row, y, xi[0], g.inv[0])
		} else {
			for j := range row {
				s := 0.0
				for a, v := range y[j*g.dim : (j+1)*g.dim] {
					d := (xi[a] - v) * g.inv[a]
					s += d * d
				}
				row[j] = s
			}
		}
		if len(far) > 0 {
			g.addFar(row, xi, y, near, far)
		}
	}
	dst = dst[:len(x)/g.dim*ny]
	g.kind.ExpNeg(dst, dst, near)
}

// squares writes ((x-y_j) inv)² into dst[j].
func squares(dst, y []float64, x, inv float64) {
	for len(dst) >= 4 && len(y) >= 4 {
		d0, d1, d2, d3 := (x-y[0])*inv, (x-y[1])*inv, (x-y[2])*inv, (x-y[3])*inv
		dst[0], dst[1], dst[2], dst[3] = d0*d0, d1*d1, d2*d2, d3*d3
		dst, y = dst[4:], y[4:]
	}
	for j := range dst {
		d := (x - y[j]) * inv
		dst[j] = d * d
	}
}

// addFar adds what, times near, is the exponent of the second factor of Gaussian.
func (g *pairs) addFar(row, xi, y []float64, near float64, far []float64) {
	for j := range row {
		s := 0.0
		for a, v := range y[j*g.dim : (j+1)*g.dim] {
			c := (xi[a] + v) * g.inv[a]
			s += c * c * far[a]
		}
		row[j] += s / near
	}
}

// diagonal writes r(x_i, x_i).
func (g *pairs) diagonal(dst, x []float64) {
	for i := range dst {
		dst[i] = g.amp
		if len(g.far) == 0 {
			continue
		}
		s := 0.0
		for a, f := range g.far {
			c := 2 * x[i*g.dim+a] * g.inv[a]
			s += c * c * f
		}
		dst[i] *= math.Exp(-s)
	}
}

// means writes the means over the rows x of k(x, p_j) into dst[j], where p are x themselves, so
// that every pair is evaluated once. The buffer has room for all rows.
func (g *pairs) means(dst, x, buf []float64) {
	n := len(x) / g.dim
	for i := range dst {
		dst[i] = 1 // k(x_i, x_i)
	}
	for i := range n - 1 {
		row := buf[:n-1-i]
		g.kernel(row, x[i*g.dim:(i+1)*g.dim], x[(i+1)*g.dim:])
		dst[i] += floats.Sum(row)
		floats.Add(dst[i+1:], row)
	}
	for i := range dst {
		dst[i] /= float64(n)
	}
}

// logAmplitude returns the logarithm of the factor of r that depends on neither point.
func logAmplitude(nu Nu, p Params, dim int) float64 {
	if nu == Unit {
		return 0
	}
	s := 0.0
	for a := range dim {
		t := p.theta(a)
		if nu == Lebesgue {
			s += math.Log(t) + math.Log(math.Pi)/2
		} else {
			u := p.Eta / t
			s -= math.Log1p(2*u*u) / 2
		}
	}
	return s
}
