package figure

import (
	"image/color"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func texts(s scale) (out []string) {
	for _, t := range s.ticks {
		if t.txt != "" {
			txt := t.txt
			if t.sup != "" {
				txt += "^" + t.sup
			}
			out = append(out, txt)
		}
	}
	return out
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		s    scale
		want string
		note string
	}{
		{linear(0, 1, 5), "0.0 0.2 0.4 0.6 0.8 1.0", ""},
		{linear(-4, 4, 8), "−4 −3 −2 −1 0 1 2 3 4", ""},
		{linear(-0.15, 0.08, 5), "−0.15 −0.10 −0.05 0.00 0.05", ""},
		{linear(0, 24000, 3), "0 10000 20000", ""},
		{linear(0, 3e8, 3), "0 1 2 3", "×10^8"},
		{linear(0, 3.2e-8, 4), "0 1 2 3", "×10^−8"},
		{linear(1e8-2, 1e8+2, 4), "−2 −1 0 1 2", "+100000000"},
		{linear(-1e6-2e-5, -1e6+2e-5, 5), "−2 −1 0 1 2", "−1000000  ×10^−5"},
		{linear(0.999, 1.001, 2), "0.999 1.000 1.001", ""},
		{logarithmic(0.05, 100, 6), "0.1 1 10 100", ""},
		{logarithmic(1, 1e10, 6), "1 10^2 10^4 10^6 10^8 10^10", ""},
		{logarithmic(1, 100, 8), "1 2 5 10 20 50 100", ""},
		{logarithmic(1e-7, 1e-5, 3), "10^−7 10^−6 10^−5", ""},
		{logarithmic(1, 2, 5), "1.0 1.2 1.4 1.6 1.8 2.0", ""},
	} {
		note := c.s.note.txt
		if c.s.note.sup != "" {
			note += "^" + c.s.note.sup
		}
		if got := strings.Join(texts(c.s), " "); got != c.want || note != c.note {
			t.Errorf("[%v, %v]: %q with %q, want %q with %q", c.s.min, c.s.max, got, note,
				c.want, c.note)
		}
	}
}

// Whatever the range, there are two to fifteen ticks, inside, ascending, with labels that say
// where they are.
func TestTicksProperties(t *testing.T) {
	rng := source()
	plain := strings.NewReplacer("−", "-", "+", "", "×10", "")
	value := func(txt string) float64 {
		v, err := strconv.ParseFloat(plain.Replace(txt), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for range 5000 {
		width := math.Pow(10, 40*rng.Float64()-20)
		lo := width * (rng.Float64() - 0.5) * math.Pow(10, 12*rng.Float64()-2)
		lo, hi := spread(lo, lo+width, 0.02)
		n := 2 + rng.IntN(7)
		s := linear(lo, hi, n)
		if len(s.ticks) < 2 || len(s.ticks) > 15 {
			t.Fatalf("linear(%v, %v, %d): %d ticks", lo, hi, n, len(s.ticks))
		}
		offset, factor := 0.0, 1.0
		if s.note.sup != "" {
			factor = math.Pow10(int(value(s.note.sup)))
		}
		if txt, _, _ := strings.Cut(s.note.txt, "  "); txt != "" && txt != "×10" {
			offset = value(txt)
		}
		for i, tick := range s.ticks {
			if tick.at < lo || tick.at > hi || i > 0 && tick.at <= s.ticks[i-1].at {
				t.Fatalf("linear(%v, %v, %d): tick %v", lo, hi, n, tick.at)
			}
			if got := offset + factor*value(tick.txt); math.Abs(got-tick.at) > 1e-3*(hi-lo) {
				t.Fatalf("linear(%v, %v, %d): %q with %q at %v", lo, hi, n, tick.txt, s.note.txt, tick.at)
			}
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range [][4]float64{
		{0, 1, 0, 1}, {0, 0, -1, 1}, {5, 5, 4.5, 5.5}, {-1e8, -1e8, -1.1e8, -0.9e8},
		{1e-300, 2e-300, -1, 1},
	} {
		lo, hi := spread(c[0], c[1], 0)
		if math.Abs(lo-c[2]) > 1e-9*math.Abs(c[2]) || math.Abs(hi-c[3]) > 1e-9*math.Abs(c[3]) {
			t.Errorf("spread(%v, %v) = %v, %v, want %v, %v", c[0], c[1], lo, hi, c[2], c[3])
		}
	}
}

// The binned density agrees with the sum over all values at the same bandwidth; sharing values
// between bins an eighth of a bandwidth wide or less costs under 1% of the peak.
func TestDensity(t *testing.T) {
	rng := source()
	values := append(normals(rng, 300, 0, 1), normals(rng, 100, 4, 0.5)...)
	values = append(values, 1e6, -1e6)
	h := bandwidth(values)
	xs, ys := density(values, -3, 6)
	_, peak := extent(ys)
	for i, x := range xs {
		want := 0.0
		for _, v := range values {
			z := (x - v) / h
			want += math.Exp(-z*z/2) / (h * math.Sqrt(2*math.Pi) * float64(len(values)))
		}
		if math.Abs(ys[i]-want) > 0.01*peak {
			t.Fatalf("density at %v is %v, want %v", x, ys[i], want)
		}
	}
	if xs[0] != -3 || math.Abs(xs[len(xs)-1]-6) > 1e-12 {
		t.Errorf("from %v to %v", xs[0], xs[len(xs)-1])
	}
}

// Silverman's rule: for 1..9, sd = 2.7386, IQR/1.34 = 2.9851, so 0.9 * 2.7386 * 9^(-0.2) = 1.5883.
func TestBandwidth(t *testing.T) {
	if got := bandwidth([]float64{9, 2, 3, 8, 5, 6, 7, 4, 1}); math.Abs(got-1.5883) > 1e-4 {
		t.Errorf("bandwidth %v, want 1.5883", got)
	}
	if got := bandwidth([]float64{3, 3, 3}); got != 0 {
		t.Errorf("of a constant: %v, want 0", got)
	}
}

// Bars have the area of the values they show.
func TestHistogram(t *testing.T) {
	values := normals(source(), 1000, 5, 2)
	lo, hi := extent(values)
	edges, heights := histogram(values, lo, hi)
	area := 0.0
	for i, h := range heights {
		area += h * (edges[i+1] - edges[i])
	}
	if math.Abs(area-1) > 1e-9 || len(heights) < 15 || len(heights) > 60 {
		t.Errorf("area %v in %d bars", area, len(heights))
	}
}

// A circle of radius 1.5 comes out as one closed line that keeps to it.
func TestContourCircle(t *testing.T) {
	grid := lattice{x: span(-2, 2, 41), y: span(-2.1, 2.2, 37)}
	for _, x := range grid.x {
		for _, y := range grid.y {
			grid.z = append(grid.z, 1.5-math.Hypot(x, y))
		}
	}
	lines := grid.contour()
	if len(lines) != 1 || lines[0][0] != lines[0][len(lines[0])-1] {
		t.Fatalf("%d lines", len(lines))
	}
	length := 0.0
	for i, q := range lines[0] {
		if r := math.Hypot(q[0], q[1]); math.Abs(r-1.5) > 0.005 {
			t.Errorf("point %v at radius %v", q, r)
		}
		if i > 0 {
			length += math.Hypot(q[0]-lines[0][i-1][0], q[1]-lines[0][i-1][1])
		}
	}
	if math.Abs(length-3*math.Pi) > 0.03 {
		t.Errorf("length %v, want %v", length, 3*math.Pi)
	}
}

// A plane gives a line from rim to rim, a saddle two lines, one sign none.
func TestContourOpen(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(x, y float64) float64
		want int
	}{
		{"plane", func(x, y float64) float64 { return x + 0.3*y + 0.01 }, 1},
		{"saddle", func(x, y float64) float64 { return x*y + 0.01 }, 2},
		{"positive", func(x, y float64) float64 { return 1 }, 0},
		{"zero", func(x, y float64) float64 { return 0 }, 0},
	} {
		grid := lattice{x: span(-1, 1, 10), y: span(-1, 1, 10)}
		for _, x := range grid.x {
			for _, y := range grid.y {
				grid.z = append(grid.z, c.f(x, y))
			}
		}
		if got := len(grid.contour()); got != c.want {
			t.Errorf("%s: %d lines, want %d", c.name, got, c.want)
		}
	}
}

// Stretches of a band that exclude zero end where a limit crosses it.
func TestExcluded(t *testing.T) {
	band := ribbonOf(span(-2, 2, 5), 0.5, func(x float64) float64 { return x })
	sides := excluded(band)
	if len(sides[0]) != 1 || len(sides[1]) != 1 {
		t.Fatalf("%d and %d stretches", len(sides[0]), len(sides[1]))
	}
	if got := sides[0][0].X; !slices.Equal(got, []float64{0.5, 1, 2}) {
		t.Errorf("above: %v", got)
	}
	if got := sides[1][0].X; !slices.Equal(got, []float64{-2, -1, -0.5}) {
		t.Errorf("below: %v", got)
	}
	none := excluded(ribbonOf(span(-2, 2, 5), 0, func(float64) float64 { return 0 }))
	if len(none[0])+len(none[1]) != 0 {
		t.Errorf("of zero: %v", none)
	}
}

// Limits of the hypergeometric distribution against exact rational sums.
func TestHypergeometric(t *testing.T) {
	for _, c := range []struct {
		total, marked, n int
		p                float64
	}{{800, 80, 200, 0.005 / 40}, {20, 5, 10, 0.02}, {6, 6, 3, 0.1}, {40, 4, 20, 0.3}} {
		lo, hi := hypergeometric(c.total, c.marked, c.n, c.p)
		all := new(big.Int).Binomial(int64(c.total), int64(c.n))
		tail := func(from, to int) float64 { // probability of from..to
			sum := new(big.Int)
			for k := max(from, 0); k <= min(to, c.n, c.marked); k++ {
				a := new(big.Int).Binomial(int64(c.marked), int64(k))
				b := new(big.Int).Binomial(int64(c.total-c.marked), int64(c.n-k))
				sum.Add(sum, a.Mul(a, b))
			}
			v, _ := new(big.Rat).SetFrac(sum, all).Float64()
			return v
		}
		if tail(0, int(lo)-1) > c.p || tail(0, int(lo)) <= c.p && lo < hi {
			t.Errorf("%+v: lower limit %v", c, lo)
		}
		if tail(int(hi)+1, c.n) > c.p || tail(int(hi), c.n) <= c.p && lo < hi {
			t.Errorf("%+v: upper limit %v", c, hi)
		}
	}
}

func TestRankCounts(t *testing.T) {
	got := rankCounts([][]float64{{1, 2, 3, 4}, {8, 7, 6, 5}}, 4)
	if !slices.Equal(got[0], []float64{2, 2, 0, 0}) || !slices.Equal(got[1], []float64{0, 0, 2, 2}) {
		t.Errorf("chains apart: %v", got)
	}
	got = rankCounts([][]float64{{1, 1}, {1, 1}}, 2)
	if !slices.Equal(got[0], []float64{0, 2}) || !slices.Equal(got[1], []float64{0, 2}) {
		t.Errorf("ties: %v", got)
	}
}

// The 95% intervals of the score method in Newcombe (1998, Statistics in Medicine 17, table I,
// method 3).
func TestProportions(t *testing.T) {
	s, err := Proportions("", []float64{1, 2, 3, 4}, []int{81, 15, 0, 1},
		[]int{263, 148, 20, 29}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	lower, upper := []float64{0.2553, 0.0624, 0, 0.0061}, []float64{0.3662, 0.1605, 0.1611, 0.1718}
	for i := range lower {
		if math.Abs(s.Lower[i]-lower[i]) > 5e-5 || math.Abs(s.Upper[i]-upper[i]) > 5e-5 {
			t.Errorf("%d: %v to %v, want %v to %v", i, s.Lower[i], s.Upper[i], lower[i], upper[i])
		}
	}
}

// The mean of a rug of a million values is not drawn a million times, nor is a long line.
func TestThinning(t *testing.T) {
	s := newScene(100, 100, "")
	p := &panel{s: s, r: rect(0, 0, 300, 100), x: linear(0, 1, 5), y: linear(0, 1, 5)}
	p.rug(span(0, 1, 100_000), 10, 5, ink)
	if n := len(s.marks[0].path) / 2; n < 300 || n > 350 {
		t.Errorf("%d lines in the rug", n)
	}
	xs := span(0, 1, 100_000)
	ys := make([]float64, len(xs))
	ys[54_321] = 1
	pts := p.thinned(p.points(xs, ys))
	_, top := extent([]float64{0})
	for _, q := range pts {
		top = max(top, float64(q.Y))
	}
	if len(pts) > 1000 || top != 100 {
		t.Errorf("%d points, the highest at %v", len(pts), top)
	}
}

// The bars of what is as extreme as the statistic are on the side where the extremes are, and they
// have a key.
func TestNullTail(t *testing.T) {
	for _, c := range []struct {
		at          float64
		small       bool
		key         bool
		left, right color.NRGBA // of the statistic; the zero colour for no bars
	}{
		{3, false, true, nullColor, tailColor}, {3, true, true, tailColor, nullColor},
		{-1, false, true, color.NRGBA{}, tailColor}, {-1, true, false, color.NRGBA{}, nullColor},
		{11, false, false, nullColor, color.NRGBA{}}, {11, true, true, tailColor, color.NRGBA{}},
	} {
		fig, err := Null{Draws: span(0, 10, 101), Statistic: c.at, Small: c.small,
			Critical: math.NaN(), PValue: math.NaN()}.Draw()
		if err != nil {
			t.Fatal(err)
		}
		marks := fig.s.marks
		line := marks[len(marks)-1].path[0].Pos.X // the statistic's, the last that is drawn
		var left, right color.NRGBA
		key := false
		for _, m := range marks {
			key = key || m.text != nil && m.text.txt == "as extreme as observed"
			if len(m.path) < 8 { // bars make long paths, keys short ones
				continue
			}
			for _, p := range m.path {
				if p.Type == vg.CloseComp {
					continue // without a place
				}
				if p.Pos.X < line-1 {
					left = m.fill
				} else if p.Pos.X > line+1 {
					right = m.fill
				}
			}
		}
		if left != c.left || right != c.right || key != c.key {
			t.Errorf("%+v: colours %v and %v, key %v", c, left, right, key)
		}
	}
}
