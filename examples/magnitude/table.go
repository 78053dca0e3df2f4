package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/workers"
	"bayeskernel/magnitude"
)

// result is what was found on one data set: 0 where an interval covers the truth, 1 where it lies above
// and -1 where it lies below.
type result struct {
	Case string         `json:"case"`
	Set  int            `json:"set"`
	Side map[string]int `json:"side"`
}

// Of names the case and the data set.
func (r result) Of() (string, int) { return r.Case, r.Set }

// sets is the number of data sets of a case.
const sets = 2000

var whats = []string{"mean", "standardised", "exceeds", "overlap", "overall", "q0.1", "q0.25", "q0.5", "q0.75",
	"q0.9", "dependence"}

// parts are the numbers that can be measured without the others, which takes less time.
var parts = map[string]magnitude.Numbers{"all": 0, "means": magnitude.Means, "quantiles": magnitude.Quantiles,
	"probabilities": magnitude.Probabilities, "overlaps": magnitude.Overlaps, "overall": magnitude.Overall}

// named is the name of a case in the file: parts are kept apart.
func named(name, part string) string {
	if part == "all" {
		return name
	}
	return name + ", " + part
}

// measureAll measures what is not in the file yet and prints the table, with the shares of intervals
// above and below the truth where a part is asked for.
func measureAll(ctx context.Context, s report.Study, part string, out io.Writer) error {
	list := problems()
	var cases []report.Case
	var asked []*problem
	for _, c := range list {
		name := named(c.name, part)
		cases = append(cases, report.Case{Name: name, Sets: sets})
		if strings.Contains(name, s.Only) {
			asked = append(asked, c)
		}
	}
	err := workers.Each(ctx, len(asked), 0, func() func(int) error {
		return func(i int) error { return asked[i].findTruth(ctx) }
	})
	if err != nil {
		return err
	}
	done, err := report.Measure(ctx, s, cases, func(i, set int) (result, error) {
		return list[i].measure(ctx, s.Seed, set, part)
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "| law, rows | sets | %s |\n| --- | --: |%s\n", strings.Join(whats, " | "), strings.Repeat(" --: |", len(whats)))
	for _, c := range list {
		of := done[named(c.name, part)]
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d |", c.name, len(of))
		for _, what := range whats {
			count := map[int]int{}
			for _, r := range of {
				if side, ok := r.Side[what]; ok {
					count[side]++
				}
			}
			n := float64(count[-1] + count[0] + count[1])
			switch {
			case n == 0:
				b.WriteString(" |")
			case part == "all":
				fmt.Fprintf(&b, " %.3f |", float64(count[0])/n)
			default:
				fmt.Fprintf(&b, " %.3f (%.3f, %.3f) |", float64(count[0])/n, float64(count[1])/n, float64(count[-1])/n)
			}
		}
		b.WriteString("\n")
	}
	_, err = out.Write(b.Bytes())
	return err
}
