package figure

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"sort"

	"gonum.org/v1/plot/vg"
)

// Surface shows a function of two variables as a heat map with colours that part at zero, and
// outlines where its band excludes zero.
type Surface struct {
	Title          string
	X, Y           []float64 // increasing
	Mean           []float64 // at (X[i], Y[j]): Mean[i*len(Y)+j]
	Lower, Upper   []float64 // a band about Mean; optional
	Level          float64   // of the band; 0 if it is not to be said
	XLabel, YLabel string
}

// Draw lays the figure out on a page of its own.
func (f Surface) Draw() (*Figure, error) { return single(f) }

func (f Surface) check(kind string) error {
	n := len(f.X) * len(f.Y)
	if len(f.Lower) != len(f.Upper) {
		return fmt.Errorf("figure: %s: %d Lower and %d Upper, want as many", kind, len(f.Lower),
			len(f.Upper))
	}
	return first(
		nonempty(kind, "X", len(f.X)),
		nonempty(kind, "Y", len(f.Y)),
		finite(kind, "X", f.X),
		finite(kind, "Y", f.Y),
		increasing(kind, "X", f.X),
		increasing(kind, "Y", f.Y),
		column(kind, "Mean", f.Mean, n, false),
		column(kind, "Lower", f.Lower, n, true),
		column(kind, "Upper", f.Upper, n, true),
		ordered(kind, f.Lower, f.Upper),
		checkLevel(kind, f.Level),
	)
}

func (f Surface) plan() (*plan, error) {
	if err := f.check("Surface"); err != nil {
		return nil, err
	}
	draw := func(s *scene, r vg.Rectangle) {
		p, bar := f.place(s, r, f.keys())
		f.paint(p, bar)
	}
	return &plan{title: f.Title, w: 330, h: 300, draw: draw,
		legend: func(w vg.Length) vg.Length { return room(w-50, f.keys()) }}, nil
}

// The outline lies on the heat map, which stays light on a dark page: it may not be ink.
var outlinePen = pen{color: color.NRGBA{R: 24, G: 24, B: 24, A: 255}, width: 1.4}

// keys says where the band excludes zero: nowhere, everywhere or inside an outline.
func (f Surface) keys() []key {
	if len(f.Lower) == 0 {
		return nil
	}
	in := 0
	for i := range f.Lower {
		if f.Lower[i] > 0 || f.Upper[i] < 0 {
			in++
		}
	}
	band := "band"
	if f.Level > 0 {
		band = percent(f.Level) + " band"
	}
	switch in {
	case 0:
		return []key{{name: band + " includes 0 everywhere", none: true}}
	case len(f.Lower):
		return []key{{name: band + " excludes 0 everywhere", none: true}}
	}
	return []key{{name: band + " excludes 0 inside", area: diverging(0), pen: outlinePen}}
}

// Sizes of the colour bar.
const (
	barGap   = vg.Length(10)
	barWidth = vg.Length(10)
)

// place draws the legend and finds the places of the map and its colour bar.
func (f Surface) place(s *scene, r vg.Rectangle, keys []key) (p, bar *panel) {
	bar = &panel{s: s, y: vertical(-f.top(), f.top(), false, r.Max.Y-r.Min.Y-80)}
	room := barGap + barWidth + bar.leftOf() + 2
	note := label{txt: bar.y.note.txt, sup: bar.y.note.sup, font: tickFont}
	room = max(room, barGap+note.width())
	p = &panel{s: s, xlabel: f.XLabel, ylabel: f.YLabel, nogrid: true}
	xlo, xhi := spread(f.X[0], f.X[len(f.X)-1], 0)
	ylo, yhi := spread(f.Y[0], f.Y[len(f.Y)-1], 0)
	r.Max.X -= room
	p.setUp(r, keys, axis{xlo, xhi, false}, axis{ylo, yhi, false})
	p.r.Max.Y -= max(0, bar.above()-p.above())
	return p, bar
}

// paint draws map, outline, axes and colour bar.
func (f Surface) paint(p, bar *panel) {
	p.enter()
	p.s.draw(p.r, f.image(p))
	p.axes()
	if len(f.Lower) > 0 {
		p.outline(lattice{f.X, f.Y, f.Lower}, outlinePen)
		negative := make([]float64, len(f.Upper))
		for i, u := range f.Upper {
			negative[i] = -u
		}
		p.outline(lattice{f.X, f.Y, negative}, outlinePen)
	}
	p.s.leave()
	bar.r = rect(p.r.Max.X+barGap, p.r.Min.Y, p.r.Max.X+barGap+barWidth, p.r.Max.Y)
	bar.colourBar()
}

// colourBar draws the scale of colours with its ticks at the right.
func (p *panel) colourBar() {
	img := image.NewPaletted(image.Rect(0, 0, 1, shades), divergingPalette())
	for i := range shades {
		img.Pix[i] = uint8(shades - 1 - i)
	}
	p.s.draw(p.r, img)
	var ticks vg.Path
	x := p.r.Max.X
	for _, t := range p.y.ticks {
		y := p.py(t.at)
		ticks = polyline(ticks, []vg.Point{pt(x, y), pt(x+tickLength, y)})
		p.s.text(label{txt: t.txt, sup: t.sup, font: tickFont, color: soft,
			at: pt(x+tickLength+tickGap, y-0.35*tickSize)})
	}
	p.s.stroke(ticks, pen{color: faint, width: 0.8})
	if note := p.y.note; note.txt != "" {
		p.s.text(label{txt: note.txt, sup: note.sup, font: tickFont, color: soft,
			at: pt(p.r.Min.X, p.r.Max.Y+5)})
	}
}

// shades is the number of colours of the heat map, odd for one of them to stand for zero.
const shades = 255

// divergingStops runs from the colour of Q through near-white to the colour of P.
var divergingStops = [...]color.NRGBA{
	{0x7A, 0x2D, 0x00, 255}, {0xD5, 0x5E, 0x00, 255}, {0xF2, 0xB3, 0x83, 255},
	{0xF7, 0xF7, 0xF7, 255},
	{0x8F, 0xC0, 0xE2, 255}, {0x00, 0x72, 0xB2, 255}, {0x00, 0x37, 0x63, 255},
}

// diverging is the colour of u in [-1, 1].
func diverging(u float64) color.NRGBA {
	at := (min(max(u, -1), 1) + 1) / 2 * float64(len(divergingStops)-1)
	k := min(int(at), len(divergingStops)-2)
	a, b, t := divergingStops[k], divergingStops[k+1], at-float64(k)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + t*(float64(b)-float64(a)) + 0.5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

func divergingPalette() color.Palette {
	pal := make(color.Palette, shades)
	for i := range pal {
		pal[i] = diverging(2*float64(i)/(shades-1) - 1)
	}
	return pal
}

// image interpolates the mean to a pixel for every half point, at most 400 a side.
func (f Surface) image(p *panel) *image.Paletted {
	top := f.top()
	w := min(max(int(2*p.width()), 2), 400)
	h := min(max(int(2*p.height()), 2), 400)
	img := image.NewPaletted(image.Rect(0, 0, w, h), divergingPalette())
	rows, cols := make([]cell, h), make([]cell, w)
	for j := range rows {
		rows[j] = locate(f.Y, p.y.max+(p.y.min-p.y.max)*(float64(j)+0.5)/float64(h))
	}
	for i := range cols {
		cols[i] = locate(f.X, p.x.min+(p.x.max-p.x.min)*(float64(i)+0.5)/float64(w))
	}
	l := lattice{f.X, f.Y, f.Mean}
	for j, y := range rows {
		for i, x := range cols {
			a := l.at(x.k, y.k)*(1-y.t) + l.at(x.k, y.next)*y.t
			b := l.at(x.next, y.k)*(1-y.t) + l.at(x.next, y.next)*y.t
			u := (a*(1-x.t) + b*x.t) / top
			img.Pix[j*img.Stride+i] = uint8(math.Round((u + 1) / 2 * (shades - 1)))
		}
	}
	return img
}

// cell is a place t of the way from grid point k to the next.
type cell struct {
	k, next int
	t       float64
}

// locate finds v on a grid; outside of it the first or last point counts.
func locate(grid []float64, v float64) cell {
	k := sort.SearchFloat64s(grid, v)
	switch {
	case k == 0:
		return cell{0, 0, 0}
	case k == len(grid):
		return cell{k - 1, k - 1, 0}
	}
	return cell{k - 1, k, (v - grid[k-1]) / (grid[k] - grid[k-1])}
}
