package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"bayeskernel/internal/wilson"

	"gonum.org/v1/plot/vg"
)

// Series is a named curve, with an interval at each point or without.
type Series struct {
	Name         string
	X, Y         []float64
	Lower, Upper []float64 // optional
	Apart        bool      // points that no line joins: things beside each other, or what was observed
	Faint        bool      // below all others, and lighter: what was observed
}

// Proportions is the series of k out of n at each x, with Wilson's score intervals (1927) of the
// given level. These keep to [0, 1] and have a width at 0 and n out of n too.
func Proportions(name string, x []float64, k, n []int, level float64) (Series, error) {
	s := Series{Name: name, X: x}
	if len(k) != len(x) || len(n) != len(x) {
		return s, fmt.Errorf("figure: Proportions: %q has %d x, %d k and %d n, want as many of each",
			name, len(x), len(k), len(n))
	}
	if !(level > 0 && level < 1) {
		return s, fmt.Errorf("figure: Proportions: level is %v, want above 0 and below 1", level)
	}
	for i := range x {
		if k[i] < 0 || n[i] < 1 || k[i] > n[i] {
			return s, fmt.Errorf("figure: Proportions: %q has %d out of %d at x = %v",
				name, k[i], n[i], x[i])
		}
		p := float64(k[i]) / float64(n[i])
		lo, hi := wilson.Interval(k[i], n[i], level)
		s.Y = append(s.Y, p)
		s.Lower = append(s.Lower, min(lo, p)) // by rounding only
		s.Upper = append(s.Upper, max(hi, p))
	}
	return s, nil
}

// Curves shows several series in one panel.
type Curves struct {
	Title          string
	Series         []Series
	XLabel, YLabel string
	LogX, LogY     bool
	YRange         [2]float64 // shown at least; equal: as the series need
	Lines          []Mark     // horizontal reference lines at Y, named in the legend; optional
	Uprights       []Mark     // vertical ones at X; optional
	Note           string     // last in the legend, such as what the intervals are; optional
	Levels         []string   // what 0, 1, 2, … are on the x axis; optional
}

// Draw lays the figure out on a page of its own.
func (c Curves) Draw() (*Figure, error) { return single(c) }

func (c Curves) check() error {
	const kind = "Curves"
	if err := nonempty(kind, "Series", len(c.Series)); err != nil {
		return err
	}
	for _, s := range c.Series {
		name, n := strconv.Quote(s.Name), len(s.X)
		err := first(
			nonempty(kind, name, n),
			finite(kind, name+" X", s.X),
			column(kind, name+" Y", s.Y, n, false),
			column(kind, name+" Lower", s.Lower, len(s.Upper), false),
			column(kind, name+" Upper", s.Upper, n, true),
			ordered(kind+" "+name, s.Lower, s.Upper),
		)
		if err != nil {
			return err
		}
		xlo, _ := extent(s.X)
		ylo, _ := extent(s.Y, s.Lower)
		if c.LogX && xlo <= 0 || c.LogY && ylo <= 0 {
			return fmt.Errorf("figure: %s: %s goes down to (%v, %v), want above 0 on a log axis",
				kind, name, xlo, ylo)
		}
	}
	var refs []float64
	for _, m := range c.Lines {
		refs = append(refs, m.Y)
	}
	var uprights []float64
	for _, m := range c.Uprights {
		if uprights = append(uprights, m.X); c.LogX && m.X <= 0 {
			return fmt.Errorf("figure: %s: upright %q is at %v, want above 0 on a log axis", kind, m.Label,
				m.X)
		}
	}
	if c.LogY && c.YRange[0] < c.YRange[1] && c.YRange[0] <= 0 {
		return fmt.Errorf("figure: %s: YRange goes down to %v, want above 0 on a log axis", kind,
			c.YRange[0])
	}
	return first(finite(kind, "Lines", refs), finite(kind, "Uprights", uprights),
		finite(kind, "YRange", c.YRange[:]))
}

func (c Curves) plan() (*plan, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &plan{title: c.Title, w: pageWidth, h: 265, draw: c.draw,
		legend: func(w vg.Length) vg.Length { return room(w, c.keys()) }}, nil
}

// ranges returns what the axes have to show in a panel that is about so wide: at both ends there is
// room for points that are moved aside.
func (c Curves) ranges(width vg.Length) (x, y axis) {
	var xs, ys [][]float64
	for _, s := range c.Series {
		xs, ys = append(xs, s.X), append(ys, s.Y, s.Lower, s.Upper)
	}
	for _, m := range c.Lines {
		if m.Y > 0 || !c.LogY {
			ys = append(ys, []float64{m.Y})
		}
	}
	for _, m := range c.Uprights {
		xs = append(xs, []float64{m.X})
	}
	if c.YRange[0] < c.YRange[1] {
		ys = append(ys, c.YRange[:])
	}
	aside := vg.Length(0)
	for i := range c.Series {
		aside = max(aside, c.dodge(i))
	}
	pad := max(0.03, float64((aside+3)/max(width-2*aside-6, 1)))
	return padded(c.LogX, pad, xs...), padded(c.LogY, 0.04, ys...)
}

// padded is an axis that shows all the numbers and a little more.
func padded(log bool, pad float64, lists ...[]float64) axis {
	lo, hi := extent(lists...)
	if !log || lo <= 0 {
		lo, hi = spread(lo, hi, pad)
		return axis{lo, hi, false}
	}
	if hi <= lo*(1+1e-6) {
		return axis{lo / 2, hi * 2, true}
	}
	d := math.Pow(hi/lo, pad)
	return axis{lo / d, hi * d, true}
}

func (c Curves) draw(s *scene, r vg.Rectangle) {
	p := &panel{s: s, xlabel: c.XLabel, ylabel: c.YLabel, zoom: "x", read: c.readout()}
	x, y := c.ranges(r.Max.X - r.Min.X - 50)
	p.setUp(r, c.keys(), x, y)
	if c.Levels != nil {
		p.zoom, p.x.ticks = "", c.places(p.width()/vg.Length(len(c.Levels)))
	}
	p.axes()
	for i, m := range c.Lines {
		p.level(m.Y, referencePen(i))
	}
	for _, m := range c.Uprights {
		p.upright(m.X, uprightPen)
	}
	for _, faint := range []bool{true, false} {
		for i, one := range c.Series {
			if one.Faint == faint {
				p.series(one, i, c.dodge(i))
			}
		}
	}
	s.leave()
}

// places are the ticks of levels, each of a width at most.
func (c Curves) places(most vg.Length) []tick {
	var out []tick
	for k, name := range c.Levels {
		out = append(out, tick{at: float64(k), txt: fit(name, tickFont, most-6)})
	}
	return out
}

// readout has the series if they are all at the same points; else none.
func (c Curves) readout() *readout {
	x := c.Series[0].X
	r := &readout{X: c.XLabel, At: slices.Clone(x)}
	for _, s := range c.Series {
		if !slices.Equal(s.X, x) || !slices.IsSorted(x) {
			return nil
		}
		r.Rows = append(r.Rows, reading{Name: s.Name, Value: slices.Clone(s.Y),
			Lower: slices.Clone(s.Lower), Upper: slices.Clone(s.Upper), Band: "interval"})
	}
	return r
}

// dodge moves a series sideways by a point or two, so that intervals at one x stand beside each
// other.
func (c Curves) dodge(i int) vg.Length {
	if len(c.Series[i].Lower) == 0 || c.Series[i].band() {
		return 0
	}
	place, all := 0, 0
	for k, s := range c.Series {
		if s.Faint {
			continue
		}
		if all++; k < i {
			place++
		}
	}
	return 1.8 * (vg.Length(place) - vg.Length(all-1)/2)
}

// uprightPen leaves an interval on the line to be seen.
var uprightPen = pen{color: alpha(hue(1), 0.35), width: 4}

func referencePen(i int) pen {
	return pen{color: soft, width: 1, dash: [][]vg.Length{dotted, dashed, mixed}[i%3]}
}

// manyPoints is from where on a curve is drawn without a shape at each point.
const manyPoints = 40

// band reports whether a series is drawn without shapes, and its intervals as one.
func (s Series) band() bool { return len(s.X) > manyPoints && !s.Apart }

// series draws line, intervals and points.
func (p *panel) series(s Series, i int, dodge vg.Length) {
	moved := *p
	moved.r.Min.X += dodge
	moved.r.Max.X += dodge
	if !s.Apart {
		moved.curve(s.X, s.Y, pen{color: hue(i), width: 1.4})
	}
	if s.band() {
		if len(s.Lower) > 0 {
			p.band(s.X, s.Lower, s.Upper, alpha(hue(i), 0.15))
		}
		return
	}
	var bars, points vg.Path
	for k := range s.Lower {
		bars = polyline(bars, []vg.Point{moved.at(s.X[k], s.Lower[k]), moved.at(s.X[k], s.Upper[k])})
	}
	for k := range s.X {
		points = shape(points, i, moved.at(s.X[k], s.Y[k]), 2.7)
	}
	p.s.stroke(bars, pen{color: alpha(hue(i), 0.6), width: 1.1})
	if s.Faint {
		p.s.fill(points, alpha(hue(i), faintness))
		return
	}
	p.s.fill(points, hue(i))
}

// faintness is the opacity of what is below others.
const faintness = 0.35

func (c Curves) keys() []key {
	var keys []key
	for i, s := range c.Series {
		k := key{name: s.Name, pen: pen{color: hue(i), width: 1.4}}
		if !s.band() {
			k.dot, k.shape = hue(i), i
		}
		if s.Faint {
			k.dot = alpha(hue(i), faintness)
		}
		if s.Apart {
			k.pen = pen{}
		}
		if s.Name != "" {
			keys = append(keys, k)
		}
	}
	for _, m := range c.Uprights {
		if m.Label != "" {
			keys = append(keys, key{name: m.Label, pen: uprightPen})
		}
	}
	for i, m := range c.Lines {
		if m.Label != "" {
			keys = append(keys, key{name: m.Label, pen: referencePen(i), wide: true})
		}
	}
	if c.Note != "" {
		keys = append(keys, key{name: c.Note, none: true})
	}
	return keys
}
