package embedding

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/bke"

	"gonum.org/v1/gonum/mat"
)

// One row, observed at itself with noise iid: R = k = 1, y = 1.
func TestEmbeddingOfOneRow(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 3), column(0.5, 1.5), bke.Options{})
	e := newEmbedding(t, m, column(1), params(0.7, 0.3), Options{Noise: IID})
	for _, u := range []float64{-1, 0.2, 1, 1.9} {
		mean, sd := at(t, e, column(u))
		r := math.Exp(-(u - 1) * (u - 1) / 4 / 0.49)
		near(t, "mean", mean[0], r/1.3, 1e-14)
		near(t, "sd", sd[0], math.Sqrt(1-r*r/1.3), 1e-14)
	}
}

// Two rows, by hand: m = (k1+k2)/2, C/n = (k1-k2)²/4, kappa/n² = 1/8.
func TestEmbeddingOfTwoRows(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 3), column(0.5, 1.5), bke.Options{})
	p := params(0.7, 0.3)
	e := newEmbedding(t, m, column(0.4, 1), p, Options{AtTest: true})
	for _, u := range []float64{-1, 0.2, 1, 50} {
		k1, k2 := math.Exp(-(u-0.4)*(u-0.4)/0.98), math.Exp(-(u-1)*(u-1)/0.98)
		noise := (k1-k2)*(k1-k2)/4 + 1.0/8
		mean, sd := at(t, e, column(u))
		near(t, "mean", mean[0], (k1+k2)/2/(1+noise), 1e-15)
		near(t, "sd", sd[0], math.Sqrt(noise/(1+noise)), 1e-15)
	}
}

// The kernel of a rung is that of c theta, with the level s of theta; at a test s = 1.
func TestRungAndLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	x, y := normalRows(r, 60, 1), normalRows(r, 60, 1)
	m := pooledModel(t, x, y, bke.Options{})
	p, points := params(0.3, 0.05), column(-1, 0, 0.7)
	scale := p.Tau2 / m.Evaluator().Level(p)
	four := m.Evaluator().Level(params(1.2, 1))
	for _, noise := range []Noise{CLT, IID} {
		for _, c := range []struct {
			o    Options
			p, q bke.Params
		}{
			{Options{Rung: 1}, p, p},
			{Options{Rung: 4}, p, params(1.2, scale*four)},
			{Options{AtTest: true}, p, params(0.3, m.Evaluator().Level(p))},
			{Options{AtTest: true, Rung: 4}, p, params(1.2, four)},
		} {
			c.o.Noise = noise
			m1, s1 := at(t, newEmbedding(t, m, x, c.p, c.o), points)
			m2, s2 := at(t, newEmbedding(t, m, x, c.q, Options{Noise: noise}), points)
			if d := max(worst(m1, m2), worst(s1, s2)); d > 1e-12 {
				t.Errorf("%+v: off by %v", c.o, d)
			}
		}
	}
}

// The band at the data is that of the central limit theorem, and far from them that of half a row:
// sd sqrt(1/2)/n.
func TestBandOfTheCentralLimitTheorem(t *testing.T) {
	const n, theta = 1500, 0.5
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, math.Sqrt2*math.Erfinv((2*float64(i)+1)/n-1))
	}
	m := pooledModel(t, x, x, bke.Options{})
	e := newEmbedding(t, m, x, params(theta, 1), Options{AtTest: true})
	points := column(-1, -0.4, 0, 0.7, 30)
	mean, sd := at(t, e, points)
	for i, got := range sd[:4] {
		u := points.At(i, 0)
		// E k² - (E k)², with k² a kernel of lengthscale theta/sqrt 2.
		v := normalMean(u, 1, theta/math.Sqrt2) - math.Pow(normalMean(u, 1, theta), 2)
		nearly(t, "sd", got, math.Sqrt(v/n), 0.02)
		near(t, "mean", mean[i], normalMean(u, 1, theta), 1e-3)
	}
	nearly(t, "sd far away", sd[4], math.Sqrt(0.5)/n, 1e-6)
}

// What a grid asks for makes no difference beyond 0.015 standard deviations: a point alone, or
// among 201, or among 401.
func TestAPointAloneOrAmongOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	for _, n := range []int{50, 400} {
		for set := range 10 {
			x, y := normalAndLaplace(r, n)
			m := pooledModel(t, x, y, bke.Options{})
			e := newEmbedding(t, m, []*mat.Dense{x, y}[set%2], params(0.4, 0.07), Options{})
			grid := Grid(201, x, y)
			alone, sd := at(t, e, grid)
			joint, cov := jointly(t, e, grid)
			one, _ := jointly(t, e, grid.Slice(80, 81, 0, 1))
			near(t, "one point", one[0], alone[80], 1e-9)
			double, _ := jointly(t, e, Grid(401, x, y))
			for j := range alone {
				if d := math.Abs(joint[j]-alone[j]) / sd[j]; d > 0.015 {
					t.Errorf("n = %d: mean at %v is off by %.3f sd", n, grid.At(j, 0), d)
				}
				if d := math.Abs(math.Sqrt(cov.At(j, j))/sd[j] - 1); d > 0.015 {
					t.Errorf("n = %d: sd at %v is off by %.3f", n, grid.At(j, 0), d)
				}
				if d := math.Abs(double[2*j]-joint[j]) / sd[j]; d > 0.002 {
					t.Errorf("n = %d: 401 points move the mean by %.4f sd", n, d)
				}
			}
		}
	}
}

// A basis of few points against all points, on grids of one and two columns, with rows beyond the
// grid.
func TestBasisAgainstAllPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	for _, c := range []struct {
		dim, n, side int
		theta        float64
		low          bool
	}{
		{1, 50, 201, 0.3, true}, {1, 50, 201, 3, true}, {1, 50, 201, 100, true},
		{1, 20000, 201, 0.3, true}, {1, 50, 201, 0.02, false}, {1, 50, 3, 0.3, false},
		{2, 100, 15, 1.5, true}, {2, 100, 15, 0.2, false},
	} {
		x, y := normalRows(r, c.n, c.dim), normalRows(r, 50, c.dim)
		m := pooledModel(t, x, y, bke.Options{})
		p := params(c.theta, 0.1)
		own, err := newSample(m, "sample", Sample{X: x})
		if err != nil {
			t.Fatal(err)
		}
		problem, err := newProblem(m, Options{}, own)
		if err != nil {
			t.Fatal(err)
		}
		p.Tau2 = m.Evaluator().Level(p)
		corner := mat.NewDense(2, c.dim, nil)
		for a := range c.dim {
			corner.Set(0, a, -1.5)
			corner.Set(1, a, 5)
		}
		points := Grid(c.side, corner).RawMatrix().Data
		var mean [2][]float64
		var cov [2][]float64
		for k := range 2 {
			plan := newCLT(t.Context(), problem, points, []bke.Params{p}, true, k == 1)
			if plan.plan.plain == (k == 0 && c.low) {
				t.Errorf("%+v: plain is %v", c, plan.plan.plain)
			}
			w := plan.process()
			if _, _, err := w.fit(p); err != nil {
				t.Fatal(err)
			}
			if mean[k], cov[k], err = w.posterior(); err != nil {
				t.Fatal(err)
			}
		}
		q := len(mean[0])
		worstMean, worstSD := 0.0, 0.0
		for j := range q {
			sd := math.Sqrt(cov[1][j*q+j])
			worstMean = max(worstMean, math.Abs(mean[0][j]-mean[1][j])/sd)
			worstSD = max(worstSD, math.Abs(math.Sqrt(cov[0][j*q+j])/sd-1))
		}
		if !(worstMean < 0.01 && worstSD < 0.01) {
			t.Errorf("%+v: means off by %.2g sd, sds by %.2g", c, worstMean, worstSD)
		}
		t.Logf("%+v: means off by %.2g sd, sds by %.2g", c, worstMean, worstSD)
	}
}

// Moments of 4000 draws against Joint: 6 standard errors, so that each of 40 comparisons fails on a
// reseed with probability 2e-9.
func TestEmbeddingDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := normalRows(r, 40, 1)
	m := pooledModel(t, x, normalRows(r, 40, 1), bke.Options{})
	points := column(-3, -1, 0, 0.1, 2)
	for _, noise := range []Noise{CLT, IID} {
		e := newEmbedding(t, m, x, params(0.4, 0.1), Options{Noise: noise})
		draws, err := e.Draws(points, 4000, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		mean, cov := jointly(t, e, points)
		checkMoments(t, noise.String(), draws, mean, cov)
	}
}

// checkMoments compares the moments of Gaussian draws, a draw in each row.
func checkMoments(t *testing.T, name string, draws *mat.Dense, mean []float64, cov mat.Symmetric) {
	t.Helper()
	n, g := draws.Dims()
	for i := range g {
		for j := range i + 1 {
			s, c := 0.0, 0.0
			for k := range n {
				u, v := draws.At(k, i)-mean[i], draws.At(k, j)-mean[j]
				s += u
				c += u * v
			}
			s, c = s/float64(n), c/float64(n)
			se := math.Sqrt(cov.At(i, i) / float64(n))
			if math.Abs(s) > 6*se {
				t.Errorf("%s: mean %d is off by %v, standard error %v", name, i, s, se)
			}
			want := cov.At(i, j)
			se = math.Sqrt((cov.At(i, i)*cov.At(j, j) + want*want) / float64(n))
			if math.Abs(c-want) > 6*se {
				t.Errorf("%s: covariance %d, %d is %v, want %v, standard error %v", name, i, j, c,
					want, se)
			}
		}
	}
}

// Draws on a grid, where the basis is in use, and of the prior where the noise is the larger: the
// same bound.
func TestDrawsOnAGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	x := normalRows(r, 300, 1)
	for _, o := range []bke.Options{{}, {Nu: bke.Lebesgue}, {Nu: bke.Gaussian, Eta: 2}} {
		unit := 1.0
		if o.Nu == bke.Lebesgue {
			unit = 1e-6
		}
		var xs mat.Dense
		xs.Scale(unit, x)
		m := pooledModel(t, &xs, &xs, o)
		e := newEmbedding(t, m, &xs, params(unit*0.8, 0.05), Options{})
		grid := Grid(61, column(-6*unit, 6*unit))
		draws, err := e.Draws(grid, 3000, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		mean, cov := jointly(t, e, grid)
		few := []int{0, 7, 22, 30, 31, 45}
		sub, means, covs := mat.NewDense(3000, 6, nil), make([]float64, 6), mat.NewSymDense(6, nil)
		for i, a := range few {
			means[i] = mean[a]
			sub.SetCol(i, mat.Col(nil, a, draws))
			for j, b := range few[:i+1] {
				covs.SetSym(i, j, cov.At(a, b))
			}
		}
		checkMoments(t, o.Nu.String(), sub, means, covs)
	}
}

// Expectations are linear: against sums over Joint, written out.
func TestExpectations(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	x := normalRows(r, 30, 2)
	m := pooledModel(t, x, normalRows(r, 30, 2), bke.Options{})
	e := newEmbedding(t, m, x, params(0.6, 0.1), Options{})
	points, coef := normalRows(r, 4, 2), normalRows(r, 3, 4)
	mean, cov, err := e.Expectations(coef, points)
	if err != nil {
		t.Fatal(err)
	}
	mu, sigma := jointly(t, e, points)
	for i := range 3 {
		want := 0.0
		for l := range 4 {
			want += coef.At(i, l) * mu[l]
		}
		near(t, "mean", mean[i], want, 1e-14)
		for j := range 3 {
			want := 0.0
			for l := range 4 {
				for k := range 4 {
					want += coef.At(i, l) * sigma.At(l, k) * coef.At(j, k)
				}
			}
			near(t, "covariance", cov.At(i, j), want, 1e-14)
		}
	}
}

func TestEmbeddingErrors(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 3, 5), column(0.5, 1.5), bke.Options{})
	ok := column(0, 1, 2)
	for _, c := range []struct {
		p    bke.Params
		o    Options
		want string
	}{
		{bke.Params{Theta: []float64{1, 2}, Tau2: 1}, Options{}, "theta has 2 elements"},
		{bke.Params{Theta: []float64{1}}, Options{}, "tau2 = 0"},
		{params(-1, 1), Options{}, "theta = [-1]"},
		{params(1, 1), Options{Noise: 7}, "noise is Noise(7), want"},
		{params(1, 1), Options{Rung: -1}, "Rung is -1"},
		{params(1, 1), Options{Rung: 1e200}, "theta of the kernel is 1e+200"},
	} {
		_, err := New(m, Sample{X: ok}, c.p, c.o)
		wantError(t, err, c.want)
	}
	e := newEmbedding(t, m, ok, params(1e-3, 1), Options{})
	_, _, err := e.At(ok)
	wantError(t, err, "is 0 at theta = [0.001], want it positive")
	e = newEmbedding(t, m, ok, params(1, 0.1), Options{})
	_, _, err = e.At(column(math.NaN()))
	wantError(t, err, "points is NaN in row 1")
	_, _, err = e.Joint(nil)
	wantError(t, err, "points is nil")
	_, err = e.Draws(ok, 0, 1)
	wantError(t, err, "0 draws asked for")
	_, _, err = e.Expectations(column(1), ok)
	wantError(t, err, "coef has 1 column, want 3")
	_, _, err = e.Expectations(nil, ok)
	wantError(t, err, "coef")
	_, err = ParseNoise("clt ")
	wantError(t, err, `"clt "`)
	for _, want := range []Noise{CLT, IID} {
		if got, err := ParseNoise(want.String()); got != want || err != nil {
			t.Error(got, err)
		}
	}
}

// Data on a line in three columns: the posterior is that on the line.
func TestEmbeddingOnAPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	line := normalRows(r, 30, 1)
	bent := mat.NewDense(30, 3, nil)
	for i := range 30 {
		u := line.At(i, 0)
		bent.SetRow(i, []float64{1 + 0.6*u, 4, 2 - 0.8*u})
	}
	var means [2][]float64
	for k, x := range []*mat.Dense{line, bent} {
		z := mat.DenseCopyOf(x.Slice(0, 5, 0, x.RawMatrix().Cols))
		e := newEmbedding(t, newModel(t, x, z, bke.Options{}), x, params(0.4, 0.1), Options{})
		means[k], _ = at(t, e, x)
		if k == 1 {
			_, _, err := e.At(mat.NewDense(1, 3, []float64{1, 5, 2}))
			wantError(t, err, "row 1 of points is 1 away from the plane of rank 1")
		}
	}
	if d := worst(means[0], means[1]); d > 1e-9 {
		t.Errorf("means differ by %v", d)
	}
}
