package embedding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/bke"

	"gonum.org/v1/gonum/mat"
)

// Ties, repeated points, one-hot columns, five columns, two rows and extreme hyperparameters leave
// no NaN, and draws that are what means and standard deviations say.
func TestEmbeddingStaysFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ties := column(0, 0, 0, 1, 1, 2, 2, 2, 2, 2)
	hot := mat.NewDense(12, 3, nil)
	for i := range 12 {
		hot.Set(i, i%3, 1)
	}
	five := normalRows(r, 40, 5)
	for _, c := range []struct {
		name   string
		x      *mat.Dense
		sample mat.Matrix
		points *mat.Dense
	}{
		{"ties", ties, ties, column(-1e300, -1, 0, 0, 0.5, 1, 2, 1e300)},
		{"two rows", ties, column(0, 1), column(-1, 0, 0.5, 1, 2)},
		{"two equal rows", ties, column(1, 1), column(-1, 0, 0.5, 1, 2)},
		{"one-hot", hot, hot, hot},
		{"five columns", five, five, five},
	} {
		m := newModel(t, c.x, mat.DenseCopyOf(c.x.Slice(0, min(8, c.x.RawMatrix().Rows), 0,
			c.x.RawMatrix().Cols)), bke.Options{})
		for _, theta := range []float64{0.1, 1, 100, 2e4} {
			for _, tau2 := range []float64{1e-10, 1e-3, 1e2} {
				for _, noise := range []Noise{CLT, IID} {
					name := fmt.Sprintf("%s, %v, theta = %v, tau2 = %v", c.name, noise, theta, tau2)
					e := newEmbedding(t, m, c.sample, params(theta, tau2), Options{Noise: noise})
					mean, sd := at(t, e, c.points)
					draws, err := e.Draws(c.points, 50, r.Uint64())
					if err != nil {
						t.Error(name, err)
						continue
					}
					for i := range mean {
						// E k is in [0, 1], and the posterior hardly leaves it where the data are.
						if !(math.Abs(mean[i]) < 2 && sd[i] >= 0 && sd[i] <= 1.0000001) {
							t.Errorf("%s: mean %v, sd %v", name, mean[i], sd[i])
						}
						for k := range 50 {
							d := math.Abs(draws.At(k, i) - mean[i])
							if noise == CLT && !(d < 10*sd[i]) {
								t.Errorf("%s: a draw is %v sd from the mean", name, d/sd[i])
							}
						}
					}
				}
			}
		}
	}
}

// Rows in another order, and data moved together with the lengthscale (nu Unit).
func TestEmbeddingInvariances(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	x, y := normalRows(r, 120, 1), normalRows(r, 120, 1)
	points := column(-2.5, -1, 0, 0.3, 2)
	value := func(perm []int, scale, shift float64, noise Noise) ([]float64, []float64) {
		move := func(a *mat.Dense, scale, shift float64) *mat.Dense {
			var b mat.Dense
			b.Apply(func(i, _ int, _ float64) float64 {
				if perm != nil && a == x {
					i = perm[i]
				}
				return a.At(i, 0)*scale + shift
			}, a)
			return &b
		}
		xs := move(x, scale, shift)
		m := pooledModel(t, xs, move(y, scale, shift), bke.Options{})
		e := newEmbedding(t, m, xs, params(0.3*scale, 0.1), Options{Noise: noise})
		return at(t, e, move(points, scale, shift))
	}
	for _, noise := range []Noise{CLT, IID} {
		mean, sd := value(nil, 1, 0, noise)
		for _, c := range []struct {
			name         string
			perm         []int
			scale, shift float64
			tol          float64
		}{
			{"permuted", r.Perm(120), 1, 0, 1e-12},
			{"in units of a power of two", nil, 0x1p20, 0, 0},
			{"in other units", nil, 1e-7, 0, 1e-8},
			{"shifted", nil, 1, 1e3, 1e-9}, // 1e3 costs three digits
		} {
			m2, s2 := value(c.perm, c.scale, c.shift, noise)
			if d := max(worst(mean, m2), worst(sd, s2)); !(d <= c.tol) {
				t.Errorf("%v, %s: off by %v", noise, c.name, d)
			}
		}
	}
}

// The amplitude of Lebesgue is theta^D: in small units the data say nothing beside the noise, and
// the posterior is the prior; in large ones the noise is nothing beside the amplitude, and the
// posterior is the empirical embedding where the data are.
func TestEmbeddingInAnyUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 9))
	const dim = 5
	x, y := normalRows(r, 50, dim), normalRows(r, 40, dim)
	for _, unit := range []float64{1e-12, 1e-6, 1e-3, 1e3, 1e12, 1e60} {
		var xs, ys mat.Dense
		xs.Scale(unit, x)
		ys.Scale(unit, y)
		m := pooledModel(t, &xs, &ys, bke.Options{Nu: bke.Lebesgue})
		p := params(unit*1.3, 0.1)
		first := mat.DenseCopyOf(xs.Slice(0, 3, 0, dim))
		muhat := 0.0
		for i := range 50 {
			d := 0.0
			for a := range dim {
				d += math.Pow((x.At(i, a)-x.At(0, a))/1.3, 2)
			}
			muhat += math.Exp(-d/2) / 50
		}
		amp := math.Pow(1.3*unit*math.Sqrt(math.Pi), dim)
		for _, noise := range []Noise{CLT, IID} {
			name := fmt.Sprint(noise, ", unit ", unit)
			e := newEmbedding(t, m, &xs, p, Options{Noise: noise})
			mean, sd := at(t, e, first)
			joint, cov := jointly(t, e, first)
			if unit <= 1e-6 {
				nearly(t, name+": sd", sd[0], math.Sqrt(amp), 1e-3)
			} else if unit > 1 {
				near(t, name+": mean", mean[0], muhat, 1e-6)
			}
			if noise == CLT {
				nearly(t, name+": joint sd", math.Sqrt(cov.At(0, 0)), sd[0], 0.2)
				near(t, name+": joint mean", joint[0], mean[0], 0.2*sd[0])
			}
		}
	}
}
