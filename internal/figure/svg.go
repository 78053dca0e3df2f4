package figure

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// fontFamily names fonts of the same widths as Liberation Sans after it.
const fontFamily = "'Liberation Sans', Arimo, Helvetica, Arial, sans-serif"

// WriteSVG writes the figure as a file of its own, on white.
func (f *Figure) WriteSVG(w io.Writer) error {
	b := bufio.NewWriter(w)
	out := svg{w: b, h: f.s.h}
	out.printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	out.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt"`,
		num(f.s.w), num(f.s.h))
	out.page(f.s, `<rect width="100%" height="100%" fill="#fff"/>`)
	if out.err != nil {
		return out.err
	}
	return b.Flush()
}

// svg writes marks as SVG elements.
type svg struct {
	w      *bufio.Writer
	h      vg.Length // the page's height: SVG counts downwards
	inline bool
	brief  bool // paths in steps of a tenth of a point
	err    error
}

func (o *svg) printf(format string, args ...any) {
	if o.err == nil {
		_, o.err = fmt.Fprintf(o.w, format, args...)
	}
}

// page ends the opening tag, writes background and marks and closes the element.
func (o *svg) page(s *scene, background string) {
	o.printf(" viewBox=\"0 0 %s %s\">\n", num(s.w), num(s.h))
	if s.title != "" {
		o.printf("<title>%s</title>\n", escape(s.title))
	}
	if background != "" {
		o.printf("%s\n", background)
	}
	o.printf("<g font-family=\"%s\" stroke-linejoin=\"round\">\n", fontFamily)
	o.marks(s)
	o.printf("</g>\n</svg>\n")
}

// mark writes one mark.
func (o *svg) mark(m mark) {
	switch {
	case m.text != nil:
		o.text(m.text)
	case m.image != nil:
		o.image(m.image)
	case len(m.discs) > 0:
		o.dots(m)
	case m.pen.width > 0:
		o.printf(`<path fill="none"%s stroke-width="%s"`,
			o.paint("stroke", m.pen.color), num(m.pen.width))
		if len(m.pen.dash) > 0 {
			o.printf(` stroke-dasharray="%s"`, nums(m.pen.dash))
		}
		o.printf(" d=\"%s\"/>\n", o.path(m.path))
	default:
		o.printf("<path%s d=\"%s\"/>\n", o.paint("fill", m.fill), o.path(m.path))
	}
}

// dots writes discs as strokes without length and with round ends: a tenth of the text of circles.
func (o *svg) dots(m mark) {
	o.printf(`<path fill="none" stroke-linecap="round" stroke-width="%s"%s d="`,
		num(2*m.size), o.paint("stroke", m.fill))
	if o.brief {
		steps := tenths{h: o.h}
		for _, q := range m.discs {
			steps.to('m', q)
			steps.b = append(steps.b, "h0"...)
		}
		o.printf("%s", steps.b)
	} else {
		for _, q := range m.discs {
			o.printf("M%s %sh0", num(q.X), num(o.h-q.Y))
		}
	}
	o.printf("\"/>\n")
}

// paint gives the attributes of a colour. Black is ink: inline it is the page's colour of text, and
// the palette is the page's too, if it has one, so that colours stand out on a dark page.
func (o *svg) paint(attr string, c color.NRGBA) string {
	opaque := alpha(c, 1)
	value := fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	if i := slices.Index(palette[:], opaque); o.inline && i >= 0 {
		value = fmt.Sprintf("var(--c%d,%s)", i, value)
	} else if o.inline && c.R == 0 && c.G == 0 && c.B == 0 {
		value = "currentColor"
	}
	s := fmt.Sprintf(` %s="%s"`, attr, value)
	if c.A < 255 {
		s += fmt.Sprintf(` %s-opacity="%s"`, attr, num(vg.Length(c.A)/255))
	}
	return s
}

// text writes a label with its length, so that it keeps its place in whatever font there is.
func (o *svg) text(l *label) {
	x, y := num(l.at.X), num(o.h-l.at.Y)
	o.printf(`<text x="%s" y="%s" font-size="%s"%s`, x, y, num(l.font.size),
		o.paint("fill", l.color))
	if w := l.width(); w > 0 {
		o.printf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, num(w))
	}
	if l.font.bold {
		o.printf(` font-weight="bold"`)
	}
	switch l.anchor {
	case 0.5:
		o.printf(` text-anchor="middle"`)
	case 1:
		o.printf(` text-anchor="end"`)
	}
	if l.upward {
		o.printf(` transform="rotate(-90 %s %s)"`, x, y)
	}
	o.printf(">%s", escape(l.txt))
	if l.sup != "" {
		o.printf(`<tspan dy="-%s" font-size="%s">%s</tspan>`, num(riseBy*l.font.size),
			num(l.font.raised().size), escape(l.sup))
	}
	o.printf("</text>\n")
}

// image embeds a picture as a PNG: one rectangle per cell would make a hundred times the text
// and show seams.
func (o *svg) image(p *picture) {
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&b, p.img); err != nil {
		o.err = err
		return
	}
	size := p.r.Size()
	o.printf(`<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" href="`,
		num(p.r.Min.X), num(o.h-p.r.Max.Y), num(size.X), num(size.Y))
	o.printf("data:image/png;base64,%s\"/>\n", base64.StdEncoding.EncodeToString(b.Bytes()))
}

// path writes path data with absolute coordinates.
func (o *svg) path(p vg.Path) string {
	if o.brief {
		return briefPath(p, o.h)
	}
	var b []byte
	point := func(q vg.Point) {
		b = append(appendNum(b, q.X), ' ')
		b = appendNum(b, o.h-q.Y)
	}
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp:
			b = append(b, 'M')
		case vg.LineComp:
			b = append(b, 'L')
		case vg.CurveComp:
			b = append(b, "?QC"[len(c.Control)])
			for _, q := range c.Control {
				point(q)
				b = append(b, ' ')
			}
		case vg.CloseComp:
			b = append(b, 'Z')
			continue
		}
		point(c.Pos)
	}
	return string(b)
}

// appendNum appends x rounded to hundredths of a point, without needless zeros.
func appendNum(b []byte, x vg.Length) []byte {
	v := math.Round(float64(x)*100) / 100
	if v == 0 {
		v = 0 // minus zero
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

func num(x vg.Length) string { return string(appendNum(nil, x)) }

func nums(xs []vg.Length) string {
	s := make([]string, len(xs))
	for i, x := range xs {
		s[i] = num(x)
	}
	return strings.Join(s, " ")
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}
