package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
)

// Pairs shows pairs of columns, each as a plane with both samples and the witness function. The
// caller puts the pair with the strongest difference first. Of more than nine the first nine are
// shown.
type Pairs struct {
	Title  string
	Planes []Witness2D // their titles are not used
	P      []float64   // of each pair, corrected; NaN where it is not to be said; optional
}

const (
	maxPairs   = 9
	pairPoints = 300            // of a cloud
	narrowest  = vg.Length(132) // plane
	pairHeight = vg.Length(190)
)

// Draw lays the figure out on a page of its own.
func (f Pairs) Draw() (*Figure, error) { return single(f) }

func (f Pairs) plan() (*plan, error) {
	const kind = "Pairs"
	if err := nonempty(kind, "Planes", len(f.Planes)); err != nil {
		return nil, err
	}
	if len(f.P) != 0 && len(f.P) != len(f.Planes) {
		return nil, fmt.Errorf("figure: %s: P has %d values, want %d", kind, len(f.P), len(f.Planes))
	}
	d := &pairs{left: len(f.Planes)}
	for i, w := range f.Planes[:min(len(f.Planes), maxPairs)] {
		m, err := w.plane(kind)
		if err != nil {
			return nil, fmt.Errorf("%w (plane %d)", err, i+1)
		}
		m.most = pairPoints
		head := fmt.Sprintf("%s, %s", w.YLabel, w.XLabel)
		if len(f.P) > 0 && !math.IsNaN(f.P[i]) {
			d.facts = append(d.facts, "p = "+short(f.P[i]))
		} else {
			d.facts = append(d.facts, "")
		}
		d.heads, d.planes = append(d.heads, head), append(d.planes, m)
	}
	d.left -= len(d.planes)
	w := vg.Length(min(len(d.planes), 3)) * 240
	return &plan{title: f.Title, w: max(w, 330), draw: d.draw, heightAt: d.height,
		legend: func(w vg.Length) vg.Length { return room(w+60, d.keys()) }}, nil
}

// pairs is a checked Pairs.
type pairs struct {
	planes       []*plane
	heads, facts []string
	left         int // pairs that are not shown
}

// columns is how many planes stand side by side on a page of width w.
func (d *pairs) columns(w vg.Length) int {
	return max(1, min(int((w+gapX)/(narrowest+gapX)), 3, len(d.planes)))
}

func (d *pairs) height(w vg.Length) vg.Length {
	cols := d.columns(w)
	rows := (len(d.planes) + cols - 1) / cols
	return vg.Length(rows)*(d.cell(w)+gapY) - gapY
}

// cell is the height of a plane with its heading.
func (d *pairs) cell(w vg.Length) vg.Length {
	width := (w+gapX)/vg.Length(d.columns(w)) - gapX
	return min(pairHeight, width) + d.head()
}

// head is the height of a plane's heading: two lines if there are p-values.
func (d *pairs) head() vg.Length { return 2*1.25*tickSize + 4 }

// keys are those of all planes, without the numbers of one of them.
func (d *pairs) keys() []key {
	var keys []key
	for _, m := range d.planes {
		for _, k := range m.keys() {
			known := k.none
			for _, other := range keys {
				known = known || other.name == k.name
			}
			if !known {
				keys = append(keys, k)
			}
		}
	}
	if d.left > 0 {
		keys = append(keys, key{name: fmt.Sprintf("(%d more pairs are not shown)", d.left), none: true})
	}
	return keys
}

func (d *pairs) draw(s *scene, r vg.Rectangle) {
	width := r.Max.X - r.Min.X
	s.legend(d.keys(), pt(r.Min.X, r.Max.Y), width)
	r.Max.Y -= s.legendHeight(d.keys(), width)
	cols := d.columns(width)
	rows := (len(d.planes) + cols - 1) / cols
	w := (width+gapX)/vg.Length(cols) - gapX
	h := (r.Max.Y-r.Min.Y+gapY)/vg.Length(rows) - gapY
	for i, m := range d.planes {
		x := r.Min.X + vg.Length(i%cols)*(w+gapX)
		top := r.Max.Y - vg.Length(i/cols)*(h+gapY)
		s.text(label{txt: fit(d.heads[i], boldFont, w), at: pt(x, top-tickSize), font: boldFont,
			color: ink})
		s.text(label{txt: fit(d.facts[i], noteFont, w), at: pt(x, top-2.25*tickSize), font: noteFont,
			color: soft})
		m.drawIn(s, rect(x, top-h, x+w, top-d.head()), nil)
	}
}
