package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"bayeskernel/examples/internal/report"
)

// measureAll measures what is not in the file yet and prints the table.
func measureAll(ctx context.Context, s report.Study, out io.Writer) error {
	list := problems()
	done, err := report.MeasureEach(ctx, s, list, func(c problem) report.Case { return report.Case{Name: c.name, Sets: c.sets} },
		func(c problem, set int) (result, error) { return c.measure(ctx, s.Seed, set) })
	if err != nil {
		return err
	}
	return table(out, list, done)
}

// table prints the means over data sets, coverages with their standard errors.
func table(w io.Writer, cases []problem, all map[string]map[int]result) error {
	var b bytes.Buffer
	b.WriteString("| P, Q, rows of each | sets | theta | points | covers mu_P | " +
		"covers the witness | width/CLT | sd x n |\n")
	b.WriteString("| --- | --: | --: | --- | --: | --: | --: | --: |\n")
	for _, c := range cases {
		for _, name := range []string{"centre", "outside", "rows", "grid, inside", "grid, outside"} {
			var mu, witness, width, sd, theta []float64
			for set := range c.sets {
				r := all[c.name][set]
				if part, ok := r.Regions[name]; ok {
					mu, witness = append(mu, part.Mu), append(witness, part.Witness)
					width, sd = append(width, part.Width), append(sd, part.SD)
					theta = append(theta, r.Theta)
				}
			}
			if len(mu) == 0 {
				continue
			}
			slices.Sort(theta)
			ratio := fmt.Sprintf("%.2f", mean(width))
			if strings.Contains(name, "outside") {
				ratio = ""
			}
			fmt.Fprintf(&b, "| %s | %d | %.2f | %s | %s | %s | %s | %.1f |\n", c.name, len(mu),
				theta[len(theta)/2], name, withError(mu), withError(witness), ratio, mean(sd))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// withError is the mean and its standard error.
func withError(x []float64) string {
	m, v := mean(x), 0.0
	for _, y := range x {
		v += (y - m) * (y - m)
	}
	n := float64(len(x))
	return fmt.Sprintf("%.3f ± %.3f", m, math.Sqrt(v/max(n-1, 1)/n))
}
