package tell

import (
	"fmt"
	"io"
	"math"

	"bayeskernel/cmd/bkesample/internal/work"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Table is numbers in columns, the first of names.
type Table struct {
	Intro string // a sentence above it
	Head  []string
	Rows  [][]string
}

// write writes the table without borders, under its sentence.
func (t Table) write(w io.Writer) error {
	if t.Intro != "" {
		paragraph(w, t.Intro)
	}
	align := make([]tw.Align, len(t.Head))
	for i := range align {
		align[i] = tw.AlignRight
	}
	align[0] = tw.AlignLeft
	out := tablewriter.NewTable(w,
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleASCII),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off,
					ShowHeader: tw.Off},
				Lines: tw.Lines{ShowHeaderLine: tw.Off},
			},
		})))
	out.Header(t.Head)
	if err := out.Bulk(t.Rows); err != nil {
		return err
	}
	return out.Render()
}

// Parameters has a row for each hyperparameter.
func (r *Report) Parameters() Table {
	t := Table{Intro: "Posterior given these pseudo-inputs (given z):", Head: []string{"", "mean", "MCSE",
		"sd", "5%", "50%", "95%", "ESS bulk", "ESS tail", "R-hat"}}
	for _, p := range r.Draws.Parameters {
		t.Rows = append(t.Rows, []string{p.Name, Figures(p.Mean), error2(p.MCSEMean), Figures(p.SD),
			Figures(p.Q05), Figures(p.Q50), Figures(p.Q95), whole(p.ESSBulk), whole(p.ESSTail),
			fixed(p.RHat)})
	}
	return t
}

// Comparisons are those that were asked for.
func (r *Report) Comparisons() []Table {
	var out []Table
	if len(r.Verified) > 0 {
		out = append(out, verifyTable(r.Verified))
	}
	if len(r.Sensitivity) > 0 {
		out = append(out, sensitivityTable(r.Sensitivity))
	}
	return out
}

// verifyTable compares draws with quadrature.
func verifyTable(vs []work.Verified) Table {
	t := Table{Head: []string{"", "draws", "exact", "MCSE", "difference/MCSE"}}
	worst := 0.0
	for _, v := range vs {
		t.Rows = append(t.Rows, []string{v.Parameter + " " + v.Statistic, Figures(float64(v.Draws)),
			fmt.Sprintf("%.6g", float64(v.Exact)), error2(float64(v.MCSE)),
			fmt.Sprintf("%+.1f", float64(v.Z))})
		worst = math.Max(worst, math.Abs(float64(v.Z)))
	}
	t.Intro = fmt.Sprintf("Draws against the exact posterior given these pseudo-inputs, by "+
		"quadrature. The largest difference is %.1f MCSE; more than 5 would mean that the sampler is "+
		"wrong, or that the chains are too short to tell.", worst)
	return t
}

// sensitivityTable has what other choices lead to.
func sensitivityTable(list []work.SensitivityRow) Table {
	t := Table{Intro: "Other choices: the posterior mode, and the p-value of the test with kernels at " +
		"theta and 4 theta.", Head: []string{"", "m", "theta", "tau2", "p"}}
	for _, r := range list {
		if r.Error != "" {
			t.Rows = append(t.Rows, []string{r.Choice, "", r.Error, "", ""})
			continue
		}
		t.Rows = append(t.Rows, []string{r.Choice, fmt.Sprint(r.M), thetas(r.Theta),
			fmt.Sprintf("%.3g", float64(r.Tau2)), fixed(float64(r.P))})
	}
	return t
}

// Figures writes a number with four digits.
func Figures(v float64) string { return format("%.4g", v) }

func error2(v float64) string { return format("%.2g", v) }

// roundly writes a number with two digits, and no exponent where it is large: 5.3, 25, 550.
func roundly(v float64) string {
	if !(v >= 99.5 && v < 1e9) {
		return error2(v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return whole(math.Round(v/unit) * unit)
}

func whole(v float64) string { return format("%.0f", v) }

func fixed(v float64) string { return format("%.3f", v) }

// format writes a number, or a dash where there is none.
func format(with string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(with, v)
}
