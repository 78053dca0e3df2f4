package figure

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Web is a figure for an HTML page, which lays out the legend itself.
type Web struct {
	Label        string  // what the picture is, for those who do not see it
	Wide, Narrow string  // SVG elements for wide windows and for narrow ones, without title and legend
	Legend       []Entry // in order
	Readout      string  // JSON: the numbers to be shown under the pointer
}

// Entry is a name in a legend with a sample of how it is drawn, an SVG element.
type Entry struct{ Name, Sample string }

// Widths of the pictures of a page. A unit is 1.2 pixels in a wide window and on a telephone.
const (
	wideWidth   = vg.Length(720)
	narrowWidth = vg.Length(300)
)

// ForWeb checks a figure's numbers and draws it for an HTML page: once for wide windows, once for
// narrow ones. Colours are the custom properties --c0 to --c6 of the page, ink its colour of text.
// Each panel that can be zoomed is a nested svg element of class "plot". The attribute data-frames
// of the outer one describes each: its place (r), its ranges (x, y: from, to, logarithmic), the
// axes that can be zoomed (z), the panels that go together (l) and its readout (d).
func ForWeb(d Drawer) (*Web, error) {
	p, err := d.plan()
	if err != nil {
		return nil, err
	}
	wide, narrow := p.forWeb(wideWidth), p.forWeb(narrowWidth)
	w := &Web{Label: clean(p.title)}
	if w.Wide, err = wide.element("wide"); err != nil {
		return nil, err
	}
	if w.Narrow, err = narrow.element("narrow"); err != nil {
		return nil, err
	}
	if w.Legend, err = entries(wide.web.keys); err != nil {
		return nil, err
	}
	readouts, err := json.Marshal(wide.web.readouts)
	w.Readout = string(readouts)
	return w, err
}

// collected is what a picture leaves to the page.
type collected struct {
	keys     []key
	frames   []frame
	readouts []*readout
}

// tag says which part of which frame a mark belongs to.
type tag struct {
	frame int // from 1; 0: none
	part  byte
}

// Parts of a frame.
const (
	partData   = 'd' // zoomed
	partPinned = 'p' // hidden when zoomed
	partX      = 'x' // ticks and grid lines, drawn anew when zoomed
	partY      = 'y'
)

// enter says that data of the panel follow.
func (p *panel) enter() {
	if p.s.web == nil {
		return
	}
	if p.frame == 0 {
		p.s.web.frames = append(p.s.web.frames, p.newFrame())
		p.frame = len(p.s.web.frames)
	}
	p.s.tag = tag{p.frame, partData}
}

// leave says that no data of a panel follow.
func (s *scene) leave() { s.tag = tag{} }

// frame is a panel as the page's script knows it.
type frame struct {
	R       [4]rounded `json:"r"` // left, top, right, bottom
	X       [3]float64 `json:"x"`
	Y       [3]float64 `json:"y"`
	Zoom    string     `json:"z,omitempty"`
	Link    int        `json:"l,omitempty"`
	Bare    bool       `json:"bare,omitempty"`
	Mute    bool       `json:"mute,omitempty"`
	NoGrid  bool       `json:"nogrid,omitempty"`
	Readout int        `json:"d"` // from 0; -1: none
	clip    vg.Rectangle
}

func (p *panel) newFrame() frame {
	flag := map[bool]float64{true: 1}
	h := p.s.h
	f := frame{X: [3]float64{p.x.min, p.x.max, flag[p.x.log]},
		Y: [3]float64{p.y.min, p.y.max, flag[p.y.log]}, Zoom: p.zoom, Link: p.link, Bare: p.bare,
		Mute: p.mute, NoGrid: p.nogrid, Readout: -1}
	f.R = [4]rounded{rounded(p.r.Min.X), rounded(h - p.r.Max.Y), rounded(p.r.Max.X),
		rounded(h - p.r.Min.Y)}
	const slack = 3 // for lines and dots on the edge
	f.clip = rect(p.r.Min.X-slack, p.r.Min.Y-slack-p.foot, p.r.Max.X+slack, p.r.Max.Y+slack)
	if p.read != nil {
		f.Readout = slices.Index(p.s.web.readouts, p.read)
		if f.Readout < 0 {
			f.Readout = len(p.s.web.readouts)
			p.s.web.readouts = append(p.s.web.readouts, p.read)
		}
	}
	return f
}

// forWeb draws the plan at a width, without title and legends.
func (p *plan) forWeb(width vg.Length) *scene {
	w := width - 2*marginX
	h := p.h
	if p.heightAt != nil {
		h = p.heightAt(w)
	}
	s := newScene(width, h+2*marginY, p.title)
	s.web = &collected{readouts: []*readout{}}
	p.draw(s, rect(marginX, marginY, marginX+w, marginY+h))
	return s
}

// element writes the page as an svg element of a class.
func (s *scene) element(class string) (string, error) {
	frames, err := json.Marshal(s.web.frames)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w := bufio.NewWriter(&b)
	out := svg{w: w, h: s.h, inline: true, brief: true}
	label := ""
	if s.title != "" {
		label = ` aria-label="` + escape(s.title) + `"`
	}
	out.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="%s" role="img"%s viewBox="0 0 %s %s"`,
		class, label, num(s.w), num(s.h))
	out.printf(" data-frames=\"%s\">\n<g font-family=\"%s\" stroke-linejoin=\"round\">\n",
		escape(string(frames)), fontFamily)
	out.marks(s)
	out.printf("</g>\n</svg>")
	if out.err != nil {
		return "", out.err
	}
	err = w.Flush()
	return b.String(), err
}

// marks writes all marks, those of one part of a frame in one group.
func (o *svg) marks(s *scene) {
	open := tag{}
	for _, m := range s.marks {
		if m.tag != open {
			o.close(open)
			open = m.tag
			o.open(s, open)
		}
		o.mark(m)
	}
	o.close(open)
}

// open begins a group. What is zoomed is in an svg element of its own, whose viewBox the script sets.
func (o *svg) open(s *scene, t tag) {
	switch {
	case t.frame == 0:
	case t.part == partData:
		c := s.web.frames[t.frame-1].clip
		x, y, w, h := num(c.Min.X), num(s.h-c.Max.Y), num(c.Max.X-c.Min.X), num(c.Max.Y-c.Min.Y)
		o.printf("<svg class=\"plot\" data-f=\"%d\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\""+
			" viewBox=\"%s %s %s %s\" preserveAspectRatio=\"none\">\n", t.frame-1, x, y, w, h, x, y, w, h)
	default:
		o.printf("<g class=\"part-%c\" data-f=\"%d\">\n", t.part, t.frame-1)
	}
}

func (o *svg) close(t tag) {
	switch {
	case t.frame == 0:
	case t.part == partData:
		o.printf("</svg>\n")
	default:
		o.printf("</g>\n")
	}
}

// entries draws the samples of a legend, a name that comes twice once.
func entries(keys []key) ([]Entry, error) {
	const height = vg.Length(12)
	var list []Entry
	for _, k := range keys {
		k.name = clean(k.name)
		if slices.ContainsFunc(list, func(e Entry) bool { return e.Name == k.name }) {
			continue
		}
		e := Entry{Name: k.name}
		if w := k.sample(); w > 0 {
			s := newScene(w+2, height, "")
			s.sample(k, 1, height/2)
			var b bytes.Buffer
			buf := bufio.NewWriter(&b)
			out := svg{w: buf, h: height, inline: true, brief: true}
			out.printf("<svg width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\" aria-hidden=\"true\">",
				num(w+2), num(height), num(w+2), num(height))
			out.marks(s)
			out.printf("</svg>")
			if out.err != nil {
				return nil, out.err
			}
			if err := buf.Flush(); err != nil {
				return nil, err
			}
			e.Sample = b.String()
		}
		list = append(list, e)
	}
	return list, nil
}
