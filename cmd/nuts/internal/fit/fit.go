// Package fit is the command that fits a regression from a formula.
package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/chains"
	"bayeskernel/cmd/nuts/internal/kept"
	"bayeskernel/cmd/nuts/internal/table"
	"bayeskernel/draws"
	"bayeskernel/formula"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/loo"
	"bayeskernel/nuts"
	"bayeskernel/stein"
)

// Command is the command.
func Command() cli.Command {
	return cli.Command{
		Name: "fit", Args: "FORMULA DATA.csv",
		Summary: "fit a regression from a formula, as in R: nuts fit 'y ~ x + (1 | g)' data.csv",
		About: `Fits a regression by NUTS. The formula is that of R and brms: y ~ x + log(z) + g + x:g + (1 + x | h),
with poly(x, 2), factor(x), offset(x), I(x^2), smooth functions s(x) and s(x, by = g), and beside the response y | trials(n), cens(c)
and weights(w); cbind(k, n - k) is k | trials(n). Columns of text are factors. Default priors are those of brms, and printed; a prior is for a class of
parameters (b, Intercept, sd, sds, cor, sigma, shape, phi, nu, zi) or for one, as b_x or sd_g. CSV, TSV, JSON lines and Parquet
files are read; - is standard input. With -print the model is written and nothing is sampled: stan and go are programs,
data the file that both read.`,
		Records: []cli.Record{{Name: "fit", Of: Record{}, About: "A regression and its posterior.", Commands: []string{"fit"}}},
		Flags: func(s *cli.FlagSet) func(context.Context, *cli.Console, []string) error {
			j := &job{}
			j.table.Define(s)
			s.Group("Sampling")
			s.Whole(&j.chains, "chains", 4, "`number` of chains")
			s.Whole(&j.draws, "iter", 1000, "draws of each chain, after the warm-up")
			s.Whole(&j.warmup, "warmup", 1000, "transitions of the warm-up of each chain, at most")
			s.Seed(&j.seed, "seed", 1, "of random numbers: the same seed gives the same draws")
			s.Number(&j.accept, "delta", 0.8, "`rate` of acceptance that the step size aims at; with groups or smooth terms 0.9, and raised where trajectories diverge, unless it is given")
			s.Choice(&j.print, "print", "", []string{"", "stan", "go", "data"}, "`what` to print in place of a fit: the model as a program in stan "+
				"or in go, or the data of either")
			j.output.Define(s, nil)
			return func(ctx context.Context, con *cli.Console, args []string) error {
				j.output.Hush(con)
				return j.run(ctx, s, con, args)
			}
		},
	}
}

type job struct {
	table                 table.Regression
	print                 string
	chains, draws, warmup int
	seed                  uint64
	accept                float64
	output                folder.Flags

	file      string
	notes     []string
	numbered  func(int) int // the number of a row in the file, where some were left out
	reg       *formula.Regression
	posterior *draws.Run // of the program
	ended     string     // where the run was interrupted, "" if it was not
	told      chains.Told
	r2        [3]float64
	loo       *loo.Result
	effects   []formula.Effect
	fitted    []float64
	residual  []float64
	checks    []figure.Sample
	fits      *stein.Goodness // of a continuous response
}

func (j *job) run(ctx context.Context, set *cli.FlagSet, con *cli.Console, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("want FORMULA DATA.csv, found %s", cli.Plural(len(args), "argument"))
	}
	for _, f := range []struct {
		name string
		v    int
	}{{"chains", j.chains}, {"iter", j.draws}, {"warmup", j.warmup}} {
		if f.v < 1 {
			return cli.Usagef("-%s is %d, want at least 1", f.name, f.v)
		}
	}
	if !(j.accept > 0 && j.accept < 1) {
		return cli.Usagef("-delta is %v, want a number between 0 and 1", j.accept)
	}
	if err := j.output.Check(set); err != nil {
		return err
	}
	j.file = args[1]
	t, reg, err := j.table.Model(con, args[0], j.file, false)
	if err != nil {
		return err
	}
	j.reg = reg
	if n, _ := t.Data.Dims(); t.Dropped > 0 {
		j.notes = append(j.notes, fmt.Sprintf("Left out %d of %d rows, in which a value is missing.", t.Dropped, n+t.Dropped))
		j.numbered = t.Row
	}
	if j.print != "" {
		return j.show(con)
	}
	if !set.Given("delta") && len(j.reg.Groups)+len(j.reg.Smooths) > 0 {
		j.accept = 0.9 // standard deviations near 0 want small steps
	}
	raise := !set.Given("delta")
	return j.output.Run(con, "", func(dir *folder.Folder) (*report.Document, error) {
		c := nuts.Config{}
		c.Chains, c.Draws, c.Warmup, c.Seed, c.TargetAccept = j.chains, j.draws, j.warmup, j.seed, j.accept
		c.Adapt.Raise = raise
		con.Hold() // an interrupted run leaves its draws
		run, err := nuts.Sample(ctx, j.reg.Program.Target, c)
		if run == nil || err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
		if err != nil && slices.ContainsFunc(run.Chains, func(c draws.Chain) bool { return len(c.Values) < 2 }) {
			return nil, err
		}
		if err != nil {
			j.ended = fmt.Sprintf("after %d of %d draws of each chain", fewest(run), j.draws)
		}
		j.posterior = run
		reported, rerr := j.reg.Report(run)
		if rerr != nil {
			return nil, rerr
		}
		j.told = chains.Tell(reported)
		if err == nil {
			err = j.rest(ctx, reported)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
		if err != nil {
			err = cli.Resumablef("interrupted %s; what there is stands in %s", j.ended, dir.Dir)
		}
		return j.document(dir, args[0], err)
	})
}

// rest computes what the page shows beside the coefficients. An interrupt leaves it behind.
func (j *job) rest(ctx context.Context, reported *draws.Run) error {
	all := *j
	all.told, all.notes = j.told.Clone(), slices.Clone(j.notes)
	done := make(chan error, 1)
	go func() {
		if target, err := kept.Fit(all.reg, all.posterior.Names); err == nil {
			all.told.Inspect(ctx, all.posterior, target, nil)
		}
		done <- all.look(ctx, reported)
	}()
	err := ctx.Err()
	if err == nil {
		select {
		case err = <-done:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	switch {
	case err == nil:
		*j = all
	case errors.Is(err, context.Canceled):
		j.ended = "after the last draw"
	}
	return err
}

// fewest is the number of draws of the shortest chain.
func fewest(run *draws.Run) int {
	least := len(run.Chains[0].Values)
	for _, c := range run.Chains {
		least = min(least, len(c.Values))
	}
	return least
}

// show prints the model.
func (j *job) show(con *cli.Console) error {
	text := ""
	switch j.print {
	case "stan":
		text = j.reg.StanProgram()
	case "go":
		var err error
		if text, err = j.reg.GoProgram(); err != nil {
			return err
		}
	default:
		data, err := j.reg.ProgramData()
		if err != nil {
			return err
		}
		text = string(data) + "\n"
	}
	_, err := fmt.Fprint(con.Stdout, text)
	return err
}

// look computes what the page shows beside the coefficients.
func (j *job) look(ctx context.Context, reported *draws.Run) (err error) {
	if j.effects, err = j.reg.Effects(reported); err != nil {
		return err
	}
	ll, err := j.reg.LogLik(ctx, j.posterior)
	if err != nil {
		return err
	}
	if len(ll.Names) == len(j.reg.Y) && j.numbered != nil { // numbered as in the file
		names := make([]string, len(ll.Names))
		for i := range names {
			names[i] = fmt.Sprintf("%s[%d]", j.reg.Formula.Response, j.numbered(i))
		}
		ll.Names = names
	}
	if j.loo, err = loo.LOO(ctx, ll, loo.Options{}); err != nil {
		return err
	}
	if j.reg.Weighted() {
		j.notes = append(j.notes, "Rows count by their weights: R², residuals and simulated data, in which each would count once, are left out.")
		return nil
	}
	if err := j.goodness(ctx); err != nil {
		return err
	}
	if j.reg.Censored() {
		j.notes = append(j.notes, fmt.Sprintf("Some values of %s are censored: R², residuals and simulated data, in which they would count as "+
			"observed, are left out.", j.reg.Formula.Response))
		return nil
	}
	thin := j.thinned(400)
	again, err := j.reg.Predictive(ctx, thin, j.seed)
	if err != nil {
		return err
	}
	j.checks = append(j.checks, figure.Sample{Name: "data", Values: j.reg.Y})
	for _, i := range []int{0, 1, 2} {
		if row := rowOf(again, i*97); row != nil {
			j.checks = append(j.checks, figure.Sample{Name: fmt.Sprintf("drawn %d", i+1), Values: row})
		}
	}
	if j.reg.Categorical() {
		return nil
	}
	some, err := j.reg.Report(thin)
	if err != nil {
		return err
	}
	if j.r2[0], j.r2[1], j.r2[2], err = j.reg.Determined(some); err != nil {
		return err
	}
	j.fitted, j.residual, err = j.reg.Residuals(some)
	return err
}

// thinned are some draws of the run.
func (j *job) thinned(most int) *draws.Run {
	out := *j.posterior
	out.Chains = slices.Clone(j.posterior.Chains)
	n := 0
	for _, c := range out.Chains {
		n += len(c.Values)
	}
	step := max(1, n/most)
	for k := range out.Chains {
		c := &out.Chains[k]
		var v [][]float64
		var s []draws.Stat
		for i := 0; i < len(c.Values); i += step {
			v, s = append(v, c.Values[i]), append(s, c.Stats[i])
		}
		c.Values, c.Stats = v, s
	}
	return &out
}

// rowOf is a draw of a run, whatever its chain.
func rowOf(run *draws.Run, i int) []float64 {
	for _, c := range run.Chains {
		if i < len(c.Values) {
			return c.Values[i]
		}
		i -= len(c.Values)
	}
	return nil
}

// Record is what programs read.
type Record struct {
	report.Head
	Formula string         `json:"formula" doc:"The formula."`
	Family  string         `json:"family" doc:"The distribution of the response."`
	Rows    int            `json:"rows" doc:"The number of rows."`
	Priors  []string       `json:"priors" doc:"The priors."`
	Finding []string       `json:"finding" doc:"What the coefficients say, in sentences."`
	Coefs   []Coefficient  `json:"coefficients" doc:"The coefficients, under the names that R's model.matrix gives them."`
	Summary *draws.Summary `json:"summary" doc:"The posterior of each parameter, and what warns."`
	Loo     report.Number  `json:"elpd_loo" doc:"The expected log predictive density, by leave-one-out."`
	LooSE   report.Number  `json:"elpd_loo_se" doc:"Its standard error."`
	Fit     *Goodness      `json:"goodness_of_fit,omitempty" doc:"Whether the residuals of a continuous response are as the model says."`
	Notes   []string       `json:"notes" doc:"What to keep in mind, in sentences."`
}

// Coefficient is the posterior of a coefficient.
type Coefficient struct {
	Name string        `json:"name" doc:"Its name in R: (Intercept), x, gB, x:gB; of thresholds 1|2; of categories q:x."`
	Mean report.Number `json:"mean" doc:"The mean."`
	SD   report.Number `json:"sd" doc:"The standard deviation."`
	Q5   report.Number `json:"q5" doc:"The 5% quantile."`
	Q50  report.Number `json:"q50" doc:"The median."`
	Q95  report.Number `json:"q95" doc:"The 95% quantile."`
}

// coefficients are those of the run.
func (j *job) coefficients() []Coefficient {
	out := []Coefficient{}
	for _, c := range j.reg.Named() {
		p := j.told.Summary.Parameters[c.Place]
		out = append(out, Coefficient{c.Name, report.Number(p.Mean), report.Number(p.SD), report.Number(p.Q05), report.Number(p.Q50),
			report.Number(p.Q95)})
	}
	return out
}

// document tells the coefficients in words, then the chains, then the table.
func (j *job) document(dir *folder.Folder, text string, ends error) (*report.Document, error) {
	reported := j.told.Run
	if _, err := kept.WriteDraws(dir, "draws", reported); err != nil {
		return nil, err
	}
	said := j.reg.Sentences(j.told.Summary)
	headline := len(said) > 0
	said = append(said, j.reg.Curves(j.told.Summary, j.effects)...)
	n := len(j.reg.Y)
	question := fmt.Sprintf("%s, %s, %d rows of %s", text, j.reg.Family, n, j.file)
	var priors []string
	for _, p := range j.reg.Priors {
		priors = append(priors, p.String())
	}
	notes := slices.Concat(j.notes, j.reg.Notes)
	if j.ended != "" {
		notes = append(notes, fmt.Sprintf("The run was interrupted %s: the draws were not compared with the density, and leave-one-out, "+
			"effects and pictures of the fit are missing. Run it again for them: a fit does not resume.", j.ended))
		j.told.Final()
	}
	if !j.told.Sound() {
		notes = append(notes, j.reg.Advice(j.told.Summary)...)
	}
	title := fmt.Sprintf("%s: %s", filepath.Base(j.file), text)
	unbounded := j.reg.Unbounded(j.told.Summary)
	if unbounded != "" { // nothing that rests on the posterior is worth saying
		said = append([]string{unbounded}, said...)
		headline = true
		j.loo, j.r2 = nil, [3]float64{}
		notes = slices.DeleteFunc(notes, func(n string) bool { return n == unbounded })
	}
	if headline {
		title = strings.TrimSuffix(said[0], ".")
	}
	if len(said) > 0 && unbounded == "" {
		notes = append(notes, "Ranges in parentheses hold 90% of the posterior.")
	}
	coefs := j.told.Table(j.reg.Main())
	d := &report.Document{Page: page.Page{Title: title, About: question}, Ends: ends}
	if !j.told.Sound() {
		d.Alerts = []string{j.told.Verdict()}
	}
	fitted := []string{"Priors: " + strings.Join(priors, "; ") + "."}
	if j.r2[0] > 0 {
		fitted = append(fitted, fmt.Sprintf("R² is %.2f (%.2f to %.2f): the share of the variance of %s that the fitted means explain.",
			j.r2[0], j.r2[1], j.r2[2], j.reg.Formula.Response))
	}
	if j.loo != nil {
		fitted = append(fitted, looWords(j.loo))
	}
	fitted = append(fitted, j.fitWords()...)
	d.Printed = []report.Block{report.Paragraphs(slices.Concat(said, []string{j.told.Verdict()})), report.Lines{question}, coefs,
		report.Paragraphs(slices.Concat(fitted, j.told.Warnings(), notes))}
	d.Figures = j.pictures()
	d.Sure = page.Section{Heading: "Coefficients", Text: slices.Clone(said),
		Tables: report.Tables(coefs)}
	d.Chains = j.told.Section()
	d.Rests = page.Section{Heading: "The model", Text: fitted, Code: j.reg.Declaration(), Notes: notes}
	if f := j.deviations(); len(f) > 0 {
		d.More = append(d.More, page.Section{Heading: "Groups", Figures: f})
	}
	if f := slices.Concat(j.goodnessPictures(), j.fitPictures()); len(f) > 0 {
		d.More = append(d.More, page.Section{Heading: "Does the model fit?", Text: j.fitWords(), Figures: f})
	}
	d.Settings = []page.Setting{{Name: "formula", Value: text}, {Name: "family", Value: j.reg.Family}, {Name: "link", Value: j.reg.Link()},
		{Name: "chains", Value: fmt.Sprintf("%d of %d draws", len(reported.Chains), j.told.Summary.Draws)},
		{Name: "target acceptance", Value: fmt.Sprint(j.accept)}, {Name: "seed", Value: fmt.Sprint(j.seed)}}
	rec := &Record{Head: report.NewHead("fit"), Formula: text, Family: j.reg.Family, Rows: n, Priors: priors, Finding: append([]string{}, said...),
		Coefs: j.coefficients(), Summary: j.told.Summary, Loo: report.Number(math.NaN()), LooSE: report.Number(math.NaN()), Notes: append([]string{}, notes...)}
	if j.loo != nil {
		rec.Loo, rec.LooSE = report.Number(j.loo.ELPD), report.Number(j.loo.SE)
		if len(kept.High(j.loo)) > 0 {
			rec.Notes = append(rec.Notes, looWords(j.loo))
		}
	}
	if g := j.fits; g != nil {
		rec.Fit = &Goodness{report.Number(g.P), report.Number(g.PShape), report.Number(g.PGiven), len(g.Rows)}
	}
	d.Record = rec
	files, err := j.kept(dir, text)
	d.Files = files
	return d, err
}

// looWords say how well new rows would be predicted.
func looWords(r *loo.Result) string {
	if high := kept.High(r); len(high) > 0 {
		return fmt.Sprintf("Leave-one-out puts the expected log predictive density at %.1f (standard error %.1f), but do not trust it: for %s "+
			"the Pareto shape is too large (nuts loo names the rows).", r.ELPD, r.SE, cli.Plural(len(high), "row"))
	}
	return fmt.Sprintf("Leave-one-out: the expected log predictive density is %.1f (standard error %.1f); compare it with that of other "+
		"models of the same rows.", r.ELPD, r.SE)
}
