package show

import (
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"

	"gonum.org/v1/gonum/mat"
)

// bayes is the part of the page on the Bayes factor, with its files; nothing without one.
func bayes(b *work.Bayes) ([]page.Section, []folder.File, error) {
	if b == nil {
		return nil, nil, nil
	}
	s := page.Section{Heading: "Bayes factor", Text: tell.BayesSentences(b)}
	draw := bayesPicture(b)
	if draw == nil {
		return []page.Section{s}, nil, nil
	}
	list, err := pictures("bayes", draw)
	if err != nil {
		return nil, nil, err
	}
	s.Figures = []page.Figure{{Draw: draw, Caption: "Where they differ, given that they differ: the " +
		"posterior mean of the difference of the smoothed densities, positive where there is more of " +
		b.Data.PName + ", averaged over lengthscale and amplitude, with its 95% band at each point. " +
		"Coloured: where that excludes 0."}}
	return []page.Section{s}, list, nil
}

// bayesPicture draws the witness of one or two columns; nil for more.
func bayesPicture(b *work.Bayes) figure.Drawer {
	const level = 0.95
	d, w := b.Data, b.Witness
	title := "Difference given that they differ, P = " + tell.Probability(b.Probability)
	switch {
	case w == nil:
		return nil
	case len(b.Axes) == 1:
		f := figure.Witness1D{Title: title, XLabel: d.Columns[0], YLabel: "difference", Level: level,
			Samples: []figure.Sample{{Name: d.PName, Values: mat.Col(nil, 0, d.P)},
				{Name: d.QName, Values: mat.Col(nil, 0, d.Q)}},
			Band: figure.Ribbon{X: b.Axes[0], Mean: w.Mean, Lower: w.Low, Upper: w.High}}
		f.Regions = figure.Excluded(f.Band)
		return f
	case len(b.Axes) == 2:
		return figure.Witness2D{Title: title, X: b.Axes[0], Y: b.Axes[1], Mean: w.Mean, Lower: w.Low,
			Upper: w.High, XLabel: d.Columns[0], YLabel: d.Columns[1], Level: level,
			Sides: tell.BayesSides(b), Samples: clouds(d, 0, 1)}
	}
	return nil
}
