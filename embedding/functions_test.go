package embedding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/bke"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func TestGrid(t *testing.T) {
	g := Grid(3, column(1, 5), column(-3, 2))
	if !mat.Equal(g, column(-3, 1, 5)) {
		t.Error(mat.Formatted(g))
	}
	g = Grid(2, mat.NewDense(2, 2, []float64{0, 1, 2, 7}), mat.NewDense(1, 2, []float64{1, -1}))
	if !mat.Equal(g, mat.NewDense(4, 2, []float64{0, -1, 0, 7, 2, -1, 2, 7})) {
		t.Error(mat.Formatted(g))
	}
}

// Certainty is the level at which the simultaneous band begins to hold zero everywhere.
func TestCertainty(t *testing.T) {
	f := &Functions{Pointwise: newPointwise(mat.NewDense(2, 1, []float64{0, 1}), 2, 1)}
	f.Mean, f.SD = []float64{1, -3}, []float64{1, 2}
	// In units of SD the means are 1 and 1.5 from zero, and the draws are 0.5, 1, 2 and 1.4 from
	// the means.
	f.Values = mat.NewDense(4, 2, []float64{1.5, -3, 1, -5, 3, -3, 1, -0.2})
	if c := f.Certainty(); c != 0.75 {
		t.Errorf("certainty %v, want 0.75", c)
	}
	for _, c := range []struct {
		level    float64
		excludes bool
	}{{0.74, true}, {0.76, false}} {
		b, err := f.Band(c.level)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Share() > 0; got != c.excludes {
			t.Errorf("band of level %v excludes zero: %v, want %v", c.level, got, c.excludes)
		}
	}
}

// A simultaneous band holds exactly the share of the draws that its level says, and at a single
// point it is the interval Mean ± 1.28 SD: 5 standard errors of an empirical quantile.
func TestSimultaneousBand(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	x, y := normalRows(r, 40, 1), normalRows(r, 60, 1)
	m := pooledModel(t, x, y, bke.Options{})
	w, err := NewWitness(m, Sample{X: x}, Sample{X: y}, someDraws(r, 10), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.Functions(t.Context(), Grid(40, x, y), 500, r.Uint64())
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
			m := f.component(j)
			means, sds := m.Means, m.SDs
			near(t, "lower level", mixtureCDF(means, sds, point.Lower[j]), (1-level)/2, 1e-9)
			near(t, "upper level", mixtureCDF(means, sds, point.Upper[j]), (1+level)/2, 1e-9)
		}
		if b.Upper[20]-b.Lower[20] <= point.Upper[20]-point.Lower[20] {
			t.Error("a simultaneous band is narrower than the pointwise one")
		}
	}
	single, err := NewWitness(m, Sample{X: x}, Sample{X: y}, someDraws(r, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f, err = single.Functions(t.Context(), column(0), 10000, r.Uint64()); err != nil {
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

// A band over some of the points is the band of the functions at these alone, and says nothing of the
// others.
func TestBandOver(t *testing.T) {
	f := &Functions{Pointwise: newPointwise(column(0, 1, 2), 3, 1)}
	f.Mean, f.SD = []float64{1, -3, 0}, []float64{1, 2, 1}
	f.Values = mat.NewDense(2, 3, []float64{1.5, -3, 9, 3, -4, 7}) // largest .5 and 2, or 9 and 7
	for _, c := range []struct {
		over  []bool
		level float64
		c     float64
	}{{[]bool{true, true, false}, 0.5, 0.5}, {[]bool{true, true, false}, 0.9, 2},
		{[]bool{false, true, false}, 0.9, 0.5}, {[]bool{true, true, true}, 0.9, 9}} {
		b, err := f.BandOver(c.level, c.over)
		if err != nil {
			t.Fatal(err)
		}
		for j, m := range f.Mean {
			lower, upper := m-c.c*f.SD[j], m+c.c*f.SD[j]
			if !c.over[j] {
				lower, upper = math.Inf(-1), math.Inf(1)
			}
			if b.Lower[j] != lower || b.Upper[j] != upper {
				t.Errorf("%+v: point %d from %v to %v", c, j, b.Lower[j], b.Upper[j])
			}
		}
	}
	// An interval does not reach into a part of which nothing is said.
	f.Mean = []float64{3, -3, 0}
	b, err := f.BandOver(0.5, []bool{true, false, true})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Intervals(); len(got) != 0 { // 3 standard deviations, where 7 are wanted
		t.Error(got)
	}
	f.Values = mat.NewDense(2, 3, []float64{3.5, 0, 0.1, 3.6, 0, 0.1})
	if b, err = f.BandOver(0.9, []bool{true, false, true}); err != nil {
		t.Fatal(err)
	}
	if got := b.Intervals(); len(got) != 1 || got[0] != (Interval{0, 0, 1}) {
		t.Error(got)
	}
}

// Of many draws 250 or a quarter of the functions are used, at even distances.
func TestFunctionsShareDraws(t *testing.T) {
	for _, c := range []struct{ draws, functions, used, from, to int }{
		{1000, 1000, 250, 4, 4}, {1000, 2000, 500, 4, 4}, {1000, 100, 100, 1, 1}, {300, 500, 250, 2, 2}, {200, 1000, 200, 5, 5},
		{7, 1000, 7, 142, 143}, {1000, 0, 0, 0, 0},
	} {
		of := shareOut(c.functions, c.draws)
		used, last := 0, -1
		for i := range c.draws {
			switch n := of[i+1] - of[i]; {
			case n == 0:
				continue
			case n < c.from || n > c.to:
				t.Errorf("%+v: draw %d has %d functions", c, i, n)
			}
			if most := (c.draws + c.used - 1) / c.used; last >= 0 && i-last > most {
				t.Errorf("%+v: none of the draws from %d to %d is used", c, last+1, i-1)
			}
			used, last = used+1, i
		}
		if used != c.used || of[0] != 0 || of[c.draws] != c.functions {
			t.Errorf("%+v: %d draws are used, for the functions from %d to %d", c, used, of[0], of[c.draws])
		}
	}
}

// Every draw of the hyperparameters is used equally often, or at even distances.
func TestFunctionsUseAllDraws(t *testing.T) {
	x := column(0, 1, 2, 3, 4)
	m := newModel(t, x, column(0.5, 2.5), bke.Options{})
	for _, c := range []struct {
		draws, functions int
		want             string
	}{
		{3, 6, "[0 0 1 1 2 2]"}, {3, 3, "[0 1 2]"}, {4, 2, "[0 2]"}, {1, 3, "[0 0 0]"},
		{2, 5, "[0 0 0 1 1]"},
	} {
		var ps []bke.Params
		for i := range c.draws {
			ps = append(ps, bke.Params{Theta: []float64{1 + float64(i)}, Tau2: 1e-9})
		}
		w, err := NewWitness(m, Sample{X: x}, Sample{X: column(2, 3, 4)}, ps, Options{Noise: IID})
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Functions(t.Context(), column(3), c.functions, 1)
		if err != nil {
			t.Fatal(err)
		}
		var from []int // which draw's mean is nearest: the noise is next to nothing
		for i := range c.functions {
			best, off := 0, func(k int) float64 { return math.Abs(f.means[k] - f.Values.At(i, 0)) }
			for k := range c.draws {
				if off(k) < off(best) {
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

// Whole functions against the covariances of the two embeddings, at a single draw; and the exact
// mean of the discrepancy. 6 standard errors: a reseed fails one of 50 comparisons with probability
// 1e-7 in all.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	x, y := normalRows(r, 40, 1), normalRows(r, 60, 1)
	m := pooledModel(t, x, y, bke.Options{})
	p := bke.Params{Theta: []float64{0.4}, Tau2: 0.1}
	points := column(-2, -0.5, 0, 0.2, 1.5)
	for _, noise := range []Noise{CLT, IID} {
		w, err := NewWitness(m, Sample{X: x}, Sample{X: y}, []bke.Params{p}, Options{Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Functions(t.Context(), points, 4000, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		ep := newEmbedding(t, m, x, p, Options{Noise: noise})
		eq := newEmbedding(t, m, y, p, Options{Noise: noise})
		mp, cov := jointly(t, ep, points)
		mq, other := jointly(t, eq, points)
		floats.Sub(mp, mq)
		cov.AddSym(cov, other)
		checkMoments(t, noise.String(), f.Values, mp, cov)
		weights := []float64{1, 2, 0, 0.5, 1}
		mean, square := 0.0, 0.0
		for _, v := range f.MMD2(weights) {
			mean += v / 4000
			square += v * v / 4000
		}
		want := 0.0
		mp, sp := at(t, ep, points)
		mq, sq := at(t, eq, points)
		for j, weight := range weights {
			want += weight * (math.Pow(mp[j]-mq[j], 2) + sp[j]*sp[j] + sq[j]*sq[j])
		}
		near(t, "mean discrepancy", mean, want, 6*math.Sqrt((square-mean*mean)/4000))
	}
}

// Far from the mass of nu the prior variance underflows, before the covariances with it do: the
// band is of no width there, and stays finite elsewhere.
func TestBandWherePriorVanishes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	x, y := normalRows(r, 40, 1), normalRows(r, 60, 1)
	m := pooledModel(t, x, y, bke.Options{Nu: bke.Gaussian})
	at := column(0, 1, 4, 22, 24, 26, 27, 28, 29, 30, 54, 57, 60, 64, 1e200)
	for k := range 4 {
		noise, theta := []Noise{CLT, IID}[k%2], []float64{0.5, 2}[k/2]
		p := bke.Params{Theta: []float64{theta}, Tau2: 0.1, Eta: 0.7}
		w := newWitness(t, m, x, y, []bke.Params{p, p}, Options{Noise: noise})
		f, err := w.Functions(t.Context(), at, 50, r.Uint64())
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
	x, y, points := normalRows(r, 12, 2), normalRows(r, 9, 2), normalRows(r, 15, 2)
	kernel := func(u, v []float64) float64 {
		return math.Exp(-((u[0]-v[0])*(u[0]-v[0]) + (u[1]-v[1])*(u[1]-v[1])) / 2 / 0.64)
	}
	f := &Functions{Pointwise: newPointwise(points, 15, 1), Values: mat.NewDense(1, 15, nil)}
	weights := make([]float64, 15)
	for j, s := range rowsOf(points) {
		weights[j] = r.Float64()
		d := 0.0
		for _, u := range rowsOf(x) {
			d += kernel(u, s) / 12
		}
		for _, u := range rowsOf(y) {
			d -= kernel(u, s) / 9
		}
		f.Values.Set(0, j, d)
	}
	average := func(a, b *mat.Dense) float64 {
		sum := 0.0
		for _, u := range rowsOf(a) {
			for _, v := range rowsOf(b) {
				for j, s := range rowsOf(points) {
					sum += weights[j] * kernel(u, s) * kernel(v, s)
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
	// Bounds as straight lines: from 2 to 3 the lower one falls from 1 to -1.
	want := []Interval{{1, 2.5, 1}, {3.5, 5.5, -1}, {6, 7.5, 1}, {7 + 2/2.5, 8, -1}}
	if got := b.Intervals(); !slices.Equal(got, want) {
		t.Errorf("intervals %v, want %v", got, want)
	}
	b = &Band{Points: column(1), Lower: []float64{-1}, Upper: []float64{1}}
	if b.Share() != 0 || b.Intervals() != nil {
		t.Error("a band around zero excludes it")
	}
}

// Intervals that touch are one, and one that holds a single point of the grid has a length.
func TestIntervalsTouch(t *testing.T) {
	for _, c := range []struct {
		points, lower []float64
		want          []Interval
	}{
		{[]float64{0, 1, 2}, []float64{-1, 1, -3}, []Interval{{0.5, 1.25, 1}}},
		{[]float64{0, 1, 2, 3, 4}, []float64{-1, 1, 0, 1, -1}, []Interval{{0.5, 3.5, 1}}},
		{[]float64{0, 1, 1, 2}, []float64{-1, 1, 1, -1}, []Interval{{0.5, 1.5, 1}}},
		{[]float64{0, 1}, []float64{2, 1}, []Interval{{0, 1, 1}}},
		{[]float64{3}, []float64{2}, []Interval{{3, 3, 1}}},
	} {
		b := &Band{Points: column(c.points...), Lower: c.lower}
		for _, v := range c.lower {
			b.Upper = append(b.Upper, v+10)
		}
		if got := b.Intervals(); !slices.Equal(got, c.want) {
			t.Errorf("%v: intervals %v, want %v", c.lower, got, c.want)
		}
	}
}
