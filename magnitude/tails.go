package magnitude

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// tailed is a law of the g-and-h family (Tukey, 1977): b (e^(gZ) - 1)/g e^(hZ²/2) for a normal Z, in
// units of its second L-moment, with mean 0. It has skewness by g and heavy tails by h.
type tailed struct {
	g, h float64
	// mean and l2 are those of the law with b = 1; sd is in units of l2. Skewness and kurtosis are
	// ratios of L-moments (Hosking, 1990).
	mean, l2, sd, skewness, kurtosis float64
	values                           []float64 // at normal scores from -far to far, in steps
}

// steps is the number of values a unit of the normal score.
const steps, far = 16, 8

func (t tailed) raw(z float64) float64 {
	v := z
	if t.g != 0 {
		v = math.Expm1(t.g*z) / t.g
	}
	return v * math.Exp(t.h*z*z/2)
}

// newTailed finds the moments in closed form (Martinez and Iglewicz, 1984) and the L-moments by the
// trapezoidal rule, which is accurate to rounding for such integrals.
func newTailed(g, h float64) tailed {
	t := tailed{g: g, h: h}
	a, b := 1-h, 1-2*h
	var second float64
	if g == 0 {
		second = math.Pow(b, -1.5)
	} else {
		t.mean = math.Expm1(g*g/(2*a)) / (g * math.Sqrt(a))
		second = (math.Expm1(2*g*g/b) - 2*math.Expm1(g*g/(2*b))) / (g * g * math.Sqrt(b))
	}
	const step, end = 0.1, 9.0
	var l2, l3, l4 float64
	for k := range int(2*end/step) + 1 {
		z := float64(k)*step - end
		u := distuv.UnitNormal.CDF(z)
		w := t.raw(z) * distuv.UnitNormal.Prob(z) * step
		v := 2*u - 1 // the shifted Legendre polynomials
		l2 += w * v
		l3 += w * (3*v*v - 1) / 2
		l4 += w * (5*v*v - 3) * v / 2
	}
	t.l2, t.sd = l2, math.Sqrt(max(second-t.mean*t.mean, 0))/l2
	t.skewness, t.kurtosis = l3/l2, l4/l2
	t.values = make([]float64, 2*far*steps+2)
	for i := range t.values {
		t.values[i] = (t.raw(float64(i)/steps-far) - t.mean) / t.l2
	}
	return t
}

// family are the laws that tails are looked up in: those with skewness to the right. The range of g is
// 0 to 1.5, where the lognormal law with that sd of the logarithm lies, that of h 0 to 1/3, where the
// tails fall like those of Student's law with three degrees of freedom.
var family = sync.OnceValue(func() (f struct {
	laws   []tailed
	ratios [][2]float64 // of L-moments, close together in memory
}) {
	for g := range 61 {
		for h := range 18 {
			t := newTailed(float64(g)/40, float64(h)/51)
			f.laws, f.ratios = append(f.laws, t), append(f.ratios, [2]float64{t.skewness, t.kurtosis})
		}
	}
	return f
})

// tailsOf is the law of the family whose ratios of L-moments are nearest to those given.
func tailsOf(skewness, kurtosis float64) *tailed {
	all := family()
	best, least := 0, math.Inf(1)
	skewness = math.Abs(skewness)
	for i, r := range all.ratios {
		a, b := r[0]-skewness, r[1]-kurtosis
		if d := a*a + b*b; d < least {
			best, least = i, d
		}
	}
	return &all.laws[best]
}

// resampler draws from rows with replacement.
type resampler struct {
	rows []float64 // less their mean, sorted
	n    []int     // how often each is drawn
	// L-moments of the rows, as of lMoments.
	l2, skewness, kurtosis float64
	// tails says that the rows are skewed, or have heavier tails than normal rows: by their L-moments'
	// ratios, whose variances are those of normal rows (Hosking, 1990). One in five normal samples is
	// taken to be so.
	tails bool
}

func newResampler(rows []float64) *resampler {
	s := &resampler{rows: slices.Clone(rows), n: make([]int, len(rows))}
	slices.Sort(s.rows)
	mean := momentsOf(s.rows).mean
	for i := range s.rows {
		s.rows[i] -= mean
		s.n[i] = 1
	}
	s.l2, s.skewness, s.kurtosis = s.lMoments()
	if !(s.l2 > 0) {
		s.skewness, s.kurtosis = 0, 0
	}
	n := float64(len(rows))
	s.tails = n*(square(s.skewness)/0.1866+square(max(s.kurtosis-0.1226, 0))/0.0883) > 2.5
	return s
}

// resample draws as many rows as there are, and returns their moments.
func (s *resampler) resample(r *rand.Rand) moments {
	clear(s.n)
	rows := uint64(len(s.rows))
	for range s.rows {
		s.n[(r.Uint64()>>32)*rows>>32]++
	}
	var p powers
	for i, k := range s.n {
		if k > 0 {
			p.add(s.rows[i], float64(k))
		}
	}
	return p.moments(len(s.rows))
}

// law has the second L-moment of all rows. Its ratios of L-moments are twice those of all rows less
// those of the rows drawn last, which corrects the bias of few rows: long tails are seen too short.
func (s *resampler) law() drawn {
	l2, skewness, kurtosis := s.lMoments()
	if !(l2 > 0) {
		skewness, kurtosis = s.skewness, s.kurtosis // one value was drawn
	}
	skewness, kurtosis = 2*s.skewness-skewness, 2*s.kurtosis-kurtosis
	d := drawn{of: tailsOf(skewness, kurtosis), scale: s.l2}
	if skewness < 0 {
		d.scale = -d.scale
	}
	return d
}

// lMoments are the second L-moment of the rows drawn, and the ratios of the third and the fourth to it
// (Hosking, 1990).
func (s *resampler) lMoments() (l2, skewness, kurtosis float64) {
	n := float64(len(s.rows))
	var b0, b1, b2, b3 float64
	i := 0.0
	for j, v := range s.rows {
		for range s.n[j] {
			w := v * i / (n - 1)
			b0 += v
			b1 += w
			w *= (i - 1) / (n - 2)
			b2 += w
			b3 += w * (i - 2) / (n - 3)
			i++
		}
	}
	b0, b1, b2, b3 = b0/n, b1/n, b2/n, b3/n
	l2 = 2*b1 - b0
	return l2, (6*b2 - 6*b1 + b0) / l2, (20*b3 - 30*b2 + 12*b1 - b0) / l2
}

// drawn draws from a law of the family with mean 0 and a second L-moment, the negative of which
// reflects it.
type drawn struct {
	of    *tailed
	scale float64
}

func (d drawn) sd() float64 { return d.of.sd * d.scale }

// moments are those of n draws.
func (d drawn) moments(n int, r *rand.Rand) moments {
	var p powers
	for range n {
		z := (min(max(r.NormFloat64(), -far), far) + far) * steps
		k := int(z)
		v := d.of.values[k]
		p.add(d.scale*(v+(z-float64(k))*(d.of.values[k+1]-v)), 1)
	}
	return p.moments(n)
}
