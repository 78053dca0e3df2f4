package bke

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bayeskernel/bke/inputs"

	"gonum.org/v1/gonum/mat"
)

// rowsOf is the inverse of matrixOf.
func rowsOf(a mat.Matrix) [][]float64 {
	n, _ := a.Dims()
	var out [][]float64
	for i := range n {
		out = append(out, mat.Row(nil, i, a))
	}
	return out
}

// pooledModel is a model of two samples, with default pseudo-inputs.
func pooledModel(t testing.TB, x, y *mat.Dense, o Options) *Model {
	t.Helper()
	var pooled mat.Dense
	pooled.Stack(x, y)
	in, err := inputs.Choose(context.Background(), &pooled, inputs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(&pooled, in.Z, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// normalMean is E k(X, t) for X of N(0, sd²): the embedding of a normal distribution.
func normalMean(t, sd, theta float64) float64 {
	v := sd*sd + theta*theta
	return theta / math.Sqrt(v) * math.Exp(-t*t/2/v)
}

// The 600-bit oracle shares no step with the product. Tolerances: 1e-10 (iid) and 1e-6 (clt, whose
// matrix has a condition number of 1e9 to 1e11 by its jitter) of the prior variance are asked for.
func TestEmbeddingAgainstDense(t *testing.T) {
	for _, c := range []struct {
		nu   Nu
		dim  int
		ard  bool
		p    Params
		span float64
	}{
		{nu: Unit, dim: 1, p: Params{Theta: []float64{0.3}, Tau2: 0.08}},
		{nu: Unit, dim: 1, p: Params{Theta: []float64{0.02}, Tau2: 0.01}},
		{nu: Unit, dim: 1, p: Params{Theta: []float64{40}, Tau2: 0.01}},
		{nu: Lebesgue, dim: 1, p: Params{Theta: []float64{0.5}, Tau2: 0.1}},
		{nu: Gaussian, dim: 1, p: Params{Theta: []float64{0.5}, Tau2: 0.1, Eta: 1.5}},
		{nu: Gaussian, dim: 2, p: Params{Theta: []float64{0.8}, Tau2: 0.1, Eta: 0.7}},
		{nu: Unit, dim: 3, ard: true, p: Params{Theta: []float64{1, 2, 3}, Tau2: 0.05}},
	} {
		r := rand.New(rand.NewPCG(7, uint64(c.dim)))
		x, y, z := normalRows(r, 26, c.dim), normalRows(r, 13, c.dim), normalRows(r, 8, c.dim)
		var pooled mat.Dense
		pooled.Stack(x, y)
		m := newModel(t, &pooled, z, Options{Nu: c.nu, ARD: c.ard})
		at := normalRows(r, 6, c.dim)
		at.SetRow(0, mat.Row(nil, 3, x)) // a datum
		at.Set(1, 0, 9)                  // far away
		for _, given := range []mat.Matrix{nil, normalRows(r, 9, c.dim)} {
			for _, noise := range []Noise{CLT, IID} {
				name := fmt.Sprintf("%v, %v, D = %d, theta = %v, given %v", noise, c.nu, c.dim,
					c.p.Theta, given != nil)
				e, err := m.Embedding(x, c.p, EmbeddingOptions{Noise: noise, Points: given})
				if err != nil {
					t.Fatal(name, err)
				}
				want := newDensePosterior(c.nu, noise, rowsOf(&pooled), rowsOf(z), rowsOf(x),
					rowsOf(e.Points), rowsOf(at), c.p)
				tol := map[Noise]float64{CLT: 1e-8, IID: 1e-10}[noise]
				checkJoint(t, name, e, at, want, tol*max(1, math.Exp(logAmplitude(c.nu, c.p, c.dim))))
			}
		}
	}
}

func checkJoint(t *testing.T, name string, e *Embedding, at mat.Matrix, want densePosterior,
	tol float64) {
	t.Helper()
	mean, cov, err := e.Joint(at)
	if err != nil {
		t.Fatal(name, err)
	}
	again, sd, err := e.At(at)
	if err != nil {
		t.Fatal(name, err)
	}
	d := max(worst(mean, want.mean), worst(again, want.mean))
	for i, row := range want.cov {
		d = max(d, worst(mat.Row(nil, i, cov), row), math.Abs(sd[i]*sd[i]-row[i]))
	}
	if !(d <= tol) {
		t.Errorf("%s: off by %.2g, want %.2g", name, d, tol)
	}
}

// One row, observed at itself: R = k = 1, y = 1.
func TestEmbeddingOfOneRow(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 3), column(0.5, 1.5), Options{})
	p := Params{Theta: []float64{0.7}, Tau2: 0.3}
	e, err := m.Embedding(column(1), p, EmbeddingOptions{Noise: IID})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{-1, 0.2, 1, 1.9} {
		mean, sd, err := e.At(column(at))
		if err != nil {
			t.Fatal(err)
		}
		r := math.Exp(-(at - 1) * (at - 1) / 4 / 0.49)
		near(t, "mean", mean[0], r/1.3, 1e-14)
		near(t, "sd", sd[0], math.Sqrt(1-r*r/1.3), 1e-14)
	}
}

// The rows are the quantiles of a normal distribution, so that the empirical embedding is within
// 1e-6 or so of the true one: as tau2 -> 0 the posterior must close in on the latter.
func TestEmbeddingTendsToTheTruth(t *testing.T) {
	const n, theta = 1500, 0.5
	rows := plotted(n, normalQuantile)
	x := mat.NewDense(n, 1, rows)
	m := pooledModel(t, x, x, Options{})
	at := column(-2, -1.3, -0.4, 0, 0.7, 1.6)
	for _, noise := range []Noise{CLT, IID} {
		last := math.Inf(1)
		for _, tau2 := range []float64{1, 1e-2, 1e-4, 1e-6} {
			e, err := m.Embedding(x, Params{Theta: []float64{theta}, Tau2: tau2},
				EmbeddingOptions{Noise: noise})
			if err != nil {
				t.Fatal(err)
			}
			mean, sd, err := e.At(at)
			if err != nil {
				t.Fatal(err)
			}
			top := 0.0
			for i := range mean {
				want := normalMean(at.At(i, 0), 1, theta)
				// Bias of the prior, below a standard deviation; and that of the rows.
				near(t, fmt.Sprint(noise, " mean at tau2 = ", tau2), mean[i], want, sd[i]+2e-5)
				top = max(top, sd[i])
			}
			// 40 points and their jitter leave an sd of 1e-3 with clt.
			if !(top < max(last/5, 1e-3)) {
				t.Errorf("%v, tau2 = %v: sd %v, want less than a fifth of %v", noise, tau2, top, last)
			}
			last = top
		}
	}
}

// With noise clt and many rows, the band at the data is that of the central limit theorem.
func TestBandOfTheCentralLimitTheorem(t *testing.T) {
	const n, theta = 1500, 0.5
	x := mat.NewDense(n, 1, plotted(n, normalQuantile))
	m := pooledModel(t, x, x, Options{})
	w := m.conditioning(CLT, nil)
	w.g.set(Unit, 1, Params{Theta: []float64{theta}})
	tau2 := w.level() // then the noise is C/n
	e, err := m.Embedding(x, Params{Theta: []float64{theta}, Tau2: tau2}, EmbeddingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := column(-1, -0.4, 0, 0.7)
	_, sd, err := e.At(at)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range sd {
		u := at.At(i, 0)
		// E k² - (E k)², with k² a kernel of lengthscale theta/sqrt 2.
		v := normalMean(u, 1, theta/math.Sqrt2) - math.Pow(normalMean(u, 1, theta), 2)
		near(t, "sd", got/math.Sqrt(v/n), 1, 0.02)
	}
}

func TestDefaultObservationPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	p := Params{Theta: []float64{0.5}, Tau2: 0.1}
	points := func(dim, n int, noise Noise) int {
		x := normalRows(r, n, dim)
		m := pooledModel(t, x, normalRows(r, n, dim), Options{})
		e, err := m.Embedding(x, p, EmbeddingOptions{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		q, _ := e.Points.Dims()
		return q
	}
	for _, c := range []struct {
		dim, n, want int
		noise        Noise
	}{
		{1, 60, 40, CLT}, {1, 12, 24, CLT}, {2, 60, 120, CLT}, {2, 110, 200, CLT},
		{1, 60, 60, IID}, {2, 12, 12, IID},
	} {
		if got := points(c.dim, c.n, c.noise); got != c.want {
			t.Errorf("%+v: %d points", c, got)
		}
	}
}

// Data on a line in three columns: the model, the observation points and the posterior are those
// of the line.
func TestEmbeddingOnAPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	line := normalRows(r, 30, 1)
	bent := mat.NewDense(30, 3, nil)
	for i := range 30 {
		u := line.At(i, 0)
		bent.SetRow(i, []float64{1 + 0.6*u, 4, 2 - 0.8*u})
	}
	p := Params{Theta: []float64{0.4}, Tau2: 0.1}
	var means [2][]float64
	for k, x := range []*mat.Dense{line, bent} {
		z := mat.DenseCopyOf(x.Slice(0, 5, 0, x.RawMatrix().Cols))
		e, err := newModel(t, x, z, Options{}).Embedding(x, p, EmbeddingOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if means[k], _, err = e.At(x); err != nil {
			t.Fatal(err)
		}
		if k == 1 { // the observation points are given in the user's columns
			if _, _, err = e.At(e.Points); err != nil {
				t.Error(err)
			}
			_, _, err = e.At(mat.NewDense(1, 3, []float64{1, 5, 2}))
			wantError(t, err, "row 1 of points is 1 away from the plane of rank 1")
		}
	}
	if d := worst(means[0], means[1]); d > 1e-9 {
		t.Errorf("means differ by %v", d)
	}
}

// Rows in another order, and data moved together with the lengthscale (nu Unit).
func TestEmbeddingInvariances(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	x, y := normalRows(r, 120, 1), normalRows(r, 120, 1)
	at := column(-2.5, -1, 0, 0.3, 2)
	value := func(perm []int, scale, shift float64, noise Noise) ([]float64, []float64) {
		move := func(a *mat.Dense, scale, shift float64) *mat.Dense {
			var b mat.Dense
			b.Apply(func(i, _ int, _ float64) float64 {
				if perm != nil && a == x {
					i = perm[i]
				}
				return a.At(i, 0)*scale + shift
			}, a)
			return &b
		}
		xs := move(x, scale, shift)
		m := pooledModel(t, xs, move(y, scale, shift), Options{})
		e, err := m.Embedding(xs, Params{Theta: []float64{0.3 * scale}, Tau2: 0.1},
			EmbeddingOptions{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		mean, sd, err := e.At(move(at, scale, shift))
		if err != nil {
			t.Fatal(err)
		}
		return mean, sd
	}
	for _, noise := range []Noise{CLT, IID} {
		mean, sd := value(nil, 1, 0, noise)
		for _, c := range []struct {
			name         string
			perm         []int
			scale, shift float64
			tol          float64
		}{
			{"permuted", r.Perm(120), 1, 0, 1e-12},
			{"in units of a power of two", nil, 0x1p20, 0, 0},
			{"in other units", nil, 1e-7, 0, 1e-8},
			{"shifted", nil, 1, 1e3, 1e-9}, // 1e3 costs three digits
		} {
			m2, s2 := value(c.perm, c.scale, c.shift, noise)
			if d := max(worst(mean, m2), worst(sd, s2)); !(d <= c.tol) {
				t.Errorf("%v, %s: off by %v", noise, c.name, d)
			}
		}
	}
}

// Moments of 4000 draws against Joint: 6 standard errors, so that each of 40 comparisons fails on a
// reseed with probability 2e-9.
func TestEmbeddingDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := normalRows(r, 40, 1)
	m := pooledModel(t, x, normalRows(r, 40, 1), Options{})
	at := column(-3, -1, 0, 0.1, 2)
	for _, noise := range []Noise{CLT, IID} {
		e, err := m.Embedding(x, Params{Theta: []float64{0.4}, Tau2: 0.1},
			EmbeddingOptions{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		draws, err := e.Draws(at, 4000, r)
		if err != nil {
			t.Fatal(err)
		}
		mean, cov, err := e.Joint(at)
		if err != nil {
			t.Fatal(err)
		}
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

// Expectations are linear: against sums over Joint, written out.
func TestExpectations(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	x := normalRows(r, 30, 2)
	m := pooledModel(t, x, normalRows(r, 30, 2), Options{})
	e, err := m.Embedding(x, Params{Theta: []float64{0.6}, Tau2: 0.1}, EmbeddingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at, coef := normalRows(r, 4, 2), normalRows(r, 3, 4)
	mean, cov, err := e.Expectations(coef, at)
	if err != nil {
		t.Fatal(err)
	}
	mu, sigma, err := e.Joint(at)
	if err != nil {
		t.Fatal(err)
	}
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
	m := newModel(t, column(0, 1, 2, 3, 5), column(0.5, 1.5), Options{})
	ok := column(0, 1, 2)
	p := Params{Theta: []float64{1}, Tau2: 0.1}
	for _, c := range []struct {
		sample mat.Matrix
		p      Params
		o      EmbeddingOptions
		want   string
	}{
		{nil, p, EmbeddingOptions{}, "sample is nil"},
		{column(1, math.NaN()), p, EmbeddingOptions{}, "sample is NaN in row 2, column 1"},
		{column(math.Inf(1), 2), p, EmbeddingOptions{}, "sample is +Inf in row 1"},
		{mat.NewDense(2, 2, nil), p, EmbeddingOptions{}, "sample has 2 columns, want 1"},
		{column(1), p, EmbeddingOptions{}, "sample has 1 row, want at least 2"},
		{ok, Params{Theta: []float64{1, 2}, Tau2: 1}, EmbeddingOptions{}, "theta has 2 elements"},
		{ok, Params{Theta: []float64{1}}, EmbeddingOptions{}, "tau2 = 0"},
		{ok, Params{Theta: []float64{-1}, Tau2: 1}, EmbeddingOptions{}, "theta = [-1]"},
		{ok, p, EmbeddingOptions{Noise: 7}, "noise is Noise(7), want"},
		{ok, p, EmbeddingOptions{Points: mat.NewDense(1, 2, nil)}, "observation points has 2 col"},
		{ok, Params{Theta: []float64{1e-3}, Tau2: 1}, EmbeddingOptions{}, "is 0 at theta = [0.001]"},
	} {
		_, err := m.Embedding(c.sample, c.p, c.o)
		wantError(t, err, c.want)
	}
	e, err := m.Embedding(ok, p, EmbeddingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = e.At(column(math.NaN()))
	wantError(t, err, "points is NaN in row 1")
	_, _, err = e.Joint(nil)
	wantError(t, err, "points is nil")
	_, err = e.Draws(ok, 0, rand.New(rand.NewPCG(1, 1)))
	wantError(t, err, "0 draws asked for")
	_, _, err = e.Expectations(column(1), ok)
	wantError(t, err, "coef has 1 column, want 3")
	_, _, err = e.Expectations(nil, ok)
	wantError(t, err, "coef")
	if _, err = ParseNoise("clt "); err == nil || !strings.Contains(err.Error(), `"clt "`) {
		t.Error(err)
	}
	for _, want := range []Noise{CLT, IID} {
		if got, err := ParseNoise(want.String()); got != want || err != nil {
			t.Error(got, err)
		}
	}
}

// Ties, repeated points and extreme hyperparameters leave no NaN.
func TestEmbeddingStaysFinite(t *testing.T) {
	x := column(0, 0, 0, 1, 1, 2, 2, 2, 2, 2)
	m := newModel(t, x, column(0, 1, 2), Options{})
	for _, noise := range []Noise{CLT, IID} {
		for _, theta := range []float64{1e-3, 0.1, 1, 100, 2e4} {
			for _, tau2 := range []float64{1e-10, 1e-3, 1e2} {
				e, err := m.Embedding(x, Params{Theta: []float64{theta}, Tau2: tau2},
					EmbeddingOptions{Noise: noise})
				if err != nil {
					t.Error(err)
					continue
				}
				mean, sd, err := e.At(column(-1e300, -1, 0, 0.5, 1, 2, 1e300))
				if err != nil {
					t.Error(err)
				}
				for i := range mean {
					// E k is in [0, 1], and the posterior hardly leaves it where the data are.
					if !(math.Abs(mean[i]) < 2 && sd[i] >= 0 && sd[i] <= 1.0000001) {
						t.Errorf("%v, theta = %v, tau2 = %v: mean %v, sd %v", noise, theta, tau2,
							mean[i], sd[i])
					}
				}
			}
		}
	}
}
