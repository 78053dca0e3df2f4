package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/loo"
	"bayeskernel/nuts"
)

// publish leaves the pictures and the page, and returns the share of bins that the predictive check
// holds.
func (d survey) publish(ctx context.Context, dir report.Folder, cfg nuts.Config, all []fitted,
	order []loo.Compared, head []string, rows [][]string) (float64, error) {
	partial := all[len(all)-1]
	pooling, err := d.pooling(all)
	if err != nil {
		return 0, err
	}
	pulled, err := d.shrinkage(all)
	if err != nil {
		return 0, err
	}
	again, err := partial.program.Predictive(ctx, partial.run, cfg.Seed)
	if err != nil {
		return 0, err
	}
	check, held := report.Check("Posterior predictive check", "log radon", d.logRadon,
		again.Chains[0].Values, -1, 4, 0.25)
	for name, f := range map[string]figure.Drawer{"pooling": pooling, "shrinkage": pulled,
		"check": check} {
		if err := dir.Draw(name, f); err != nil {
			return 0, err
		}
	}
	best, next := order[0], order[1]
	p := page.Page{
		Title: fmt.Sprintf("The %s model predicts best: %.0f above the %s one, with a standard error "+
			"of %.0f", best.Name, -next.Difference, next.Name, next.SE),
		About:  fmt.Sprintf("%d houses in %d counties", len(d.logRadon), len(d.houses)),
		Alerts: []string{"The data are synthetic."},
		Figures: []page.Figure{
			{Draw: pulled, Caption: "The intercept of each county against its number of houses: where " +
				"there are few, the hierarchical model relies on the other counties."},
			{Draw: pooling, Caption: "Intercepts with 90% intervals, counties in the order of their " +
				"numbers of houses. The line is the pooled intercept."},
			{Draw: check, Caption: fmt.Sprintf("Shares of houses in bins of log radon: the intervals of "+
				"data drawn from the posterior hold %.0f%% of what was observed.", 100*held)},
		},
		Sure: page.Section{Heading: "How well the models predict", Text: []string{
			"The expected log density of a house that was left out, summed " +
				"over all, by Pareto smoothed importance sampling. Differences have smaller errors than either " +
				"number, for the same houses are hard for all models."},
			Tables: []page.Table{{Head: head, Rows: rows, Words: []int{0}}}},
		Rests: page.Section{Heading: "The model", Code: partial.program.String()},
		Again: page.Again{Command: fmt.Sprintf("radon -seed %d -chains %d -draws %d", cfg.Seed,
			cfg.Chains, cfg.Draws)},
	}
	return held, dir.Page(&p)
}

// byHouses are the counties in the order of their numbers of houses.
func (d survey) byHouses() []int {
	order := make([]int, len(d.houses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return d.houses[a] - d.houses[b] })
	return order
}

// pooling shows the intercepts of counties without and with partial pooling.
func (d survey) pooling(all []fitted) (figure.Drawer, error) {
	c := figure.Curves{Title: "Partial pooling", XLabel: "county, by number of houses",
		YLabel: "intercept", Note: "90% intervals"}
	order := d.byHouses()
	for _, f := range all[1:] {
		lo, mid, hi, err := report.Bands(f.run, "alpha[1]", len(order))
		if err != nil {
			return nil, err
		}
		s := figure.Series{Name: f.kind, Apart: true}
		for rank, k := range order {
			s.X, s.Y = append(s.X, float64(rank+1)), append(s.Y, mid[k])
			s.Lower, s.Upper = append(s.Lower, lo[k]), append(s.Upper, hi[k])
		}
		c.Series = append(c.Series, s)
	}
	_, pooled, _, err := report.Bands(all[0].run, "alpha", 1)
	if err != nil {
		return nil, err
	}
	c.Lines = []figure.Mark{{Y: pooled[0], Label: "pooled"}}
	return c, nil
}

// shrinkage shows the intercepts against the number of houses.
func (d survey) shrinkage(all []fitted) (figure.Drawer, error) {
	f := figure.Scatter{Title: "Intercepts of counties", XLabel: "log10 of the number of houses",
		YLabel: "intercept"}
	for _, k := range all[1:] {
		_, mid, _, err := report.Bands(k.run, "alpha[1]", len(d.houses))
		if err != nil {
			return nil, err
		}
		cloud := figure.Cloud{Name: k.kind}
		for i, v := range mid {
			cloud.Points = append(cloud.Points, [2]float64{math.Log10(float64(d.houses[i])), v})
		}
		f.Samples = append(f.Samples, cloud)
	}
	return f, nil
}
