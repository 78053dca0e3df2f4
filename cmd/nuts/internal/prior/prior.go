// Package prior is the command that shows what the priors of a regression say before any data do.
package prior

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/table"
	"bayeskernel/draws"
	"bayeskernel/formula"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "prior", Args: "FORMULA DATA.csv",
		Summary: "draw from the priors of a regression: which data would they lead one to expect?",
		About: `Takes the formula, the data, -family and -prior of nuts fit, draws parameters from their priors and responses from these, and
shows them beside the responses of the data. Priors that are flat, as those of coefficients are by default, cannot be drawn from: give
others with -prior 'b ~ normal(0, 1)'. A Stan program does not say which of its statements are priors: put its likelihood under a
condition on data, if (!prior_only), and sample with prior_only = 1.`,
		Records: []cli.Record{{Name: "prior", Of: Record{}, About: "Draws from the priors of a regression.", Commands: []string{"prior"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.table.Define(s)
			s.Group("Draws")
			s.Whole(&j.n, "n", 1000, "`number` of draws")
			s.Seed(&j.seed, "seed", 1, "of random numbers: the same seed gives the same draws")
			j.output.Define(s, nil)
			return func(ctx context.Context, con *cli.Console, args []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, args)
			}
		},
	}
}

type job struct {
	table  table.Regression
	n      int
	seed   uint64
	output folder.Flags
}

func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console, args []string) error {
	if len(args) > 0 && strings.HasSuffix(args[0], ".stan") {
		return cli.Usagef("a Stan program does not say which of its statements are priors: put its likelihood under a condition on data, " +
			"if (!prior_only), and sample with prior_only = 1")
	}
	if len(args) != 2 {
		return cli.Usagef("want FORMULA DATA.csv, found %s", cli.Plural(len(args), "argument"))
	}
	if j.n < 2 {
		return cli.Usagef("-n is %d, want at least 2", j.n)
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	_, reg, err := j.table.Model(con, args[0], args[1], true)
	if err != nil {
		return err
	}
	run, err := reg.Prior(ctx, j.n, j.seed)
	if err != nil {
		return err
	}
	again, err := reg.Predictive(ctx, run, j.seed)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %s", err, narrower(reg))
	} else if err != nil {
		return err
	}
	if err := finite(reg, again.Chains[0].Values); err != nil {
		return err
	}
	reported, err := reg.Report(run)
	if err != nil {
		return err
	}
	return j.output.Run(con, "", func(*folder.Folder) (*report.Document, error) { return j.document(args, reg, reported, again), nil })
}

// finite wants responses that are numbers: a prior may be so wide that most of its draws leave none.
func finite(reg *formula.Regression, rows [][]float64) error {
	wrong, all := 0, 0
	for _, row := range rows {
		for _, v := range row {
			all++
			if math.IsNaN(v) || math.IsInf(v, 0) {
				wrong++
			}
		}
	}
	if wrong == 0 {
		return nil
	}
	return fmt.Errorf("%.2g%% of the responses under the priors are not finite numbers: %s", 100*float64(wrong)/float64(all), narrower(reg))
}

// narrower is what helps against responses that are no numbers.
func narrower(reg *formula.Regression) string {
	var priors []string
	for _, p := range reg.Priors {
		priors = append(priors, p.String())
	}
	return "give narrower priors by -prior than some of " + strings.Join(priors, "; ")
}

// Record is what programs read.
type Record struct {
	report.Head
	Formula    string      `json:"formula" doc:"The formula."`
	Family     string      `json:"family" doc:"The distribution of the response."`
	Priors     []string    `json:"priors" doc:"The priors."`
	Draws      int         `json:"draws" doc:"The number of draws."`
	Finding    string      `json:"finding" doc:"What the priors say of responses, in a sentence."`
	Parameters []Parameter `json:"parameters" doc:"The parameters under their priors."`
	Response   Parameter   `json:"response" doc:"Responses under the priors."`
	Data       Parameter   `json:"data" doc:"The responses of the data."`
}

// Parameter has quantiles.
type Parameter struct {
	Name string        `json:"name" doc:"Its name."`
	Q05  report.Number `json:"q5" doc:"The quantile 0.05."`
	Q50  report.Number `json:"q50" doc:"The median."`
	Q95  report.Number `json:"q95" doc:"The quantile 0.95."`
}

func quantiles(name string, v []float64) Parameter {
	v = slices.Clone(v)
	slices.Sort(v)
	q := func(p float64) report.Number {
		h := p * float64(len(v)-1)
		k := int(math.Floor(h))
		if k+1 >= len(v) {
			return report.Number(v[len(v)-1])
		}
		return report.Number(v[k] + (h-float64(k))*(v[k+1]-v[k]))
	}
	return Parameter{name, q(.05), q(.5), q(.95)}
}

func (j *job) document(args []string, reg *formula.Regression, reported, again *draws.Run) *report.Document {
	rec := &Record{Head: report.NewHead("prior"), Formula: args[0], Family: reg.Family, Draws: j.n, Priors: []string{}}
	for _, p := range reg.Priors {
		rec.Priors = append(rec.Priors, p.String())
	}
	tab := report.Table{Head: []string{"", "5%", "50%", "95%"}}
	for k, name := range reported.Names[:reg.Main()] {
		q := quantiles(name, slices.Concat(reported.Column(k)...))
		rec.Parameters = append(rec.Parameters, q)
		tab.Rows = append(tab.Rows, []string{name, report.Short(float64(q.Q05)), report.Short(float64(q.Q50)), report.Short(float64(q.Q95))})
	}
	var all []float64
	for _, row := range again.Chains[0].Values {
		all = append(all, row...)
	}
	y := reg.Formula.Response.String()
	rec.Response, rec.Data = quantiles(y, all), quantiles(y, reg.Y)
	short := func(v report.Number) string { return report.Short(float64(v)) }
	rec.Finding = fmt.Sprintf("Under the priors 90%% of %s lie between %s and %s; those of the data between %s and %s.", y, short(rec.Response.Q05),
		short(rec.Response.Q95), short(rec.Data.Q05), short(rec.Data.Q95))
	g := figure.Groups{Title: "The data, and data drawn from the priors"}
	column := figure.GroupColumn{Label: y}
	g.Names, column.Values = append(g.Names, "data"), append(column.Values, reg.Y)
	for i := range min(3, len(again.Chains[0].Values)) {
		g.Names, column.Values = append(g.Names, fmt.Sprintf("drawn %d", i+1)), append(column.Values, again.Chains[0].Values[i])
	}
	g.Columns = []figure.GroupColumn{column}
	d := &report.Document{Page: page.Page{Title: rec.Finding, About: fmt.Sprintf("%s, %s, %d rows of %s", args[0], reg.Family, len(reg.Y),
		filepath.Base(args[1]))}, Record: rec}
	d.Printed = []report.Block{report.Paragraphs{rec.Finding}, tab, report.Paragraphs{"Priors: " + strings.Join(rec.Priors, "; ") + "."}}
	d.Figures = []page.Figure{{Draw: g, File: "prior", What: "data drawn from the priors", Caption: "Three sets of responses that the priors would " +
		"lead one to expect, beside those of the data. Priors should allow for the data, and for little that is absurd."}}
	d.Sure = page.Section{Heading: "Parameters under their priors", Tables: report.Tables(tab)}
	d.Rests = page.Section{Heading: "The model", Text: []string{"Priors: " + strings.Join(rec.Priors, "; ") + "."}, Code: reg.Program.String()}
	d.Settings = []page.Setting{{Name: "draws", Value: fmt.Sprint(j.n)}, {Name: "seed", Value: fmt.Sprint(j.seed)}}
	return d
}
