package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/model"
)

// manyRows declares regressions of n rows. Rows from lo to hi - 1 are those of one call.
type manyRows struct {
	y, x, w []float64
	group   []int
}

func newManyRows(n, groups int) *manyRows {
	r := rand.New(rand.NewPCG(5, 5))
	d := &manyRows{}
	for range n {
		d.y, d.x = append(d.y, float64(r.IntN(2))), append(d.x, r.NormFloat64())
		d.w, d.group = append(d.w, r.NormFloat64()), append(d.group, 1+r.IntN(groups))
	}
	return d
}

type rowsOf struct {
	m           *model.Model
	y, x, w     model.Expr
	matrix      *model.Matrix
	in          *model.Index
	beta, alpha model.Expr
	sigma       model.Expr
}

// rowModels are the models, which observe rows given parameters that all parts share.
var rowModels = map[string]func(r rowsOf){
	"matrix": func(r rowsOf) {
		r.m.Observe(r.y, model.BernoulliLogit(r.alpha.El(0).Add(r.matrix.MatVec(r.beta))))
	},
	"indexed": func(r rowsOf) {
		r.m.Observe(r.y, model.PoissonLog(r.alpha.Of(r.in).Add(r.beta.El(0).Mul(r.x)).Add(r.beta.El(1).Mul(r.w))))
	},
	"several of each row": func(r rowsOf) {
		eta := r.alpha.Of(r.in).Add(r.beta.El(0).Mul(r.x)).Tanh()
		r.m.Observe(r.y, model.StudentT(4, eta.Mul(r.x).Add(r.matrix.MatVec(r.beta)), r.sigma.Mul(eta.Square().Shift(1))))
	},
	"mixture": func(r rowsOf) {
		r.m.Observe(r.y, model.Mix(model.Stack(r.sigma.Neg().Exp(), r.sigma.Neg().Exp().OneMinus()),
			model.Normal(r.alpha.Of(r.in), 1), model.Normal(r.beta.El(1).Mul(r.x), r.sigma)))
	},
	"ordered": func(r rowsOf) {
		r.m.Observe(r.y.Shift(1), model.OrderedLogistic(r.matrix.MatVec(r.beta), r.alpha.Slice(0, 1)))
	},
	"truncated": func(r rowsOf) {
		r.m.Observe(r.y, model.TruncateAt(model.Normal(r.alpha.Of(r.in), r.sigma), -2, r.x.Square().Shift(2)))
	},
	"not by rows": func(r rowsOf) { // the mean goes over the rows one after the other
		r.m.Observe(r.y, model.Normal(r.x.Mul(r.beta.El(0)).Mean(), r.sigma))
	},
}

func (d *manyRows) program(t *testing.T, name string, groups, part int) *model.Program {
	t.Helper()
	m := model.New()
	alpha, beta := m.Reals("alpha", groups, model.Normal(0, 1)), m.Reals("beta", 2, model.Normal(0, 1))
	sigma := m.Positive("sigma", model.HalfNormal(1))
	m.Quantity("used", alpha.Sum().Add(beta.Sum()).Add(sigma))
	for lo := 0; lo < len(d.y); lo += part {
		hi := lo + part
		x := mat.NewDense(part, 2, nil)
		x.SetCol(0, d.x[lo:hi])
		x.SetCol(1, d.w[lo:hi])
		_, in := m.Codes(fmt.Sprint("group", lo), groups, d.group[lo:hi])
		call := func(s string) string { return fmt.Sprint(s, lo) }
		rowModels[name](rowsOf{m, m.Data(call("y"), d.y[lo:hi]), m.Data(call("x"), d.x[lo:hi]),
			m.Data(call("w"), d.w[lo:hi]), m.Matrix(call("X"), x), in, beta, alpha, sigma})
	}
	return compile(t, m)
}

// Rows in pieces, over the processors, against the same rows declared in parts that are too few to be divided.
// The log density and the gradient have the same bytes for any number of processors.
func TestManyRows(t *testing.T) {
	const n, groups, part = 40_000, 7, 2000
	d := newManyRows(n, groups)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name := range rowModels {
		if name == "not by rows" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			whole, parts := target(t, d.program(t, name, groups, n)), target(t, d.program(t, name, groups, part))
			g, w := make([]float64, whole.Dim()), make([]float64, whole.Dim())
			for _, x := range points(whole.Dim()) {
				want := parts.LogDensity(x, w)
				var first []float64
				for _, procs := range []int{1, 2, 7} {
					runtime.GOMAXPROCS(procs)
					got := whole.LogDensity(x, g)
					if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
						t.Errorf("log density %v, in parts %v", got, want)
					}
					for i := range g {
						if !(math.Abs(g[i]-w[i]) <= 1e-11*(1+math.Abs(want))) {
							t.Errorf("derivative %d is %v, in parts %v", i, g[i], w[i])
						}
					}
					all := append([]float64{got}, g...)
					for i, v := range first {
						if v != all[i] {
							t.Errorf("%d processors: value %d is %v, with one %v", procs, i, all[i], v)
						}
					}
					if first == nil {
						first = all
					}
				}
			}
			runtime.GOMAXPROCS(1)
			x := points(whole.Dim())[0]
			if n := testing.AllocsPerRun(5, func() { whole.LogDensity(x, g) }); n != 0 {
				t.Errorf("a gradient allocates %v times", n)
			}
		})
	}
	whole := target(t, d.program(t, "not by rows", groups, n))
	g := make([]float64, whole.Dim())
	if lp := whole.LogDensity(points(whole.Dim())[0], g); math.IsInf(lp, 0) || math.IsNaN(lp) {
		t.Errorf("log density %v", lp)
	}
}
