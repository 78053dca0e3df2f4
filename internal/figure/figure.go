package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg"
)

// Figure is a picture, laid out once, that can be written in several formats. What is written
// depends on the figure alone: the same figure gives the same bytes.
type Figure struct {
	s *scene
}

// Drawer is implemented by the figure types of this package.
type Drawer interface {
	// Draw checks the numbers, lays the figure out on a page of its own and returns it.
	Draw() (*Figure, error)

	// plan checks the numbers and prepares the drawing for a rectangle yet to be chosen.
	plan() (*plan, error)
}

// plan is a checked figure that waits for a place on a page.
type plan struct {
	title  string
	w, h   vg.Length                      // preferred size, title and legends excluded
	legend func(w vg.Length) vg.Length    // height of the legends at a width; nil: none
	draw   func(s *scene, r vg.Rectangle) // draws everything but the title
	accent string                         // prefix of the title, the panel's letter
	font   typeface                       // of the title

	heightAt func(w vg.Length) vg.Length // at a width, in place of h; nil: h
}

// Outer margins of every page.
const (
	marginX = vg.Length(8)
	marginY = vg.Length(7)
)

// single lays d out on a page of its own.
func single(d Drawer) (*Figure, error) {
	p, err := d.plan()
	if err != nil {
		return nil, err
	}
	return p.page(), nil
}

// page lays the plan out on a page of its own.
func (p *plan) page() *Figure {
	p.font = titleFont
	head := p.titleHeight(p.w)
	h := p.body(p.w) + head
	s := newScene(p.w+2*marginX, h+2*marginY, p.title)
	p.drawIn(s, rect(marginX, marginY, marginX+p.w, marginY+h), head)
	return &Figure{s}
}

// body is the height of what draw fills when it is as wide as w.
func (p *plan) body(w vg.Length) vg.Length {
	h := p.h * max(min(w/p.w, 1), minShrink)
	if p.heightAt != nil {
		h = p.heightAt(w)
	}
	if p.legend != nil {
		h += p.legend(w)
	}
	return h
}

// titleHeight is the height of the title's lines when they are broken at width w.
func (p *plan) titleHeight(w vg.Length) vg.Length {
	if p.title == "" && p.accent == "" {
		return 0
	}
	return vg.Length(len(p.titleLines(w)))*p.font.size*1.2 + 3
}

func (p *plan) titleLines(w vg.Length) []string {
	t := p.title
	if p.accent != "" {
		t = p.accent + "\u00a0\u00a0" + t
	}
	return wrap(t, p.font, w, 3)
}

// drawIn draws the title in the top head points of r and the figure in the rest.
func (p *plan) drawIn(s *scene, r vg.Rectangle, head vg.Length) {
	if lines := p.titleLines(r.Max.X - r.Min.X); head > 0 {
		for i, line := range lines {
			y := r.Max.Y - p.font.size*(0.95+1.2*vg.Length(i))
			s.text(label{txt: line, at: pt(r.Min.X, y), font: p.font, color: ink})
		}
	}
	r.Max.Y -= head
	p.draw(s, r)
}

// maxPanels bounds a grid; more could not be read.
const maxPanels = 26

// Panels composes figures in a grid, filled row by row, each with a bold letter before its title
// when there are two or more. There may be fewer figures than cells.
func Panels(rows, cols int, title string, figs ...Drawer) (*Figure, error) {
	if min(rows, cols) < 1 || max(rows, cols) > maxPanels || rows*cols > maxPanels {
		return nil, fmt.Errorf("figure: a grid of %d x %d panels, want 1 to %d panels",
			rows, cols, maxPanels)
	}
	if len(figs) == 0 || len(figs) > rows*cols {
		return nil, fmt.Errorf("figure: %d figures for a grid of %d x %d", len(figs), rows, cols)
	}
	plans := make([]*plan, len(figs))
	for i, f := range figs {
		if f == nil {
			return nil, fmt.Errorf("figure: panel %d is nil", i+1)
		}
		p, err := f.plan()
		if err != nil {
			return nil, fmt.Errorf("figure: panel %d: %w", i+1, err)
		}
		if len(figs) > 1 {
			p.accent = string(rune('A' + i))
		}
		p.font = panelFont
		plans[i] = p
	}
	return compose(rows, cols, title, plans), nil
}

// Space between the panels of a grid.
const (
	gapX = vg.Length(16)
	gapY = vg.Length(14)
)

// compose places the plans in cells of one width; each row is as high as its highest plan.
func compose(rows, cols int, title string, plans []*plan) *Figure {
	width := cellWidth(cols)
	heads, bodies := make([]vg.Length, rows), make([]vg.Length, rows)
	for i, p := range plans {
		row := i / cols
		heads[row] = max(heads[row], p.titleHeight(width))
		bodies[row] = max(bodies[row], p.body(width))
	}
	page := &plan{title: title, w: vg.Length(cols)*(width+gapX) - gapX}
	for row := range rows {
		if bodies[row] > 0 {
			page.h += heads[row] + bodies[row]
			if row > 0 {
				page.h += gapY
			}
		}
	}
	page.draw = func(s *scene, r vg.Rectangle) {
		top := r.Max.Y
		for i, p := range plans {
			row, col := i/cols, i%cols
			if col == 0 && row > 0 {
				top -= heads[row-1] + bodies[row-1] + gapY
			}
			left := r.Min.X + vg.Length(col)*(width+gapX)
			p.drawIn(s, rect(left, top-heads[row]-bodies[row], left+width, top), heads[row])
		}
	}
	return page.page()
}

// minShrink keeps a figure in a narrow cell from becoming flatter than it can be read.
const minShrink = 0.95

// cellWidth is the width of a panel when cols stand side by side.
func cellWidth(cols int) vg.Length {
	switch cols {
	case 1:
		return pageWidth
	case 2:
		return 330
	case 3:
		return 280
	}
	return 240
}
