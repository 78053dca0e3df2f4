package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Novelty1D shows the p-value that a new row would have along one column. The rows that it would be
// compared with are a rug. The new rows lie on the curve, novel ones with a shape of their own.
type Novelty1D struct {
	Title           string
	X, Value        []float64 // X increasing
	Known           []float64
	New, At         []float64 // new rows, and the value there
	Novel           []bool    // of the new rows
	KnownName, Name string    // of the rows
	Level           float64   // a line at this value; 0: none
	XLabel          string
	YLabel          string // default "p-value of a new row"
}

// Draw lays the figure out on a page of its own.
func (f Novelty1D) Draw() (*Figure, error) { return single(f) }

func (f Novelty1D) plan() (*plan, error) {
	const kind = "Novelty1D"
	n := len(f.X)
	err := first(nonempty(kind, "X", n), finite(kind, "X", f.X), increasing(kind, "X", f.X),
		column(kind, "Value", f.Value, n, false), finite(kind, "Known", f.Known),
		finite(kind, "New", f.New), column(kind, "At", f.At, len(f.New), false))
	if err == nil && len(f.Novel) != len(f.New) {
		err = fmt.Errorf("figure: %s: Novel has %d values, want %d", kind, len(f.Novel), len(f.New))
	}
	if err != nil {
		return nil, err
	}
	if f.YLabel == "" {
		f.YLabel = "p-value of a new row"
	}
	return &plan{title: f.Title, w: pageWidth, h: 255, draw: f.draw,
		legend: func(w vg.Length) vg.Length { return room(w, f.keys()) }}, nil
}

func (f Novelty1D) draw(s *scene, r vg.Rectangle) {
	p := &panel{s: s, xlabel: f.XLabel, ylabel: f.YLabel, zoom: "x", read: &readout{X: f.XLabel,
		At: slices.Clone(f.X), Rows: []reading{{Name: f.YLabel, Value: slices.Clone(f.Value)}}}}
	_, hi := extent(f.Value, f.At)
	_, hi = spread(0, max(hi, tiny), 0.05)
	xlo, xhi := spread(f.X[0], f.X[len(f.X)-1], 0)
	p.setUp(r, f.keys(), axis{xlo, xhi, false}, axis{-0.09 * hi, hi, false})
	p.axes()
	p.level(0, pen{color: faint, width: 0.8})
	if f.Level > 0 {
		p.level(f.Level, levelPen)
	}
	p.under(f.X, f.Value, 0, alpha(hue(0), 0.13))
	p.curve(f.X, f.Value, pen{color: hue(0), width: 1.4})
	p.rug(f.Known, p.r.Min.Y+rugHeight, rugHeight, alpha(hue(0), 0.75))
	var usual []vg.Point
	var novel vg.Path
	for i, x := range f.New {
		if q := p.at(x, f.At[i]); f.Novel[i] {
			novel = shape(novel, 3, q, novelSize)
		} else {
			usual = append(usual, q)
		}
	}
	p.s.dots(usual, 2.2, alpha(hue(1), 0.75))
	p.s.fill(novel, novelInk)
	s.leave()
}

// Novel rows are black diamonds, whatever else is coloured.
const novelSize = vg.Length(3)

var novelInk = alpha(ink, 0.85)

func (f Novelty1D) keys() []key {
	keys := append([]key{{name: fmt.Sprintf("%s, n = %d", f.KnownName, len(f.Known)), tick: hue(0)}},
		newKeys(f.Name, f.Novel)...)
	if f.Level > 0 {
		keys = append(keys, key{name: short(f.Level), pen: levelPen, wide: true})
	}
	return keys
}

// newKeys are those of the new rows.
func newKeys(name string, novel []bool) []key {
	k := 0
	for _, yes := range novel {
		if yes {
			k++
		}
	}
	var keys []key
	if k < len(novel) {
		keys = append(keys, key{name: fmt.Sprintf("%s, not listed: %d", name, len(novel)-k), dot: hue(1)})
	}
	if k > 0 {
		keys = append(keys, key{name: fmt.Sprintf("%s, novel: %d", name, k), dot: novelInk, shape: 3})
	}
	return keys
}

// Novelty2D shows the same in the plane, the p-value by its levels.
type Novelty2D struct {
	Title          string
	X, Y           []float64 // grid, increasing
	Value          []float64 // at (X[i], Y[j]): Value[i*len(Y)+j]
	Levels         []float64 // of the value, increasing
	Known, New     Cloud
	Novel          []bool // of the new rows
	XLabel, YLabel string
}

// Draw lays the figure out on a page of its own.
func (f Novelty2D) Draw() (*Figure, error) { return single(f) }

func (f Novelty2D) plan() (*plan, error) {
	const kind = "Novelty2D"
	if len(f.Novel) != len(f.New.Points) {
		return nil, fmt.Errorf("figure: %s: Novel has %d values, want %d", kind, len(f.Novel),
			len(f.New.Points))
	}
	if err := first(nonempty(kind, "New", len(f.New.Points)), nonempty(kind, "Levels", len(f.Levels)),
		increasing(kind, "Levels", f.Levels)); err != nil {
		return nil, err
	}
	m := &plane{surface: Surface{X: f.X, Y: f.Y, Mean: f.Value, XLabel: f.XLabel, YLabel: f.YLabel},
		name: "p-value of a new row", clouds: []Cloud{f.Known}, hues: []int{0}}
	usual := Cloud{Name: f.New.Name + ", not listed"}
	for i, q := range f.New.Points {
		if f.Novel[i] {
			m.diamonds = append(m.diamonds, q)
		} else {
			usual.Points = append(usual.Points, q)
		}
	}
	if len(usual.Points) > 0 {
		m.clouds, m.hues = append(m.clouds, usual), append(m.hues, 1)
	}
	m.levels, m.diamondName = f.Levels, f.New.Name+", novel"
	if err := m.check(kind); err != nil {
		return nil, err
	}
	return m.plan(f.Title), nil
}
