package models

import (
	"math"
	"math/rand/v2"
)

// Groups is a regression whose intercepts and slopes vary between groups, centred:
//
//	y[i] ~ normal(a[g] + b[g] x[i], sigma)
//	a[g] ~ normal(ma, sa),  b[g] ~ normal(mb, sb)
//	ma, mb ~ normal(0, 10);  log sa, log sb, log sigma ~ normal(0, 1)
type Groups struct {
	groups, each int
	x, y         []float64 // group by group
}

// NewGroups simulates each observations in every group.
func NewGroups(seed uint64, groups, each int) *Groups {
	r := rand.New(rand.NewPCG(seed, 0))
	m := &Groups{groups: groups, each: each}
	for range groups {
		a, b := 1+0.7*r.NormFloat64(), -0.5+0.4*r.NormFloat64()
		for range each {
			x := r.NormFloat64()
			m.x = append(m.x, x)
			m.y = append(m.y, a+b*x+r.NormFloat64())
		}
	}
	return m
}

// Dim returns two a group and five: ma, mb, log sa, log sb, log sigma come first.
func (m *Groups) Dim() int { return 2*m.groups + 5 }

// Names implements hmc.Constrainer.
func (m *Groups) Names() []string {
	names := []string{"ma", "mb", "sa", "sb", "sigma"}
	return indexed(indexed(names, "a", m.groups), "b", m.groups)
}

// Constrain takes the exponentials of the three logarithms.
func (m *Groups) Constrain(dst, q []float64) {
	copy(dst, q)
	for i := 2; i < 5; i++ {
		dst[i] = math.Exp(q[i])
	}
}

// LogDensity is the log posterior; the densities of the logarithms need no change of variables.
func (m *Groups) LogDensity(q, grad []float64) float64 {
	clear(grad)
	a, b := q[5:5+m.groups], q[5+m.groups:]
	ga, gb := grad[5:5+m.groups], grad[5+m.groups:]
	lp := 0.0
	for i := range 5 {
		v := q[i]
		w := 1.0
		if i < 2 {
			w = 0.01
		}
		lp -= w * v * v / 2
		grad[i] = -w * v
	}
	for k, effects := range [2][]float64{a, b} {
		g := [2][]float64{ga, gb}[k]
		prec := math.Exp(-2 * q[2+k])
		for i, v := range effects {
			e := v - q[k]
			lp -= e*e*prec/2 + q[2+k]
			g[i] = -e * prec
			grad[k] += e * prec
			grad[2+k] += e*e*prec - 1
		}
	}
	prec := math.Exp(-2 * q[4])
	for i, y := range m.y {
		j := i / m.each
		e := y - a[j] - b[j]*m.x[i]
		lp -= e*e*prec/2 + q[4]
		ga[j] += e * prec
		gb[j] += e * m.x[i] * prec
		grad[4] += e*e*prec - 1
	}
	return lp
}

// Volatility is a stochastic volatility model, its innovations z standard normal (non-centred):
//
//	y[t] ~ normal(0, exp(h[t] / 2))
//	h[0] = mu + s z[0] / sqrt(1 - phi^2),  h[t] = mu + phi (h[t-1] - mu) + s z[t]
//	mu ~ normal(0, 5),  atanh phi ~ normal(1.5, 0.5),  log s ~ normal(-1.5, 1)
type Volatility struct {
	y  []float64
	ys []float64 // squares
}

// NewVolatility simulates n values with mu -1, phi .95 and s .25.
func NewVolatility(seed uint64, n int) *Volatility {
	r := rand.New(rand.NewPCG(seed, 0))
	m := &Volatility{}
	h := 0.25 / math.Sqrt(1-0.95*0.95) * r.NormFloat64()
	for range n {
		y := math.Exp((h-1)/2) * r.NormFloat64()
		m.y = append(m.y, y)
		m.ys = append(m.ys, y*y)
		h = 0.95*h + 0.25*r.NormFloat64()
	}
	return m
}

// Dim returns the number of values and three: mu, atanh phi, log s come first.
func (m *Volatility) Dim() int { return len(m.y) + 3 }

// Names implements hmc.Constrainer.
func (m *Volatility) Names() []string {
	return indexed([]string{"mu", "phi", "s"}, "h", len(m.y))
}

// Constrain computes phi, s and the path h.
func (m *Volatility) Constrain(dst, q []float64) {
	mu, phi, s := q[0], math.Tanh(q[1]), math.Exp(q[2])
	dst[0], dst[1], dst[2] = mu, phi, s
	dev := s * q[3] * math.Cosh(q[1]) // 1/sqrt(1 - tanh^2) = cosh
	for t := range m.y {
		if t > 0 {
			dev = phi*dev + s*q[3+t]
		}
		dst[3+t] = mu + dev
	}
}

// LogDensity is the log posterior. With u[t] = h[t] - mu the path is a recursion, and the
// derivatives of l in its inputs come from one backward pass: r[t] = dl/du[t] + phi r[t+1].
func (m *Volatility) LogDensity(q, grad []float64) float64 {
	mu, phi, s := q[0], math.Tanh(q[1]), math.Exp(q[2])
	n := len(m.y)
	z, u := q[3:], grad[3:] // the gradient holds the path until the backward pass
	cosh := math.Cosh(q[1])
	lp := -mu*mu/50 - 2*(q[1]-1.5)*(q[1]-1.5) - (q[2]+1.5)*(q[2]+1.5)/2
	u[0] = s * z[0] * cosh
	for t := range n {
		if t > 0 {
			u[t] = phi*u[t-1] + s*z[t]
		}
		h := mu + u[t]
		lp -= (h + m.ys[t]*math.Exp(-h) + z[t]*z[t]) / 2
	}
	grad[0] = -mu / 25
	dphi, ds := 0.0, 0.0
	r := 0.0
	for t := n - 1; t >= 0; t-- {
		dl := (m.ys[t]*math.Exp(-mu-u[t]) - 1) / 2
		grad[0] += dl
		r = dl + phi*r
		if t > 0 {
			dphi += r * u[t-1]
			ds += r * z[t]
			u[t] = r*s - z[t]
			continue
		}
		ds += r * z[0] * cosh
		grad[1] = r * s * z[0] * math.Sinh(q[1])
		u[0] = r*s*cosh - z[0]
	}
	grad[1] += dphi*(1-phi*phi) - 4*(q[1]-1.5)
	grad[2] = ds*s - (q[2] + 1.5)
	return lp
}
