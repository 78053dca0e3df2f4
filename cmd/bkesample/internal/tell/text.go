package tell

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/draws"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text writes the results as a person reads them.
func (r *Report) Text(out io.Writer) error {
	var b strings.Builder
	if r.Study.Data.Synthetic {
		n, _ := r.Study.Data.P.Dims()
		fmt.Fprintf(&b, "The data are %s, n = %d of each.\n\n", r.Study.Data.Source, n)
	}
	fmt.Fprintf(&b, "Posterior given these pseudo-inputs (given z):\n\n")
	if err := parameterTable(&b, r); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	if s := IntervalSentence(r.Study, PosteriorIs); s != "" {
		paragraph(&b, s)
		fmt.Fprintln(&b)
	}
	paragraph(&b, r.Study.Data.Source+": "+r.Study.Describe())
	fmt.Fprintln(&b)
	for _, s := range r.Verdict {
		paragraph(&b, s)
	}
	if len(r.Verified) > 0 {
		fmt.Fprintln(&b)
		if err := verifyTable(&b, r.Verified); err != nil {
			return err
		}
	}
	if len(r.Sensitivity) > 0 {
		fmt.Fprintln(&b)
		if err := sensitivityTable(&b, r.Sensitivity); err != nil {
			return err
		}
	}
	fmt.Fprintf(&b, "\nOpen %s.\n", filepath.Join(r.dir, "report.html"))
	_, err := io.WriteString(out, b.String())
	return err
}

// parameterTable has a row for each hyperparameter.
func parameterTable(w io.Writer, r *Report) error {
	head := []string{"", "mean", "MCSE", "sd", "5%", "50%", "95%", "ESS bulk", "ESS tail", "R-hat"}
	var body [][]string
	for _, p := range r.Draws.Parameters {
		body = append(body, append([]string{p.Name}, ParameterCells(p)...))
	}
	return writeTable(w, head, body)
}

// ParameterCells are the columns of a table of hyperparameters.
func ParameterCells(p draws.Parameter) []string {
	return []string{Figures(p.Mean), error2(p.MCSEMean), Figures(p.SD), Figures(p.Q05), Figures(p.Q50),
		Figures(p.Q95), whole(p.ESSBulk), whole(p.ESSTail), fixed(p.RHat)}
}

// writeTable writes columns of numbers, the first of names, without borders.
func writeTable(w io.Writer, head []string, body [][]string) error {
	align := make([]tw.Align, len(head))
	for i := range align {
		align[i] = tw.AlignRight
	}
	align[0] = tw.AlignLeft
	t := tablewriter.NewTable(w,
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
	t.Header(head)
	if err := t.Bulk(body); err != nil {
		return err
	}
	return t.Render()
}

// Figures writes a number with four digits.
func Figures(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.4g", v)
}

func error2(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.2g", v)
}

func whole(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.0f", v)
}

func fixed(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.3f", v)
}

// commandMark begins a line that is a command, which is not broken so that it can be pasted.
const commandMark = "  bkesample "

// paragraph wraps a text at the width of a terminal; later lines are indented.
func paragraph(w io.Writer, s string) {
	if strings.HasPrefix(s, commandMark) {
		fmt.Fprintln(w, s)
		return
	}
	indent := ""
	if strings.HasPrefix(s, "  ") {
		indent = "  "
	}
	for i, line := range cli.Wrap(s, 96) {
		if i > 0 {
			fmt.Fprintf(w, "%s  %s\n", indent, line)
		} else {
			fmt.Fprintf(w, "%s%s\n", indent, line)
		}
	}
}
