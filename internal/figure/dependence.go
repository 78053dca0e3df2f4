package figure

import (
	"errors"
)

// Dependence shows pairs of two variables and where there are more and fewer of them than there would
// be if the variables were independent. Only the Sides are coloured, and only where there are pairs
// or would be if the variables were independent; elsewhere the function is drawn as contours.
type Dependence struct {
	Title          string
	Pairs          [][2]float64
	X, Y           []float64 // grid, increasing
	Mean           []float64 // the witness of dependence at (X[i], Y[j]): Mean[i*len(Y)+j]
	Lower, Upper   []float64 // its band; optional
	Level          float64   // of the band; 0 if it is not to be said
	Sides          []int     // at the grid: 1 where pairs are more frequent, -1 less, 0 unknown; optional
	XLabel, YLabel string
}

// Draw lays the figure out on a page of its own.
func (d Dependence) Draw() (*Figure, error) { return single(d) }

func (d Dependence) plan() (*plan, error) {
	if len(d.Pairs) == 0 {
		return nil, errors.New("figure: Dependence: Pairs is empty")
	}
	m := &plane{surface: Surface{X: d.X, Y: d.Y, Mean: d.Mean, Lower: d.Lower, Upper: d.Upper,
		Level: d.Level, XLabel: d.XLabel, YLabel: d.YLabel}, sides: d.Sides, name: "witness",
		clouds: []Cloud{{Name: "pairs", Points: d.Pairs}}, hues: []int{inkHue}, signed: true}
	if err := m.check("Dependence"); err != nil {
		return nil, err
	}
	m.more = [2]string{"more pairs than if independent", "fewer pairs than if independent"}
	if len(d.Lower) > 0 {
		band := "band"
		if d.Level > 0 {
			band = percent(d.Level) + " band"
		}
		m.more[0] += " (" + band + " above 0)"
		m.more[1] += " (" + band + " below 0)"
	}
	m.present = m.surface.crowd(m.clouds)
	for k, v := range m.surface.expected(d.Pairs) {
		m.present[k] = max(m.present[k], v)
	}
	return m.plan(d.Title), nil
}
