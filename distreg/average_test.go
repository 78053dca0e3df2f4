package distreg

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Averages against sums over a wide and fine grid, in which each label is left out of the normal distribution of all, written as
// a dense matrix.
func TestAverage(t *testing.T) {
	bags, y := some(4, 1)
	bags, y = bags[3:15], y[3:15]
	fit, err := Learn(t.Context(), bags, y, LearnOptions{Landmarks: 4, Seed: 1, Thetas: []float64{.5}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := fit.Average()
	if err != nil {
		t.Fatal(err)
	}
	m, n := fit.Model, len(y)
	sd := stat.StdDev(y, nil)
	in := m.inferAll(a.at, fit.Params, 0)
	centre := math.Log(2 * sd / math.Sqrt(in.spread()))
	total, first, second := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	add := func(i int, logWeight, mean, variance float64) {
		w := math.Exp(logWeight)
		total[i] += w
		first[i] += w * mean
		second[i] += w * (variance + mean*mean)
	}
	fresh := bags[2:3]
	for s := -6.0; s <= 2; s += .2 {
		for k := -4.0; k <= 4; k += .2 {
			p := fit.Params
			p.Sigma, p.Kappa = sd*math.Exp(s), math.Exp(centre+k)
			prior := s - math.Exp(2*s)/2 - k*k/2
			g := m.regress(in, p)
			v := mat.NewSymDense(n, nil)
			v.SymOuterK(1, g.phi)
			for i := range n {
				v.SetSym(i, i, v.At(i, i)+g.variance[i])
			}
			_, plain, err := m.LeaveOneOut(p)
			if err != nil {
				t.Fatal(err)
			}
			mean, variance, err := m.Predict(p, fresh)
			if err != nil {
				t.Fatal(err)
			}
			add(n, prior+m.LogEvidence(nil, p), mean[0], variance[0])
			for i := range n {
				rest, along, r := mat.NewSymDense(n-1, nil), mat.NewVecDense(n-1, nil), mat.NewVecDense(n-1, nil)
				at := func(j int) int { return j + map[bool]int{true: 1}[j >= i] }
				for j := range n - 1 {
					along.SetVec(j, v.At(i, at(j)))
					r.SetVec(j, g.residual[at(j)])
					for l := j; l < n-1; l++ {
						rest.SetSym(j, l, v.At(at(j), at(l)))
					}
				}
				var chol mat.Cholesky
				chol.Factorize(rest)
				var u mat.VecDense
				_ = chol.SolveVecTo(&u, r)
				density := -(chol.LogDet() + mat.Dot(r, &u)) / 2
				add(i, prior+density, m.form.AlphaMean+mat.Dot(along, &u), plain[i])
			}
		}
	}
	mean, variance := a.LeaveOneOut()
	one, wide, err := a.Predict(fresh)
	if err != nil {
		t.Fatal(err)
	}
	mean, variance = append(mean, one...), append(variance, wide...)
	for i := range total {
		want := first[i] / total[i]
		spread := math.Sqrt(second[i]/total[i] - want*want)
		if math.Abs(mean[i]-want) > .05*spread || math.Abs(math.Sqrt(variance[i])/spread-1) > .05 {
			t.Errorf("%d: %.4f ± %.4f, want %.4f ± %.4f", i, mean[i], math.Sqrt(variance[i]), want, spread)
		}
	}
}
