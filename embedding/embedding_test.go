package embedding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/bke"
	"bayeskernel/internal/long"

	"gonum.org/v1/gonum/mat"
)

// normalMean is E exp(-(X-t)²/(2 theta²)) for X of N(0, sd²).
func normalMean(t, sd, theta float64) float64 {
	v := sd*sd + theta*theta
	return theta / math.Sqrt(v) * math.Exp(-t*t/2/v)
}

// someWeights have the sum 1, and one of them is 0.
func someWeights(r *rand.Rand, n int) []float64 {
	w, sum := make([]float64, n), 0.0
	for i := 1; i < n; i++ {
		w[i] = r.ExpFloat64()
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// The 600-bit oracle shares no step with the product. Each point alone is held to 1e-12 of itself,
// jointly to 1e-6 of a standard deviation (1e-4 at theta = 40, where the rounding of R counts
// beside the 1e-10 on its diagonal), where the little that the product adds to a diagonal is in the
// oracle too, and noise iid to 1e-10 of the prior variance. Two points are nearly one.
func TestEmbeddingAgainstDense(t *testing.T) {
	for k, c := range []struct {
		nu       bke.Nu
		dim      int
		ard      bool
		weighted bool
		unit     float64
		p        bke.Params
	}{
		{nu: bke.Unit, dim: 1, p: params(0.4, 0.1)},
		{nu: bke.Unit, dim: 1, weighted: true, p: params(0.4, 0.1)},
		{nu: bke.Unit, dim: 1, p: params(0.02, 0.3)},
		{nu: bke.Unit, dim: 1, p: params(40, 1e-7)},
		{nu: bke.Lebesgue, dim: 1, p: params(0.5, 0.1)},
		{nu: bke.Lebesgue, dim: 3, weighted: true, p: params(0.8, 0.1)},
		{nu: bke.Lebesgue, dim: 3, unit: 1e-3, p: params(0.8e-3, 0.1)}, // the noise is the larger
		{nu: bke.Gaussian, dim: 1, p: bke.Params{Theta: []float64{0.5}, Tau2: 0.1, Eta: 1.5}},
		{nu: bke.Gaussian, dim: 2, p: bke.Params{Theta: []float64{0.8}, Tau2: 0.1, Eta: 0.7}},
		{nu: bke.Unit, dim: 3, ard: true, p: bke.Params{Theta: []float64{1, 2, 3}, Tau2: 0.05}},
		{nu: bke.Unit, dim: 5, weighted: true, p: params(1.5, 0.05)},
	} {
		if k%2 > 0 && !long.Enabled() {
			continue
		}
		r := rand.New(rand.NewPCG(7, uint64(c.dim)))
		x, y, z := normalRows(r, 26, c.dim), normalRows(r, 13, c.dim), normalRows(r, 8, c.dim)
		var pooled mat.Dense
		pooled.Stack(x, y)
		m := newModel(t, &pooled, z, bke.Options{Nu: c.nu, ARD: c.ard})
		points := normalRows(r, 8, c.dim)
		points.SetRow(0, mat.Row(nil, 3, x)) // a datum
		points.Set(1, 0, 9)                  // far away
		points.SetRow(2, mat.Row(nil, 0, points))
		points.Set(2, 0, points.At(0, 0)+1e-5)
		if c.unit > 0 {
			for _, a := range []*mat.Dense{x, y, z, &pooled, points} {
				a.Scale(c.unit, a)
			}
			m = newModel(t, &pooled, z, bke.Options{Nu: c.nu})
		}
		w, s := equal(26), Sample{X: x}
		if c.weighted {
			w = someWeights(r, 26)
			s.Weights = w
		}
		o := oracleProblem{nu: c.nu, fit: rowsOf(&pooled), z: rowsOf(z), sample: rowsOf(x), w: w,
			p: c.p}
		amp, _ := oracleKernel(c.nu, make([]float64, c.dim), make([]float64, c.dim), c.p,
			true).Float64()
		name := fmt.Sprintf("%v, D = %d, theta = %v", c.nu, c.dim, c.p.Theta)
		t.Run(name, func(t *testing.T) { againstOracle(t, m, s, o, points, amp) })
	}
}

func againstOracle(t *testing.T, m *bke.Model, s Sample, o oracleProblem, points *mat.Dense,
	amp float64) {
	e, err := New(m, s, o.p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	mean, sd := at(t, e, points)
	for j, point := range rowsOf(points) {
		m, v := o.clt([][]float64{point}, 0)
		nearly(t, "mean alone", mean[j], m[0], 1e-12)
		nearly(t, "variance alone", sd[j]*sd[j], v[0][0], 1e-11)
	}
	relative := 1e-6
	if o.p.Theta[0] == 40 {
		relative = 1e-4
	}
	both, cov := jointly(t, e, points)
	wantMean, wantCov := o.clt(rowsOf(points), 1)
	unit := make([]float64, len(both))
	for i, row := range o.noise(rowsOf(points)) {
		n, _ := row[i].Float64()
		unit[i] = math.Sqrt(wantCov[i][i] + 1e-8*n) // rounding is that of the noise
	}
	for i := range both {
		near(t, "joint mean", both[i], wantMean[i], relative*unit[i])
		for j := range both {
			near(t, "covariance", cov.At(i, j), wantCov[i][j], relative*unit[i]*unit[j])
		}
	}
	if e, err = New(m, s, o.p, Options{Noise: IID}); err != nil {
		t.Fatal(err)
	}
	mean, sd = at(t, e, points)
	both, cov = jointly(t, e, points)
	wantMean, wantCov = o.iid(rowsOf(points))
	tol := 1e-10 * max(1, amp)
	for i := range both {
		near(t, "iid mean", mean[i], wantMean[i], tol)
		near(t, "iid joint mean", both[i], wantMean[i], tol)
		near(t, "iid variance", sd[i]*sd[i], wantCov[i][i], tol)
		for j := range both {
			near(t, "iid covariance", cov.At(i, j), wantCov[i][j], tol)
		}
	}
}
