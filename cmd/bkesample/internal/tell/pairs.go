package tell

import (
	"fmt"
	"io"
	"path/filepath"
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
	Again   string        // how to make them again
	Of      []*TestReport // those of the pairs
	Summary *pairsSummary
}

// pairsSummary is summary.json of them.
type pairsSummary struct {
	SchemaVersion int           `json:"schema_version"`
	Command       string        `json:"command"`
	Source        string        `json:"source"`
	Columns       []string      `json:"columns"`
	Groups        []string      `json:"groups"`
	Verdict       []string      `json:"verdict"`
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
func NewPairsReport(p *work.Pairs, command, dir, again string, notes ...string) *PairsReport {
	r := &PairsReport{Pairs: p, dir: dir, Again: again}
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
		r.Of = append(r.Of, one)
	}
	r.Summary = s
	s.Verdict = []string{r.Finding()}
	return r
}

// PairsInstead says why there are tests and no chains, for groups that the value of -label chose.
func PairsInstead(label string, groups []string) string {
	column, _, _ := strings.Cut(label, "=")
	return fmt.Sprintf("With %d groups all pairs are tested, and no chains are run: name two groups for "+
		"where they differ, as in -label %s.", len(groups), cli.Quote(column+"="+groups[0]+","+groups[1]))
}

// differ names the pairs that differ, corrected.
func (r *PairsReport) differ() []string {
	var out []string
	for _, p := range r.Summary.Pairs {
		if p.Reject {
			out = append(out, p.Samples[0]+" and "+p.Samples[1])
		}
	}
	return out
}

// Title is the finding in few words.
func (r *PairsReport) Title() string {
	p := "smallest corrected p = " + short(float64(r.Summary.P))
	switch k, all := len(r.differ()), len(r.Summary.Pairs); k {
	case 0:
		return fmt.Sprintf("No two of %d groups can be told apart (%s)", len(r.Summary.Groups), p)
	case all:
		return fmt.Sprintf("All %d pairs of groups differ (%s)", all, p)
	default:
		return fmt.Sprintf("%d of %d pairs of groups differ (%s)", k, all, p)
	}
}

// Finding is the first sentence.
func (r *PairsReport) Finding() string {
	s, differ := r.Summary, r.differ()
	level := strconv.FormatFloat(float64(s.Alpha), 'g', -1, 64)
	if len(differ) == 0 {
		return fmt.Sprintf("No two of the %d groups can be told apart at level %s, corrected for %d "+
			"pairs. This does not show that they are the same.", len(s.Groups), level, len(s.Pairs))
	}
	return fmt.Sprintf("%d of %d pairs of groups differ at level %s, corrected for their number: %s.",
		len(differ), len(s.Pairs), level, strings.Join(fewer(differ), "; "))
}

// Table has a row for each pair.
func (r *PairsReport) Table() Table {
	t := Table{Head: []string{"", "rows", "statistic", "p", "p (Holm)", ""}}
	for i, p := range r.Summary.Pairs {
		one, word := r.Tests[i].Result, ""
		if p.Reject {
			word = "different"
		}
		t.Rows = append(t.Rows, []string{p.Samples[0] + ", " + p.Samples[1],
			fmt.Sprintf("%d, %d", one.RowsX, one.RowsY), Figures(one.Statistic), Figures(one.P),
			Figures(float64(p.Adjusted)), word})
	}
	return t
}

// Sure says of the first pairs that differ where they do: a point of more than two coordinates says
// little.
func (r *PairsReport) Sure() []string {
	var out []string
	for i, p := range r.Summary.Pairs {
		if p.Reject && len(r.Summary.Columns) <= 2 && len(out) < mostNamed {
			out = append(out, r.Of[i].Finding())
		}
	}
	return out
}

// Basis says what the finding rests on.
func (r *PairsReport) Basis() []string {
	return []string{"p (Holm) is corrected for the number of pairs by Holm's method: with it the " +
		"probability of any false rejection is at most the level.", "Each pair is tested by itself, " +
		"with kernels that are learned from its own rows."}
}

// Text prints a table of the pairs.
func (r *PairsReport) Text(out io.Writer) error {
	var b strings.Builder
	s := r.Summary
	paragraph(&b, r.Finding())
	fmt.Fprintf(&b, "\n%s by %s: %d groups, %d pairs\n\n", s.Source, r.Data.Label(), len(s.Groups),
		len(s.Pairs))
	if err := r.Table().write(&b); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	for _, text := range append(r.Basis()[:1], s.Notes...) {
		paragraph(&b, text)
	}
	fmt.Fprintf(&b, "\nOpen %s.\n", filepath.Join(r.dir, "report.html"))
	_, err := io.WriteString(out, b.String())
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
