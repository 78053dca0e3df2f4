package main

import (
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/figure"
)

// drawRisk draws the change of the risk against the number of columns, of 20 rows, and against the
// number of rows, in 20 columns: a panel for each kernel.
func drawRisk(path string, done map[string]map[int]losses) error {
	var panels []figure.Drawer
	for _, columns := range []bool{true, false} {
		for _, kernel := range kernelNames() {
			c := figure.Curves{Title: kernel + ", 20 columns", XLabel: "rows", LogX: true,
				YLabel: "change of the risk, %", Lines: []figure.Mark{{Y: 0, Label: "empirical"}}}
			if columns {
				c.Title, c.XLabel = kernel+", 20 rows", "columns"
			}
			for e, name := range []string{"scalar", "plug-in", "target-only", "leave-one-out"} {
				s := figure.Series{Name: name}
				for _, z := range axis(columns) {
					sets := done[z.name()]
					if len(sets) < 2 {
						continue
					}
					got, se := change(column(sets, kernel, e+1), column(sets, kernel, empirical))
					at := z.n
					if columns {
						at = z.d
					}
					s.X, s.Y = append(s.X, float64(at)), append(s.Y, got)
					s.Lower, s.Upper = append(s.Lower, got-se), append(s.Upper, got+se)
				}
				if len(s.X) > 1 {
					c.Series = append(c.Series, s)
				}
			}
			if len(c.Series) > 0 {
				panels = append(panels, c)
			}
		}
	}
	if len(panels) != 8 {
		return errTooFew
	}
	fig, err := figure.Panels(2, 4, "Risk of shrunk mean embeddings beside the empirical ones", panels...)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, fig.WritePNG)
}

// axis has the sizes along one line of the figure, in order.
func axis(columns bool) []size {
	if columns {
		return []size{{20, 2}, {20, 5}, {20, 10}, {20, 20}, {20, 50}, {20, 100}}
	}
	return []size{{5, 20}, {10, 20}, {20, 20}, {50, 20}, {100, 20}}
}
