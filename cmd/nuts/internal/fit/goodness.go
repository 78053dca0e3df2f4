package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/stein"
	"bayeskernel/stein/runs"
)

// Goodness is whether the residuals of a continuous response are as the model says.
type Goodness struct {
	P      report.Number `json:"p" doc:"The p-value that the residuals are as the model says."`
	PShape report.Number `json:"p_shape" doc:"That of their distribution, whatever the columns."`
	PGiven report.Number `json:"p_given" doc:"That of their dependence on the columns."`
	Rows   int           `json:"rows" doc:"How many residuals were looked at."`
}

// misfit is the p-value up to which a model is said not to fit, and perhaps the one up to which it may not.
const (
	misfit  = 0.01
	perhaps = 0.05
)

// fewRows is the number of rows up to which a suspected misfit is checked by fitting the model again.
const fewRows = 2000

// goodness tests the model of a continuous response. What has no residuals, such as censored rows, is not tested.
func (j *job) goodness(ctx context.Context) error {
	if j.reg.Discrete() || j.reg.Weighted() {
		return nil
	}
	if runs.Apart(j.posterior) {
		j.notes = append(j.notes, "Goodness of fit was not tested, as the chains do not agree.")
		return nil
	}
	var all [][]float64
	for _, c := range j.posterior.Chains {
		all = append(all, c.Values...)
	}
	x, free := j.reg.Covariates()
	o := stein.Fitting{Linear: free, Seed: j.seed}
	if len(j.reg.Y) <= fewRows { // of many rows the prior says little, and fitting again takes long
		o.Again = runs.Again(j.reg.Program, j.posterior)
	}
	if x != nil {
		o.X = x
	}
	g, err := stein.Fit(ctx, j.reg.Program, all, o)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		j.fits = g
	}
	return nil
}

// fitWords say whether the model fits, and where it does not.
func (j *job) fitWords() []string {
	g := j.fits
	if g == nil {
		return nil
	}
	what, blind := "in shape", ""
	if !math.IsNaN(g.PGiven) {
		what = "in shape or across the columns"
		if len(j.reg.Formula.Predictors()) > 1 {
			blind = " The test sees little of curved means in several columns."
		}
	}
	if n := len(j.reg.Y); len(g.Rows) < n {
		blind = fmt.Sprintf(" It looked at %d of %d rows.", len(g.Rows), n) + blind
	}
	if g.P > perhaps {
		return []string{fmt.Sprintf("Goodness of fit: no sign that the residuals differ from the model, %s (Stein discrepancy, p = %.2g).%s",
			what, g.P, blind)}
	}
	said := "The model may not fit"
	if g.P <= misfit {
		said = "The model does not fit"
	}
	if !g.Given() {
		said += fmt.Sprintf(": the residuals do not have the distribution that it says (Stein discrepancy, p = %.2g). More residuals than it says lie %s, and fewer %s.",
			g.P, sds(g.Most.Residual[0]), sds(g.Least.Residual[0]))
	} else {
		said += fmt.Sprintf(": the distribution of the residuals changes with the columns (Stein discrepancy, p = %.2g). More residuals than it says lie %s "+
			"where %s, and fewer %s where %s.", g.P, sds(g.Most.Residual[0]), j.columnsAt(g.Most.Row), sds(g.Least.Residual[0]),
			j.columnsAt(g.Least.Row))
	}
	return []string{said}
}

// sds is a place among residuals.
func sds(z float64) string {
	switch {
	case math.Abs(z) < 0.05:
		return "near the mean"
	case z < 0:
		return fmt.Sprintf("%.1f sd below the mean", -z)
	}
	return fmt.Sprintf("%.1f sd above the mean", z)
}

// columnsAt are the values of a row in the columns of the formula, of the first three.
func (j *job) columnsAt(row int) string {
	said := ""
	for k, name := range j.reg.Formula.Predictors() {
		if k == 3 {
			return said + " and so on"
		}
		if k > 0 {
			said += ", "
		}
		said += name + " = " + j.reg.Cell(row, name)
	}
	return said
}

// goodnessPictures show where residuals are more or fewer than the model says, and beside fitted means.
func (j *job) goodnessPictures() []page.Figure {
	g := j.fits
	if g == nil || g.Curve == nil {
		return nil
	}
	c := g.Curve
	middle := make([]float64, len(c.At))
	out := []page.Figure{{File: "fit", What: "where residuals are more or fewer than the model says",
		Draw: figure.Curves{Title: "Residuals that the model did not expect", XLabel: "residual, in standard deviations",
			YLabel: "more than expected (Stein's witness)", Series: []figure.Series{
				{Name: "these data", X: c.At, Y: c.Excess},
				{Name: "95% of data from the model", X: c.At, Y: middle, Lower: c.Lower, Upper: c.Upper}},
			Lines: []figure.Mark{{Y: 0, Label: "as the model says"}}},
		Caption: fmt.Sprintf("Where the curve leaves the band upwards there are more residuals than the model says, and fewer where it leaves it "+
			"downwards; the band holds at each place alone. Residuals are normal quantiles of the model's probabilities, at one draw of the "+
			"posterior. p = %.2g.", g.P)}}
	if len(j.fitted) == 0 || !(g.PGiven <= perhaps) {
		return out
	}
	limit := slices.Sorted(slices.Values(g.Excess))[len(g.Excess)-1-len(g.Excess)/20]
	rest, most := figure.Series{Name: "rows", Apart: true}, figure.Series{Name: "rows in the largest excess", Apart: true}
	for k, i := range g.Rows {
		s := &rest
		if g.Excess[k] > limit {
			s = &most
		}
		s.X, s.Y = append(s.X, j.fitted[i]), append(s.Y, g.Residuals.At(k, 0))
	}
	least := figure.Series{Name: "most is missing", Apart: true, X: []float64{j.fitted[g.Least.Row]}, Y: []float64{g.Least.Residual[0]}}
	f := figure.Curves{Title: "Residuals by fitted means", XLabel: "fitted mean", YLabel: "residual, in standard deviations",
		Lines: []figure.Mark{{Y: 0, Label: "no residual"}}}
	for _, s := range []figure.Series{rest, most, least} {
		if len(s.X) > 0 {
			f.Series = append(f.Series, s)
		}
	}
	return append(out, page.Figure{Draw: f, File: "fit-rows", What: "the rows in the largest excess",
		Caption: "The twentieth of the rows at which there are most residuals beyond what the model says, and the place at which most are missing."})
}
