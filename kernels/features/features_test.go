package features

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %.17g, want %.17g", what, got, want)
	}
}

func theKernels() map[string]kernels.Kernel {
	radial := func(text string) kernels.Kernel {
		r, err := kernels.ParseRadial(text)
		if err != nil {
			panic(err)
		}
		return kernels.Stationary{Radial: r, Theta: []float64{1.3}}
	}
	return map[string]kernels.Kernel{
		"se": radial("se"), "matern32": radial("matern32"), "matern52": radial("matern52"),
		"rq": radial("rq:alpha=1.5"), "rq below 1": radial("rq:alpha=0.5"),
		"mixture": radial("mixture:widths=1/4,weights=0.3/0.7"),
		"ARD":     kernels.SquaredExponential(0.7, 3),
	}
}

// product is f(x)'f(y).
func product(m Map, x, y []float64) float64 {
	f, g, s := make([]float64, m.Len()), make([]float64, m.Len()), 0.0
	m.Write(f, x)
	m.Write(g, y)
	for i := range f {
		s += f[i] * g[i]
	}
	return s
}

// Means and variances over 400 maps of 16 pairs. The mean is held to 4.5 of the standard errors
// that StandardError says, and the variance to 4.5 of its own, about sqrt(2/400) of it for a sum of
// 16 terms: 56 checks, with a false alarm in 1 of 2500 seeds.
func TestFourierMoments(t *testing.T) {
	x := []float64{0.3, -0.5}
	for name, k := range theKernels() {
		for _, y := range [][]float64{{0.5, -0.1}, {1.5, 1}} {
			for _, orthogonal := range []bool{false, true} {
				const maps = 400
				mean, square, se := 0.0, 0.0, 0.0
				for seed := range uint64(maps) {
					f := fixture.Get[*Fourier](t)(NewFourier(k, 2, FourierOptions{16, orthogonal, seed}))
					v := product(f, x, y) - k.At(x, y)
					mean += v / maps
					square += v * v / maps
					se = f.StandardError(x, y)
					near(t, "norm", product(f, x, x), 1, 1e-14)
				}
				what := fmt.Sprint(name, ", orthogonal ", orthogonal, ", at ", y)
				if math.Abs(mean) > 4.5*se/math.Sqrt(maps) {
					t.Errorf("%s: mean error is %v, standard error %v", what, mean, se/math.Sqrt(maps))
				}
				if ratio := square / (se * se); !orthogonal && math.Abs(ratio-1) > 4.5*math.Sqrt(2.5/maps) {
					t.Errorf("%s: variance is %v of what it should be", what, ratio)
				}
			}
		}
	}
}

// What the package comment says of phases: their variance is the larger where k(2d) < 2 k(d)²,
// which holds at all distances for the squared exponential and Matern kernels and not for the
// others.
func TestPhases(t *testing.T) {
	all := theKernels()
	all["rq or widths far apart"] = kernels.Stationary{Radial: kernels.Mixture{Weights: []float64{0.9, 0.1},
		Widths: []float64{1, 100}}, Theta: []float64{1}}
	for name, k := range all {
		always := true
		for d := 0.01; d < 100; d *= 1.1 {
			v := k.At([]float64{d, 0}, []float64{0, 0})
			always = always && k.At([]float64{2 * d, 0}, []float64{0, 0}) <= 2*v*v
		}
		if want := !strings.HasPrefix(name, "rq"); always != want {
			t.Errorf("%s: %v, want %v", name, always, want)
		}
	}
}

// The frequencies of a block are orthogonal, and the variance at a short distance is smaller.
func TestOrthogonal(t *testing.T) {
	k := kernels.SquaredExponential(2)
	f := fixture.Get[*Fourier](t)(NewFourier(k, 5, FourierOptions{Pairs: 12, Orthogonal: true}))
	w := f.Frequencies()
	for p := range 12 {
		for q := range p {
			if p/5 == q/5 {
				s := 0.0
				for a := range 5 {
					s += w[p][a] * w[q][a]
				}
				near(t, "inner product", s, 0, 1e-14)
			}
		}
	}
	x, y := make([]float64, 5), []float64{1, 1, 1, 0, 0}
	squares := map[bool]float64{}
	for seed := range uint64(1000) {
		for _, o := range []bool{false, true} {
			f := fixture.Get[*Fourier](t)(NewFourier(k, 5, FourierOptions{20, o, seed}))
			e := product(f, x, y) - k.At(x, y)
			squares[o] += e * e
		}
	}
	if squares[true] > 0.8*squares[false] {
		t.Errorf("variances are %v", squares)
	}
}

// The bounds hold on 500 maps; they are far from sharp.
func TestBounds(t *testing.T) {
	k := kernels.SquaredExponential(1)
	x, y := []float64{0}, []float64{1.5}
	over, anywhere := 0, 0
	const maps, e = 500, 0.25
	var f *Fourier
	for seed := range uint64(maps) {
		f = fixture.Get[*Fourier](t)(NewFourier(k, 1, FourierOptions{100, false, seed}))
		if math.Abs(product(f, x, y)-k.At(x, y)) > e {
			over++
		}
		for d := 0.0; d < 4; d += 0.1 {
			if math.Abs(product(f, x, []float64{d})-k.At(x, []float64{d})) > e {
				anywhere++
				break
			}
		}
	}
	if got := f.Bound(e); float64(over)/maps > got || !(got < 0.1) {
		t.Errorf("share is %v, bound %v", float64(over)/maps, got)
	}
	near(t, "Bound", f.Bound(e), 2*math.Exp(-100*e*e/2), 1e-14)
	wide := fixture.Get[*Fourier](t)(NewFourier(k, 1, FourierOptions{6000, false, 1}))
	if got := wide.UniformBound(e, 4); !(got < 0.01) || float64(anywhere)/maps > f.UniformBound(e, 4) {
		t.Errorf("uniform bound is %v", got)
	}
	near(t, "UniformBound", wide.UniformBound(e, 4), 256*256*math.Exp(-6000*e*e/12), 1e-12)
}

func TestLandmarks(t *testing.T) {
	x := fixture.Normals(1, 300, 2, 0)
	for name, k := range theKernels() {
		f := fixture.Get[*Landmarks](t)(ChooseLandmarks(k, x, 60))
		z := f.Rows()
		for i := range 3 {
			near(t, name+" at landmarks", product(f, z.RawRowView(i), x.RawRowView(7)),
				k.At(z.RawRowView(i), x.RawRowView(7)), 1e-9)
		}
		for i := range 30 {
			a, b := x.RawRowView(i), x.RawRowView(i+50)
			bound := math.Sqrt(f.Residual(a) * f.Residual(b))
			if e := math.Abs(product(f, a, b) - k.At(a, b)); e > bound+1e-12 {
				t.Errorf("%s: error is %v, bound %v", name, e, bound)
			}
		}
	}
	same := mat.NewDense(5, 1, []float64{1, 1, 2, 2, 2})
	f := fixture.Get[*Landmarks](t)(ChooseLandmarks(theKernels()["se"], same, 5))
	if f.Len() != 2 {
		t.Errorf("%d landmarks of two rows", f.Len())
	}
}

// Sums in one pass, in parts and merged, are the statistics of the Gram matrices of the features.
func TestStatistics(t *testing.T) {
	x, y := fixture.Normals(1, 300, 2, 0), fixture.Normals(2, 200, 2, 0.3)
	k := kernels.SquaredExponential(1)
	f := fixture.Get[*Fourier](t)(NewFourier(k, 2, FourierOptions{Pairs: 20}))
	g := fixture.Get[*Landmarks](t)(ChooseLandmarks(k, x, 15))
	gram := func(m Map, x *mat.Dense) *mat.SymDense {
		n, _ := x.Dims()
		w := mat.NewDense(n, m.Len(), nil)
		m.Write(w.RawMatrix().Data, x.RawMatrix().Data)
		out := mat.NewSymDense(n, nil)
		out.SymOuterK(1, w)
		return out
	}
	for _, m := range []Map{f, g} {
		a, b, c := NewMean(m), NewMean(m), NewMean(m)
		data := x.RawMatrix().Data
		for _, add := range []error{a.Add(data[:170]), c.Add(data[170:]), a.Merge(c),
			b.Add(y.RawMatrix().Data)} {
			if add != nil {
				t.Fatal(add)
			}
		}
		biased, unbiased, err := MMD2(a, b)
		if err != nil {
			t.Fatal(err)
		}
		want := fixture.Get[*statistic.MMD](t)(statistic.NewMMD(gram(m, fixture.Pooled(x, y)), 300))
		near(t, "biased", biased, want.Biased(), 1e-12)
		near(t, "unbiased", unbiased, fixture.Get[float64](t)(want.Unbiased()), 1e-12)
		at := make([]float64, 200)
		if err := a.At(at, y.RawMatrix().Data); err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for i := range 300 {
			mean += product(m, x.RawRowView(i), y.RawRowView(3)) / 300
		}
		near(t, "embedding", at[3], mean, 1e-12)
	}
	part := mat.DenseCopyOf(x.Slice(0, 200, 0, 2))
	half, rest := NewCross(f, g), NewCross(f, g)
	px, py := part.RawMatrix().Data, y.RawMatrix().Data
	if err := half.Add(px[:300], py[:300]); err != nil {
		t.Fatal(err)
	}
	if err := rest.Add(px[300:], py[300:]); err != nil {
		t.Fatal(err)
	}
	if err := half.Merge(rest); err != nil {
		t.Fatal(err)
	}
	want := fixture.Get[*statistic.HSIC](t)(statistic.NewHSIC(gram(f, part), gram(g, y)))
	near(t, "HSIC", fixture.Get[float64](t)(half.HSIC()), want.Biased(), 1e-12)
}

// A million rows in one pass. Memory does not grow, and the embedding of N(0, I) is that of the
// features, E cos(w'x) = exp(-|w|²/2), to 5 standard errors: a false alarm in 1 of 50,000 seeds.
func TestMillion(t *testing.T) {
	k := kernels.SquaredExponential(1)
	f := fixture.Get[*Fourier](t)(NewFourier(k, 2, FourierOptions{Pairs: 16}))
	a := NewMean(f)
	r := rand.New(rand.NewPCG(1, 2))
	chunk := make([]float64, 2*1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		for i := range chunk {
			chunk[i] = r.NormFloat64()
		}
		if err := a.Add(chunk); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<16 || a.Rows() != 1e6 {
		t.Errorf("%d rows took %d bytes", a.Rows(), grown)
	}
	mean := make([]float64, f.Len())
	a.Embedding(mean)
	for p, w := range f.Frequencies() {
		want := f.scale * math.Exp(-(w[0]*w[0]+w[1]*w[1])/2)
		if math.Abs(mean[p]-want) > 5*f.scale*math.Sqrt(0.5/1e6)*math.Sqrt2 ||
			math.Abs(mean[16+p]) > 5*f.scale*math.Sqrt(1/1e6) {
			t.Errorf("feature %d is %v and %v, want %v and 0", p, mean[p], mean[16+p], want)
		}
	}
}

func TestMapsDoNotAllocate(t *testing.T) {
	x := fixture.Normals(1, 50, 2, 0)
	k := kernels.SquaredExponential(1)
	f := fixture.Get[*Fourier](t)(NewFourier(k, 2, FourierOptions{Pairs: 20}))
	for _, m := range []Map{f, fixture.Get[*Landmarks](t)(ChooseLandmarks(k, x, 15))} {
		a, data := NewMean(m), x.RawMatrix().Data
		if n := testing.AllocsPerRun(5, func() { _ = a.Add(data) }); n > 0 {
			t.Errorf("%T: %v allocations", m, n)
		}
	}
}

func TestErrors(t *testing.T) {
	k := kernels.SquaredExponential(1)
	x := fixture.Normals(1, 5, 2, 0)
	f := fixture.Get[*Fourier](t)(NewFourier(k, 2, FourierOptions{Pairs: 3}))
	other := fixture.Get[*Fourier](t)(NewFourier(k, 2, FourierOptions{Pairs: 3, Seed: 1}))
	fourier := func(k kernels.Kernel, d int, o FourierOptions) error {
		_, err := NewFourier(k, d, o)
		return err
	}
	marks := func(k kernels.Kernel, n int) error { _, err := ChooseLandmarks(k, x, n); return err }
	_, _, maps := MMD2(NewMean(f), NewMean(other))
	_, _, few := MMD2(NewMean(f), NewMean(f))
	_, pairs := NewCross(f, f).HSIC()
	for want, err := range map[string]error{
		"kernel is nil":                 fourier(nil, 2, FourierOptions{}),
		"number of columns is 0":        fourier(k, 0, FourierOptions{}),
		"want a radial one":             fourier(kernels.Linear{}, 2, FourierOptions{}),
		"number of pairs is -1":         fourier(k, 2, FourierOptions{Pairs: -1}),
		"0 landmarks are wanted":        marks(k, 0),
		"kernel is nil, want":           marks(nil, 3),
		"points has 3 numbers":          NewMean(f).Add([]float64{1, 2, 3}),
		"row 1, column 2":               NewMean(f).Add([]float64{1, math.NaN()}),
		"different maps":                maps,
		"samples have 0 and 0 rows":     few,
		"there are 0 pairs":             pairs,
		"want the same":                 NewMean(f).Merge(NewMean(other)),
		"x has 1 rows and y 2":          NewCross(f, f).Add([]float64{1, 2}, []float64{1, 2, 3, 4}),
		"embedding has 0 rows":          NewMean(f).At([]float64{0}, []float64{1, 2}),
		"sums have different maps":      NewCross(f, f).Merge(NewCross(f, other)),
		"x has 1 numbers, want 2 for e": NewCross(f, f).Add([]float64{1}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "features: ") {
			t.Errorf("error is %v, want %q in it", err, want)
		}
	}
}
