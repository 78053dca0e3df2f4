package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"bayeskernel/internal/figure"
	"bayeskernel/kerneltest/power"
)

// curves draws power against the one parameter in which the problems differ.
func curves(rates []power.Rate, problems []power.Problem, methods []power.Method, level float64) (
	*figure.Figure, error) {
	key, err := differs(problems)
	if err != nil {
		return nil, err
	}
	c := figure.Curves{Title: "Power", XLabel: key, YLabel: "share of rejections",
		YRange: [2]float64{0, 1}, Note: fmt.Sprintf("%.6g%% Wilson intervals", 100*level)}
	sorted := slices.Clone(problems)
	slices.SortStableFunc(sorted, func(a, b power.Problem) int {
		if a.Values[key] < b.Values[key] {
			return -1
		}
		return 1
	})
	for _, m := range methods {
		var x []float64
		var k, n []int
		for _, p := range sorted {
			for _, r := range rates {
				if r.Method == m.Name && r.Problem == p.Name {
					x = append(x, p.Values[key])
					k, n = append(k, r.Rejected), append(n, r.Replicates)
				}
			}
		}
		if len(x) == 0 { // the study was cut short
			continue
		}
		s, err := figure.Proportions(m.Name, x, k, n, level)
		if err != nil {
			return nil, err
		}
		c.Series = append(c.Series, s)
	}
	return c.Draw()
}

// differs returns the name of that parameter.
func differs(problems []power.Problem) (string, error) {
	var keys []string
	first, _, _ := strings.Cut(problems[0].Name, ":")
	for _, p := range problems[1:] {
		if name, _, _ := strings.Cut(p.Name, ":"); name != first {
			return "", fmt.Errorf("-plot wants problems of one kind, found %s and %s", first, name)
		}
		for key, v := range p.Values {
			if v != problems[0].Values[key] && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	if slices.Sort(keys); len(keys) != 1 {
		return "", fmt.Errorf("-plot wants problems that differ in exactly one parameter, found %d: %q",
			len(keys), keys)
	}
	return keys[0], nil
}

// lengthscales writes the medians and quartiles of the lengthscales, where there are any.
func lengthscales(w io.Writer, records []power.Record, problems []power.Problem,
	methods []power.Method) error {
	head := "\nLengthscales: median [quartiles], and the median number of pseudo-inputs if it was " +
		"not given.\n\n"
	for _, m := range methods {
		for _, p := range problems {
			for _, suffix := range []string{"", "y"} {
				theta := power.Numbers(records, p.Name, m.Name, "theta"+suffix)
				if len(theta) == 0 {
					continue
				}
				line := fmt.Sprintf("%s, %s: theta%s %.4g [%.4g, %.4g]", p.Name, m.Name, suffix,
					quantile(theta, 0.5), quantile(theta, 0.25), quantile(theta, 0.75))
				if n := power.Numbers(records, p.Name, m.Name, "m"+suffix); len(n) > 0 {
					line += fmt.Sprintf(", m %.0f", quantile(n, 0.5))
				}
				if _, err := fmt.Fprintf(w, "%s- %s\n", head, line); err != nil {
					return err
				}
				head = ""
			}
		}
	}
	return nil
}

// failures writes how often tests failed, and why: a reason for each method and problem.
func failures(w io.Writer, records []power.Record, rates []power.Rate) error {
	head := "\nFailed tests, which count as not rejecting, with one of the reasons.\n\n"
	for _, r := range rates {
		if r.Failed == 0 {
			continue
		}
		reason := ""
		for _, rec := range records {
			if rec.Problem == r.Problem && reason == "" {
				reason = rec.Results[r.Method].Error
			}
		}
		reason = strings.Join(strings.Fields(reason), " ")
		if _, err := fmt.Fprintf(w, "%s- %s, %s: %d of %d, %s\n", head, r.Problem, r.Method, r.Failed,
			r.Replicates, reason); err != nil {
			return err
		}
		head = ""
	}
	return nil
}

// quantile is a number of the list.
func quantile(v []float64, level float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[min(int(level*float64(len(sorted))), len(sorted)-1)]
}
