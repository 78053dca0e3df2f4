package magnitude

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// normals are n rows of d independent normal columns.
func normals(n, d int, seed uint64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, r.NormFloat64())
		}
	}
	return x
}

func TestWrong(t *testing.T) {
	ctx, x := context.Background(), normals(10, 2, 1)
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.NaN())
	for want, call := range map[string]func() error{
		"2 and 1 columns":             func() error { _, err := Samples(ctx, x, normals(9, 1, 1), Options{}); return err },
		"10 and 1 rows":               func() error { _, err := Samples(ctx, x, normals(1, 2, 1), Options{}); return err },
		"10 and 9 rows":               func() error { _, err := Pairs(ctx, x, normals(9, 2, 1), Options{}); return err },
		"1 names":                     func() error { _, err := Samples(ctx, x, x, Options{Columns: []string{"a"}}); return err },
		"Level is 2":                  func() error { _, err := Samples(ctx, x, x, Options{Level: 2}); return err },
		"y is NaN in row 4, column 2": func() error { _, err := Samples(ctx, x, bad, Options{}); return err },
		"5 rows, want":                func() error { _, err := Dependence(ctx, normals(5, 1, 1), normals(5, 1, 2), Options{}); return err },
		"10 and 9 rows, w":            func() error { _, err := Dependence(ctx, x, normals(9, 1, 2), Options{}); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The same seed gives the same numbers for any number of processors, and the data stay as they are.
func TestSame(t *testing.T) {
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	x, y := normals(40, 3, 1), normals(30, 3, 2)
	before := mat.DenseCopyOf(x)
	one, err := Samples(context.Background(), x, y, Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(4)
	four, err := Samples(context.Background(), x, y, Options{Seed: 5})
	if err != nil || !reflect.DeepEqual(one, four) {
		t.Errorf("%v: %+v and %+v", err, one, four)
	}
	if !mat.Equal(before, x) {
		t.Error("the data were changed")
	}
}

// Exchanging the samples changes signs and complements, but for the resampling.
func TestExchanged(t *testing.T) {
	x, y := normals(40, 1, 1), normals(30, 1, 2)
	a, err := Samples(context.Background(), x, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Samples(context.Background(), y, x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	u, v := a.Columns[0], b.Columns[0]
	near := func(what string, p, q float64) {
		if math.Abs(p-q) > 1e-9 {
			t.Errorf("%s: %v and %v", what, p, q)
		}
	}
	near("exceeds", u.Exceeds.Lower, 1-v.Exceeds.Upper)
	near("mean", u.Mean.Estimate, -v.Mean.Estimate)
	near("overall", a.Overall.Upper, b.Overall.Upper)
	for i, q := range u.Quantiles {
		near("quantile", q.Lower, -v.Quantiles[i].Upper)
		near("quantile", q.Estimate, -v.Quantiles[i].Estimate)
	}
}

// P(X > Y) by counting all pairs, and the variance of DeLong, DeLong and Clarke-Pearson from the
// matrix of comparisons.
func TestExceedsCounts(t *testing.T) {
	x, y := []float64{0, 1, 1, 2, 5, 5}, []float64{-1, 0, 1, 2, 2}
	p := 0.0
	rows, columns := make([]float64, len(x)), make([]float64, len(y))
	for i, a := range x {
		for j, b := range y {
			s := 0.5
			if a > b {
				s = 1
			} else if a < b {
				s = 0
			}
			p += s / 30
			rows[i] += s / 5
			columns[j] += s / 6
		}
	}
	variance := func(v []float64) float64 {
		s := 0.0
		for _, u := range v {
			s += (u - p) * (u - p)
		}
		return s / float64(len(v)-1)
	}
	a, b := variance(rows)/6, variance(columns)/5
	df := (a + b) * (a + b) / (a*a/5 + b*b/4)
	logit := math.Log(p / (1 - p))
	half := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(0.95) * math.Sqrt(a+b) / (p * (1 - p))
	got := exceeds(x, y, 0.9)
	for _, c := range [][2]float64{{got.Estimate, p}, {got.Lower, 1 / (1 + math.Exp(half-logit))},
		{got.Upper, 1 / (1 + math.Exp(-half-logit))}} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
}

// Samples that do not meet have an interval that ends at 0 or 1 and has a width.
func TestExceedsApart(t *testing.T) {
	got := exceeds([]float64{4, 5, 6}, []float64{1, 2, 3}, 0.9)
	if got.Estimate != 1 || got.Upper != 1 || !(got.Lower > 0.3 && got.Lower < 0.95) {
		t.Errorf("%+v", got)
	}
}

// Where the first exceeds the second in all pairs, the interval ends at 1.
func TestExceedsInAllPairs(t *testing.T) {
	for n := 2; n < 40; n++ {
		d := make([]float64, n)
		for i := range d {
			d[i] = 1
		}
		if got := exceedsInPairs(d, 0.9); got.Upper != 1 || got.Estimate != 1 || !(got.Lower < 1) {
			t.Errorf("%d pairs: %+v", n, got)
		}
	}
}

// With many rows the overlap of normal laws with a shift, 2 Phi(-d/2), is found to within a few
// hundredths whether rows are drawn one by one or by counts of cells; the standard error is about
// 0.015 and 0.01.
func TestOverlapOfManyRows(t *testing.T) {
	for _, n := range []int{900, 3000} {
		x, y := normals(n, 1, 8), normals(n, 1, 9)
		x.Apply(func(_, _ int, v float64) float64 { return v + 0.6 }, x)
		r, err := Samples(context.Background(), x, y, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := math.Erfc(0.3 / math.Sqrt2)
		if o := r.Columns[0].Overlap; math.Abs(o.Estimate-want) > 0.05 || o.Upper-o.Lower > 0.12 {
			t.Errorf("%d rows: %+v, want %v", n, o, want)
		}
	}
}

// A limit of whole rank covers with the probability of a sum of the binomial distribution.
func TestBoundIsExact(t *testing.T) {
	n, p := 25, 0.25
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1) // the value is its rank
	}
	for rank := 3; rank < 12; rank++ {
		// The quantile is above the row of this rank if at least so many rows are below it.
		c := 1 - distuv.Binomial{N: float64(n), P: p}.CDF(float64(rank-1))
		if got := bound(x, p, c); math.Abs(got-float64(rank)) > 1e-6 {
			t.Errorf("rank %d: %v", rank, got)
		}
	}
}

// The jackknife's sums are those of the data without each row, and the whole is the textbook formula
// with U-centred matrices.
func TestProductWithoutARow(t *testing.T) {
	x, y := dense(normals(9, 2, 3), nil), dense(normals(9, 1, 4), nil)
	full := func(x, y [][]float64) float64 {
		n := len(x)
		centre := func(x [][]float64) [][]float64 {
			rows, all := make([]float64, n), 0.0
			for i := range x {
				for j := range x {
					rows[i] += distance(x[i], x[j])
				}
				all += rows[i]
			}
			out := make([][]float64, n)
			for i := range x {
				out[i] = make([]float64, n)
				for j := range x {
					if i != j {
						out[i][j] = distance(x[i], x[j]) - (rows[i]+rows[j])/float64(n-2) + all/float64((n-1)*(n-2))
					}
				}
			}
			return out
		}
		a, b, s := centre(x), centre(y), 0.0
		for i := range a {
			for j := range a {
				s += a[i][j] * b[i][j]
			}
		}
		return s / float64(n*(n-3))
	}
	p := newProduct(9, between2(x), between2(y))
	if got, want := p.value(), full(x, y); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	for k := range x {
		u, v := slices.Delete(slices.Clone(x), k, k+1), slices.Delete(slices.Clone(y), k, k+1)
		if got, want := p.without(k), full(u, v); math.Abs(got-want) > 1e-12 {
			t.Errorf("without %d: %v, want %v", k, got, want)
		}
	}
	by := mat.NewDense(9, 9, nil) // the product of the matrices of distances
	for i := range x {
		for j := range x {
			for k := range x {
				by.Set(i, j, by.At(i, j)+distance(x[i], x[k])*distance(y[k], y[j]))
			}
		}
	}
	for l := range x {
		for k := range l {
			u, v := slices.Delete(slices.Clone(x), l, l+1), slices.Delete(slices.Clone(y), l, l+1)
			u, v = slices.Delete(u, k, k+1), slices.Delete(v, k, k+1)
			got := p.withoutTwo(k, l, distance(x[k], x[l]), distance(y[k], y[l]), by)
			if want := full(u, v); math.Abs(got-want) > 1e-12 {
				t.Errorf("without %d and %d: %v, want %v", k, l, got, want)
			}
		}
	}
}

// Equal samples, constant columns, constant differences and tiny samples have finite estimates or
// none, and never limits in the wrong order.
func TestEdges(t *testing.T) {
	constant, same := mat.NewDense(6, 1, []float64{1, 1, 1, 1, 1, 1}), normals(40, 1, 1)
	shifted := mat.DenseCopyOf(same)
	shifted.Apply(func(_, _ int, v float64) float64 { return v + 1.1 }, same)
	for _, c := range [][2]*mat.Dense{{constant, constant}, {constant, normals(6, 1, 2)}, {same, same},
		{shifted, same}, {normals(2, 1, 5), normals(2, 1, 6)}} {
		for _, compare := range []func(context.Context, mat.Matrix, mat.Matrix, Options) (*Result, error){Samples, Pairs} {
			r, err := compare(context.Background(), c[0], c[1], Options{})
			if err != nil {
				t.Fatal(err)
			}
			v := r.Columns[0]
			all := []Interval{v.Mean, v.Exceeds, v.Overlap, v.Standardized, r.Overall}
			for _, q := range v.Quantiles {
				all = append(all, q.Interval)
			}
			for i, a := range all {
				if a.Known() && !(a.Lower <= a.Upper) || math.IsInf(a.Estimate, 0) || math.Abs(a.Estimate) > 1e6 {
					t.Errorf("number %d: %+v", i, a)
				}
			}
		}
	}
}

func BenchmarkSamples(b *testing.B) {
	x, y := normals(100_000, 1, 1), normals(100_000, 1, 2)
	for b.Loop() {
		if _, err := Samples(context.Background(), x, y, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDependence(b *testing.B) {
	x, y := normals(100_000, 1, 1), normals(100_000, 1, 2)
	for b.Loop() {
		if _, err := Dependence(context.Background(), x, y, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Feldman and Cousins (1998), table X: a normal estimate x of a truth u of 0 or more has these upper
// limits of 90% intervals.
func TestErrorAtAnEdge(t *testing.T) {
	for x, u := range map[float64]float64{0: 1.64, -1: 0.81, -2: 0.40, -3: 0.26} {
		above := 0.1 - errorBelow(u, 0.05) // of an x nearer the edge
		if got := u + distuv.UnitNormal.Quantile(above); math.Abs(got-x) > 0.07 {
			t.Errorf("u = %v: x = %v, want %v", u, got, x)
		}
	}
	if errorBelow(0, 0.05) != 0.1 || errorBelow(2, 0.05) != 0.05 {
		t.Error("not the whole error at the edge, or not half far from it")
	}
}

// The standardised difference has the sign of the mean: ten pairs (extra hours of sleep with two drugs;
// Student, 1908), whose mean R's t.test finds to be -1.58 (-2.29 to -0.867).
func TestOneSign(t *testing.T) {
	x := mat.NewDense(10, 1, []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2})
	y := mat.NewDense(10, 1, []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4})
	r, err := Pairs(context.Background(), x, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Columns[0]; math.Abs(v.Mean.Upper+0.867) > 1e-3 || !(v.Standardized.Upper <= 0) {
		t.Errorf("%+v", v)
	}
}

// Values rounded to a tenth of a standard deviation overlap as the values themselves, and are not
// compared one by one.
func TestOverlapOfRoundedValues(t *testing.T) {
	x, y := normals(300, 1, 18), normals(300, 1, 19)
	x.Apply(func(_, _ int, v float64) float64 { return v + 0.6 }, x)
	var of [2]Interval
	for i := range of {
		r, err := Samples(context.Background(), x, y, Options{})
		if err != nil {
			t.Fatal(err)
		}
		of[i] = r.Columns[0].Overlap
		for _, m := range []*mat.Dense{x, y} {
			m.Apply(func(_, _ int, v float64) float64 { return math.Round(10*v) / 10 }, m)
		}
	}
	if math.Abs(of[0].Estimate-of[1].Estimate) > 0.03 || math.Abs(of[0].Upper-of[1].Upper) > 0.05 {
		t.Errorf("%+v, rounded %+v", of[0], of[1])
	}
}

// Between two rows a limit covers with nearly its confidence, far out as well: of 20,000 samples, each
// with a standard error of at most .0024, the share is within .02 for a flat density and for a tail (the
// error of the formula there is .007). By straight lines between ranks of the beta distribution .085
// take the place of .12.
func TestBoundBetweenRows(t *testing.T) {
	const n, p, sets = 30, 0.9, 20_000
	for name, law := range map[string]interface{ Quantile(float64) float64 }{
		"normal": distuv.UnitNormal, "exponential": distuv.Exponential{Rate: 1}} {
		r, truth := rand.New(rand.NewPCG(11, 12)), law.Quantile(p)
		confidences := []float64{0.05, 0.12, 0.3, 0.88, 0.95}
		count, x := make([]float64, len(confidences)), make([]float64, n)
		for range sets {
			for i := range x {
				x[i] = law.Quantile(r.Float64())
			}
			slices.Sort(x)
			for i, c := range confidences {
				if truth > bound(x, p, c) {
					count[i]++
				}
			}
		}
		for i, c := range confidences {
			if math.Abs(count[i]/sets-c) > 0.02 {
				t.Errorf("%s, confidence %v: %v", name, c, count[i]/sets)
			}
		}
	}
}

// A part that is found alone is as it is among all, and the others are left out.
func TestOnly(t *testing.T) {
	x, y := normals(20, 1, 1), normals(25, 1, 2)
	all, err := Samples(t.Context(), x, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for only, found := range map[Numbers]func(*Result) []Interval{
		Means:         func(r *Result) []Interval { return []Interval{r.Columns[0].Mean, r.Columns[0].Standardized} },
		Probabilities: func(r *Result) []Interval { return []Interval{r.Columns[0].Exceeds} },
		Overlaps:      func(r *Result) []Interval { return []Interval{r.Columns[0].Overlap} },
		Overall:       func(r *Result) []Interval { return []Interval{r.Overall} },
		Quantiles: func(r *Result) (out []Interval) {
			for _, q := range r.Columns[0].Quantiles {
				out = append(out, q.Interval)
			}
			return out
		},
	} {
		r, err := Samples(t.Context(), x, y, Options{Only: only})
		if err != nil || !slices.Equal(found(r), found(all)) {
			t.Errorf("part %d: %v, %+v", only, err, r)
		}
		c := r.Columns[0]
		known := 0
		for _, i := range []Interval{c.Mean, c.Exceeds, c.Overlap, r.Overall} {
			if i.Known() {
				known++
			}
		}
		if want := 1; only != Quantiles && known != want || only == Quantiles && known != 0 {
			t.Errorf("part %d: %d numbers", only, known)
		}
	}
}

// A variable depends on itself wholly, and the interval reaches 1; samples that are far apart have a
// coefficient near 1 within theirs.
func TestWhole(t *testing.T) {
	x := normals(30, 1, 1)
	d, err := Dependence(t.Context(), x, x, Options{})
	if err != nil || d.Estimate != 1 || d.Known() && d.Upper != 1 {
		t.Errorf("%v: %+v", err, d)
	}
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, _ int, v float64) float64 { return v + 1000 }, y)
	r, err := Samples(t.Context(), x, y, Options{Only: Overall})
	if o := r.Overall; err != nil || !(o.Estimate > 0.99 && o.Lower > 0.9 && o.Lower <= o.Estimate && o.Estimate <= o.Upper) {
		t.Errorf("%v: %+v", err, o)
	}
}

// The limits of a root against the formulas of DERIVATION.md.
func TestRoot(t *testing.T) {
	const null, curve, df, level = 0.0004, 0.0003, 40, 0.9
	b, student := math.Sqrt(null), distuv.StudentsT{Sigma: 1, Nu: df}
	for _, h := range []float64{-0.05, -0.02, -0.01, 0, 0.01, 0.045, 0.3} {
		v := 0.003 + 0.04*math.Max(h, 0)
		w := 3 * b / (3*b + math.Max(h, 0))
		rho := (v/4 - curve + (1-w)*curve/2 + w*2*b*along*b) / (math.Max(h, -b) + (1-w)*b/2 + w*2*b)
		root := math.Sqrt(math.Max(h+b, 0))
		at, half := math.Atanh(root), student.Quantile(0.95)*math.Sqrt(rho)/(1-root*root)
		lower := at - half // or farther in, up to 1.1 half
		if inner := at - half*student.Quantile(0.925)/student.Quantile(0.95); lower < 1.1*half {
			lower = math.Min(inner, 1.1*half)
		}
		lower, upper := math.Tanh(math.Max(lower, 0)), math.Tanh(at+half)
		if h < 0.04 {
			lower = 0
		}
		got := rooted(h, v, null, curve, df, level)
		if math.Abs(got.Upper-upper*upper) > 1e-12 || math.Abs(got.Lower-lower*lower) > 1e-12 {
			t.Errorf("h = %v: from %v to %v, want %v to %v", h, got.Lower, got.Upper, lower*lower, upper*upper)
		}
	}
}

// A variable with three rows that differ has an interval, although it does not vary where two are left out.
func TestRareValues(t *testing.T) {
	for _, n := range []int{30, 300} {
		x := mat.NewDense(n, 1, nil)
		for _, i := range []int{3, n / 2, n - 5} {
			x.Set(i, 0, 1)
		}
		r, err := Dependence(context.Background(), x, normals(n, 1, 7), Options{})
		if err != nil || !r.Known() || !(r.Lower <= r.Estimate && r.Estimate <= r.Upper) {
			t.Errorf("%d rows: %+v, %v", n, r, err)
		}
	}
}

// Of U-statistics of degree two the quadratic part is known: half its variance is the sum of squares of
// the centred kernel, without bias, over the square of the number of rows.
func TestQuadraticPart(t *testing.T) {
	const n, m = 9, 7
	r := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		return v
	}
	x, y := draw(n), draw(m)
	mean := func(v []float64, left ...int) float64 { // of products of two rows
		s, count := 0.0, 0.0
		for i := range v {
			for j := range i {
				if !slices.Contains(left, i) && !slices.Contains(left, j) {
					s += v[i]*v[j] + v[i] - 3*v[j]
					count++
				}
			}
		}
		return s / count
	}
	var one []float64
	for i := range x {
		one = append(one, mean(x, i))
	}
	k := func(i, j int) float64 { return x[i]*x[j] + x[max(i, j)] - 3*x[min(i, j)] }
	want := newProduct(n, k, k).value() / (n * n)
	if got := second(mean(x), one, func(i, j int) float64 { return mean(x, i, j) }); math.Abs(got-want) > 1e-12 {
		t.Errorf("one sample: %v, want %v", got, want)
	}
	cross := func(i, j int) float64 { // the mean of x y without row i of x and j of y
		s, count := 0.0, 0.0
		for k, u := range x {
			for l, v := range y {
				if k != i && l != j {
					s += u*v + u - 2*v
					count++
				}
			}
		}
		return s / count
	}
	var left, right []float64
	for i := range x {
		left = append(left, cross(i, -1))
	}
	for j := range y {
		right = append(right, cross(-1, j))
	}
	u, v := momentsOf(x), momentsOf(y)
	want = u.m2 * v.m2 * n * m / ((n - 1) * (m - 1)) / (2 * n * m)
	if got := across(cross(-1, -1), left, right, cross); math.Abs(got-want) > 1e-12 {
		t.Errorf("two samples: %v, want %v", got, want)
	}
}

// Normal variables with a correlation near 1: the distance correlation is known (Székely, Rizzo and Bakirov, 2007,
// theorem 7). Of 150 samples of each kind at least 110 intervals of level .9 have it in them: with a probability below
// 1e-6 a true level of .85 has fewer.
func TestDistanceCorrelationNearOne(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 3))
	for _, n := range []int{40, 100} {
		for _, rho := range []float64{0.9, 0.98, 0.999, 0.99999} {
			truth := math.Sqrt((rho*math.Asin(rho) + math.Sqrt(1-rho*rho) - rho*math.Asin(rho/2) - math.Sqrt(4-rho*rho) + 1) /
				(1 + math.Pi/3 - math.Sqrt(3)))
			inside, width := 0, 0.0
			for range 150 {
				x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
				for i := range n {
					u := r.NormFloat64()
					x.Set(i, 0, u)
					y.Set(i, 0, rho*u+math.Sqrt(1-rho*rho)*r.NormFloat64())
				}
				got, err := Dependence(context.Background(), x, y, Options{Level: 0.9})
				if err != nil {
					t.Fatal(err)
				}
				width += (got.Upper - got.Lower) / 150
				if got.Lower <= truth && truth <= got.Upper {
					inside++
				}
			}
			t.Logf("n = %d, rho = %v: %d of 150, mean width %.3g, 1 - truth %.3g", n, rho, inside, width, 1-truth)
			if inside < 110 || width > 3*(1-truth) {
				t.Errorf("n = %d, rho = %v: %d of 150 intervals have the true value, of width %.3g", n, rho, inside, width)
			}
		}
	}
}
