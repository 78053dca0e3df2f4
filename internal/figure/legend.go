package figure

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// key is an entry of a legend: a band, a line, a dot or a tick, whatever is set, and a name.
type key struct {
	name  string
	area  color.NRGBA
	pen   pen
	dot   color.NRGBA
	shape int         // of the dot
	tick  color.NRGBA // a short upright line, as in a rug
	wide  bool        // a wider sample, for dash patterns
	heads int         // arrowheads: 1 at the right end, 2 at both
	none  bool        // no sample: a note
}

// Sizes of a legend's parts.
const (
	sampleWidth = vg.Length(15)
	sampleGap   = vg.Length(4)
	keyGap      = vg.Length(13)
	keyHeight   = vg.Length(14)
)

func (k key) sample() vg.Length {
	switch {
	case k.none:
		return -sampleGap
	case k.wide, k.heads > 0:
		return sampleWidth + 8
	case k.dot.A > 0 && k.pen.width == 0, k.tick.A > 0:
		return 7
	}
	return sampleWidth
}

// flow arranges keys in rows of the given width.
func flow(keys []key, width vg.Length) [][]key {
	var rows [][]key
	var row []key
	used := vg.Length(0)
	for _, k := range keys {
		k.name = fit(k.name, noteFont, width-k.sample()-sampleGap)
		w := k.sample() + sampleGap + noteFont.width(k.name)
		if len(row) > 0 && used+keyGap+w > width {
			rows, row, used = append(rows, row), nil, 0
		}
		if len(row) > 0 {
			used += keyGap
		}
		row, used = append(row, k), used+w
	}
	if len(row) > 0 {
		rows = append(rows, row)
	}
	return rows
}

// legendHeight is the height that the keys take at the given width.
func legendHeight(keys []key, width vg.Length) vg.Length {
	if len(keys) == 0 {
		return 0
	}
	return vg.Length(len(flow(keys, width)))*keyHeight + 3
}

// room is the height of legends for panels of one width beside their axes, on a page of width w.
func room(w vg.Length, legends ...[]key) vg.Length {
	const axes = 60
	h := vg.Length(0)
	for _, keys := range legends {
		h += legendHeight(keys, w-axes)
	}
	return h
}

// legendHeight is the height that the legend takes here: none where the page lays it out.
func (s *scene) legendHeight(keys []key, width vg.Length) vg.Length {
	if s.web != nil {
		return 0
	}
	return legendHeight(keys, width)
}

// legend draws keys in rows from the upper left corner at. Legends stand outside of panels, so
// that they never cover data.
func (s *scene) legend(keys []key, at vg.Point, width vg.Length) {
	if s.web != nil {
		s.web.keys = append(s.web.keys, keys...)
		return
	}
	for i, row := range flow(keys, width) {
		x, y := at.X, at.Y-keyHeight*(vg.Length(i)+0.5)
		for _, k := range row {
			s.sample(k, x, y)
			x += k.sample() + sampleGap
			s.text(label{txt: k.name, at: pt(x, y-0.35*tickSize), font: noteFont, color: soft})
			x += noteFont.width(k.name) + keyGap
		}
	}
}

// sample draws the picture of a key, its left end at x, its middle at height y.
func (s *scene) sample(k key, x, y vg.Length) {
	w := k.sample()
	if k.area.A > 0 {
		s.box(rect(x, y-4, x+w, y+4), k.area)
	}
	left, right := x, x+w
	const head, half = vg.Length(6), vg.Length(3.4)
	if k.heads > 0 {
		s.fill(polygon(nil, []vg.Point{pt(right, y), pt(right-head, y-half), pt(right-head, y+half)}), k.pen.color)
		right -= head
	}
	if k.heads > 1 {
		s.fill(polygon(nil, []vg.Point{pt(left, y), pt(left+head, y-half), pt(left+head, y+half)}), k.pen.color)
		left += head
	}
	if k.pen.width > 0 {
		s.line(left, y, right, y, k.pen)
	}
	if k.dot.A > 0 {
		s.fill(shape(nil, k.shape, pt(x+w/2, y), 2.7), k.dot)
	}
	if k.tick.A > 0 {
		s.line(x+w/2, y-4, x+w/2, y+4, pen{color: k.tick, width: 1.1})
	}
}

// shape appends the i-th of five shapes about c to p, all of about one area.
func shape(p vg.Path, i int, c vg.Point, r vg.Length) vg.Path {
	corners := func(unit ...vg.Length) vg.Path {
		pts := make([]vg.Point, len(unit)/2)
		for k := range pts {
			pts[k] = pt(c.X+r*unit[2*k], c.Y+r*unit[2*k+1])
		}
		return polygon(p, pts)
	}
	switch i % 5 {
	case 1: // square
		return corners(-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9)
	case 2: // triangle
		return corners(-1.2, -0.8, 1.2, -0.8, 0, 1.3)
	case 3: // diamond
		return corners(0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0)
	case 4: // triangle on its tip
		return corners(-1.2, 0.8, 0, -1.3, 1.2, 0.8)
	}
	return disc(p, c, r)
}

// axis is the range to be shown on an axis.
type axis struct {
	lo, hi float64
	log    bool
}

// setUp chooses the ticks of a panel and places it, with its labels and a legend above, in r.
func (p *panel) setUp(r vg.Rectangle, keys []key, x, y axis) {
	width, height := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	p.y = vertical(y.lo, y.hi, y.log, height-p.s.legendHeight(keys, width-40)-40)
	left := p.leftOf()
	p.x = horizontal(x.lo, x.hi, x.log, width-left-10)
	right := p.rightOf(width - left - 2)
	head := p.s.legendHeight(keys, width-left)
	p.s.legend(keys, pt(r.Min.X+left, r.Max.Y), width-left)
	p.r = rect(r.Min.X+left, r.Min.Y+p.below(), r.Max.X-right, r.Max.Y-head-p.above())
}
