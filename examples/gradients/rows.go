package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/examples/internal/processor"
	"bayeskernel/model"
)

// manyRows times gradients of models of so many synthetic rows with one and with two processors, in turn, and
// measures their memory.
func manyRows(n, rounds int) error {
	const groups = 50
	r := rand.New(rand.NewPCG(5, 5))
	y, x, w, group := make([]float64, n), make([]float64, n), make([]float64, n), make([]int, n)
	for i := range n {
		y[i], x[i], w[i], group[i] = float64(r.IntN(2)), r.NormFloat64(), r.NormFloat64(), 1+r.IntN(groups)
	}
	for _, c := range []struct {
		name   string
		values int // of a row
		of     func(m *model.Model, alpha, beta, sigma, y model.Expr)
	}{
		{"logistic regression on a matrix", 3, func(m *model.Model, alpha, beta, sigma, y model.Expr) {
			both := mat.NewDense(n, 2, nil)
			both.SetCol(0, x)
			both.SetCol(1, w)
			m.Observe(y, model.BernoulliLogit(alpha.El(0).Add(m.Matrix("X", both).MatVec(beta))))
		}},
		{"Poisson, varying intercepts", 4, func(m *model.Model, alpha, beta, sigma, y model.Expr) {
			_, in := m.Codes("group", groups, group)
			eta := alpha.Of(in).Add(beta.El(0).Mul(m.Data("x", x))).Add(beta.El(1).Mul(m.Data("w", w)))
			m.Observe(y, model.PoissonLog(eta))
		}},
		{"Student-t, a scale for each row", 4, func(m *model.Model, alpha, beta, sigma, y model.Expr) {
			_, in := m.Codes("group", groups, group)
			eta := alpha.Of(in).Add(beta.El(0).Mul(m.Data("x", x))).Tanh()
			scale := sigma.Mul(m.Data("w", w).Mul(beta.El(1)).Exp())
			m.Observe(y, model.StudentT(4, eta, scale))
		}},
	} {
		before := allocated()
		m := model.New()
		alpha, beta := m.Reals("alpha", groups, model.Normal(0, 1)), m.Reals("beta", 2, model.Normal(0, 1))
		sigma := m.Positive("sigma", model.HalfNormal(1))
		m.Quantity("sum", alpha.Sum().Add(beta.Sum()).Add(sigma))
		c.of(m, alpha, beta, sigma, m.Data("y", y))
		p, err := m.Compile()
		if err != nil {
			return err
		}
		t, err := p.Target()
		if err != nil {
			return err
		}
		at, g := make([]float64, t.Dim()), make([]float64, t.Dim())
		for i := range at {
			at[i] = math.Sin(float64(i)) / 2
		}
		t.LogDensity(at, g)
		memory := (allocated() - before) / (8 * float64(n*c.values))
		var clock, cpu [2]float64
		for k := range clock {
			clock[k], cpu[k] = math.Inf(1), math.Inf(1)
		}
		procs := runtime.GOMAXPROCS(0)
		for range rounds {
			for k := range clock {
				runtime.GOMAXPROCS(k + 1)
				used, began := processor.Time(), time.Now()
				t.LogDensity(at, g)
				clock[k], cpu[k] = min(clock[k], time.Since(began).Seconds()), min(cpu[k], processor.Time()-used)
			}
		}
		runtime.GOMAXPROCS(procs)
		fmt.Printf("%-34s %6.1f and %6.1f ms on the clock, %.2f times as fast; CPU %6.1f and %6.1f ms; memory %.2f "+
			"of the data\n", c.name, clock[0]*1e3, clock[1]*1e3, clock[0]/clock[1], cpu[0]*1e3, cpu[1]*1e3, memory)
		runtime.KeepAlive(p)
	}
	return nil
}

// allocated is the memory in use.
func allocated() float64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc)
}
