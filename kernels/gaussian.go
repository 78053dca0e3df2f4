package kernels

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// gaussian is the prior covariance under N(0, eta² I) of a mixture of squared exponentials of
// weights w and widths s. With
//
//	S = s_i² + s_j²,   H = s_i² s_j²/S,   u_a = theta_a² H + eta²,   c = (s_j² x + s_i² y)/S,
//
// q_a = (x_a-y_a)²/theta_a² and the sum over all ordered pairs ij of components,
//
//	r = sum w_i w_j prod_a (theta_a² H/u_a)^(1/2) exp(-q_a/2S - c_a²/2u_a).
//
// The logarithm of a term has the derivatives
//
//	dlog theta_a:  eta²/u_a + q_a/S + c_a² theta_a² H/u_a²
//	dlog eta:      sum_a (c_a²/u_a - 1) eta²/u_a
//
// The pairs ij and ji share all but c, which is y + alpha (x-y) for one and x - alpha (x-y) for the
// other, alpha = s_j²/S: they are one term here. A Matern or rational quadratic kernel has about 70
// widths, and a pair of points costs as many exponentials as there are ordered pairs of widths that
// matter. Terms with a largest value below 1e-18 of the amplitude are left out.
type gaussian struct {
	dim             int
	weights, widths []float64
	original        bool // the kernel is this mixture, not only near to it

	// All terms. The last are logarithms of w_i w_j, doubled where i and j differ.
	sum, harmonic, share, logPair []float64

	// What depends on theta and eta, in units of theta.
	theta, inv []float64
	eta        float64
	h2         []float64 // (eta/theta_a)²
	logs       []float64 // log amplitudes of all terms
	terms      []term    // those that matter
	far        []float64 // theta_a²/2u_a, for each lengthscale and term
	exps       []float64 // for each term, then the same in the other order
	quadratics []quadratic
	wide       *gaussianWide // workspace for 32 digits, made when first needed
}

// term is a pair of components.
type term struct {
	weight float64 // of either order in Q
	near   float64 // 1/2S
	alpha  float64
	place  int // among all terms
}

// quadratic is c² summed over coordinates with the same lengthscale: a + alpha (b + alpha d) in one
// order and a2 + alpha (b2 + alpha d) in the other. All are in units of theta.
type quadratic struct {
	a, b, a2, b2, d float64
	coordinates     float64
}

// maxWidths bounds the pairs of widths.
const maxWidths = 400

func newGaussian(k Radial, dim int) (*gaussian, error) {
	g := &gaussian{dim: dim}
	g.weights, g.widths = k.Mixture()
	switch n := len(g.weights); {
	case n == 0 || n != len(g.widths):
		return nil, fmt.Errorf("kernels: kernel %v has no mixture, want one for nu = gaussian", k)
	case n > maxWidths:
		return nil, fmt.Errorf("kernels: kernel %v under nu = gaussian needs a mixture of %d widths, "+
			"want at most %d", k, n, maxWidths)
	}
	_, g.original = k.(mixing)
	for i, s := range g.widths {
		for j, t := range g.widths[:i+1] {
			a, b := s*s, t*t
			l := math.Log(g.weights[i]) + math.Log(g.weights[j])
			if i != j {
				l += math.Ln2
			}
			g.sum = append(g.sum, a+b)
			g.harmonic = append(g.harmonic, a*(b/(a+b)))
			g.share = append(g.share, b/(a+b))
			g.logPair = append(g.logPair, l)
		}
	}
	n := len(g.sum)
	g.logs, g.terms = make([]float64, n), make([]term, 0, n)
	g.exps = make([]float64, 2*n)
	g.quadratics = make([]quadratic, dim)
	return g, nil
}

// mixing is implemented by kernels that are their Mixture.
type mixing interface{ isMixture() }

func (g *gaussian) single() bool { return len(g.weights) == 1 }

// negligible is the part of the amplitude below which a term is left out.
const negligible = 1e-18

// set takes new hyperparameters and returns the logarithm of r's amplitude, the sum of all terms
// at x = y = 0.
func (g *gaussian) set(theta, inv []float64, eta float64) (logAmp float64) {
	g.theta, g.inv, g.eta = theta, inv, eta
	g.h2 = g.h2[:0]
	for _, v := range inv {
		g.h2 = append(g.h2, min(eta*v*(eta*v), 1e300))
	}
	if g.wide != nil {
		g.wide.ready = false
	}
	repeat := float64(g.dim / len(theta))
	for t, h := range g.harmonic {
		g.logs[t] = g.logPair[t]
		for _, v := range g.h2 {
			g.logs[t] -= repeat * math.Log1p(v/h) / 2
		}
	}
	logAmp = floats.LogSumExp(g.logs)
	g.terms, g.far = g.terms[:0], g.far[:0]
	for t, l := range g.logs {
		w := math.Exp(l - logAmp)
		if w < negligible {
			continue
		}
		g.terms = append(g.terms, term{w / 2, 1 / (2 * g.sum[t]), g.share[t], t})
	}
	for _, v := range g.h2 {
		for k := range g.terms {
			g.far = append(g.far, 1/(2*(g.harmonic[g.terms[k].place]+v)))
		}
	}
	return logAmp
}

// fill writes Q(x_i, y_j).
func (g *gaussian) fill(dst []float64, path Path, x, y []float64) {
	ny := len(y) / g.dim
	if g.single() {
		squares(dst, x, y, g.dim, g.inv)
		near := g.terms[0].near
		for i := range len(x) / g.dim {
			g.addFar(dst[i*ny:(i+1)*ny], x[i*g.dim:(i+1)*g.dim], y, near)
		}
		path.ExpNeg(dst, dst, near)
		return
	}
	for i := range dst {
		dst[i] = g.evaluate(path, g.point(x, i/ny), g.point(y, i%ny), len(g.inv))
	}
}

func (g *gaussian) point(x []float64, i int) []float64 { return x[i*g.dim : (i+1)*g.dim] }

// addFar adds what, times near, is the exponent of the second factor.
func (g *gaussian) addFar(row, xi, y []float64, near float64) {
	if len(g.inv) == 1 {
		half, w := g.inv[0]/2, g.far[0]/near
		for j := range row {
			s := 0.0
			for a, v := range y[j*g.dim : (j+1)*g.dim] {
				c := (xi[a] + v) * half
				s += c * c
			}
			row[j] += s * w
		}
		return
	}
	for j := range row {
		s := 0.0
		for a, v := range y[j*g.dim : (j+1)*g.dim] {
			c := (xi[a] + v) * (g.inv[a] / 2)
			s += c * c * g.far[a]
		}
		row[j] += s / near
	}
}

// evaluate returns Q. It leaves the exponentials in exps, and the quadratics of so many groups of
// coordinates, 1 or dim. Points so far out that a square is out of range have Q = 0.
func (g *gaussian) evaluate(path Path, x, y []float64, groups int) float64 {
	quadratics := g.quadratics[:groups]
	clear(quadratics)
	q := 0.0
	for a, xa := range x {
		inv := g.inv[min(a, len(g.inv)-1)]
		xa, ya := xa*inv, y[a]*inv
		d := (x[a] - y[a]) * inv
		f := &quadratics[min(a, groups-1)]
		f.a, f.b = f.a+ya*ya, f.b+2*ya*d
		f.a2, f.b2 = f.a2+xa*xa, f.b2-2*xa*d
		f.d += d * d
		f.coordinates++
		q += d * d
	}
	if !inReach(q, quadratics) {
		return 0
	}
	one, two := g.orders()
	for t := range one {
		e := q * g.terms[t].near
		one[t], two[t] = e, e
	}
	for k := range quadratics {
		f := quadratics[k]
		terms, far := g.terms[:len(one)], g.farOf(k)[:len(one)]
		for t := range one {
			alpha, w := terms[t].alpha, far[t]
			one[t] += w * (f.a + alpha*(f.b+alpha*f.d))
			two[t] += w * (f.a2 + alpha*(f.b2+alpha*f.d))
		}
	}
	path.ExpNeg(g.exps[:2*len(one)], g.exps[:2*len(one)], 1)
	s := 0.0
	for t := range one {
		s += g.terms[t].weight * (one[t] + two[t])
	}
	return min(s, 1)
}

// orders returns what exps has for either order of the terms.
func (g *gaussian) orders() (one, two []float64) {
	n := len(g.terms)
	return g.exps[:n], g.exps[n : 2*n : 2*n]
}

// farOf returns the far of all terms for a coordinate.
func (g *gaussian) farOf(a int) []float64 {
	n := len(g.terms)
	a = min(a, len(g.inv)-1)
	return g.far[a*n : (a+1)*n]
}

func inReach(q float64, quadratics []quadratic) bool {
	for k := range quadratics {
		q += quadratics[k].a + quadratics[k].a2
	}
	return q < 1e300
}

// pair is Prior.Pair.
func (g *gaussian) pair(path Path, dTheta, x, y []float64) (q, dEta float64) {
	if g.single() {
		return g.pairSingle(dTheta, x, y)
	}
	groups := max(len(dTheta), len(g.inv))
	q = g.evaluate(path, x, y, groups)
	clear(dTheta)
	if len(dTheta) == 0 || q == 0 {
		return q, 0
	}
	one, two := g.orders()
	for k := range g.quadratics[:groups] {
		f, h2 := g.quadratics[k], g.h2[min(k, len(g.h2)-1)]
		terms, far := g.terms[:len(one)], g.farOf(k)[:len(one)]
		slope, slopeEta := 0.0, 0.0
		for t, x := range one {
			v, y, w := &terms[t], two[t], 2*far[t]
			pull := w * h2 // eta²/u
			e := x + y
			c := w * (x*(f.a+v.alpha*(f.b+v.alpha*f.d)) + y*(f.a2+v.alpha*(f.b2+v.alpha*f.d)))
			slope += v.weight * (e*(f.coordinates*pull+2*v.near*f.d) + c*(1-pull))
			slopeEta += v.weight * ((c - f.coordinates*e) * pull)
		}
		dTheta[min(k, len(dTheta)-1)] += slope
		dEta += slopeEta
	}
	return q, dEta
}

// pairSingle is pair for one component.
func (g *gaussian) pairSingle(dTheta, x, y []float64) (q, dEta float64) {
	clear(dTheta)
	near := g.terms[0].near
	exponent := 0.0
	for a, xa := range x {
		b := min(a, len(g.inv)-1)
		d, c := (xa-y[a])*g.inv[b], (xa/2+y[a]/2)*g.inv[b]
		n, f := near*(d*d), c*c*g.far[b]
		exponent += n + f
		if len(dTheta) == 0 {
			continue
		}
		pull := 2 * g.far[b] * g.h2[b]
		dTheta[min(a, len(dTheta)-1)] += pull + 2*n + 2*f*(1-pull)
		dEta += (2*f - 1) * pull
	}
	q = math.Exp(-exponent)
	if q == 0 {
		clear(dTheta) // distances may be infinite
		return 0, 0
	}
	floats.Scale(q, dTheta)
	return q, q * dEta
}

// diagonal returns Q(x, x).
func (g *gaussian) diagonal(path Path, x []float64) float64 {
	if g.single() {
		q, _ := g.pairSingle(nil, x, x)
		return q
	}
	return g.evaluate(path, x, x, len(g.inv))
}
