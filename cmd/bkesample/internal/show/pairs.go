package show

import (
	"fmt"

	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// Pairs is the picture of the tests of all pairs of groups, and their page.
func Pairs(r *tell.PairsReport, beside []folder.File) ([]folder.File, error) {
	p := newPage(r.Title(), r.Data, r.Again)
	p.About = fmt.Sprintf("%s by %s, %s", r.Data.Source, r.Data.Label(), columnWords(r.Data))
	forest := figure.Forest{Title: "All pairs of groups of " + r.Data.Label(), Each: "pair",
		Correction: "Holm", Alpha: float64(r.Summary.Alpha), Corrected: r.Adjusted}
	for _, t := range r.Tests {
		forest.Names = append(forest.Names, t.Names[0]+", "+t.Names[1])
		forest.P = append(forest.P, t.Result.P)
	}
	more, err := pictures("figure", forest)
	if err != nil {
		return nil, err
	}
	p.Figures = []page.Figure{{Draw: forest, Caption: fmt.Sprintf("The p-value of the test of each "+
		"pair alone, and corrected for %d pairs.", len(r.Tests))}}
	pairs := table(r.Table())
	pairs.Words = []int{len(pairs.Head) - 1}
	p.Sure = page.Section{Text: append([]string{r.Finding()}, r.Sure()...),
		Tables: []page.Table{pairs}}
	p.Rests = page.Section{Text: r.Basis(), Notes: r.Summary.Notes}
	p.Settings = testSettings(r.Of[0])
	return files(p, append(beside, more...), map[string]string{"summary.json": "all numbers",
		"pairs.csv": "the pairs", "figure.svg": "the picture", "figure.png": "the picture"}), nil
}
