package inputs

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

func choose(t *testing.T, x mat.Matrix, o Options) *Set {
	t.Helper()
	in, err := Choose(context.Background(), x, o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func randomRows(r *rand.Rand, n, dim int) *mat.Dense {
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), "inputs: ") ||
		!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line from inputs that says %q", err, want)
	}
}

func column(v ...float64) *mat.Dense { return mat.NewDense(len(v), 1, v) }

func TestDefaultInputs(t *testing.T) {
	for _, c := range []struct{ n, dim, want int }{
		{1000, 1, 10}, {50, 1, 10}, {49, 1, 9}, {11, 1, 2}, {3, 1, 2}, {2, 1, 2},
		{1000, 2, 100}, {499, 2, 99}, {20, 2, 4}, {10, 2, 3}, {100000, 3, 100},
		{50, 10, 11}, {60, 10, 12}, {100000, 400, 401},
	} {
		if got := Default(c.n, c.dim); got != c.want {
			t.Errorf("n = %d, D = %d: %d, want %d", c.n, c.dim, got, c.want)
		}
	}
}

// numpy.quantile(x, (arange(4)+0.5)/4) of 1, 2, 4, 8, 16 by hand: positions 0.5, 1.5, 2.5, 3.5.
func TestQuantileInputs(t *testing.T) {
	x := column(16, 1, 4, 8, 2)
	in := choose(t, x, Options{Number: 4})
	if want := []float64{1.5, 3, 6, 12}; !slices.Equal(in.Z.RawMatrix().Data, want) {
		t.Errorf("quantiles %v, want %v", in.Z.RawMatrix().Data, want)
	}
	if in.Kind != Quantiles || in.Asked != 4 || !in.Fixed || in.HeldOut != nil {
		t.Errorf("%+v", in)
	}
	if got := in.Likelihood(x); got != mat.Matrix(x) {
		t.Error("quantiles took rows out of the likelihood")
	}
}

// Quantiles move with the data, and mirror with them.
func TestQuantileInputsAreEquivariant(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := randomRows(r, 37, 1)
	z := choose(t, x, Options{}).Z.RawMatrix().Data
	if len(z) != 7 || !slices.IsSorted(z) {
		t.Fatalf("default inputs %v, want 7 = 37/5 in order", z)
	}
	var y mat.Dense
	y.Scale(-4, x)
	w := choose(t, &y, Options{}).Z.RawMatrix().Data
	for i := range z {
		if want := -4 * z[len(z)-1-i]; math.Abs(w[i]-want) > 1e-15*(1+math.Abs(want)) {
			t.Errorf("mirrored quantile %v, want %v", w[i], want)
		}
	}
}

func TestQuantileInputsOfTies(t *testing.T) {
	poisson := column(3, 5, 3, 4, 4, 2, 3, 6, 4, 3, 3, 4, 5, 2, 4, 4, 3, 5, 6, 3)
	in := choose(t, poisson, Options{Number: 19})
	z := in.Z.RawMatrix().Data
	if m, _ := in.Z.Dims(); m >= 19 || in.Asked != 19 || len(rows.Distinct(z, 1)) != m {
		t.Errorf("asked for %d, got %v", in.Asked, z)
	}
	for i, v := range z[1:] {
		if v-z[i] < 0.01 {
			t.Errorf("quantiles %v and %v differ by rounding only", z[i], v)
		}
	}
	// One value has all of the quantiles.
	rare := make([]float64, 1000)
	rare[17], rare[400], rare[401] = 1, 2, 5
	in = choose(t, column(rare...), Options{})
	if m, _ := in.Z.Dims(); m < 2 {
		t.Errorf("z = %v, want at least two points", in.Z.RawMatrix().Data)
	}
}

func TestHeldOutInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := randomRows(r, 60, 2)
	x.SetRow(9, x.RawRowView(8))
	o := Options{Kind: HeldOut, Number: 20, Seed: 5}
	in := choose(t, x, o)
	rest := in.Likelihood(x)
	if n, _ := rest.Dims(); n != 40 || len(in.HeldOut) != 20 || !slices.IsSorted(in.HeldOut) {
		t.Fatalf("%d rows left, held out %v", n, in.HeldOut)
	}
	for l, i := range in.HeldOut {
		if !slices.Equal(in.Z.RawRowView(l), x.RawRowView(i)) {
			t.Errorf("pseudo-input %d is %v, want row %d", l, in.Z.RawRowView(l), i)
		}
	}
	k := 0
	for i := range 60 {
		if slices.Contains(in.HeldOut, i) {
			continue
		}
		if !slices.Equal(mat.Row(nil, k, rest), x.RawRowView(i)) {
			t.Errorf("row %d of the rest is not row %d", k, i)
		}
		k++
	}
	if again := choose(t, x, o); !slices.Equal(again.HeldOut, in.HeldOut) {
		t.Error("the same seed gives other rows")
	}
	o.Seed = 6
	if again := choose(t, x, o); slices.Equal(again.HeldOut, in.HeldOut) {
		t.Error("another seed gives the same rows")
	}
}

// Rows in another order give the same points, of every kind and for every seed, so that the points
// cannot favour the sample that comes first.
func TestInputsDoNotDependOnTheOrderOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{60, 5000 + 100} {
		for dim := 1; dim <= 2; dim++ {
			x := randomRows(r, n, dim)
			x.SetRow(7, x.RawRowView(3))
			y := mat.NewDense(n, dim, nil)
			for i, p := range r.Perm(n) {
				y.SetRow(i, x.RawRowView(p))
			}
			for _, kind := range []Kind{Auto, KMeans, HeldOut} {
				o := Options{Kind: kind, Number: 12, Seed: uint64(dim)}
				a, b := choose(t, x, o), choose(t, y, o)
				if !slices.Equal(rows.Sort(a.Z.RawMatrix().Data, dim), rows.Sort(b.Z.RawMatrix().Data, dim)) {
					t.Errorf("n = %d, D = %d, %v: other points for rows in another order", n, dim, a.Kind)
				}
				for l, i := range b.HeldOut {
					if !slices.Equal(b.Z.RawRowView(l), y.RawRowView(i)) {
						t.Errorf("pseudo-input %d is not row %d", l, i)
					}
				}
			}
		}
	}
}

// Each of 30 rows is held out with probability 1/3 over seeds: 600 seeds, sd 11.5 of each count,
// and a bound of 6.1 sd. A reseed raises a false alarm with probability 30 x 1e-9.
func TestHeldOutInputsAreUniform(t *testing.T) {
	x := randomRows(rand.New(rand.NewPCG(5, 6)), 30, 1)
	counts := make([]int, 30)
	for seed := range uint64(600) {
		in := choose(t, x, Options{Kind: HeldOut, Number: 10, Seed: seed})
		for _, i := range in.HeldOut {
			counts[i]++
		}
	}
	for i, c := range counts {
		if math.Abs(float64(c)-200) > 6.1*math.Sqrt(600*2.0/9) {
			t.Errorf("row %d held out %d times of 600, want about 200", i, c)
		}
	}
}

func TestHeldOutInputsAreDistinct(t *testing.T) {
	v := make([]float64, 40)
	for i := range v {
		v[i] = float64(i % 5)
	}
	in := choose(t, column(v...), Options{Kind: HeldOut, Number: 12})
	if m, _ := in.Z.Dims(); m != 5 || in.Asked != 12 || len(in.HeldOut) != 5 {
		t.Errorf("%d pseudo-inputs of 5 values", m)
	}
	if n, _ := in.Likelihood(column(v...)).Dims(); n != 35 {
		t.Errorf("%d rows left of 40", n)
	}
}

func TestGivenInputs(t *testing.T) {
	x := randomRows(rand.New(rand.NewPCG(7, 8)), 30, 2)
	points := mat.NewDense(4, 2, []float64{0, 0, 1, 1, 0, 0, 2, 0})
	in := choose(t, x, Options{Kind: Given, Points: points})
	if !mat.Equal(in.Z, points) || !in.Fixed || in.Asked != 4 {
		t.Errorf("%+v", in)
	}
	points.Set(0, 0, 99)
	if in.Z.At(0, 0) != 0 {
		t.Error("the points were not copied")
	}
	if _, ok, err := in.Double(context.Background(), x); ok || err != nil {
		t.Errorf("the user's points were doubled (%v, %v)", ok, err)
	}
}

func TestInputErrors(t *testing.T) {
	x := randomRows(rand.New(rand.NewPCG(9, 10)), 30, 2)
	for _, c := range []struct {
		x    mat.Matrix
		o    Options
		want string
	}{
		{nil, Options{}, "x is nil"},
		{column(1, math.NaN()), Options{}, "x is NaN in row 2, column 1 (counted from 1)"},
		{column(1), Options{}, "want at least 2 for data of rank 0"},
		{column(4, 4, 4, 4), Options{}, "want at least 2 for data of rank 0"},
		{x, Options{Kind: Quantiles}, "quantiles of 2 columns asked for, want 1"},
		{x, Options{Number: 2},
			"2 pseudo-inputs asked for, want at least 3 for data of rank 2"},
		{x, Options{Number: -1}, "-1 pseudo-inputs asked for"},
		{x, Options{Number: 31}, "31 centres of 30 rows asked for"},
		{x, Options{Kind: HeldOut, Number: 29}, "29 of 30 rows to be held out"},
		{x, Options{Kind: Kind(17)}, "unknown kind of pseudo-inputs Kind(17)"},
		{x, Options{Kind: Given}, "want given with points, and only then"},
		{x, Options{Points: x}, "want given with points, and only then"},
		{x, Options{Kind: Given, Points: column(1, 2)},
			"z has 1 column, want 2 as in x"},
		{x, Options{Kind: Given, Points: x, Number: 3},
			"3 pseudo-inputs asked for beside 30"},
		{x, Options{Kind: Given, Points: mat.NewDense(1, 2, []float64{0, math.Inf(1)})},
			"z is +Inf in row 1, column 2"},
	} {
		_, err := Choose(context.Background(), c.x, c.o)
		wantError(t, err, c.want)
	}
}

// Data of rank 1 in 3 columns need 2 points, and get as many as one column would.
func TestInputsOfDeficientData(t *testing.T) {
	x := mat.NewDense(20, 3, nil)
	for i := range 20 {
		v := float64(i * i)
		x.SetRow(i, []float64{v, 7, -2 * v})
	}
	in := choose(t, x, Options{})
	if m, _ := in.Z.Dims(); m != 4 || in.Kind != KMeans {
		t.Errorf("%d pseudo-inputs of kind %v", m, in.Kind)
	}
	if m, _ := choose(t, x, Options{Number: 2}).Z.Dims(); m != 2 {
		t.Errorf("%d pseudo-inputs, want 2", m)
	}
}

func TestDouble(t *testing.T) {
	x := randomRows(rand.New(rand.NewPCG(13, 14)), 100, 1)
	for _, kind := range []Kind{Auto, KMeans, HeldOut} {
		in := choose(t, x, Options{Kind: kind, Seed: 3})
		var got []int
		for ok := true; ok; {
			m, _ := in.Z.Dims()
			got = append(got, m)
			var err error
			if in, ok, err = in.Double(context.Background(), x); err != nil {
				t.Fatal(err)
			}
		}
		if want := []int{10, 20, 33}; !slices.Equal(got, want) {
			t.Errorf("%v: numbers %v, want %v", kind, got, want)
		}
	}
	if in := choose(t, x, Options{Number: 10}); true {
		if _, ok, _ := in.Double(context.Background(), x); ok {
			t.Error("a number that the user gave was doubled")
		}
	}
	// Six values cannot give more than six centres.
	v := make([]float64, 100)
	for i := range v {
		v[i] = float64(i % 6)
	}
	in := choose(t, column(v...), Options{Kind: KMeans})
	if m, _ := in.Z.Dims(); m != 6 {
		t.Errorf("%d centres of 6 values", m)
	}
	if same, ok, err := in.Double(context.Background(), column(v...)); ok || err != nil || same != in {
		t.Errorf("doubled with nothing to gain: %v, %v", ok, err)
	}
}

func TestInputKindNames(t *testing.T) {
	for k := Auto; k <= Given; k++ {
		if got, err := ParseKind(k.String()); err != nil || got != k {
			t.Errorf("%v is read as %v, %v", k, got, err)
		}
	}
	_, err := ParseKind("grid")
	wantError(t, err, `kind of pseudo-inputs is "grid"`)
}
