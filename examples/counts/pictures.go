package main

import (
	"fmt"
	"slices"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/nuts"
)

// publish leaves the pictures and the page, and returns the share of counts within the intervals of
// the Gaussian process.
func (s *study) publish(dir report.Folder, cfg nuts.Config) (float64, error) {
	rate, err := s.rates()
	if err != nil {
		return 0, err
	}
	check, held, err := s.check()
	if err != nil {
		return 0, err
	}
	for name, f := range map[string]figure.Drawer{"rate": rate, "check": check} {
		if err := dir.Draw(name, f); err != nil {
			return 0, err
		}
	}
	best, next := s.order[0], s.order[1]
	title := fmt.Sprintf("The %s predicts best: %.1f above the %s, with a standard error of %.1f",
		best.Name, -next.Difference, next.Name, next.SE)
	if -next.Difference < 2*next.SE {
		title = fmt.Sprintf("Leave-one-out cannot tell the %s and the %s apart: they differ by %.1f, with a "+
			"standard error of %.1f", best.Name, next.Name, -next.Difference, next.SE)
	}
	return held, dir.Page(&page.Page{
		Title: title,
		About: fmt.Sprintf("%d yearly counts, GLM_Poisson_Data of posteriordb", len(s.y)),
		Figures: []page.Figure{
			{Draw: rate, Caption: "The rate with 90% intervals, and ten years ahead: there the process " +
				"returns to its mean, and the cubic goes where its last years point."},
			{Draw: check, Caption: fmt.Sprintf("Counts, and the 90%% intervals of counts drawn from the "+
				"Gaussian process: they hold %.0f%% of what was observed.", 100*held)},
		},
		Sure: page.Section{Heading: "How well the models predict", Text: []string{
			"The expected log probability of a count that was left out, " +
				"summed over all, by Pareto smoothed importance sampling. To leave out one year in the middle " +
				"asks how well a gap is filled, not how well the future is forecast."},
			Tables: []page.Table{{Head: s.head, Rows: s.rows, Words: []int{0}}}},
		Rests: page.Section{Heading: "The model", Code: s.description},
		Again: page.Again{Command: fmt.Sprintf("counts -seed %d -chains %d -draws %d", cfg.Seed,
			cfg.Chains, cfg.Draws)},
	})
}

func years(first, n int) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(first + i)
	}
	return t
}

func (s *study) rates() (figure.Drawer, error) {
	n := len(s.y) + ahead
	c := figure.Curves{Title: "Rate", XLabel: "year", YLabel: "count", Note: "90% intervals",
		Uprights: []figure.Mark{{X: float64(len(s.y)) + 0.5, Label: "end of the data"}}}
	for i, kind := range kinds[:2] {
		lo, mid, hi, err := report.Bands(s.runs[i], "rate[1]", len(s.y))
		if err != nil {
			return nil, err
		}
		from := s.again[i]
		if kind == "cubic" {
			from = s.runs[i] // which depends on parameters alone
		}
		later, middle, above, err := report.Bands(from, "rate_ahead[1]", ahead)
		if err != nil {
			return nil, err
		}
		lo, mid, hi = slices.Concat(lo, later), slices.Concat(mid, middle), slices.Concat(hi, above)
		c.Series = append(c.Series, figure.Series{Name: kind, X: years(1, n), Y: mid, Lower: lo,
			Upper: hi})
	}
	c.Series = append(c.Series, figure.Series{Name: "observed", X: years(1, len(s.y)), Y: s.y,
		Apart: true})
	return c, nil
}

// check has the intervals of predictive draws of the Gaussian process and the share of counts in
// them.
func (s *study) check() (figure.Drawer, float64, error) {
	n := len(s.y)
	lo, mid, hi, err := report.Bands(s.again[0], "count[1]", n)
	if err != nil {
		return nil, 0, err
	}
	later, middle, above, err := report.Bands(s.again[0], "ahead[1]", ahead)
	if err != nil {
		return nil, 0, err
	}
	held := 0.0
	for t, v := range s.y {
		if v >= lo[t] && v <= hi[t] {
			held += 1 / float64(n)
		}
	}
	return figure.Curves{Title: "Posterior predictive check", XLabel: "year", YLabel: "count",
		Series: []figure.Series{{Name: "predicted", X: years(1, n+ahead),
			Y: slices.Concat(mid, middle), Lower: slices.Concat(lo, later),
			Upper: slices.Concat(hi, above)}, {Name: "observed", X: years(1, n), Y: s.y, Apart: true}},
		Note: "90% intervals"}, held, nil
}
