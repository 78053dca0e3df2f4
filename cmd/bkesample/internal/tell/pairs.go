package tell

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/draws"
)

// PairsReport is what is told of the tests of all pairs of some groups.
type PairsReport struct {
	*work.Pairs
	dir     string
	tests   []*TestReport
	Summary *pairsSummary
}

// pairsSummary is summary.json of them.
type pairsSummary struct {
	SchemaVersion int           `json:"schema_version"`
	Command       string        `json:"command"`
	Source        string        `json:"source"`
	Columns       []string      `json:"columns"`
	Groups        []string      `json:"groups"`
	Correction    string        `json:"correction"`
	P             number        `json:"p"` // the smallest corrected
	Alpha         number        `json:"alpha"`
	Reject        bool          `json:"reject"`
	Pairs         []pairSummary `json:"pairs"`
	Seed          uint64        `json:"seed"`
	Notes         []string      `json:"notes"`
}

// pairSummary is one of them.
type pairSummary struct {
	Samples  [2]string    `json:"samples"`
	P        number       `json:"p"`
	Adjusted number       `json:"p_holm"`
	Reject   bool         `json:"reject"` // corrected
	Test     *testSummary `json:"test"`
}

// NewPairsReport puts tests of pairs into words; notes are more to be said.
func NewPairsReport(p *work.Pairs, command, dir string, notes ...string) *PairsReport {
	r := &PairsReport{Pairs: p, dir: dir}
	s := &pairsSummary{SchemaVersion: draws.SchemaVersion, Command: command, Source: p.Data.Source,
		Columns: p.Data.Columns, Groups: p.Data.Groups, Correction: "holm", P: 1,
		Notes: append(append([]string{}, notes...), p.Data.Notes...)}
	for i, t := range p.Tests {
		one := NewTestReport(t, dir, "")
		s.Seed, s.Alpha = one.Summary.Seed, one.Summary.Alpha
		reject := p.Adjusted[i] <= t.Result.Alpha
		s.P, s.Reject = min(s.P, number(p.Adjusted[i])), s.Reject || reject
		s.Pairs = append(s.Pairs, pairSummary{Samples: t.Names, P: number(t.Result.P),
			Adjusted: number(p.Adjusted[i]), Reject: reject, Test: one.Summary})
		r.tests = append(r.tests, one)
	}
	r.Summary = s
	return r
}

// PairsInstead says why there are tests and no chains, for groups that the value of -label chose.
func PairsInstead(label string, groups []string) string {
	column, _, _ := strings.Cut(label, "=")
	return fmt.Sprintf("With %d groups all pairs are tested, and no chains are run: name two groups for "+
		"where they differ, as in -label %s.", len(groups), cli.Quote(column+"="+groups[0]+","+groups[1]))
}

// Text prints a table of the pairs.
func (r *PairsReport) Text(out io.Writer) error {
	var b strings.Builder
	s := r.Summary
	fmt.Fprintf(&b, "%s by %s: %d groups, %d pairs\n\n", s.Source, r.Data.Label(), len(s.Groups),
		len(s.Pairs))
	var body [][]string
	var differ []string
	for i, p := range s.Pairs {
		t := r.Tests[i].Result
		word := ""
		if p.Reject {
			word = "different"
			differ = append(differ, p.Samples[0]+" and "+p.Samples[1])
		}
		body = append(body, []string{p.Samples[0] + ", " + p.Samples[1],
			fmt.Sprintf("%d, %d", t.RowsX, t.RowsY), Figures(t.Statistic), Figures(t.P),
			Figures(float64(p.Adjusted)), word})
	}
	err := Table{Head: []string{"", "rows", "statistic", "p", "p (Holm)", ""}, Rows: body}.write(&b)
	if err != nil {
		return err
	}
	fmt.Fprintln(&b)
	level := strconv.FormatFloat(float64(s.Alpha), 'g', -1, 64)
	if len(differ) > 0 {
		paragraph(&b, fmt.Sprintf("Different distributions at level %s, all pairs together: %s.", level,
			strings.Join(differ, "; ")))
	} else {
		paragraph(&b, fmt.Sprintf("Equal distributions are not rejected for any pair at level %s. This "+
			"does not show that they have the same distribution.", level))
	}
	paragraph(&b, "p (Holm) is corrected for the number of pairs by Holm's method: with it the "+
		"probability of any false rejection is at most the level.")
	for _, n := range s.Notes {
		paragraph(&b, n)
	}
	fmt.Fprintf(&b, "\nFiles in %s.\n", r.dir)
	_, err = io.WriteString(out, b.String())
	return err
}

// WriteCSV writes a row for each pair.
func (r *PairsReport) WriteCSV(w io.Writer) error {
	b := []byte("first,second,rows_first,rows_second,statistic,p,p_holm,reject\n")
	for i, p := range r.Summary.Pairs {
		t := r.Tests[i].Result
		b = fmt.Appendf(b, "%s,%s,%d,%d,%v,%v,%v,%v\n", csvField(p.Samples[0]), csvField(p.Samples[1]),
			t.RowsX, t.RowsY, t.Statistic, t.P, float64(p.Adjusted), p.Reject)
	}
	_, err := w.Write(b)
	return err
}
