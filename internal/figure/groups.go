package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Groups shows the rows of two or more groups, column by column: for each group its density, drawn to one height, the
// rows themselves if they are few, and its quantiles. The caller puts the column that differs most
// first. Of more than twelve columns or groups the first twelve are shown.
type Groups struct {
	Title   string
	Names   []string // of the groups
	Columns []GroupColumn
}

// GroupColumn is one column of all groups.
type GroupColumn struct {
	Label  string
	Values [][]float64 // of each group
	Fact   string      // under the name; optional
}

const (
	mostGroups  = 12
	mostPanels  = 12
	fewRows     = 150            // up to so many of a group are drawn as dots
	groupWidth  = vg.Length(200) // of a panel, at least
	stripHeight = vg.Length(46)
	stripName   = tickSize * 1.25
)

// Draw lays the figure out on a page of its own.
func (f Groups) Draw() (*Figure, error) { return single(f) }

func (f Groups) check() error {
	const kind = "Groups"
	if len(f.Names) < 2 {
		return fmt.Errorf("figure: %s: %d groups, want at least 2", kind, len(f.Names))
	}
	if err := nonempty(kind, "Columns", len(f.Columns)); err != nil {
		return err
	}
	for _, c := range f.Columns {
		if len(c.Values) != len(f.Names) {
			return fmt.Errorf("figure: %s: %q has values of %d groups, want %d", kind, c.Label, len(c.Values),
				len(f.Names))
		}
		for k, v := range c.Values {
			name := f.Names[k] + "'s " + c.Label
			if err := first(nonempty(kind, name, len(v)), finite(kind, name, v)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f Groups) plan() (*plan, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	d := &groups{Groups: f, shown: min(len(f.Columns), mostPanels), strips: min(len(f.Names), mostGroups)}
	for _, c := range f.Columns[:d.shown] {
		d.facts = d.facts || c.Fact != ""
		for _, v := range c.Values[:d.strips] {
			d.few = d.few || len(v) <= fewRows
		}
	}
	return &plan{title: f.Title, w: min(vg.Length(min(d.shown, 3))*260+200, 720), draw: d.draw, heightAt: d.height,
		legend: func(w vg.Length) vg.Length { return legendHeight(d.keys(), w) }}, nil
}

// groups is a checked Groups.
type groups struct {
	Groups
	shown, strips int
	facts, few    bool
}

func (d *groups) keys() []key {
	keys := []key{{name: "density", area: alpha(faint, 0.25), pen: pen{color: soft, width: 0.9}}}
	if d.few {
		keys = append(keys, key{name: "a row", dot: alpha(faint, 0.6)})
	}
	keys = append(keys, key{name: "median, middle half, middle 80%", pen: pen{color: ink, width: 2.4}})
	if n := len(d.Columns) - d.shown; n > 0 {
		keys = append(keys, key{none: true, name: fmt.Sprintf("(%d more columns are not drawn)", n)})
	}
	if n := len(d.Names) - d.strips; n > 0 {
		keys = append(keys, key{none: true, name: fmt.Sprintf("(%d more groups are not drawn)", n)})
	}
	return keys
}

// columns is how many panels stand side by side on a page of width w.
func (d *groups) columns(w vg.Length) int {
	return max(1, min(int((w+gapX)/(groupWidth+gapX)), 3, d.shown))
}

func (d *groups) head() vg.Length {
	if d.shown == 1 && !d.facts {
		return 2
	}
	if d.facts {
		return 2*1.25*tickSize + 4
	}
	return 1.25*tickSize + 4
}

func (d *groups) cell() vg.Length {
	axis := tickLength + tickGap + tickSize + labelGap + labelSize + 4
	return d.head() + vg.Length(d.strips)*stripHeight + axis
}

func (d *groups) height(w vg.Length) vg.Length {
	rows := (d.shown + d.columns(w) - 1) / d.columns(w)
	return vg.Length(rows)*(d.cell()+gapY) - gapY
}

func (d *groups) draw(s *scene, r vg.Rectangle) {
	width := r.Max.X - r.Min.X
	s.legend(d.keys(), pt(r.Min.X, r.Max.Y), width)
	r.Max.Y -= s.legendHeight(d.keys(), width)
	cols := d.columns(width)
	w := (width+gapX)/vg.Length(cols) - gapX
	for i, c := range d.Columns[:d.shown] {
		x := r.Min.X + vg.Length(i%cols)*(w+gapX)
		top := r.Max.Y - vg.Length(i/cols)*(d.cell()+gapY)
		if d.head() > 2 {
			s.text(label{txt: fit(c.Label, boldFont, w), at: pt(x, top-tickSize), font: boldFont, color: ink})
			s.text(label{txt: fit(c.Fact, noteFont, w), at: pt(x, top-2.25*tickSize), font: noteFont, color: soft})
		}
		d.panel(s, c, rect(x, top-d.cell(), x+w, top-d.head()))
	}
}

// panel draws one column in r.
func (d *groups) panel(s *scene, c GroupColumn, r vg.Rectangle) {
	var all []float64
	for _, v := range c.Values[:d.strips] {
		all = append(all, v...)
	}
	lo, hi, outside := bulk(all)
	lo, hi = spread(lo, hi, 0.04)
	name := ""
	if d.head() == 2 {
		name = c.Label
	}
	if outside > 0 {
		name = strings.TrimSpace(fmt.Sprintf("%s (%d rows beyond)", name, outside))
	}
	p := &panel{s: s, mute: true, xlabel: name, zoom: "x"}
	p.x = horizontal(lo, hi, false, r.Max.X-r.Min.X-8)
	p.y = scale{min: 0, max: float64(d.strips)}
	p.r = rect(r.Min.X+2, r.Min.Y+p.below(), r.Max.X-max(p.rightOf(r.Max.X-r.Min.X-8), 4), r.Max.Y)
	densities := make([][]float64, d.strips)
	var xs []float64
	read := &readout{X: clean(c.Label)}
	for k := range densities {
		xs, densities[k] = density(c.Values[k], lo, hi)
		read.Rows = append(read.Rows, reading{Name: clean(d.Names[k]), Value: densities[k]})
	}
	read.At = xs
	p.read = read
	p.axes()
	for k, v := range c.Values[:d.strips] {
		d.strip(p, k, v, xs, densities[k])
	}
	s.leave()
	for k := range d.strips {
		top := p.py(float64(d.strips - k))
		s.text(label{txt: fit(d.Names[k], noteFont, p.width()-4), font: noteFont, color: ink,
			at: pt(p.r.Min.X+3, top-0.95*tickSize)})
	}
}

// strip draws group k: from above its name, its density, its quantiles and its rows.
func (d *groups) strip(p *panel, k int, values, xs, ys []float64) {
	c := hue(k)
	base, tall := float64(d.strips-k)-0.62, float64((0.62*stripHeight-stripName*0.55)/stripHeight)
	heights, flat := make([]float64, len(xs)), make([]float64, len(xs))
	peak := slices.Max(ys)
	for i, v := range ys {
		heights[i], flat[i] = base, base
		if peak > 0 {
			heights[i] += tall * v / peak
		}
	}
	p.band(xs, flat, heights, alpha(c, 0.25))
	p.curve(xs, heights, pen{color: c, width: 1})
	sorted := sample(values, 100_000)
	slices.Sort(sorted)
	line := base - 0.11
	across := func(from, to float64, width vg.Length) {
		p.curve([]float64{quantile(sorted, from), quantile(sorted, to)}, []float64{line, line}, pen{color: c, width: width})
	}
	across(0.1, 0.9, 1.2)
	across(0.25, 0.75, 3.4)
	if m := quantile(sorted, 0.5); p.inside(p.at(m, line)) {
		p.s.fill(shape(nil, 0, p.at(m, line), 3), ink)
	}
	if len(values) > fewRows {
		return
	}
	up := make([]float64, len(values))
	for i := range up {
		up[i] = base - 0.23 - 0.13*math.Mod(float64(i+1)*0.6180339887498949, 1)
	}
	p.dots(values, up, 1.3, alpha(c, 0.6))
}
