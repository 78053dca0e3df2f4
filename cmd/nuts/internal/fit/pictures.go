package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/formula"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// mostRows is how many rows a picture shows at most.
const mostRows = 400

// pictures draw the effects, those of a column on all categories together.
func (j *job) pictures() []page.Figure {
	var out []page.Figure
	for k := 0; k < len(j.effects); {
		next := k + 1
		for next < len(j.effects) && j.effects[next].Category != "" && j.effects[next].Column == j.effects[k].Column {
			next++
		}
		out = append(out, j.picture(j.effects[k:next], len(out)+1))
		k = next
	}
	return out
}

// picture draws the effect of a column.
func (j *job) picture(effects []formula.Effect, number int) page.Figure {
	y, e := j.reg.Formula.Response.String(), effects[0]
	what := j.reg.Predicted()
	if j.reg.Counted() {
		y = what
	}
	if e.Category != "" {
		what = "probability of each " + y
	}
	caption := "The " + what + " by " + e.Column + j.reg.Beside(e)
	caption += ". The band holds 90% of the posterior"
	if e.Levels != nil {
		caption = strings.Replace(caption, "The band holds", "The bars hold", 1)
	}
	f := figure.Curves{Title: y + " by " + e.Column, XLabel: e.Column, YLabel: y}
	if e.Category != "" {
		f.YLabel = "probability"
	}
	for _, e := range effects {
		name := "mean"
		if e.Category != "" {
			name = e.Category
		}
		x := e.X
		if e.Levels != nil {
			x = nil
			for k := range e.Levels {
				x = append(x, float64(k))
			}
		}
		f.Series = append(f.Series, figure.Series{Name: name, X: x, Y: e.Mean, Lower: e.Lower, Upper: e.Upper, Apart: e.Levels != nil})
	}
	// With an offset the rows are not at the place of the curve, and censored ones are not where they stand.
	if rows, step := j.rows(e); e.Category == "" && len(rows.X) > 0 && !j.reg.Offset() && !j.reg.Censored() {
		f.Series = append(f.Series, rows)
		caption += "; points are rows"
		if step > 1 {
			caption += fmt.Sprintf(", one of %d", step)
		}
		if e.Levels != nil {
			caption += ", spread sideways"
		}
	}
	if f.Levels = e.Levels; len(e.Levels) > mostNamed {
		f.XLabel, f.Levels = f.XLabel+" ("+strings.Join(numbered(e.Levels), ", ")+")", nil
	}
	return page.Figure{Draw: f, Caption: caption + ".", File: fmt.Sprintf("effect-%d", number), What: "the effect of " + e.Column}
}

// rows are those of the table, as points, and of how many each is one.
func (j *job) rows(e formula.Effect) (figure.Series, int) {
	s := figure.Series{Name: "rows", Apart: true, Faint: true}
	x := j.reg.Column(e.Column)
	step := (len(x) + mostRows - 1) / mostRows
	for i := 0; i < len(x); i += step {
		at := x[i]
		if e.Levels != nil {
			// Beside the mean, by a sequence that fills the width evenly.
			_, aside := math.Modf(float64(len(s.X)) * (math.Sqrt(5) - 1) / 2)
			at = float64(slices.Index(e.X, at)) + 0.5*(aside-0.5)
		}
		s.X, s.Y = append(s.X, at), append(s.Y, j.reg.Share(i))
	}
	return s, step
}

// mostNamed is how many levels have their names at the axis.
const mostNamed = 10

// numbered are levels with their places.
func numbered(levels []string) []string {
	var out []string
	for k, l := range levels {
		out = append(out, fmt.Sprintf("%d: %s", k, l))
	}
	return out
}

// deviations draw how groups differ.
func (j *job) deviations() []page.Figure {
	var out []page.Figure
	for k, d := range j.reg.Deviations(j.told.Summary) {
		const most = 60
		if len(d.Levels) < 2 {
			continue
		}
		step := (len(d.Levels) + most - 1) / most
		s := figure.Series{Name: d.Coefficient, Apart: true}
		f := figure.Curves{Title: d.Coefficient + " by " + d.Group, XLabel: d.Group, YLabel: "deviation",
			Lines: []figure.Mark{{Y: 0, Label: "no deviation"}}}
		origin := 1.0
		if len(d.Levels) <= mostNamed {
			f.Levels, origin = d.Levels, 0
		}
		var names []string
		for i := 0; i < len(d.Levels); i += step {
			s.X, s.Y = append(s.X, float64(len(s.X))+origin), append(s.Y, d.Median[i])
			s.Lower, s.Upper = append(s.Lower, d.Lower[i]), append(s.Upper, d.Upper[i])
			names = append(names, fmt.Sprintf("%d: %s", len(s.X), d.Levels[i]))
		}
		caption := fmt.Sprintf("What each %s adds to %s, with intervals of 90%%", d.Group, d.Coefficient)
		if step > 1 {
			caption += fmt.Sprintf("; one %s of %d is shown", d.Group, step)
		}
		if f.Series = []figure.Series{s}; f.Levels == nil {
			caption += ". " + strings.Join(names, ", ")
		}
		out = append(out, page.Figure{Draw: f, File: fmt.Sprintf("groups-%d", k+1), What: "the deviations of " + d.Group,
			Caption: caption + "."})
	}
	return out
}

// fitPictures draw what shows a model that does not fit.
func (j *job) fitPictures() []page.Figure {
	var out []page.Figure
	if f, ok := j.check(); ok {
		out = append(out, f)
	}
	if len(j.residual) == 0 {
		return out
	}
	y := j.reg.Formula.Response.String()
	f := figure.Curves{Title: "Residuals", XLabel: "fitted mean", YLabel: y + " less its mean", Lines: []figure.Mark{{Y: 0, Label: "no residual"}}}
	caption := "Residuals by fitted means, which should scatter around 0 alike everywhere: a curve speaks of a term that is missing, a funnel of " +
		"another family."
	if j.reg.Discrete() {
		x, mean, within := formula.Binned(j.fitted, j.residual)
		lo, hi := make([]float64, len(x)), make([]float64, len(x))
		for i, v := range within {
			lo[i], hi[i] = mean[i]-v, mean[i]+v
		}
		f.Series = []figure.Series{{Name: "mean residual", X: x, Y: mean, Lower: lo, Upper: hi, Apart: true}}
		caption = "Mean residuals of rows with about equal fitted means, with two standard errors to each side: 19 of 20 bars should reach 0."
	} else {
		s := figure.Series{Name: "rows", Apart: true}
		step := (len(j.fitted) + mostRows - 1) / mostRows
		for i := 0; i < len(j.fitted); i += step {
			s.X, s.Y = append(s.X, j.fitted[i]), append(s.Y, j.residual[i])
		}
		f.Series = []figure.Series{s}
	}
	return append(out, page.Figure{Draw: f, File: "residuals", What: "the residuals", Caption: caption})
}

// check shows the response beside responses drawn from the model.
func (j *job) check() (page.Figure, bool) {
	if len(j.checks) < 2 {
		return page.Figure{}, false
	}
	g := figure.Groups{Title: "The data, and data simulated from the fitted model"}
	column := figure.GroupColumn{Label: j.reg.Formula.Response.String()}
	for _, s := range j.checks {
		g.Names, column.Values = append(g.Names, s.Name), append(column.Values, s.Values)
	}
	g.Columns = []figure.GroupColumn{column}
	return page.Figure{Draw: g, File: "check", What: "data simulated from the model", Caption: "Data simulated from the fitted model " +
		"look like the data if it fits."}, true
}
