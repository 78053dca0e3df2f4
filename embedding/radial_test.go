package embedding

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// With other kernels a basis of few points, where there is one, is as good as all points; the
// statistics of theta can be tabulated; and draws have the moments of Joint (6 standard errors).
func TestOtherKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	x, y := normalRows(r, 80, 1), normalRows(r, 60, 1)
	for _, c := range []struct {
		name string
		low  bool
	}{
		{"matern32", false}, {"matern52", true}, {"rq:alpha=1.5", true},
		{"mixture:widths=1/4,weights=0.5/0.5", true},
	} {
		k, err := kernels.ParseRadial(c.name)
		if err != nil {
			t.Fatal(err)
		}
		m := pooledModel(t, x, y, bke.Options{Kernel: k})
		p := params(1.5, 0.1)
		w := newWitness(t, m, x, y, someDraws(r, 100), Options{})
		one := newWitness(t, m, x, nil, []bke.Params{p}, Options{})
		points := Grid(301, x).RawMatrix().Data
		var mean, cov [2][]float64
		for k := range 2 {
			plan := newCLT(t.Context(), one.problem, points, one.draws, true, k == 1)
			if k == 0 && plan.plan.plain == c.low {
				t.Errorf("%s: plain is %v", c.name, plan.plan.plain)
			}
			process := plan.process()
			if _, _, err := process.fit(p); err != nil {
				t.Fatal(err)
			}
			if mean[k], cov[k], err = process.posterior(); err != nil {
				t.Fatal(err)
			}
		}
		for j := range 301 {
			sd := math.Sqrt(cov[1][j*301+j])
			near(t, c.name+": mean", mean[0][j], mean[1][j], 0.01*sd)
			near(t, c.name+": sd", math.Sqrt(cov[0][j*301+j]), sd, 0.01*sd)
		}
		if newStatistics(t.Context(), w.problem, points[:20], true, w.draws).table == nil {
			t.Errorf("%s: no table", c.name)
		}
		e := newEmbedding(t, m, x, p, Options{})
		few := mat.NewDense(4, 1, []float64{-2, 0, 0.1, 3})
		draws, err := e.Draws(few, 3000, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		both, joint := jointly(t, e, few)
		checkMoments(t, c.name, draws, both, joint)
	}
}
