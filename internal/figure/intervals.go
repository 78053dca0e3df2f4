package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg"
)

// Intervals lists named values with intervals, one below the other in their order. Values and ends are
// at least 0. Of more than 40 the first 20 and the last 20 are shown.
type Intervals struct {
	Title        string
	Each         string // what each is: default "row"
	Names        []string
	Value        []float64
	Lower, Upper []float64
	Level        float64 // of the intervals; 0 if it is not to be said
	XLabel       string  // default "value"
}

// Draw lays the figure out on a page of its own.
func (f Intervals) Draw() (*Figure, error) { return single(f) }

func (f Intervals) plan() (*plan, error) {
	const kind = "Intervals"
	n := len(f.Names)
	if err := first(nonempty(kind, "Names", n), column(kind, "Value", f.Value, n, false),
		column(kind, "Lower", f.Lower, n, false), column(kind, "Upper", f.Upper, n, false),
		checkLevel(kind, f.Level)); err != nil {
		return nil, err
	}
	for i, name := range f.Names {
		if !(f.Value[i] >= 0 && f.Lower[i] >= 0 && f.Lower[i] <= f.Upper[i]) {
			return nil, fmt.Errorf("figure: %s: %q has %v with interval %v to %v, want neither negative and "+
				"the ends in order", kind, name, f.Value[i], f.Lower[i], f.Upper[i])
		}
	}
	if f.XLabel == "" {
		f.XLabel = "value"
	}
	if f.Each == "" {
		f.Each = "row"
	}
	d := &intervals{Intervals: f}
	for i := range n {
		if n <= maxColumns || i < maxColumns/2 || i >= n-maxColumns/2 {
			d.shown = append(d.shown, i)
		}
	}
	h := columnHeight*vg.Length(len(d.shown)+1) + 40
	return &plan{title: f.Title, w: pageWidth, draw: d.draw,
		heightAt: func(vg.Length) vg.Length { return h },
		legend:   func(w vg.Length) vg.Length { return room(w+60, d.keys()) }}, nil
}

// intervals are checked Intervals and the rows to show.
type intervals struct {
	Intervals
	shown []int
}

var intervalPen = pen{color: hue(0), width: 2}

func (d *intervals) keys() []key {
	name := "interval"
	if d.Level > 0 {
		name = percent(d.Level) + " interval"
	}
	keys := []key{{name: name, pen: intervalPen}, {name: d.XLabel, dot: ink}}
	if n := len(d.Names) - len(d.shown); n > 0 {
		keys = append(keys, key{none: true, name: fmt.Sprintf("(%d in the middle are left out)", n)})
	}
	return keys
}

func (d *intervals) draw(s *scene, r vg.Rectangle) {
	width := r.Max.X - r.Min.X
	s.legend(d.keys(), pt(r.Min.X, r.Max.Y), width)
	r.Max.Y -= s.legendHeight(d.keys(), width)
	names, hi := vg.Length(0), 0.0
	for _, i := range d.shown {
		names = max(names, tickFont.width(clean(d.Names[i])))
		hi = max(hi, d.Value[i], d.Upper[i])
	}
	names = min(names, 0.38*width)
	_, hi = spread(0, max(hi, tiny), 0.04)
	p := &panel{s: s, mute: true, xlabel: d.XLabel}
	p.r = rect(r.Min.X+names+8, 0, r.Max.X-8, r.Max.Y-columnHeight*0.4)
	p.x = horizontal(0, hi, false, p.width())
	p.y = scale{min: 0, max: float64(len(d.shown))}
	p.r.Min.Y = r.Min.Y + p.below()
	p.read = d.readout()
	p.axes()
	for k, i := range d.shown {
		y := p.py(float64(len(d.shown)-k) - 0.5)
		name := label{txt: fit(d.Names[i], tickFont, names), font: tickFont, color: ink}
		name.at = pt(p.r.Min.X-8-name.width(), y-0.35*tickSize)
		s.text(name)
		s.line(p.px(d.Lower[i]), y, p.px(d.Upper[i]), y, intervalPen)
		s.fill(shape(nil, 0, pt(p.px(d.Value[i]), y), 2.6), ink)
	}
	s.leave()
}

// readout has the rows from below to above, at heights from 0.
func (d *intervals) readout() *readout {
	r := &readout{X: "", Y: d.Each, At: numbers{0}}
	var value, lower, upper numbers
	var names []string
	for k := len(d.shown) - 1; k >= 0; k-- {
		i := d.shown[k]
		r.By = append(r.By, float64(len(d.shown)-k)-0.5)
		names = append(names, clean(d.Names[i]))
		value = append(value, d.Value[i])
		lower, upper = append(lower, d.Lower[i]), append(upper, d.Upper[i])
	}
	r.Rows = []reading{{Name: d.Each, Words: names}, {Name: d.XLabel, Value: value},
		{Name: "from", Value: lower}, {Name: "to", Value: upper}}
	return r
}
