package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg"
)

// Cells is a table of texts with shaded cells, a row below the other.
type Cells struct {
	Title   string
	Side    string // heading of the names of rows; optional
	Rows    []string
	Columns []string
	Shade   []float64 // of row i and column j at i*len(Columns)+j, 0 to 1
	Text    []string  // the same; optional
}

// Draw lays the figure out on a page of its own.
func (f Cells) Draw() (*Figure, error) { return single(f) }

func (f Cells) plan() (*plan, error) {
	const kind = "Cells"
	n := len(f.Rows) * len(f.Columns)
	if err := first(nonempty(kind, "Rows", len(f.Rows)), nonempty(kind, "Columns", len(f.Columns)),
		column(kind, "Shade", f.Shade, n, false)); err != nil {
		return nil, err
	}
	if len(f.Text) != 0 && len(f.Text) != n {
		return nil, fmt.Errorf("figure: %s: Text has %d values, want %d", kind, len(f.Text), n)
	}
	for i, v := range f.Shade {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("figure: %s: Shade %d is %v, want 0 to 1", kind, i, v)
		}
	}
	h := columnHeight * vg.Length(len(f.Rows)+1)
	return &plan{title: f.Title, w: pageWidth, draw: f.draw,
		heightAt: func(vg.Length) vg.Length { return h },
		legend:   func(vg.Length) vg.Length { return 0 }}, nil
}

func (f Cells) draw(s *scene, r vg.Rectangle) {
	names := tickFont.width(clean(f.Side))
	for _, name := range f.Rows {
		names = max(names, tickFont.width(clean(name)))
	}
	names = min(names, 0.3*(r.Max.X-r.Min.X)) + 8
	width := (r.Max.X - r.Min.X - names) / vg.Length(len(f.Columns))
	top := r.Max.Y - columnHeight
	base := 0.5 * (columnHeight - 0.7*tickSize)
	s.text(label{txt: fit(f.Side, tickFont, names), at: pt(r.Min.X, top+base), font: tickFont, color: soft})
	for j, name := range f.Columns {
		s.text(label{txt: fit(name, tickFont, width-4), font: tickFont, color: soft, anchor: 0.5,
			at: pt(r.Min.X+names+(vg.Length(j)+0.5)*width, top+base)})
	}
	for i, name := range f.Rows {
		y := top - columnHeight*vg.Length(i+1)
		s.text(label{txt: fit(name, tickFont, names-8), at: pt(r.Min.X, y+base), font: tickFont, color: ink})
		for j := range f.Columns {
			x := r.Min.X + names + vg.Length(j)*width
			at := i*len(f.Columns) + j
			s.box(rect(x+1, y+1, x+width-1, y+columnHeight-1), alpha(hue(1), 0.05+0.6*f.Shade[at]))
			if len(f.Text) > 0 {
				s.text(label{txt: fit(f.Text[at], tickFont, width-4), font: tickFont, color: ink, anchor: 0.5,
					at: pt(x+width/2, y+base)})
			}
		}
	}
}
