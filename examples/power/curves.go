package main

import (
	"fmt"
	"io"
	"slices"

	"bayeskernel/internal/figure"
	"bayeskernel/power"
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
	for key, v := range problems[0].Values {
		for _, p := range problems[1:] {
			if w, ok := p.Values[key]; (!ok || w != v) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	if slices.Sort(keys); len(keys) != 1 {
		return "", fmt.Errorf("power: problems differ in the parameters %q, want exactly one for a "+
			"picture", keys)
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

// quantile is a number of the list.
func quantile(v []float64, level float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[min(int(level*float64(len(sorted))), len(sorted)-1)]
}
