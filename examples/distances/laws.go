package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// law is a pair of distributions whose energy distance is known.
type law struct {
	name    string
	dim     int
	p, q    func(dst []float64, r *rand.Rand)
	squared float64 // energy distance
}

// each draws independent columns from one function.
func each(f func(r *rand.Rand) float64) func([]float64, *rand.Rand) {
	return func(dst []float64, r *rand.Rand) {
		for i := range dst {
			dst[i] = f(r)
		}
	}
}

// line is a pair of laws on the line with these distribution functions: D² = 2 int (F - G)². The
// integral is a sum over the points from lo to hi at a distance of step, which is exact for whole
// numbers and step 1.
func line(name string, f, g func(x float64) float64, p, q func(r *rand.Rand) float64, lo, hi,
	step float64) law {
	sum := 0.0
	for i := 0; lo+float64(i)*step < hi; i++ {
		x := lo + (float64(i)+0.5)*step
		d := f(x) - g(x)
		sum += d * d
	}
	return law{name, 1, each(p), each(q), 2 * sum * step}
}

func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func exponential(x float64) float64 { return -math.Expm1(-max(x, 0)) }

// student3 is the distribution function of Student's t with 3 degrees of freedom.
func student3(x float64) float64 {
	s := x / math.Sqrt(3)
	return 0.5 + (math.Atan(s)+s/(1+s*s))/math.Pi
}

func drawStudent3(r *rand.Rand) float64 {
	a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	return r.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
}

// poisson is the distribution function of the Poisson law with this mean.
func poisson(mean float64) func(x float64) float64 {
	return func(x float64) float64 {
		term, sum := math.Exp(-mean), 0.0
		for k := 0; float64(k) <= x; k++ {
			sum += term
			term *= mean / float64(k+1)
		}
		return sum
	}
}

func drawPoisson(mean float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		k, product := 0, r.Float64()
		for limit := math.Exp(-mean); product > limit; k++ {
			product *= r.Float64()
		}
		return float64(k)
	}
}

// normals are N(0, I) and N(shift e1, scale² I) in some columns. The mean distance of two rows is
// computed by Simpson's rule: |x| = (1/sqrt(pi)) int (1 - E exp(-u x'x)) u^-3/2 du / 2, and
// E exp(-u |Z|²) is known in closed form for normal Z.
func normals(name string, dim int, shift, scale float64) law {
	mean := func(variance, shift float64) float64 {
		f := func(t float64) float64 { // u = exp(t)
			u := math.Exp(t)
			w := 2 * u * variance
			return -math.Expm1(-float64(dim)/2*math.Log1p(w)-u*shift*shift/(1+w)) * math.Exp(-t/2)
		}
		const lo, hi, n = -60.0, 80.0, 20000
		h := (hi - lo) / n
		sum := f(lo) + f(hi)
		for i := 1; i < n; i++ {
			sum += f(lo+float64(i)*h) * float64(2+2*(i%2))
		}
		return sum * h / 3 / (2 * math.Sqrt(math.Pi))
	}
	gauss := func(r *rand.Rand) float64 { return r.NormFloat64() }
	return law{name, dim, each(gauss), func(dst []float64, r *rand.Rand) {
		for i := range dst {
			dst[i] = scale * r.NormFloat64()
		}
		dst[0] += shift
	}, 2*mean(1+scale*scale, shift) - mean(2, 0) - mean(2*scale*scale, 0)}
}

// pairs are the laws that coverage is measured on.
func pairs() []law {
	gauss := func(r *rand.Rand) float64 { return r.NormFloat64() }
	shifted := func(f func(float64) float64, by float64) func(float64) float64 {
		return func(x float64) float64 { return f(x - by) }
	}
	moved := func(f func(*rand.Rand) float64, by float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return f(r) + by }
	}
	times := func(f func(*rand.Rand) float64, by float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return f(r) * by }
	}
	logNormal := func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }
	logNormalAt := func(x float64) float64 { return normal(math.Log(max(x, 0))) }
	expo := func(r *rand.Rand) float64 { return r.ExpFloat64() }
	coin := func(p float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			if r.Float64() < p {
				return 1
			}
			return 0
		}
	}
	coinAt := func(p float64) func(float64) float64 {
		return func(x float64) float64 {
			switch {
			case x < 0:
				return 0
			case x < 1:
				return 1 - p
			}
			return 1
		}
	}
	const step = 1e-3
	return []law{
		line("equal normals", normal, normal, gauss, gauss, -9, 9, step),
		line("equal exponentials", exponential, exponential, expo, expo, 0, 40, step),
		line("normals, shift 0.2", normal, shifted(normal, 0.2), gauss, moved(gauss, 0.2), -9, 9, step),
		line("normals, shift 0.5", normal, shifted(normal, 0.5), gauss, moved(gauss, 0.5), -9, 10, step),
		line("normals, shift 2", normal, shifted(normal, 2), gauss, moved(gauss, 2), -9, 11, step),
		line("normals, shift 10", normal, shifted(normal, 10), gauss, moved(gauss, 10), -9, 19, step),
		line("normals, sd 1 and 2", normal, func(x float64) float64 { return normal(x / 2) }, gauss,
			times(gauss, 2), -18, 18, step),
		line("exponentials, shift 0.5", exponential, shifted(exponential, 0.5), expo, moved(expo, 0.5), 0,
			40, step),
		line("lognormals, times 2", logNormalAt, func(x float64) float64 { return logNormalAt(x / 2) },
			logNormal, times(logNormal, 2), 0, 500, step),
		line("t with 3 degrees, shift 1", student3, shifted(student3, 1), drawStudent3,
			moved(drawStudent3, 1), -1000, 1000, 1e-2),
		line("Poisson, means 1 and 2", poisson(1), poisson(2), drawPoisson(1), drawPoisson(2), 0, 40, 1),
		line("coins, 0.1 and 0.3", coinAt(0.1), coinAt(0.3), coin(0.1), coin(0.3), 0, 1, 1),
		normals("5 columns, equal", 5, 0, 1),
		normals("5 columns, shift 1", 5, 1, 1),
		normals("10 columns, sd 1 and 1.3", 10, 0, 1.3),
	}
}

// sample draws n rows.
func sample(n, dim int, draw func([]float64, *rand.Rand), r *rand.Rand) *mat.Dense {
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		draw(x.RawRowView(i), r)
	}
	return x
}

// ranks are the ranks of values, the mean rank where several are equal.
func ranks(v []float64) []float64 {
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	out := make([]float64, len(v))
	for i, x := range v {
		from, _ := slices.BinarySearch(sorted, x)
		to := from
		for to < len(sorted) && sorted[to] == x {
			to++
		}
		out[i] = float64(from+to-1) / 2
	}
	return out
}
