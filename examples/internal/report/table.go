package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"

	"bayeskernel/draws"
	"bayeskernel/examples/models"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Print writes a table of the parameters of run, each above its reference moments if there are any;
// what the run cost; and its warnings.
func Print(out io.Writer, run *draws.Run, reference map[string]models.Moments) error {
	s := run.Summary()
	var b bytes.Buffer
	if err := table(&b, s, reference); err != nil {
		return err
	}
	var gradients, warmup, divergences int
	for _, c := range s.Chains {
		gradients += c.Gradients
		warmup += c.WarmupGradients
		divergences += c.Divergences
	}
	fmt.Fprintf(&b, "\nGradients: %d, and %d in warm-up. Divergent transitions: %d.\n",
		gradients, warmup, divergences)
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "Warning: %v\n", w)
	}
	for line := range bytes.Lines(b.Bytes()) {
		if _, err := fmt.Fprintf(out, "%s\n", bytes.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func table(b *bytes.Buffer, s *draws.Summary, reference map[string]models.Moments) error {
	columns, head := draws.TableColumns(), []string{""}
	for _, c := range columns {
		head = append(head, c.Head)
	}
	rows := [][]string{head}
	for _, p := range s.Parameters {
		verb := fmt.Sprintf("%%.%df", decimals(p.SD))
		row, known := []string{p.Name}, []string{"reference"}
		m, ok := reference[p.Name]
		moments := map[string]float64{"mean": m.Mean, "sd": m.SD, "q05": m.Q05, "q50": m.Q50, "q95": m.Q95}
		for _, c := range columns {
			row = append(row, fmt.Sprintf(cmp.Or(c.Verb, verb), c.Value(&p)))
			cell := ""
			if v, ok := moments[c.Key]; ok {
				cell = fmt.Sprintf(verb, v)
			}
			known = append(known, cell)
		}
		if rows = append(rows, row); ok {
			rows = append(rows, known)
		}
	}
	return Table(b, rows)
}

// Table writes rows of cells in columns, names to the left and numbers to the right.
func Table(out io.Writer, rows [][]string) error {
	align := make([]tw.Align, len(rows[0]))
	for i := range align {
		align[i] = tw.AlignRight
	}
	align[0] = tw.AlignLeft
	t := tablewriter.NewTable(out,
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})))
	if err := t.Bulk(rows); err != nil {
		return err
	}
	return t.Render()
}

// decimals is the number of decimals that show three digits of the standard deviation.
func decimals(sd float64) int {
	if !(sd > 0) || math.IsInf(sd, 1) {
		return 3
	}
	return min(max(2-int(math.Floor(math.Log10(sd))), 0), 9)
}
