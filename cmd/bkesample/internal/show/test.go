package show

import (
	"fmt"
	"math"
	"strconv"

	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"

	"gonum.org/v1/gonum/mat"
)

// Test is the pictures of a test, and its page.
func Test(r *tell.TestReport, beside []folder.File) ([]folder.File, error) {
	p := newPage(r.Title(), r.Data, r.Again)
	list := beside
	f, err := mainPicture(r)
	if err != nil {
		return nil, err
	}
	if f != nil {
		more, err := pictures("figure", f.Draw)
		if err != nil {
			return nil, err
		}
		list, p.Figures = append(list, more...), append(p.Figures, *f)
	}
	p.Figures = append(p.Figures, parts(r.Data, r.Two)...)
	p.Sure.Text = append([]string{r.Finding()}, r.Sure()...)
	p.Rests = page.Section{Text: r.Basis(), Notes: r.Summary.Notes}
	if len(r.Result.Draws) > 0 {
		null := nullPicture(r)
		more, err := pictures("null", null)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
		p.Rests.Figures = []page.Figure{{Draw: null, Caption: "The statistic of the data, and those of " +
			"the permutations, which it is compared with."}}
	}
	p.Settings = testSettings(r)
	more, beside, err := bayes(r.Bayes)
	if err != nil {
		return nil, err
	}
	p.More, list = append(p.More, more...), append(list, beside...)
	return files(p, list, map[string]string{"summary.json": "all numbers", "figure.svg": "the picture",
		"figure.png": "the picture", "bayes.svg": "the picture of the Bayes factor",
		"bayes.png": "the picture of the Bayes factor", "null.svg": "the null distribution", "null.png": "the null distribution"}), nil
}

// testSettings are those of a test.
func testSettings(r *tell.TestReport) []page.Setting {
	return []page.Setting{{Name: "statistic", Value: r.Result.Label()},
		{Name: "null distribution", Value: r.Result.Null.String()},
		{Name: "permutations", Value: strconv.Itoa(r.Result.Permutations)},
		{Name: "level", Value: fmt.Sprint(r.Result.Alpha)},
		{Name: "rule for the kernel", Value: r.Flags.Choose},
		{Name: "seed", Value: strconv.FormatUint(r.Flags.Seed, 10)}}
}

// mainPicture shows where; nil for more columns than a picture has room for.
func mainPicture(r *tell.TestReport) (*page.Figure, error) {
	if r.Two == nil {
		return dependencePicture(r)
	}
	w := r.Two.Witness
	draw := witnessPicture(tell.FigureTitle(r.Data), r.Data, w, nil)
	if draw == nil {
		return nil, nil
	}
	return &page.Figure{Draw: draw, Caption: witnessCaption(r.Data, w,
		tell.ScaleWords(&work.Shown{Two: r.Two}, w))}, nil
}

// nullPicture draws the distribution that the statistic was compared with.
func nullPicture(r *tell.TestReport) figure.Null {
	return figure.Null{Title: "Statistic of the permutations and of the data", Draws: r.Result.Draws,
		Statistic: r.Result.Statistic, Critical: math.NaN(), PValue: r.Result.P, XLabel: r.Result.Label(),
		Small: r.Result.Small()}
}

// dependencePicture draws where pairs are more and less frequent than they would be if the variables
// were independent; nil unless both have one column.
func dependencePicture(r *tell.TestReport) (*page.Figure, error) {
	if len(r.Data.Columns) != 2 {
		return nil, nil
	}
	n, _ := r.X.Dims()
	both := mat.NewDense(n, 2, nil)
	for i := range n {
		both.SetRow(i, []float64{r.X.At(i, 0), r.Y.At(i, 0)})
	}
	points, axes := work.PlaneGrid(both)
	if points == nil {
		return nil, nil
	}
	value, lower, upper, err := r.Witness(points)
	if err != nil {
		return nil, err
	}
	f := figure.Dependence{Title: fmt.Sprintf("%s and %s, n = %d", r.Names[0], r.Names[1], n),
		X: axes[0], Y: axes[1], Mean: value, Lower: lower, Upper: upper, XLabel: r.Data.Columns[0],
		YLabel: r.Data.Columns[1], Level: work.WitnessLevel, Pairs: cloud("pairs", both, 0, 1).Points,
		Sides: make([]int, len(value))}
	caption := "Nothing is coloured, because the test does not reject."
	if r.Result.Reject {
		f.Sides = figure.Sides(lower, upper)
		caption = fmt.Sprintf("Coloured: where there are more pairs, or fewer, than there would be if the "+
			"variables were independent, by the %.6g%% band at each point.", 100*work.WitnessLevel)
	}
	return &page.Figure{Draw: f, Caption: caption}, nil
}
