package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"bayeskernel/examples/internal/report"
)

// measureAll measures what is not in the file yet and prints the table.
func measureAll(ctx context.Context, s report.Study, use []method, out io.Writer) error {
	list := cells()
	done, err := report.MeasureEach(ctx, s, list, func(c cell) report.Case { return report.Case{Name: c.name(), Sets: c.sets} },
		func(c cell, set int) (result, error) { return c.measure(ctx, use, s.Seed, set) })
	if err != nil {
		return err
	}
	return table(out, list, use, done)
}

// share is how many of some p-values are at most alpha.
func share(p []float64, alpha float64) float64 {
	count := 0
	for _, v := range p {
		if v <= alpha {
			count++
		}
	}
	return float64(count) / float64(len(p))
}

// table has a row for each case: the shares rejected at 0.05, and behind a stroke at 0.01.
func table(w io.Writer, list []cell, use []method, all map[string]map[int]result) error {
	var b bytes.Buffer
	b.WriteString("| problem, rows | sets |")
	for _, m := range use {
		fmt.Fprintf(&b, " %s |", m.name)
	}
	b.WriteString("\n| --- | --: |")
	for range use {
		b.WriteString(" --: |")
	}
	b.WriteString("\n")
	sums := map[string][2]float64{}
	levels := map[string]float64{}
	for _, c := range list {
		sets := all[c.name()]
		if len(sets) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d |", c.name(), len(sets))
		for _, m := range use {
			var p []float64
			for _, r := range sets {
				if v, ok := r.P[m.name]; ok {
					p = append(p, v)
				}
			}
			if len(p) == 0 {
				b.WriteString(" |")
				continue
			}
			at5, at1 := share(p, 0.05), share(p, 0.01)
			fmt.Fprintf(&b, " %.3f / %.3f", at5, at1)
			if len(p) < len(sets) {
				fmt.Fprintf(&b, " (%d)", len(p))
			}
			b.WriteString(" |")
			if !c.alter {
				v := sums[m.name]
				sums[m.name] = [2]float64{v[0] + at5, v[1] + at1}
				levels[m.name]++
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("| mean level | |")
	for _, m := range use {
		n := math.Max(1, levels[m.name])
		fmt.Fprintf(&b, " %.3f / %.3f |", sums[m.name][0]/n, sums[m.name][1]/n)
	}
	b.WriteString("\n")
	_, err := w.Write(b.Bytes())
	return err
}
