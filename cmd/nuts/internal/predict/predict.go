// Package predict is the command that predicts new rows from a fit, and runs the generated quantities of a Stan
// program for the draws of a run.
package predict

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/kept"
	"bayeskernel/draws"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "predict", Args: "RUN [DATA]",
		Summary: "predict new rows from a fit; run generated quantities for new data or another program",
		About: `RUN is the folder of nuts fit or of a Stan program. For a fit, DATA has the columns of the formula, without the response: each
row gets the mean, standard deviation and quantiles of a new response. Levels and polynomials are coded as in the fit; a group that
the fit has not seen gets an effect drawn from the distribution of groups. For a Stan program, DATA are its data in JSON, and the
generated quantities run for each draw; -program takes those of another program with the same parameters. Without DATA those of the
run are used.`,
		Records: []cli.Record{{Name: "predict", Of: Record{}, About: "Predictions from a run.", Commands: []string{"predict"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			s.Group("Predictions")
			s.Text(&j.program, "program", "", "a Stan `program` with the parameters of the run, whose generated quantities are run instead")
			s.Choice(&j.na, "na", "error", []string{"drop", "error"}, "`what` to do with rows of a fit's DATA in which a value is missing: drop or error")
			s.Seed(&j.seed, "seed", 1, "of random numbers: the same seed gives the same predictions")
			j.output.Define(s, func() {
				s.Yes(&j.keep, "draws", "write all draws too, as CmdStan's files of generated quantities")
			})
			return func(ctx context.Context, con *cli.Console, args []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, args)
			}
		},
	}
}

type job struct {
	program, na string
	seed        uint64
	keep        bool
	output      folder.Flags

	name, data string // the run, and its data
	notes      []string
}

func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console, args []string) error {
	if err := kept.Check(args, 1, 2, "RUN [DATA]"); err != nil {
		return err
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	j.name = args[0]
	r, err := kept.Open(j.name)
	if err != nil {
		return err
	}
	if r.Command == "" && j.program == "" {
		return fmt.Errorf("%s does not say which program it is a run of: want the folder of a run of nuts, or -program", j.name)
	}
	if r.Command == "fit" && j.program != "" {
		return cli.Usagef("-program goes with the run of a Stan program, and %s is a fit", j.name)
	}
	if len(args) == 2 {
		j.data = args[1]
	} else if r.SHA256 != "" {
		if j.data, err = r.DataPath(j.name); err != nil {
			return err
		}
	}
	var drawn *draws.Run
	if r.Command == "fit" {
		drawn, err = j.rows(ctx, con, r)
	} else {
		drawn, err = j.quantities(ctx, con, r)
	}
	if err != nil {
		return err
	}
	return j.output.Run(con, "", func(dir *folder.Folder) (*report.Document, error) { return j.document(dir, r, drawn) })
}

// Record is what programs read.
type Record struct {
	report.Head
	Run   string   `json:"run" doc:"The run."`
	Data  string   `json:"data" doc:"The data."`
	Draws int      `json:"draws" doc:"How many draws each prediction rests on."`
	Rows  []Row    `json:"rows" doc:"The predictions."`
	Notes []string `json:"notes" doc:"What to keep in mind, in sentences."`
}

// Row is a prediction.
type Row struct {
	Name string        `json:"name" doc:"What is predicted: a row of the data by its number, or a generated quantity."`
	Mean report.Number `json:"mean" doc:"The mean of its draws."`
	SD   report.Number `json:"sd" doc:"Their standard deviation."`
	Q05  report.Number `json:"q5" doc:"Their quantile 0.05."`
	Q50  report.Number `json:"q50" doc:"Their median."`
	Q95  report.Number `json:"q95" doc:"Their quantile 0.95."`
}

// summary describes the draws of all chains.
func summary(name string, chains [][]float64) Row {
	v := slices.Concat(chains...)
	slices.Sort(v)
	mean, squares := 0.0, 0.0
	for i, x := range v {
		d := x - mean
		mean += d / float64(i+1)
		squares += d * (x - mean)
	}
	q := func(p float64) report.Number {
		h := p * float64(len(v)-1)
		k := min(int(h), len(v)-2)
		if k < 0 {
			return report.Number(v[0])
		}
		return report.Number(v[k] + (h-float64(k))*(v[k+1]-v[k]))
	}
	return Row{name, report.Number(mean), report.Number(math.Sqrt(squares / float64(max(len(v)-1, 1)))), q(.05), q(.5), q(.95)}
}

// mostShown is how many rows the terminal shows.
const mostShown = 20

func (j *job) document(dir *folder.Folder, r *kept.Run, drawn *draws.Run) (*report.Document, error) {
	rec := &Record{Head: report.NewHead("predict"), Run: j.name, Data: j.data, Rows: []Row{}, Notes: append([]string{}, j.notes...)}
	for _, c := range drawn.Chains {
		rec.Draws += len(c.Values)
	}
	table := report.Table{Head: []string{"", "mean", "sd", "5%", "50%", "95%"}}
	bars := figure.Series{Name: "mean, with 90% of the draws", Apart: true}
	for k, name := range drawn.Names {
		row := summary(name, drawn.Column(k))
		rec.Rows = append(rec.Rows, row)
		table.Rows = append(table.Rows, []string{name, report.Short(float64(row.Mean)), report.Short(float64(row.SD)), report.Short(float64(row.Q05)),
			report.Short(float64(row.Q50)), report.Short(float64(row.Q95))})
		if k < 200 {
			bars.X, bars.Y = append(bars.X, float64(k+1)), append(bars.Y, float64(row.Mean))
			bars.Lower, bars.Upper = append(bars.Lower, float64(row.Q05)), append(bars.Upper, float64(row.Q95))
		}
	}
	what := "generated quantities"
	if r.Command == "fit" {
		what = "rows"
	}
	said := fmt.Sprintf("Predicted %d %s from %d draws of %s.", len(rec.Rows), what, rec.Draws, j.name)
	d := &report.Document{Page: page.Page{Title: said, About: cmp.Or(r.Formula, j.program, j.name)}, Record: rec}
	short := table
	short.Rows = table.Rows[:min(mostShown, len(table.Rows))]
	d.Printed = []report.Block{report.Paragraphs{said}, short, report.Paragraphs(j.notes)}
	if left := len(table.Rows) - mostShown; left > 0 {
		d.Printed = append(d.Printed, report.Paragraphs{fmt.Sprintf("predictions.csv has %d more.", left)})
	}
	if r.Command == "fit" {
		d.Figures = []page.Figure{{Draw: figure.Curves{Title: "Predicted responses", XLabel: "row", YLabel: "response", Series: []figure.Series{bars}},
			File: "predictions", What: "the predictions", Caption: "The mean of each new response, and the interval that holds 90% of its draws."}}
	}
	d.Sure = page.Section{Heading: "Predictions", Tables: report.Tables(table), Notes: j.notes}
	d.Settings = []page.Setting{{Name: "seed", Value: fmt.Sprint(j.seed)}}
	d.Files = append(d.Files, report.File{Name: "predictions.csv", What: "the predictions", Fill: func(w io.Writer) error { return csv(w, rec.Rows) }})
	if !j.keep {
		return d, nil
	}
	for k := range drawn.Chains {
		rows := drawn.Chains[k].Values
		d.Files = append(d.Files, report.File{Name: fmt.Sprintf("draws_%d.csv", k+1), What: "the draws", Fill: func(w io.Writer) error {
			return all(w, drawn.Names, rows)
		}})
	}
	return d, nil
}

// csv writes predictions.
func csv(w io.Writer, rows []Row) error {
	var b strings.Builder
	b.WriteString("name,mean,sd,q5,q50,q95\n")
	for _, r := range rows {
		name := r.Name
		if strings.ContainsAny(name, ",\"") {
			name = strconv.Quote(name)
		}
		b.WriteString(name)
		for _, v := range []report.Number{r.Mean, r.SD, r.Q05, r.Q50, r.Q95} {
			b.WriteString("," + strconv.FormatFloat(float64(v), 'g', -1, 64))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// all writes draws as CmdStan does those of generated quantities.
func all(w io.Writer, names []string, rows [][]float64) error {
	b := []byte("# method = generate_quantities\n")
	for k, n := range names {
		if k > 0 {
			b = append(b, ',')
		}
		b = append(b, strings.NewReplacer("[", ".", ",", ".", "]", "").Replace(n)...)
	}
	b = append(b, '\n')
	for _, row := range rows {
		for k, v := range row {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	_, err := w.Write(b)
	return err
}
