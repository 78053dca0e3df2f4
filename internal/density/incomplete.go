package density

import "math"

// The incomplete gamma and beta functions in logs, with derivatives in all arguments: the series or
// the continued fraction is differentiated term by term, so that a shape may be a parameter.

// gammaTails returns the logs of P(G <= x) and P(G > x) for G with a gamma distribution of shape a
// and rate 1, with derivatives in a and x.
//
// Below a+1 it is the series x^a e^-x/Gamma(a+1) sum x^n/((a+1)...(a+n)), all of whose terms are
// positive; above, Legendre's continued fraction, by the method of Lentz. Cost: some sqrt(a) terms.
func gammaTails(a, x float64) (below, above tail) {
	switch {
	case !(x > 0):
		return impossible(), certain()
	case math.IsInf(x, 1):
		return certain(), impossible()
	}
	front, dfront := gammaFront(a, x)
	density := front + math.Log(a) - math.Log(x) // log of x^(a-1) e^-x/Gamma(a)
	if x < a+1 && (a > 0.5 || x < 0.5) {
		s, ds := gammaSeries(a, x)
		below = tail{log: front + math.Log(s), d: Grad{dfront + ds/s}}
		below.d[1] = math.Exp(density - below.log)
		above = below.rest()
		return below, above
	}
	h, dh := gammaFraction(a, x)
	above = tail{log: front + math.Log(a) + math.Log(h), d: Grad{dfront + 1/a + dh/h}}
	above.d[1] = -math.Exp(density - above.log)
	below = above.rest()
	return below, above
}

// gammaFront is the log of x^a e^-x/Gamma(a+1), with its derivative in a. For large a the three
// factors cancel: with u = (x-a)/a it is a (log(1+u) - u) - log(2 pi a)/2 - s(a).
func gammaFront(a, x float64) (l, dl float64) {
	if a < fromStirling {
		lg, _ := math.Lgamma(a + 1)
		lx := LogOf(x)
		return a*lx - x - lg, lx - Digamma(a+1)
	}
	s, ds := stirling(a)
	u := (x - a) / a
	r := math.Log1p(u)
	less := log1pLess(u)
	if u < -0.5 {
		r = math.Log(x / a)
		less = r - u
	}
	return a*less - 0.5*math.Log(a) - logSqrt2Pi - s, r - 0.5/a - ds
}

func gammaSeries(a, x float64) (s, ds float64) {
	t, h := 1.0, 0.0
	s = 1
	for n := 1.0; n < mostTerms; n++ {
		t *= x / (a + n)
		h += 1 / (a + n)
		s += t
		ds -= t * h
		if t < 1e-17*s && t*h < -1e-17*ds || s != s {
			break
		}
	}
	return s, ds
}

// mostTerms bounds continued fractions. They take some sqrt(n) terms, where n is the largest argument.
const mostTerms = 1e6

// gammaFraction is 1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...))) with its derivative in a.
func gammaFraction(a, x float64) (h, dh float64) {
	const tiny = 1e-300
	b := x + 1 - a
	c, dc := 1/tiny, 0.0
	d := 1 / b
	dd := d * d // of 1/b, where b has derivative -1
	h, dh = d, dd
	for i := 1.0; i < mostTerms; i++ {
		an := -i * (i - a) // with derivative i
		b += 2
		v := an*d + b
		dv := i*d + an*dd - 1
		d = 1 / v
		dd = -dv * d * d
		dc = -1 + i/c - an*dc/(c*c)
		c = b + an/c
		del := d * c
		ddel := dd*c + d*dc
		dh = dh*del + h*ddel
		h *= del
		if math.Abs(del-1) < 5e-16 && math.Abs(h*ddel) <= 1e-15*math.Abs(dh) || h != h {
			break
		}
	}
	return h, dh
}

// betaTails returns the logs of P(B <= x) and P(B > x) for B with a beta distribution of shapes a and
// b, with derivatives in a, b and x. Y is 1-x, given apart so that neither loses digits.
func betaTails(a, b, x, y float64) (below, above tail) {
	switch {
	case !(x > 0):
		return impossible(), certain()
	case !(y > 0):
		return certain(), impossible()
	case x > (a+1)/(a+b+2):
		above, below = betaLower(b, a, y, x)
		for _, t := range []*tail{&above, &below} {
			t.d[0], t.d[1], t.d[2] = t.d[1], t.d[0], -t.d[2]
		}
		return below, above
	}
	return betaLower(a, b, x, y)
}

// betaLower is x^a y^b/(a B(a, b)) times a continued fraction, which converges fast where x is below
// the mean. Cost: some sqrt(a+b) terms.
func betaLower(a, b, x, y float64) (below, above tail) {
	front, da, db := betaFront(a, b, x, y)
	h, ha, hb := betaFraction(a, b, x)
	below = tail{log: front - math.Log(a) + math.Log(h), d: Grad{da - 1/a + ha/h, db + hb/h}}
	below.d[2] = math.Exp(front - math.Log(x) - math.Log(y) - below.log)
	return below, below.rest()
}

// betaFront is the log of x^a y^b/B(a, b), with its derivatives in a and b. Where both are large
// everything cancels but, with n = a+b, u = (bx-ay)/a and v = (ay-bx)/b,
//
//	a (log(1+u) - u) + b (log(1+v) - v) + log(ab/(2 pi n))/2 + s(n) - s(a) - s(b).
func betaFront(a, b, x, y float64) (l, da, db float64) {
	lx, ly := LogOf(x), LogOf(y)
	if x < 0.5 {
		ly = math.Log1p(-x)
	} else {
		lx = math.Log1p(-y)
	}
	switch n := a + b; {
	case a >= fromStirling && b >= fromStirling:
		sn, dn := stirling(n)
		sa, dsa := stirling(a)
		sb, dsb := stirling(b)
		m := b*x - a*y
		u, v := m/a, -m/b
		lu, lv := math.Log1p(u), math.Log1p(v)
		if u < -0.5 {
			lu = lx + math.Log(n/a)
		}
		if v < -0.5 {
			lv = ly + math.Log(n/b)
		}
		l = a*less(u, lu) + b*less(v, lv) + 0.5*math.Log(a/n*b) - logSqrt2Pi + sn - sa - sb
		return l, lu + 0.5*b/(a*n) + dn - dsa, lv + 0.5*a/(b*n) + dn - dsb
	case a >= b:
		r, psi := gammaRatio(a, b) // log Gamma(n) - log Gamma(a)
		lg, _ := math.Lgamma(b)
		return a*lx + b*ly + r - lg, lx + psi, ly + Digamma(n) - Digamma(b)
	default:
		r, psi := gammaRatio(b, a)
		lg, _ := math.Lgamma(a)
		return a*lx + b*ly + r - lg, lx + Digamma(n) - Digamma(a), ly + psi
	}
}

// less is log(1+u) - u, given the log.
func less(u, log float64) float64 {
	if u < -0.5 {
		return log - u
	}
	return log1pLess(u)
}

// betaFraction is the continued fraction of the incomplete beta function (Abramowitz and Stegun
// 26.5.8), with its derivatives in a and b.
func betaFraction(a, b, x float64) (h, ha, hb float64) {
	n := a + b
	c, ca, cb := 1.0, 0.0, 0.0
	v := 1 - n*x/(a+1)
	va, vb := -x/(a+1)+n*x/((a+1)*(a+1)), -x/(a+1)
	d := 1 / v
	da, db := -va*d*d, -vb*d*d
	h, ha, hb = d, da, db
	step := func(e, ea, eb float64) float64 { // one level with coefficient e
		v := 1 + e*d
		va, vb := ea*d+e*da, eb*d+e*db
		ca, cb = ea/c-e*ca/(c*c), eb/c-e*cb/(c*c)
		c = 1 + e/c
		d = 1 / v
		da, db = -va*d*d, -vb*d*d
		del := d * c
		dela, delb := da*c+d*ca, db*c+d*cb
		ha, hb = ha*del+h*dela, hb*del+h*delb
		h *= del
		change := math.Abs(del - 1)
		if dela != 0 {
			change = max(change, min(math.Abs(dela*h/ha), math.Abs(dela)))
		}
		if delb != 0 {
			change = max(change, min(math.Abs(delb*h/hb), math.Abs(delb)))
		}
		return change
	}
	for m := 1.0; m < mostTerms; m++ {
		p, q, r := a+2*m-1, a+2*m, a+2*m+1
		e := m * (b - m) * x / (p * q)
		step(e, -e*(1/p+1/q), m*x/(p*q))
		e = -(a + m) * (n + m) * x / (q * r)
		if change := step(e, e*(1/(a+m)+1/(n+m)-1/q-1/r), e/(n+m)); !(change >= 1e-15) { // NaN too
			break
		}
	}
	return h, ha, hb
}
