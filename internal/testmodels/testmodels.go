// Package testmodels holds log densities with hand-derived gradients and known moments, for the
// tests of samplers. It also has the scripted random numbers of Stan's recorded transitions.
package testmodels

import "math"

// Func is a target made of a function that keeps no workspace: hmc.Shared makes a factory of it.
type Func struct {
	N int
	F func(x, grad []float64) float64
}

// Dim returns the dimension.
func (f Func) Dim() int { return f.N }

// LogDensity calls the function.
func (f Func) LogDensity(x, grad []float64) float64 { return f.F(x, grad) }

// Gauss2 is N(0,1) x N(0,100), independent: kind 0 of the recorded transitions.
func Gauss2() Func {
	return Func{2, func(x, g []float64) float64 {
		g[0], g[1] = -x[0], -x[1]/100
		return -(x[0]*x[0] + x[1]*x[1]/100) / 2
	}}
}

// Gauss3 has precision matrix [[2,.8,0],[.8,1,.3],[0,.3,.5]]: kind 1.
func Gauss3() Func {
	return Func{3, func(x, g []float64) float64 {
		g[0] = -(2*x[0] + 0.8*x[1])
		g[1] = -(x[1] + 0.8*x[0] + 0.3*x[2])
		g[2] = -(0.5*x[2] + 0.3*x[1])
		return -0.5 * (2*x[0]*x[0] + x[1]*x[1] + 0.5*x[2]*x[2] + 1.6*x[0]*x[1] + 0.6*x[1]*x[2])
	}}
}

// Banana is x0 ~ N(0,1), x1 | x0 ~ N(x0^2, 1/4): kind 2. E x1 = 1, Var x1 = 2.25.
func Banana() Func {
	return Func{2, func(x, g []float64) float64 {
		u := x[1] - x[0]*x[0]
		g[0] = -x[0] + 8*x[0]*u
		g[1] = -4 * u
		return -0.5*x[0]*x[0] - 2*u*u
	}}
}

// Funnel is x0 ~ N(0,9), x1 and x2 | x0 ~ N(0,e^x0): kind 3.
func Funnel() Func {
	return Func{3, func(x, g []float64) float64 {
		e := math.Exp(-x[0])
		ss := x[1]*x[1] + x[2]*x[2]
		g[0] = -x[0]/9 + 0.5*e*ss - 1
		g[1], g[2] = -e*x[1], -e*x[2]
		return -x[0]*x[0]/18 - 0.5*e*ss - x[0]
	}}
}

// Quartic is a product of densities exp(-x^4/4 - x^2/(2i)), i = 1..4: kind 4.
func Quartic() Func {
	return Func{4, func(x, g []float64) float64 {
		lp := 0.0
		for i, v := range x {
			w := float64(i + 1)
			g[i] = -v*v*v - v/w
			lp -= v*v*v*v/4 + v*v/(2*w)
		}
		return lp
	}}
}

// QuarticSquares holds E x_i^2 of Quartic, by quadrature to 25 digits.
var QuarticSquares = [4]float64{0.467919916973665, 0.557687976835481, 0.593495303769715,
	0.612686725798951}

// Normal is a product of normals with mean zero and the given standard deviations.
func Normal(sd ...float64) Func {
	return Func{len(sd), func(x, g []float64) float64 {
		lp := 0.0
		for i, v := range x {
			g[i] = -v / (sd[i] * sd[i])
			lp += 0.5 * v * g[i]
		}
		return lp
	}}
}

// Correlated is the bivariate normal with unit variances and correlation rho.
func Correlated(rho float64) Func {
	c := 1 / (1 - rho*rho)
	return Func{2, func(x, g []float64) float64 {
		g[0] = -c * (x[0] - rho*x[1])
		g[1] = -c * (x[1] - rho*x[0])
		return 0.5 * (x[0]*g[0] + x[1]*g[1])
	}}
}

// Equicorrelated is the normal in d dimensions with unit variances and all correlations rho.
func Equicorrelated(d int, rho float64) Func {
	a := 1 / (1 - rho)
	b := rho / ((1 - rho) * (1 + float64(d-1)*rho))
	return Func{d, func(x, g []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += v
		}
		lp := 0.0
		for i, v := range x {
			g[i] = -a*v + b*sum
			lp += 0.5 * v * g[i]
		}
		return lp
	}}
}

// Logistic is a product of standard logistic densities.
func Logistic(d int) Func {
	return Func{d, func(x, g []float64) float64 {
		lp := 0.0
		for i, v := range x {
			e := math.Exp(-math.Abs(v))
			lp -= math.Abs(v) + 2*math.Log1p(e)
			g[i] = -math.Copysign((1-e)/(1+e), v)
		}
		return lp
	}}
}

// Bimodal is w N(-at 1, I) + (1-w) N(at 1, I) in d dimensions.
func Bimodal(d int, w, at float64) Func {
	lw, lv := math.Log(w), math.Log1p(-w)
	return Func{d, func(x, g []float64) float64 {
		a, b := lw, lv
		for _, v := range x {
			a -= (v + at) * (v + at) / 2
			b -= (v - at) * (v - at) / 2
		}
		m := max(a, b)
		ea, eb := math.Exp(a-m), math.Exp(b-m)
		pa := ea / (ea + eb)
		for i, v := range x {
			g[i] = -v - at*pa + at*(1-pa)
		}
		return m + math.Log(ea+eb)
	}}
}

// Recorded returns the target of a kind of the recorded transitions.
func Recorded(kind int) Func {
	return [...]func() Func{Gauss2, Gauss3, Banana, Funnel, Quartic}[kind]()
}

// Scripted repeats the random numbers under which Stan's transitions were recorded: uniforms from
// the upper halves of SplitMix64, and sums of twelve uniforms for normals. Every machine computes
// the same bits.
type Scripted struct {
	State    uint64
	Uniforms int // uniforms drawn outside normals
}

func (s *Scripted) next() float64 {
	s.State += 0x9E3779B97F4A7C15
	z := s.State
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	z ^= z >> 31
	return float64(z>>32) / (1 << 32)
}

// Float64 returns the next uniform.
func (s *Scripted) Float64() float64 {
	s.Uniforms++
	return s.next()
}

// NormFloat64 returns the next number of the script instead of a normal draw.
func (s *Scripted) NormFloat64() float64 {
	sum := 0.0
	for range 12 {
		sum += s.next()
	}
	return sum - 6
}
