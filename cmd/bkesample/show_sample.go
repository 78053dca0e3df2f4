package main

import (
	"bayeskernel/internal/figure"

	"gonum.org/v1/gonum/mat"
)

// figureFiles are the pictures that a run may leave and a later one not write.
var figureFiles = []string{"figure.png", "figure.svg"}

// samplePictures are the pictures of a run, and its page.
func samplePictures(r *report) ([]file, error) {
	fig, err := witnessPicture(r)
	if err != nil {
		return nil, err
	}
	trace, err := tracePicture(r)
	if err != nil {
		return nil, err
	}
	files := []file{{"trace.png", trace.WritePNG}}
	if fig != nil {
		files = append(files, file{"figure.png", fig.WritePNG}, file{"figure.svg", fig.WriteSVG})
	}
	page, err := samplePage(r, fig, trace)
	if err != nil {
		return nil, err
	}
	return append(files, file{"report.html", page}), nil
}

// witnessPicture draws the witness; nil for more than two columns.
func witnessPicture(r *report) (*figure.Figure, error) {
	d, w := r.study.data, r.witness
	switch len(w.axes) {
	case 1:
		f := figure.Witness1D{Title: r.title(), XLabel: d.columns[0], Level: w.level,
			YLabel: "witness", Points: inputPoints(r),
			Samples: []figure.Sample{{Name: d.pName, Values: mat.Col(nil, 0, d.p)}},
			Band:    figure.Ribbon{X: w.axes[0], Mean: w.mean, Lower: w.lower, Upper: w.upper}}
		if d.q != nil {
			f.Samples = append(f.Samples, figure.Sample{Name: d.qName, Values: mat.Col(nil, 0, d.q)})
		} else {
			f.YLabel = "mean embedding"
		}
		return f.Draw()
	case 2:
		f := figure.Witness2D{Title: r.title(), X: w.axes[0], Y: w.axes[1], Mean: w.mean,
			Lower: w.lower, Upper: w.upper, XLabel: d.columns[0], YLabel: d.columns[1],
			Level: w.level, Samples: []figure.Cloud{cloud(d.pName, d.p)}}
		if d.q != nil {
			f.Samples = append(f.Samples, cloud(d.qName, d.q))
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
func inputPoints(r *report) []float64 {
	var z []float64
	for _, row := range r.summary.Model.Z {
		z = append(z, float64(row[0]))
	}
	return z
}

// tracePicture draws the chains.
func tracePicture(r *report) (*figure.Figure, error) {
	f := figure.Trace{}
	for k, p := range r.draws.Parameters {
		f.Names = append(f.Names, p.Name)
		f.Chains = append(f.Chains, r.run.Column(k))
		f.RHat = append(f.RHat, p.RHat)
		f.ESS = append(f.ESS, p.ESSBulk)
	}
	return f.Draw()
}
