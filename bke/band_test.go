package bke

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// mixtureOf is a posterior at one point with the given components.
func mixtureOf(means, sds []float64) *Pointwise {
	p := newPointwise(column(0), 1, len(means))
	copy(p.means, means)
	copy(p.sds, sds)
	p.summarise()
	return p
}

func TestMixtureQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	cases := [][2][]float64{
		{{0.3}, {2}}, {{0, 1}, {1, 1}}, {{-5, 5}, {0.1, 0.1}}, {{-100, 100}, {1e-3, 1e-3}},
		{{0, 0, 0}, {1e-3, 1, 1e2}}, {{0, 900}, {1, 1e-6}}, {{1, 1, 1, -900}, {1e-8, 1, 1, 1}},
	}
	for range 20 {
		var means, sds []float64
		for range 1 + r.IntN(30) {
			means = append(means, 3*r.NormFloat64())
			sds = append(sds, math.Exp(2*r.NormFloat64()))
		}
		cases = append(cases, [2][]float64{means, sds})
	}
	for _, c := range cases {
		p := mixtureOf(c[0], c[1])
		for _, level := range []float64{1e-6, 0.01, 0.1, 0.25, 0.4999, 0.5, 0.7, 0.9, 0.999} {
			got, want := p.Quantile(level)[0], bisected(c[0], c[1], level)
			if !(math.Abs(got-want) <= 1e-9*p.SD[0]) {
				// Where the density is next to nothing bisection stops anywhere; the level counts.
				near(t, fmt.Sprint("level of a quantile of ", c), mixtureCDF(c[0], c[1], got), level,
					1e-13)
			}
		}
		near(t, "probability", p.Positive()[0], 1-mixtureCDF(c[0], c[1], 0), 1e-14)
	}
}

// The far tails of one Gaussian: quantiles from tables of the normal distribution.
func TestMixtureTails(t *testing.T) {
	p := mixtureOf([]float64{1, 1}, []float64{2, 2})
	near(t, "q(1e-12)", p.Quantile(1e-12)[0], 1-2*7.034483825301131, 1e-12)
	near(t, "q(0.1)", p.Quantile(0.1)[0], 1-2*1.2815515655446004, 1e-13)
	near(t, "q(0.975)", p.Quantile(0.975)[0], 1+2*1.959963984540054, 1e-13)
	if q := p.Quantile(0)[0]; !math.IsInf(q, -1) {
		t.Error(q)
	}
	if q := p.Quantile(1)[0]; !math.IsInf(q, 1) {
		t.Error(q)
	}
	for _, level := range []float64{-0.1, 1.1, math.NaN()} {
		if q := p.Quantile(level)[0]; !math.IsNaN(q) {
			t.Error(level, q)
		}
	}
}

// Components without spread.
func TestMixtureOfPoints(t *testing.T) {
	p := mixtureOf([]float64{-1, 0, 2, 3}, []float64{0, 0, 0, 0})
	for _, c := range []struct{ level, want float64 }{{0.1, -1}, {0.4, 0}, {0.6, 2}, {0.9, 3}} {
		near(t, fmt.Sprint("level ", c.level), p.Quantile(c.level)[0], c.want, 1e-10)
	}
	near(t, "probability", p.Positive()[0], 5.0/8, 0)
	p = mixtureOf([]float64{2, 2}, []float64{0, 0})
	near(t, "a single point", p.Quantile(0.3)[0], 2, 0)
}

// Mixtures on which Newton's method stands still, jumps across a spike, or goes to and fro between
// neighbouring numbers.
func TestMixtureSpikes(t *testing.T) {
	for _, c := range []struct {
		means, sds []float64
		level      float64
		lo, hi     float64 // what is between the two is right
	}{
		{[]float64{-1.0567489189095737e6, -1.0567489189095737e6},
			[]float64{0.038425589821519425, 0}, 0.75, -1.05674891890958e6, -1.05674891890957e6},
		{[]float64{-0.2, 5e-5, 6e-5, 3e-3, 8200}, []float64{4e-19, 0, 2e-21, 1e-18, 0.04}, 0.25,
			5e-5 - 1e-9, 5e-5 + 1e-9},
		{[]float64{3, 3, -2e-3, -0.5, 4e-8, 0.05}, []float64{0, 0.5, 0, 0, 0, 5e-8}, 0.5,
			4e-8 - 1e-12, 0.05},
	} {
		got := mixtureOf(c.means, c.sds).Quantile(c.level)[0]
		if !(got >= c.lo && got <= c.hi) {
			t.Errorf("%v, level %v: %v, want it between %v and %v", c, c.level, got, c.lo, c.hi)
		}
	}
}

// Whole functions against the covariances of the two embeddings, at a single draw; and the exact
// mean of the discrepancy. 6 standard errors: a reseed fails one of 50 comparisons with probability
// 1e-7 in all.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	x, y := normalRows(r, 40, 1), normalRows(r, 60, 1)
	m := pooledModel(t, x, y, Options{})
	p := Params{Theta: []float64{0.4}, Tau2: 0.1}
	at := column(-2, -0.5, 0, 0.2, 1.5)
	for _, noise := range []Noise{CLT, IID} {
		w, err := NewWitness(m, x, y, []Params{p}, WitnessOptions{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Functions(at, 4000, r)
		if err != nil {
			t.Fatal(err)
		}
		var cov [2]*mat.SymDense
		for k, s := range []*mat.Dense{x, y} {
			e, err := m.Embedding(s, p, EmbeddingOptions{Noise: noise})
			if err != nil {
				t.Fatal(err)
			}
			if _, cov[k], err = e.Joint(at); err != nil {
				t.Fatal(err)
			}
		}
		cov[0].AddSym(cov[0], cov[1])
		checkMoments(t, noise.String(), f.Values, f.Mean, cov[0])
		weights := []float64{1, 2, 0, 0.5, 1}
		mean, square := 0.0, 0.0
		for _, v := range f.MMD2(weights) {
			mean += v / 4000
			square += v * v / 4000
		}
		near(t, "mean discrepancy", mean, f.MeanMMD2(weights),
			6*math.Sqrt((square-mean*mean)/4000))
		want := 0.0
		for j, weight := range weights {
			want += weight * (f.Mean[j]*f.Mean[j] + cov[0].At(j, j))
		}
		near(t, "exact mean discrepancy", f.MeanMMD2(weights), want, 1e-9)
	}
}

// Every draw of the hyperparameters is used equally often, or at even distances.
func TestFunctionsUseAllDraws(t *testing.T) {
	x := column(0, 1, 2, 3, 4)
	m := newModel(t, x, column(0.5, 2.5), Options{})
	for _, c := range []struct {
		draws, functions int
		want             string
	}{
		{3, 6, "[0 0 1 1 2 2]"}, {3, 3, "[0 1 2]"}, {4, 2, "[0 2]"}, {1, 3, "[0 0 0]"},
		{2, 5, "[0 0 0 1 1]"},
	} {
		var ps []Params
		for i := range c.draws {
			ps = append(ps, Params{Theta: []float64{1 + float64(i)}, Tau2: 1e-9})
		}
		w, err := NewWitness(m, x, column(2, 3, 4), ps, WitnessOptions{Noise: IID})
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Functions(column(3), c.functions, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var from []int // which draw's mean is nearest: the noise is next to nothing
		for i := range c.functions {
			best := 0
			for k := range c.draws {
				if math.Abs(f.means[k]-f.Values.At(i, 0)) < math.Abs(f.means[best]-f.Values.At(i, 0)) {
					best = k
				}
			}
			from = append(from, best)
		}
		if s := fmt.Sprint(from); s != c.want {
			t.Errorf("%+v: %s", c, s)
		}
	}
}

// A simultaneous band holds exactly the share of the draws that its level says, and at a single
// point it is the interval Mean ± 1.28 SD: 5 standard errors of an empirical quantile.
func TestSimultaneousBand(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	x, y := normalRows(r, 40, 1), normalRows(r, 60, 1)
	m := pooledModel(t, x, y, Options{})
	w, err := NewWitness(m, x, y, someDraws(r, 10), WitnessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.Functions(Grid(40, x, y), 500, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []float64{0.5, 0.8, 0.801, 0.95} { // 400.5 draws are 401
		b, err := f.Band(level)
		if err != nil {
			t.Fatal(err)
		}
		inside := 0
		for i := range 500 {
			ok := true
			for j, v := range f.Values.RawRowView(i) {
				slack := 1e-12 * f.SD[j] // one draw touches
				ok = ok && v >= b.Lower[j]-slack && v <= b.Upper[j]+slack
			}
			if ok {
				inside++
			}
		}
		if want := int(math.Ceil(level * 500)); inside != want {
			t.Errorf("level %v: %d of 500 draws inside, want %d", level, inside, want)
		}
		point, err := f.Pointwise.Band(level)
		if err != nil {
			t.Fatal(err)
		}
		for j := range point.Lower {
			means, sds := f.component(j)
			near(t, "lower level", mixtureCDF(means, sds, point.Lower[j]), (1-level)/2, 1e-9)
			near(t, "upper level", mixtureCDF(means, sds, point.Upper[j]), (1+level)/2, 1e-9)
		}
		if b.Upper[20]-b.Lower[20] <= point.Upper[20]-point.Lower[20] {
			t.Error("a simultaneous band is narrower than the pointwise one")
		}
	}
	single, err := NewWitness(m, x, y, someDraws(r, 1), WitnessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if f, err = single.Functions(column(0), 10000, r); err != nil {
		t.Fatal(err)
	}
	b, err := f.Band(0.8)
	if err != nil {
		t.Fatal(err)
	}
	// The density of |z| at 1.2816 is 0.351.
	near(t, "c", (b.Upper[0]-f.Mean[0])/f.SD[0], 1.2816, 5*math.Sqrt(0.8*0.2/1e4)/0.351)
	for _, level := range []float64{0, 1, math.NaN(), 80} {
		_, err := f.Band(level)
		wantError(t, err, "level of a band")
		_, err = f.Pointwise.Band(level)
		wantError(t, err, "level of a band")
	}
}

// A draw has its variance where that is small beside the prior's, too, which is all of it at 40.
func TestDrawsLackNoVariance(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	x := normalRows(r, 4000, 1)
	p := Params{Theta: []float64{0.4}, Tau2: 0.05}
	e, err := pooledModel(t, x, x, Options{}).Embedding(x, p, EmbeddingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := column(-2, -1, -0.5, 0, 0.5, 1, 2, 40)
	if _, err = e.Draws(at, 1, r); err != nil {
		t.Fatal(err)
	}
	_, sd, err := e.At(at)
	if err != nil {
		t.Fatal(err)
	}
	for j, s := range sd {
		sum := 0.0
		for k := range e.tri.Pivots {
			sum += math.Pow(e.tri.Columns()[k*len(sd)+j], 2)
		}
		nearly(t, fmt.Sprint("variance of draws at ", at.At(j, 0)), sum, s*s, 1e-3)
	}
}

// Far from the mass of nu the prior variance underflows, before the covariances with it do: the
// band is of no width there, and stays finite elsewhere.
func TestBandWherePriorVanishes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	x, y := normalRows(r, 40, 1), normalRows(r, 60, 1)
	m := pooledModel(t, x, y, Options{Nu: Gaussian})
	at := column(0, 1, 4, 22, 24, 26, 27, 28, 29, 30, 54, 57, 60, 64, 1e200)
	for k := range 4 {
		noise, theta := []Noise{CLT, IID}[k%2], []float64{0.5, 2}[k/2]
		p := Params{Theta: []float64{theta}, Tau2: 0.1, Eta: 0.7}
		w, err := NewWitness(m, x, y, []Params{p, p}, WitnessOptions{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Functions(at, 50, r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.Band(0.8)
		if err != nil {
			t.Fatal(err)
		}
		for j := range b.Lower {
			if c := (b.Upper[j] - f.Mean[j]) / f.SD[j]; f.SD[j] > 0 && !(c > 0 && c < 10) {
				t.Errorf("%v: at %v the band is %v standard deviations wide", noise, at.At(j, 0), c)
			}
			if f.SD[j] == 0 && (b.Lower[j] != 0 || b.Upper[j] != 0) {
				t.Errorf("%v: at %v from %v to %v", noise, at.At(j, 0), b.Lower[j], b.Upper[j])
			}
		}
		if b, err = f.Pointwise.Band(0.8); err != nil {
			t.Fatal(err)
		}
		for j, sign := range b.Excludes()[3:] {
			if sign != 0 {
				t.Errorf("%v: at %v, where there are no data, the sign is %d", noise, at.At(j+3, 0),
					sign)
			}
		}
	}
}

// The squared L2(rho) norm of the difference of two empirical embeddings is the squared MMD with
// the kernel r(x, y) = sum_j w_j k(x, t_j) k(t_j, y): the claim of the comment of MMD2.
func TestMMD2IsADiscrepancy(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	x, y, at := normalRows(r, 12, 2), normalRows(r, 9, 2), normalRows(r, 15, 2)
	var g pairs
	g.set(Unit, 2, Params{Theta: []float64{0.8}})
	mean := func(rows *mat.Dense) []float64 {
		n, _ := rows.Dims()
		k := make([]float64, 15*n)
		g.kernel(k, at.RawMatrix().Data, rows.RawMatrix().Data)
		out := make([]float64, 15)
		for i, v := range k {
			out[i/n] += v / float64(n)
		}
		return out
	}
	f := &Functions{Pointwise: newPointwise(at, 15, 1), Values: mat.NewDense(1, 15, nil)}
	weights := make([]float64, 15)
	mx, my := mean(x), mean(y)
	for j := range weights {
		weights[j] = r.Float64()
		f.Values.Set(0, j, mx[j]-my[j])
	}
	average := func(a, b *mat.Dense) float64 {
		sum := 0.0
		for _, u := range rowsOf(a) {
			for _, v := range rowsOf(b) {
				for j, s := range rowsOf(at) {
					sum += weights[j] * math.Exp(-(sq(rows.Distance(u, s))+sq(rows.Distance(v, s)))/2/0.64)
				}
			}
		}
		return sum / float64(len(rowsOf(a))*len(rowsOf(b)))
	}
	near(t, "MMD²", f.MMD2(weights)[0], average(x, x)+average(y, y)-2*average(x, y), 1e-13)
	for j := range weights {
		weights[j] = 1.0 / 15
	}
	near(t, "default", f.MMD2(nil)[0], f.MMD2(weights)[0], 1e-15)
}

func TestBandExcludes(t *testing.T) {
	b := &Band{
		Points: column(5, 1, 2, 3, 4, 6, 7, 8),
		Lower:  []float64{-2, 1, 1, -1, -2, 0, 1, -1},
		Upper:  []float64{-1, 2, 2, 1, -1, 1, 2, -0.5},
	}
	if got, want := b.Excludes(), []int{-1, 1, 1, 0, -1, 0, 1, -1}; !slices.Equal(got, want) {
		t.Errorf("excludes %v, want %v", got, want)
	}
	near(t, "share", b.Share(), 6.0/8, 0)
	want := []Interval{{1, 2, 1}, {4, 5, -1}, {7, 7, 1}, {8, 8, -1}}
	if got := b.Intervals(); !slices.Equal(got, want) {
		t.Errorf("intervals %v, want %v", got, want)
	}
	b = &Band{Points: column(1), Lower: []float64{-1}, Upper: []float64{1}}
	if b.Share() != 0 || b.Intervals() != nil {
		t.Error("a band around zero excludes it")
	}
}

func sq(x float64) float64 { return x * x }

func column(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }
