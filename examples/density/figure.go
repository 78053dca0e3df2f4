package main

import (
	"context"
	"math"
	"math/rand/v2"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
)

// draw shows the excess against the number of rows in two columns with the SE kernel, and an example
// in one column.
func draw(ctx context.Context, path string, list []setting, cases []report.Case,
	all map[string]map[int]excess) error {
	curves := figure.Curves{Title: "two columns, SE kernel", XLabel: "rows",
		YLabel: "excess of the negative log likelihood", LogX: true, Note: "two standard errors"}
	for k, name := range methods {
		s := figure.Series{Name: name}
		for i, c := range list {
			sets := all[cases[i].Name]
			if c.kernel != "SE" || c.dim != 2 || len(sets) < 2 {
				continue
			}
			m, se := meanOf(sets, func(e excess) float64 { return e.Excess[k] })
			s.X, s.Y = append(s.X, float64(c.rows)), append(s.Y, m)
			s.Lower, s.Upper = append(s.Lower, m-2*se), append(s.Upper, m+2*se)
		}
		if len(s.X) > 0 {
			curves.Series = append(curves.Series, s)
		}
	}
	example, err := example(ctx)
	if err != nil {
		return err
	}
	panels := []figure.Drawer{example}
	if len(curves.Series) > 0 {
		panels = append(panels, curves)
	}
	fig, err := figure.Panels(1, len(panels), "Mixtures by mean matching (synthetic data)", panels...)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, fig.WritePNG)
}

// example has the truth and the mixtures of 50 rows.
func example(ctx context.Context) (figure.Curves, error) {
	r := rand.New(rand.NewPCG(3, 3))
	f := figure.Curves{Title: "one column, 50 rows", XLabel: "x", YLabel: "density"}
	p, err := truth(1, r)
	if err != nil {
		return f, err
	}
	fits, err := fit(ctx, "SE", drawn(p, 50, 1, r))
	if err != nil {
		return f, err
	}
	var x []float64
	for v := -7.0; v <= 7; v += 0.05 {
		x = append(x, v)
	}
	add := func(name string, density func([]float64) float64) {
		s := figure.Series{Name: name, X: x}
		for _, v := range x {
			s.Y = append(s.Y, math.Exp(density([]float64{v})))
		}
		f.Series = append(f.Series, s)
	}
	add("truth", p.LogDensity)
	add("matched", fits[1].LogDensity)
	add("kernel density", fits[4].LogDensity)
	return f, nil
}
