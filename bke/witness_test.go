package bke

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// normalAndLaplace draws n + n rows of N(0, 1) and Laplace(0, sqrt 0.5), which has variance 1.
func normalAndLaplace(r *rand.Rand, n int) (x, y *mat.Dense) {
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, r.NormFloat64())
		y.Set(i, 0, (r.ExpFloat64()-r.ExpFloat64())*math.Sqrt(0.5))
	}
	return x, y
}

// someDraws are draws of the hyperparameters about a point.
func someDraws(r *rand.Rand, n int) []Params {
	var out []Params
	for range n {
		out = append(out, Params{Theta: []float64{0.28 * math.Exp(0.1*r.NormFloat64())},
			Tau2: 0.07 * math.Exp(0.05*r.NormFloat64())})
	}
	return out
}

// denseWitness is the mean and the variance of the witness at one draw, nu Unit and one column, by
// dense matrices of the full size.
func denseWitness(t *testing.T, m *Model, noise Noise, p Params, xs []*mat.Dense,
	at *mat.Dense) (mean, vary []float64) {
	t.Helper()
	fill := func(a, b mat.Matrix, c float64) *mat.Dense {
		n, _ := a.Dims()
		q, _ := b.Dims()
		out := mat.NewDense(n, q, nil)
		out.Apply(func(i, j int, _ float64) float64 {
			d := (a.At(i, 0) - b.At(j, 0)) / p.Theta[0]
			return math.Exp(-d * d * c)
		}, out)
		return out
	}
	g, _ := at.Dims()
	mean, vary = make([]float64, g), make([]float64, g)
	for s, x := range xs {
		n, _ := x.Dims()
		obs := x
		if noise == CLT {
			obs = mat.NewDense(40, 1, observationQuantiles(m.x, 40))
		}
		q, _ := obs.Dims()
		k := fill(x, obs, 0.5)
		a := mat.NewSymDense(q, nil)
		if noise == CLT {
			stat := fill(mat.NewDense(m.n, 1, m.x), mat.NewDense(m.m, 1, m.z), 0.5)
			v := 0.0
			for l := range m.m {
				v += sampleVariance(mat.Col(nil, l, stat), mat.Col(nil, l, stat)) / float64(m.m)
			}
			for i := range q {
				for j := range i + 1 {
					a.SetSym(i, j, p.Tau2/v/float64(n)*
						sampleVariance(mat.Col(nil, i, k), mat.Col(nil, j, k)))
				}
			}
		}
		r := fill(obs, obs, 0.25)
		for i := range q {
			for j := range i + 1 {
				a.SetSym(i, j, a.At(i, j)+r.At(i, j))
			}
			a.SetSym(i, i, a.At(i, i)+map[Noise]float64{CLT: 1e-9, IID: p.Tau2 / float64(n)}[noise])
		}
		var chol mat.Cholesky
		if !chol.Factorize(a) {
			t.Fatal("dense matrix is not positive definite")
		}
		y := mat.NewVecDense(q, nil)
		for j := range q {
			y.SetVec(j, mat.Sum(k.ColView(j))/float64(n))
		}
		cross := fill(obs, at, 0.25)
		var w, sol mat.Dense
		if chol.SolveTo(&w, y) != nil || chol.SolveTo(&sol, cross) != nil {
			t.Log("the dense matrix is ill-conditioned")
		}
		for j := range g {
			mean[j] += float64(1-2*s) * mat.Dot(cross.ColView(j), w.ColView(0))
			vary[j] += 1 - mat.Dot(cross.ColView(j), sol.ColView(j))
		}
	}
	return mean, vary
}

// sampleVariance is the covariance of two columns, divisor n-1.
func sampleVariance(a, b []float64) float64 {
	n, ma, mb, s := float64(len(a)), 0.0, 0.0, 0.0
	for i := range a {
		ma += a[i] / n
		mb += b[i] / n
	}
	for i := range a {
		s += (a[i] - ma) * (b[i] - mb)
	}
	return s / (n - 1)
}

func TestWitnessAgainstDense(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := normalAndLaplace(r, 400)
	m := pooledModel(t, x, y, Options{})
	draws := someDraws(r, 3)
	at := Grid(200, x, y)
	for _, noise := range []Noise{CLT, IID} {
		tol := map[Noise]float64{CLT: 1e-6, IID: 1e-8}[noise]
		w, err := NewWitness(m, x, y, draws, WitnessOptions{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.At(at)
		if err != nil {
			t.Fatal(err)
		}
		means, sds := make([][]float64, 200), make([][]float64, 200)
		for _, p := range draws {
			mean, vary := denseWitness(t, m, noise, p, []*mat.Dense{x, y}, at)
			for j := range mean {
				means[j] = append(means[j], mean[j])
				sds[j] = append(sds[j], math.Sqrt(vary[j]))
			}
		}
		q10, above := got.Quantile(0.1), got.Positive()
		for j := range means {
			mean, square := 0.0, 0.0
			for i, mu := range means[j] {
				mean += mu / 3
				square += (mu*mu + sds[j][i]*sds[j][i]) / 3
			}
			near(t, noise.String()+" mean", got.Mean[j], mean, tol)
			near(t, noise.String()+" sd", got.SD[j], math.Sqrt(square-mean*mean), tol)
			near(t, noise.String()+" quantile", q10[j], bisected(means[j], sds[j], 0.1), tol)
			near(t, noise.String()+" probability", above[j], 1-mixtureCDF(means[j], sds[j], 0),
				100*tol) // the density of f at 0 is up to 40
		}
	}
}

// mixtureCDF is the distribution function of an equal mixture of Gaussians, as in textbooks.
func mixtureCDF(means, sds []float64, x float64) float64 {
	p := 0.0
	for i, m := range means {
		p += (1 + math.Erf((x-m)/sds[i]/math.Sqrt2)) / 2 / float64(len(means))
	}
	return p
}

func bisected(means, sds []float64, level float64) float64 {
	lo, hi := -1e3, 1e3
	for range 100 {
		mid := (lo + hi) / 2
		if mixtureCDF(means, sds, mid) < level {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// With many draws the embedding at the rows comes from a table, unless there is a lengthscale for
// each column or the observation points are others: against draws taken one by one.
func TestWitnessTable(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, c := range []struct {
		dim        int
		ard, given bool
	}{{dim: 1}, {dim: 2}, {dim: 2, ard: true}, {dim: 1, given: true}} {
		dim := c.dim
		x, y := normalRows(r, 60, dim), normalRows(r, 50, dim)
		m := pooledModel(t, x, y, Options{ARD: c.ard})
		draws := someDraws(r, 150)
		o := WitnessOptions{Noise: IID}
		if c.ard {
			for i := range draws {
				draws[i].Theta = append(draws[i].Theta, 1+r.Float64())
			}
		}
		if c.given {
			o.Points = normalRows(r, 30, dim)
		}
		w, err := NewWitness(m, x, y, draws, o)
		if err != nil {
			t.Fatal(err)
		}
		if w.meanTables() == nil && !c.ard {
			t.Fatal("no table")
		}
		at := normalRows(r, 5, dim)
		all, err := w.At(at)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(draws); i += 30 {
			one, err := NewWitness(m, x, y, draws[i:i+1], o)
			if err != nil {
				t.Fatal(err)
			}
			want, err := one.At(at)
			if err != nil {
				t.Fatal(err)
			}
			for j := range want.Mean {
				near(t, "mean", all.means[j*all.n+i], want.Mean[j], 1e-11)
				near(t, "sd", all.sds[j*all.n+i], want.SD[j], 0)
			}
		}
		if w.draws = w.draws[:20]; w.meanTables() != nil {
			t.Error("a table for 20 draws")
		}
	}
}

// The posteriors of mu_P and mu_Q are those of Embedding, and independent.
func TestWitnessIsADifferenceOfEmbeddings(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	x, y := normalRows(r, 50, 2), normalRows(r, 70, 2)
	m := pooledModel(t, x, y, Options{Nu: Gaussian, Eta: 1, Tau2: 0.1})
	p := Params{Theta: []float64{0.8}} // tau2 and eta are the model's
	at := normalRows(r, 7, 2)
	for _, o := range []WitnessOptions{{}, {Noise: IID}, {Points: normalRows(r, 20, 2)},
		{Noise: IID, Points: normalRows(r, 20, 2)}} {
		w, err := NewWitness(m, x, y, []Params{p}, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.At(at)
		if err != nil {
			t.Fatal(err)
		}
		ep, err := m.Embedding(x, p, EmbeddingOptions(o))
		if err != nil {
			t.Fatal(err)
		}
		eq, err := m.Embedding(y, p, EmbeddingOptions(o))
		if err != nil {
			t.Fatal(err)
		}
		mp, sp, _ := ep.At(at)
		mq, sq, _ := eq.At(at)
		for j := range got.Mean {
			near(t, o.Noise.String()+" mean", got.Mean[j], mp[j]-mq[j], 1e-10)
			near(t, o.Noise.String()+" sd", got.SD[j], math.Hypot(sp[j], sq[j]), 1e-9)
		}
	}
}

// Where nu has next to no mass the standard deviation is small, not zero: against Embedding, whose
// variances were held against dense ones, and the prior's.
func TestWitnessFarFromNu(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 8))
	x, y := normalRows(r, 50, 1), normalRows(r, 40, 1)
	m := pooledModel(t, x, y, Options{Nu: Gaussian})
	p := Params{Theta: []float64{0.4}, Tau2: 0.1, Eta: 1}
	at := column(0, 4.5, 6, 8, 12, 20)
	for _, noise := range []Noise{CLT, IID} {
		w, err := NewWitness(m, x, y, []Params{p}, WitnessOptions{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.At(at)
		if err != nil {
			t.Fatal(err)
		}
		for j, sd := range got.SD {
			u := at.At(j, 0)
			prior := math.Exp(-u*u/2.16-math.Log1p(2/0.16)/2) * 2
			if u >= 6 {
				nearly(t, fmt.Sprint(noise, " sd at ", u), sd, math.Sqrt(prior), 1e-3)
			}
			if !(sd > 0 && sd*sd <= prior*(1+1e-12)) {
				t.Errorf("%v: sd %v at %v, want less than the prior's %v", noise, sd, u,
					math.Sqrt(prior))
			}
		}
	}
}

// The tolerance of the low rank goes with tau2/n where that is small, and with the prior where it
// is huge: then f is a draw of the prior, smooth and of variance two.
func TestWitnessAtExtremeNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 10))
	x, y := normalAndLaplace(r, 100)
	m := pooledModel(t, x, y, Options{})
	at := column(-1, -1+1e-5, 0, 1, 3)
	for _, tau2 := range []float64{1e-5, 1e-3, 1e10} {
		p := Params{Theta: []float64{0.3}, Tau2: tau2}
		w, err := NewWitness(m, x, y, []Params{p}, WitnessOptions{Noise: IID})
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Functions(at, 50, r)
		if err != nil {
			t.Fatal(err)
		}
		vary := make([]float64, 5)
		for _, s := range []*mat.Dense{x, y} {
			e, err := m.Embedding(s, p, EmbeddingOptions{Noise: IID})
			if err != nil {
				t.Fatal(err)
			}
			_, sd, err := e.At(at)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range sd {
				vary[j] += v * v
			}
		}
		for j, v := range vary {
			nearly(t, fmt.Sprint("variance with tau2 = ", tau2), f.SD[j]*f.SD[j], v, 1e-6)
		}
		for i := range 50 { // 6 standard deviations, mostly of what draws may lack
			near(t, "the neighbour of a value", f.Values.At(i, 0), f.Values.At(i, 1), 6*6e-5)
		}
	}
}

// The amplitude of Lebesgue is theta^D: in small units the data say nothing beside the noise, and
// the posterior is the prior; in large ones the noise is nothing beside the amplitude, and the
// posterior is the empirical embedding where the data are.
func TestWitnessInAnyUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 9))
	const dim = 5
	x, y := normalRows(r, 50, dim), normalRows(r, 40, dim)
	for _, unit := range []float64{1e-12, 1e-6, 1e-3, 1e3, 1e12} {
		scaled := func(a *mat.Dense) *mat.Dense {
			var b mat.Dense
			b.Scale(unit, a)
			return &b
		}
		xs, ys := scaled(x), scaled(y)
		m := pooledModel(t, xs, ys, Options{Nu: Lebesgue})
		p := Params{Theta: []float64{unit * 1.3}, Tau2: 0.1}
		var g pairs
		g.set(Unit, dim, p)
		first, k := xs.Slice(0, 1, 0, dim), make([]float64, 50)
		g.kernel(k, mat.Row(nil, 0, first), xs.RawMatrix().Data)
		muhat := centre(k)
		for _, noise := range []Noise{CLT, IID} {
			name := fmt.Sprint(noise, ", unit ", unit)
			w, err := NewWitness(m, xs, ys, []Params{p}, WitnessOptions{Noise: noise})
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.At(first)
			if err != nil {
				t.Error(name, err)
				continue
			}
			amp := math.Exp(logAmplitude(Lebesgue, p, dim))
			if unit <= 1e-6 {
				nearly(t, name+": sd", got.SD[0], math.Sqrt(2*amp), 1e-3)
			} else if !(got.SD[0] > 0 && got.SD[0] < math.Sqrt(2*amp)) {
				t.Errorf("%s: sd %v, prior %v", name, got.SD[0], math.Sqrt(2*amp))
			}
			e, err := m.Embedding(xs, p, EmbeddingOptions{Noise: noise, Points: xs})
			if err != nil {
				t.Fatal(name, err)
			}
			if mean, _, err := e.At(first); err != nil {
				t.Error(name, err)
			} else if unit > 1 {
				near(t, name+": mean", mean[0], muhat, 1e-6)
			}
		}
	}
}

func TestWitnessInvariances(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	x, y := normalAndLaplace(r, 80)
	m := pooledModel(t, x, y, Options{})
	draws := someDraws(r, 5)
	at := Grid(20, x, y)
	for _, noise := range []Noise{CLT, IID} {
		value := func(x, y mat.Matrix) *Functions {
			w, err := NewWitness(m, x, y, draws, WitnessOptions{Noise: noise})
			if err != nil {
				t.Fatal(err)
			}
			f, err := w.Functions(at, 9, rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		want, swapped := value(x, y), value(y, x)
		turned := mat.NewDense(80, 1, nil)
		for i, k := range r.Perm(80) {
			turned.Set(i, 0, x.At(k, 0))
		}
		permuted := value(turned, y)
		before := runtime.GOMAXPROCS(1)
		single := value(x, y)
		runtime.GOMAXPROCS(before)
		for j := range want.Mean {
			near(t, "swapped mean", -swapped.Mean[j], want.Mean[j], 0)
			near(t, "swapped sd", swapped.SD[j], want.SD[j], 0)
			near(t, "swapped draw", -swapped.Values.At(5, j), want.Values.At(5, j), 0)
		}
		if !slices.Equal(permuted.Mean, want.Mean) || !slices.Equal(permuted.SD, want.SD) {
			t.Errorf("%v: rows in another order change the result", noise)
		}
		if !mat.Equal(single.Values, want.Values) || !slices.Equal(single.SD, want.SD) {
			t.Errorf("%v: the number of processors changes the result", noise)
		}
	}
}

func TestGrid(t *testing.T) {
	g := Grid(3, column(1, 5), column(-3, 2))
	if !mat.Equal(g, column(-3, 1, 5)) {
		t.Error(mat.Formatted(g))
	}
	g = Grid(2, matrixOf([][]float64{{0, 1}, {2, 7}}), matrixOf([][]float64{{1, -1}}))
	if !mat.Equal(g, matrixOf([][]float64{{0, -1}, {0, 7}, {2, -1}, {2, 7}})) {
		t.Error(mat.Formatted(g))
	}
}

func TestWitnessErrors(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 3, 5), column(0.5, 1.5), Options{})
	ok := column(0, 1, 2)
	good := []Params{{Theta: []float64{1}, Tau2: 0.1}}
	for _, c := range []struct {
		p, q  mat.Matrix
		draws []Params
		o     WitnessOptions
		want  string
	}{
		{column(math.NaN(), 1), ok, good, WitnessOptions{}, "xp is NaN in row 1"},
		{ok, column(1), good, WitnessOptions{}, "xq has 1 row"},
		{ok, ok, nil, WitnessOptions{}, "no draws"},
		{ok, ok, []Params{good[0], {Theta: []float64{1}, Tau2: math.NaN()}}, WitnessOptions{},
			"tau2 = NaN, eta = 0, want positive, finite numbers (draw 2, counted from 1)"},
		{ok, ok, good, WitnessOptions{Noise: -1}, "noise is Noise(-1)"},
		{ok, ok, good, WitnessOptions{Points: mat.NewDense(1, 2, nil)}, "observation points"},
	} {
		_, err := NewWitness(m, c.p, c.q, c.draws, c.o)
		wantError(t, err, c.want)
	}
	w, err := NewWitness(m, ok, ok, good, WitnessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := w.At(ok)
	if err != nil {
		t.Fatal(err)
	}
	good[0].Theta[0] = 7 // the witness has its own copy
	if again, err := w.At(ok); err != nil || !slices.Equal(at.SD, again.SD) {
		t.Error("the draws were not copied", err)
	}
	good[0].Theta[0] = 1
	if _, err = NewWitness(m, ok, column(1, 2), good, WitnessOptions{}); err != nil {
		t.Error(err) // two rows are enough
	}
	_, err = w.At(nil)
	wantError(t, err, "points is nil")
	_, err = w.Functions(ok, 0, rand.New(rand.NewPCG(1, 1)))
	wantError(t, err, "0 functions asked for")
	w, err = NewWitness(m, ok, ok, []Params{good[0], {Theta: []float64{1e-3}, Tau2: 1}},
		WitnessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.At(ok)
	wantError(t, err, "is 0 at theta = [0.001]")
}

func BenchmarkWitness(b *testing.B) {
	for _, noise := range []Noise{CLT, IID} {
		b.Run(noise.String(), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			x, y := normalAndLaplace(r, 400)
			m := pooledModel(b, x, y, Options{})
			w, err := NewWitness(m, x, y, someDraws(r, 800), WitnessOptions{Noise: noise})
			if err != nil {
				b.Fatal(err)
			}
			grid := Grid(200, x, y)
			for b.Loop() {
				p, err := w.At(grid)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Band(0.8); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
