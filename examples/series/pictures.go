package main

import (
	"fmt"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/nuts"
)

// publish leaves the pictures and the page.
func (s *study) publish(dir report.Folder, cfg nuts.Config) error {
	sd, err := s.volatility()
	if err != nil {
		return err
	}
	forecast, err := s.forecast()
	if err != nil {
		return err
	}
	check, held := report.Check("Posterior predictive check", "return", s.y,
		s.check.Chains[0].Values, -6, 13, 1)
	for name, f := range map[string]figure.Drawer{"volatility": sd, "forecast": forecast,
		"check": check} {
		if err := dir.Draw(name, f); err != nil {
			return err
		}
	}
	best, next := s.order[0], s.order[1]
	return dir.Page(&page.Page{
		Title: fmt.Sprintf("The %s model forecasts best: %.1f above the %s one, with a standard error "+
			"of %.1f", best.Name, -next.Difference, next.Name, next.SE),
		About:  fmt.Sprintf("%d returns, the garch data of posteriordb", len(s.y)),
		Alerts: []string{"The data are synthetic: posteriordb simulated them."},
		Figures: []page.Figure{
			{Draw: sd, Caption: "The standard deviation of each value and its forecasts, with 90% " +
				"intervals: it rises after large changes and falls back."},
			{Draw: forecast, Caption: "The last returns, and forecasts with 90% predictive intervals."},
			{Draw: check, Caption: fmt.Sprintf("Shares of returns in bins: the intervals of series drawn "+
				"from the posterior hold %.0f%% of what was observed.", 100*held)},
		},
		Sure: page.Section{Heading: "How well the models predict", Text: []string{
			fmt.Sprintf("The log density of each of the last %d returns "+
				"given those before it.", len(s.y)-least),
			fmt.Sprintf("Of series drawn from the posterior, %.0f%% have squares at least as correlated from "+
				"one value to the next as the data's under GARCH, %.0f%% under a constant variance.",
				100*s.clustering["GARCH"], 100*s.clustering["constant"])},
			Tables: []page.Table{{Head: s.head, Rows: s.rows, Words: []int{0}}}},
		Rests: page.Section{Heading: "The model", Code: s.description},
		Again: page.Again{Command: fmt.Sprintf("series -seed %d -chains %d -draws %d", cfg.Seed,
			cfg.Chains, cfg.Draws)},
	})
}

// times are those of n values from the first one on.
func times(first, n int) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(first + i)
	}
	return t
}

func (s *study) volatility() (figure.Drawer, error) {
	n := len(s.y) + ahead
	lo, mid, hi, err := report.Bands(s.whole, "sd[1]", n)
	if err != nil {
		return nil, err
	}
	return figure.Curves{Title: "Volatility", XLabel: "time", YLabel: "standard deviation",
		Series:   []figure.Series{{Name: "GARCH", X: times(1, n), Y: mid, Lower: lo, Upper: hi}},
		Uprights: []figure.Mark{{X: float64(len(s.y)) + 0.5, Label: "forecasts"}},
		Note:     "90% intervals"}, nil
}

func (s *study) forecast() (figure.Drawer, error) {
	lo, mid, hi, err := report.Bands(s.whole, fmt.Sprintf("y[%d]", len(s.y)+1), ahead)
	if err != nil {
		return nil, err
	}
	const shown = 60
	n := len(s.y)
	return figure.Curves{Title: "Forecasts", XLabel: "time", YLabel: "return",
		Series: []figure.Series{{Name: "observed", X: times(n-shown+1, shown), Y: s.y[n-shown:]},
			{Name: "forecast", X: times(n+1, ahead), Y: mid, Lower: lo, Upper: hi}},
		Note: "90% intervals"}, nil
}
