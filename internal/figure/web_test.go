package figure

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// The pictures of a page are well-formed, have no title and no legend, and each panel that can be
// read or zoomed has its data in a nested element of its own.
func TestForWeb(t *testing.T) {
	for _, f := range append(plainFixtures(t), nastyFixtures()...) {
		web, err := ForWeb(f.d)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		var readouts []struct {
			At, By []float64
			Rows   []struct {
				N       string
				V, L, U []*float64
				T       []string
			}
		}
		if err := json.Unmarshal([]byte(web.Readout), &readouts); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		for _, r := range readouts {
			n := len(r.At) * max(len(r.By), 1)
			for _, row := range r.Rows {
				if len(row.V) != n && len(row.T) != n || len(row.L) != len(row.U) ||
					len(row.L) != 0 && len(row.L) != n {
					t.Errorf("%s: %q has %d values, %d words and a band of %d and %d, want %d", f.name,
						row.N, len(row.V), len(row.T), len(row.L), len(row.U), n)
				}
			}
		}
		for class, text := range map[string]string{"wide": web.Wide, "narrow": web.Narrow} {
			frames, plots := parseSVG(t, f.name, text)
			for i, one := range frames {
				if one.D >= len(readouts) || one.R[0] >= one.R[2] || one.R[1] >= one.R[3] {
					t.Errorf("%s: frame %d of %s is %+v, with %d readouts", f.name, i, class, one,
						len(readouts))
				}
			}
			for _, i := range plots {
				if i < 0 || i >= len(frames) {
					t.Errorf("%s: %s has a plot of frame %d, and %d frames", f.name, class, i, len(frames))
				}
			}
			if !strings.Contains(text, `class="`+class+`"`) || strings.Contains(text, "<title>") {
				t.Errorf("%s: %.80s", f.name, text)
			}
		}
	}
}

type webFrame struct {
	R [4]float64
	D int
}

// parseSVG returns the frames of a picture and the frame of each plot.
func parseSVG(t *testing.T, name, text string) (frames []webFrame, plots []int) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return frames, plots
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "data-frames":
				if err := json.Unmarshal([]byte(a.Value), &frames); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			case "data-f":
				i, err := strconv.Atoi(a.Value)
				if err != nil {
					t.Fatal(err)
				}
				plots = append(plots, i)
			case "textLength":
				if v, err := strconv.ParseFloat(a.Value, 64); err != nil || !(v > 0) {
					t.Errorf("%s: a text has length %s", name, a.Value)
				}
			}
		}
		if e.Name.Local == "text" && !slices.ContainsFunc(e.Attr, func(a xml.Attr) bool {
			return a.Name.Local == "textLength"
		}) {
			t.Errorf("%s: a text has no length", name)
		}
	}
}

// What is under the pointer are the caller's numbers.
func TestReadout(t *testing.T) {
	w := witnessFixture(400)
	p, err := w.plan()
	if err != nil {
		t.Fatal(err)
	}
	r := p.forWeb(wideWidth).web.readouts[0]
	for i, x := range r.At {
		k := slices.Index(w.Band.X, x)
		if k < 0 || r.Rows[0].Value[i] != w.Band.Mean[k] || r.Rows[0].Lower[i] != w.Band.Lower[k] ||
			r.Rows[0].Upper[i] != w.Band.Upper[k] {
			t.Fatalf("at %v: %v", x, r.Rows[0])
		}
		for s, sample := range w.Samples {
			n, reach := 0.0, 8.0/50
			for _, v := range sample.Values {
				if math.Abs(v-x) <= reach {
					n++
				}
			}
			if got := r.Rows[1+s].Value[i]; got != n {
				t.Errorf("%v rows of sample %d near %v, want %v", got, s, x, n)
			}
		}
	}
	text, err := json.Marshal(numbers{1e9 + 0.25, 1e9 + 0.5, math.NaN()})
	if err != nil || string(text) != "[1000000000.25,1000000000.5,null]" &&
		string(text) != "[1.00000000025e+09,1.0000000005e+09,null]" {
		t.Errorf("close numbers are written as %s, %v", text, err)
	}
}

// A path in steps ends where the path with coordinates does.
func TestBriefPath(t *testing.T) {
	var p vg.Path
	for part := range 3 {
		var pts []vg.Point
		for i := range 500 {
			pts = append(pts, pt(vg.Length(part)*100+vg.Length(i)*0.217, vg.Length(math.Sin(float64(i)))*37))
		}
		p = polygon(p, pts)
	}
	p = disc(p, pt(33.333, 44.444), 2.7)
	const h = 200
	got := stepEnds(t, briefPath(p, h))
	k := 0
	for _, c := range p {
		if c.Type == vg.CloseComp {
			continue
		}
		want := pt(c.Pos.X, h-c.Pos.Y)
		if math.Abs(float64(got[k].X-want.X)) > 0.0501 || math.Abs(float64(got[k].Y-want.Y)) > 0.0501 {
			t.Fatalf("point %d is %v, want %v", k, got[k], want)
		}
		k++
	}
	if k != len(got) {
		t.Errorf("%d points, want %d", len(got), k)
	}
}

// stepEnds reads path data of relative moves, lines and curves.
func stepEnds(t *testing.T, d string) (ends []vg.Point) {
	t.Helper()
	var at, start vg.Point
	for len(d) > 0 {
		command := d[0]
		n := strings.IndexAny(d[1:], "mlcqz")
		if n < 0 {
			n = len(d) - 1
		}
		numbers := floats(t, d[1:1+n])
		d = d[1+n:]
		if command == 'z' {
			at = start
			continue
		}
		k := len(numbers)
		at = pt(at.X+numbers[k-2], at.Y+numbers[k-1])
		if command == 'm' {
			start = at
		}
		ends = append(ends, at)
	}
	return ends
}

// floats reads numbers that a space, a minus sign or nothing before a second point parts.
func floats(t *testing.T, s string) (xs []vg.Length) {
	t.Helper()
	for _, f := range strings.Fields(strings.ReplaceAll(s, "-", " -")) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		xs = append(xs, vg.Length(v))
	}
	return xs
}

// However many chains there are and however long, their pictures do not make a page heavy.
func TestTraceWeight(t *testing.T) {
	for _, c := range []struct{ parameters, chains, draws int }{{2, 4, 1000}, {6, 4, 4000}, {6, 8, 4000},
		{6, 30, 2000}} {
		web, err := ForWeb(traceFixture(c.parameters, c.chains, c.draws))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(web.Wide) + len(web.Narrow) + len(web.Readout); n > 700_000 {
			t.Errorf("%+v: %d bytes", c, n)
		}
	}
}
