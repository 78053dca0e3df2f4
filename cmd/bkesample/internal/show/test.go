package show

import (
	"fmt"
	"math"

	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/internal/figure"

	"gonum.org/v1/gonum/mat"
)

// TestPictures are the pictures of a test.
func TestPictures(r *tell.TestReport) ([]folder.File, error) {
	var files []folder.File
	if len(r.Result.Draws) > 0 {
		null, err := nullPicture(r)
		if err != nil {
			return nil, err
		}
		files = append(files, pictures("null", null)...)
	}
	draw := twoSamplePicture
	if r.Command == "independence" {
		draw = independencePicture
	}
	fig, err := draw(r)
	if fig != nil {
		files = append(files, pictures("figure", fig)...)
	}
	return files, err
}

// nullPicture draws the distribution that the statistic was compared with.
func nullPicture(r *tell.TestReport) (*figure.Figure, error) {
	f := figure.Null{Title: "Statistic of the permutations and of the data", Draws: r.Result.Draws,
		Statistic: r.Result.Statistic, Critical: math.NaN(), PValue: r.Result.P, XLabel: r.Label(),
		Small: r.Flags.Choose == "agg" && len(r.Result.Candidates) > 1}
	return f.Draw()
}

// twoSamplePicture draws where two samples differ, by the kernel of the test.
func twoSamplePicture(r *tell.TestReport) (*figure.Figure, error) {
	all := r.Data.Pooled()
	_, dim := all.Dims()
	if dim > 2 {
		return nil, nil
	}
	points, axes := work.PictureGrid(all)
	if points == nil {
		return nil, nil
	}
	value, lower, upper, err := r.Witness(points)
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s and %s", r.Names[0], r.Names[1])
	if dim == 1 {
		return figure.Witness1D{Title: title, XLabel: r.Data.Columns[0], Level: work.WitnessLevel,
			Samples: []figure.Sample{{Name: r.Names[0], Values: mat.Col(nil, 0, r.X)},
				{Name: r.Names[1], Values: mat.Col(nil, 0, r.Y)}},
			Band: figure.Ribbon{X: axes[0], Mean: value, Lower: lower, Upper: upper}}.Draw()
	}
	return figure.Witness2D{Title: title, X: axes[0], Y: axes[1], Mean: value, Lower: lower,
		Upper: upper, XLabel: r.Data.Columns[0], YLabel: r.Data.Columns[1], Level: work.WitnessLevel,
		Samples: []figure.Cloud{cloud(r.Names[0], r.Data.P), cloud(r.Names[1], r.Data.Q)}}.Draw()
}

// independencePicture draws where pairs are more and less frequent than they would be if the
// variables were independent; nil unless both have one column.
func independencePicture(r *tell.TestReport) (*figure.Figure, error) {
	if len(r.Data.Columns) != 2 {
		return nil, nil
	}
	n, _ := r.X.Dims()
	both := mat.NewDense(n, 2, nil)
	for i := range n {
		both.SetRow(i, []float64{r.X.At(i, 0), r.Y.At(i, 0)})
	}
	points, axes := work.PictureGrid(both)
	value, lower, upper, err := r.Witness(points)
	if err != nil {
		return nil, err
	}
	return figure.Witness2D{Title: fmt.Sprintf("%s and %s, n = %d", r.Names[0], r.Names[1], n),
		X: axes[0], Y: axes[1], Mean: value, Lower: lower, Upper: upper, XLabel: r.Data.Columns[0],
		YLabel: r.Data.Columns[1], Level: work.WitnessLevel,
		Samples: []figure.Cloud{cloud("pairs", both)}}.Draw()
}
