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
func measureAll(ctx context.Context, s report.Study, out io.Writer) error {
	list := problems()
	done, err := report.MeasureEach(ctx, s, list, func(c problem) report.Case { return report.Case{Name: c.name, Sets: c.sets} },
		func(c problem, set int) (result, error) { return c.measure(ctx, s.Seed, set) })
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("| P and Q | sets | agree | differ | band alone | a place is named | " +
		"right points | sets with a wrong one | strongest right |\n")
	b.WriteString("| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n")
	for _, c := range list {
		if of := done[c.name]; len(of) > 0 {
			fmt.Fprintf(&b, "| %s | %s\n", c.name, tally(of))
		}
	}
	_, err = out.Write(b.Bytes())
	return err
}

// totals are counts over data sets.
type totals struct{ sets, agree, reject, band, named, wrong, strongest, right, points int }

func count(of map[int]result) (t totals) {
	for _, r := range of {
		t.sets++
		t.agree += report.One(r.Agrees)
		t.reject += report.One(r.Reject)
		t.band += report.One(r.Band && !r.Reject)
		if !r.Reject {
			continue
		}
		t.named += report.One(r.Named)
		t.wrong += report.One(r.Wrong > 0)
		t.strongest += report.One(r.Strongest)
		t.points += r.Points
		t.right += r.Points - r.Wrong
	}
	return t
}

// tally is the rest of a row of the table: of the shares after "differ" those of the rejections.
func tally(of map[int]result) string {
	t := count(of)
	return fmt.Sprintf("%d | %d | %s | %s | %s | %s | %s | %s |", t.sets, t.agree,
		share(t.reject, t.sets), share(t.band, t.sets), share(t.named, t.reject),
		share(t.right, t.points), share(t.wrong, t.reject), share(t.strongest, t.reject))
}

// share writes a share with as many digits as it has.
func share(of, all int) string {
	if all == 0 {
		return ""
	}
	v := float64(of) / float64(all)
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
