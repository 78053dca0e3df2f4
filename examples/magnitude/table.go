package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/workers"
)

// result is what was found on one data set.
type result struct {
	Case   string          `json:"case"`
	Set    int             `json:"set"`
	Covers map[string]bool `json:"covers"`
}

// Of names the case and the data set.
func (r result) Of() (string, int) { return r.Case, r.Set }

// sets is the number of data sets of a case.
const sets = 2000

var whats = []string{"mean", "standardised", "exceeds", "overlap", "overall", "q0.1", "q0.25", "q0.5", "q0.75",
	"q0.9", "dependence"}

// measureAll measures what is not in the file yet and prints the table.
func measureAll(ctx context.Context, s report.Study, out io.Writer) error {
	list := problems()
	var cases []report.Case
	var asked []*problem
	for _, c := range list {
		cases = append(cases, report.Case{Name: c.name, Sets: sets})
		if strings.Contains(c.name, s.Only) {
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
		return list[i].measure(ctx, s.Seed, set)
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "| law, rows | %s |\n| --- |%s\n", strings.Join(whats, " | "), strings.Repeat(" --: |", len(whats)))
	for _, c := range list {
		of := done[c.name]
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s |", c.name)
		for _, what := range whats {
			n, k := 0, 0
			for _, r := range of {
				if covers, ok := r.Covers[what]; ok {
					n++
					if covers {
						k++
					}
				}
			}
			if n == 0 {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %.3f |", float64(k)/float64(n))
		}
		b.WriteString("\n")
	}
	_, err = out.Write(b.Bytes())
	return err
}
