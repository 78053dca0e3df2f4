package kernels

import (
	"fmt"
	"math"
)

// rqSquare is the square of a rational quadratic kernel in dim coordinates. With b = 2alpha - dim/2
// and B = 1/(4cosh²(y/2)) it is
//
//	2F1(alpha, b; alpha+1/2; -q/8alpha) =
//		integral over y of B^alpha (1 + B q/2alpha)^-b dy/Beta(alpha, alpha).
//
// Whatever q is, the singularities of the integrand lie on Im y = +-pi, so that the trapezoidal rule
// converges like exp(-2pi²/h) in its step h. It takes about 100 nodes, and gives way to
// interpolation where only psi and kappa are wanted.
type rqSquare struct {
	notSquared
	alpha, b     float64
	step         float64
	total        float64   // what at is divided by
	node, weight []float64 // B, and B^alpha so scaled that the sum is 1

	power, perPiece float64
	pieces          [][2][rqOrder + 1]float64
}

func squareRQ(alpha, b float64) *rqSquare {
	r := &rqSquare{alpha: alpha, b: b, step: 0.4 * min(1, math.Sqrt(2/alpha))}
	for n := range r.nodes(1e12) {
		node, weight := r.at(n)
		r.node, r.weight = append(r.node, node), append(r.weight, weight)
		r.total += weight
	}
	for n := range r.weight {
		r.weight[n] /= r.total
	}
	r.interpolate()
	return r
}

// nodes is the number of nodes at y >= 0 that matter at q: beyond log(1 + q/2alpha) the integrand
// falls like cosh(y/2)^-2alpha, here to e^-38.
func (r *rqSquare) nodes(q float64) int {
	fall := 2 * math.Acosh(math.Exp(19/r.alpha))
	if 19/r.alpha > 30 {
		fall = 2 * (19/r.alpha + math.Ln2)
	}
	return 1 + int((math.Log1p(q/(2*r.alpha))+fall)/r.step)
}

// at returns B at y = n step and B^alpha times 4^alpha, doubled for -y.
func (r *rqSquare) at(n int) (node, weight float64) {
	y := float64(n) * r.step
	e := math.Exp(-y)
	l := -y - 2*math.Log1p(e)
	weight = 2 * math.Exp(r.alpha*(l+2*math.Ln2))
	if n == 0 {
		weight /= 2
	}
	return math.Exp(l), weight
}

// sums returns the integrals with B^alpha (1 + Bq/2alpha)^-b, that times s = (1+t) B/(1 + Bt),
// where t = q/2alpha, and that times s².
func (r *rqSquare) sums(q float64) (zero, one, two float64) {
	t := q / (2 * r.alpha)
	for n := range r.nodes(q) {
		var node, weight float64
		if n < len(r.node) {
			node, weight = r.node[n], r.weight[n]
		} else {
			node, weight = r.at(n)
			weight /= r.total
		}
		s := (node + node*t) / (1 + node*t)
		v := weight * math.Exp(-r.b*math.Log1p(node*t))
		zero += v
		one += v * s
		two += v * s * s
	}
	return zero, one, two
}

func (r *rqSquare) Profile(q float64) (k, logKappa, rho float64) {
	switch {
	case math.IsNaN(q):
		return q, q, q
	case q > rqLargest:
		return 0, math.Inf(-1), 0
	}
	zero, one, two := r.sums(q)
	if one == 0 {
		return 0, math.Inf(-1), 0
	}
	t := q / (2 * r.alpha)
	logKappa = math.Log(r.b/r.alpha*one) - math.Log1p(t)
	return min(zero, 1), logKappa, (r.b + 1) / r.alpha * two / one / (1 + t)
}

// rqLargest is the q from where all is taken as 0.
const rqLargest = 1e300

func (r *rqSquare) Profiles(_ Path, k, kappa, logKappa, rho, q []float64) {
	for i, v := range q {
		if logKappa != nil || rho != nil {
			_, a, b := r.Profile(v)
			if logKappa != nil {
				logKappa[i] = a
			}
			if rho != nil {
				rho[i] = b
			}
		}
		var slope float64
		k[i], slope = r.pair(v)
		if kappa != nil {
			kappa[i] = slope
		}
	}
}

// pair returns psi and its kappa, by interpolation where there is any.
func (r *rqSquare) pair(q float64) (k, kappa float64) {
	v := log1p(q / (8 * r.alpha))
	u := v * r.perPiece
	if !(u < float64(len(r.pieces))) {
		k, l, _ := r.Profile(q)
		return k, math.Exp(l)
	}
	n := int(u)
	u = 2*(u-float64(n)) - 1
	p := &r.pieces[n]
	var f, g float64
	for j := rqOrder; j >= 0; j-- {
		f, g = p[0][j]+u*f, p[1][j]+u*g
	}
	k = math.Exp(-r.power * v)
	return min(k*f, 1), k * g * (8 * r.alpha) / (8*r.alpha + q)
}

// interpolate prepares pair. As functions of v = log(1 + q/8alpha), psi e^(cv) and kappa
// e^((c+1)v), c = min(alpha, b), are analytic in the strip |Im v| < pi, where they vary like
// exp(-alpha v) at small v and like v at most at large: on pieces of length 1 or 3/alpha
// polynomials of order 15 have all digits.
func (r *rqSquare) interpolate() {
	const reach = 32 // of v
	r.power = min(r.alpha, r.b)
	length := min(1, 3/r.alpha)
	r.perPiece = 1 / length
	for n := range int(min(reach, 690/r.power) / length) {
		var f, g [rqOrder + 1]float64
		for j := range f {
			u := math.Cos(math.Pi * (float64(j) + 0.5) / (rqOrder + 1))
			v := (float64(n) + (u+1)/2) * length
			zero, one, _ := r.sums(8 * r.alpha * math.Expm1(v))
			scale := math.Exp(r.power * v)
			f[j] = zero * scale
			g[j] = r.b / r.alpha * one * scale * math.Exp(v) / (1 + 4*math.Expm1(v))
		}
		r.pieces = append(r.pieces, [2][rqOrder + 1]float64{powersOf(f), powersOf(g)})
	}
}

// rqOrder is the order of the polynomials.
const rqOrder = 15

// powersOf returns the coefficients of the powers of u in the polynomial that has the given values
// at the zeros of the Chebyshev polynomial of one order more, from the right.
func powersOf(values [rqOrder + 1]float64) (p [rqOrder + 1]float64) {
	const n = rqOrder + 1
	older, t := [n]float64{}, [n]float64{1} // T_(m-1) and T_m
	for m := range n {
		c := 0.0
		for j, v := range values {
			c += v * math.Cos(math.Pi*float64(m)*(float64(j)+0.5)/n)
		}
		c *= 2 / float64(n)
		if m == 0 {
			c /= 2
		}
		next := [n]float64{}
		for j := range n {
			p[j] += c * t[j]
			next[j] = -older[j]
			if j > 0 {
				next[j] += 2 * t[j-1]
			}
		}
		if m == 0 {
			next = [n]float64{0, 1}
		}
		older, t = t, next
	}
	return p
}

func (r *rqSquare) String() string {
	return fmt.Sprintf("2F1(%v, %v; %v; -q/%v)", r.alpha, r.b, r.alpha+0.5, 8*r.alpha)
}
