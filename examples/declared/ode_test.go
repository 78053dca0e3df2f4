package declared_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"bayeskernel/model"
)

// Programs with differential equations, declared: differences of log densities and gradients are those of
// Stan's C++ at tolerances of 1e-11. The folder of the programs with Stan's values is
// BAYESKERNEL_STAN_CORPUS.
func TestODEPrograms(t *testing.T) {
	dir := os.Getenv("BAYESKERNEL_STAN_CORPUS")
	if dir == "" {
		t.Skip("BAYESKERNEL_STAN_CORPUS is not set")
	}
	for name, declare := range map[string]func(data string) (*model.Model, error){
		"lotka_volterra": lotkaVolterra, "sir": sir, "one_comp_mm_elim_abs": oneComp,
	} {
		var want struct {
			Data   string `json:"data_file"`
			Points []struct{ U []float64 }
			Tight  struct {
				LP   []float64
				Grad [][]float64
			} `json:"ode_tight"`
		}
		read(t, filepath.Join(dir, "expected", name+".json"), &want)
		m, err := declare(filepath.Join(dir, want.Data))
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Compile()
		if err != nil {
			t.Fatal(err)
		}
		g, err := p.Target()
		if err != nil {
			t.Fatal(err)
		}
		base, worst := 0.0, 0.0
		grad := make([]float64, g.Dim())
		for i, at := range want.Points {
			lp := g.LogDensity(at.U, grad)
			if i == 0 {
				base = lp - want.Tight.LP[0]
			}
			errs := []float64{(lp - base - want.Tight.LP[i]) / max(1, math.Abs(lp))}
			for k, w := range want.Tight.Grad[i] {
				errs = append(errs, (grad[k]-w)/max(1, math.Abs(w)))
			}
			for _, e := range errs {
				worst = max(worst, math.Abs(e))
				if !(math.Abs(e) <= 1e-6) {
					t.Errorf("%s, point %d: relative errors %v", name, i+1, errs)
					break
				}
			}
		}
		t.Logf("%s: largest relative error %.2g", name, worst)
	}
}

func read(t *testing.T, path string, to any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func load(path string, to any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

const tight = 1e-11

func lotkaVolterra(path string) (*model.Model, error) {
	var d struct {
		Ts   []float64
		Init []float64 `json:"y_init"`
		Y    [][]float64
	}
	if err := load(path, &d); err != nil {
		return nil, err
	}
	m := model.New()
	theta := m.Positives("theta", 4, model.Normal([]float64{1, .05, 1, .05}, []float64{.5, .05, .5, .05}))
	start := m.Positives("z_init", 2, model.LogNormal(math.Log(10), 1))
	sigma := m.Positives("sigma", 2, model.LogNormal(-1, 1))
	z := m.ODE(model.ODE{Start: start, Times: d.Ts, RelTol: tight, AbsTol: tight,
		Rate: func(_, y model.Expr) model.Expr {
			u, v := y.El(0), y.El(1)
			return model.Stack(theta.El(0).Sub(theta.El(1).Mul(v)).Mul(u),
				theta.El(3).Mul(u).Sub(theta.El(2)).Mul(v))
		}})
	for k := range 2 {
		var y []float64
		var at []int
		for i, row := range d.Y {
			y = append(y, row[k])
			at = append(at, 2*i+k)
		}
		name := []string{"prey", "predators"}[k]
		m.Observe(m.Data("first "+name, d.Init[k:k+1]), model.LogNormal(start.El(k).Log(), sigma.El(k)))
		m.Observe(m.Data(name, y), model.LogNormal(z.Values().At(at).Log(), sigma.El(k)))
	}
	return m, nil
}

func sir(path string) (*model.Model, error) {
	var d struct {
		T, Y0 []float64
		Stoi  []float64 `json:"stoi_hat"`
		B     []float64 `json:"B_hat"`
	}
	if err := load(path, &d); err != nil {
		return nil, err
	}
	m := model.New()
	beta, gamma := m.Positive("beta", model.Cauchy(0, 2.5)), m.Positive("gamma", model.Cauchy(0, 1))
	xi, delta := m.Positive("xi", model.Cauchy(0, 25)), m.Positive("delta", model.Cauchy(0, 1))
	y := m.ODE(model.ODE{Start: m.Data("y0", d.Y0), Times: d.T, RelTol: tight, AbsTol: tight,
		Rate: func(_, y model.Expr) model.Expr {
			s, i, b := y.El(0), y.El(1), y.El(3)
			infected := beta.Mul(b).Div(b.Shift(1e6)).Mul(s)
			return model.Stack(infected.Neg(), infected.Sub(gamma.Mul(i)), gamma.Mul(i),
				xi.Mul(i).Sub(delta.Mul(b)))
		}})
	var s, b []int
	for i := range d.T {
		s, b = append(s, 4*i), append(b, 4*i+3)
	}
	left := y.Values().At(s)
	n := len(d.T)
	before := model.Stack(m.Const(d.Y0[0]), left.Slice(0, n-1))
	m.Observe(m.Data("stoi_hat", d.Stoi), model.Poisson(before.Sub(left)))
	m.Observe(m.Data("B_hat", d.B), model.LogNormal(y.Values().At(b).Log(), .15))
	return m, nil
}

func oneComp(path string) (*model.Model, error) {
	var d struct {
		T0    float64 `json:"t0"`
		D, V  float64
		Times []float64
		C     []float64 `json:"C_hat"`
	}
	if err := load(path, &d); err != nil {
		return nil, err
	}
	m := model.New()
	ka, km := m.Positive("k_a", model.HalfCauchy(1)), m.Positive("K_m", model.HalfCauchy(1))
	vm, sigma := m.Positive("V_m", model.HalfCauchy(1)), m.Positive("sigma", model.HalfCauchy(1))
	c := m.ODE(model.ODE{Start: m.Values([]float64{0}), From: d.T0, Times: d.Times, Stiff: true, RelTol: tight,
		AbsTol: tight, Rate: func(t, y model.Expr) model.Expr {
			dose := ka.Mul(t).Neg().Exp().Mul(ka).Scale(d.D / d.V)
			return dose.Sub(vm.Scale(1 / d.V).Mul(y).Div(km.Add(y)))
		}})
	m.Observe(m.Data("C_hat", d.C), model.LogNormal(c.Values().Log(), sigma))
	return m, nil
}
