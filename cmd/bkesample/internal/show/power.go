package show

import (
	"fmt"
	"strconv"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// Power is the picture of powers, and their page.
func Power(r *tell.PowerReport, beside []folder.File) ([]folder.File, error) {
	f := r.Flags
	p := &page.Page{Title: r.Title(), About: r.Summary.Problem,
		Again: page.Again{Command: r.Again, Version: cli.Version()}}
	draw, err := powerPicture(r)
	if err != nil {
		return nil, err
	}
	more, err := pictures("power", draw)
	if err != nil {
		return nil, err
	}
	p.Figures = []page.Figure{{Draw: draw, Caption: fmt.Sprintf("The share of %d data sets of each "+
		"size in which the test rejects.", f.Replicates)}}
	p.Sure = page.Section{Text: []string{r.Finding()}, Tables: []page.Table{table(r.Table())}}
	p.Rests = page.Section{Text: []string{r.Basis()}, Notes: r.Summary.Notes}
	p.Settings = []page.Setting{{Name: "rule for the kernel", Value: r.Method},
		{Name: "permutations", Value: strconv.Itoa(f.Permutations)},
		{Name: "level", Value: fmt.Sprint(f.Alpha)},
		{Name: "power wanted", Value: fmt.Sprint(f.Target)},
		{Name: "data sets of each size", Value: strconv.Itoa(f.Replicates)},
		{Name: "seed", Value: strconv.FormatUint(f.Seed, 10)}}
	return files(p, append(beside, more...), map[string]string{"summary.json": "all numbers",
		"power.csv": "the power of each size", "power.svg": "the picture",
		"power.png": "the picture"}), nil
}

// powerPicture draws the power against the number of rows.
func powerPicture(r *tell.PowerReport) (figure.Curves, error) {
	var rows []float64
	var rejected, tested []int
	for _, s := range r.Sizes {
		rows = append(rows, float64(s.Rows))
		rejected, tested = append(rejected, s.Rejected), append(tested, s.Replicates)
	}
	s, err := figure.Proportions("power", rows, rejected, tested, tell.PowerLevel)
	if err != nil {
		return figure.Curves{}, err
	}
	f := figure.Curves{Title: r.Summary.Problem, XLabel: r.Of(), YLabel: "power", LogX: true,
		YRange: [2]float64{0, 1}, Series: []figure.Series{s},
		Note:  fmt.Sprintf("%.6g%% intervals", 100*tell.PowerLevel),
		Lines: []figure.Mark{{Y: r.Flags.Target, Label: fmt.Sprintf("wanted: %g", r.Flags.Target)}}}
	if r.Rows > 0 {
		f.Uprights = []figure.Mark{{X: float64(r.Rows), Label: fmt.Sprintf("%d %s", r.Rows, r.Of())}}
	}
	return f, nil
}
