// Package sbc is the command that calibrates a regression by simulation.
package sbc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bayeskernel/calibration"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/table"
	"bayeskernel/formula"
	"bayeskernel/frame"
	"bayeskernel/internal/page"
	"bayeskernel/nuts"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "sbc", Args: "FORMULA DATA.csv",
		Summary: "simulation-based calibration of a regression: are its intervals as sure as they say?",
		About: `Draws parameters from the priors of a regression and responses from these, for the rows of DATA, fits each set of responses, and
ranks the parameters among the draws of their posterior. If prior, likelihood and sampler agree, ranks are uniform. Takes the
formula, the data, -family and -prior of nuts fit; flat priors cannot be drawn from: give others with -prior 'b ~ normal(0, 1)'. A
Stan program does not say which of its data to draw anew, and is not taken.`,
		Records: []cli.Record{{Name: "sbc", Of: Record{}, About: "The calibration of a regression.", Commands: []string{"sbc"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.table.Define(s)
			s.Group("Simulations")
			s.Whole(&j.n, "simulations", 200, "`number` of simulations")
			s.Number(&j.alpha, "alpha", 0.05, "`probability` of a false alarm, over all parameters")
			s.Number(&j.accept, "delta", 0.8, "`rate` of acceptance that the step size aims at")
			s.Seed(&j.seed, "seed", 1, "of random numbers: the same seed gives the same ranks")
			j.output.Define(s, func() { j.output.DefineUnits(s) })
			return func(ctx context.Context, con *cli.Console, args []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, args)
			}
		},
	}
}

type job struct {
	table         table.Regression
	n             int
	alpha, accept float64
	seed          uint64
	output        folder.Flags
}

func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console, args []string) error {
	switch {
	case len(args) > 0 && strings.HasSuffix(args[0], ".stan"):
		return cli.Usagef("sbc takes a formula and a table: a Stan program does not say which of its data to draw anew, and from what")
	case len(args) != 2:
		return cli.Usagef("want FORMULA DATA.csv, found %s", cli.Plural(len(args), "argument"))
	case j.n < 20:
		return cli.Usagef("-simulations is %d, want at least 20", j.n)
	case !(j.alpha > 0 && j.alpha < 1):
		return cli.Usagef("-alpha is %v, want a number between 0 and 1", j.alpha)
	case !(j.accept > 0 && j.accept < 1):
		return cli.Usagef("-delta is %v, want a number between 0 and 1", j.accept)
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	if err := j.output.AdmitShard(j.n, "simulations"); err != nil {
		return err
	}
	t, reg, err := j.table.Model(con, args[0], args[1], true)
	if err != nil {
		return err
	}
	model, err := reg.Program.Calibration()
	if err != nil {
		return err
	}
	return j.output.Run(con, j.output.Resume, func(dir *folder.Folder) (*report.Document, error) {
		result, err := j.simulate(ctx, con, dir, model, identity(t, j.accept, reg))
		if err != nil || j.output.Shard.N > 0 {
			return nil, err
		}
		told, err := result.Check(j.alpha / float64(len(result.Names)))
		if err != nil {
			return nil, err
		}
		return j.document(args, reg, told), nil
	})
}

// identity tells calibrations of other data, models and samplers apart.
func identity(t *frame.Frame, accept float64, reg *formula.Regression) string {
	rows, program := t.Hash(), sha256.Sum256([]byte(reg.Program.String()))
	return fmt.Sprintf("%x, model %x, delta %v", rows[:8], program[:8], accept)
}

// simulate runs the calibration, and keeps each simulation until all are done. Of is what they depend on, beside
// the seed.
func (j *job) simulate(ctx context.Context, con *cli.Console, dir *folder.Folder, model calibration.Model, of string) (*calibration.Result, error) {
	shard := j.output.Shard
	status := con.Working("simulating and fitting %d sets of responses", shard.Of(j.n))
	defer status.End()
	c := nuts.Config{}
	c.Warmup, c.Draws, c.TargetAccept = 300, 600, j.accept
	o := calibration.Options{Simulations: j.n, Seed: j.seed, Sampler: calibration.NUTS(c), Only: shard.Has}
	file, err := dir.Journal(fmt.Sprintf("calibration, seed %d, data %s", j.seed, of), func(line []byte) error {
		var rep calibration.Replicate
		err := json.Unmarshal(line, &rep)
		if err == nil && rep.Index < j.n && shard.Has(rep.Index) {
			o.Have = append(o.Have, rep)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	done := len(o.Have)
	o.OnReplicate = func(rep calibration.Replicate) {
		if err := file.Write(rep); err != nil {
			stop(err)
		}
		done++
		status.StepLeft("simulating and fitting", done, shard.Of(j.n))
	}
	result, err := calibration.Run(ctx, model, o)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if e := file.Close(); err == nil {
		err = e
	}
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return nil, dir.Interrupted(" after " + cli.Plural(done, "simulation"))
	}
	if err == nil && shard.N > 0 {
		dir.Shared(shard, cli.Plural(done, "simulation"))
	}
	return result, err
}

// Record is what programs read.
type Record struct {
	report.Head
	Formula     string     `json:"formula" doc:"The formula."`
	Family      string     `json:"family" doc:"The distribution of the response."`
	Simulations int        `json:"simulations" doc:"The number of simulations."`
	Finding     string     `json:"finding" doc:"Whether the regression is calibrated, in a sentence."`
	Quantities  []Quantity `json:"quantities" doc:"What was ranked, the least uniform first."`
	Notes       []string   `json:"notes" doc:"What to keep in mind, in sentences."`
}

// Quantity is a parameter, or something computed of parameters and data.
type Quantity struct {
	Name   string        `json:"name" doc:"Its name."`
	P      report.Number `json:"p" doc:"The p-value of uniform ranks."`
	Leaves bool          `json:"leaves" doc:"Whether its ranks are not uniform, at the level over all quantities."`
	Shift  report.Number `json:"shift" doc:"How far the posterior lies too high, in its standard deviations."`
	Scale  report.Number `json:"scale" doc:"Its standard deviation over the right one."`
}

// mostShown is how many quantities the terminal shows.
const mostShown = 15

func (j *job) document(args []string, reg *formula.Regression, told *calibration.Report) *report.Document {
	all := slices.Clone(told.Quantities)
	slices.SortStableFunc(all, func(a, b calibration.Quantity) int { return cmp.Compare(a.P, b.P) })
	rec := &Record{Head: report.NewHead("sbc"), Formula: args[0], Family: reg.Family, Simulations: j.n, Notes: append([]string{}, told.Notes...)}
	tab := report.Table{Intro: "The least uniform ranks", Head: []string{"", "p", "shift", "scale"}}
	var bad []string
	for _, q := range all {
		rec.Quantities = append(rec.Quantities, Quantity{q.Name, report.Number(q.P), q.Leaves, report.Number(q.Shift), report.Number(q.Scale)})
		tab.Rows = append(tab.Rows, []string{q.Name, report.Short(q.P), fmt.Sprintf("%.2f", q.Shift), fmt.Sprintf("%.2f", q.Scale)})
		if q.Leaves {
			bad = append(bad, q.Sentence)
		}
	}
	rec.Finding = fmt.Sprintf("The regression is calibrated: the ranks of all %d quantities look uniform in %d simulations.", len(all), j.n)
	if len(bad) > 0 {
		rec.Finding = fmt.Sprintf("The regression is not calibrated: the ranks of %d of %d quantities are not uniform in %d simulations.", len(bad),
			len(all), j.n)
	}
	short := tab
	short.Rows = tab.Rows[:min(mostShown, len(tab.Rows))]
	d := &report.Document{Page: page.Page{Title: rec.Finding, About: fmt.Sprintf("%s, %s, %d rows", args[0], reg.Family, len(reg.Y))}, Record: rec}
	d.Printed = []report.Block{report.Paragraphs(append([]string{rec.Finding}, bad...)), short, report.Paragraphs(told.Notes)}
	d.Sure = page.Section{Heading: "Ranks", Text: bad, Tables: report.Tables(tab), Notes: told.Notes}
	d.Rests = page.Section{Heading: "The model", Code: reg.Program.String()}
	d.Settings = []page.Setting{{Name: "simulations", Value: fmt.Sprint(j.n)}, {Name: "seed", Value: fmt.Sprint(j.seed)}}
	return d
}
