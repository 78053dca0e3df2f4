// Package show draws the pictures of results and lays out the page.
package show

import (
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/internal/figure"

	"gonum.org/v1/gonum/mat"
)

// pictures are the files of one picture.
func pictures(name string, fig *figure.Figure) []folder.File {
	return []folder.File{{Name: name + ".png", Fill: fig.WritePNG},
		{Name: name + ".svg", Fill: fig.WriteSVG}}
}

// SamplePictures are the pictures of a run, and its page.
func SamplePictures(r *tell.Report) ([]folder.File, error) {
	fig, err := witnessPicture(r)
	if err != nil {
		return nil, err
	}
	trace, err := tracePicture(r)
	if err != nil {
		return nil, err
	}
	files := []folder.File{{Name: "trace.png", Fill: trace.WritePNG}}
	if fig != nil {
		files = append(files, pictures("figure", fig)...)
	}
	page, err := samplePage(r, fig, trace)
	if err != nil {
		return nil, err
	}
	return append(files, folder.File{Name: "report.html", Fill: page}), nil
}

// witnessPicture draws the witness; nil for more than two columns.
func witnessPicture(r *tell.Report) (*figure.Figure, error) {
	d, w := r.Study.Data, r.Witness
	switch len(w.Axes) {
	case 1:
		f := figure.Witness1D{Title: r.Title(), XLabel: d.Columns[0], Level: w.Level,
			YLabel: "witness", Points: inputPoints(r),
			Samples: []figure.Sample{{Name: d.PName, Values: mat.Col(nil, 0, d.P)}},
			Band:    figure.Ribbon{X: w.Axes[0], Mean: w.Mean, Lower: w.Lower, Upper: w.Upper}}
		if d.Q != nil {
			f.Samples = append(f.Samples, figure.Sample{Name: d.QName, Values: mat.Col(nil, 0, d.Q)})
		} else {
			f.YLabel = "mean embedding"
		}
		return f.Draw()
	case 2:
		f := figure.Witness2D{Title: r.Title(), X: w.Axes[0], Y: w.Axes[1], Mean: w.Mean,
			Lower: w.Lower, Upper: w.Upper, XLabel: d.Columns[0], YLabel: d.Columns[1],
			Level: w.Level, Samples: []figure.Cloud{cloud(d.PName, d.P)}}
		if d.Q != nil {
			f.Samples = append(f.Samples, cloud(d.QName, d.Q))
		}
		return f.Draw()
	}
	return nil, nil
}

// cloud is a sample of two columns for a picture.
func cloud(name string, rows *mat.Dense) figure.Cloud {
	n, _ := rows.Dims()
	c := figure.Cloud{Name: name}
	for i := range n {
		c.Points = append(c.Points, [2]float64{rows.At(i, 0), rows.At(i, 1)})
	}
	return c
}

// inputPoints are the pseudo-inputs of one column, in the units of the data.
func inputPoints(r *tell.Report) []float64 {
	var z []float64
	for _, row := range r.Summary.Model.Z {
		z = append(z, float64(row[0]))
	}
	return z
}

// tracePicture draws the chains.
func tracePicture(r *tell.Report) (*figure.Figure, error) {
	f := figure.Trace{}
	for k, p := range r.Draws.Parameters {
		f.Names = append(f.Names, p.Name)
		f.Chains = append(f.Chains, r.Run.Column(k))
		f.RHat = append(f.RHat, p.RHat)
		f.ESS = append(f.ESS, p.ESSBulk)
	}
	return f.Draw()
}
