package power

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// ParseProblems reads the names of problems of the list in the package comment, with white space
// between them: "normal-laplace:n=200 grid:eps=1/2/4". What a name leaves out has its default;
// alternatives are divided by slashes. Name is the shortest form, "grid" for "grid:eps=2.0".
func ParseProblems(text string) ([]Problem, error) {
	specs, err := parseSpecs(text)
	if err != nil {
		return nil, fmt.Errorf("power: problems: %w", err)
	}
	var out []Problem
	for _, s := range specs {
		p, err := s.problem()
		if err != nil {
			return nil, fmt.Errorf("power: %w", err)
		}
		out = append(out, p)
	}
	return out, nil
}

func (s spec) problem() (Problem, error) {
	var names []string
	for _, f := range everyFamily() {
		names = append(names, f.name)
		if f.name != s.name {
			continue
		}
		values, name, err := s.numbers(f.settings)
		if err != nil {
			return Problem{}, err
		}
		for _, d := range f.settings {
			if err := d.check(s.name, values[d.key]); err != nil {
				return Problem{}, err
			}
		}
		// What a family does not have is 0.
		if size := values["n"] * values["dim"]; size > 1e8 {
			return Problem{}, fmt.Errorf("%s has %v numbers in a sample, want at most 1e8", s.name, size)
		}
		if cells := math.Pow(values["peaks"], values["dim"]); cells > 1e7 {
			return Problem{}, fmt.Errorf("%s has %v cells, want at most 1e7", s.name, cells)
		}
		draw := func(r *rand.Rand) (x, y *mat.Dense) { return f.draw(r, values) }
		return Problem{Name: name, Paired: f.paired, Draw: draw, Values: values}, nil
	}
	return Problem{}, fmt.Errorf("there is no problem %q, want one of %s", s.name,
		strings.Join(names, ", "))
}

// family is a problem with parameters.
type family struct {
	name     string
	paired   bool
	settings []setting
	draw     func(r *rand.Rand, v map[string]float64) (x, y *mat.Dense)
}

func rows(n float64) setting {
	return setting{key: "n", value: n, min: 1, max: 1e7, whole: true}
}

func columns(dim float64) setting {
	return setting{key: "dim", value: dim, min: 1, max: 1e4, whole: true}
}

func between(key string, value, least, most float64) setting {
	return setting{key: key, value: value, min: least, max: most}
}

func positive(key string, value float64) setting { return between(key, value, 1e-9, 1e9) }

func count(key string, value, most float64) setting {
	return setting{key: key, value: value, min: 1, max: most, whole: true}
}

// families are the problems of the list in the package comment.
var families = []family{
	{"normal", false, []setting{between("shift", 0, -1e9, 1e9), positive("sd", 1), rows(100),
		columns(1)}, drawNormal},
	{"normal-laplace", false, []setting{rows(100)}, drawNormalLaplace},
	{"grid", false, []setting{positive("eps", 1), count("per", 100, 1e6), positive("spacing", 10),
		{key: "random", max: 1, whole: true}}, drawGrid},
	{"perturbed", false, []setting{between("amplitude", 0.3, 0, 1), rows(500), columns(1),
		count("peaks", 2, 1000)}, drawPerturbed},
	{"correlation", false, []setting{between("rho", 0.35, 0, 1), rows(250), columns(5),
		count("among", 2, 1e4)}, drawCorrelation},
	{"mixture", false, []setting{positive("sd", 1), rows(500), columns(2), positive("mean", 20)},
		drawMixture},
	{"ties", false, []setting{between("shift", 0, -1e9, 1e9), rows(100), columns(10)}, drawTies},
	{"sinusoid", true, []setting{between("freq", 2, 0, 1e6), rows(200)}, drawSinusoid},
	{"circle", true, []setting{between("noise", 0.5, 0, 1e9), rows(100)}, drawCircle},
	{"linear", true, []setting{between("rho", 0.2, -1, 1), rows(100), columns(1)}, drawLinear},
}

func everyFamily() []family { return slices.Concat(families, regimes, dependences) }

// ProblemNames lists what ParseProblems reads: names with parameters and their defaults.
func ProblemNames() []string {
	var out []string
	for _, f := range everyFamily() {
		var parts []string
		for _, d := range f.settings {
			parts = append(parts, fmt.Sprintf("%s=%v", d.key, d.value))
		}
		out = append(out, f.name+":"+strings.Join(parts, ","))
	}
	return out
}

// fill makes a matrix of n rows, each written by row.
func fill(n, dim float64, row func(dst []float64)) *mat.Dense {
	out := mat.NewDense(int(n), int(dim), nil)
	for i := range int(n) {
		row(out.RawRowView(i))
	}
	return out
}

func normals(r *rand.Rand, dst []float64, mean, sd float64) {
	for j := range dst {
		dst[j] = mean + sd*r.NormFloat64()
	}
}

func drawNormal(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = fill(v["n"], v["dim"], func(dst []float64) { normals(r, dst, 0, 1) })
	y = fill(v["n"], v["dim"], func(dst []float64) {
		normals(r, dst, 0, v["sd"])
		dst[0] += v["shift"]
	})
	return x, y
}

func drawNormalLaplace(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = fill(v["n"], 1, func(dst []float64) { normals(r, dst, 0, 1) })
	y = fill(v["n"], 1, func(dst []float64) {
		dst[0] = math.Sqrt(0.5) * (r.ExpFloat64() - r.ExpFloat64())
	})
	return x, y
}

func drawGrid(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	sample := func(eps float64) *mat.Dense {
		i := 0
		return fill(9*v["per"], 2, func(dst []float64) {
			c := i / int(v["per"])
			if v["random"] == 1 {
				c = r.IntN(9)
			}
			i++
			a, b := math.Sqrt(eps/2)*r.NormFloat64(), math.Sqrt(0.5)*r.NormFloat64()
			dst[0] = v["spacing"]*float64(c/3) + a - b // (1, 1)/sqrt2 has variance eps
			dst[1] = v["spacing"]*float64(c%3) + a + b // (-1, 1)/sqrt2 has variance 1
		})
	}
	return sample(1), sample(v["eps"])
}

// bump is the function of a peak and a dip on (-1, 0), infinitely often differentiable.
func bump(t float64) float64 {
	switch {
	case -1 < t && t < -0.5:
		return math.Exp(-1 / (1 - (4*t+3)*(4*t+3)))
	case -0.5 < t && t < 0:
		return -math.Exp(-1 / (1 - (4*t+1)*(4*t+1)))
	}
	return 0
}

// perturbedDensity is 1 + a e^dim times the product of bump over the coordinates, with the sign of
// the cell of side 1/peaks that the row lies in.
func perturbedDensity(row []float64, amplitude float64, peaks int, signs []float64) float64 {
	cell, product := 0, amplitude
	for _, u := range row {
		t := u * float64(peaks)
		c := min(int(t), peaks-1)
		cell = cell*peaks + c
		product *= math.E * bump(t-float64(c)-1)
	}
	return 1 + signs[cell]*product
}

func drawPerturbed(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	peaks := int(v["peaks"])
	signs := make([]float64, int(math.Pow(v["peaks"], v["dim"])))
	for i := range signs {
		signs[i] = float64(2*r.IntN(2) - 1)
	}
	uniform := func(dst []float64) {
		for j := range dst {
			dst[j] = r.Float64()
		}
	}
	x = fill(v["n"], v["dim"], func(dst []float64) {
		for {
			uniform(dst)
			f := perturbedDensity(dst, v["amplitude"], peaks, signs)
			if r.Float64()*(1+v["amplitude"]) < f {
				return
			}
		}
	})
	return x, fill(v["n"], v["dim"], uniform)
}

func drawCorrelation(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = fill(v["n"], v["dim"], func(dst []float64) { normals(r, dst, 0, 1) })
	y = fill(v["n"], v["dim"], func(dst []float64) {
		among := min(int(v["among"]), len(dst))
		normals(r, dst[:among], math.Sqrt(v["rho"])*r.NormFloat64(), math.Sqrt(1-v["rho"]))
		normals(r, dst[among:], 0, 1)
	})
	return x, y
}

func drawMixture(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	sample := func(sd float64) *mat.Dense {
		return fill(v["n"], v["dim"], func(dst []float64) {
			c := r.IntN(4)
			if c < 3 {
				normals(r, dst, 0, 1)
			} else {
				normals(r, dst, 0, sd)
			}
			dst[0] += v["mean"] * float64(1-c/2*2)
			if len(dst) > 1 {
				dst[1] += v["mean"] * float64(1-c%2*2)
			}
		})
	}
	return sample(1), sample(v["sd"])
}

func drawTies(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	sample := func(shift float64) *mat.Dense {
		return fill(v["n"], v["dim"], func(dst []float64) {
			normals(r, dst, shift, 1)
			for j := range dst {
				dst[j] = math.Round(dst[j])
			}
		})
	}
	return sample(0), sample(v["shift"])
}

func drawSinusoid(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = mat.NewDense(int(v["n"]), 1, nil)
	y = fill(v["n"], 1, func([]float64) {})
	for i := 0; i < int(v["n"]); {
		a, b := math.Pi*(2*r.Float64()-1), math.Pi*(2*r.Float64()-1)
		if 2*r.Float64() < 1+math.Sin(v["freq"]*a)*math.Sin(v["freq"]*b) {
			x.Set(i, 0, a)
			y.Set(i, 0, b)
			i++
		}
	}
	return x, y
}

func drawCircle(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = mat.NewDense(int(v["n"]), 1, nil)
	y = fill(v["n"], 1, func([]float64) {})
	for i := range int(v["n"]) {
		angle := 2 * math.Pi * r.Float64()
		x.Set(i, 0, math.Cos(angle)+v["noise"]*r.NormFloat64())
		y.Set(i, 0, math.Sin(angle)+v["noise"]*r.NormFloat64())
	}
	return x, y
}

func drawLinear(r *rand.Rand, v map[string]float64) (x, y *mat.Dense) {
	x = fill(v["n"], v["dim"], func(dst []float64) { normals(r, dst, 0, 1) })
	i := 0
	y = fill(v["n"], 1, func(dst []float64) {
		normals(r, dst, v["rho"]*x.At(i, 0), math.Sqrt(1-v["rho"]*v["rho"]))
		i++
	})
	return x, y
}
