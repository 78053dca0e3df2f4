package figure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// fixture is a figure of the tests.
type fixture struct {
	name string
	d    Drawer
}

func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// normals gives n draws from N(mean, sd^2).
func normals(rng *rand.Rand, n int, mean, sd float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = mean + sd*rng.NormFloat64()
	}
	return xs
}

// laplaces gives n draws of variance 1.
func laplaces(rng *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = (rng.ExpFloat64() - rng.ExpFloat64()) * math.Sqrt(0.5)
	}
	return xs
}

// cauchys gives n draws with tails without a mean.
func cauchys(rng *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = math.Tan(math.Pi * (rng.Float64() - 0.5))
	}
	return xs
}

// span is n points from lo to hi.
func span(lo, hi float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = lo
		if n > 1 {
			xs[i] += (hi - lo) * float64(i) / float64(n-1)
		}
	}
	return xs
}

// ribbonOf is the band f(x) - half to f(x) + half.
func ribbonOf(xs []float64, half float64, f func(float64) float64) Ribbon {
	b := Ribbon{X: xs}
	for _, x := range xs {
		y := f(x)
		b.Mean = append(b.Mean, y)
		b.Lower, b.Upper = append(b.Lower, y-half), append(b.Upper, y+half)
	}
	return b
}

func witnessFixture(n int) Witness1D {
	rng := source()
	f := func(x float64) float64 {
		side := math.Abs(x) - 1.2
		return 0.05*math.Exp(-3*side*side) - 0.1*math.Exp(-2*x*x)
	}
	return Witness1D{Title: "Normal against Laplace",
		Samples: []Sample{{Name: "P", Values: normals(rng, n, 0, 1)}, {Name: "Q", Values: laplaces(rng, n)}},
		Band:    ribbonOf(span(-4, 4, 200), 0.03, f), Level: 0.8, Points: span(-2, 2, 9),
		Regions: Excluded(ribbonOf(span(-4, 4, 200), 0.03, f)),
		Marks:   []Mark{{X: 0, Label: "strongest"}}}
}

// traceFixture has autocorrelated lognormal chains at very different scales.
func traceFixture(parameters, chains, n int) Trace {
	rng := source()
	t := Trace{Title: "Draws after warm-up"}
	names := []string{"theta", "tau2", "eta", "θ₁ with a rather long name", "a", "b", "c", "d"}
	scales := []float64{0.3, 0.02, 1e8, 1e-8, 5, 6, 7, 8}
	for i := range parameters {
		var all [][]float64
		for range chains {
			xs, x := make([]float64, n), 0.0
			for k := range xs {
				x = 0.5*x + rng.NormFloat64()
				xs[k] = math.Exp(0.3*x) * scales[i%8]
			}
			all = append(all, xs)
		}
		t.Names, t.Chains = append(t.Names, names[i%8]), append(t.Chains, all)
		t.RHat, t.ESS = append(t.RHat, 1.0012), append(t.ESS, 812.3)
	}
	for range chains {
		d := make([]bool, n)
		d[n/3] = true
		t.Divergent = append(t.Divergent, d)
	}
	return t
}

func profileFixture() Profile {
	f := func(theta float64) float64 {
		l := math.Log(theta)
		return -12000 - 400*(l-1)*(l-1) - 2*math.Exp(-4*l) +
			700*math.Exp(-4*(l+0.16)*(l+0.16)) + 900*math.Exp(-9*(l-2)*(l-2))
	}
	p := Profile{Title: "Log pseudolikelihood of the 3 x 3 grid", Flat: -12100,
		Modes: []Mark{{0.89, f(0.89), "θ = 0.89"}, {7.34, f(7.34), "θ = 7.34"}},
		Medians: []Mark{{X: 9.8, Label: "median"}, {X: 13.9, Label: "√2 median"},
			{X: 6.9, Label: "median/√2"}}}
	for _, l := range span(math.Log(0.05), math.Log(100), 150) {
		theta := math.Exp(l)
		p.Theta, p.LogLik = append(p.Theta, theta), append(p.LogLik, f(theta))
	}
	return p
}

func cloudOf(rng *rand.Rand, name string, n int, shift, sdY float64) Cloud {
	c := Cloud{Name: name}
	for range n {
		c.Points = append(c.Points, [2]float64{shift + rng.NormFloat64(), sdY * rng.NormFloat64()})
	}
	return c
}

// planeFixture has a witness of the given height on a grid of side points.
func planeFixture(side int, height float64) Witness2D {
	rng := source()
	w := Witness2D{Title: "Wind against temperature", Level: 0.8, XLabel: "temperature (°F)",
		YLabel: "wind (mph)", X: span(-3, 4, side), Y: span(-3, 3, side),
		Samples: []Cloud{cloudOf(rng, "P", 400, 0, 1), cloudOf(rng, "Q", 400, 0.8, 0.7)}}
	for _, x := range w.X {
		for _, y := range w.Y {
			m := height * (math.Exp(-((x+0.8)*(x+0.8)+y*y)/2) -
				1.2*math.Exp(-((x-1.5)*(x-1.5)+2*y*y)/2))
			w.Mean = append(w.Mean, m)
			w.Lower, w.Upper = append(w.Lower, m-0.3*height), append(w.Upper, m+0.3*height)
		}
	}
	w.Sides = Sides(w.Lower, w.Upper)
	return w
}

// pairsFixture has n planes, of which the second has nothing to be coloured.
func pairsFixture(n int) Pairs {
	f := Pairs{Title: "Pairs of columns"}
	for i := range n {
		w := planeFixture(20, 0.1)
		if i == 1 {
			w.Sides = nil
		}
		f.Planes, f.P = append(f.Planes, w), append(f.P, 0.004*float64(i+1))
	}
	return f
}

func forestFixture(n int) Forest {
	f := Forest{Title: "Columns", Correction: "Holm", Alpha: 0.05}
	for i := range n {
		p := min(1, 0.001*math.Pow(2.2, float64((i*7)%n)))
		f.Names = append(f.Names, fmt.Sprintf("column %d", i+1))
		f.P, f.Corrected = append(f.P, p), append(f.Corrected, min(1, 3*p))
	}
	return f
}

func intervalsFixture(n int) Intervals {
	f := Intervals{Title: "Distances", Each: "pair", Level: 0.9, XLabel: "distance"}
	for i := range n {
		v := 0.2 * float64(i)
		f.Names = append(f.Names, fmt.Sprintf("a and sample %d", i+1))
		f.Value, f.Lower, f.Upper = append(f.Value, v), append(f.Lower, max(0, v-0.3)), append(f.Upper, v+0.3)
	}
	return f
}

func dependenceFixture() Dependence {
	rng := source()
	d := Dependence{Title: "height and weight", X: span(-3, 3, 31), Y: span(-3, 3, 31), Level: 0.95,
		XLabel: "height (cm)", YLabel: "weight (kg)"}
	for range 300 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		d.Pairs = append(d.Pairs, [2]float64{a, 0.7*a + 0.7*b})
	}
	for _, x := range d.X {
		for _, y := range d.Y {
			m := 0.02 * x * y * math.Exp(-(x*x+y*y)/3)
			d.Mean = append(d.Mean, m)
			d.Lower, d.Upper = append(d.Lower, m-0.004), append(d.Upper, m+0.004)
		}
	}
	d.Sides = Sides(d.Lower, d.Upper)
	return d
}

func nullFixture() Null {
	rng := source()
	n := Null{Title: "Permutation null of MMD²", Statistic: 0.012, Critical: 0.0081, Alpha: 0.05,
		PValue: 0.004, XLabel: "MMD²"}
	for range 1000 {
		z := rng.NormFloat64()
		n.Draws = append(n.Draws, 0.002*z*z)
	}
	return n
}

func curvesFixture(t testing.TB) Curves {
	c := Curves{Title: "Type II error at level 0.05", XLabel: "ε", YLabel: "type II error",
		YRange: [2]float64{0, 1}, Note: "95% intervals", Lines: []Mark{{Y: 0.95, Label: "level"}}}
	x := []float64{1, 2, 3, 4, 6, 8, 10}
	n := []int{100, 100, 100, 100, 100, 100, 100}
	for i, name := range []string{"median", "learned, weight 1", "learned, 0.9 d/m",
		"posterior-averaged", "MMDAgg", "MMD-FUSE"} {
		k := make([]int, len(x))
		for j, v := range x {
			k[j] = int(100 / (1 + math.Exp((v-8+float64(i))*1.2)))
		}
		s, err := Proportions(name, x, k, n, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// powerFixture is a power that grows with the number of rows, and the number that is enough.
func powerFixture(t testing.TB) Curves {
	x, n := []float64{20, 40, 57, 80, 160}, []int{200, 200, 200, 200, 200}
	s, err := Proportions("power", x, []int{22, 83, 121, 168, 199}, n, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	return Curves{Title: "Power of the test", XLabel: "rows in each sample", YLabel: "power",
		LogX: true, YRange: [2]float64{0, 1}, Series: []Series{s}, Note: "95% intervals",
		Lines: []Mark{{Y: 0.8, Label: "wanted: 0.8"}}, Uprights: []Mark{{X: 80, Label: "80 rows"}}}
}

// embeddingFixtures are prior draws, an empirical embedding and a posterior beside the truth.
func embeddingFixtures() []Drawer {
	rng := source()
	x := span(-2, 2, 200)
	prior := Embedding{Title: "Draws from the prior", X: x, YLabel: "μ(x)"}
	for range 6 {
		a, b := 6*rng.Float64(), 3*rng.Float64()
		f := make([]float64, len(x))
		for i := range x {
			f[i] = math.Sin(a+3*x[i]) + math.Cos(b*x[i]+a)
		}
		prior.Draws = append(prior.Draws, f)
	}
	rug := normals(rng, 20, 0, 0.6)
	mean := func(x float64) float64 {
		sum := 0.0
		for _, r := range rug {
			sum += math.Exp(-(x-r)*(x-r)*50) / 20
		}
		return sum
	}
	empirical := Embedding{Title: "Empirical embedding", X: x, YLabel: "μ̂(x)", Rug: rug,
		Empirical: ribbonOf(x, 0, mean).Mean}
	posterior := Embedding{Title: "Posterior beside the truth", X: x, Rug: rug, Level: 0.8,
		Band: ribbonOf(x, 0.05, mean)}
	for _, v := range x {
		posterior.Truth = append(posterior.Truth, 0.25*math.Exp(-v*v/0.74))
	}
	return []Drawer{prior, empirical, posterior}
}

// plainFixtures has one figure of each kind.
func plainFixtures(t testing.TB) []fixture {
	w := planeFixture(40, 0.1)
	e := embeddingFixtures()
	return []fixture{
		{"witness1d", witnessFixture(400)},
		{"witness2d", w},
		{"pairs", pairsFixture(4)},
		{"forest", forestFixture(9)},
		{"dependence", dependenceFixture()},
		{"network", networkFixture(12)},
		{"surface", Surface{Title: "Witness", X: w.X, Y: w.Y, Mean: w.Mean}},
		{"scatter", Scatter{Title: "Q", Samples: w.Samples[1:], XLabel: "x", YLabel: "y", Hue: 1}},
		{"trace", traceFixture(2, 4, 200)},
		{"profile", profileFixture()},
		{"null", nullFixture()},
		{"curves", curvesFixture(t)},
		{"power", powerFixture(t)},
		{"prior", e[0]},
		{"empirical", e[1]},
		{"posterior", e[2]},
		{"novelty1d", noveltyFixture()},
		{"novelty2d", noveltyPlane()},
		{"map", mapFixture(9)},
		{"intervals", intervalsFixture(9)},
		{"cells", Cells{Title: "Columns", Side: "row", Rows: []string{"7", "12"}, Columns: []string{"a", "b", "c"},
			Shade: []float64{0, 1, 0.2, 0.6, 0, 0.1}, Text: []string{"0.1", "17", "2.5", "-6", "0", "1"}}},
	}
}

// networkFixture has edges of all kinds, some of them long, and a node without any.
func networkFixture(n int) Network {
	f := Network{Title: "Causes of ozone"}
	for i := range n {
		f.Nodes = append(f.Nodes, []string{"temperature", "wind", "ozone", "pressure at 500 hPa"}[i%4]+
			fmt.Sprint(" ", i+1))
	}
	for i := range n - 2 {
		f.Edges = append(f.Edges, NetworkEdge{From: i, To: i + 1 + i%2, ArrowTo: i%3 > 0,
			ArrowFrom: i%6 == 4, Frequency: float64(i+1) / float64(n)})
		if j := i + 4; j < n-1 {
			f.Edges = append(f.Edges, NetworkEdge{From: j, To: i, ArrowFrom: true, Frequency: 1})
		}
	}
	return f
}

// noveltyFixture has five new rows, two of them novel.
func noveltyFixture() Novelty1D {
	f := Novelty1D{Title: "Novelty of new beside known", X: span(-4, 7, 200), XLabel: "width",
		Known: normals(source(), 60, 0, 1), New: []float64{-0.5, 0.2, 1.3, 4.4, 6.1},
		Novel: []bool{false, false, false, true, true}, KnownName: "known", Name: "new",
		Level: 0.05}
	density := func(x float64) float64 { return math.Exp(-x * x / 2) }
	for _, x := range f.X {
		f.Value = append(f.Value, density(x))
	}
	for _, x := range f.New {
		f.At = append(f.At, density(x))
	}
	return f
}

func noveltyPlane() Novelty2D {
	rng := source()
	f := Novelty2D{Title: "Novelty of new beside known", X: span(-4, 4, 40), Y: span(-4, 4, 40),
		XLabel: "width", YLabel: "height", Known: Cloud{Name: "known"},
		Levels: []float64{0.05, 0.2, 0.5}, New: Cloud{Name: "new"}}
	for range 60 {
		f.Known.Points = append(f.Known.Points, [2]float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	for i := range 8 {
		f.New.Points = append(f.New.Points, [2]float64{rng.NormFloat64(), float64(i) / 2})
		f.Novel = append(f.Novel, i > 5)
	}
	for _, x := range f.X {
		for _, y := range f.Y {
			f.Value = append(f.Value, math.Exp(-(x*x+y*y)/2))
		}
	}
	return f
}

func mapFixture(n int) Map {
	rng := source()
	f := Map{Title: "Map of samples", XLabel: "first coordinate", YLabel: "second coordinate",
		Note: "81% of the squared distances"}
	for i := range n {
		f.Names = append(f.Names, fmt.Sprint("sample ", i+1))
		f.Points = append(f.Points, [2]float64{3 * rng.NormFloat64(), rng.NormFloat64()})
	}
	return f
}
