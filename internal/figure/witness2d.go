package figure

import (
	"fmt"
)

// Witness2D shows one or two samples in the plane with the posterior of the embedding (one sample)
// or of the witness function (two). The Sides, where the samples differ, have the colour of the
// sample that has more there, the stronger the larger the difference. Elsewhere the function is
// drawn as contours and nothing is coloured, whatever the band.
type Witness2D struct {
	Title          string
	Samples        []Cloud   // one or two
	X, Y           []float64 // grid, increasing
	Mean           []float64 // at (X[i], Y[j]): Mean[i*len(Y)+j]
	Lower, Upper   []float64 // band, shown under the pointer; optional
	XLabel, YLabel string
	Level          float64 // of the band; 0 if it is not to be said
	Sides          []int   // at the grid: 1 where the first sample has more, -1 the second, 0 unknown
}

// Draw lays the figure out on a page of its own.
func (w Witness2D) Draw() (*Figure, error) { return single(w) }

func (w Witness2D) plan() (*plan, error) {
	m, err := w.plane("Witness2D")
	if err != nil {
		return nil, err
	}
	return m.plan(w.Title), nil
}

// plane checks the numbers and says what the colours mean.
func (w Witness2D) plane(kind string) (*plane, error) {
	if n := len(w.Samples); n > 2 {
		return nil, fmt.Errorf("figure: %s: %d samples, want one or two", kind, n)
	}
	m := &plane{surface: Surface{X: w.X, Y: w.Y, Mean: w.Mean, Lower: w.Lower, Upper: w.Upper,
		Level: w.Level, XLabel: w.XLabel, YLabel: w.YLabel}, sides: w.Sides, name: "witness"}
	for i, c := range w.Samples {
		c.Name = sampleName(c.Name, i)
		m.clouds, m.hues = append(m.clouds, c), append(m.hues, i)
	}
	if err := m.check(kind); err != nil {
		return nil, err
	}
	if len(m.clouds) == 1 {
		m.name = "mean embedding"
		return m, nil
	}
	m.more = [2]string{"more of " + m.clouds[0].Name, "more of " + m.clouds[1].Name}
	m.present = m.surface.crowd(m.clouds)
	return m, nil
}
