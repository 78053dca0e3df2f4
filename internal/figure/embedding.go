package figure

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// Embedding shows functions on the line: draws of a function as thin lines, an empirical curve, a
// posterior mean with its band, the truth, a rug of the points they come from; each if given.
type Embedding struct {
	Title     string
	X         []float64   // increasing
	Draws     [][]float64 // functions at X; optional
	Empirical []float64   // at X; optional
	Truth     []float64   // at X; optional
	Band      Ribbon      // optional
	Level     float64     // of the band; 0 if it is not to be said
	Rug       []float64   // optional
	RugName   string      // default "sample"
	XLabel    string      // default "x"
	YLabel    string      // default "mean embedding"
}

// Draw lays the figure out on a page of its own.
func (e Embedding) Draw() (*Figure, error) { return single(e) }

func (e Embedding) check() error {
	const kind = "Embedding"
	n := len(e.X)
	err := first(
		nonempty(kind, "X", n),
		finite(kind, "X", e.X),
		increasing(kind, "X", e.X),
		column(kind, "Empirical", e.Empirical, n, true),
		column(kind, "Truth", e.Truth, n, true),
		finite(kind, "Rug", e.Rug),
		checkLevel(kind, e.Level),
	)
	if err != nil {
		return err
	}
	for i, f := range e.Draws {
		if err := column(kind, "Draws "+strconv.Itoa(i), f, n, false); err != nil {
			return err
		}
	}
	if len(e.Band.X) == 0 {
		if len(e.Draws)+len(e.Empirical)+len(e.Truth) == 0 {
			return fmt.Errorf("figure: %s: no function to draw", kind)
		}
		return nil
	}
	return e.Band.check(kind)
}

func (e Embedding) plan() (*plan, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	if e.XLabel == "" {
		e.XLabel = "x"
	}
	if e.YLabel == "" {
		e.YLabel = "mean embedding"
	}
	if e.RugName == "" {
		e.RugName = "sample"
	}
	return &plan{title: e.Title, w: pageWidth, h: 255, draw: e.draw,
		legend: func(w vg.Length) vg.Length { return room(w, e.keys()) }}, nil
}

func (e Embedding) draw(s *scene, r vg.Rectangle) {
	p := &panel{s: s, xlabel: e.XLabel, ylabel: e.YLabel, zoom: "x", read: e.readout()}
	lists := append([][]float64{e.Empirical, e.Truth, e.Band.Lower, e.Band.Upper}, e.Draws...)
	lo, hi := extent(lists...)
	lo, hi = spread(min(lo, 0), max(hi, 0), 0.05)
	if len(e.Rug) > 0 {
		lo -= 0.05 * (hi - lo) // room below the curves
	}
	xlo, xhi := spread(e.X[0], e.X[len(e.X)-1], 0)
	p.setUp(r, e.keys(), axis{xlo, xhi, false}, axis{lo, hi, false})
	p.axes()
	p.level(0, pen{color: faint, width: 0.8})
	for i, f := range e.Draws {
		p.curve(e.X, f, e.drawPen(i))
	}
	if len(e.Band.X) > 0 {
		p.ribbon(e.Band, alpha(hue(0), bandAlpha))
	}
	if len(e.Empirical) > 0 {
		by := empiricalPen
		if len(e.Band.X) == 0 {
			by = pen{color: hue(0), width: 1.6}
		}
		p.curve(e.X, e.Empirical, by)
	}
	if len(e.Truth) > 0 {
		p.curve(e.X, e.Truth, truthPen)
	}
	p.rug(e.Rug, p.r.Min.Y+rugHeight, rugHeight, alpha(ink, 0.6))
	s.leave()
}

// drawPen gives few draws a colour each, many draws one colour.
func (e Embedding) drawPen(i int) pen {
	if len(e.Draws) <= len(palette) {
		return pen{color: hue(i), width: 1.1}
	}
	return pen{color: alpha(hue(0), 0.45), width: 0.8}
}

func (e Embedding) keys() []key {
	var keys []key
	if n := len(e.Draws); n > 0 {
		name := "draw"
		if n > 1 {
			name = fmt.Sprintf("%d draws", n)
		}
		keys = append(keys, key{name: name, pen: e.drawPen(0)})
	}
	if len(e.Band.X) > 0 {
		name := "mean and band"
		if e.Level > 0 {
			name = "mean, " + percent(e.Level) + " band"
		}
		keys = append(keys, key{name: name, area: alpha(hue(0), bandAlpha), pen: meanPen})
	}
	if len(e.Empirical) > 0 {
		k := key{name: "empirical", pen: empiricalPen, wide: true}
		if len(e.Band.X) == 0 {
			k.pen = pen{color: hue(0), width: 1.6}
		}
		keys = append(keys, k)
	}
	if len(e.Truth) > 0 {
		keys = append(keys, key{name: "true", pen: truthPen, wide: true})
	}
	if len(e.Rug) > 0 {
		keys = append(keys, key{name: fmt.Sprintf("%s, n = %d", e.RugName, len(e.Rug)),
			tick: alpha(ink, 0.6)})
	}
	return keys
}

// readout has the curves but for the draws.
func (e Embedding) readout() *readout {
	at := every(len(e.X), 240)
	r := &readout{X: e.XLabel, At: pick(e.X, at)}
	if len(e.Band.X) == len(e.X) {
		r.Rows = append(r.Rows, reading{Name: "mean", Value: pick(e.Band.Mean, at),
			Lower: pick(e.Band.Lower, at), Upper: pick(e.Band.Upper, at), Band: "band"})
	}
	if len(e.Empirical) > 0 {
		r.Rows = append(r.Rows, reading{Name: "empirical", Value: pick(e.Empirical, at)})
	}
	if len(e.Truth) > 0 {
		r.Rows = append(r.Rows, reading{Name: "true", Value: pick(e.Truth, at)})
	}
	if len(r.Rows) == 0 {
		return nil
	}
	return r
}
