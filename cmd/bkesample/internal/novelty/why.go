package novelty

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
)

// part is the part of a column in the novelty of a row, in the units of the data.
type part struct {
	column         int
	value, instead float64
	usual          [2]float64
	fall           float64
}

const (
	mostExplained = 12 // listed rows
	mostParts     = 10 // columns of each
	// A row is scored again for about so many values, 8 to 60 for each column.
	trials, leastTrials, mostTrials = 600, 8, 60
)

// explain finds the columns that make the first listed rows novel. The rows of known are in the units of
// the data.
func (r *result) explain(ctx context.Context, con *cli.Console, m *fitted, known *mat.Dense) error {
	n, dim := known.Dims()
	explained := r.order[:min(r.listed, mostExplained)]
	if dim == 1 || len(explained) == 0 {
		return nil
	}
	line := con.Working("columns")
	defer line.End()
	count := min(max(trials/dim, leastTrials), mostTrials)
	values, usual := mat.NewDense(count, dim, nil), make([][2]float64, dim)
	for j := range dim {
		sorted := rows.SortedColumn(known.RawMatrix().Data, dim, j)
		usual[j] = [2]float64{rows.Quantile(sorted, 1, 20), rows.Quantile(sorted, 19, 20)}
		for i := range count {
			values.Set(i, j, rows.Quantile(sorted[:n], 2*i+1, 2*count))
		}
	}
	candidates, err := tests.InUnits(r.kernel, values)
	if err != nil {
		return err
	}
	fresh, err := tests.InUnits(r.kernel, r.data.Q)
	if err != nil {
		return err
	}
	found := make([][]part, len(explained))
	for _, err := range workers.Run(ctx, len(explained), runtime.GOMAXPROCS(0), func(at int) error {
		line.Step("columns", at, len(explained))
		i := explained[at]
		columns, err := m.model.Explain(fresh.RawRowView(i), candidates)
		if err != nil {
			return err
		}
		for j, c := range columns {
			p := part{column: j, value: r.data.Q.At(i, j), instead: c.Best, usual: usual[j], fall: c.Fall}
			if r.kernel.Scaling != nil {
				p.instead *= r.kernel.Scaling.SD[j]
			}
			found[at] = append(found[at], p)
		}
		slices.SortStableFunc(found[at], func(a, b part) int { return cmp.Compare(b.fall, a.fall) })
		found[at] = found[at][:min(dim, mostParts)]
		return nil
	}) {
		if err != nil {
			return fmt.Errorf("%s: %w", r.data.Source, err)
		}
	}
	r.why = map[int][]part{}
	for at, i := range explained {
		r.why[i] = found[at]
	}
	return nil
}

// mainly names the columns with at least a third of the largest fall, at most three.
func (r *result) mainly(row int) string {
	var names []string
	for _, p := range r.why[row] {
		if p.fall > 0 && p.fall >= r.why[row][0].fall/3 && len(names) < 3 {
			names = append(names, r.data.Columns[p.column])
		}
	}
	return strings.Join(names, ", ")
}

// whyTable lists the columns that make each explained row novel.
func (r *result) whyTable() report.Table {
	t := report.Table{Intro: "Columns that make these rows novel:",
		Head: []string{"row", "column", "value", "usual", "score falls by", "with"}, Words: []int{1}}
	for _, i := range r.order[:min(r.listed, mostExplained)] {
		for k, p := range r.why[i] {
			if k == 3 || k > 0 && p.fall < r.why[i][0].fall/20 {
				break
			}
			t.Rows = append(t.Rows, []string{strconv.Itoa(r.data.RowOf(1, i)), r.data.Columns[p.column], report.Short(p.value),
				fmt.Sprintf("%s to %s", report.Short(p.usual[0]), report.Short(p.usual[1])),
				report.Figures(p.fall), report.Short(p.instead)})
		}
	}
	return t
}

// picture shows the explained rows with their columns.
func (r *result) picture() []page.Figure {
	explained := r.order[:min(r.listed, mostExplained)]
	if len(r.why) == 0 {
		return nil
	}
	// The columns with the largest share of a row's falls, in the order of the data.
	share := make([]float64, len(r.data.Columns))
	for _, i := range explained {
		total := 0.0
		for _, p := range r.why[i] {
			total += p.fall
		}
		for _, p := range r.why[i] {
			if total > 0 {
				share[p.column] = max(share[p.column], p.fall/total)
			}
		}
	}
	var columns []int
	for j := range share {
		columns = append(columns, j)
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	columns = columns[:min(len(columns), mostParts)]
	slices.Sort(columns)
	c := figure.Cells{Title: "Columns that make rows novel", Side: "row"}
	for _, j := range columns {
		c.Columns = append(c.Columns, r.data.Columns[j])
	}
	for _, i := range explained {
		c.Rows = append(c.Rows, strconv.Itoa(r.data.RowOf(1, i)))
		most := 0.0
		for _, p := range r.why[i] {
			most = max(most, p.fall)
		}
		for _, j := range columns {
			shade := 0.0
			for _, p := range r.why[i] {
				if p.column == j && most > 0 {
					shade = p.fall / most
				}
			}
			c.Shade = append(c.Shade, shade)
			c.Text = append(c.Text, report.Short(r.data.Q.At(i, j)))
		}
	}
	return []page.Figure{{File: "figure_columns", What: "the columns that make rows novel", Draw: c,
		Caption: fmt.Sprintf("The values of the rows that are listed, the most novel first. The darker a cell, "+
			"the more the row's score would fall if this column had a value usual for %s.", r.data.PName)}}
}
