package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg"
)

// Map shows named points of a plane in which distances mean something: both axes have one scale. A
// name that would lie on another, or on a point, is left out.
type Map struct {
	Title          string
	Names          []string
	Points         [][2]float64 // of the names
	XLabel, YLabel string
	Note           string // in the legend; optional
}

// Draw lays the figure out on a page of its own.
func (f Map) Draw() (*Figure, error) { return single(f) }

func (f Map) plan() (*plan, error) {
	const kind = "Map"
	if len(f.Names) != len(f.Points) {
		return nil, fmt.Errorf("figure: %s: %d names of %d points, want as many", kind, len(f.Names),
			len(f.Points))
	}
	if err := (Scatter{Samples: []Cloud{{Points: f.Points}}}).check(kind); err != nil {
		return nil, err
	}
	return &plan{title: f.Title, w: pageWidth, h: 340, draw: f.draw,
		legend: func(w vg.Length) vg.Length { return room(w, f.keys(1)) }}, nil
}

// keys has a note if names were left out.
func (f Map) keys(unnamed int) []key {
	var keys []key
	if f.Note != "" {
		keys = append(keys, key{name: f.Note, none: true})
	}
	if unnamed > 0 && len(f.Names) > manyNames {
		keys = append(keys, key{name: "names that would lie on others are left out", none: true})
	}
	return keys
}

// manyNames is from where on some may be left out without surprise.
const manyNames = 12

func (f Map) draw(s *scene, r vg.Rectangle) {
	x, y := Scatter{Samples: []Cloud{{Points: f.Points}}}.ranges()
	p := &panel{s: s, xlabel: f.XLabel, ylabel: f.YLabel}
	probe := &panel{s: newScene(s.w, s.h, ""), xlabel: f.XLabel, ylabel: f.YLabel}
	if s.web != nil {
		probe.s.web = &collected{}
	}
	probe.setUp(r, f.keys(1), x, y)
	x, y = alike(x, y, probe.width(), probe.height())
	p.setUp(r, f.keys(1), x, y)
	p.axes()
	at := make([]vg.Point, len(f.Points))
	for i, q := range f.Points {
		at[i] = p.at(q[0], q[1])
	}
	p.s.dots(at, 2.8, hue(0))
	s.leave()
	p.name(f.Names, at)
}

// alike widens one of two ranges, and both by room for names, so that a unit is as long on both axes.
func alike(x, y axis, width, height vg.Length) (axis, axis) {
	const names = 1.12
	unit := max((x.hi-x.lo)/float64(width), (y.hi-y.lo)/float64(height)) * names
	widen := func(a axis, to float64) axis {
		mid := a.lo + (a.hi-a.lo)/2
		return axis{mid - to/2, mid + to/2, false}
	}
	return widen(x, unit*float64(width)), widen(y, unit*float64(height))
}

// name writes names beside points: at the right, the left, above or below, where there is room.
func (p *panel) name(names []string, at []vg.Point) {
	const gap = vg.Length(5)
	var taken []vg.Rectangle
	for _, q := range at {
		taken = append(taken, rect(q.X-3, q.Y-3, q.X+3, q.Y+3))
	}
	for i, q := range at {
		txt := fit(names[i], tickFont, 0.4*p.width())
		w := tickFont.width(txt)
		for _, c := range [...]vg.Point{pt(q.X+gap, q.Y-0.35*tickSize), pt(q.X-gap-w, q.Y-0.35*tickSize),
			pt(q.X-w/2, q.Y+gap), pt(q.X-w/2, q.Y-gap-0.75*tickSize)} {
			box := rect(c.X, c.Y-0.2*tickSize, c.X+w, c.Y+0.8*tickSize)
			if !p.inside(box.Min) || !p.inside(box.Max) || overlaps(box, taken) {
				continue
			}
			taken = append(taken, box)
			p.s.text(label{txt: txt, at: c, font: tickFont, color: ink})
			break
		}
	}
}
