package report

import (
	"fmt"
	"slices"

	"bayeskernel/loo"
)

// Compared is the table of a comparison, the best model first. Weights are in the order of names.
func Compared(order []loo.Compared, weights []float64, names []string) (head []string,
	rows [][]string) {
	head = []string{"model", "elpd", "difference", "its s.e.", "stacking", "k > 0.7"}
	for _, c := range order {
		high := 0
		for _, p := range c.Result.Points {
			if p.K > 0.7 {
				high++
			}
		}
		rows = append(rows, []string{c.Name, fmt.Sprintf("%.1f", c.Result.ELPD),
			fmt.Sprintf("%.1f", c.Difference), fmt.Sprintf("%.1f", c.SE),
			fmt.Sprintf("%.2f", weights[slices.Index(names, c.Name)]), fmt.Sprint(high)})
	}
	return head, rows
}
