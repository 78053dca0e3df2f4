package model_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/hmc"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

// nested has effects on effects, a scale for each value, and Student-t effects.
func nested(o ...model.Option) *model.Model {
	m := model.New()
	r := rand.New(rand.NewPCG(2, 5))
	var labels []string
	var y []float64
	for i := range 40 {
		labels, y = append(labels, string(rune('a'+i%7*(i%3)%5))), append(y, 3+r.NormFloat64())
	}
	group, in := m.Factor("group", labels)
	n := len(group.Labels())
	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfNormal(5))
	theta := group.Reals("theta", model.Normal(mu, tau), o...)
	sds := m.Positives("sds", n, model.HalfNormal(1))
	phi := group.Reals("phi", model.StudentT(4, theta, sds.Shift(.1)), o...)
	one := m.Real("one", model.Normal(phi.El(0), tau), o...)
	m.Observe(m.Data("y", y), model.Normal(phi.Of(in).Add(one), m.Positive("sd", model.HalfNormal(2))))
	return m
}

func reparametrizer(t *testing.T, m *model.Model) hmc.Reparametrizer {
	t.Helper()
	target, err := compile(t, m).Target()
	if err != nil {
		t.Fatal(err)
	}
	return target.(hmc.Reparametrizer)
}

// someCoordinates has degrees of centring between 0 and 1, those included.
func someCoordinates(t hmc.Reparametrizer, r *rand.Rand, m map[string]int) []float64 {
	c := t.Learn(nil, nil)
	at := 0
	for _, name := range []string{"theta", "phi", "one"} {
		if n := m[name]; n > 0 {
			c[at], c[at+1] = r.NormFloat64(), float64(r.IntN(2))
			for i := range n {
				c[at+2+i] = float64(r.IntN(17)) / 16
			}
			at += n + 2
		}
	}
	return c
}

// Not centred, the density has the bits of the model declared so; centred, those of the model declared
// Centred.
func TestCentringHasTheBitsOfTheDeclared(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, declare := range map[string]func(...model.Option) *model.Model{"schools": schools,
		"nested": nested} {
		target := reparametrizer(t, declare())
		none := target.Learn(nil, nil)
		for k, c := range [][]float64{none, nil} {
			want := reparametrizer(t, declare([]model.Option{model.NonCentred, model.Centred}[k]))
			if len(want.Learn(nil, nil)) > 0 {
				t.Errorf("%s: there is something to learn of a centring that was asked for", name)
			}
			if err := target.SetCoordinates(c); err != nil {
				t.Fatal(err)
			}
			d := target.Dim()
			x, g, gw := make([]float64, d), make([]float64, d), make([]float64, d)
			for range 5 {
				for i := range x {
					x[i] = r.NormFloat64()
				}
				lp, lw := target.LogDensity(x, g), want.LogDensity(x, gw)
				if math.Float64bits(lp) != math.Float64bits(lw) {
					t.Errorf("%s: log density %v, want %v", name, lp, lw)
				}
				for i := range g {
					if math.Float64bits(g[i]) != math.Float64bits(gw[i]) {
						t.Errorf("%s: gradient[%d] %v, want %v", name, i, g[i], gw[i])
					}
				}
				draw, dw := values(target, x), values(want, x)
				for i := range draw {
					if math.Abs(draw[i]-dw[i]) > 1e-13*(1+math.Abs(dw[i])) {
						t.Errorf("%s: value %d recorded as %v, want %v", name, i, draw[i], dw[i])
					}
				}
			}
		}
	}
}

func values(t hmc.Target, x []float64) []float64 {
	c := t.(hmc.Constrainer)
	out := make([]float64, len(c.Names()))
	c.Constrain(out, x)
	return out
}

// In any coordinates the gradient is that of the density, the density differs from the declared one by
// the Jacobian of the map, found by differences, and positions and gradients carried there and
// evaluated there are the same.
func TestCentringMapsDensities(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for name, declare := range map[string]func(...model.Option) *model.Model{"schools": schools,
		"nested": nested} {
		target, own := reparametrizer(t, declare()), reparametrizer(t, declare())
		sizes := map[string]int{}
		for _, n := range own.(hmc.Constrainer).Names() {
			base, _, _ := strings.Cut(n, "[")
			sizes[base]++
		}
		if name == "schools" {
			delete(sizes, "one")
		}
		d := target.Dim()
		for range 4 {
			c := someCoordinates(target, r, sizes)
			if err := target.SetCoordinates(c); err != nil {
				t.Fatal(err)
			}
			u := make([]float64, d)
			for i := range u {
				u[i] = r.NormFloat64()
			}
			if err := hmc.CheckGradient(target, u); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			g := make([]float64, d)
			lp := target.LogDensity(u, g)
			x, gx := append([]float64(nil), u...), append([]float64(nil), g...)
			target.Carry(c, nil, x, gx)
			gw := make([]float64, d)
			lw := own.LogDensity(x, gw)
			near(t, name+": gradient carried back", gx, gw, 1e-9)
			near(t, name+": values", values(target, u), values(own, x), 1e-12)
			if j := logJacobian(func(v []float64) { target.Carry(c, nil, v, nil) }, u); math.Abs(lp-lw-j) > 1e-6 {
				t.Errorf("%s: log density %v, want %v", name, lp-lw, j)
			}
			target.Carry(nil, c, x, gx)
			near(t, name+": position there and back", x, u, 1e-11)
			near(t, name+": gradient there and back", gx, g, 1e-9)
			other := someCoordinates(target, r, sizes)
			target.Carry(c, other, x, gx)
			if err := target.SetCoordinates(other); err != nil {
				t.Fatal(err)
			}
			target.LogDensity(x, g)
			near(t, name+": gradient in other coordinates", gx, g, 1e-9)
		}
	}
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tol*(1+math.Abs(want[i]))) {
			t.Errorf("%s: %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// logJacobian is log |det| of the derivatives of f at u, by central differences and elimination.
func logJacobian(f func([]float64), u []float64) float64 {
	d := len(u)
	a := make([][]float64, d)
	for i := range a {
		a[i] = make([]float64, d)
	}
	const h = 1e-5
	for j := range u {
		up, down := append([]float64(nil), u...), append([]float64(nil), u...)
		up[j] += h
		down[j] -= h
		f(up)
		f(down)
		for i := range a {
			a[i][j] = (up[i] - down[i]) / (2 * h)
		}
	}
	sum := 0.0
	for k := range a {
		best := k
		for i := k; i < d; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[best][k]) {
				best = i
			}
		}
		a[k], a[best] = a[best], a[k]
		sum += math.Log(math.Abs(a[k][k]))
		for i := k + 1; i < d; i++ {
			w := a[i][k] / a[k][k]
			for j := k; j < d; j++ {
				a[i][j] -= w * a[k][j]
			}
		}
	}
	return sum
}

// In a normal model with s² = 1/rows the degree of centring learned for each group is
//
//	1 - log((exp(2q) + J)/(1 + J))/(2q),  J = rows/r,
//
// q ten standard deviations of log σ, or less where the log likelihood of σ has fallen by 16 before,
// with r from half of 1/σ² to eight times that: of degrees about as good the least is taken.
func TestCentringLearned(t *testing.T) {
	m := model.New()
	r := rand.New(rand.NewPCG(4, 1))
	var labels []string
	var y []float64
	rows := []int{1, 10, 100}
	for k := range 36 {
		mean := 1 + .3*r.NormFloat64()
		for range rows[k%3] {
			labels, y = append(labels, string(rune('A'+k))), append(y, mean+r.NormFloat64())
		}
	}
	group, in := m.Factor("group", labels)
	mu, tau := m.Real("mu", model.Normal(0, 5)), m.Positive("tau", model.HalfNormal(1))
	theta := group.Reals("theta", model.Normal(mu, tau))
	m.Observe(m.Data("y", y), model.Normal(theta.Of(in), 1))
	p := compile(t, m)
	run, err := nuts.Sample(t.Context(), p.Target, nuts.Config{Settings: hmc.Settings{Seed: 1, Draws: 300}})
	if err != nil {
		t.Fatal(err)
	}
	got := p.Centring(run)["theta"]
	v, _ := run.Draws("tau")
	mean, sum, n := 0.0, 0.0, 0.0 // of log σ
	for _, c := range v {
		for _, tau := range c {
			n++
			d := math.Log(tau) - mean
			mean += d / n
			sum += d * (math.Log(tau) - mean)
		}
	}
	q := 0.0
	for fall := 0.0; q < 10*math.Sqrt(sum/n) && fall < 16; q += 0.01 {
		fall = 0
		for k := range 36 {
			v := 1/float64(rows[k%3]) + math.Exp(2*mean) // of the mean of a group
			w := 1/float64(rows[k%3]) + math.Exp(2*(mean-q))
			fall += v/w/2 - 0.5 + math.Log(w/v)/2
		}
	}
	degree := func(j float64) float64 { return 1 - math.Log((math.Exp(2*q)+j)/(1+j))/(2*q) }
	for i, label := range group.Labels() {
		j := float64(rows[i%3]) * math.Exp(2*mean)
		if lo, hi := degree(j/8)-.1, degree(2*j)+.1; got[i] < lo || got[i] > hi {
			t.Errorf("%s is centred to %v, want %.2f to %.2f", label, got[i], lo, hi)
		}
	}
	if !(got[0] < got[1] && got[1] < got[2]) {
		t.Errorf("degrees %v, want them to rise with the rows", got[:3])
	}
}

// The options are apart: the program says what was asked for.
func TestOptionsAreApart(t *testing.T) {
	for _, c := range []struct {
		options []model.Option
		ending  string
	}{{nil, ", centring learned"}, {[]model.Option{model.Centred}, ""},
		{[]model.Option{model.NonCentred}, ", not centred"}} {
		m := model.New()
		mu, tau := m.Real("mu", model.Normal(0, 1)), m.Positive("tau", model.HalfNormal(1))
		theta := m.Reals("theta", 3, model.Normal(mu, tau), c.options...)
		m.Observe(m.Data("y", []float64{1, 2, 3}), model.Normal(theta, 1))
		if line := "theta[3] ~ normal(mu, tau)" + c.ending + "\n"; !strings.Contains(compile(t, m).String(), line) {
			t.Errorf("options %v: want %q in\n%s", c.options, line, compile(t, m))
		}
	}
}
