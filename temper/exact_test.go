package temper

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
	"bayeskernel/internal/workers"
)

// near also takes equal infinities for near.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %v, expected %v within %g", what, got, want, tol)
	}
}

func student(t *testing.T, nu int, mean []float64, scale mat.Symmetric) *StudentT {
	t.Helper()
	s, err := NewStudentT(nu, mean, scale)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// normal returns N(mean, sd^2 I) in d dimensions.
func normal(t *testing.T, d int, mean, sd float64) *StudentT {
	m, s := make([]float64, d), mat.NewSymDense(d, nil)
	for i := range d {
		m[i] = mean
		s.SetSym(i, i, sd*sd)
	}
	return student(t, 0, m, s)
}

// z tests whether numbers of mean want average to it. Beyond 5.5 standard errors is a false alarm
// in 4e-8.
func zTest(t *testing.T, what string, x []float64, want float64) {
	t.Helper()
	n := float64(len(x))
	mean, ss := 0.0, 0.0
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		ss += (v - mean) * (v - mean)
	}
	if z := (mean - want) / math.Sqrt(ss/(n-1)/n); !(math.Abs(z) < 5.5) {
		t.Errorf("%s averages %v, expected %v (z = %.1f)", what, mean, want, z)
	}
}

func TestStudentT(t *testing.T) {
	mean := []float64{1, -2, 30}
	scale := mat.NewSymDense(3, []float64{2, 0.6, -1, 0.6, 1, 3, -1, 3, 25})
	r := rand.New(rand.NewPCG(1, 2))
	for _, nu := range []int{0, 1, 5} {
		s := student(t, nu, mean, scale)
		var want interface{ LogProb([]float64) float64 }
		if nu == 0 {
			want, _ = distmv.NewNormal(mean, scale, nil)
		} else {
			want, _ = distmv.NewStudentsT(mean, scale, float64(nu), nil)
		}
		x, grad := make([]float64, 3), make([]float64, 3)
		sample := make([][]float64, 9)
		for range 20000 {
			s.Draw(x, r)
			near(t, "log density", s.LogDensity(x, grad), want.LogProb(x), 1e-10)
			// q = (x-mean)' scale^-1 (x-mean) is chi-square, or d times an F variable.
			q := mat.NewVecDense(3, []float64{x[0] - mean[0], x[1] - mean[1], x[2] - mean[2]})
			var chol mat.Cholesky
			var w mat.VecDense
			chol.Factorize(scale)
			if err := chol.SolveVecTo(&w, q); err != nil {
				t.Fatal(err)
			}
			u := distuv.ChiSquared{K: 3}.CDF(mat.Dot(q, &w))
			if nu > 0 {
				u = distuv.F{D1: 3, D2: float64(nu)}.CDF(mat.Dot(q, &w) / 3)
			}
			sample[0] = append(sample[0], u)
			sample[1] = append(sample[1], u*u)
			for i := range 3 { // the direction of scale^-1/2 (x-mean) is uniform
				sample[2+i] = append(sample[2+i], s.u[i]/math.Sqrt(s.u[0]*s.u[0]+
					s.u[1]*s.u[1]+s.u[2]*s.u[2]))
			}
		}
		zTest(t, "u", sample[0], 0.5)
		zTest(t, "u^2", sample[1], 1.0/3)
		for i := range 3 {
			zTest(t, "direction", sample[2+i], 0)
		}
		if err := hmc.CheckGradient(s, []float64{0.3, 1, 17}); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []*mat.SymDense{mat.NewSymDense(3, nil), mat.NewSymDense(2, []float64{1, 0,
		0, 1}), mat.NewSymDense(3, []float64{1, 0, 0, 0, math.NaN(), 0, 0, 0, 1})} {
		if _, err := NewStudentT(5, mean, bad); err == nil {
			t.Errorf("scale %v was accepted", mat.Formatted(bad))
		}
	}
	one := mat.NewSymDense(1, []float64{1})
	if _, err := NewStudentT(5, []float64{math.NaN()}, one); err == nil {
		t.Error("a mean of NaN was accepted")
	}
}

// system returns a replicate on a ladder between two normals in one dimension, whose rungs are
// normal too.
func system(t *testing.T, target hmc.Target, ref Reference, betas []float64) *replicate {
	t.Helper()
	cfg, err := Config{}.defaults()
	if err != nil {
		t.Fatal(err)
	}
	values, err := workers.NewValues("temper", target)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newReplicate(0, &cfg, target, values, ref)
	if err != nil {
		t.Fatal(err)
	}
	if r.rungs, err = r.begin(betas); err != nil {
		t.Fatal(err)
	}
	r.tally = newTally(len(betas))
	return r
}

// The toy: reference N(0,1), target N(3,1/4). At beta the precision is 1+3 beta and the mean 12
// beta over it.
var toyBetas = []float64{0, 0.0005, 0.1, 0.35, 1}

func toy(t *testing.T) *replicate {
	return system(t, normal(t, 1, 3, 0.5), normal(t, 1, 0, 1), toyBetas)
}

// toyDraws sets the rungs of the toy to exact draws.
func toyDraws(t *testing.T, r *replicate) {
	for i, b := range toyBetas {
		s := &r.rungs[i].state
		prec := 1 + 3*b
		s.x[0] = 12*b/prec + r.rand.NormFloat64()/math.Sqrt(prec)
		if err := s.evaluate(&r.path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPath: the tempered density is the one of its formula, and a state stored from it knows both
// densities.
func TestPath(t *testing.T) {
	target, ref := testmodels.Banana(), student(t, 3, []float64{1, 2},
		mat.NewSymDense(2, []float64{4, 1, 1, 3}))
	p := path{target: target, ref: ref, gradRef: make([]float64, 2), at: make([]float64, 2)}
	x, g, gt, gr := []float64{0.7, -1.1}, make([]float64, 2), make([]float64, 2), make([]float64, 2)
	lt, lr := target.LogDensity(x, gt), ref.LogDensity(x, gr)
	for _, p.beta = range []float64{1e-9, leastBeta, 0.3, 1} {
		lp := p.LogDensity(x, g)
		near(t, "log density", lp, (1-p.beta)*lr+p.beta*lt, 1e-14)
		if err := hmc.CheckGradient(&p, x); err != nil {
			t.Error(err)
		}
		z := hmc.NewPoint(2)
		copy(z.X, x)
		copy(z.Grad, g)
		z.LogP = lp
		s := newState(2, 0)
		if err := s.store(z, &p); err != nil {
			t.Fatal(err)
		}
		near(t, "ratio", s.ratio(), lt-lr, 1e-12)
		for _, beta := range []float64{0, 1e-9, 0.5, 1} {
			s.load(z, beta)
			near(t, "log density after an exchange", z.LogP, (1-beta)*lr+beta*lt, 1e-12)
			for i := range g {
				near(t, "gradient", z.Grad[i], (1-beta)*gr[i]+beta*gt[i], 1e-12)
			}
		}
	}
}

// invariance draws n systems from the exact tempered densities, moves them, and tests that they
// still are draws of them: means, variances, and products of neighbours, which are independent.
func invariance(t *testing.T, n int, move func(r *replicate)) {
	t.Helper()
	r := toy(t)
	k := len(toyBetas)
	x := make([][][]float64, 3)
	for m := range x {
		x[m] = make([][]float64, k)
	}
	for range n {
		toyDraws(t, r)
		move(r)
		u := make([]float64, k)
		for i, b := range toyBetas {
			prec := 1 + 3*b
			u[i] = (r.rungs[i].x[0] - 12*b/prec) * math.Sqrt(prec)
			x[0][i] = append(x[0][i], u[i])
			x[1][i] = append(x[1][i], u[i]*u[i])
		}
		for i := range k {
			x[2][i] = append(x[2][i], u[i]*u[(i+1)%k])
		}
	}
	for m, want := range []float64{0, 1, 0} {
		for i := range k {
			zTest(t, []string{"mean", "variance", "product"}[m], x[m][i], want)
		}
	}
}

// TestExchangeInvariance: exchanges leave the joint density of all rungs as it is. With 60 z-tests
// a reseed fails with probability 2e-6; the sizes see an error of 2% of an acceptance probability.
func TestExchangeInvariance(t *testing.T) {
	for parity := range 2 {
		accepted := 0
		invariance(t, 40000, func(r *replicate) {
			r.parity = parity
			before := r.rungs[parity+1].walker
			r.exchange()
			if r.rungs[parity].walker == before {
				accepted++
			}
		})
		if accepted == 0 {
			t.Error("no exchange was accepted")
		}
	}
}

// TestScanInvariance: so does a whole scan, with trajectories coarse enough to matter.
func TestScanInvariance(t *testing.T) {
	invariance(t, 4000, func(r *replicate) {
		for i := range r.rungs {
			r.rungs[i].eps = 1.1 / math.Sqrt(1+3*toyBetas[i])
		}
		if err := r.scan(context.Background(), false); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAlpha compares acceptance with the ratio of the joint densities before and after, and the
// exchanged states with what they are at their new rungs.
func TestAlpha(t *testing.T) {
	r := toy(t)
	joint := func() float64 {
		lp := 0.0
		g := make([]float64, 1)
		for i := range r.rungs {
			b := r.rungs[i].beta
			lp += (1-b)*r.path.ref.LogDensity(r.rungs[i].x, g) +
				b*r.path.target.LogDensity(r.rungs[i].x, g)
		}
		return lp
	}
	for range 200 {
		for i := range r.rungs {
			if err := r.rungs[i].draw(&r.path, r.rand); err != nil {
				t.Fatal(err)
			}
		}
		for i := range len(r.rungs) - 1 {
			before, alpha := joint(), r.alpha(i)
			a, b := &r.rungs[i], &r.rungs[i+1]
			a.state, b.state = b.state, a.state
			near(t, "alpha", alpha, math.Min(1, math.Exp(joint()-before)), 1e-12)
			a.state, b.state = b.state, a.state
		}
	}
	r.rungs[0].target = math.Inf(-1) // a draw of the reference outside the support
	if a := r.alpha(0); a != 0 {
		t.Errorf("a state outside the support moves up with probability %v", a)
	}
}

// TestSteppingStones: the toy's densities are normalised, so log Z is 0, and means of
// exp((beta' - beta) l) along the way are known.
func TestSteppingStones(t *testing.T) {
	const n = 100000
	r := toy(t)
	r.tally = newTally(len(toyBetas))
	for range n {
		toyDraws(t, r)
		r.exchange()
	}
	for i, m := range r.tally.step {
		a, b := toyBetas[i], toyBetas[i+1]
		// log int ref^(1-b) target^b, up to what cancels, with densities of mean 0 and 3.
		logZ := func(b float64) float64 {
			prec := 1 + 3*b
			return b*math.Log(2) - 0.5*math.Log(prec) - 0.5*(36*b-144*b*b/prec)
		}
		// The relative variance of the mean is Z(2b-a) Z(a) / Z(b)^2 - 1, over n.
		v := math.Expm1(logZ(2*b-a)+logZ(a)-2*logZ(b)) / n
		near(t, "stepping stone", m.log(), logZ(b)-logZ(a), 5.5*math.Sqrt(v))
	}
}

func TestLogMean(t *testing.T) {
	values := []float64{-1000, 3, math.Inf(-1), 2, 700, -5, 701}
	var all logMean
	near(t, "empty", all.sum, 0, 0)
	for i := range values {
		var a, b logMean
		for j, v := range values {
			if j < i {
				a.add(v)
			} else {
				b.add(v)
			}
		}
		a.merge(b)
		// log((e^700 + e^701 + negligible)/7)
		near(t, "log mean", a.log(), 701+math.Log1p(math.Exp(-1))-math.Log(7), 1e-12)
		if a.n != len(values) {
			t.Errorf("%d values counted", a.n)
		}
	}
	all.add(math.Inf(-1))
	if !math.IsInf(all.log(), -1) {
		t.Errorf("log of zero is %v", all.log())
	}
}
