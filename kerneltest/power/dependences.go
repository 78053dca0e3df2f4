package power

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// dependences are ways in which y depends on x, most of them those of Panda et al. (hyppo, 2019) with noise:
// x'c is the sum of the columns of x with the weights 1, 1/2, 1/3 and so on, u is uniform on (-1, 1), e normal.
var dependences = []family{
	ofSum("dependence-linear", 1, uniformX(-1, 1), func(r *rand.Rand, s float64) float64 { return s + r.NormFloat64() }),
	ofSum("dependence-exponential", 1, uniformX(0, 3), func(r *rand.Rand, s float64) float64 {
		return math.Exp(s) + 10*r.NormFloat64()
	}),
	ofSum("dependence-cubic", 1, uniformX(-1, 1), func(r *rand.Rand, s float64) float64 {
		t := s - 1.0/3
		return 128*t*t*t + 48*t*t - 12*t + 80*r.NormFloat64()
	}),
	ofSum("dependence-step", 1, uniformX(-1, 1), func(r *rand.Rand, s float64) float64 {
		if s > 0 {
			return 1 + r.NormFloat64()
		}
		return r.NormFloat64()
	}),
	ofSum("dependence-quadratic", 1, uniformX(-1, 1), func(r *rand.Rand, s float64) float64 {
		return s*s + 0.5*r.NormFloat64()
	}),
	ofSum("dependence-w", 1, uniformX(-1, 1), func(r *rand.Rand, s float64) float64 {
		t := s*s - 0.5
		return 4*t*t + (2*r.Float64()-1)/500 + 0.5*r.NormFloat64()
	}),
	ofSum("dependence-root", 1, uniformX(-1, 1), func(r *rand.Rand, s float64) float64 {
		return math.Pow(math.Abs(s), 0.25) + 0.25*r.NormFloat64()
	}),
	ofSum("dependence-parabolas", 1, uniformX(-1, 1), func(r *rand.Rand, s float64) float64 {
		return (s*s + 2*r.Float64()) * (float64(r.IntN(2)) - 0.5)
	}),
	ofSum("dependence-logarithm", 1, normalX, func(r *rand.Rand, s float64) float64 {
		return math.Log(s*s) + 3*r.NormFloat64()
	}),
	ofSum("dependence-heavy", 1, func(r *rand.Rand, dst []float64) {
		for j := range dst {
			dst[j] = student(r, 1)
		}
	}, func(r *rand.Rand, s float64) float64 { return 0.5*s + student(r, 1) }),
	ofSum("dependence-spread", 1, normalX, func(r *rand.Rand, s float64) float64 {
		return math.Exp(0.4*s) * r.NormFloat64()
	}),
	{"dependence-sine", true, []setting{positive("freq", 16), between("noise", 0.5, 0, 1e9), rows(100),
		{key: "hidden", max: 1, whole: true}},
		drawSine},
	{"dependence-square", true, []setting{between("angle", 0.25, -4, 4), rows(100), columns(1)}, drawSquare},
	{"dependence-circle", true, []setting{positive("radius", 1), rows(100), columns(1)}, drawEllipse},
	{"dependence-product", true, []setting{rows(100), columns(1)}, drawProduct},
	{"dependence-normal", true, []setting{rows(100), columns(1)}, drawJointNormal},
	{"dependence-bernoulli", true, []setting{rows(100), columns(1)}, drawBernoulli},
	{"dependence-none", true, []setting{rows(100), columns(1)}, drawBumps},
	{"dependence-spiral", true, []setting{rows(100)}, drawSpiral},
}

// ofSum is a problem whose y is a function of the weighted sum of the columns of x.
func ofSum(name string, dim float64, x func(r *rand.Rand, dst []float64), y func(r *rand.Rand, s float64) float64) family {
	return family{name, true, []setting{rows(100), columns(dim)}, func(r *rand.Rand, v map[string]float64) (*mat.Dense, *mat.Dense) {
		a := fill(v["n"], v["dim"], func(dst []float64) { x(r, dst) })
		return a, dependent(a, func(row []float64) float64 { return y(r, weighted(row)) })
	}}
}

// weighted is the sum with weights 1, 1/2, 1/3 and so on.
func weighted(row []float64) float64 {
	s := 0.0
	for k, v := range row {
		s += v / float64(k+1)
	}
	return s
}

func dependent(x *mat.Dense, f func(row []float64) float64) *mat.Dense {
	n, _ := x.Dims()
	y := mat.NewDense(n, 1, nil)
	for i := range n {
		y.Set(i, 0, f(x.RawRowView(i)))
	}
	return y
}

func uniformX(from, to float64) func(r *rand.Rand, dst []float64) {
	return func(r *rand.Rand, dst []float64) {
		for j := range dst {
			dst[j] = from + (to-from)*r.Float64()
		}
	}
}

func normalX(r *rand.Rand, dst []float64) { normals(r, dst, 0, 1) }

// drawSine has y = sin(freq pi x) and noise, x with noise of its own: before the sine is taken, or after if hidden.
func drawSine(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = fill(v["n"], 1, func(dst []float64) { uniformX(-1, 1)(r, dst) })
	move := func() {
		x.Apply(func(_, _ int, a float64) float64 { return a + 0.02*r.NormFloat64() }, x)
	}
	if v["hidden"] == 0 {
		move()
	}
	y = dependent(x, func(row []float64) float64 {
		return math.Sin(v["freq"]*math.Pi*row[0]) + v["noise"]*r.NormFloat64()
	})
	if v["hidden"] != 0 {
		move()
	}
	return x, y
}

// drawSquare turns a square by an angle in half turns: 0.25 makes a diamond.
func drawSquare(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x, y = mat.NewDense(int(v["n"]), int(v["dim"]), nil), mat.NewDense(int(v["n"]), int(v["dim"]), nil)
	c, s := math.Cos(v["angle"]*math.Pi), math.Sin(v["angle"]*math.Pi)
	for i := range int(v["n"]) {
		for j := range int(v["dim"]) {
			a, b := 2*r.Float64()-1, 2*r.Float64()-1
			x.Set(i, j, a*c-b*s+0.05*v["dim"]*r.NormFloat64())
			y.Set(i, j, a*s+b*c)
		}
	}
	return x, y
}

// drawEllipse has y = sin(a) of the first angle, and in x what is left of the unit sphere, in directions of more
// angles, stretched.
func drawEllipse(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	dim := int(v["dim"])
	x = mat.NewDense(int(v["n"]), dim, nil)
	y = mat.NewDense(int(v["n"]), 1, nil)
	angle := func() float64 { return math.Pi * (2*r.Float64() - 1) }
	for i := range int(v["n"]) {
		first := angle()
		left := math.Cos(first)
		for j := range dim {
			part := left
			if j < dim-1 {
				a := angle()
				part, left = left*math.Sin(a), left*math.Cos(a)
			}
			x.Set(i, j, v["radius"]*(part+0.4*r.NormFloat64()))
		}
		y.Set(i, 0, math.Sin(first))
	}
	return x, y
}

func drawProduct(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = fill(v["n"], v["dim"], func(dst []float64) { normalX(r, dst) })
	y = mat.DenseCopyOf(x)
	y.Apply(func(_, _ int, a float64) float64 { return a * r.NormFloat64() }, y)
	return x, y
}

// drawJointNormal has covariance 1/(2p) between every column of x and every column of y, none within either, and then
// the same noise in all columns of y.
func drawJointNormal(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	dim := int(v["dim"])
	x, y = mat.NewDense(int(v["n"]), dim, nil), mat.NewDense(int(v["n"]), dim, nil)
	z := make([]float64, dim)
	for i := range int(v["n"]) {
		row := x.RawRowView(i)
		normals(r, row, 0, 1)
		normals(r, z, 0, 1)
		// Given x the covariance of y is I - J/(4p), whose symmetric root is I - (1-sqrt(3/4))J/p.
		common := (floats.Sum(row)/2-(1-math.Sqrt(0.75))*floats.Sum(z))/v["dim"] + 0.5*r.NormFloat64()
		for j := range dim {
			y.Set(i, j, z[j]+common)
		}
	}
	return x, y
}

func drawBernoulli(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = fill(v["n"], v["dim"], func(dst []float64) {
		for j := range dst {
			dst[j] = float64(r.IntN(2)) + 0.5*r.NormFloat64()
		}
	})
	y = dependent(x, func(row []float64) float64 {
		return weighted(row)*float64(2*r.IntN(2)-1) + 0.5*r.NormFloat64()
	})
	return x, y
}

// drawBumps has independent columns of two bumps each.
func drawBumps(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	bumps := func() *mat.Dense {
		return fill(v["n"], v["dim"], func(dst []float64) {
			for j := range dst {
				dst[j] = r.NormFloat64()/3 + 2*float64(r.IntN(2)) - 1
			}
		})
	}
	x = bumps()
	return x, bumps()
}

func drawSpiral(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x, y = mat.NewDense(int(v["n"]), 1, nil), mat.NewDense(int(v["n"]), 1, nil)
	for i := range int(v["n"]) {
		u := 5 * r.Float64()
		x.Set(i, 0, u*math.Cos(math.Pi*u)+0)
		y.Set(i, 0, u*math.Sin(math.Pi*u)+0.4*r.NormFloat64())
	}
	return x, y
}
