package tests

import (
	"fmt"
	"slices"

	"bayeskernel/cmd/internal/input"
	"bayeskernel/compare"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"

	"gonum.org/v1/gonum/mat"
)

// WitnessPicture draws the witness of two samples, or the mean embedding of one, in one or two
// columns; nil for more columns.
func WitnessPicture(title string, d *input.Dataset, w *compare.Witness, z []float64) figure.Drawer {
	if w == nil {
		return nil
	}
	switch len(w.Axes) {
	case 1:
		f := figure.Witness1D{Title: title, XLabel: d.Columns[0], Level: w.Band.Level,
			YLabel: "witness", Points: z,
			Samples: []figure.Sample{{Name: d.PName, Values: mat.Col(nil, 0, d.P), Of: d.Counts[0]}},
			Band:    figure.Ribbon{X: w.Axes[0], Mean: w.Shown.Mean, Lower: w.Band.Lower, Upper: w.Band.Upper}}
		if d.Q == nil {
			f.YLabel = "mean embedding"
			return f
		}
		f.Samples = append(f.Samples, figure.Sample{Name: d.QName, Values: mat.Col(nil, 0, d.Q),
			Of: d.Counts[1]})
		for _, v := range w.Where {
			f.Regions = append(f.Regions, figure.Region{From: v.From, To: v.To, More: (1 - v.Sign) / 2})
		}
		if w.Where != nil && len(w.Where) == 0 && w.Likely.At != nil {
			f.Marks = []figure.Mark{{X: w.Likely.At[0], Label: "clearest"}}
		}
		return f
	case 2:
		f := onAxes(w, d.Columns[0], d.Columns[1])
		f.Title, f.Samples = title, clouds(d, 0, 1)[:1]
		if d.Q != nil {
			f.Samples = clouds(d, 0, 1)
			f.Sides = w.Sides()
		}
		return f
	}
	return nil
}

// onAxes is a function of two columns, drawn without samples.
func onAxes(w *compare.Witness, x, y string) figure.Witness2D {
	return figure.Witness2D{X: w.Axes[0], Y: w.Axes[1], Mean: w.Shown.Mean, Lower: w.Band.Lower,
		Upper: w.Band.Upper, XLabel: x, YLabel: y, Level: w.Band.Level,
		Sides: make([]int, len(w.Shown.Mean))}
}

// clouds are two columns of each sample.
func clouds(d *input.Dataset, a, b int) []figure.Cloud {
	out := []figure.Cloud{Cloud(d.PName, d.P, a, b)}
	if d.Q != nil {
		out = append(out, Cloud(d.QName, d.Q, a, b))
	}
	for k := range out {
		out[k].Of = d.Counts[k]
	}
	return out
}

// Cloud is two columns of a sample for a picture.
func Cloud(name string, rows *mat.Dense, a, b int) figure.Cloud {
	n, _ := rows.Dims()
	c := figure.Cloud{Name: name}
	for i := range n {
		c.Points = append(c.Points, [2]float64{rows.At(i, a), rows.At(i, b)})
	}
	return c
}

// WitnessCaption describes the picture.
func WitnessCaption(d *input.Dataset, w *compare.Witness, scale string) string {
	samples := "the samples"
	if d.Weights != nil {
		samples += ", without their weights"
	}
	if d.Q == nil {
		shown := "Above: %s. Below: the posterior mean of the mean embedding with its %.6g%% band at " +
			"each point, at %s."
		if len(w.Axes) == 2 {
			shown = "Points: %s. Lines: contours of the posterior mean of the mean embedding (%.6g%% bands " +
				"are under the pointer), at %s."
		}
		return fmt.Sprintf(shown, samples, 100*w.Band.Level, scale)
	}
	together := ""
	if d.Blocks != nil {
		together = " The test knows which rows belong together. The witness and its band do not: they are those of " +
			"independent rows, and may say otherwise."
	}
	if len(w.Axes) == 2 {
		return fmt.Sprintf("Points: %s. Lines: contours of the posterior mean of the witness, which is "+
			"positive where there is more of %s, at %s. %s%s", samples, d.PName, scale, coloured(w), together)
	}
	return fmt.Sprintf("Above: %s. Below: the posterior mean of the witness, positive where there is "+
		"more of %s, with its %.6g%% band at each point, at %s. %s%s", samples, d.PName, 100*w.Band.Level, scale, coloured(w),
		together)
}

// coloured says what is coloured, or why nothing is.
func coloured(w *compare.Witness) string {
	switch {
	case w.Where == nil:
		return "Nothing is coloured, because the test does not reject."
	case len(w.Where)+len(w.Places) == 0:
		return "No place can be named, so nothing is coloured."
	case len(w.Axes) == 1:
		return "Coloured: the places named above."
	case !slices.ContainsFunc(w.Sides(), func(side int) bool { return side != 0 }):
		return fmt.Sprintf("A band that holds for all points at once (%.6g%%) excludes 0 nowhere, so nothing is coloured.",
			100*w.Everywhere.Level)
	}
	return fmt.Sprintf("Coloured: where a band that holds for all points at once (%.6g%%) excludes 0.", 100*w.Everywhere.Level)
}

// Parts are the pictures for three or more columns: the pairs of columns with the strongest
// differences.
func Parts(d *input.Dataset, r *compare.Result) []page.Figure {
	if r == nil || len(r.Pairs) == 0 {
		return nil
	}
	var out []page.Figure
	if len(r.Pairs) > 0 {
		f := figure.Pairs{Title: "The pairs of columns with the strongest differences"}
		for _, p := range r.Pairs {
			if len(p.Witness.Axes) != 2 {
				continue
			}
			w := onAxes(p.Witness, p.Columns[0], p.Columns[1])
			w.Samples = clouds(d, p.Index[0], p.Index[1])
			f.Planes = append(f.Planes, w)
		}
		if len(f.Planes) > 0 {
			out = append(out, page.Figure{Draw: f, Heading: f.Title, File: "pairs",
				What: "the pairs of columns that differ most", Caption: "The samples, and the " +
					"witness of the two columns on their plane. These pairs were picked because they differ " +
					"most: the pictures show how, and are no tests."})
		}
	}
	return out
}
