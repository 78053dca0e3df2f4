package main

import (
	"bayeskernel/internal/figure"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// testFiles are the pictures that a test may leave and a later one not write.
var testFiles = []string{"null.png", "null.svg", "figure.png", "figure.svg"}

// testPictures are the pictures of a test.
func testPictures(r *testReport) ([]file, error) {
	var files []file
	if len(r.result.Draws) > 0 {
		null, err := nullPicture(r)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"null.png", null.WritePNG}, file{"null.svg", null.WriteSVG})
	}
	draw := twoSamplePicture
	if r.command == "independence" {
		draw = independencePicture
	}
	fig, err := draw(r)
	if fig != nil {
		files = append(files, file{"figure.png", fig.WritePNG}, file{"figure.svg", fig.WriteSVG})
	}
	return files, err
}

// nullPicture draws the distribution that the statistic was compared with.
func nullPicture(r *testReport) (*figure.Figure, error) {
	f := figure.Null{Title: "Statistic of the permutations and of the data", Draws: r.result.Draws,
		Statistic: r.result.Statistic, Critical: math.NaN(), PValue: r.result.P, XLabel: r.label(),
		Small: r.flags.choose == "agg" && len(r.result.Candidates) > 1}
	return f.Draw()
}

// twoSamplePicture draws where two samples differ, by the kernel of the test.
func twoSamplePicture(r *testReport) (*figure.Figure, error) {
	all := r.data.pooled()
	_, dim := all.Dims()
	if dim > 2 {
		return nil, nil
	}
	points, axes := pictureGrid(all)
	if points == nil {
		return nil, nil
	}
	value, lower, upper, err := r.witness(points)
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s and %s", r.names[0], r.names[1])
	if dim == 1 {
		return figure.Witness1D{Title: title, XLabel: r.data.columns[0], Level: witnessLevel,
			Samples: []figure.Sample{{Name: r.names[0], Values: mat.Col(nil, 0, r.x)},
				{Name: r.names[1], Values: mat.Col(nil, 0, r.y)}},
			Band: figure.Ribbon{X: axes[0], Mean: value, Lower: lower, Upper: upper}}.Draw()
	}
	return figure.Witness2D{Title: title, X: axes[0], Y: axes[1], Mean: value, Lower: lower,
		Upper: upper, XLabel: r.data.columns[0], YLabel: r.data.columns[1], Level: witnessLevel,
		Samples: []figure.Cloud{cloud(r.names[0], r.data.p), cloud(r.names[1], r.data.q)}}.Draw()
}

// independencePicture draws where pairs are more and less frequent than they would be if the
// variables were independent; nil unless both have one column.
func independencePicture(r *testReport) (*figure.Figure, error) {
	if len(r.data.columns) != 2 {
		return nil, nil
	}
	n, _ := r.x.Dims()
	both := mat.NewDense(n, 2, nil)
	for i := range n {
		both.SetRow(i, []float64{r.x.At(i, 0), r.y.At(i, 0)})
	}
	points, axes := pictureGrid(both)
	value, lower, upper, err := r.witness(points)
	if err != nil {
		return nil, err
	}
	return figure.Witness2D{Title: fmt.Sprintf("%s and %s, n = %d", r.names[0], r.names[1], n),
		X: axes[0], Y: axes[1], Mean: value, Lower: lower, Upper: upper, XLabel: r.data.columns[0],
		YLabel: r.data.columns[1], Level: witnessLevel,
		Samples: []figure.Cloud{cloud("pairs", both)}}.Draw()
}
