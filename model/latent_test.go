package model_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/model"

	"gonum.org/v1/gonum/mat"
)

// latentCase is a model of parameters t, which are independent standard normals, with the log density
// of latents and data written by hand: the oracle adds its exponential up over all states.
type latentCase struct {
	name       string
	parameters int
	latents    []string
	lo, states []int // of each value of all latents in turn
	declare    func(m *model.Model, t model.Expr) []model.Expr
	joint      func(t []float64, z []int) float64
	how        string // what the program says of the sum
	rows       int    // values of LogLik
	// given is the sum of LogLik where parameters depend on the latents, and rows are given these.
	given func(t []float64) float64
}

func normalLog(y, mean, sd float64) float64 {
	d := (y - mean) / sd
	return -d*d/2 - math.Log(sd) - math.Log(2*math.Pi)/2
}

func bernoulliLog(y int, p float64) float64 {
	if y == 1 {
		return math.Log(p)
	}
	return math.Log(1 - p)
}

func expit(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func binomialLog(y, n int, p float64) float64 {
	if y > n {
		return math.Inf(-1)
	}
	c := 1.0
	for k := range y {
		c *= float64(n-k) / float64(k+1)
	}
	return math.Log(c) + float64(y)*math.Log(p) + float64(n-y)*math.Log(1-p)
}

func softmax(x ...float64) []float64 {
	out, sum := make([]float64, len(x)), 0.0
	for k, v := range x {
		out[k] = math.Exp(v)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// transitions are 3 rows of probabilities of 9 numbers, as the declarations below make them.
func transitions(t []float64) [][]float64 {
	return [][]float64{softmax(t[:3]...), softmax(t[3:6]...), softmax(t[6:9]...)}
}

func transitionsOf(t model.Expr, from int) model.Mat {
	var rows []model.Expr
	for j := range 3 {
		rows = append(rows, t.Slice(from+3*j, from+3*j+3).Softmax())
	}
	return model.MatOf(3, 3, model.Stack(rows...))
}

func repeat(v, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func latentCases() []latentCase {
	y := []float64{-1.2, 0.4, 2.5, 0.1, 1.7, -0.6}
	return []latentCase{{
		name: "mixture", parameters: 6, lo: repeat(1, 6), states: repeat(3, 6), latents: []string{"z"},
		how: "one by one, 3 states each", rows: 6,
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			z := m.Latent("z", 6, model.CategoricalLogit(t.Slice(0, 3)))
			m.Observe(m.Data("y", y), model.Normal(t.Slice(3, 6).Pick(z), t.El(0).Exp()))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			lp, w := 0.0, softmax(t[:3]...)
			for i, k := range z {
				lp += math.Log(w[k-1]) + normalLog(y[i], t[2+k], math.Exp(t[0]))
			}
			return lp
		},
	}, {
		name: "number, with weights and means by row", parameters: 3, lo: repeat(0, 6), states: repeat(2, 6),
		how: "one by one, 2 states each", rows: 6, latents: []string{"z"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			x := m.Data("x", y)
			z := m.Latent("z", 6, model.BernoulliLogit(t.El(0).Add(x.Mul(t.El(1)))))
			m.Observe(m.Data("y", []float64{1, 2, 3, 0, 5, 2}), model.PoissonLog(z.Mul(x).Mul(t.El(2)).Add(
				z.OneMinus())))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			lp := 0.0
			for i, k := range z {
				eta, n := t[2]*y[i], []float64{1, 2, 3, 0, 5, 2}[i]
				if k == 0 {
					eta = 1
				}
				lg, _ := math.Lgamma(n + 1)
				lp += bernoulliLog(k, expit(t[0]+t[1]*y[i])) + n*eta - math.Exp(eta) - lg
			}
			return lp
		},
	}, {
		name: "chain", parameters: 15, lo: repeat(1, 6), states: repeat(3, 6), latents: []string{"z"},
		how: "as 1 chain of 3 states", rows: 1,
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			z := m.Latent("z", 6, model.Markov(t.Slice(9, 12).Softmax(), transitionsOf(t, 0)))
			m.Observe(m.Data("y", y), model.Normal(t.Slice(12, 15).Pick(z), 0.7))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			a, lp := transitions(t), math.Log(softmax(t[9:12]...)[z[0]-1])
			for i, k := range z {
				if i > 0 {
					lp += math.Log(a[z[i-1]-1][k-1])
				}
				lp += normalLog(y[i], t[11+k], 0.7)
			}
			return lp
		},
	}, {
		name: "several chains, two series", parameters: 15, lo: repeat(1, 6), states: repeat(3, 6),
		how: "as 3 chains of 3 states", rows: 3, latents: []string{"z"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			first := model.MatOf(3, 3, model.Stack(t.Slice(9, 12).Softmax(), t.Slice(0, 3).Softmax(),
				m.Values([]float64{.2, .3, .5})))
			z := m.Latent("z", 6, model.Markov(first, transitionsOf(t, 0)).Chains(1, 3, 2))
			m.Observe(m.Data("y", y), model.Normal(t.Slice(12, 15).Pick(z), 0.7))
			m.Observe(m.Data("n", []float64{1, 0, 2, 0, 1, 4}), model.Poisson(t.Slice(0, 3).Exp().Pick(z)))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			a, lp := transitions(t), 0.0
			starts := map[int][]float64{0: softmax(t[9:12]...), 1: softmax(t[:3]...), 4: {.2, .3, .5}}
			for i, k := range z {
				if s := starts[i]; s != nil {
					lp += math.Log(s[k-1])
				} else {
					lp += math.Log(a[z[i-1]-1][k-1])
				}
				n := []float64{1, 0, 2, 0, 1, 4}[i]
				lg, _ := math.Lgamma(n + 1)
				lp += normalLog(y[i], t[11+k], 0.7) + n*t[k-1] - math.Exp(t[k-1]) - lg
			}
			return lp
		},
	}, {
		name: "transitions that change", parameters: 4, lo: repeat(1, 6), states: repeat(2, 6),
		how: "as 2 chains of 2 states", rows: 2, latents: []string{"z"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			var rows []model.Expr
			for i := range y {
				for j := range 2 {
					p := t.El(j).Add(t.El(2).Scale(y[i])).InvLogit()
					rows = append(rows, p, p.OneMinus())
				}
			}
			z := m.Latent("z", 6, model.Markov([]float64{.4, .6}, model.MatOf(12, 2,
				model.Stack(rows...))).Chains(4, 2))
			m.Observe(m.Data("y", y), model.Normal(model.Stack(t.El(3), t.El(2)).Pick(z), 0.7))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			lp := 0.0
			for i, k := range z {
				if i == 0 || i == 4 {
					lp += math.Log([]float64{.4, .6}[k-1])
				} else {
					p := expit(t[z[i-1]-1] + t[2]*y[i])
					lp += bernoulliLog(2-k, p)
				}
				lp += normalLog(y[i], []float64{t[3], t[2]}[k-1], 0.7)
			}
			return lp
		},
	}, {
		name: "chain whose values depend on the state before", parameters: 8, lo: repeat(1, 5),
		states: repeat(2, 5), how: "by elimination, in 1 component", rows: 1, latents: []string{"z"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			a := model.MatOf(2, 2, model.Stack(t.Slice(0, 2).Softmax(), t.Slice(2, 4).Softmax()))
			z := m.Latent("z", 5, model.Markov([]float64{.3, .7}, a))
			means := model.MatOf(2, 2, t.Slice(4, 8))
			m.Observe(m.Data("y", y[1:5]), model.Normal(means.PickEl(z.Slice(0, 4), z.Slice(1, 5)), 0.7))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			a := [][]float64{softmax(t[0], t[1]), softmax(t[2], t[3])}
			lp := math.Log([]float64{.3, .7}[z[0]-1])
			for i := 1; i < 5; i++ {
				lp += math.Log(a[z[i-1]-1][z[i]-1]) + normalLog(y[i], t[4+2*(z[i-1]-1)+z[i]-1], 0.7)
			}
			return lp
		},
	}, {
		name: "change point", parameters: 2, lo: []int{1}, states: []int{6}, latents: []string{"tau"},
		how: "one by one, 6 states each", rows: 1,
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			tau := m.Latent("tau", 1, model.Categorical([]float64{.1, .2, .1, .2, .1, .3}))
			day := m.Data("day", []float64{1, 2, 3, 4, 5, 6})
			m.Observe(m.Data("y", y), model.Normal(model.If(day.Above(tau.El(0)), t.El(1), t.El(0)), 1))
			return []model.Expr{tau}
		},
		joint: func(t []float64, z []int) float64 {
			lp := math.Log([]float64{.1, .2, .1, .2, .1, .3}[z[0]-1])
			for i, v := range y {
				mean := t[0]
				if i+1 > z[0] {
					mean = t[1]
				}
				lp += normalLog(v, mean, 1)
			}
			return lp
		},
	}, {
		name: "two change points", parameters: 3, lo: []int{1, 1}, states: []int{5, 5}, latents: []string{"a", "b"},
		how: "by elimination, in 1 component, tables of at most 25 values", rows: 1,
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			flat := []float64{.2, .2, .2, .2, .2}
			a, b := m.Latent("a", 1, model.Categorical(flat)), m.Latent("b", 1, model.Categorical(flat))
			day := m.Data("day", []float64{1, 2, 3, 4, 5, 6})
			late := model.If(day.Above(b.El(0)), t.El(2), t.El(1))
			m.Observe(m.Data("y", y), model.Normal(model.If(day.Above(a.El(0)), late, t.El(0)), 1))
			return []model.Expr{a, b}
		},
		joint: func(t []float64, z []int) float64 {
			lp := 2 * math.Log(.2)
			for i, v := range y {
				mean := t[0]
				if i+1 > z[0] {
					mean = t[1]
					if i+1 > z[1] {
						mean = t[2]
					}
				}
				lp += normalLog(v, mean, 1)
			}
			return lp
		},
	}, {
		name: "occupancy", parameters: 3, lo: repeat(0, 3), states: repeat(2, 3), latents: []string{"z"},
		how: "one by one, 2 states each", rows: 3,
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			_, site := m.Codes("site", 3, []int{1, 1, 2, 2, 2, 3, 1})
			x := m.Data("x", []float64{-1, 0.5, 1})
			z := m.Latent("z", 3, model.BernoulliLogit(t.El(0).Add(t.El(1).Mul(x))))
			m.Observe(m.Data("seen", []float64{0, 1, 0, 0, 0, 0, 0}),
				model.Bernoulli(z.Of(site).Mul(t.El(2).InvLogit())))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			lp := 0.0
			for i, x := range []float64{-1, 0.5, 1} {
				lp += bernoulliLog(z[i], expit(t[0]+t[1]*x))
			}
			for i, s := range []int{0, 0, 1, 1, 1, 2, 0} {
				lp += bernoulliLog([]int{0, 1, 0, 0, 0, 0, 0}[i], float64(z[s])*expit(t[2]))
			}
			return lp
		},
	}, {
		name: "capture and recapture", parameters: 2, lo: repeat(0, 5), states: repeat(2, 5),
		how: "one by one, 2 states each", rows: 5, latents: []string{"z"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			z := m.Latent("z", 5, model.Bernoulli(t.El(0).InvLogit()))
			m.Observe(m.Data("s", []float64{2, 0, 3, 0, 0}), model.Binomial(3, z.Mul(t.El(1).InvLogit())))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			lp := 0.0
			for i, s := range []int{2, 0, 3, 0, 0} {
				lp += bernoulliLog(z[i], expit(t[0]))
				if z[i] == 1 {
					lp += binomialLog(s, 3, expit(t[1]))
				} else if s > 0 {
					lp = math.Inf(-1)
				}
			}
			return lp
		},
	}, {
		name: "abundance: a number of trials", parameters: 2, lo: repeat(0, 2), states: repeat(9, 2),
		how: "one by one, 9 states each", rows: 2, latents: []string{"n"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			_, site := m.Codes("site", 2, []int{1, 1, 2, 2, 2})
			n := m.Latent("n", 2, model.Poisson(t.El(0).Exp()).Truncate(0, 8))
			m.Observe(m.Data("y", []float64{2, 1, 0, 3, 1}), model.Binomial(n.Of(site), t.El(1).InvLogit()))
			return []model.Expr{n}
		},
		joint: func(t []float64, z []int) float64 {
			norm, lp := 0.0, 0.0
			poisson := func(k int) float64 {
				lg, _ := math.Lgamma(float64(k) + 1)
				return math.Exp(float64(k)*t[0] - math.Exp(t[0]) - lg)
			}
			for k := range 9 {
				norm += poisson(k)
			}
			for _, k := range z {
				lp += math.Log(poisson(k) / norm)
			}
			for i, s := range []int{0, 0, 1, 1, 1} {
				lp += binomialLog([]int{2, 1, 0, 3, 1}[i], z[s], expit(t[1]))
			}
			return lp
		},
	}, {
		name: "two coupled latents in a row", parameters: 6, lo: append(repeat(1, 4), repeat(0, 4)...),
		states: append(repeat(3, 4), repeat(2, 4)...), latents: []string{"kind", "on"}, rows: 4,
		how: "by elimination, in 4 components, tables of at most 6 values",
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			kind := m.Latent("kind", 4, model.Categorical(t.Slice(0, 3).Softmax()))
			on := m.Latent("on", 4, model.BernoulliLogit(t.Slice(3, 6).Pick(kind)))
			m.Observe(m.Data("y", y[:4]), model.Normal(t.Slice(0, 3).Pick(kind).Add(on.Mul(t.El(4))), 0.8))
			return []model.Expr{kind, on}
		},
		joint: func(t []float64, z []int) float64 {
			lp, w := 0.0, softmax(t[:3]...)
			for i := range 4 {
				k, on := z[i], z[4+i]
				lp += math.Log(w[k-1]) + bernoulliLog(on, expit(t[2+k])) +
					normalLog(y[i], t[k-1]+float64(on)*t[4], 0.8)
			}
			return lp
		},
	}, {
		name: "a factor between latents", parameters: 4, lo: repeat(0, 6), states: repeat(2, 6),
		how: "by elimination, in 1 component", rows: 1, latents: []string{"spin"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			// A ring of six: neighbours like to agree.
			z := m.Latent("spin", 6, model.BernoulliLogit(t.El(0)))
			next := z.At([]int{1, 2, 3, 4, 5, 0})
			m.AddLogDensity(model.MatOf(2, 2, t).PickEl(z, next).Sum())
			m.Observe(m.Data("y", y), model.Normal(z, 1))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			lp := 0.0
			for i, k := range z {
				lp += bernoulliLog(k, expit(t[0])) + t[2*k+z[(i+1)%6]] + normalLog(y[i], float64(k), 1)
			}
			return lp
		},
	}, {
		name: "a sum of latents", parameters: 2, lo: repeat(0, 5), states: repeat(2, 5),
		how: "by elimination, in 1 component, tables of at most 32 values", rows: 1, latents: []string{"z"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			z := m.Latent("z", 5, model.BernoulliLogit(t.El(0)))
			m.Observe(m.Data("y", y[:2]), model.Normal(z.Sum().Mul(t.El(1)), 1))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			lp, n := 0.0, 0
			for _, k := range z {
				lp += bernoulliLog(k, expit(t[0]))
				n += k
			}
			return lp + normalLog(y[0], float64(n)*t[1], 1) + normalLog(y[1], float64(n)*t[1], 1)
		},
	}, {
		name: "rows of a matrix", parameters: 8, lo: repeat(1, 5), states: repeat(2, 5), rows: 5,
		how: "one by one, 2 states each", latents: []string{"topic"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			topics := model.MatOf(2, 3, model.Stack(t.Slice(0, 3).Softmax(), t.Slice(3, 6).Softmax()))
			z := m.Latent("topic", 5, model.CategoricalLogit(t.Slice(6, 8)))
			m.Observe(m.Data("word", []float64{1, 3, 2, 2, 1}), model.Categorical(topics.Pick(z)))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 {
			lp := 0.0
			w, topics := softmax(t[6], t[7]), [][]float64{softmax(t[:3]...), softmax(t[3:6]...)}
			for i, k := range z {
				lp += math.Log(w[k-1]) + math.Log(topics[k-1][[]int{0, 2, 1, 1, 0}[i]])
			}
			return lp
		},
	}, {
		name: "mixture of mixtures, ordered categories, several values as one", parameters: 6, rows: 1,
		lo: []int{1, 0}, states: []int{3, 2}, latents: []string{"grade", "on"}, how: "by elimination",
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			cuts := m.Values([]float64{-0.5, 1})
			grade := m.Latent("grade", 1, model.OrderedLogistic(t.El(0), cuts))
			on := m.Latent("on", 1, model.Binomial(1, 0.3))
			g, o := grade.El(0), on.El(0)
			m.Observe(m.Data("y", y[:3]), model.Mix(model.Stack(o.Scale(0.5).Shift(0.2),
				o.Scale(-0.5).Shift(0.8)), model.Normal(t.Slice(1, 4).Pick(g), 1), model.Normal(0, 2)))
			m.Observe(m.Data("level", []float64{2, 1}), model.OrderedLogistic(t.El(4).Mul(o), cuts))
			l := m.Matrix("l", mat.NewDense(2, 2, []float64{1, 0, 0.5, 1}))
			m.Observe(m.Data("pair", y[3:5]), model.MvNormal(model.Stack(t.El(5).Mul(g), t.El(0)), l.Mat()))
			return []model.Expr{grade, on}
		},
		joint: func(t []float64, z []int) float64 {
			ordered := func(k int, eta float64) float64 {
				c := []float64{math.Inf(-1), -0.5, 1, math.Inf(1)}
				return math.Log(expit(c[k]-eta) - expit(c[k-1]-eta))
			}
			g, o := z[0], float64(z[1])
			lp := ordered(g, t[0]) + bernoulliLog(z[1], 0.3)
			for _, v := range y[:3] {
				lp += math.Log((0.2+o/2)*math.Exp(normalLog(v, t[g], 1)) +
					(0.8-o/2)*math.Exp(normalLog(v, 0, 2)))
			}
			lp += ordered(2, t[4]*o) + ordered(1, t[4]*o)
			a := y[3] - t[5]*float64(g)
			return lp + normalLog(a, 0, 1) + normalLog(y[4]-t[0]-0.5*a, 0, 1)
		},
	}, {
		name: "a parameter's distribution", parameters: 2, lo: repeat(0, 2), states: repeat(2, 2), rows: 2,
		how: "one by one, 2 states each", latents: []string{"in"},
		declare: func(m *model.Model, t model.Expr) []model.Expr {
			// The parameters themselves say which are not 0: their second density is that of a spike or slab.
			z := m.Latent("in", 2, model.Bernoulli(0.3))
			b := m.Reals("b", 2, model.Normal(0, m.Values([]float64{0.1, 2}).Pick(z)))
			m.Observe(m.Data("y", y[:2]), model.Normal(b.Add(t), 1))
			return []model.Expr{z}
		},
		joint: func(t []float64, z []int) float64 { // t has b too
			lp := 0.0
			for i, k := range z {
				lp += bernoulliLog(k, 0.3) + normalLog(t[2+i], 0, []float64{0.1, 2}[k]) +
					normalLog(y[i], t[2+i]+t[i], 1)
			}
			return lp
		},
		given: func(t []float64) float64 { return normalLog(y[0], t[2]+t[0], 1) + normalLog(y[1], t[3]+t[1], 1) },
	}}
}

// enumerated calls do with all states.
func (c latentCase) enumerated(do func(z []int)) {
	z := append([]int(nil), c.lo...)
	for {
		do(z)
		k := len(z) - 1
		for ; k >= 0; k-- {
			if z[k]++; z[k] < c.lo[k]+c.states[k] {
				break
			}
			z[k] = c.lo[k]
		}
		if k < 0 {
			return
		}
	}
}

// sum is the log of the sum over all states, with the probabilities of the states of each value.
func (c latentCase) sum(t []float64) (float64, [][]float64) {
	top := math.Inf(-1)
	c.enumerated(func(z []int) { top = max(top, c.joint(t, z)) })
	total := 0.0
	p := make([][]float64, len(c.lo))
	for i := range p {
		p[i] = make([]float64, c.states[i])
	}
	c.enumerated(func(z []int) {
		w := math.Exp(c.joint(t, z) - top)
		total += w
		for i, k := range z {
			p[i][k-c.lo[i]] += w
		}
	})
	for i := range p {
		for k := range p[i] {
			p[i][k] /= total
		}
	}
	return top + math.Log(total), p
}

// compiled declares the case, with probabilities of all states as quantities.
func (c latentCase) compiled(t *testing.T) *model.Program {
	t.Helper()
	m := model.New()
	z := c.declare(m, m.Reals("t", c.parameters, model.Normal(0, 1)))
	at := 0
	for j, e := range z {
		for k := range c.states[at] {
			m.Quantity(fmt.Sprintf("p%d of %s", k, c.latents[j]), e.Probability(c.lo[at]+k))
		}
		at += e.Len()
	}
	return compile(t, m)
}

func points(d int) [][]float64 {
	var out [][]float64
	for j := range 5 {
		x := make([]float64, d)
		for i := range x {
			x[i] = 0.9 * math.Sin(float64(3+7*j+11*i))
		}
		out = append(out, x)
	}
	return out
}

// Latents summed out against the sum over all their states, by hand: values, gradients, probabilities,
// and no allocation.
func TestLatentsEnumerated(t *testing.T) {
	for _, c := range latentCases() {
		t.Run(c.name, func(t *testing.T) {
			p := c.compiled(t)
			if !strings.Contains(p.String(), c.how) {
				t.Errorf("want the sum %q in\n%s", c.how, p)
			}
			target, err := p.Target()
			if err != nil {
				t.Fatal(err)
			}
			d := target.Dim()
			run := &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: points(d)}}}
			predicted, err := p.Predictive(t.Context(), run, 1)
			if err != nil {
				t.Fatal(err)
			}
			g := make([]float64, d)
			for j, x := range points(d) {
				want, probabilities := c.sum(x)
				sum := want
				for _, v := range x[:c.parameters] {
					want += normalLog(v, 0, 1)
				}
				if got := target.LogDensity(x, g); !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
					t.Errorf("log density %v, by enumeration %v", got, want)
				}
				if err := hmc.CheckGradient(target, x); err != nil {
					t.Error(err)
				}
				c.checkProbabilities(t, predicted, j, probabilities)
				c.checkLogLik(t, p, x, sum)
			}
			x := points(d)[0]
			if n := testing.AllocsPerRun(10, func() { target.LogDensity(x, g) }); n != 0 {
				t.Errorf("a gradient allocates %v times", n)
			}
		})
	}
}

func (c latentCase) checkProbabilities(t *testing.T, run *draws.Run, row int, want [][]float64) {
	t.Helper()
	at := map[string]float64{}
	for i, name := range run.Names {
		at[name] = run.Chains[0].Values[row][i]
	}
	var names []string
	for i := range want {
		j := 0
		for len(c.latents) > 1 && i >= len(want)/len(c.latents)*(j+1) {
			j++ // all latents of a case have as many values
		}
		names = append(names, c.latents[j])
		place := i - len(want)/len(c.latents)*j + 1
		for k, p := range want[i] {
			got, ok := at[fmt.Sprintf("p%d of %s[%d]", k, names[i], place)]
			if !ok || !(math.Abs(got-p) <= 1e-12) {
				t.Errorf("the probability that %s[%d] is %d: %v, by enumeration %v", names[i], place,
					c.lo[i]+k, got, p)
			}
		}
		if v := at[fmt.Sprintf("%s[%d]", names[i], place)]; v != math.Floor(v) || v < float64(c.lo[i]) ||
			v >= float64(c.lo[i]+c.states[i]) || want[i][int(v)-c.lo[i]] == 0 {
			t.Errorf("%s[%d] is drawn as %v", names[i], place, v)
		}
	}
}

// checkLogLik wants values that add up to the sum over all states.
func (c latentCase) checkLogLik(t *testing.T, p *model.Program, x []float64, sum float64) {
	t.Helper()
	run := &draws.Run{Names: p.Names(), Chains: []draws.Chain{{Values: [][]float64{x}}}}
	ll, err := p.LogLik(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	if c.given != nil {
		sum = c.given(x)
	}
	total := 0.0
	for _, v := range ll.Chains[0].Values[0] {
		total += v
	}
	if n := len(ll.Names); n != c.rows || !(math.Abs(total-sum) <= 1e-12*(1+math.Abs(sum))) {
		t.Errorf("%d values of the log likelihood add up to %v, want %d and %v", n, total, c.rows, sum)
	}
}
