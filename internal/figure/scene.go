package figure

import (
	"image"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scene is a page as a list of marks, in points from the lower left corner, in drawing order.
// The writers only translate it.
type scene struct {
	w, h  vg.Length
	title string
	marks []mark
	web   *collected // for an HTML page: what the page lays out; nil: a page of its own
	tag   tag        // of the marks to come
}

// mark is a filled or stroked path, discs, a line of text or an image.
type mark struct {
	path  vg.Path
	fill  color.NRGBA // of the path without a pen or of the discs
	pen   pen         // width 0: the path is not stroked
	discs []vg.Point
	size  vg.Length // radius of the discs
	text  *label
	image *picture
	tag   tag
}

// pen is how a line is drawn.
type pen struct {
	color color.NRGBA
	width vg.Length
	dash  []vg.Length
}

// label is one line of text, optionally with a raised exponent after it.
type label struct {
	txt, sup string
	at       vg.Point // on the base line
	font     typeface
	color    color.NRGBA
	anchor   float64 // 0: at is the text's start, 0.5 its middle, 1 its end
	upward   bool    // read from below to above
}

// picture is an image stretched over a rectangle.
type picture struct {
	r   vg.Rectangle
	img *image.Paletted
}

// newScene returns an empty page.
func newScene(w, h vg.Length, title string) *scene {
	return &scene{w: w, h: h, title: clean(title)}
}

func pt(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }

func rect(x0, y0, x1, y1 vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: pt(x0, y0), Max: pt(x1, y1)}
}

func (s *scene) fill(p vg.Path, c color.NRGBA) {
	if len(p) > 0 {
		s.add(mark{path: p, fill: c})
	}
}

func (s *scene) stroke(p vg.Path, by pen) {
	if len(p) > 0 {
		s.add(mark{path: p, pen: by})
	}
}

func (s *scene) line(x0, y0, x1, y1 vg.Length, by pen) {
	s.stroke(polyline(nil, []vg.Point{pt(x0, y0), pt(x1, y1)}), by)
}

func (s *scene) box(r vg.Rectangle, c color.NRGBA) {
	s.fill(polygon(nil, []vg.Point{r.Min, pt(r.Max.X, r.Min.Y), r.Max, pt(r.Min.X, r.Max.Y)}), c)
}

// dots draws discs of radius r. Where they lie on one another their colour does not add up.
func (s *scene) dots(at []vg.Point, r vg.Length, c color.NRGBA) {
	if len(at) > 0 {
		s.add(mark{discs: at, size: r, fill: c})
	}
}

func (s *scene) text(l label) {
	l.txt = clean(l.txt)
	if l.txt != "" || l.sup != "" {
		s.add(mark{text: &l})
	}
}

func (s *scene) draw(r vg.Rectangle, img *image.Paletted) {
	s.add(mark{image: &picture{r, img}})
}

func (s *scene) add(m mark) {
	m.tag = s.tag
	if m.text != nil && m.tag.part == partData {
		m.tag.part = partPinned // letters may not be stretched
	}
	s.marks = append(s.marks, m)
}

// width is the width of the label, its exponent included.
func (l label) width() vg.Length {
	w := l.font.width(l.txt)
	if l.sup != "" {
		w += l.font.raised().width(l.sup)
	}
	return w
}

// raised is the font of exponents, riseBy how far they are lifted, in parts of the size.
func (t typeface) raised() typeface { return typeface{t.size * 0.75, t.bold} }

const riseBy = 0.36

// polyline appends an open line through pts to p.
func polyline(p vg.Path, pts []vg.Point) vg.Path {
	for i, q := range pts {
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	return p
}

// polygon appends a closed line through pts to p.
func polygon(p vg.Path, pts []vg.Point) vg.Path {
	if len(pts) < 3 {
		return p
	}
	p = polyline(p, pts)
	p.Close()
	return p
}

// disc appends a circle about c to p, as four cubic arcs.
func disc(p vg.Path, c vg.Point, r vg.Length) vg.Path {
	const k = 0.5522847498 // 4/3 (sqrt 2 - 1): the arcs touch the circle at their middles
	at := func(x, y vg.Length) vg.Point { return pt(c.X+r*x, c.Y+r*y) }
	p.Move(at(1, 0))
	p.CubeTo(at(1, k), at(k, 1), at(0, 1))
	p.CubeTo(at(-k, 1), at(-1, k), at(-1, 0))
	p.CubeTo(at(-1, -k), at(-k, -1), at(0, -1))
	p.CubeTo(at(k, -1), at(1, -k), at(1, 0))
	p.Close()
	return p
}

// clipLine returns the parts of the line through pts that are in r.
func clipLine(r vg.Rectangle, pts []vg.Point) [][]vg.Point {
	c := draw.Canvas{Rectangle: r}
	return c.ClipLinesXY(pts)
}

// clipArea returns the part of the polygon that is in r.
func clipArea(r vg.Rectangle, pts []vg.Point) []vg.Point {
	c := draw.Canvas{Rectangle: r}
	return c.ClipPolygonXY(pts)
}
