package density

import "math"

// tail is the log of a probability with its derivatives in the arguments of the function that made
// it.
type tail struct {
	log float64
	d   Grad // of the arguments in their order
}

// rest is the log of the other probability, 1 minus that of t.
func (t *tail) rest() tail {
	r := tail{log: Log1mExp(t.log)}
	w := -math.Exp(t.log - r.log)
	for k, d := range t.d {
		r.d[k] = w * d
	}
	return r
}

// certain and impossible are the ends of every distribution.
func certain() tail    { return tail{} }
func impossible() tail { return tail{log: math.Inf(-1)} }

// Between returns the log of the probability of the values from lo to hi, including both, and writes
// its derivatives in the parameters into g[1], g[2], .... It takes the difference on the side where
// the probabilities are small, so that it is exact in either tail. Work is overwritten.
func (f *Family) Between(lo, hi float64, a *Params, g, work *Grad) float64 {
	if f.Discrete {
		lo = math.Ceil(lo) - 1 // P(y <= hi) - P(y < lo)
	}
	*g, *work = Grad{}, Grad{}
	if from, _ := f.Support(a); lo < from {
		return f.Below(hi, a, g)
	}
	wide := f.Above(lo, a, g)
	if math.IsInf(hi, 1) {
		return wide
	}
	narrow := 0.0
	if wide < -math.Ln2 { // P(y > lo) - P(y > hi)
		narrow = f.Above(hi, a, work)
	} else { // P(y <= hi) - P(y <= lo)
		wide, narrow = f.Below(hi, a, g), f.Below(lo, a, work)
	}
	if math.IsInf(wide, -1) {
		*g = Grad{}
		return wide
	}
	r := math.Exp(narrow - wide)
	if r == 0 {
		return wide
	}
	for k := range f.Params {
		g[k+1] = (g[k+1] - r*work[k+1]) / (1 - r)
	}
	return wide + Log1mExp(narrow-wide)
}

// symmetric gives f the tails of a location-scale family that is symmetric around 0: above is the
// log of the probability of more than z, and its derivative in z.
func (f *Family) symmetric(above func(z float64) (l, dl float64)) {
	loc, scale := f.Location, f.Scale
	f.Below = func(y float64, a *Params, g *Grad) float64 {
		z := (y - a[loc]) / a[scale]
		l, dl := above(-z)
		placed(g, f, z, -dl/a[scale])
		return l
	}
	f.Above = func(y float64, a *Params, g *Grad) float64 {
		z := (y - a[loc]) / a[scale]
		l, dl := above(z)
		placed(g, f, z, dl/a[scale])
		return l
	}
}

// placed writes the derivatives in y, location and scale of a function of z with derivative d in y.
func placed(g *Grad, f *Family, z, d float64) {
	g[0], g[f.Location+1], g[f.Scale+1] = d, -d, 0
	if d != 0 {
		g[f.Scale+1] = -z * d
	}
}

// ofTail gives f tails by a function that returns both, with derivatives in y and the parameters.
func (f *Family) ofTail(both func(y float64, a *Params) (below, above tail)) {
	f.Below = func(y float64, a *Params, g *Grad) float64 {
		t, _ := both(y, a)
		*g = t.d
		return t.log
	}
	f.Above = func(y float64, a *Params, g *Grad) float64 {
		_, t := both(y, a)
		*g = t.d
		return t.log
	}
}

// chained returns t, a function of u, v, w with values in d, as a function of y and parameters: row k
// of by has the derivatives of argument k.
func (t tail) chained(by [3]Grad) tail {
	out := tail{log: t.log}
	for k, row := range by {
		if t.d[k] == 0 {
			continue
		}
		for j, d := range row {
			out.d[j] += t.d[k] * d
		}
	}
	return out
}

// normalAbove is the log of the probability that a standard normal value is above z, and its
// derivative. With m Mills' ratio the probability is phi(z) m(z) for z > 0.
func normalAbove(z float64) (l, dl float64) {
	switch {
	case math.IsInf(z, 1):
		return math.Inf(-1), 0
	case z > 0:
		m := Mills(z)
		return math.Log(m) - z*z/2 - logSqrt2Pi, -1 / m
	}
	phi := math.Exp(-z*z/2 - logSqrt2Pi)
	p := phi * Mills(-z)
	return math.Log1p(-p), -phi / (1 - p)
}
