package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Mark is a labelled point, or, where only X counts, a labelled vertical line.
type Mark struct {
	X, Y  float64
	Label string
}

// Profile shows the log pseudolikelihood against the lengthscale on a logarithmic axis, with its
// modes as points, other choices of the lengthscale as vertical lines, and the height that the
// curve tends to as the lengthscale grows.
type Profile struct {
	Title         string
	Theta, LogLik []float64 // Theta increasing and above 0
	Modes         []Mark    // points; optional
	Medians       []Mark    // vertical lines, Y not used; optional
	Flat          float64   // height of a horizontal line; 0 or NaN: none
	FlatLabel     string    // default "limit"
	XLabel        string    // default "lengthscale"
	YLabel        string    // default "log pseudolikelihood"
}

// Draw lays the figure out on a page of its own.
func (p Profile) Draw() (*Figure, error) { return single(p) }

func (p Profile) check() error {
	const kind = "Profile"
	n := len(p.Theta)
	err := first(
		nonempty(kind, "Theta", n),
		finite(kind, "Theta", p.Theta),
		increasing(kind, "Theta", p.Theta),
		column(kind, "LogLik", p.LogLik, n, false),
	)
	if err != nil {
		return err
	}
	for _, m := range slices.Concat(p.Modes, p.Medians) {
		if !(m.X > 0 && m.X <= huge) || !(math.Abs(m.Y) <= huge) {
			return fmt.Errorf("figure: %s: mark %q is at (%v, %v), want finite with X above 0",
				kind, m.Label, m.X, m.Y)
		}
	}
	if !(p.Theta[0] > 0) {
		return fmt.Errorf("figure: %s: Theta[0] is %v, want above 0", kind, p.Theta[0])
	}
	if math.Abs(p.Flat) > huge {
		return fmt.Errorf("figure: %s: Flat is %v, want a finite number", kind, p.Flat)
	}
	return nil
}

func (p Profile) plan() (*plan, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.XLabel == "" {
		p.XLabel = "lengthscale"
	}
	if p.YLabel == "" {
		p.YLabel = "log pseudolikelihood"
	}
	if p.FlatLabel == "" {
		p.FlatLabel = "limit"
	}
	return &plan{title: p.Title, w: pageWidth, h: 262, draw: p.draw,
		legend: func(w vg.Length) vg.Length { return room(w, p.keys()) }}, nil
}

func (p Profile) hasFlat() bool { return p.Flat != 0 && !math.IsNaN(p.Flat) }

// yRange shows the top of the curve: far below it, where the curve falls off a cliff, nothing is
// to be seen that would be worth the height.
func (p Profile) yRange() (lo, hi float64) {
	lo, hi = extent(p.LogLik)
	sorted := slices.Clone(p.LogLik)
	slices.Sort(sorted)
	floor := quantile(sorted, 0.4)
	for _, m := range p.Modes {
		floor, hi = min(floor, m.Y), max(hi, m.Y)
	}
	if p.hasFlat() {
		floor, hi = min(floor, p.Flat), max(hi, p.Flat)
	}
	if cut := hi - 1.6*(hi-floor); cut > lo && cut < hi {
		lo = cut
	}
	lo = min(lo, floor)
	lo, hi = spread(lo, hi, 0.04)
	return lo, hi + 0.09*(hi-lo) // room for the modes' labels
}

func (p Profile) draw(s *scene, r vg.Rectangle) {
	at := every(len(p.Theta), 240)
	q := &panel{s: s, xlabel: p.XLabel, ylabel: p.YLabel, zoom: "x", read: &readout{X: p.XLabel,
		At: pick(p.Theta, at), Rows: []reading{{Name: p.YLabel, Value: pick(p.LogLik, at)}}}}
	xlo, xhi := p.Theta[0], p.Theta[len(p.Theta)-1]
	for _, m := range slices.Concat(p.Modes, p.Medians) {
		xlo, xhi = min(xlo, m.X), max(xhi, m.X)
	}
	if xhi <= xlo*(1+1e-9) {
		xlo, xhi = xlo/2, xhi*2
	}
	ylo, yhi := p.yRange()
	q.setUp(r, p.keys(), axis{xlo, xhi, true}, axis{ylo, yhi, false})
	q.axes()
	if p.hasFlat() {
		q.level(p.Flat, flatPen)
	}
	for i, m := range p.Medians {
		q.upright(m.X, medianPen(i))
	}
	q.curve(p.Theta, p.LogLik, pen{color: hue(0), width: 1.7})
	if len(p.Theta) == 1 {
		q.dots(p.Theta, p.LogLik, 2, hue(0))
	}
	var lines []vg.Rectangle
	for _, m := range p.Medians {
		x := q.px(m.X)
		lines = append(lines, rect(x-2, q.r.Min.Y, x+2, q.r.Max.Y))
	}
	q.marks(p.Modes, lines)
	s.leave()
}

var flatPen = pen{color: soft, width: 1, dash: dotted}

// medianPen tells vertical lines apart by colour and by dashes.
func medianPen(i int) pen {
	return pen{color: hue(i + 1), width: 1.4, dash: [][]vg.Length{dashed, mixed, dotted}[i%3]}
}

func (p Profile) keys() []key {
	var keys []key
	for i, m := range p.Medians {
		keys = append(keys, key{name: m.Label + " = " + short(m.X), pen: medianPen(i), wide: true})
	}
	if p.hasFlat() {
		keys = append(keys, key{name: p.FlatLabel, pen: flatPen, wide: true})
	}
	if len(p.Modes) > 0 {
		name := "mode"
		if len(p.Modes) > 1 {
			name = "modes"
		}
		keys = append(keys, key{name: name, dot: ink})
	}
	return keys
}

// marks draws points with their labels where there is room for them: above, else to the right or
// left or below, clear of points, other labels and, if possible, the lines. A label that finds no
// room is left out.
func (p *panel) marks(marks []Mark, lines []vg.Rectangle) {
	var taken []vg.Rectangle
	var xs, ys []float64
	for _, m := range marks {
		c := p.at(m.X, m.Y)
		taken = append(taken, rect(c.X-4, c.Y-4, c.X+4, c.Y+4))
		xs, ys = append(xs, m.X), append(ys, m.Y)
	}
	p.dots(xs, ys, 3.2, ink)
	for _, m := range marks {
		c := p.at(m.X, m.Y)
		txt := fit(m.Label, noteFont, p.width()/2)
		if txt == "" || !p.inside(c) {
			continue
		}
		at, ok := p.spot(c, txt, slices.Concat(taken, lines))
		if !ok {
			at, ok = p.spot(c, txt, taken)
		}
		if ok {
			p.s.text(label{txt: txt, at: at, font: noteFont, color: ink})
			taken = append(taken, textBox(at, txt))
		}
	}
}

// spot finds a place for a label at the point c.
func (p *panel) spot(c vg.Point, txt string, taken []vg.Rectangle) (at vg.Point, ok bool) {
	w := noteFont.width(txt)
	above := min(max(c.X-w/2, p.r.Min.X+2), p.r.Max.X-w-2) // moved sideways into the panel
	for _, at := range []vg.Point{pt(above, c.Y+7), pt(c.X+7, c.Y+3), pt(c.X-7-w, c.Y+3),
		pt(c.X+7, c.Y-9), pt(c.X-7-w, c.Y-9), pt(c.X-w/2, c.Y-14)} {
		box := textBox(at, txt)
		if p.inside(box.Min) && p.inside(box.Max) && !overlaps(box, taken) {
			return at, true
		}
	}
	return at, false
}

// textBox is what a note that starts at a point covers.
func textBox(at vg.Point, txt string) vg.Rectangle {
	return rect(at.X, at.Y-2, at.X+noteFont.width(txt), at.Y+8)
}

// overlaps reports whether a rectangle lies on one of the others.
func overlaps(r vg.Rectangle, others []vg.Rectangle) bool {
	for _, o := range others {
		if r.Min.X < o.Max.X && o.Min.X < r.Max.X && r.Min.Y < o.Max.Y && o.Min.Y < r.Max.Y {
			return true
		}
	}
	return false
}
