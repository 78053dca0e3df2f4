// Package leaveout is the command that estimates how well a run predicts rows that it has not seen.
package leaveout

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/kept"
	"bayeskernel/internal/page"
	"bayeskernel/loo"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "loo", Args: "RUN",
		Summary: "how well a run predicts rows that it has not seen, by leave-one-out",
		About: `RUN is the folder of a run of nuts, or files of draws with commas between, of CmdStan too. For each row the density under a fit
without it is estimated from the draws, by Pareto smoothed importance sampling. A Stan program gives the log likelihoods of its rows
as the generated quantity log_lik. Where the Pareto shape of a row is too large its estimate cannot be trusted, and the rows are named.`,
		Records: []cli.Record{{Name: "loo", Of: Record{}, About: "Leave-one-out estimates of a run.", Commands: []string{"loo"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			var variable string
			var output folder.Flags
			s.Group("Rows")
			s.Text(&variable, "log-lik", "log_lik", "the `name` of the generated quantity with the log likelihoods of rows, for a Stan program")
			output.Define(s, nil)
			return func(ctx context.Context, con *cli.Console, args []string) error {
				output.Hush(con)
				if err := kept.Check(args, 1, 1, "RUN"); err != nil {
					return err
				}
				if err := output.Check(s); err != nil {
					return err
				}
				run, err := kept.Open(args[0])
				if err != nil {
					return err
				}
				result, err := run.Loo(ctx, args[0], variable)
				if err != nil {
					return err
				}
				return output.Run(con, "", func(*folder.Folder) (*report.Document, error) { return document(args[0], run, result), nil })
			}
		},
	}
}

// Record is what programs read.
type Record struct {
	report.Head
	Run      string        `json:"run" doc:"The run."`
	Rows     int           `json:"rows" doc:"The number of rows."`
	ELPD     report.Number `json:"elpd_loo" doc:"The expected log predictive density, summed over rows."`
	SE       report.Number `json:"se" doc:"Its standard error."`
	P        report.Number `json:"p_loo" doc:"The effective number of parameters."`
	PSE      report.Number `json:"p_se" doc:"Its standard error."`
	Points   []Point       `json:"points" doc:"Each row."`
	Warnings []string      `json:"warnings" doc:"What to keep in mind, in sentences."`
}

// Point is a row.
type Point struct {
	Row  string        `json:"row" doc:"The row."`
	ELPD report.Number `json:"elpd" doc:"Its log predictive density under a fit without it."`
	P    report.Number `json:"p" doc:"How much higher it is under the fit with it."`
	K    report.Number `json:"k" doc:"The Pareto shape of its weights."`
}

// mostShown is how many rows the terminal shows.
const mostShown = 10

func document(name string, run *kept.Run, r *loo.Result) *report.Document {
	rec := &Record{Head: report.NewHead("loo"), Run: name, Rows: len(r.Points), ELPD: report.Number(r.ELPD), SE: report.Number(r.SE),
		P: report.Number(r.P), PSE: report.Number(r.PSE), Warnings: append([]string{}, run.Notes()...)}
	for _, p := range r.Points {
		rec.Points = append(rec.Points, Point{p.Name, report.Number(p.ELPD), report.Number(p.P), report.Number(p.K)})
	}
	said := fmt.Sprintf("The expected log predictive density of %d rows is %.1f (standard error %.1f), with %.1f effective parameters.",
		len(r.Points), r.ELPD, r.SE, r.P)
	trust := "The Pareto shape is small enough for every row: the estimates can be trusted."
	if high := kept.High(r); len(high) > 0 {
		trust = fmt.Sprintf("For %d of %d rows the Pareto shape is too large, the worst first in the table: do not trust the estimates "+
			"for these rows, or the sum. Think of a model that is less surprised by them.", len(high), len(r.Points))
		rec.Warnings = append(rec.Warnings, trust)
	}
	points := slices.Clone(r.Points)
	slices.SortStableFunc(points, func(a, b loo.Point) int { return cmp.Compare(b.K, a.K) })
	table := report.Table{Intro: "The rows with the most influence on the fit", Head: []string{"", "elpd", "p", "Pareto k"}}
	for _, p := range points {
		table.Rows = append(table.Rows, []string{p.Name, report.Fixed(p.ELPD), report.Fixed(p.P), fmt.Sprintf("%.2f", p.K)})
	}
	short := table
	short.Rows = table.Rows[:min(mostShown, len(table.Rows))]
	d := &report.Document{Page: page.Page{Title: said, About: name}, Record: rec, Files: []report.File{kept.RowsFile(r)}}
	d.Printed = []report.Block{report.Paragraphs(append([]string{said, trust}, run.Notes()...)), short}
	d.Sure = page.Section{Heading: "Rows", Text: append([]string{trust}, run.Notes()...), Tables: report.Tables(table)}
	d.Rests = page.Section{Heading: "What it rests on", Text: []string{"Pareto smoothed importance sampling (Vehtari and others 2024). The sum says little " +
		"by itself: compare it with that of another model of the same rows, by nuts compare."}}
	return d
}
