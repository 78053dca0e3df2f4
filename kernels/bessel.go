package kernels

import (
	"fmt"
	"math"

	"bayeskernel/internal/dd"
)

// bessel is M_mu(sqrt(arg q)), M_mu(s) = 2^(1-mu)/Gamma(mu) s^mu K_mu(s), for an integer or
// half-integer mu. From M_mu' = -s M_(mu-1)/(2(mu-1)) follow
//
//	kappa = arg/(2(mu-1)) M_(mu-1)(s),   rho = arg K_(mu-2)(s)/(s K_(mu-1)(s)),
//
// and M_(mu+1) = M_mu + s²/(4mu(mu-1)) M_(mu-1) is stable upwards: all terms are positive.
type bessel struct {
	notSquared
	mu, arg float64
}

// rising computes M_mu and M_(mu-1) without their common factor e^-s, and K_(mu-2)/(s K_(mu-1)), 0
// at s = 0 where that is infinite. It serves up to s = 700: no result exceeds e^s.
func (b bessel) rising(s float64) (m, below, ratio float64) {
	if b.mu == 0.5 {
		return 1, math.NaN(), math.NaN()
	}
	order, older, s2 := 1.5, 0.0, s*s
	if b.mu == math.Trunc(b.mu) {
		// M_1 = s K_1, M_2 = M_1 + s² K_0/2.
		order = 2
		k0, sk1 := bessel01(s)
		m, below = sk1, sk1
		if s > 0 {
			m, ratio = sk1+s2*k0/2, k0/sk1
		}
	} else {
		m, below = 1+s, 1
		if s > 0 {
			ratio = 1 / s
		}
	}
	for ; order < b.mu; order++ {
		older, below, m = below, m, m+s2*below/(4*order*(order-1))
	}
	if older > 0 {
		// K_(mu-2)/(s K_(mu-1)) = M_(mu-2)/(2(mu-2) M_(mu-1)).
		ratio = older / (2 * (b.mu - 2) * below)
	}
	return m, below, ratio
}

// far is for s above 700, where e^-s may underflow though M_mu does not: it returns log M_mu,
// log M_(mu-1) and the ratio of rising, by the recurrence of t = M_(order+1)/M_order.
func (b bessel) far(s float64) (logM, logBelow, ratio float64) {
	t, order := 1+s, 0.5
	ratio = 1 / s
	if b.mu == math.Trunc(b.mu) {
		k0, sk1 := bessel01(s)
		t, order = 1+s*(s*k0/sk1)/2, 1
		ratio = k0 / sk1
		logM = math.Log(sk1)
	}
	logM -= s
	for ; order < b.mu; order++ {
		if order == b.mu-2 {
			ratio = 1 / (2 * order * t)
		}
		logM, logBelow = logM+math.Log(t), logM
		t = 1 + s/(4*order*(order+1))*(s/t)
	}
	return logM, logBelow, ratio
}

// logScale is the logarithm of kappa at q = 0.
func (b bessel) logScale() float64 { return math.Log(b.arg / (2 * (b.mu - 1))) }

// nearest is the largest s of rising.
const nearest = 700

func (b bessel) Profile(q float64) (k, logKappa, rho float64) {
	s := math.Sqrt(b.arg * q)
	switch {
	case math.IsInf(s, 1):
		return 0, math.Inf(-1), 0
	case s > nearest:
		m, below, ratio := b.far(s)
		return math.Exp(m), b.logScale() + below, b.arg * ratio
	}
	m, below, ratio := b.rising(s)
	return m * math.Exp(-s), b.logScale() + math.Log(below) - s, b.arg * ratio
}

// pair returns k and kappa.
func (b bessel) pair(q float64) (k, kappa float64) {
	s := math.Sqrt(b.arg * q)
	if s > nearest {
		k, below, _ := b.Profile(q)
		return k, math.Exp(below)
	}
	m, below, _ := b.rising(s)
	e := math.Exp(-s)
	return m * e, b.arg / (2 * (b.mu - 1)) * below * e
}

// pairExtended is pair in about 32 digits, for half-integer mu.
func (b bessel) pairExtended(q dd.Number) (k, kappa dd.Number) {
	s := q.Scale(b.arg).Sqrt()
	one := dd.Number{Hi: 1}
	m, below, s2 := one.Add(s), one, s.Mul(s)
	for order := 1.5; order < b.mu; order++ {
		// 4 order (order-1) is an integer.
		step := s2.Mul(below).Div(dd.Number{Hi: 4 * order * (order - 1)})
		below, m = m, m.Add(step)
	}
	e := dd.Number{Hi: -s.Hi, Lo: -s.Lo}.Exp()
	if e.Hi == 0 {
		return dd.Number{}, dd.Number{}
	}
	scale := dd.Number{Hi: b.arg}.Div(dd.Number{Hi: 2 * (b.mu - 1)})
	return m.Mul(e), below.Mul(e).Mul(scale)
}

// exact reports whether pairExtended has its digits.
func (b bessel) exact() bool { return b.mu != math.Trunc(b.mu) }

func (b bessel) Profiles(path Path, k, kappa, logKappa, rho, q []float64) {
	inChunks(k, kappa, logKappa, rho, q, func(k, kappa, logKappa, rho, q []float64) {
		var buffer [chunk]float64
		e := buffer[:len(q)]
		k = k[:len(q)]
		for i, v := range q {
			k[i] = math.Sqrt(b.arg * v)
		}
		path.ExpNeg(e, k, 1)
		switch {
		case b.mu == 1.5 && b.arg == 3:
			matern32(k, kappa, logKappa, rho, e)
		case b.mu == 2.5 && b.arg == 5:
			matern52(k, kappa, logKappa, rho, e)
		default:
			b.profiles(k, kappa, logKappa, rho, e)
		}
	})
}

// profiles takes s in k and e^-s in e.
func (b bessel) profiles(k, kappa, logKappa, rho, e []float64) {
	scale, logScale := b.arg/(2*(b.mu-1)), b.logScale()
	for i, s := range k {
		var m, below, ratio, l float64
		if s > nearest {
			a, bl, c := b.Profile(s * (s / b.arg))
			k[i], l, ratio = a, bl, c/b.arg
			below = math.Exp(l) / scale
		} else {
			m, below, ratio = b.rising(s)
			k[i] = m * e[i]
			if logKappa != nil {
				l = logScale + math.Log(below) - s
			}
			below *= e[i]
		}
		if kappa != nil {
			kappa[i] = scale * below
		}
		if logKappa != nil {
			logKappa[i] = l
		}
		if rho != nil {
			rho[i] = b.arg * ratio
		}
	}
}

// matern32 takes s in k and e^-s in e.
func matern32(k, kappa, logKappa, rho, e []float64) {
	e = e[:len(k)]
	for i, v := range e[:len(kappa)] {
		kappa[i] = 3 * v
	}
	for i, s := range k[:len(logKappa)] {
		logKappa[i] = log3 - s
	}
	for i, s := range k[:len(rho)] {
		rho[i] = 0
		if s > 0 {
			rho[i] = 3 / s
		}
	}
	for i, s := range k {
		v := e[i]
		if v != 0 {
			v *= 1 + s
		}
		k[i] = v
	}
}

// matern52 takes s in k and e^-s in e.
func matern52(k, kappa, logKappa, rho, e []float64) {
	e = e[:len(k)]
	for i, s := range k[:len(kappa)] {
		v := e[i]
		if v != 0 {
			v *= 5./3 + 5./3*s
		}
		kappa[i] = v
	}
	for i, s := range k[:len(logKappa)] {
		logKappa[i] = logFiveThirds + math.Log(1+s) - s
		if s > 1e300 {
			logKappa[i] = -s
		}
	}
	for i, s := range k[:len(rho)] {
		rho[i] = 5 / (1 + s)
	}
	for i, s := range k {
		v := e[i]
		if v != 0 {
			v *= 1 + s + s*s*(1./3)
		}
		k[i] = v
	}
}

func (b bessel) String() string {
	return fmt.Sprintf("Matern function of order %v of sqrt(%v q)", b.mu, b.arg)
}
