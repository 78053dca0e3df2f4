package figure

import (
	"math"
	"slices"
	"testing"
)

// The area where a function is above zero is that of the closed form: a disc, a ring (its hole
// turned the other way), all of the grid, nothing.
func TestArea(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     func(x, y float64) float64
		loops int
		area  float64
	}{
		{"disc", func(x, y float64) float64 { return 1 - x*x - y*y }, 1, math.Pi},
		{"ring", func(x, y float64) float64 { r := math.Hypot(x, y); return (r - 0.5) * (1.5 - r) }, 2,
			math.Pi * 2},
		{"half a disc", func(x, y float64) float64 { return 1 - (x-2)*(x-2) - y*y }, 1, math.Pi / 2},
		{"all", func(x, y float64) float64 { return 1 }, 1, 16},
		{"nothing", func(x, y float64) float64 { return -1 }, 0, 0},
		{"ring and disc", func(x, y float64) float64 {
			r := math.Hypot(x, y)
			return max((r-1)*(1.5-r), 0.5-r)
		}, 3, math.Pi * (1.25 + 0.25)},
	} {
		l := lattice{x: span(-2, 2, 201), y: span(-2, 2, 201)}
		for _, x := range l.x {
			for _, y := range l.y {
				l.z = append(l.z, c.f(x, y))
			}
		}
		loops, sum := l.area(), 0.0
		for _, loop := range loops {
			sum += turn(loop) / 2
		}
		if len(loops) != c.loops || math.Abs(sum-c.area) > 0.01 {
			t.Errorf("%s: %d loops of area %.4f, want %d of %.4f", c.name, len(loops), sum, c.loops, c.area)
		}
	}
}

// Only the sides are coloured: without them no mark of the plane has a colour but the points.
func TestNoSidesNoColour(t *testing.T) {
	colours := func(w Drawer) (n int) {
		p, err := w.plan()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range p.forWeb(wideWidth).marks {
			c := m.fill
			if m.pen.width > 0 {
				c = m.pen.color
			}
			if m.text == nil && len(m.discs) == 0 && (c.R != 0 || c.G != 0 || c.B != 0) {
				n++
			}
		}
		return n
	}
	plane, dependence, line := planeFixture(30, 0.1), dependenceFixture(), witnessFixture(100)
	for name, w := range map[string]Drawer{"plane": plane, "dependence": dependence} {
		if colours(w) == 0 {
			t.Errorf("%s: nothing is coloured", name)
		}
	}
	with := colours(line)
	plane.Sides, dependence.Sides, line.Regions = nil, nil, nil
	for name, w := range map[string]Drawer{"plane": plane, "dependence": dependence} {
		if n := colours(w); n != 0 {
			t.Errorf("%s: %d coloured marks", name, n)
		}
	}
	// Two areas and two lines of the densities, two rugs.
	if n := colours(line); n != 6 || with <= n {
		t.Errorf("witness: %d coloured marks, with regions %d", n, with)
	}
}

// Regions keep their ends: the coloured part of a band is that between them.
func TestInside(t *testing.T) {
	b := ribbonOf(span(0, 4, 5), 1, func(x float64) float64 { return x * 10 })
	part := b.inside(0.5, 2.25)
	if !slices.Equal(part.X, []float64{0.5, 1, 2, 2.25}) ||
		!slices.Equal(part.Mean, []float64{5, 10, 20, 22.5}) {
		t.Errorf("part %+v", part)
	}
	if part := b.inside(1.25, 1.5); !slices.Equal(part.X, []float64{1.25, 1.5}) {
		t.Errorf("between two points: %v", part.X)
	}
	regions := Excluded(ribbonOf(span(-2, 2, 5), 0.5, func(x float64) float64 { return x }))
	if !slices.Equal(regions, []Region{{0.5, 2, 0}, {-2, -0.5, 1}}) {
		t.Errorf("regions %v", regions)
	}
	if got := Sides([]float64{1, -1, -2}, []float64{2, 1, -1}); !slices.Equal(got, []int{1, 0, -1}) {
		t.Errorf("sides %v", got)
	}
}
