package figure

import (
	"image"
	"math"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// Resolution of the PNG: a figure 6.4 inches wide is about 1200 pixels wide. Wide grids of panels
// have fewer dots per inch, so that their files and times stay small.
const (
	dpi       = 180
	minDPI    = 110
	maxWidth  = 1900
	maxPixels = 16e6
)

func (s *scene) dpi() int {
	w, h := float64(s.w/vg.Inch), float64(s.h/vg.Inch)
	return min(dpi, max(minDPI, int(maxWidth/w)), int(math.Sqrt(maxPixels/w/h)))
}

// raster draws the page at the given resolution.
func (s *scene) raster(dpi int) *image.RGBA {
	c := vgimg.NewWith(vgimg.UseWH(s.w, s.h), vgimg.UseDPI(dpi))
	pen := typesetter{glyphs: map[glyph]vg.Path{}}
	for _, m := range s.marks {
		switch {
		case m.text != nil:
			c.SetColor(m.text.color)
			c.Fill(pen.set(m.text))
		case m.image != nil:
			blit(c.Image(), m.image, s.h, dpi)
		case len(m.discs) > 0:
			var path vg.Path
			for _, q := range m.discs {
				path = disc(path, q, m.size)
			}
			c.SetColor(m.fill)
			c.Fill(path)
		case m.pen.width > 0:
			c.SetColor(m.pen.color)
			c.SetLineWidth(m.pen.width)
			c.SetLineDash(m.pen.dash, 0)
			if len(m.pen.dash) > 0 {
				c.Stroke(m.path) // in one piece, for the dashes to keep their distance
				continue
			}
			for _, part := range pieces(m.path) {
				c.Stroke(part)
			}
		default:
			c.SetColor(m.fill)
			c.Fill(m.path)
		}
	}
	return c.Image().(*image.RGBA)
}

// pieces cuts a long path at its lines. The rasteriser keeps a sorted list for every row of pixels,
// in which a line that goes up and down a thousand times costs a million steps.
func pieces(p vg.Path) []vg.Path {
	const most = 32
	var parts []vg.Path
	for len(p) > most {
		n := most
		for n < len(p) && p[n].Type != vg.MoveComp && p[n-1].Type != vg.LineComp {
			n++
		}
		if n == len(p) {
			break
		}
		parts = append(parts, p[:n:n])
		if p[n].Type == vg.MoveComp {
			p = p[n:]
			continue
		}
		rest := make(vg.Path, 0, len(p)-n+1)
		rest.Move(p[n-1].Pos)
		p = append(rest, p[n:]...)
	}
	return append(parts, p)
}

// blit stretches a picture over its rectangle of the page, whose height is h.
func blit(dst draw.Image, p *picture, h vg.Length, dpi int) {
	px := func(x vg.Length) int { return int(x.Dots(float64(dpi)) + 0.5) }
	r := image.Rect(px(p.r.Min.X), px(h-p.r.Max.Y), px(p.r.Max.X), px(h-p.r.Min.Y))
	draw.ApproxBiLinear.Scale(dst, r, p.img, p.img.Bounds(), draw.Src, nil)
}

// typesetter turns text into outlines. Filling outlines keeps letters sharp at every angle and
// place; the rasteriser's own text is resampled from a bitmap.
type typesetter struct {
	buf    sfnt.Buffer
	glyphs map[glyph]vg.Path // outlines at one unit per em
}

type glyph struct {
	bold  bool
	index sfnt.GlyphIndex
}

// set returns the outlines of a label, placed on the page.
func (t *typesetter) set(l *label) vg.Path {
	start := -vg.Length(l.anchor) * l.width()
	var p vg.Path
	p = t.run(p, l, l.txt, l.font, start, 0)
	if l.sup != "" {
		p = t.run(p, l, l.sup, l.font.raised(), start+l.font.width(l.txt), riseBy*l.font.size)
	}
	return p
}

// run appends the outlines of txt, dx along and dy above the label's base line.
func (t *typesetter) run(p vg.Path, l *label, txt string, f typeface, dx, dy vg.Length) vg.Path {
	face := f.outlines()
	ppem := fixed.Int26_6(face.UnitsPerEm())
	scale := f.size / vg.Length(ppem)
	place := func(q vg.Point) vg.Point {
		q = pt(dx+q.X*scale, dy+q.Y*scale)
		if l.upward {
			q.X, q.Y = -q.Y, q.X
		}
		return l.at.Add(q)
	}
	prev, first := sfnt.GlyphIndex(0), true
	for _, r := range txt {
		i, err := face.GlyphIndex(&t.buf, r)
		if err != nil {
			continue
		}
		if !first {
			if kern, err := face.Kern(&t.buf, prev, i, ppem, font.HintingNone); err == nil {
				dx += vg.Length(kern) * scale
			}
		}
		p = moved(p, t.outline(f, i, ppem), place)
		if adv, err := face.GlyphAdvance(&t.buf, i, ppem, font.HintingNone); err == nil {
			dx += vg.Length(adv) * scale
		}
		prev, first = i, false
	}
	return p
}

// outline is the outline of a glyph in font units, y upwards.
func (t *typesetter) outline(f typeface, i sfnt.GlyphIndex, ppem fixed.Int26_6) vg.Path {
	key := glyph{f.bold, i}
	if p, ok := t.glyphs[key]; ok {
		return p
	}
	var p vg.Path
	segs, err := f.outlines().LoadGlyph(&t.buf, i, ppem, nil)
	at := func(q fixed.Point26_6) vg.Point { return pt(vg.Length(q.X), -vg.Length(q.Y)) }
	if err == nil {
		for _, s := range segs {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if len(p) > 0 {
					p.Close()
				}
				p.Move(at(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				p.Line(at(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				p.QuadTo(at(s.Args[0]), at(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				p.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
			}
		}
		if len(p) > 0 {
			p.Close()
		}
	}
	t.glyphs[key] = p
	return p
}

// moved appends src to p with every point moved.
func moved(p, src vg.Path, move func(vg.Point) vg.Point) vg.Path {
	for _, c := range src {
		c.Pos = move(c.Pos)
		if len(c.Control) > 0 {
			control := make([]vg.Point, len(c.Control))
			for i, q := range c.Control {
				control[i] = move(q)
			}
			c.Control = control
		}
		p = append(p, c)
	}
	return p
}
