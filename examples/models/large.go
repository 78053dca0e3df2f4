package models

import (
	"fmt"
	"math"
	"math/rand/v2"

	"bayeskernel/hmc"
)

// Large returns targets of 150 to 1000 dimensions on which the metric decides how fast a sampler
// is. Their data are simulated, each from a seed that is written here; none has reference moments.
func Large() []Posterior {
	ones := make([]float64, 1000)
	for i := range ones {
		ones[i] = 1
	}
	return []Posterior{
		{Name: "logistic150", Factory: hmc.Shared(LogisticRegression(1, 500, 150))},
		{Name: "ar200", Factory: hmc.Shared(AR1{200, 0.95})},
		{Name: "ar500", Factory: hmc.Shared(AR1{500, 0.95})},
		{Name: "spiked500", Factory: hmc.Shared(NewSpiked(2, 500, 5, 30, nil))},
		{Name: "groups175", Factory: hmc.Shared(NewGroups(3, 85, 10))},
		{Name: "volatility303", Factory: hmc.Shared(NewVolatility(4, 300))},
		{Name: "student200", Factory: hmc.Shared(NewStudentColumns(5, 200))},
		{Name: "skewed300", Factory: hmc.Shared(Skewed(300))},
		{Name: "normal1000", Factory: hmc.Shared(NewSpiked(6, 1000, 0, 1, ones))},
	}
}

// AR1 is the stationary autoregression of N normals with unit variance and correlation Rho between
// neighbours.
type AR1 struct {
	N   int
	Rho float64
}

// Dim returns N.
func (a AR1) Dim() int { return a.N }

// LogDensity is -(x[0]^2 + sum (x[i] - Rho x[i-1])^2 / (1 - Rho^2)) / 2.
func (a AR1) LogDensity(x, grad []float64) float64 {
	lp := -x[0] * x[0] / 2
	grad[0] = -x[0]
	for i := 1; i < a.N; i++ {
		e := x[i] - a.Rho*x[i-1]
		w := e / (1 - a.Rho*a.Rho)
		lp -= e * w / 2
		grad[i] = -w
		grad[i-1] += a.Rho * w
	}
	return lp
}

// Spiked is a normal with independent components of standard deviations sd, but for a few
// orthonormal directions of D^-1/2 x, D = diag(sd^2), in which the standard deviation is another.
type Spiked struct {
	sd, directions []float64 // directions by rows
	shrink         float64   // 1 - 1/spike^2
}

// NewSpiked draws the directions at random; sd is 1 everywhere if nil.
func NewSpiked(seed uint64, d, directions int, spike float64, sd []float64) *Spiked {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &Spiked{sd: sd, shrink: 1 - 1/(spike*spike)}
	if sd == nil {
		s.sd = make([]float64, d)
		for i := range s.sd {
			s.sd[i] = 1
		}
	}
	for range directions {
		u := make([]float64, d)
		for i := range u {
			u[i] = r.NormFloat64()
		}
		for k := 0; k < len(s.directions); k += d { // Gram and Schmidt
			v := s.directions[k : k+d]
			c := inner(u, v)
			for i := range u {
				u[i] -= c * v[i]
			}
		}
		n := math.Sqrt(inner(u, u))
		for i := range u {
			u[i] /= n
		}
		s.directions = append(s.directions, u...)
	}
	return s
}

func inner(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// Dim returns the number of components.
func (s *Spiked) Dim() int { return len(s.sd) }

// LogDensity is -(|y|^2 - (1 - 1/spike^2) |U'y|^2) / 2 with y = x / sd.
func (s *Spiked) LogDensity(x, grad []float64) float64 {
	d := len(x)
	lp := 0.0
	for i, v := range x {
		y := v / s.sd[i]
		lp -= y * y / 2
		grad[i] = -y
	}
	// The directions are orthonormal, so taking one away leaves the products with the others.
	for k := 0; k < len(s.directions); k += d {
		u := s.directions[k : k+d]
		c := -inner(u, grad)
		lp += s.shrink * c * c / 2
		for i, v := range u {
			grad[i] += s.shrink * c * v
		}
	}
	for i := range grad {
		grad[i] /= s.sd[i]
	}
	return lp
}

// Regression is a logistic regression without intercept and with normal(0, 1) priors.
type Regression struct {
	d    int
	x, y []float64 // rows of d columns; outcomes 0 and 1
}

// LogisticRegression simulates n outcomes and d columns, each of them .95 a factor that a third of
// the columns share, plus noise.
func LogisticRegression(seed uint64, n, d int) *Regression {
	r := rand.New(rand.NewPCG(seed, 0))
	beta := make([]float64, d)
	for j := range beta {
		beta[j] = r.NormFloat64() / math.Sqrt(float64(d))
	}
	m := &Regression{d: d}
	for range n {
		f := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		eta := 0.0
		for j := range d {
			v := 0.95*f[j%3] + math.Sqrt(1-0.95*0.95)*r.NormFloat64()
			m.x = append(m.x, v)
			eta += v * beta[j]
		}
		y := 0.0
		if r.Float64() < logistic(eta) {
			y = 1
		}
		m.y = append(m.y, y)
	}
	return m
}

// Dim returns the number of columns.
func (m *Regression) Dim() int { return m.d }

// LogDensity is the sum of y eta - log(1 + e^eta), and the prior.
func (m *Regression) LogDensity(b, grad []float64) float64 {
	lp := 0.0
	for j, v := range b {
		lp -= v * v / 2
		grad[j] = -v
	}
	for i, y := range m.y {
		row := m.x[i*m.d : (i+1)*m.d]
		eta := inner(row, b)
		lp += y*eta - math.Max(eta, 0) - math.Log1p(math.Exp(-math.Abs(eta)))
		w := y - logistic(eta)
		for j, v := range row {
			grad[j] += w * v
		}
	}
	return lp
}

// Skewed is a product of d densities of the logarithm of an exponential variable.
type Skewed int

// Dim returns d.
func (s Skewed) Dim() int { return int(s) }

// LogDensity is the sum of x - e^x.
func (s Skewed) LogDensity(x, grad []float64) float64 {
	lp := 0.0
	for i, v := range x {
		e := math.Exp(v)
		lp += v - e
		grad[i] = 1 - e
	}
	return lp
}

// StudentColumns is the density of x with B'x a row of independent Student t variables of four
// degrees of freedom, B = I + u v' with random unit vectors times 4.
type StudentColumns struct{ u, v []float64 }

// NewStudentColumns draws u and v.
func NewStudentColumns(seed uint64, d int) *StudentColumns {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &StudentColumns{make([]float64, d), make([]float64, d)}
	for _, w := range [][]float64{s.u, s.v} {
		for i := range w {
			w[i] = r.NormFloat64()
		}
		n := 2 / math.Sqrt(inner(w, w))
		for i := range w {
			w[i] *= n
		}
	}
	return s
}

// Dim returns the dimension.
func (s *StudentColumns) Dim() int { return len(s.u) }

// LogDensity is -(5/2) sum log(1 + z^2/4) with z = B'x = x + v (u'x).
func (s *StudentColumns) LogDensity(x, grad []float64) float64 {
	ux := inner(s.u, x)
	lp := 0.0
	for i, v := range x {
		z := v + s.v[i]*ux
		lp -= 2.5 * math.Log1p(z*z/4)
		grad[i] = -5 * z / (4 + z*z)
	}
	vg := inner(s.v, grad)
	for i := range grad {
		grad[i] += s.u[i] * vg
	}
	return lp
}

// names appends base[0], base[1], … to names.
func indexed(names []string, base string, n int) []string {
	for i := range n {
		names = append(names, fmt.Sprintf("%s[%d]", base, i))
	}
	return names
}
