package figure

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

var saveTo = flag.String("save", "", "write every figure of the tests to this directory")

// layouts draws all fixtures, singly and in grids.
func layouts(t testing.TB) map[string]*Figure {
	figs := map[string]*Figure{}
	plain := plainFixtures(t)
	for _, f := range append(plain, nastyFixtures()...) {
		fig, err := f.d.Draw()
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		figs[f.name] = fig
	}
	var all []Drawer
	for _, f := range plain {
		all = append(all, f.d)
	}
	for _, grid := range []struct {
		name       string
		rows, cols int
		figs       []Drawer
	}{
		{"grid-1x3", 1, 3, embeddingFixtures()},
		{"grid-1x2", 1, 2, []Drawer{witnessFixture(50), witnessFixture(400)}},
		{"grid-6x4", 6, 4, all},
		{"grid-1x1", 1, 1, all[:1]},
		{"grid-12x2", 12, 2, all},
	} {
		fig, err := Panels(grid.rows, grid.cols, longName, grid.figs...)
		if err != nil {
			t.Fatalf("%s: %v", grid.name, err)
		}
		figs[grid.name] = fig
	}
	return figs
}

// box is what a label covers, a little less than its line.
func (l *label) box() vg.Rectangle {
	w := l.width()
	x := -vg.Length(l.anchor) * w
	r := rect(x, 0, x+w, 0.72*l.font.size)
	if l.upward {
		r = rect(-r.Max.Y, r.Min.X, -r.Min.Y, r.Max.X)
	}
	return rect(l.at.X+r.Min.X, l.at.Y+r.Min.Y, l.at.X+r.Max.X, l.at.Y+r.Max.Y)
}

// scenes has all figures as pages of their own and as they are on an HTML page.
func scenes(t *testing.T) map[string]*scene {
	all := map[string]*scene{}
	for name, fig := range layouts(t) {
		all[name] = fig.s
	}
	for _, f := range append(plainFixtures(t), nastyFixtures()...) {
		p, err := f.d.plan()
		if err != nil {
			t.Fatal(err)
		}
		all[f.name+", wide"], all[f.name+", narrow"] = p.forWeb(wideWidth), p.forWeb(narrowWidth)
	}
	return all
}

// Nothing may leave the page or be nowhere, and no text may lie on other text.
func TestLayout(t *testing.T) {
	for name, s := range scenes(t) {
		var boxes []vg.Rectangle
		var texts []string
		check := func(what string, q vg.Point) {
			const slack = 1.5 // half a line's width
			if !(q.X >= -slack && q.X <= s.w+slack && q.Y >= -slack && q.Y <= s.h+slack) {
				t.Errorf("%s: %s at %v leaves the page of %v x %v", name, what, q, s.w, s.h)
			}
		}
		for _, m := range s.marks {
			for _, c := range m.path {
				check("a path", c.Pos)
			}
			for _, q := range m.discs {
				check("a disc", q)
			}
			if m.image != nil {
				check("an image", m.image.r.Min)
				check("an image", m.image.r.Max)
			}
			if m.text == nil {
				continue
			}
			r := m.text.box()
			check("text "+m.text.txt, r.Min)
			check("text "+m.text.txt, r.Max)
			for i, other := range boxes {
				if overlaps(r, []vg.Rectangle{other}) {
					t.Errorf("%s: %q at %v lies on %q at %v", name, m.text.txt, r, texts[i], other)
				}
			}
			boxes, texts = append(boxes, r), append(texts, m.text.txt)
		}
	}
}

// inlineSVG is a figure as web pages have it.
func inlineSVG(f *Figure) (string, error) {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	out := svg{w: w, h: f.s.h, inline: true}
	out.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="100%%" role="img"`)
	out.page(f.s, "")
	err := errors.Join(out.err, w.Flush())
	return b.String(), err
}

// The SVG is well-formed, and inline it takes its ink from the page.
func TestSVG(t *testing.T) {
	for name, fig := range layouts(t) {
		var file bytes.Buffer
		if err := fig.WriteSVG(&file); err != nil {
			t.Fatal(name, err)
		}
		inline, err := inlineSVG(fig)
		if err != nil {
			t.Fatal(name, err)
		}
		for d := xml.NewDecoder(&file); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, bad := range []string{"<?xml", "#000000", "#fff\"", "id="} {
			if strings.Contains(inline, bad) {
				t.Errorf("%s: the inline SVG contains %s", name, bad)
			}
		}
		if !strings.HasPrefix(inline, "<svg ") || !strings.Contains(inline, `fill="currentColor"`) {
			t.Errorf("%s: the inline SVG begins %.60s", name, inline)
		}
	}
}

// The title is escaped and a heat map is an image, not a rectangle for every cell.
func TestSVGContents(t *testing.T) {
	plane := planeFixture(40, 0.1)
	w := Surface{Title: `a < b & "c"`, X: plane.X, Y: plane.Y, Mean: plane.Mean}
	fig, err := w.Draw()
	if err != nil {
		t.Fatal(err)
	}
	svg, err := inlineSVG(fig)
	if err != nil {
		t.Fatal(err)
	}
	if want := "<title>a &lt; b &amp; &#34;c&#34;</title>"; !strings.Contains(svg, want) {
		t.Errorf("no %s in %.200s", want, svg)
	}
	if n := strings.Count(svg, "data:image/png;base64,"); n != 2 { // map and colour bar
		t.Errorf("%d images, want 2", n)
	}
	if len(svg) > 100_000 {
		t.Errorf("%d bytes", len(svg))
	}
}

// Figures of the same numbers have the same bytes, and a figure keeps none of its caller's memory.
func TestDeterminism(t *testing.T) {
	write := func(fig *Figure) []byte {
		var b bytes.Buffer
		if err := errors.Join(fig.WritePNG(&b), fig.WriteSVG(&b)); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, draw := range []func() Drawer{
		func() Drawer { return traceFixture(1, 2, 50) },
		func() Drawer { return planeFixture(10, 0.1) },
		func() Drawer { return profileFixture() },
	} {
		a, errA := draw().Draw()
		b, errB := draw().Draw()
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(write(a), write(b)) {
			t.Errorf("%T: two drawings differ", draw())
		}
	}
	w := witnessFixture(20)
	fig, err := w.Draw()
	if err != nil {
		t.Fatal(err)
	}
	before := write(fig)
	clear(w.Band.Mean)
	clear(w.Samples[0].Values)
	if !bytes.Equal(before, write(fig)) {
		t.Error("a figure changed with its caller's numbers")
	}
}

// The PNG holds the very pixels that were drawn, and says how large they are.
func TestPNG(t *testing.T) {
	fig, err := witnessFixture(50).Draw()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := fig.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	// 180 dots per inch are 7087 = 0x1BAF per metre.
	if !bytes.Contains(b.Bytes(), []byte("pHYs\x00\x00\x1b\xaf\x00\x00\x1b\xaf\x01")) {
		t.Error("no resolution")
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	want := fig.s.raster(180)
	if img.Bounds() != want.Bounds() {
		t.Fatalf("bounds %v, want %v", img.Bounds(), want.Bounds())
	}
	if got, ok := img.(*image.RGBA); !ok || !bytes.Equal(got.Pix, want.Pix) {
		t.Error("the pixels read are not those drawn")
	}
}

// failing is a full disk.
type failing struct{ left int }

var errFull = errors.New("no space left")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestFailingWriter(t *testing.T) {
	fig, err := nullFixture().Draw()
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{0, 3000} {
		if err := fig.WritePNG(&failing{left}); !errors.Is(err, errFull) {
			t.Errorf("WritePNG after %d bytes: %v", left, err)
		}
		if err := fig.WriteSVG(&failing{left}); !errors.Is(err, errFull) {
			t.Errorf("WriteSVG after %d bytes: %v", left, err)
		}
	}
}

func TestPanelsErrors(t *testing.T) {
	d := nullFixture()
	for _, c := range []struct {
		rows, cols int
		figs       []Drawer
		want       string
	}{
		{0, 1, []Drawer{d}, "figure: a grid of 0 x 1 panels, want 1 to 26 panels"},
		{1 << 40, 1 << 40, []Drawer{d}, "figure: a grid of 1099511627776 x 1099511627776 panels"},
		{1, 1, nil, "figure: 0 figures for a grid of 1 x 1"},
		{1, 1, []Drawer{d, d}, "figure: 2 figures for a grid of 1 x 1"},
		{1, 2, []Drawer{d, nil}, "figure: panel 2 is nil"},
		{1, 2, []Drawer{d, Null{}}, "figure: panel 2: figure: Null: Draws is empty"},
	} {
		if _, err := Panels(c.rows, c.cols, "", c.figs...); err == nil ||
			!strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%d x %d: error %v, want %q", c.rows, c.cols, err, c.want)
		}
	}
}

// With -save, the figures are there to be looked at.
func TestSave(t *testing.T) {
	if *saveTo == "" {
		t.Skip("no directory given")
	}
	for name, fig := range layouts(t) {
		var b, s bytes.Buffer
		if err := errors.Join(fig.WritePNG(&b), fig.WriteSVG(&s)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(*saveTo, name)
		if err := errors.Join(os.WriteFile(path+".png", b.Bytes(), 0o644),
			os.WriteFile(path+".svg", s.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkRun is what a run of the program draws.
func BenchmarkRun(b *testing.B) {
	witness, trace := witnessFixture(400), traceFixture(2, 4, 200)
	for b.Loop() {
		w, err := witness.Draw()
		if err != nil {
			b.Fatal(err)
		}
		t, err := trace.Draw()
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(w.WritePNG(io.Discard), w.WriteSVG(io.Discard),
			t.WritePNG(io.Discard)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlane is the picture of two samples in the plane.
func BenchmarkPlane(b *testing.B) {
	plane := planeFixture(40, 0.1)
	for b.Loop() {
		w, err := plane.Draw()
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(w.WritePNG(io.Discard), w.WriteSVG(io.Discard)); err != nil {
			b.Fatal(err)
		}
	}
}

// No line joins points that stand apart, and each of them is drawn, however many.
func TestCurvesApart(t *testing.T) {
	x := make([]float64, 2*manyPoints)
	for i := range x {
		x[i] = float64(i)
	}
	for _, apart := range []bool{false, true} {
		f, err := Curves{Series: []Series{{Name: "a", X: x, Y: x, Apart: apart}}}.Draw()
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := f.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		line := strings.Contains(b.String(), `stroke="#0072b2" stroke-width="1.4"`)
		points := strings.Contains(b.String(), `fill="#0072b2"`)
		if line == apart || points != apart {
			t.Errorf("apart %v: a line %v, points %v", apart, line, points)
		}
	}
}

// Points of many series stand beside each other, and none of them on an axis or beyond it.
func TestCurvesStayInside(t *testing.T) {
	for _, log := range []bool{false, true} {
		for n := 1; n <= 26; n++ {
			c := Curves{LogX: log, XLabel: "ε", YLabel: "power", YRange: [2]float64{0, 1}}
			for range n {
				s, err := Proportions("", []float64{1, 2, 10}, []int{0, 5, 10}, []int{10, 10, 10}, 0.95)
				if err != nil {
					t.Fatal(err)
				}
				c.Series = append(c.Series, s)
			}
			for _, cols := range []int{1, 2, 3, 4} {
				p := &panel{s: newScene(500, 300, ""), xlabel: c.XLabel, ylabel: c.YLabel}
				w := cellWidth(cols)
				x, y := c.ranges(w - 50)
				p.setUp(rect(0, 0, w, 265), c.keys(), x, y)
				left := p.px(1) + c.dodge(0) - 2.7
				right := p.px(10) + c.dodge(n-1) + 2.7
				if left < p.r.Min.X || right > p.r.Max.X {
					t.Errorf("%d series, %d columns, log %v: points from %.1f to %.1f, panel from %.1f to %.1f",
						n, cols, log, left, right, p.r.Min.X, p.r.Max.X)
				}
			}
		}
	}
}
