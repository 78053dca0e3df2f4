package bayesfactor

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
)

func normals(seed uint64, n, dim int, shift float64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, dim, nil)
	for i := range n {
		for j := range dim {
			x.Set(i, j, r.NormFloat64())
		}
		x.Set(i, 0, x.At(i, 0)+shift)
	}
	return x
}

func density(t *testing.T, x, y mat.Matrix, o Options) *Result {
	t.Helper()
	r, err := Density(context.Background(), x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// changed applies a function to every row.
func changed(x *mat.Dense, f func(row []float64)) *mat.Dense {
	out := mat.DenseCopyOf(x)
	n, _ := x.Dims()
	for i := range n {
		f(out.RawRowView(i))
	}
	return out
}

func TestInvariances(t *testing.T) {
	x, y := normals(1, 30, 2, 0.6), normals(2, 45, 2, 0)
	points := mat.NewDense(3, 2, []float64{0, 0, 1, -1, -0.5, 2})
	want := density(t, x, y, Options{Points: points})
	scale := func(f float64) func([]float64) {
		return func(row []float64) {
			for j := range row {
				row[j] *= f
			}
		}
	}
	for _, c := range []struct {
		name string
		f    func([]float64)
	}{
		{"times 1e6", scale(1e6)}, {"times 1e-6", scale(1e-6)},
		{"moved", func(row []float64) { row[0] += 3; row[1] -= 10 }},
		{"rotated", func(row []float64) {
			sin, cos := math.Sincos(0.7)
			row[0], row[1] = cos*row[0]-sin*row[1], sin*row[0]+cos*row[1]
		}},
	} {
		r := density(t, changed(x, c.f), changed(y, c.f), Options{Points: changed(points, c.f)})
		near(t, c.name, r.LogBF, want.LogBF, 1e-9)
		near(t, c.name+" floor", r.Floor, want.Floor, 1e-9)
		for i := range r.Witness.Mean {
			near(t, c.name+" witness", r.Witness.Mean[i], want.Witness.Mean[i], 1e-9)
		}
	}
	swapped := density(t, y, x, Options{Points: points})
	near(t, "swapped", swapped.LogBF, want.LogBF, 1e-9)
	near(t, "swapped log m0", swapped.LogM0, want.LogM0, 1e-9)
	for i := range swapped.Witness.Mean {
		near(t, "swapped witness", swapped.Witness.Mean[i], -want.Witness.Mean[i], 1e-9)
		near(t, "swapped band", swapped.Witness.Low[i], -want.Witness.High[i], 1e-9)
	}
	shuffled := mat.NewDense(30, 2, nil)
	for i, j := range rand.New(rand.NewPCG(3, 3)).Perm(30) {
		shuffled.SetRow(i, x.RawRowView(j))
	}
	near(t, "reordered", density(t, shuffled, y, Options{}).LogBF, want.LogBF, 1e-9)
}

// The formula of the package comment, by eigenvectors.
func TestAgainstEigenvectors(t *testing.T) {
	for _, dim := range []int{1, 2, 5, 30} {
		x, y := normals(4, 20, dim, 0.5), normals(5, 37, dim, 0)
		for _, theta := range []float64{0.1, 1, 8} {
			theta *= math.Sqrt(float64(dim))
			for _, s := range []float64{0, 1e-3, 0.7, 5} {
				e, err := DensityAt(x, y, theta, s)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "log BF", e.LogBF, brute(x, y, theta, s), 1e-9)
			}
		}
	}
}

func brute(x, y *mat.Dense, theta, s float64) float64 {
	m, _ := x.Dims()
	n, _ := y.Dims()
	var all mat.Dense
	all.Stack(x, y)
	size := m + n
	_, dim := x.Dims()
	k := gaussian(all.RawMatrix().Data, all.RawMatrix().Data, dim, theta)
	h := mat.NewDense(size, size, nil)
	for i := range size {
		for j := range size {
			h.Set(i, j, -1/float64(size))
		}
		h.Set(i, i, 1-1/float64(size))
	}
	var c mat.Dense
	c.Product(h, k, h)
	sym := mat.NewSymDense(size, nil)
	for i := range size {
		for j := i; j < size; j++ {
			sym.SetSym(i, j, c.At(i, j))
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(sym, true)
	var u mat.Dense
	eigen.VectorsTo(&u)
	kappa := (1/float64(m) + 1/float64(n)) / float64(size-1)
	sum := 0.0
	for j, lambda := range eigen.Values(nil) {
		w := 0.0
		for i := range size {
			v := -1 / float64(n)
			if i < m {
				v = 1 / float64(m)
			}
			w += u.At(i, j) * v
		}
		a := s * s * max(0, lambda) / (float64(size*size) * kappa)
		sum += a*w*w/kappa/(1+a) - math.Log1p(a)
	}
	return sum / 2
}

// A node of low rank and one that is held whole are the same model.
func TestWholeAndFactored(t *testing.T) {
	x, y := normals(6, 40, 3, 0.5), normals(7, 60, 3, 0)
	wx, wy := make([]float64, 40), make([]float64, 60)
	r := rand.New(rand.NewPCG(8, 8))
	for i := range wx {
		wx[i] = 0.5 + r.Float64()
	}
	for i := range wy {
		wy[i] = 0.5 + r.Float64()
	}
	points := normals(9, 4, 3, 0)
	var results []*Result
	for _, most := range []int{1, 100} {
		c, err := newContrast(x, y, wx, wy)
		if err != nil {
			t.Fatal(err)
		}
		c.most = most
		o, err := Options{Permutations: 9, Nodes: 17, Points: points}.complete(100)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, whole(t, c, o))
	}
	a, b := results[0], results[1]
	near(t, "log BF", a.LogBF, b.LogBF, 1e-9)
	for i := range a.Draws {
		near(t, "log BF of a permutation", a.Draws[i], b.Draws[i], 1e-9)
	}
	for i := range a.Witness.Mean {
		near(t, "mean", a.Witness.Mean[i], b.Witness.Mean[i], 1e-9)
		near(t, "sd", a.Witness.SD[i], b.Witness.SD[i], 1e-9)
	}
}

// A row of weight 2 is two rows, where weights are not scaled: where the sizes are made equal.
func TestWeightsCountRows(t *testing.T) {
	x, y := normals(10, 12, 1, 0.7), normals(11, 15, 1, 0)
	double := func(x *mat.Dense) *mat.Dense {
		var out mat.Dense
		out.Stack(x, x)
		return &out
	}
	c, err := newContrast(x, y, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.mass = slices.Repeat([]float64{2}, 27)
	c.size = 54
	c.kappa = (1.0/24 + 1.0/30) / 53
	o, err := Options{}.complete(54)
	if err != nil {
		t.Fatal(err)
	}
	want := density(t, double(x), double(y), Options{})
	c.unit = want.Unit // the divisor of the variance is another
	near(t, "log BF", whole(t, c, o).LogBF, want.LogBF, 1e-9)

	equal := density(t, x, y, Options{WeightsX: slices.Repeat([]float64{3}, 12),
		WeightsY: slices.Repeat([]float64{3}, 15)})
	near(t, "equal weights", equal.LogBF, density(t, x, y, Options{}).LogBF, 1e-9)
}

func TestContrastOnTheCentredSpace(t *testing.T) {
	x, y := normals(12, 11, 2, 0), normals(13, 7, 2, 0)
	for _, theta := range []float64{1e-3, 1} { // at the first K is the unit matrix
		e, err := DensityAt(x, y, theta, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "log BF as s goes to 0", e.LogBF, 0, 1e-9)
	}
	// With K = I all a_j are one a, and log BF has the sum of the w_j², which is N-1.
	e, err := DensityAt(x, y, 1e-3, 2)
	if err != nil {
		t.Fatal(err)
	}
	kappa := (1.0/11 + 1.0/7) / 17
	a := 4 / (18 * 18 * kappa)
	near(t, "log BF with K = I", e.LogBF, 17.0/2*(a/(1+a)-math.Log1p(a)), 1e-9)
}

func TestDensityRefuses(t *testing.T) {
	good := normals(1, 5, 2, 0)
	for _, c := range []struct {
		x, y mat.Matrix
		o    Options
		want string
	}{
		{normals(1, 1, 2, 0), good, Options{}, "at least 2 in each"},
		{good, normals(1, 1, 2, 0), Options{}, "at least 2 in each"},
		{mat.NewDense(3, 1, nil), mat.NewDense(3, 1, nil), Options{}, "not all equal"},
		{good, mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 3}), Options{}, "NaN"},
		{good, mat.NewDense(2, 2, []float64{1, 2, math.Inf(1), 3}), Options{}, "finite"},
		{good, normals(1, 5, 1, 0), Options{}, "width"},
		{nil, good, Options{}, "nil"},
		{good, good, Options{Nodes: 3}, "nodes"},
		{good, good, Options{Tolerance: -1}, "tolerance"},
		{good, good, Options{Parallel: -1}, "Parallel"},
		{good, good, Options{Permutations: -1}, "permutations"},
		{good, good, Options{Amplitude: -1}, "amplitude"},
		{good, good, Options{Theta: LogUniform(2, 1)}, "prior"},
		{good, good, Options{WeightsX: []float64{1}}, "weights"},
		{good, good, Options{WeightsX: []float64{1, 1, 0, 1, 1}}, "weight of row 3 of x"},
		{good, good, Options{Blocks: []int{1}}, "labels"},
		{good, good, Options{Points: mat.NewDense(1, 1, nil)}, "width"},
	} {
		_, err := Density(context.Background(), c.x, c.y, c.o)
		if err == nil || !strings.HasPrefix(err.Error(), "bayesfactor: ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want one with %q", err, c.want)
		}
	}
	if _, err := Paired(context.Background(), good, normals(1, 4, 2, 0), Options{}); err == nil {
		t.Error("pairs of 5 and 4 rows passed")
	}
	if _, err := Paired(context.Background(), good, good, Options{Blocks: make([]int, 10)}); err == nil {
		t.Error("pairs with blocks passed")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Density(ctx, normals(1, 30, 1, 0), normals(2, 30, 1, 0), Options{}); err == nil {
		t.Error("a context that had ended gave a result")
	}
}

func TestSameWhateverParallelIs(t *testing.T) {
	x, y := normals(14, 40, 2, 0.4), normals(15, 30, 2, 0)
	a := density(t, x, y, Options{Permutations: 49, Parallel: 1})
	b := density(t, x, y, Options{Permutations: 49, Parallel: 5})
	if a.LogBF != b.LogBF || a.P != b.P || !slices.Equal(a.Draws, b.Draws) ||
		!slices.Equal(a.Theta.Weight, b.Theta.Weight) {
		t.Error("results differ with the number of workers")
	}
}

func TestSmallestAndTiedSamples(t *testing.T) {
	x := mat.NewDense(2, 1, []float64{0, 1})
	r := density(t, x, x, Options{Permutations: 19})
	near(t, "log BF of a sample and itself", r.LogBF, r.Floor, 1e-12)
	if r.P != 1 {
		t.Errorf("p-value of a sample and itself is %v, want 1", r.P)
	}
	ties := mat.NewDense(6, 1, []float64{0, 0, 0, 1, 1, 1})
	other := mat.NewDense(6, 1, []float64{0, 1, 1, 1, 1, 1})
	if r := density(t, ties, other, Options{}); math.IsNaN(r.LogBF) || r.LogBF < r.Floor {
		t.Errorf("log BF with ties is %v, floor %v", r.LogBF, r.Floor)
	}
}

func TestWarnings(t *testing.T) {
	x, y := normals(16, 50, 1, 0), normals(17, 50, 1, 0)
	x.Set(0, 0, 300)
	r := density(t, x, y, Options{})
	if !strings.Contains(strings.Join(r.Notes, " "), "outliers") {
		t.Errorf("notes are %q, want one on outliers", r.Notes)
	}
	// A difference in the mean alone, on a scale far above the range of the prior.
	r = density(t, normals(18, 100, 1, 2), normals(19, 100, 1, 0),
		Options{Theta: LogUniform(0.02, 0.1), Nodes: 17})
	if !strings.Contains(strings.Join(r.Notes, " "), "largest tenth") {
		t.Errorf("notes are %q, want one on the end of the range", r.Notes)
	}
}

func TestPosteriorQuantiles(t *testing.T) {
	r := density(t, normals(20, 80, 1, 0.6), normals(21, 80, 1, 0), Options{})
	a, b, c := r.Theta.Quantile(0.05), r.Theta.Quantile(0.5), r.Theta.Quantile(0.95)
	if !(a < b && b < c && r.Theta.At[0] <= a && c <= r.Theta.At[len(r.Theta.At)-1]) {
		t.Errorf("quantiles are %v, %v, %v", a, b, c)
	}
	for _, p := range []Posterior{r.Theta, r.S} {
		sum := 0.0
		for _, w := range p.Weight {
			sum += w
		}
		near(t, "sum of a posterior", sum, 1, 1e-9)
	}
}

// whole runs the model with what was changed in it.
func whole(t *testing.T, c *contrast, o Options) *Result {
	t.Helper()
	r, err := c.run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The witness has the same bytes however many processors make it.
func TestWitnessBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	x, y, points := mat.NewDense(40, 2, nil), mat.NewDense(40, 2, nil), mat.NewDense(300, 2, nil)
	for _, m := range []*mat.Dense{x, y, points} {
		for i := range m.RawMatrix().Data {
			m.RawMatrix().Data[i] = r.NormFloat64()
		}
	}
	var first *Witness
	for _, procs := range []int{1, 4, 4, 4} {
		before := runtime.GOMAXPROCS(procs)
		got, err := Density(context.Background(), x, y, Options{Points: points, Permutations: 19})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got.Witness
		} else if !reflect.DeepEqual(got.Witness, first) {
			t.Errorf("with %d processors the witness is another", procs)
		}
	}
}
