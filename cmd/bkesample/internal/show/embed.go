package show

import (
	"fmt"
	"strconv"

	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// Embed is the map of samples, and its page.
func Embed(r *tell.EmbedReport, beside []folder.File) ([]folder.File, error) {
	p := newPage(r.Title(), r.Data.Dataset, r.Again)
	n, _ := r.Data.P.Dims()
	p.About = fmt.Sprintf("%s, %d samples, %d rows, %s", r.Data.Source, len(r.Data.Names), n,
		columnWords(r.Data.Dataset))
	draw := figure.Map{Title: "Map of samples", Names: r.Data.Names, Points: r.Map,
		XLabel: "first coordinate", YLabel: "second coordinate",
		Note: fmt.Sprintf("shows %.3g%% of the squared distances", 100*r.Share[1])}
	more, err := pictures("figure", draw)
	if err != nil {
		return nil, err
	}
	p.Figures = []page.Figure{{Draw: draw, Caption: "Samples that are near each other here have similar " +
		"distributions. Only distances mean something: the axes do not."}}
	each := table(r.Each())
	each.Words = []int{4}
	p.Sure = page.Section{Text: []string{r.Finding()}, Tables: []page.Table{each}}
	if t := r.Matrix(); len(t.Rows) > 0 {
		p.Sure.Tables = append(p.Sure.Tables, table(t))
	}
	p.Rests = page.Section{Text: r.Basis(), Notes: r.Summary.Notes}
	p.Settings = []page.Setting{{Name: "shrinking", Value: r.Flags.Shrink},
		{Name: "rule for the kernel", Value: r.Flags.Kernel.Rule()},
		{Name: "seed", Value: strconv.FormatUint(r.Flags.Kernel.Seed(), 10)}}
	return files(p, append(beside, more...), map[string]string{"summary.json": "all numbers",
		"distances.csv": "the matrix of distances", "map.csv": "the map", "figure.svg": "the picture",
		"figure.png": "the picture"}), nil
}
