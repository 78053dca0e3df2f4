package figure

import (
	"image/color"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pageWidth is the width of a single figure in points: 6.4 inches, so that 10 point labels
// are still 8 CSS pixels high on a phone 380 pixels wide.
const pageWidth = vg.Length(460)

// Sizes of text in points.
const (
	titleSize = vg.Length(12.5)
	panelSize = vg.Length(11)   // titles of panels in a grid
	labelSize = vg.Length(10.5) // axis labels
	tickSize  = vg.Length(10)   // tick labels, legends, notes
)

// Ink is black at several opacities and nothing else, so that a page with a dark mode can put its
// own colour of text in its place.
var (
	ink   = color.NRGBA{A: 255}
	soft  = color.NRGBA{A: 185} // tick labels, notes
	faint = color.NRGBA{A: 95}  // axis lines, reference lines
	grid  = color.NRGBA{A: 24}
	shade = color.NRGBA{A: 42} // a band that says nothing in particular
)

// palette is Okabe and Ito's set for all kinds of colour vision (2008), in an order that keeps
// neighbours far apart in lightness too, with the yellow left out: it cannot be read on white.
// The first two stand for P and Q throughout.
var palette = [...]color.NRGBA{
	{0x00, 0x72, 0xB2, 255}, // blue
	{0xD5, 0x5E, 0x00, 255}, // vermilion
	{0x00, 0x9E, 0x73, 255}, // bluish green
	{0xCC, 0x79, 0xA7, 255}, // reddish purple
	{0x56, 0xB4, 0xE9, 255}, // sky blue
	{0xE6, 0x9F, 0x00, 255}, // orange
	{0x7F, 0x7F, 0x7F, 255}, // grey
}

// hue is colour number i of the palette, which repeats.
func hue(i int) color.NRGBA { return palette[i%len(palette)] }

// alpha returns c with opacity a in [0, 1].
func alpha(c color.NRGBA, a float64) color.NRGBA {
	c.A = uint8(a*255 + 0.5)
	return c
}

// Dash patterns, told apart without colour.
var (
	dashed = []vg.Length{5, 3}
	dotted = []vg.Length{1.2, 2}
	mixed  = []vg.Length{6, 2, 1.2, 2}
)

// typeface is a font at one size.
type typeface struct {
	size vg.Length
	bold bool
}

var (
	titleFont = typeface{titleSize, true}
	panelFont = typeface{panelSize, true}
	labelFont = typeface{labelSize, false}
	tickFont  = typeface{tickSize, false}
	noteFont  = typeface{tickSize, false}
	boldFont  = typeface{tickSize, true}
)

// The fonts come with the program; a program must not look for fonts on the machine it runs on,
// where they may differ. Parsing cannot fail on them.
var (
	regular = sync.OnceValue(func() *opentype.Font { return parse(liberationsansregular.TTF) })
	bold    = sync.OnceValue(func() *opentype.Font { return parse(liberationsansbold.TTF) })
)

func parse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic("figure: the embedded font is damaged: " + err.Error())
	}
	return f
}

func (t typeface) outlines() *opentype.Font {
	if t.bold {
		return bold()
	}
	return regular()
}

// width is the width of txt on one line.
func (t typeface) width(txt string) vg.Length {
	face := font.Face{Font: font.Font{Size: t.size}, Face: t.outlines()}
	return face.Width(txt)
}

// clean makes txt fit to be drawn on one line and written in XML: control characters become
// spaces, bytes that are not UTF-8 the replacement character.
func clean(txt string) string {
	txt = strings.ToValidUTF8(txt, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) || r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, txt)
}

// fit shortens txt to the given width by leaving out its middle.
func fit(txt string, t typeface, width vg.Length) string {
	txt = clean(txt)
	if t.width(txt) <= width {
		return txt
	}
	runes := []rune(txt)
	lo, hi := 0, len(runes) // lo runes fit, hi do not
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if t.width(middle(runes, mid)) <= width {
			lo = mid
		} else {
			hi = mid
		}
	}
	return middle(runes, lo)
}

// middle keeps n of the runes, an ellipsis in place of the others.
func middle(runes []rune, n int) string {
	head := (n + 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(n-head):])
}

// wrap breaks txt at spaces into at most n lines of the given width.
func wrap(txt string, t typeface, width vg.Length, n int) []string {
	var lines []string
	words := strings.Split(clean(txt), " ")
	for len(words) > 0 {
		if len(lines) == n-1 {
			return append(lines, fit(strings.Join(words, " "), t, width))
		}
		k := 1
		for k < len(words) && t.width(strings.Join(words[:k+1], " ")) <= width {
			k++
		}
		lines = append(lines, fit(strings.Join(words[:k], " "), t, width))
		words = words[k:]
	}
	return lines
}
