package figure

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Forest lists tests, such as those of columns, the smallest p-value first. For each it shows the
// p-value alone and the one corrected for their number, on a logarithmic axis, with a line at the
// level. Of more than 40 tests the first 40 are shown.
type Forest struct {
	Title      string
	Each       string    // what each is a test of, one of them: default "column"
	Names      []string  // of the columns, or what there is
	P          []float64 // of each test alone
	Corrected  []float64 // for the number of tests
	Correction string    // its name, such as "Holm"
	Alpha      float64   // level; 0: no line
	XLabel     string    // default "p-value"
}

const (
	maxColumns   = 40
	columnHeight = vg.Length(16)
)

// Draw lays the figure out on a page of its own.
func (f Forest) Draw() (*Figure, error) { return single(f) }

func (f Forest) check() error {
	const kind = "Forest"
	n := len(f.Names)
	err := first(nonempty(kind, "Names", n), column(kind, "P", f.P, n, false),
		column(kind, "Corrected", f.Corrected, n, false), checkLevel(kind, f.Alpha))
	if err != nil {
		return err
	}
	for i := range f.Names {
		if p, c := f.P[i], f.Corrected[i]; !(p > 0 && p <= c && c <= 1) {
			return fmt.Errorf("figure: %s: %q has p = %v and corrected %v, want 0 < p <= corrected <= 1",
				kind, f.Names[i], p, c)
		}
	}
	return nil
}

func (f Forest) plan() (*plan, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.XLabel == "" {
		f.XLabel = "p-value"
	}
	if f.Each == "" {
		f.Each = "column"
	}
	d := &forest{Forest: f, order: make([]int, len(f.Names))}
	for i := range d.order {
		d.order[i] = i
	}
	slices.SortStableFunc(d.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.Corrected[a], f.Corrected[b]), cmp.Compare(f.P[a], f.P[b]))
	})
	d.shown = min(len(d.order), maxColumns)
	h := columnHeight*vg.Length(d.shown+1) + 40
	return &plan{title: f.Title, w: pageWidth, draw: d.draw,
		heightAt: func(vg.Length) vg.Length { return h },
		legend:   func(w vg.Length) vg.Length { return room(w+60, d.keys()) }}, nil
}

// forest is a checked Forest with the order of its columns.
type forest struct {
	Forest
	order []int
	shown int
}

func (d *forest) keys() []key {
	name := "corrected"
	if d.Correction != "" {
		name += " (" + d.Correction + ")"
	}
	keys := []key{{name: name + fmt.Sprintf(" for %d %ss", len(d.Names), d.Each), dot: ink},
		{name: d.Each + " alone", dot: faint}}
	if d.Alpha > 0 {
		if slices.ContainsFunc(d.Corrected, func(p float64) bool { return p <= d.Alpha }) {
			keys = append(keys, key{name: "differs at level " + short(d.Alpha), dot: hue(0), shape: 3})
		}
		keys = append(keys, key{name: "level " + short(d.Alpha), pen: levelPen, wide: true})
	}
	if n := len(d.order) - d.shown; n > 0 {
		keys = append(keys, key{none: true, name: fmt.Sprintf("(%d more, each with p at least %s)", n,
			short(d.Corrected[d.order[d.shown]]))})
	}
	return keys
}

var levelPen = pen{color: soft, width: 1.2, dash: dashed}

func (d *forest) draw(s *scene, r vg.Rectangle) {
	width := r.Max.X - r.Min.X
	s.legend(d.keys(), pt(r.Min.X, r.Max.Y), width)
	r.Max.Y -= s.legendHeight(d.keys(), width)
	names, figures := vg.Length(0), vg.Length(0)
	lo := 1.0
	for _, i := range d.order {
		lo = min(lo, d.P[i])
	}
	for _, i := range d.order[:d.shown] {
		names = max(names, boldFont.width(clean(d.Names[i])))
		figures = max(figures, boldFont.width(short(d.Corrected[i])))
	}
	names = min(names, 0.38*width)
	p := &panel{s: s, mute: true, xlabel: d.XLabel}
	p.r = rect(r.Min.X+names+8, 0, r.Max.X-figures-8, r.Max.Y-columnHeight*0.9)
	p.x = horizontal(min(lo, 0.01)/1.25, 1.12, true, p.width())
	p.y = scale{min: 0, max: float64(d.shown)}
	p.r.Min.Y = r.Min.Y + p.below()
	p.read = d.readout()
	p.axes()
	s.leave()
	if d.Alpha > 0 {
		p.upright(d.Alpha, levelPen)
	}
	for k, i := range d.order[:d.shown] {
		d.row(p, k, i, [2]vg.Length{names, figures})
	}
	y := p.r.Max.Y + 4
	s.text(label{txt: "p", at: pt(r.Max.X, y), font: boldFont, color: ink, anchor: 1})
}

// row draws column i at place k, beside its name and its p-value, which have these widths.
func (d *forest) row(p *panel, k, i int, widths [2]vg.Length) {
	y := p.py(float64(d.shown-k) - 0.5)
	base := y - 0.35*tickSize
	shade, form := soft, 0
	font := tickFont
	if d.Alpha > 0 && d.Corrected[i] <= d.Alpha {
		shade, form, font = hue(0), 3, boldFont
	}
	left := p.r.Min.X - 8
	name := label{txt: fit(d.Names[i], font, widths[0]), font: font, color: ink}
	name.at = pt(left-name.width(), base)
	p.s.text(name)
	alone, corrected := p.px(d.P[i]), p.px(d.Corrected[i])
	p.s.line(alone, y, corrected, y, pen{color: faint, width: 1})
	p.s.fill(shape(nil, 0, pt(alone, y), 2.2), faint)
	p.s.fill(shape(nil, form, pt(corrected, y), 3.2), shade)
	p.s.text(label{txt: short(d.Corrected[i]), font: font, color: ink, anchor: 1,
		at: pt(p.r.Max.X+8+widths[1], base)})
}

// readout has the columns from below to above, at heights from 0.
func (d *forest) readout() *readout {
	r := &readout{X: "", Y: d.Each, At: numbers{0}}
	var alone, corrected numbers
	var names []string
	for k := d.shown - 1; k >= 0; k-- {
		i := d.order[k]
		r.By = append(r.By, float64(d.shown-k)-0.5)
		names = append(names, clean(d.Names[i]))
		alone, corrected = append(alone, d.P[i]), append(corrected, d.Corrected[i])
	}
	r.Rows = []reading{{Name: d.Each, Words: names}, {Name: "p corrected", Value: corrected},
		{Name: "p of the " + d.Each + " alone", Value: alone}}
	return r
}
