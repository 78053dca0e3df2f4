package engine

import (
	"math"

	"bayeskernel/internal/density"
	"bayeskernel/internal/fused"
)

// standard has the vector loop of a location-scale family: of values z with location 0 and scale 1 it
// returns the sum of the log densities, without their constant, and writes the derivatives into d. Those
// in its other parameters, which are numbers, are added to more.
type standard func(z, d []float64, p *density.Params, more *density.Grad) float64

// standards are the families with such a loop.
var standards = map[string]standard{
	"student_t":          standardStudent,
	"cauchy":             standardCauchy,
	"half_cauchy":        standardCauchy,
	"logistic":           standardLogistic,
	"double_exponential": standardDoubleExponential,
	"gumbel":             standardGumbel,
	"half_normal":        standardNormal,
	"skew_normal":        standardSkewNormal,
	"pareto_type_2":      standardLomax,
}

// block is how many rows the vector loops work on at a time, in memory that stays in the first cache.
const block = 512

// standardTerm is univariateTerm with the loop of a location-scale family. With z = (y - m)/s and h the
// log density of z it is the sum of h(z) - log s, whose derivatives are h'/s in y, -h'/s in m and
// -(z h' + 1)/s in s.
type standardTerm struct {
	*univariateTerm
	of         standard
	loc, scale int // places of the parameters; loc is -1 where the location is 0
	half       bool
	z, d       []float64
}

// placed returns the term of a location-scale family, nil where it has parameters by rows besides these.
func (t *univariateTerm) placed() Term {
	of, ok := standards[t.f.Name]
	if !ok || t.cut != nil || t.y == nil || len(t.y) < 4 {
		return nil
	}
	out := &standardTerm{univariateTerm: t, of: of, loc: t.f.Location, scale: t.f.Scale}
	switch {
	case t.f.Name == "pareto_type_2":
		out.loc, out.scale = 0, 1
	case t.f.Scale < 0:
		out.scale, out.half = 0, true
	}
	for k := range t.k {
		if k != out.loc && k != out.scale && t.mask[k] != 0 {
			return nil
		}
	}
	n := min(block, len(t.y))
	out.z, out.d = make([]float64, n), make([]float64, n)
	return out
}

func (t *standardTerm) Add() float64 {
	p := &t.p
	if !t.params(p, 0) {
		return math.Inf(-1)
	}
	if t.half && t.dy != nil {
		for _, v := range t.y {
			if !(v >= 0) {
				return math.Inf(-1)
			}
		}
	}
	p[t.scale] = 1
	n, more := float64(len(t.y)), &t.g
	constant := t.f.Norm(p, &t.norm)
	*more = density.Grad{}
	lp := t.base
	for lo := 0; lo < len(t.y); lo += block {
		l := t.rows(lo, min(lo+block, len(t.y)), p, more)
		if math.IsNaN(l) || math.IsInf(l, -1) {
			return math.Inf(-1)
		}
		lp += l
	}
	for k := range t.k {
		if d := t.da[k]; d != nil && k != t.loc && k != t.scale {
			d[0] += more[k+1] + n*t.norm[k+1]
		}
	}
	return lp + n*constant
}

// rows is the sum over the rows lo to hi-1, less their constants.
func (t *standardTerm) rows(lo, hi int, p *density.Params, more *density.Grad) float64 {
	y, z, d := t.y[lo:hi], t.z[:hi-lo], t.d[:hi-lo]
	var m, dm []float64
	number := 0.0
	switch {
	case t.loc < 0:
	case t.mask[t.loc] == 0:
		number = t.a[t.loc][0]
	default:
		m = t.a[t.loc][lo:hi]
		if t.da[t.loc] != nil {
			dm = t.da[t.loc][lo:hi]
		}
	}
	w := 1.0
	if t.mask[t.scale] == 0 {
		w = 1 / t.a[t.scale][0]
	}
	if m == nil {
		for i, v := range y {
			z[i] = (v - number) * w
		}
	} else {
		for i, v := range m {
			z[i] = (y[i] - v) * w
		}
	}
	var dy []float64
	if t.dy != nil {
		dy = t.dy[lo:hi]
	}
	if t.mask[t.scale] != 0 {
		return t.byRows(lo, hi, dm, dy, p, more)
	}
	lp := t.of(z, d, p, more) - float64(len(z))*math.Log(t.a[t.scale][0])
	sum, product := 0.0, 0.0
	for i, v := range d {
		sum += v
		product += v * z[i]
	}
	if t.da[t.scale] != nil {
		t.da[t.scale][0] -= (product + float64(len(z))) * w
	}
	if t.loc >= 0 && m == nil && t.da[t.loc] != nil {
		t.da[t.loc][0] -= sum * w
	}
	for i := range dm {
		dm[i] -= d[i] * w
	}
	for i := range dy {
		dy[i] += d[i] * w
	}
	return lp
}

// byRows has a scale for each row; z holds the distances from the location.
func (t *standardTerm) byRows(lo, hi int, dm, dy []float64, p *density.Params, more *density.Grad) float64 {
	z, d, s := t.z[:hi-lo], t.d[:hi-lo], t.a[t.scale][lo:hi]
	product, logs := 1.0, 0.0
	for i, v := range s {
		if !(v > 0) {
			return math.Inf(-1)
		}
		z[i] /= v
		if q := product * v; q > smallProduct && q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, v, logs)
		}
	}
	lp := t.of(z, d, p, more) - (logs + math.Log(product))
	if ds := t.da[t.scale]; ds != nil {
		ds = ds[lo:hi]
		for i, v := range s {
			w := 1 / v
			ds[i] -= (d[i]*z[i] + 1) * w
			d[i] *= w
		}
	} else {
		for i, v := range s {
			d[i] /= v
		}
	}
	if t.loc >= 0 && t.mask[t.loc] == 0 && t.da[t.loc] != nil {
		sum := 0.0
		for _, v := range d {
			sum += v
		}
		t.da[t.loc][0] -= sum
	}
	for i := range dm {
		dm[i] -= d[i]
	}
	for i := range dy {
		dy[i] += d[i]
	}
	return lp
}

func standardNormal(z, d []float64, _ *density.Params, _ *density.Grad) float64 {
	sum := 0.0
	for i, v := range z {
		sum += v * v
		d[i] = -v
	}
	return -sum / 2
}

// tooFar is where the square of a value may overflow.
const tooFar = 1e100

// standardCauchy sums -log(1 + z²).
func standardCauchy(z, d []float64, _ *density.Params, _ *density.Grad) float64 {
	product, logs := 1.0, 0.0
	for i, v := range z {
		if !(math.Abs(v) < tooFar) {
			logs += 2 * math.Log(math.Abs(v))
			d[i] = -2 / v
			continue
		}
		u := 1 + v*v
		if q := product * u; q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, u, logs)
		}
		d[i] = -2 * v / u
	}
	return -(logs + math.Log(product))
}

// standardStudent sums -(n+1)/2 log(1 + z²/n).
func standardStudent(z, d []float64, p *density.Params, more *density.Grad) float64 {
	df := p[0]
	product, logs, share := 1.0, 0.0, 0.0 // share: of z²/(n + z²)
	for i, v := range z {
		if !(math.Abs(v) < tooFar) {
			logs += 2*math.Log(math.Abs(v)) - math.Log(df)
			share++
			d[i] = -(df + 1) / v
			continue
		}
		q := v * v
		u := 1 + q/df
		if r := product * u; r < largeProduct {
			product = r
		} else {
			product, logs = carry(product, u, logs)
		}
		h := 1 / (df + q)
		share += q * h
		d[i] = -(df + 1) * v * h
	}
	l := logs + math.Log(product)
	more[1] += ((df+1)/df*share - l) / 2
	return -0.5 * (df + 1) * l
}

// standardLogistic sums -|z| - 2 log(1 + exp -|z|).
func standardLogistic(z, d []float64, _ *density.Params, _ *density.Grad) float64 {
	size := 0.0
	for i, v := range z {
		d[i] = math.Abs(v)
		size += d[i]
	}
	if !(size <= math.MaxFloat64) {
		return math.Inf(-1)
	}
	fused.ExpNeg(d, d, 1)
	product, logs := 1.0, 0.0
	for i, v := range z {
		u := 1 + d[i]
		if q := product * u; q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, u, logs)
		}
		d[i] = -math.Copysign((1-d[i])/u, v)
	}
	return -size - 2*(logs+math.Log(product))
}

func standardDoubleExponential(z, d []float64, _ *density.Params, _ *density.Grad) float64 {
	size := 0.0
	for i, v := range z {
		size += math.Abs(v)
		d[i] = -math.Copysign(1, v)
		if v == 0 {
			d[i] = 0
		}
	}
	return -size
}

// standardGumbel sums -z - exp(-z).
func standardGumbel(z, d []float64, _ *density.Params, _ *density.Grad) float64 {
	sum := 0.0
	for i, v := range z {
		sum += v
		d[i] = -v
	}
	if !expOf(d, d) {
		return math.Inf(-1)
	}
	for i, e := range d {
		sum += e
		d[i] = e - 1
	}
	return -sum
}

// standardSkewNormal sums log Phi(shape z) - z²/2.
func standardSkewNormal(z, d []float64, p *density.Params, more *density.Grad) float64 {
	shape := p[2]
	for i, v := range z {
		d[i] = -shape * v
	}
	lp := logAboves(d)
	slope, sum := 0.0, 0.0
	for i, v := range z {
		sum += v * v
		slope += v * d[i]
		d[i] = shape*d[i] - v // d was phi/Phi at shape z
	}
	more[3] += slope
	return lp - sum/2
}

// standardLomax sums -(shape+1) log(1+z), for z >= 0.
func standardLomax(z, d []float64, p *density.Params, more *density.Grad) float64 {
	shape := p[2]
	product, logs := 1.0, 0.0
	for i, v := range z {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return math.Inf(-1)
		}
		u := 1 + v
		if q := product * u; q < largeProduct {
			product = q
		} else {
			product, logs = carry(product, u, logs)
		}
		d[i] = -(shape + 1) / u
	}
	l := logs + math.Log(product)
	more[3] -= l
	return -(shape + 1) * l
}
