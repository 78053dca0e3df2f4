package power

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// regimes are two-sample problems in which tests with one lengthscale for all columns see little: heavy
// tails, many columns, differences of shape or of how columns go together.
var regimes = []family{
	{"sd", false, []setting{positive("sd", 1.35), rows(100), columns(1)}, drawSD},
	{"skew", false, []setting{rows(100), columns(1)}, drawSkew},
	{"tails", false, []setting{between("df", 3, 2.01, 1e6), rows(150), columns(1)}, drawTails},
	{"two-moments", false, []setting{between("at", 0.85, 0, 1), rows(100), columns(1)}, drawTwoMoments},
	{"counts", false, []setting{positive("mean", 2), rows(100)}, drawCounts},
	{"heavy", false, []setting{between("df", 1, 0.1, 1e6), between("shift", 0.6, -1e9, 1e9), rows(100), columns(1)},
		drawHeavy},
	{"lognormal", false, []setting{between("shift", 0.5, -1e9, 1e9), positive("sd", 1.5), rows(100), columns(3)},
		drawLognormal},
	{"blobs", false, []setting{between("rho", 0.85, -1, 1), rows(150)}, drawBlobs},
	{"equicorrelation", false, []setting{between("rho", 0.3, 0, 1), rows(100), columns(5)}, drawEquicorrelation},
	{"all", false, []setting{between("shift", 0.17, -1e9, 1e9), rows(100), columns(10)}, drawAll},
	{"exponential", false, []setting{rows(100), columns(10)}, drawExponential},
	{"pair", false, []setting{between("rho", 0.75, -1, 1), rows(100), columns(10)}, drawPair},
	{"clusters", false, []setting{between("rho", 0.9, -1, 1), rows(200), columns(10)}, drawClusters},
	{"outliers", false, []setting{between("shift", 0.45, -1e9, 1e9), rows(100)}, drawOutliers},
	{"ring", false, []setting{positive("noise", 0.3), rows(100), columns(8)}, drawRing},
	{"two-peaks", false, []setting{between("at", 0.9, 0, 1), rows(100), columns(20)}, drawTwoPeaks},
}

// both draws two samples of rows of standard normals, the second changed.
func both(r *rand.Rand, v map[string]float64, change func(dst []float64)) (x, y *mat.Dense) {
	dim := max(1, v["dim"])
	x = fill(v["n"], dim, func(dst []float64) { normals(r, dst, 0, 1) })
	y = fill(v["n"], dim, func(dst []float64) {
		normals(r, dst, 0, 1)
		change(dst)
	})
	return x, y
}

func drawSD(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) { // the first column
	return both(r, v, func(dst []float64) { dst[0] *= v["sd"] })
}

func drawSkew(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	return both(r, v, func(dst []float64) { dst[0] = (r.ExpFloat64() + r.ExpFloat64() - 2) / math.Sqrt2 })
}

// student draws from Student's t: a normal over the root of a chi-square over its degrees of freedom.
func student(r *rand.Rand, df float64) float64 {
	return r.NormFloat64() / math.Sqrt(2*gamma(r, df/2)/df)
}

// gamma draws from the gamma law of this shape and scale 1 (Marsaglia and Tsang, 2000).
func gamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(r, shape+1) * math.Pow(r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		z := r.NormFloat64()
		t := 1 + c*z
		if t <= 0 {
			continue
		}
		if t = t * t * t; math.Log(1-r.Float64()) < z*z/2+d-d*t+d*math.Log(t) {
			return d * t
		}
	}
}

func drawTails(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	return both(r, v, func(dst []float64) {
		for j := range dst {
			dst[j] = student(r, v["df"]) / math.Sqrt(v["df"]/(v["df"]-2))
		}
	})
}

func drawTwoMoments(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	return both(r, v, func(dst []float64) { dst[0] = twoPeaks(r, dst[0], v["at"]) })
}

func twoPeaks(r *rand.Rand, z, at float64) float64 {
	return at*float64(2*r.IntN(2)-1) + math.Sqrt(1-at*at)*z
}

// poisson counts how many exponential waiting times fit into the mean.
func poisson(r *rand.Rand, mean float64) float64 {
	k := 0.0
	for t := r.ExpFloat64(); t < mean; t += r.ExpFloat64() {
		k++
	}
	return k
}

func drawCounts(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = fill(v["n"], 1, func(dst []float64) { dst[0] = poisson(r, v["mean"]) })
	y = fill(v["n"], 1, func(dst []float64) { dst[0] = poisson(r, v["mean"]/2*gamma(r, 2)) })
	return x, y
}

func drawHeavy(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	sample := func(shift float64) *mat.Dense {
		return fill(v["n"], v["dim"], func(dst []float64) {
			for j := range dst {
				dst[j] = shift + student(r, v["df"])
			}
		})
	}
	return sample(0), sample(v["shift"])
}

func drawLognormal(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	sample := func(shift float64) *mat.Dense {
		return fill(v["n"], v["dim"], func(dst []float64) {
			normals(r, dst, 0, v["sd"])
			dst[0] += v["sd"] * shift
			for j := range dst {
				dst[j] = math.Exp(dst[j])
			}
		})
	}
	return sample(0), sample(v["shift"])
}

// correlate makes b of correlation rho with a, of two independent normals.
func correlate(a, b, rho float64) float64 { return rho*a + math.Sqrt(1-rho*rho)*b }

func drawBlobs(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	sample := func(rho float64) *mat.Dense {
		return fill(v["n"], 2, func(dst []float64) {
			normals(r, dst, 0, 1)
			dst[1] = correlate(dst[0], dst[1], rho)
			dst[0] += 10 * float64(r.IntN(3))
			dst[1] += 10 * float64(r.IntN(3))
		})
	}
	return sample(0), sample(v["rho"])
}

func drawEquicorrelation(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	return both(r, v, func(dst []float64) {
		common := math.Sqrt(v["rho"]) * r.NormFloat64()
		for j := range dst {
			dst[j] = common + math.Sqrt(1-v["rho"])*dst[j]
		}
	})
}

func drawAll(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	return both(r, v, func(dst []float64) {
		for j := range dst {
			dst[j] += v["shift"]
		}
	})
}

func drawExponential(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	return both(r, v, func(dst []float64) { dst[min(3, len(dst)-1)] = r.ExpFloat64() - 1 })
}

func drawPair(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	return both(r, v, func(dst []float64) {
		last := min(1, len(dst)-1)
		dst[last] = correlate(dst[0], dst[last], v["rho"])
	})
}

func drawClusters(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	sample := func(rho float64) *mat.Dense {
		return fill(v["n"], v["dim"], func(dst []float64) {
			normals(r, dst, 0, 1)
			second := r.IntN(2)
			dst[1] = correlate(dst[0], dst[1], rho*float64(1-2*second))
			for j := range dst {
				dst[j] += 0.5 * float64(second)
			}
		})
	}
	return sample(0), sample(v["rho"])
}

func drawOutliers(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x, y = both(r, v, func(dst []float64) { dst[0] += v["shift"] })
	n, _ := x.Dims()
	for i := range min(2, n) {
		x.Set(i, 0, 60)
	}
	y.Set(0, 0, -60)
	return x, y
}

// drawRing has two columns of the second sample on a ring, of variance 1 each.
func drawRing(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	return both(r, v, func(dst []float64) {
		angle, scale := 2*math.Pi*r.Float64(), math.Sqrt(0.5+v["noise"]*v["noise"])
		last := min(1, len(dst)-1)
		dst[0] = (math.Cos(angle) + v["noise"]*dst[0]) / scale
		dst[last] = (math.Sin(angle) + v["noise"]*dst[last]) / scale
	})
}

func drawTwoPeaks(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	return both(r, v, func(dst []float64) {
		last := len(dst) - 1
		dst[last] = twoPeaks(r, dst[last], v["at"])
	})
}
