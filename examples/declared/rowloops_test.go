package declared

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/model"
)

// rowLoop is a posterior as it is written by hand at first, with a loop over the rows that computes
// the mean of each, its density and the derivatives.
type rowLoop struct {
	dim int
	f   func(x, grad []float64) float64
}

func (r rowLoop) Dim() int { return r.dim }

func (r rowLoop) LogDensity(x, grad []float64) float64 {
	clear(grad)
	return r.f(x, grad)
}

// A regression's rows, and counts that follow from coefficients.
func simulate(n, k int, count func(eta float64, r *rand.Rand) float64) (x [][]float64, y []float64) {
	r := rand.New(rand.NewPCG(7, 8))
	for range n {
		row, eta := make([]float64, k), 0.0
		for j := range row {
			row[j] = r.NormFloat64()
			eta += row[j] * 0.1 * float64(j%5-2)
		}
		x, y = append(x, row), append(y, count(eta, r))
	}
	return x, y
}

func bernoulli(eta float64, r *rand.Rand) float64 {
	if r.Float64() < 1/(1+math.Exp(-eta)) {
		return 1
	}
	return 0
}

// logistic and its like have normal(0, 1) priors for k coefficients.
func regressionLoop(x [][]float64, y []float64, row func(y, eta float64) (lp, d float64)) rowLoop {
	k := len(x[0])
	return rowLoop{k, func(b, grad []float64) float64 {
		lp := 0.0
		for j, v := range b {
			lp -= v * v / 2
			grad[j] -= v
		}
		for i, at := range x {
			eta := 0.0
			for j, v := range at {
				eta += v * b[j]
			}
			l, d := row(y[i], eta)
			lp += l
			for j, v := range at {
				grad[j] += v * d
			}
		}
		return lp
	}}
}

func logitRow(y, eta float64) (lp, d float64) {
	e := math.Exp(-math.Abs(eta))
	if eta < 0 {
		return eta*y - math.Log1p(e), y - e/(1+e)
	}
	return eta*(y-1) - math.Log1p(e), y - 1/(1+e)
}

func logistic() (hmc.Target, *model.Model) {
	x, y := simulate(1000, 25, bernoulli)
	m := model.New()
	b := m.Reals("b", 25, model.Normal(0, 1))
	m.Observe(m.Data("y", y), model.BernoulliLogit(m.Matrix("x", matrix(x)).MatVec(b)))
	return regressionLoop(x, y, logitRow), m
}

func poisson() (hmc.Target, *model.Model) {
	x, y := simulate(2000, 8, func(eta float64, r *rand.Rand) float64 {
		return math.Floor(math.Exp(eta) - 2*math.Log(r.Float64()))
	})
	m := model.New()
	b := m.Reals("b", 8, model.Normal(0, 1))
	m.Observe(m.Data("y", y), model.PoissonLog(m.Matrix("x", matrix(x)).MatVec(b)))
	return regressionLoop(x, y, func(y, eta float64) (lp, d float64) {
		rate := math.Exp(eta)
		return y*eta - rate, y - rate
	}), m
}

// items is the two-parameter logistic model of item response theory: 250 persons answer 20 items.
func items() (hmc.Target, *model.Model) {
	const persons, n = 250, 20
	r := rand.New(rand.NewPCG(3, 3))
	var person, item []int
	var y []float64
	for p := range persons {
		ability := r.NormFloat64()
		for i := range n {
			person, item = append(person, p), append(item, i)
			y = append(y, bernoulli(ability-float64(i%5-2)/2, r))
		}
	}
	m := model.New()
	theta := m.Reals("theta", persons, model.Normal(0, 1))
	b, a := m.Reals("b", n, model.Normal(0, 2)), m.Positives("a", n, model.LogNormal(0, 0.5))
	m.Observe(m.Data("y", y), model.BernoulliLogit(a.At(item).Mul(theta.At(person).Sub(b.At(item)))))
	return rowLoop{persons + 2*n, func(x, grad []float64) float64 {
		theta, b, la := x[:persons], x[persons:persons+n], x[persons+n:]
		gt, gb, ga := grad[:persons], grad[persons:persons+n], grad[persons+n:]
		lp := 0.0
		for p, v := range theta {
			lp -= v * v / 2
			gt[p] -= v
		}
		var a [n]float64
		for i, v := range la { // the log of a is normal(0, .5)
			lp -= b[i]*b[i]/8 + v*v*2
			gb[i] -= b[i] / 4
			ga[i] -= v * 4
			a[i] = math.Exp(v)
		}
		for k, answer := range y {
			p, i := person[k], item[k]
			z := theta[p] - b[i]
			l, d := logitRow(answer, a[i]*z)
			lp += l
			gt[p] += d * a[i]
			gb[i] -= d * a[i]
			ga[i] += d * z * a[i]
		}
		return lp
	}}, m
}

// radonRows are synthetic, of the shape of the survey of radon in Minnesota: 919 houses in 85
// counties, measured in the basement or on the ground floor.
func radonRows() (county []string, at []int, floor, y []float64) {
	r := rand.New(rand.NewPCG(9, 1))
	for i := range 919 {
		c := i * 85 / 919
		f := 0.0
		if r.Float64() < 0.17 {
			f = 1
		}
		county, at = append(county, fmt.Sprint("county ", c)), append(at, c)
		floor = append(floor, f)
		y = append(y, 1.4+0.3*math.Sin(float64(c))-0.7*f+0.7*r.NormFloat64())
	}
	return county, at, floor, y
}

// radon has intercepts and slopes that vary between counties.
func radon() (hmc.Target, *model.Model) {
	names, at, floorOf, y := radonRows()
	m := model.New()
	county, in := m.Factor("county", names)
	floor := m.Data("floor", floorOf)
	muA, muB := m.Real("mu_a", model.Normal(0, 2)), m.Real("mu_b", model.Normal(0, 2))
	sdA, sdB := m.Positive("sd_a", model.HalfNormal(1)), m.Positive("sd_b", model.HalfNormal(1))
	sigma := m.Positive("sigma", model.HalfNormal(1))
	alpha := county.Reals("alpha", model.Normal(muA, sdA), model.NonCentred)
	beta := county.Reals("beta", model.Normal(muB, sdB), model.NonCentred)
	m.Observe(m.Data("log_radon", y),
		model.Normal(alpha.Of(in).Add(beta.Of(in).Mul(floor)), sigma))
	const k = 85
	ga, gb, a, b := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
	return rowLoop{5 + 2*k, func(x, grad []float64) float64 {
		lp := -(x[0]*x[0] + x[1]*x[1]) / 8
		grad[0], grad[1] = -x[0]/4, -x[1]/4
		var s [3]float64
		for j := range s {
			s[j] = math.Exp(x[2+j])
			lp += x[2+j] - s[j]*s[j]/2
			grad[2+j] = 1 - s[j]*s[j]
		}
		za, zb := x[5:5+k], x[5+k:]
		for j := range k {
			a[j], b[j] = x[0]+s[0]*za[j], x[1]+s[1]*zb[j]
			lp -= (za[j]*za[j] + zb[j]*zb[j]) / 2
			ga[j], gb[j] = 0, 0
		}
		ss, w := 0.0, 1/(s[2]*s[2])
		for i, c := range at {
			d := y[i] - a[c] - b[c]*floorOf[i]
			ss += d * d
			d *= w
			ga[c] += d
			gb[c] += d * floorOf[i]
		}
		n := float64(len(y))
		lp -= ss*w/2 + n*x[4]
		grad[4] += ss*w - n
		for j := range k {
			grad[0] += ga[j]
			grad[1] += gb[j]
			grad[2] += ga[j] * za[j] * s[0]
			grad[3] += gb[j] * zb[j] * s[1]
			grad[5+j] = ga[j]*s[0] - za[j]
			grad[5+k+j] = gb[j]*s[1] - zb[j]
		}
		return lp
	}}, m
}

var rowLoops = []struct {
	name string
	make func() (hmc.Target, *model.Model)
}{{"logistic 1000 x 25", logistic}, {"Poisson 2000 x 8", poisson}, {"2PL 5000 answers", items},
	{"radon 919 rows (synthetic)", radon}}

func TestRowLoops(t *testing.T) {
	for _, c := range rowLoops {
		hand, m := c.make()
		for _, o := range [][]model.CompileOption{nil, {model.Without(model.EqualRows)},
			{model.Without(model.Sums, model.Regressions, model.EqualRows)}} {
			p, err := m.Compile(o...)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Target()
			if err != nil {
				t.Fatal(err)
			}
			compare(t, c.name, got, hand, nil)
		}
	}
}

// BenchmarkRows is BenchmarkGradient for models written as plain loops over rows.
func BenchmarkRows(b *testing.B) {
	for _, c := range rowLoops {
		b.Run(c.name, func(b *testing.B) {
			hand, m := c.make()
			compareCost(b, hmc.Shared(hand), m)
		})
	}
}
