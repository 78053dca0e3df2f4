package show

import (
	"context"
	"fmt"
	"strconv"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/embedding"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"

	"gonum.org/v1/gonum/mat"
)

// Novelty is the picture of new rows beside known ones, and their page.
func Novelty(ctx context.Context, con *cli.Console, r *tell.NoveltyReport, beside []folder.File) (
	[]folder.File, error) {
	p := newPage(r.Title(), r.Data, r.Again)
	var err error
	if p.Figures, err = noveltyPictures(ctx, con, r); err != nil {
		return nil, err
	}
	more, err := pictures("figure", p.Figures[0].Draw)
	if err != nil {
		return nil, err
	}
	if len(p.Figures) > 1 {
		scores, err := pictures("figure_scores", p.Figures[1].Draw)
		if err != nil {
			return nil, err
		}
		more = append(more, scores...)
	}
	rows := table(r.Table())
	rows.Words = []int{len(rows.Head) - 1}
	p.Sure = page.Section{Text: append([]string{r.Finding()}, r.Summary.Guarantee...),
		Tables: []page.Table{rows}}
	p.Rests = page.Section{Text: r.Basis(), Notes: r.Summary.Notes}
	params := r.Flags.Params()
	p.Settings = []page.Setting{{Name: "level", Value: fmt.Sprint(r.Flags.Alpha)},
		{Name: "p-values", Value: r.Method()}, {Name: "rule for the kernel", Value: r.Flags.Kernel.Rule()},
		{Name: "rows that chose it", Value: strconv.Itoa(r.Part)},
		{Name: "rows fitted", Value: strconv.Itoa(r.Fitted)},
		{Name: "rows ranked among", Value: strconv.Itoa(r.Ranked)},
		{Name: "scale2", Value: fmt.Sprint(params.Scale2)}, {Name: "beta", Value: fmt.Sprint(params.Beta)},
		{Name: "seed", Value: strconv.FormatUint(r.Flags.Kernel.Seed(), 10)}}
	return files(p, append(beside, more...), map[string]string{"summary.json": "all numbers but those of " +
		"rows that are not novel", "scores.csv": "every new row with its score, p and q",
		"figure.svg": "the picture", "figure.png": "the picture",
		"figure_scores.svg": "the scores", "figure_scores.png": "the scores"}), nil
}

// noveltyPictures show the p-value over one column or two, and else those of the rows in order.
func noveltyPictures(ctx context.Context, con *cli.Console, r *tell.NoveltyReport) ([]page.Figure,
	error) {
	novel := make([]bool, len(r.Q))
	for i, q := range r.Q {
		novel[i] = q <= r.Flags.Alpha
	}
	var points *mat.Dense
	var axes [][]float64
	switch len(r.Data.Columns) {
	case 1:
		points = embedding.Grid(400, r.Data.P, r.Data.Q)
	case 2:
		points, axes = work.PlaneGrid(r.Data.Pooled())
	}
	if points == nil {
		return noveltyRanks(r), nil
	}
	value, err := r.At(ctx, con, points)
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("Novelty of %s beside %s", r.Data.QName, r.Data.PName)
	if axes == nil {
		return []page.Figure{{Draw: figure.Novelty1D{Title: title, X: mat.Col(nil, 0, points), Value: value,
			Known: mat.Col(nil, 0, r.Data.P), New: mat.Col(nil, 0, r.Data.Q), At: r.P, Novel: novel,
			KnownName: r.Data.PName, Name: r.Data.QName, XLabel: r.Data.Columns[0], Level: r.Flags.Alpha},
			Caption: fmt.Sprintf("The p-value that a new row would have, before it is corrected: high where "+
				"the density of the rows of %s is. On it the rows of %s; black: listed as novel.",
				r.Data.PName, r.Data.QName)}}, nil
	}
	levels := []float64{0.05, 0.2, 0.4, 0.6, 0.8}
	return []page.Figure{{Draw: figure.Novelty2D{Title: title, X: axes[0], Y: axes[1], Value: value,
		Levels: levels, Known: cloud(r.Data.PName, r.Data.P, 0, 1),
		New: cloud(r.Data.QName, r.Data.Q, 0, 1), Novel: novel, XLabel: r.Data.Columns[0],
		YLabel: r.Data.Columns[1]},
		Caption: "Coloured: where a new row would have a p-value, before it is corrected, above 0.05, 0.2, " +
			"0.4, 0.6 and 0.8. Black: rows that are listed as novel."}}, nil
}

// noveltyRanks draws the p-values and the scores in order.
func noveltyRanks(r *tell.NoveltyReport) []page.Figure {
	var rank, p, line, score []float64
	for k, i := range r.Order {
		rank = append(rank, float64(k+1))
		p, score = append(p, r.P[i]), append(score, r.Score[i])
		line = append(line, r.Flags.Alpha*float64(k+1)/float64(len(r.Order)))
	}
	const byRank = "rank of the row, the most novel first"
	rows := "rows of " + r.Data.QName
	return []page.Figure{{Draw: figure.Curves{Title: "p-values of the " + rows, XLabel: byRank,
		YLabel: "p-value", LogY: true, Series: []figure.Series{{Name: rows, X: rank, Y: p},
			{Name: fmt.Sprintf("%v times rank over %d", r.Flags.Alpha, len(rank)), X: rank, Y: line}}},
		Caption: "The p-values of the new rows in order, and the line of Benjamini and Hochberg: the rows up " +
			"to the last one that lies on or below it are listed as novel."},
		{Draw: figure.Curves{Title: "Scores of the " + rows, XLabel: byRank, YLabel: "score",
			Series: []figure.Series{{Name: rows, X: rank, Y: score}}},
			Caption: "Their scores, in the same order. " + tell.ScoreWords}}
}
