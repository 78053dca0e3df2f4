package embedding

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"bayeskernel/bke"

	"gonum.org/v1/gonum/mat"
)

// At each draw the posteriors of mu_P and mu_Q are those of Embedding, and independent; over draws
// the witness is the mixture.
func TestWitnessIsAMixtureOfDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		dim, draws int
		model      bke.Options
	}{
		{1, 3, bke.Options{}}, {1, 150, bke.Options{}}, // by a table
		{2, 3, bke.Options{Nu: bke.Gaussian, Eta: 1}}, {2, 40, bke.Options{ARD: true}},
	} {
		x, y := normalRows(r, 50, c.dim), normalRows(r, 70, c.dim)
		m := pooledModel(t, x, y, c.model)
		draws := someDraws(r, c.draws)
		for i := range draws {
			draws[i].Theta[0] *= float64(c.dim)
			if c.model.ARD {
				draws[i].Theta = append(draws[i].Theta, 1+r.Float64())
			}
		}
		points := normalRows(r, 7, c.dim)
		for _, o := range []Options{{}, {Noise: IID}, {Rung: 2}, {AtTest: true}} {
			got, err := newWitness(t, m, x, y, draws, o).At(t.Context(), points)
			if err != nil {
				t.Fatal(err)
			}
			means, sds := make([][]float64, 7), make([][]float64, 7)
			for _, p := range draws {
				mp, sp := at(t, newEmbedding(t, m, x, p, o), points)
				mq, sq := at(t, newEmbedding(t, m, y, p, o), points)
				for j := range mp {
					means[j] = append(means[j], mp[j]-mq[j])
					sds[j] = append(sds[j], math.Hypot(sp[j], sq[j]))
				}
			}
			q10, above := got.Quantile(0.1), got.Positive()
			for j := range means {
				n, mean, square := float64(c.draws), 0.0, 0.0
				for i, mu := range means[j] {
					mean += mu / n
					square += (mu*mu + sds[j][i]*sds[j][i]) / n
				}
				near(t, "mean", got.Mean[j], mean, 1e-8)
				near(t, "sd", got.SD[j], math.Sqrt(square-mean*mean), 1e-8)
				near(t, "quantile", q10[j], bisected(means[j], sds[j], 0.1), 1e-8)
				// The density of f at 0 is up to 40.
				near(t, "probability", above[j], 1-mixtureCDF(means[j], sds[j], 0), 1e-6)
			}
		}
	}
}

// A table against the statistics themselves, in units of the standard deviation, over a range of
// theta as wide as posteriors have.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, c := range []struct {
		n, dim int
		spread float64
		joint  bool
	}{{400, 1, 0.1, true}, {50, 1, 0.5, true}, {400, 1, 0.5, false}, {60, 3, 0.2, true}} {
		x, y := normalRows(r, c.n, c.dim), normalRows(r, 50, c.dim)
		m := pooledModel(t, x, y, bke.Options{})
		var draws []bke.Params
		for range 400 {
			theta := 0.5 * float64(c.dim) * math.Exp(c.spread*r.NormFloat64())
			draws = append(draws, params(theta, 0.1))
		}
		w := newWitness(t, m, x, y, draws, Options{})
		s := newStatistics(t.Context(), w.problem, normalRows(r, 40, c.dim).RawMatrix().Data, c.joint, draws)
		if s.table == nil {
			t.Fatal("no table")
		}
		got, f, a := s.reader(), newField(m), new(accumulator)
		want := make([]float64, s.size())
		for _, h := range draws[:40] {
			s.compute(want, f, a, h)
			vector, _, err := got.at(h)
			if err != nil {
				t.Fatal(err)
			}
			if !s.close(vector, want) {
				t.Errorf("%+v: theta = %v is off", c, h.Theta)
			}
		}
		if s = newStatistics(t.Context(), w.problem, []float64{0, 1, 2}, true, draws[:20]); s.table != nil {
			t.Error("a table for 20 draws")
		}
	}
}

// In the case of one sample the witness is its embedding.
func TestWitnessOfOneSample(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	x := normalRows(r, 30, 1)
	m := pooledModel(t, x, x, bke.Options{})
	p, points := params(0.4, 0.05), Grid(11, x)
	for _, noise := range []Noise{CLT, IID} {
		w, err := NewWitness(m, Sample{X: x}, Sample{}, []bke.Params{p}, Options{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Functions(t.Context(), points, 4000, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		e := newEmbedding(t, m, x, p, Options{Noise: noise})
		mean, sd := at(t, e, points)
		if d := max(worst(f.Mean, mean), worst(f.SD, sd)); d > 1e-7 {
			t.Errorf("%v: off by %v", noise, d)
		}
		joint, cov := jointly(t, e, points)
		checkMoments(t, noise.String(), f.Values, joint, cov)
	}
}

// Exchanging the samples changes the sign, and neither the order of the rows nor the number of
// processors changes anything, to the last bit: also where a table is in use.
func TestWitnessInvariances(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	x, y := normalAndLaplace(r, 80)
	m := pooledModel(t, x, y, bke.Options{})
	draws := someDraws(r, 60)
	points := Grid(60, x, y)
	for _, o := range []Options{{}, {Noise: IID}} {
		value := func(x, y mat.Matrix) *Functions {
			f, err := newWitness(t, m, x, y, draws, o).Functions(t.Context(), points, 9, 1)
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
		if !slices.Equal(permuted.Mean, want.Mean) || !slices.Equal(permuted.SD, want.SD) ||
			!mat.Equal(permuted.Values, want.Values) {
			t.Errorf("%v: rows in another order change the result", o.Noise)
		}
		if !mat.Equal(single.Values, want.Values) || !slices.Equal(single.SD, want.SD) {
			t.Errorf("%v: the number of processors changes the result", o.Noise)
		}
	}
}

// Two samples of 100,000 rows and 200 points take far less memory than their kernel matrices, of
// 160 MB each: all that is allocated on the way, with one worker, is below 60 MB.
func TestWitnessMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 11))
	x, y := normalRows(r, 100000, 1), normalRows(r, 100000, 1)
	z := column(-1.5, -1, -0.5, 0, 0.5, 1, 1.5)
	m := newModel(t, x.Slice(0, 2000, 0, 1), z, bke.Options{})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := newWitness(t, m, x, y, someDraws(r, 4), Options{})
	f, err := w.Functions(t.Context(), Grid(200, x, y), 20, r.Uint64())
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if mb := float64(after.TotalAlloc-before.TotalAlloc) / 1e6; mb > 60 {
		t.Errorf("%.0f MB were allocated", mb)
	}
	// Half a row of 100,000 that was not seen, twice.
	if low := slices.Min(f.SD); !(low > 0.9e-5 && low < 3e-5) {
		t.Errorf("the smallest sd is %v", low)
	}
	if _, err := f.Band(0.95); err != nil {
		t.Error(err)
	}
}

func TestWitnessErrors(t *testing.T) {
	m := newModel(t, column(0, 1, 2, 3, 5), column(0.5, 1.5), bke.Options{})
	ok := column(0, 1, 2)
	good := []bke.Params{params(1, 0.1)}
	for _, c := range []struct {
		p, q  mat.Matrix
		draws []bke.Params
		o     Options
		want  string
	}{
		{column(math.NaN(), 1), ok, good, Options{}, "p is NaN in row 1"},
		{ok, column(1), good, Options{}, "q has 1 row"},
		{ok, ok, nil, Options{}, "no draws"},
		{ok, ok, []bke.Params{good[0], params(1, math.NaN())}, Options{},
			"tau2 = NaN, eta = 0, want positive, finite numbers (draw 2, counted from 1)"},
		{ok, ok, good, Options{Noise: -1}, "noise is Noise(-1)"},
	} {
		_, err := NewWitness(m, Sample{X: c.p}, Sample{X: c.q}, c.draws, c.o)
		wantError(t, err, c.want)
	}
	w := newWitness(t, m, ok, ok, good, Options{})
	post, err := w.At(t.Context(), ok)
	if err != nil {
		t.Fatal(err)
	}
	good[0].Theta[0] = 7 // the witness has its own copy
	if again, err := w.At(t.Context(), ok); err != nil || !slices.Equal(post.SD, again.SD) {
		t.Error("the draws were not copied", err)
	}
	good[0].Theta[0] = 1
	_, err = w.At(t.Context(), nil)
	wantError(t, err, "points is nil")
	_, err = w.Functions(t.Context(), ok, 0, 1)
	wantError(t, err, "0 functions asked for")
	w = newWitness(t, m, ok, ok, []bke.Params{good[0], params(1e-3, 1)}, Options{})
	_, err = w.At(t.Context(), ok)
	wantError(t, err, "is 0 at theta = [0.001]")
}

func TestWitnessEndsWithItsContext(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x, y := normalAndLaplace(r, 40)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, o := range []Options{{}, {Noise: IID}} {
		w := newWitness(t, pooledModel(t, x, y, bke.Options{}), x, y, someDraws(r, 60), o)
		if _, err := w.At(ctx, Grid(20, x, y)); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: At: error is %v, want that of the context", o.Noise, err)
		}
		if _, err := w.Functions(ctx, Grid(20, x, y), 3, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: Functions: error is %v, want that of the context", o.Noise, err)
		}
	}
}
