package bke

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/bke/inputs"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func newModel(t *testing.T, x, z mat.Matrix, o Options) *Model {
	t.Helper()
	m, err := NewModel(x, z, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Rows and pseudo-inputs at 0 and 1: with u = 1/(2 theta²) the margin is log(u/(e^u-1)), negative at
// every theta. It takes three lines: gamma is a constant times e^-u/theta², the variance of the
// kernel one times (1-e^-u)².
func TestMarginOfTwoPoints(t *testing.T) {
	m := newModel(t, column(0, 1, 1, 0, 1), column(0, 1), Options{})
	for _, theta := range []float64{1e-3, 0.05, 0.3, 1, 6.3, 100, 1e4, 1e7} {
		u := 1 / (2 * theta * theta)
		want := math.Log(u) - u - math.Log(-math.Expm1(-u))
		got := m.Doubling([]float64{theta})
		if math.Abs(got.Margin-want) > 1e-12+1e-13*math.Abs(want) {
			t.Errorf("theta = %v: margin %v, want %v", theta, got.Margin, want)
		}
		if !got.Wanted || len(got.Reasons) == 0 {
			t.Errorf("theta = %v: no doubling on two-point data", theta)
		}
	}
}

// naiveOmega is Evaluator.Omega at f = 1 by its definition, for D = 2 and a theta at which nothing underflows.
func naiveOmega(x, z *mat.Dense, theta []float64) float64 {
	n, _ := x.Dims()
	m, _ := z.Dims()
	k := mat.NewDense(n, m, nil)
	logs := 0.0
	for i := range n {
		g := mat.NewSymDense(2, nil)
		for l := range m {
			a := (x.At(i, 0) - z.At(l, 0)) / theta[0]
			b := (x.At(i, 1) - z.At(l, 1)) / theta[1]
			k.Set(i, l, math.Exp(-(a*a+b*b)/2))
			w := k.At(i, l) * k.At(i, l)
			a, b = a/theta[0], b/theta[1]
			g.SetSym(0, 0, g.At(0, 0)+w*a*a)
			g.SetSym(0, 1, g.At(0, 1)+w*a*b)
			g.SetSym(1, 1, g.At(1, 1)+w*b*b)
		}
		logs += math.Log(mat.Det(g)) / 2
	}
	v := 0.0
	for l := range m {
		v += stat.PopVariance(mat.Col(nil, l, k), nil) / float64(m)
	}
	return logs/float64(n) - math.Log(v)
}

func TestProfileByItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x, z := randomRows(r, 25, 2), randomRows(r, 6, 2)
	iso, ard := newModel(t, x, z, Options{}), newModel(t, x, z, Options{ARD: true, Weight: 1})
	for _, theta := range []float64{0.5, 1, 3} {
		want := naiveOmega(x, z, []float64{theta, theta})
		if got := iso.Evaluator().Omega([]float64{theta}, 1); math.Abs(got-want) > 1e-10 {
			t.Errorf("theta = %v: %v, want %v", theta, got, want)
		}
		want = naiveOmega(x, z, []float64{theta, 2})
		if got := ard.Evaluator().Omega([]float64{theta, 2}, 1); math.Abs(got-want) > 1e-10 {
			t.Errorf("theta = (%v, 2): %v, want %v", theta, got, want)
		}
	}
}

// The gap of the profile at t theta from the plateau goes like t^-2: doubling t divides it by 4, to
// the next order, in any dimension, with one lengthscale and with several, wherever the origin is.
func TestProfileTendsToThePlateau(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for dim := 1; dim <= 5; dim++ {
		for _, offset := range []float64{0, 1000} {
			x, z := randomRows(r, 20, dim), randomRows(r, dim+4, dim)
			for _, a := range []*mat.Dense{x, z} {
				a.Apply(func(_, _ int, v float64) float64 { return v + offset }, a)
			}
			iso, ard := newModel(t, x, z, Options{}), newModel(t, x, z, Options{ARD: true})
			theta := []float64{1, 0.5, 3, 2, 0.7}[:dim]
			gap := func(m *Model, theta []float64, s float64) float64 {
				scaled := make([]float64, len(theta))
				for a, v := range theta {
					scaled[a] = s * v
				}
				limit := m.plateau(theta, nil)
				if l := m.plateau(scaled, nil); math.Abs(l-limit) > 1e-9 {
					t.Errorf("D = %d: the limit along a ray is %v and %v", dim, limit, l)
				}
				return m.Evaluator().Omega(scaled, 1) - limit
			}
			for name, f := range map[string]func(s float64) float64{
				"isotropic": func(s float64) float64 { return gap(iso, []float64{1}, s) },
				"ARD":       func(s float64) float64 { return gap(ard, theta, s) },
			} {
				if ratio := f(200) / f(400); math.Abs(ratio-4) > 2e-2 {
					t.Errorf("D = %d, %s: gaps %v and %v, ratio %v, want 4",
						dim, name, f(200), f(400), ratio)
				}
			}
		}
	}
}

// gives reports whether one of the reasons begins with these words.
func gives(d Doubling, words string) bool {
	return slices.ContainsFunc(d.Reasons, func(s string) bool {
		return strings.HasPrefix(s, words)
	})
}

// Each criterion alone, on data that call for it and on data that do not.
func TestDoublingCriteria(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := randomRows(r, 200, 2)
	in := choose(t, x, inputs.Options{})
	m := newModel(t, x, in.Z, Options{})
	if d := m.Doubling([]float64{0.7}); d.Wanted || d.Reasons != nil || d.Margin < 0.1 ||
		d.Uncovered > 0 || math.Abs(d.ThetaRatio-0.7/math.Sqrt2/m.pooledSD) > 1e-12 {
		t.Errorf("normal data at a sensible theta: %+v", d)
	}
	if d := m.Doubling([]float64{3.1 * math.Sqrt2 * m.pooledSD}); !d.Wanted ||
		!strings.Contains(d.Reasons[0], "theta is 3.1 times") {
		t.Errorf("large theta: %+v", d)
	}
	if d := m.Doubling([]float64{2.9 * math.Sqrt2 * m.pooledSD}); d.ThetaRatio > 3 ||
		gives(d, "theta is") {
		t.Errorf("theta below the limit: %+v", d)
	}
	// The margin falls to 0 as theta grows; on either side of its limit.
	for _, margin := range []float64{0.09, 0.11} {
		lo, hi := 0.7, 1e3
		for range 60 {
			mid := math.Sqrt(lo * hi)
			if m.Doubling([]float64{mid}).Margin > margin {
				lo = mid
			} else {
				hi = mid
			}
		}
		d := m.Doubling([]float64{lo})
		if math.Abs(d.Margin-margin) > 1e-9 || gives(d, "The fit is") != (margin < 0.1) {
			t.Errorf("margin %v: %+v", margin, d)
		}
	}
	// Eleven rows in 200 far from every pseudo-input but one, which is there twice, then ten.
	for _, far := range []int{11, 10} {
		y := mat.DenseCopyOf(x)
		for i := range far {
			y.Set(i, 0, 40)
			y.Set(i, 1, 0)
		}
		var z mat.Dense
		z.Stack(in.Z, mat.NewDense(2, 2, []float64{41, 0, 41, 0}))
		d := newModel(t, y, &z, Options{}).Doubling([]float64{1})
		if math.Abs(d.Uncovered-float64(far)/200) > 1e-15 ||
			gives(d, "5.5% of the rows have fewer than D = 2 ") != (far == 11) ||
			gives(d, "5% of the rows") {
			t.Errorf("%d rows far out: %+v", far, d)
		}
	}
}

// With several lengthscales the largest, each in units of its own column, counts.
func TestDoublingWithSeveralLengthscales(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	x, z := randomRows(r, 100, 2), randomRows(r, 30, 2)
	for _, a := range []*mat.Dense{x, z} {
		n, _ := a.Dims()
		for i := range n {
			a.Set(i, 1, 1e6*a.At(i, 1))
		}
	}
	m := newModel(t, x, z, Options{ARD: true})
	sd := rows.SDs(x.RawMatrix().Data, 2)
	d := m.Doubling([]float64{0.8, 2 * math.Sqrt2 * sd[1]})
	if math.Abs(d.ThetaRatio-2) > 1e-12 || d.Uncovered > 0.05 {
		t.Errorf("%+v, want a ratio of 2", d)
	}
	// Rows in units of their theta, with one lengthscale of 1, have the same margin.
	theta := []float64{0.8, 1.2e6}
	for _, a := range []*mat.Dense{x, z} {
		a.Apply(func(_, j int, v float64) float64 { return v / theta[j] }, a)
	}
	one := newModel(t, x, z, Options{}).Doubling([]float64{1})
	if got := m.Doubling(theta); math.Abs(got.Margin-one.Margin) > 1e-9 || one.Margin < 0.1 {
		t.Errorf("margin %v, want %v as in units of theta", got.Margin, one.Margin)
	}
}

// A cluster needs about D pseudo-inputs of its own. Nine clusters with five in all call for more at
// the theta that the data prefer; with 72 they do not.
func TestDoublingOfClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	x := randomRows(r, 360, 2)
	for i := range 360 {
		x.Set(i, 0, x.At(i, 0)+10*float64(i%3))
		x.Set(i, 1, x.At(i, 1)+10*float64(i/3%3))
	}
	for _, number := range []int{5, 72} {
		in := choose(t, x, inputs.Options{Number: number, Seed: 1})
		m := newModel(t, x, in.Z, Options{})
		best, at := math.Inf(-1), 0.0
		for theta := 0.1; theta < 1000; theta *= 1.1 {
			if v := m.Evaluator().Omega([]float64{theta}, 1); v > best {
				best, at = v, theta
			}
		}
		if d := m.Doubling([]float64{at}); d.Wanted != (number == 5) {
			t.Errorf("%d pseudo-inputs, theta %v: %+v", number, at, d)
		}
	}
}

func TestNearestOther(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for trial := range 100 {
		dim, m := 1+r.IntN(4), 1+r.IntN(12)
		x, z := randomRows(r, 9, dim), randomRows(r, m, dim)
		z.SetRow(0, x.RawRowView(4))
		theta := []float64{0.5, 2, 1, 3}[:dim]
		k := 1 + trial%3
		got := rows.NearestOther(x.RawMatrix().Data, z.RawMatrix().Data, dim, k, theta, nil)
		for i := range 9 {
			var d []float64
			for l := range m {
				s := 0.0
				for a := range dim {
					s += math.Pow((x.At(i, a)-z.At(l, a))/theta[a], 2)
				}
				if s > 0 {
					d = append(d, math.Sqrt(s))
				}
			}
			slices.Sort(d)
			want := math.Inf(1)
			if k <= len(d) {
				want = d[k-1]
			}
			if got[i] != want && math.Abs(got[i]-want) > 1e-14*want {
				t.Fatalf("row %d: %v, want %v", i, got[i], want)
			}
		}
	}
}
