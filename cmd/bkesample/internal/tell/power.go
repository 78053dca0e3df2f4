package tell

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/draws"
)

// PowerLevel is that of the intervals of powers.
const PowerLevel = 0.95

// PowerReport is what is told of a search for a number of rows.
type PowerReport struct {
	*work.Powered
	dir     string
	Again   string // how to make it again
	Summary *powerSummary
}

// powerSummary is summary.json of power.
type powerSummary struct {
	SchemaVersion int         `json:"schema_version"`
	Command       string      `json:"command"`
	Verdict       []string    `json:"verdict"`
	Problem       string      `json:"problem"`
	Paired        bool        `json:"paired"`
	Method        string      `json:"method"`
	Alpha         number      `json:"alpha"`
	Target        number      `json:"power_wanted"`
	Rows          int         `json:"rows"` // of each sample; 0 if none of those tried is enough
	Permutations  int         `json:"permutations"`
	Replicates    int         `json:"replicates"`
	Sizes         []sizePower `json:"sizes"`
	Pilot         *pilotTest  `json:"pilot,omitempty"`
	Seed          uint64      `json:"seed"`
	Notes         []string    `json:"notes"`
}

type sizePower struct {
	Rows     int    `json:"rows"`
	Power    number `json:"power"`
	From     number `json:"from"` // 95% interval
	To       number `json:"to"`
	Rejected int    `json:"rejected"`
	Failed   int    `json:"failed"`
}

// pilotTest is the test of the pilot itself.
type pilotTest struct {
	Samples []sample `json:"samples"`
	P       number   `json:"p"`
}

// NewPowerReport makes the summary. Pilot is the test of the pilot itself, nil without one; notes
// are those of its data.
func NewPowerReport(p *work.Powered, pilot *work.Tested, dir, again string) *PowerReport {
	f := p.Flags
	s := &powerSummary{SchemaVersion: draws.SchemaVersion, Command: "power",
		Problem: p.Population.Name, Paired: p.Population.Paired, Method: p.Method,
		Alpha: number(f.Alpha), Target: number(f.Target), Rows: p.Rows,
		Permutations: f.Permutations, Replicates: f.Replicates, Seed: f.Seed, Notes: []string{}}
	for _, v := range p.Sizes {
		lo, hi := v.Interval(PowerLevel)
		s.Sizes = append(s.Sizes, sizePower{v.Rows, number(v.Power()), number(lo), number(hi),
			v.Rejected, v.Failed})
		if v.Failed > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("%d of %d data sets of %d rows could not be tested, "+
				"and count as not rejected.", v.Failed, v.Replicates, v.Rows))
		}
	}
	if pilot != nil {
		t := NewTestReport(pilot, dir, "").Summary
		s.Pilot = &pilotTest{Samples: t.Samples, P: t.P}
		s.Notes = append(s.Notes, "Data sets are rows of the pilot, drawn with replacement. So the "+
			"answer takes the difference in the pilot as it is: part of it is chance, and the true "+
			"power is then lower.")
		if !t.Reject {
			s.Notes = append(s.Notes, fmt.Sprintf("The pilot itself is not significant (p = %s): "+
				"there may be nothing to find.", Figures(float64(t.P))))
		}
		s.Notes = append(s.Notes, t.Notes...)
	}
	r := &PowerReport{Powered: p, dir: dir, Again: again, Summary: s}
	s.Verdict = []string{r.Finding()}
	return r
}

// Of says what rows are.
func (r *PowerReport) Of() string {
	if r.Population.Paired {
		return "pairs"
	}
	return "rows in each sample"
}

// Text prints the answer and the powers.
func (r *PowerReport) Text(out io.Writer) error {
	var b strings.Builder
	s := r.Summary
	paragraph(&b, r.Finding())
	fmt.Fprintln(&b)
	if err := r.Table().write(&b); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	for _, text := range append([]string{r.Basis()}, s.Notes...) {
		paragraph(&b, text)
	}
	fmt.Fprintf(&b, "\nOpen %s.\n", filepath.Join(r.dir, "report.html"))
	_, err := io.WriteString(out, b.String())
	return err
}

// Table has a row for each size.
func (r *PowerReport) Table() Table {
	t := Table{Head: []string{r.Of(), "power", "95% interval"}}
	for _, v := range r.Summary.Sizes {
		t.Rows = append(t.Rows, []string{fmt.Sprint(v.Rows), fmt.Sprintf("%.3f", float64(v.Power)),
			fmt.Sprintf("%.3f to %.3f", float64(v.From), float64(v.To))})
	}
	return t
}

// Basis says what the finding rests on.
func (r *PowerReport) Basis() string {
	s := r.Summary
	return fmt.Sprintf("%s: test %s at level %g with %d permutations, %d data sets of each size, "+
		"seed %d.", s.Problem, s.Method, float64(s.Alpha), s.Permutations, s.Replicates, s.Seed)
}

// about says how well the number of rows is known.
func (r *PowerReport) about() string {
	if r.Rows == r.Summary.Sizes[0].Rows {
		return "At most"
	}
	return "About"
}

// Title is the finding in few words.
func (r *PowerReport) Title() string {
	s := r.Summary
	if r.Rows == 0 {
		return fmt.Sprintf("%d %s are not enough for power %g", s.Sizes[len(s.Sizes)-1].Rows, r.Of(),
			float64(s.Target))
	}
	return fmt.Sprintf("%s %d %s are needed for power %g", r.about(), r.Rows, r.Of(),
		float64(s.Target))
}

// Finding says how many rows are needed.
func (r *PowerReport) Finding() string {
	s := r.Summary
	last := s.Sizes[len(s.Sizes)-1]
	if r.Rows == 0 {
		return fmt.Sprintf("%s: with them it is %.2f (-most tries more).", r.Title(), float64(last.Power))
	}
	for _, v := range s.Sizes {
		if v.Rows == r.Rows {
			last = v
		}
	}
	return fmt.Sprintf("%s: with them the test rejects in %.0f%% of data sets (%.0f%% to %.0f%%).",
		r.Title(), 100*float64(last.Power), 100*float64(last.From), 100*float64(last.To))
}

// WriteCSV writes a row for each size.
func (r *PowerReport) WriteCSV(w io.Writer) error {
	b := []byte("rows,power,from,to,rejected,replicates,failed\n")
	for _, v := range r.Summary.Sizes {
		b = fmt.Appendf(b, "%d,%v,%v,%v,%d,%d,%d\n", v.Rows, float64(v.Power), float64(v.From),
			float64(v.To), v.Rejected, r.Summary.Replicates, v.Failed)
	}
	_, err := w.Write(b)
	return err
}
