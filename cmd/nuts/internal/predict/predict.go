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
row gets the mean, standard deviation and quantiles of a new response, or the probabilities of its categories. Levels, polynomials
and smooth functions are coded as in the fit; a group that the fit has not seen gets an effect drawn from the distribution of groups;
new responses are not censored. For a Stan program, DATA are its data in JSON, and the
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
	categories []string // of the response, nil if it is a number
}

func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console, args []string) error {
	if err := kept.Check(args, 1, 2, "RUN [DATA]"); err != nil {
		return err
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	j.name = args[0]
	open := kept.OpenFolder
	if j.program != "" {
		open = kept.Open
	}
	r, err := open(j.name)
	if err != nil {
		return err
	}
	j.notes = r.Notes()
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
	Run   string `json:"run" doc:"The run."`
	Data  string `json:"data" doc:"The data."`
	Draws int    `json:"draws" doc:"How many draws each prediction rests on."`
	Rows  []Row  `json:"rows" doc:"The predictions."`

	Categories []string `json:"categories,omitempty" doc:"The categories of the response, where it has some."`
	Notes      []string `json:"notes" doc:"What to keep in mind, in sentences."`
}

// Row is a prediction.
type Row struct {
	Name string        `json:"name" doc:"What is predicted: a row of the data by its number, or a generated quantity."`
	Mean report.Number `json:"mean" doc:"The mean of its draws."`
	SD   report.Number `json:"sd" doc:"Their standard deviation."`
	Q05  report.Number `json:"q5" doc:"Their quantile 0.05."`
	Q50  report.Number `json:"q50" doc:"Their median."`
	Q95  report.Number `json:"q95" doc:"Their quantile 0.95."`

	Probabilities []report.Number `json:"probabilities,omitempty" doc:"Of each category, where the response has some; the numbers above are null then."`
}

// shares are how often each of n categories was drawn.
func shares(name string, chains [][]float64, n int) Row {
	nan := report.Number(math.NaN())
	r := Row{Name: name, Mean: nan, SD: nan, Q05: nan, Q50: nan, Q95: nan, Probabilities: make([]report.Number, n)}
	all := slices.Concat(chains...)
	for _, v := range all {
		r.Probabilities[int(v)-1]++
	}
	for k := range r.Probabilities {
		r.Probabilities[k] /= report.Number(len(all))
	}
	return r
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
	return Row{Name: name, Mean: report.Number(mean), SD: report.Number(math.Sqrt(squares / float64(max(len(v)-1, 1)))), Q05: q(.05), Q50: q(.5),
		Q95: q(.95)}
}

// mostShown is how many rows the terminal shows.
const mostShown = 20

// mostDrawn is how many rows the picture shows.
const mostDrawn = 200

func (j *job) document(dir *folder.Folder, r *kept.Run, drawn *draws.Run) (*report.Document, error) {
	rec := &Record{Head: report.NewHead("predict"), Run: j.name, Data: j.data, Rows: []Row{}, Notes: append([]string{}, j.notes...)}
	for _, c := range drawn.Chains {
		rec.Draws += len(c.Values)
	}
	tell := j.intervals
	if j.categories != nil {
		tell = j.probabilities
	}
	table, figures := tell(rec, drawn)
	what := fmt.Sprintf("%d generated quantities", len(rec.Rows))
	if r.Command == "fit" {
		what = cli.Plural(len(rec.Rows), "row")
	}
	said := fmt.Sprintf("Predicted %s from %d draws of %s.", what, rec.Draws, j.name)
	d := &report.Document{Page: page.Page{Title: said, About: cmp.Or(r.Formula, j.program, j.name)}, Record: rec}
	short := table
	short.Rows = table.Rows[:min(mostShown, len(table.Rows))]
	d.Printed = []report.Block{report.Paragraphs{said}, short, report.Paragraphs(j.notes)}
	if left := len(table.Rows) - mostShown; left > 0 {
		d.Printed = append(d.Printed, report.Paragraphs{fmt.Sprintf("predictions.csv has %d more.", left)})
	}
	if r.Command == "fit" {
		d.Figures = figures
	}
	d.Sure = page.Section{Heading: "Predictions", Tables: report.Tables(table), Notes: j.notes}
	d.Settings = []page.Setting{{Name: "seed", Value: fmt.Sprint(j.seed)}}
	d.Files = append(d.Files, report.File{Name: "predictions.csv", What: "the predictions", Fill: func(w io.Writer) error { return csv(w, rec) }})
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

// intervals tell what was drawn of numbers.
func (j *job) intervals(rec *Record, drawn *draws.Run) (report.Table, []page.Figure) {
	table := report.Table{Head: []string{"", "mean", "sd", "5%", "50%", "95%"}}
	bars := figure.Series{Name: "mean, with 90% of the draws", Apart: true}
	for k, name := range drawn.Names {
		row := summary(name, drawn.Column(k))
		rec.Rows = append(rec.Rows, row)
		table.Rows = append(table.Rows, []string{name, report.Short(float64(row.Mean)), report.Short(float64(row.SD)), report.Short(float64(row.Q05)),
			report.Short(float64(row.Q50)), report.Short(float64(row.Q95))})
		if k < mostDrawn {
			bars.X, bars.Y = append(bars.X, float64(k+1)), append(bars.Y, float64(row.Mean))
			bars.Lower, bars.Upper = append(bars.Lower, float64(row.Q05)), append(bars.Upper, float64(row.Q95))
		}
	}
	return table, []page.Figure{{Draw: figure.Curves{Title: "Predicted responses", XLabel: "row", YLabel: "response", Series: []figure.Series{bars}},
		File: "predictions", What: "the predictions", Caption: "The mean of each new response, and the interval that holds 90% of its draws."}}
}

// probabilities tell how likely each category is.
func (j *job) probabilities(rec *Record, drawn *draws.Run) (report.Table, []page.Figure) {
	rec.Categories = j.categories
	table := report.Table{Head: append([]string{""}, j.categories...)}
	curves := make([]figure.Series, len(j.categories))
	for c, name := range j.categories {
		curves[c] = figure.Series{Name: name, Apart: true}
	}
	for k, name := range drawn.Names {
		row := shares(name, drawn.Column(k), len(j.categories))
		rec.Rows = append(rec.Rows, row)
		cells := []string{name}
		for c, p := range row.Probabilities {
			cells = append(cells, fmt.Sprintf("%.3f", float64(p)))
			if k < mostDrawn {
				curves[c].X, curves[c].Y = append(curves[c].X, float64(k+1)), append(curves[c].Y, float64(p))
			}
		}
		table.Rows = append(table.Rows, cells)
	}
	return table, []page.Figure{{Draw: figure.Curves{Title: "Probabilities of the categories", XLabel: "row", YLabel: "probability", Series: curves},
		File: "predictions", What: "the probabilities", Caption: "How likely each category is for a new response in each row."}}
}

// csv writes predictions.
func csv(w io.Writer, rec *Record) error {
	var b strings.Builder
	cell := func(s string) {
		if strings.ContainsAny(s, ",\"\n") {
			s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		b.WriteString(s)
	}
	b.WriteString("name")
	head := rec.Categories
	if head == nil {
		head = []string{"mean", "sd", "q5", "q50", "q95"}
	}
	for _, c := range head {
		b.WriteByte(',')
		cell(c)
	}
	b.WriteByte('\n')
	for _, r := range rec.Rows {
		cell(r.Name)
		values := r.Probabilities
		if values == nil {
			values = []report.Number{r.Mean, r.SD, r.Q05, r.Q50, r.Q95}
		}
		for _, v := range values {
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
