// Package compare is the command that compares runs by how well they predict rows that they have not seen.
package compare

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/kept"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/loo"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "compare", Args: "RUN1 RUN2 ...",
		Summary: "compare runs by how well they predict, by leave-one-out",
		About: `Each RUN is the folder of a run of nuts, or files of draws with commas between, as for nuts loo. The runs must be of the same rows.
Shows how far each is behind the best, with the standard error of the difference, and the weights by which a mixture of the models
would predict best (stacking).`,
		Records: []cli.Record{{Name: "compare", Of: Record{}, About: "A comparison of runs.", Commands: []string{"compare"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			var variable string
			var output folder.Flags
			s.Group("Rows")
			s.Text(&variable, "log-lik", "log_lik", "the `name` of the generated quantity with the log likelihoods of rows, for Stan programs")
			output.Define(s, nil)
			return func(ctx context.Context, con *cli.Console, args []string) error {
				output.Hush(con)
				if err := kept.Check(args, 2, 1000, "at least two runs"); err != nil {
					return err
				}
				if err := output.Check(s); err != nil {
					return err
				}
				c := &comparison{}
				if err := c.read(ctx, args, variable); err != nil {
					return err
				}
				return output.Run(con, "", func(*folder.Folder) (*report.Document, error) { return c.document() })
			}
		},
	}
}

type comparison struct {
	models []loo.Model
	notes  []string
}

// read reads the estimates of the runs, and says why runs cannot be compared.
func (c *comparison) read(ctx context.Context, paths []string, variable string) error {
	var runs []*kept.Run
	for k, path := range paths {
		run, err := kept.Open(path)
		if err != nil {
			return err
		}
		result, err := run.Loo(ctx, path, variable)
		if err != nil {
			return err
		}
		for _, earlier := range paths[:k] {
			if filepath.Clean(earlier) == filepath.Clean(path) {
				return cli.Usagef("%s is there twice", path)
			}
		}
		for _, n := range run.Notes() {
			c.notes = append(c.notes, path+": "+n)
		}
		runs = append(runs, run)
		c.models = append(c.models, loo.Model{Name: path, Result: result})
	}
	first := c.models[0]
	for k, m := range c.models {
		a, b := runs[0], runs[k]
		switch {
		case len(m.Points) != len(first.Points):
			return fmt.Errorf("%s has %d rows and %s has %d: only runs of the same rows can be compared", first.Name, len(first.Points),
				m.Name, len(m.Points))
		case a.Rows != "" && b.Rows != "" && a.Rows != b.Rows:
			return fmt.Errorf("%s and %s have different responses or weights: only densities of the same rows, in the same units, can be "+
				"compared; log(y) is another response than y", first.Name, m.Name)
		case (a.Rows == "" || b.Rows == "") && (a.SHA256 == "" || a.SHA256 != b.SHA256) && k > 0:
			c.notes = append(c.notes, fmt.Sprintf("Whether %s and %s have the same rows in the same order is not known: make sure of it.",
				first.Name, m.Name))
		}
		if high := kept.High(m.Result); len(high) > 0 {
			c.notes = append(c.notes, fmt.Sprintf("%s: the Pareto shape is too large for %s, whose estimates cannot be trusted; nuts loo names them.",
				m.Name, cli.Plural(len(high), "row")))
		}
		points := make([]loo.Point, len(m.Points)) // rows have their place as a name, whatever the model calls them
		for i, p := range m.Points {
			points[i] = p
			points[i].Name = fmt.Sprint(i + 1)
		}
		r := *m.Result
		r.Points = points
		c.models[k].Result = &r
	}
	return nil
}

// Record is what programs read.
type Record struct {
	report.Head
	Rows    int      `json:"rows" doc:"The number of rows."`
	Finding string   `json:"finding" doc:"Which run predicts better, in a sentence."`
	Models  []Model  `json:"models" doc:"The runs, the best first."`
	Notes   []string `json:"notes" doc:"What to keep in mind, in sentences."`
}

// Model is a run.
type Model struct {
	Name       string        `json:"name" doc:"The run."`
	Difference report.Number `json:"elpd_diff" doc:"Its expected log predictive density less that of the best."`
	SEDiff     report.Number `json:"se_diff" doc:"The standard error of the difference."`
	ELPD       report.Number `json:"elpd_loo" doc:"The expected log predictive density."`
	SE         report.Number `json:"se" doc:"Its standard error."`
	P          report.Number `json:"p_loo" doc:"The effective number of parameters."`
	Weight     report.Number `json:"weight" doc:"Its weight in the mixture that predicts best."`
	High       int           `json:"high_k" doc:"For how many rows the Pareto shape is too large."`
}

func (c *comparison) document() (*report.Document, error) {
	all, err := loo.Compare(c.models...)
	if err != nil {
		return nil, err
	}
	ordered := make([]loo.Model, len(all))
	for k, m := range all {
		ordered[k] = m.Model
	}
	weights, err := loo.Stacking(ordered...)
	if err != nil {
		return nil, err
	}
	said := verdict(all)
	n := len(all[0].Points)
	rec := &Record{Head: report.NewHead("compare"), Rows: n, Finding: said, Notes: append([]string{}, c.notes...)}
	table := report.Table{Head: []string{"", "difference", "its s.e.", "elpd", "s.e.", "parameters", "weight"}}
	bars := figure.Series{Name: "difference from the best, with two standard errors", Apart: true}
	for k, m := range all {
		rec.Models = append(rec.Models, Model{m.Name, report.Number(m.Difference), report.Number(m.SE), report.Number(m.ELPD),
			report.Number(m.Result.SE), report.Number(m.P), report.Number(weights[k]), len(kept.High(m.Result))})
		table.Rows = append(table.Rows, []string{m.Name, fmt.Sprintf("%.1f", m.Difference), fmt.Sprintf("%.1f", m.SE), fmt.Sprintf("%.1f", m.ELPD),
			fmt.Sprintf("%.1f", m.Result.SE), fmt.Sprintf("%.1f", m.P), fmt.Sprintf("%.2f", weights[k])})
		bars.X, bars.Y = append(bars.X, float64(k+1)), append(bars.Y, m.Difference)
		bars.Lower, bars.Upper = append(bars.Lower, m.Difference-2*m.SE), append(bars.Upper, m.Difference+2*m.SE)
	}
	d := &report.Document{Page: page.Page{Title: said, About: fmt.Sprintf("%d runs of %d rows", len(all), n)}, Record: rec}
	d.Printed = []report.Block{report.Paragraphs{said}, table, report.Paragraphs(c.notes)}
	d.Figures = []page.Figure{{Draw: figure.Curves{Title: "How far each run is behind the best", XLabel: "run, the best first",
		YLabel: "expected log predictive density", Series: []figure.Series{bars}}, File: "differences", What: "the differences",
		Caption: "The expected log predictive density less that of the best run, with two standard errors."}}
	d.Sure = page.Section{Heading: "The runs", Tables: report.Tables(table), Notes: c.notes}
	d.Rests = page.Section{Heading: "What it rests on", Text: []string{"Leave-one-out by Pareto smoothed importance sampling. The standard error is that of the " +
		"sum of differences over rows. Below some 100 rows, and for differences below 4, it is too small: then the runs predict alike " +
		"(Sivula, Magnusson, Matamoros and Vehtari 2023). Weights are those of stacking (Yao, Vehtari, Simpson and Gelman 2018)."}}
	return d, nil
}

// verdict says in a sentence which run predicts better.
func verdict(all []loo.Compared) string {
	best, next := all[0], all[1]
	d := -next.Difference
	with := fmt.Sprintf("by %.1f (standard error %.1f)", d, next.SE)
	switch {
	case math.IsNaN(d) || math.IsNaN(next.SE):
		return "The runs cannot be told apart: an estimate is not a number."
	case d < 4:
		return fmt.Sprintf("%s and %s predict alike: they differ %s, and differences below 4 are small.", best.Name, next.Name, with)
	case d < 2*next.SE:
		return fmt.Sprintf("%s seems to predict better than %s, %s: that is not sure.", best.Name, next.Name, with)
	}
	if len(all) > 2 {
		return fmt.Sprintf("%s predicts best, better than %s, the next, %s.", best.Name, next.Name, with)
	}
	return strings.TrimSpace(fmt.Sprintf("%s predicts better than %s, %s.", best.Name, next.Name, with))
}
