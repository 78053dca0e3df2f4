package novelty

import (
	"fmt"
	"slices"
	"strconv"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"

	"gonum.org/v1/gonum/mat"
)

// document reports the result.
func (r *result) document() *report.Document {
	s := r.record()
	rows := r.table(s.MostNovel)
	finding := append([]string{r.finding()}, s.Guarantee...)
	d := &report.Document{Page: r.data.Page(r.title()), Record: s, Rejects: s.Reject,
		Numbers: "all numbers but those of rows that are not novel",
		Files: []report.File{{Name: "scores.csv", What: "every new row with its score, p and q",
			Fill: r.writeCSV}},
		Printed: []report.Block{report.Paragraphs(finding[:1]),
			report.Lines{fmt.Sprintf("%s: %d and %s", s.Source, r.known(), cli.Plural(len(r.p), "row"))}, rows,
			report.Paragraphs(slices.Concat(s.Guarantee, r.basis(), s.Notes))}}
	if len(r.why) > 0 {
		d.Files = append(d.Files, report.File{Name: "columns.csv", What: "the columns that make rows novel",
			Fill: s.writeWhy})
	}
	d.Figures = append(r.pictures(), r.picture()...)
	if r.around == nil { // the columns say more than the ranks
		d.Figures = append(r.picture(), r.pictures()...)
	}
	d.Sure = page.Section{Text: finding, Tables: report.Tables(rows, r.whyTable())}
	d.Rests = page.Section{Text: r.basis(), Notes: s.Notes}
	d.Settings = []page.Setting{{Name: "level", Value: fmt.Sprint(r.flags.alpha)},
		{Name: "p-values", Value: r.method()}, {Name: "rule for the kernel", Value: r.flags.kernel.Rule()},
		{Name: "rows that chose it", Value: strconv.Itoa(r.part)},
		{Name: "rows fitted", Value: strconv.Itoa(r.fitted)},
		{Name: "rows ranked among", Value: strconv.Itoa(r.ranked)},
		{Name: "scale2", Value: fmt.Sprint(r.flags.scale2)}, {Name: "beta", Value: fmt.Sprint(r.flags.beta)},
		{Name: "seed", Value: strconv.FormatUint(s.Seed, 10)}}
	return d
}

// table lists the first of the rows.
func (r *result) table(rows []rowRecord) report.Table {
	t := report.Table{Intro: fmt.Sprintf("The most novel rows of %s, numbered as in the file:", r.data.QName),
		Head: []string{"row", "score", "p", "q", "", "by column"}, Words: []int{4, 5}}
	if len(r.why) == 0 {
		t.Head = t.Head[:5]
	}
	for _, row := range rows[:min(len(rows), 2*leastTold)] {
		word := ""
		if row.Novel {
			word = "novel"
		}
		t.Rows = append(t.Rows, []string{strconv.Itoa(row.Row), report.Figures(float64(row.Score)),
			report.Figures(float64(row.P)), report.Figures(float64(row.Q)), word, r.mainly(row.at)}[:len(t.Head)])
	}
	return t
}

// pictures show the p-value over one or two columns, otherwise the rows' p-values in order.
func (r *result) pictures() []page.Figure {
	d, a := r.data, r.around
	if a == nil {
		return r.ranks()
	}
	title := fmt.Sprintf("Novelty of %s beside %s", d.QName, d.PName)
	novel := make([]bool, len(r.q))
	for i, q := range r.q {
		novel[i] = q <= r.flags.alpha
	}
	out := page.Figure{File: "figure", What: "the picture"}
	if a.axes == nil {
		x := mat.Col(nil, 0, a.points)
		var fresh, at []float64
		var listed []bool
		for i, v := range mat.Col(nil, 0, d.Q) {
			if v >= x[0] && v <= x[len(x)-1] {
				fresh, at, listed = append(fresh, v), append(at, r.p[i]), append(listed, novel[i])
			}
		}
		out.Draw = figure.Novelty1D{Title: title, X: x, Value: a.value,
			Known: mat.Col(nil, 0, d.P), New: fresh, At: at, Novel: listed,
			KnownName: d.PName, Name: d.QName, XLabel: d.Columns[0], Level: r.flags.alpha}
		out.Caption = fmt.Sprintf("The p-value that a new row would have, before it is corrected: high where "+
			"the density of the rows of %s is. On it the rows of %s; black: listed as novel.", d.PName, d.QName)
		if far := len(novel) - len(fresh); far > 0 {
			out.Caption += fmt.Sprintf(" %s too far away to be shown.", map[bool]string{true: "One row is",
				false: fmt.Sprintf("%d rows are", far)}[far == 1])
		}
		return []page.Figure{out}
	}
	out.Draw = figure.Novelty2D{Title: title, X: a.axes[0], Y: a.axes[1], Value: a.value,
		Levels: []float64{0.05, 0.2, 0.4, 0.6, 0.8}, Known: tests.Cloud(d.PName, d.P, 0, 1),
		New: tests.Cloud(d.QName, d.Q, 0, 1), Novel: novel, XLabel: d.Columns[0], YLabel: d.Columns[1]}
	out.Caption = "Coloured: where a new row would have a p-value, before it is corrected, above 0.05, 0.2, " +
		"0.4, 0.6 and 0.8. Black: rows that are listed as novel."
	return []page.Figure{out}
}

// ranks draws the p-values and the scores in order.
func (r *result) ranks() []page.Figure {
	var rank, p, line, score []float64
	for k, i := range r.order {
		rank = append(rank, float64(k+1))
		p, score = append(p, r.p[i]), append(score, r.score[i])
		line = append(line, r.flags.alpha*float64(k+1)/float64(len(r.order)))
	}
	const byRank = "rank of the row, the most novel first"
	rows := "rows of " + r.data.QName
	return []page.Figure{{File: "figure", What: "the picture",
		Draw: figure.Curves{Title: "p-values of the " + rows, XLabel: byRank,
			YLabel: "p-value", LogY: true, Series: []figure.Series{{Name: rows, X: rank, Y: p},
				{Name: fmt.Sprintf("%v times rank over %d", r.flags.alpha, len(rank)), X: rank, Y: line}}},
		Caption: "The p-values of the new rows in order, and the line of Benjamini and Hochberg: the rows up " +
			"to the last one that lies on or below it are listed as novel."},
		{File: "figure_scores", What: "the scores",
			Draw: figure.Curves{Title: "Scores of the " + rows, XLabel: byRank, YLabel: "score",
				Series: []figure.Series{{Name: rows, X: rank, Y: score}}},
			Caption: "Their scores, in the same order. " + scoreWords}}
}
