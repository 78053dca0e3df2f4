package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// panel is a rectangle of a page with axes.
type panel struct {
	s      *scene
	r      vg.Rectangle // where the data go
	x, y   scale
	xlabel string
	ylabel string
	bare   bool // no tick labels below: the panel underneath has them
	mute   bool // no tick labels at the left: the heights have no meaning of their own
	nogrid bool
	zoom   string    // the axes that a reader may zoom: "", "x" or "xy"
	link   int       // frames of one number above 0 are zoomed together
	foot   vg.Length // how far what belongs to the data goes down below r
	read   *readout  // the numbers under the pointer; nil: none
	coarse vg.Length // width of a column in which a line keeps two points; 0: the usual
	frame  int       // its number on an HTML page, from 1; 0: not yet known
}

// Distances around a panel.
const (
	tickLength = vg.Length(3)
	tickGap    = vg.Length(2.5) // between a tick and its label
	labelGap   = vg.Length(4)   // between tick labels and the axis label
)

// below is the height that the x axis needs under the panel.
func (p *panel) below() vg.Length {
	h := vg.Length(4)
	if !p.bare {
		h = tickLength + tickGap + tickSize
		if p.xlabel != "" || p.x.note.txt != "" {
			h += labelGap + labelSize
		}
	}
	return h
}

// leftOf is the width that the y axis needs beside the panel.
func (p *panel) leftOf() vg.Length {
	w := vg.Length(2)
	if !p.mute {
		w += tickLength + tickGap + p.widest()
	}
	if p.ylabel != "" {
		w += labelSize + labelGap
	}
	return w
}

// widest is the room for the labels of the y axis.
func (p *panel) widest() vg.Length {
	w := vg.Length(0)
	for _, t := range p.y.ticks {
		w = max(w, t.width())
	}
	if p.zoom == "xy" && p.s != nil && p.s.web != nil { // zoomed, they have more digits
		w = max(w, tickFont.width("−0.25"))
	}
	return w
}

// above is the height that the y axis' note needs over the panel.
func (p *panel) above() vg.Length {
	if p.y.note.txt != "" && !p.mute {
		return tickSize + 4
	}
	return tickSize * 0.4 // half the highest tick label
}

// rightOf keeps the last tick label on the page.
func (p *panel) rightOf(width vg.Length) vg.Length {
	if p.bare || len(p.x.ticks) == 0 {
		return 2
	}
	over := vg.Length(2)
	for _, t := range p.x.ticks {
		over = max(over, t.width()/2-(1-vg.Length(p.x.unit(t.at)))*width)
	}
	return over
}

// at maps numbers to the page.
func (p *panel) at(x, y float64) vg.Point { return pt(p.px(x), p.py(y)) }

func (p *panel) px(x float64) vg.Length {
	return p.r.Min.X + (p.r.Max.X-p.r.Min.X)*far(p.x.unit(x))
}

func (p *panel) py(y float64) vg.Length {
	return p.r.Min.Y + (p.r.Max.Y-p.r.Min.Y)*far(p.y.unit(y))
}

// far bounds what lies outside the panel, so that clipping it loses no digits.
func far(u float64) vg.Length { return vg.Length(min(max(u, -1e4), 1e4)) }

func (p *panel) width() vg.Length  { return p.r.Max.X - p.r.Min.X }
func (p *panel) height() vg.Length { return p.r.Max.Y - p.r.Min.Y }

// axes draws grid, axes, ticks and labels. Data are drawn after it, over the grid.
func (p *panel) axes() {
	by := pen{color: faint, width: 0.8}
	p.enter()
	p.gridLines()
	p.s.leave()
	p.s.line(p.r.Min.X, p.r.Min.Y, p.r.Max.X, p.r.Min.Y, by)
	if !p.mute {
		p.s.line(p.r.Min.X, p.r.Min.Y, p.r.Min.X, p.r.Max.Y, by)
	}
	p.xAxis(by)
	p.yAxis(by)
	p.enter()
}

// gridLines draws a faint line at every labelled tick.
func (p *panel) gridLines() {
	if p.nogrid {
		return
	}
	by := pen{color: grid, width: 0.6}
	var path vg.Path
	p.s.tag.part = partX
	for _, t := range p.x.ticks {
		if x := p.px(t.at); t.txt != "" {
			path = polyline(path, []vg.Point{pt(x, p.r.Min.Y), pt(x, p.r.Max.Y)})
		}
	}
	p.s.stroke(path, by)
	if p.mute {
		return
	}
	path = nil
	p.s.tag.part = partY
	for _, t := range p.y.ticks {
		if y := p.py(t.at); t.txt != "" {
			path = polyline(path, []vg.Point{pt(p.r.Min.X, y), pt(p.r.Max.X, y)})
		}
	}
	p.s.stroke(path, by)
}

func (p *panel) xAxis(by pen) {
	if p.bare {
		return
	}
	var path vg.Path
	p.s.tag = tag{p.frame, partX}
	base := p.r.Min.Y - tickLength - tickGap - 0.75*tickSize
	for _, t := range p.x.ticks {
		x, length := p.px(t.at), tickLength
		if t.txt == "" {
			length *= 0.55
		}
		path = polyline(path, []vg.Point{pt(x, p.r.Min.Y), pt(x, p.r.Min.Y-length)})
		p.s.text(label{txt: t.txt, sup: t.sup, at: pt(x, base), font: tickFont,
			color: soft, anchor: 0.5})
	}
	p.s.stroke(path, by)
	y := p.r.Min.Y - tickLength - tickGap - tickSize - labelGap - 0.72*labelSize
	room, right := p.width(), p.r.Max.X
	if p.x.note.txt != "" {
		note := label{txt: p.x.note.txt, sup: p.x.note.sup, at: pt(right, y),
			font: tickFont, color: soft, anchor: 1}
		p.s.text(note)
		room -= note.width() + 8
		right -= note.width() + 8
	}
	p.s.leave()
	name := label{txt: fit(p.xlabel, labelFont, room), font: labelFont, color: ink, anchor: 0.5}
	name.at = pt(min((p.r.Min.X+p.r.Max.X)/2, right-name.width()/2), y)
	p.s.text(name)
}

func (p *panel) yAxis(by pen) {
	left := p.r.Min.X
	if !p.mute {
		var path vg.Path
		p.s.tag = tag{p.frame, partY}
		for _, t := range p.y.ticks {
			y, length := p.py(t.at), tickLength
			if t.txt == "" {
				length *= 0.55
			}
			path = polyline(path, []vg.Point{pt(left, y), pt(left-length, y)})
			p.s.text(label{txt: t.txt, sup: t.sup, font: tickFont, color: soft, anchor: 1,
				at: pt(left-tickLength-tickGap, y-0.35*tickSize)})
		}
		p.s.stroke(path, by)
		if p.y.note.txt != "" {
			p.s.text(label{txt: p.y.note.txt, sup: p.y.note.sup, font: tickFont, color: soft,
				at: pt(left-tickLength, p.r.Max.Y+5)})
		}
		p.s.leave()
		left -= tickLength + tickGap + p.widest()
	}
	p.s.text(label{txt: fit(p.ylabel, labelFont, p.height()), font: labelFont, color: ink,
		at: pt(left-labelGap-0.2*labelSize, (p.r.Min.Y+p.r.Max.Y)/2), anchor: 0.5, upward: true})
}

// points maps two columns to the page.
func (p *panel) points(xs, ys []float64) []vg.Point {
	pts := make([]vg.Point, len(xs))
	for i := range xs {
		pts[i] = p.at(xs[i], ys[i])
	}
	return pts
}

// curve draws a line through points in the order given, cut off at the panel's edge.
func (p *panel) curve(xs, ys []float64, by pen) {
	pts := p.thinned(p.points(xs, ys))
	var path vg.Path
	for _, part := range clipLine(p.r, pts) {
		path = polyline(path, part)
	}
	p.s.stroke(path, by)
}

// band fills what lies between two curves.
func (p *panel) band(xs, lower, upper []float64, c color.NRGBA) {
	p.s.fill(p.between(nil, xs, lower, upper), c)
}

// between appends the area between two curves to a path.
func (p *panel) between(path vg.Path, xs, lower, upper []float64) vg.Path {
	pts := p.thinned(p.points(xs, upper))
	down := p.thinned(p.points(xs, lower))
	for i := len(down) - 1; i >= 0; i-- {
		pts = append(pts, down[i])
	}
	return polygon(path, clipArea(p.r, pts))
}

// under fills the area between a curve and a height.
func (p *panel) under(xs, ys []float64, height float64, c color.NRGBA) {
	flat := make([]float64, len(xs))
	for i := range flat {
		flat[i] = height
	}
	p.band(xs, flat, ys, c)
}

// level draws a horizontal line across the panel if y is in it.
func (p *panel) level(y float64, by pen) {
	if u := p.y.unit(y); u >= 0 && u <= 1 {
		p.s.line(p.r.Min.X, p.py(y), p.r.Max.X, p.py(y), by)
	}
}

// upright draws a vertical line across the panel if x is in it.
func (p *panel) upright(x float64, by pen) {
	if u := p.x.unit(x); u >= 0 && u <= 1 {
		p.s.line(p.px(x), p.r.Min.Y, p.px(x), p.r.Max.Y, by)
	}
}

// dots draws discs of radius r, those outside the panel left out.
func (p *panel) dots(xs, ys []float64, r vg.Length, c color.NRGBA) {
	var at []vg.Point
	for i := range xs {
		if q := p.at(xs[i], ys[i]); p.inside(q) {
			at = append(at, q)
		}
	}
	p.s.dots(at, r, c)
}

func (p *panel) inside(q vg.Point) bool {
	const slack = 0.01
	return q.X >= p.r.Min.X-slack && q.X <= p.r.Max.X+slack &&
		q.Y >= p.r.Min.Y-slack && q.Y <= p.r.Max.Y+slack
}

// rug draws short upright lines at the values, from the height top down by length. Values closer
// than the eye can part share one line: a million values give at most a few hundred lines.
func (p *panel) rug(values []float64, top, length vg.Length, c color.NRGBA) {
	const apart = 0.9
	seen := make([]bool, int(p.width()/apart)+2)
	var path vg.Path
	for _, v := range values {
		u := p.x.unit(v)
		if !(u >= 0 && u <= 1) {
			continue
		}
		x := vg.Length(u) * p.width()
		if k := int(x / apart); !seen[k] {
			seen[k] = true
			x += p.r.Min.X
			path = polyline(path, []vg.Point{pt(x, top), pt(x, top-length)})
		}
	}
	p.s.stroke(path, pen{color: c, width: 0.7})
}

// thinned shortens a long line to what the eye can tell. Of the points that share a narrow column,
// it keeps the lowest and the highest.
func (p *panel) thinned(pts []vg.Point) []vg.Point {
	few, column := 600, vg.Length(0.7)
	if p.coarse > column {
		few, column = 60, p.coarse
	}
	if len(pts) <= few {
		return pts
	}
	out := make([]vg.Point, 0, few)
	for i := 0; i < len(pts); {
		c := math.Floor(float64(pts[i].X / column))
		j, lo, hi := i, i, i
		for ; j < len(pts) && math.Floor(float64(pts[j].X/column)) == c; j++ {
			if pts[j].Y < pts[lo].Y {
				lo = j
			}
			if pts[j].Y > pts[hi].Y {
				hi = j
			}
		}
		out = append(out, pts[min(lo, hi)])
		if lo != hi {
			out = append(out, pts[max(lo, hi)])
		}
		i = j
	}
	return out
}
