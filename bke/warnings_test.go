package bke

import (
	"math"
	"slices"
	"strings"
	"testing"

	"bayeskernel/kernels"
	"bayeskernel/priors"

	"gonum.org/v1/gonum/mat"
)

func kinds(ws []Warning) []string {
	var k []string
	for _, w := range ws {
		k = append(k, w.Kind)
	}
	return k
}

func spread(n int, f func(i int) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

func TestWarningsOfData(t *testing.T) {
	x, z := readColumn(t, "normal_laplace", "n50_p.csv"), readColumn(t, "normal_laplace", "n50_z.csv")
	wide := mat.NewDense(len(x), 2, nil)
	wideZ := mat.NewDense(len(z), 2, nil)
	for i, v := range x {
		wide.SetRow(i, []float64{v, math.Sin(99 * v)})
	}
	for l, v := range z {
		wideZ.SetRow(l, []float64{v, math.Sin(99 * v)})
	}
	with := func(a *mat.Dense, j int, f func(row []float64) float64) *mat.Dense {
		n, d := a.Dims()
		out := mat.NewDense(n, d+1, nil)
		for i := range n {
			row := slices.Clone(a.RawRowView(i))
			out.SetRow(i, slices.Insert(row, j, f(row)))
		}
		return out
	}
	constant := func([]float64) float64 { return 7 }
	copied := func(row []float64) float64 { return row[0] }
	mixed := func(row []float64) float64 { return 3*row[0] - row[1] }
	sinh := func(row []float64) float64 { return math.Sinh(4 * row[0]) }
	cauchy := spread(200, func(i int) float64 { return math.Tan(math.Pi * (float64(i)/200 - 0.4975)) })
	for _, c := range []struct {
		name string
		x, z mat.Matrix
		o    Options
		want []string // beside the note
		says []string // in the first
	}{
		{"tame", vector(x), vector(z), Options{}, nil, nil},
		{"tame, critical weight", vector(x), vector(z), Options{Weight: 1.0 / 20}, nil, nil},
		{"tame, two columns", wide, wideZ, Options{}, nil, nil},
		{"tame, ARD", wide, wideZ, Options{ARD: true}, nil, nil},
		{"weight 1", vector(x), vector(z), Options{Weight: 1}, []string{WarnWeight},
			[]string{"is 1, above", "1/20 = 0.05", "fix tau2", "default weight of 0.045"}},
		{"weight 1, bounded", vector(x), vector(z), Options{Weight: 1, ThetaMax: 0.4},
			[]string{WarnWeight}, []string{"bound on theta, 0.4"}},
		{"weight a bit above", vector(x), vector(z), Options{Weight: 0.051}, []string{WarnWeight}, nil},
		{"weight 1, tau2 fixed", vector(x), vector(z), Options{Weight: 1, Tau2: 1}, nil, nil},
		{"two columns, weight 1/m", wide, wideZ, Options{Weight: 0.05}, nil, nil},
		{"two points", vector([]float64{0, 1, 1, 0, 1, 1, 0}), vector([]float64{0, 0.25, 0.5, 1}),
			Options{}, []string{WarnTwoPoint}, []string{"7 rows", "2 distinct", "chi-square test", "fix theta"}},
		{"three points", vector([]float64{0, 1, 2, 0, 1, 1, 2}), vector([]float64{0, 0.25, 0.5, 1}),
			Options{}, nil, nil},
		{"constant column", with(wide, 1, constant), with(wideZ, 1, constant), Options{},
			[]string{WarnRank}, []string{"column 2 constant", "rank 2 in 3 columns", "d = 2"}},
		{"copied column", with(wide, 2, copied), with(wideZ, 2, copied), Options{},
			[]string{WarnRank}, []string{"columns 1 and 3 linearly dependent"}},
		{"dependent columns", with(wide, 2, mixed), with(wideZ, 2, mixed), Options{},
			[]string{WarnRank}, []string{"columns 1, 2 and 3 linearly dependent"}},
		{"few z", vector(x), vector(z[:3]), Options{}, []string{WarnFewInputs},
			[]string{"3 distinct", "2(d+1) = 4"}},
		{"copies among z", vector(x), vector(slices.Concat(z, z[:2])), Options{},
			[]string{WarnFewInputs}, []string{"Of the 22", "20 are distinct", "give each point once"}},
		{"Cauchy", vector(cauchy), vector(spread(10, func(l int) float64 { return float64(l) - 4.5 })),
			Options{}, []string{WarnHeavyTails}, []string{"sd is", "asinh"}},
		{"heavy second column", with(vector(x), 1, sinh), with(vector(z), 1, sinh), Options{},
			[]string{WarnHeavyTails}, []string{"sd of column 2"}},
		{"all at once", vector([]float64{0, 1, 1, 0, 1}), vector([]float64{0, 1}), Options{Weight: 1},
			[]string{WarnWeight, WarnTwoPoint}, nil},
	} {
		m, err := NewModel(c.x, c.z, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		ws := m.Warnings()
		last := ws[len(ws)-1]
		if last.Kind != WarnConditional || !last.Note {
			t.Errorf("%s: the last warning is %q", c.name, last.Kind)
		}
		if power := map[int]string{1: "like 1/m,", 2: "like m^(-1/2),"}[m.Rank()]; m.Rank() > 2 ||
			!strings.Contains(last.Sentence, power) {
			t.Errorf("%s: rank %d, but %q", c.name, m.Rank(), last)
		}
		if got := kinds(ws[:len(ws)-1]); !slices.Equal(got, c.want) {
			t.Errorf("%s: warnings %v, want %v", c.name, ws, c.want)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(ws[0].String(), s) {
				t.Errorf("%s: %q does not say %q", c.name, ws[0], s)
			}
		}
	}
}

// The indicators of the levels of a category are on a plane, and have no tails, however rare a level.
func TestOneHotDataHaveNoTails(t *testing.T) {
	x := mat.NewDense(1000, 4, nil)
	for i := range 1000 {
		level := i % 2
		if i%200 == 7 {
			level = 2
		}
		x.Set(i, level, 1)
		x.Set(i, 3, math.Sin(float64(i)))
	}
	z := mat.NewDense(8, 4, nil)
	for l := range 8 {
		z.Set(l, l%3, 1)
		z.Set(l, 3, math.Cos(float64(l)))
	}
	m, err := NewModel(x, z, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := kinds(m.Warnings()); !slices.Equal(got, []string{WarnRank, WarnConditional}) {
		t.Errorf("warnings %v", m.Warnings())
	}
}

// Where every distinct row is a pseudo-input more of them are not asked for, and where one is not they are.
func TestEveryRowIsAPseudoInput(t *testing.T) {
	x := mat.NewDense(300, 3, nil)
	for i := range 300 {
		x.Set(i, i%3, 1)
	}
	z := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	for far, want := range map[bool][]string{false: {WarnRank, WarnConditional},
		true: {WarnRank, WarnFewInputs, WarnConditional}} {
		if far {
			x.SetRow(7, []float64{3, -1, -1}) // in the plane of the others
		}
		m, err := NewModel(x, z, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.DeleteFunc(kinds(m.Warnings()), func(k string) bool { return k == WarnHeavyTails }); !slices.Equal(got, want) {
			t.Errorf("a row far from them %v: warnings %v, want %v", far, got, want)
		}
		x.SetRow(7, []float64{0, 1, 0})
	}
}

// Half of the interval and more being ties, the ratio is not that to the interquartile range.
func TestTailWarningOfTies(t *testing.T) {
	x := make([]float64, 400)
	for i := range 60 {
		x[i] = float64(i)
	}
	x[60] = 1e5
	for _, w := range oneColumn(t, x, []float64{0, 1, 2, 3, 5, 8}, Options{}).Warnings() {
		if w.Kind == WarnHeavyTails {
			if !strings.Contains(w.Sentence, "or a wider interval where that is 0") {
				t.Errorf("%q", w)
			}
			return
		}
	}
	t.Error("no warning")
}

// Modes are in the order of their heights, but mass is what counts: a narrow highest mode is no
// reason not to name a broad one.
func TestSeveralModes(t *testing.T) {
	mode := func(theta, value, mass float64) Mode {
		return Mode{Params: Params{Theta: []float64{theta}}, Value: value, LogMass: mass}
	}
	for _, c := range []struct {
		name  string
		modes []Mode
		gap   float64 // NaN: no warning
		says  string
	}{
		{"one", []Mode{mode(1, 0, 0)}, math.NaN(), ""},
		{"alike", []Mode{mode(1, 0, 0), mode(7, -5, -4)}, 4, "2 modes"},
		{"far lower", []Mode{mode(1, 0, 0), mode(7, -5, -10.1)}, math.NaN(), ""},
		{"heavier", []Mode{mode(1, 0, -30), mode(7, -5, 1)}, -31, "theta = 7 is 2.9e+13 times as probable as theta = 1"},
		{"three", []Mode{mode(1, 0, 0), mode(7, -5, -30), mode(3, -6, -8), mode(5, -7, -7)}, 7,
			"3 modes that matter: theta = 5 is 0.00091 times as probable"},
	} {
		w, ok := (&Fit{Modes: c.modes}).severalModes()
		if ok == math.IsNaN(c.gap) || ok && (w.Value != c.gap || !strings.Contains(w.Sentence, c.says)) {
			t.Errorf("%s: %v %+v", c.name, ok, w)
		}
	}
}

func TestARDWarningBeginsAtThree(t *testing.T) {
	for _, ratio := range []float64{2.9, 3.1} {
		f := &Fit{Isotropic: 2, Modes: []Mode{{Params: Params{Theta: []float64{1, 2 * ratio}}}}}
		if ws := f.warnings(); (len(ws) == 1 && ws[0].Kind == WarnARD) != (ratio > 3) {
			t.Errorf("ratio %v: %v", ratio, ws)
		}
	}
}

// No user can widen the range of eta.
func TestBoundAdvice(t *testing.T) {
	f := &Fit{Modes: []Mode{{AtBound: []Bound{{Name: "eta", Value: 3, Min: 0.1, Max: 3}}}}}
	if ws := f.warnings(); len(ws) != 1 || ws[0].Kind != WarnBound ||
		!strings.Contains(ws[0].Sentence, "best eta, 3,") || strings.Contains(ws[0].Sentence, "widen") {
		t.Errorf("%v", ws)
	}
}

func TestWarningsOfFit(t *testing.T) {
	cx, cz := clusters(1.5)
	alike := oneColumn(t, cx, cz, Options{})
	six := &Priors{Theta: priors.Gamma{Shape: 6, Rate: 1}}
	// The second column is noise whose scale is 30 times larger: its own lengthscale is large too.
	x, z := mat.NewDense(60, 2, nil), mat.NewDense(10, 2, nil)
	for i := range 70 {
		row := []float64{math.Sin(float64(3 * i)), 30 * math.Cos(float64(i*i))}
		if i < 60 {
			x.SetRow(i, row)
		} else {
			z.SetRow(i-60, row)
		}
	}
	uneven, err := NewModel(x, z, Options{ARD: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		m    *Model
		s    LearnOptions
		want []string
		says []string
	}{
		{"tame", laplaceModel(t, "50", Options{}), LearnOptions{Priors: &Priors{}}, nil, nil},
		{"upper end", laplaceModel(t, "50", Options{ThetaMax: 0.1}), LearnOptions{}, []string{WarnBound},
			[]string{"theta, 0.1, is at the upper end", "use more pseudo-inputs"}},
		{"lower end", laplaceModel(t, "50", Options{ThetaMin: 0.7}), LearnOptions{}, []string{WarnBound},
			[]string{"lower end of its range, 0.7"}},
		{"runaway", laplaceModel(t, "50", Options{Weight: 1}), LearnOptions{}, []string{WarnBound},
			[]string{"lower the weight"}},
		{"two modes", alike, LearnOptions{Priors: six}, []string{WarnModes}, []string{"2 modes", "times as probable"}},
		{"two modes, one far lower", alike, LearnOptions{Priors: &Priors{}}, nil, nil},
		{"ARD, even columns", plane2(t, 60, 10, Options{ARD: true}), LearnOptions{}, nil, nil},
		{"ARD, uneven columns", uneven, LearnOptions{Priors: &Priors{}}, []string{WarnARD},
			[]string{"theta[2]", "standardize"}},
	} {
		f := learn(t, c.m, c.s)
		if got := kinds(f.Warnings); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v (modes %+v, isotropic %v)", c.name, f.Warnings, c.want, f.Modes,
				f.Isotropic)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(f.Warnings[0].Sentence, s) {
				t.Errorf("%s: %q does not say %q", c.name, f.Warnings[0], s)
			}
		}
	}
}

// A rational quadratic kernel has its prior covariance to 16 digits, which matters where tau2/n is next to
// nothing, and a squared exponential one to 32.
func TestDigitWarnings(t *testing.T) {
	x, z := vector(spread(30, func(i int) float64 { return math.Sin(float64(i)) })), vector([]float64{-1, 0, 0.5, 1})
	for _, c := range []struct {
		k    kernels.Radial
		tau2 float64
		want int
	}{{kernels.RQ{Alpha: 2}, 1e-10, 1}, {kernels.RQ{Alpha: 2}, 1e-3, 0}, {kernels.SE{}, 1e-10, 0}} {
		m, err := NewModel(x, z, Options{Kernel: c.k})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.digitWarnings(Params{Theta: []float64{1}, Tau2: c.tau2}); len(got) != c.want {
			t.Errorf("%v, tau2 = %v: %v", c.k, c.tau2, got)
		}
	}
}
