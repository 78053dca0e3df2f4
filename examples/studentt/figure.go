package main

import (
	"context"
	"fmt"

	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
	"bayeskernel/kernels"
	"bayeskernel/nuts"
	"bayeskernel/studentt"
	"bayeskernel/studentt/fantasy"
)

// drawToy draws the density of a new row on the parabola, in both forms, and fantasy data of three
// priors.
func drawToy(ctx context.Context, path string, seed uint64) error {
	curves := figure.Curves{Title: "a new row, features (x, x²), beta = 1", XLabel: "x",
		YLabel: "density"}
	for _, form := range []studentt.Form{studentt.NIW, studentt.Printed} {
		c, err := density(studentt.Params{Alpha: 2, Beta: 1, Scale2: 0.125, Form: form})
		if err != nil {
			return err
		}
		s := figure.Series{Name: map[studentt.Form]string{studentt.NIW: "exact",
			studentt.Printed: "as printed"}[form]}
		for i, x := range c.x {
			if x > -2.5 && x < 2.5 {
				s.X, s.Y = append(s.X, x), append(s.Y, c.density[i])
			}
		}
		curves.Series = append(curves.Series, s)
	}
	panels := []figure.Drawer{curves}
	for i, alpha := range []float64{0.01, 1, 10} {
		m, err := studentt.New(kernels.SquaredExponential(1), 2,
			studentt.Params{Alpha: alpha, Beta: 0.01, Scale2: 0.1})
		if err != nil {
			return err
		}
		x, _, err := fantasy.Sample(ctx, m, fantasy.Options{Rows: fantasyRows,
			Box:    fantasy.Box{Half: []float64{halfBox}},
			Config: nuts.Config{Settings: nuts.Settings{Seed: seed}}})
		if err != nil {
			return err
		}
		cloud := figure.Cloud{Name: "rows"}
		for i := range fantasyRows {
			cloud.Points = append(cloud.Points, [2]float64{x.At(i, 0), x.At(i, 1)})
		}
		panels = append(panels, figure.Scatter{
			Title:   fmt.Sprintf("fantasy data, alpha = %v", alpha),
			Samples: []figure.Cloud{cloud},
			XLabel:  "column 1", YLabel: "column 2", Hue: i,
			XRange: [2]float64{-halfBox, halfBox}, YRange: [2]float64{-halfBox, halfBox}})
	}
	fig, err := figure.Panels(2, 2, "The kernel Student-t (synthetic data)", panels...)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, fig.WritePNG)
}
