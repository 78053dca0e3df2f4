package tests

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/compare"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
)

// PairsRecord is summary.json of more than two groups: of the test of all at once and those of pairs.
type PairsRecord struct {
	report.Head
	Source     string        `json:"source" doc:"The files, in words."`
	Columns    []string      `json:"columns" doc:"The names of the columns that are data."`
	Groups     []string      `json:"groups" doc:"The groups, which are labels of rows."`
	Verdict    []string      `json:"verdict" doc:"What was found, in sentences, the finding first."`
	Correction string        `json:"correction" doc:"The correction of the p-values for their number."`
	P          report.Number `json:"p" doc:"The p-value of the test of all groups at once."`
	Alpha      report.Number `json:"alpha" doc:"The level of the test."`
	Reject     bool          `json:"reject" doc:"Whether the test of all groups at once rejects that they have one distribution."`
	Omnibus    omnibusRecord `json:"omnibus" doc:"The test of all groups at once."`
	Pairs      []pairRecord  `json:"pairs" doc:"The tests of all pairs of groups."`
	Seed       uint64        `json:"seed" doc:"The seed of all random numbers."`
	Notes      []string      `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
}

// omnibusRecord is the test of all groups at once.
type omnibusRecord struct {
	Rows         []int          `json:"rows" doc:"The numbers of rows of the groups."`
	Label        string         `json:"statistic_name" doc:"What the statistic is."`
	Statistic    report.Number  `json:"statistic" doc:"The test statistic."`
	P            report.Number  `json:"p" doc:"The p-value."`
	PError       report.Number  `json:"p_error" doc:"The Monte Carlo standard error of p."`
	Permutations int            `json:"permutations" doc:"The number of permutations."`
	AtLeast      int            `json:"at_least" doc:"How many permutations had a statistic at least as extreme."`
	Candidates   []candidateRow `json:"candidates" doc:"The kernels of the test, each with its own statistic; by default each stands for what it looks at, with the lengthscale of its strongest kernel, if it has one."`
}

func newOmnibus(t *kerneltest.Result) omnibusRecord {
	r := omnibusRecord{Rows: t.Groups, Label: t.Label(), Statistic: report.Number(t.Statistic),
		P: report.Number(t.P), PError: report.Number(t.PError), Permutations: t.Permutations, AtLeast: t.AtLeast}
	for _, c := range t.Candidates {
		theta := thetaOf(c.Kernel)
		if theta == nil {
			theta = []report.Number{}
		}
		r.Candidates = append(r.Candidates, candidateRow{Theta: theta, Statistic: report.Number(c.Statistic),
			P: report.Number(c.P), Weight: report.Number(c.Weight), View: c.View.String()})
	}
	return r
}

// pairRecord is the test of one pair.
type pairRecord struct {
	Samples  [2]string     `json:"samples" doc:"The two groups."`
	P        report.Number `json:"p" doc:"The p-value of this test alone."`
	Adjusted report.Number `json:"p_holm" doc:"The p-value corrected for the number of pairs by Holm's method."`
	Reject   bool          `json:"reject" doc:"Whether the pair is rejected, corrected."`
	Test     *Record       `json:"test" doc:"The test as twosample writes it."`
}

// RunPairs tests all pairs of more than two groups for a command; notes are added to the report.
func RunPairs(ctx context.Context, con *cli.Console, out *folder.Flags, data *input.Dataset, f *Flags,
	command string, notes ...string) error {
	return out.Run(con, "", func(*folder.Folder) (*report.Document, error) {
		p, err := TestPairs(ctx, con, data, f)
		if err != nil {
			return nil, err
		}
		return p.document(command, notes), nil
	})
}

// Instead explains why tests are run instead of chains, for the groups chosen by -label.
func Instead(label string, groups []string) string {
	column, _, _ := strings.Cut(label, "=")
	return fmt.Sprintf("With %d groups all pairs are tested, and no chains are run: name two groups for "+
		"where they differ, as in -label %s.", len(groups), cli.Quote(column+"="+groups[0]+","+groups[1]))
}

// document reports the results of the tests.
func (p *Pairs) document(command string, notes []string) *report.Document {
	s := &PairsRecord{Head: report.NewHead(command), Source: p.Data.Source, Columns: p.Data.Columns,
		Groups: p.Data.Groups, Correction: "holm", P: report.Number(p.Omnibus.P), Reject: p.Omnibus.Reject,
		Omnibus: newOmnibus(p.Omnibus), Notes: append(append([]string{}, notes...), p.Data.Notes...)}
	for _, n := range p.Omnibus.Notes {
		s.Notes = append(s.Notes, cli.WithoutPackages(n))
	}
	var differ []string
	for i, t := range p.Tests {
		one := t.record().(Record)
		s.Seed, s.Alpha = one.Seed, one.Alpha
		reject := p.Adjusted[i] <= t.Result.Alpha
		s.Pairs = append(s.Pairs, pairRecord{Samples: t.Names, P: report.Number(t.Result.P),
			Adjusted: report.Number(p.Adjusted[i]), Reject: reject, Test: &one})
		if reject {
			differ = append(differ, t.Names[0]+" and "+t.Names[1])
		}
	}
	kind := "exact test"
	if p.Data.Units != "" {
		kind = "permutation test"
	}
	finding := s.finding(p.Omnibus, kind, differ)
	s.Verdict = finding
	basis := []string{p.omnibusSentence(), "p (Holm) is corrected for the number of pairs by Holm's method: with it the " +
		"probability of any false rejection is at most the level.", "Each pair is tested by itself, " +
		"with kernels that are learned from its own rows."}
	table := p.table(s)
	d := &report.Document{Page: p.Data.Page(s.title(differ)), Record: s, Rejects: s.Reject,
		Files: []report.File{{Name: "pairs.csv", What: "the pairs", Fill: func(w io.Writer) error {
			return p.writeCSV(w, s)
		}}},
		Printed: []report.Block{report.Paragraphs(finding),
			report.Lines{fmt.Sprintf("%s by %s: %d groups, %d pairs", s.Source, p.Data.Label(), len(s.Groups),
				len(s.Pairs))}, table, report.Paragraphs(append(basis[:2:2],
				ofTest(s.Notes, p.Omnibus.Kernel)...))}}
	d.About = fmt.Sprintf("%s by %s, %s", p.Data.Source, p.Data.Label(), p.Data.ColumnWords())
	d.Figures = append(p.groupsPicture(), page.Figure{Draw: p.picture(s), File: "figure", What: "the picture",
		Heading: "The tests", Caption: fmt.Sprintf("The p-value of the test of each pair alone, and corrected "+
			"for %d pairs.", len(p.Tests))})
	d.Sure = page.Section{Text: append(slices.Clone(finding), p.where(s)...),
		Tables: append(report.Tables(table), p.sizes()...)}
	d.Rests = page.Section{Text: basis, Notes: s.Notes}
	d.Settings = p.Tests[0].settings()
	return d
}

// picture draws the p-values.
func (p *Pairs) picture(s *PairsRecord) figure.Forest {
	f := figure.Forest{Title: "All pairs of groups of " + p.Data.Label(), Each: "pair",
		Correction: "Holm", Alpha: float64(s.Alpha), Corrected: p.Adjusted}
	for _, t := range p.Tests {
		f.Names, f.P = append(f.Names, t.Names[0]+", "+t.Names[1]), append(f.P, t.Result.P)
	}
	return f
}

// title is the finding in a few words.
func (s *PairsRecord) title(differ []string) string {
	p, k, all := report.Short(float64(s.P)), len(differ), len(s.Pairs)
	found := fmt.Sprintf("%d of %d pairs do", k, all)
	if k == 1 {
		found = fmt.Sprintf("1 of %d pairs does", all)
	}
	switch {
	case k == 0 && s.Reject:
		return fmt.Sprintf("The %d groups differ (p = %s), no single pair does", len(s.Groups), p)
	case k == 0:
		return fmt.Sprintf("No difference between %d groups is found (p = %s)", len(s.Groups), p)
	case k == all:
		found = fmt.Sprintf("all %d pairs do", all)
	}
	if s.Reject {
		return fmt.Sprintf("The %d groups differ (p = %s), %s", len(s.Groups), p, found)
	}
	return fmt.Sprintf("%d of %d pairs of groups differ, all groups at once do not (p = %s)", k, all, p)
}

// finding are the first sentences of the report: all groups at once, then the pairs.
func (s *PairsRecord) finding(t *kerneltest.Result, kind string, differ []string) []string {
	level := strconv.FormatFloat(float64(s.Alpha), 'g', -1, 64)
	groups := fmt.Sprintf("The %d groups differ (%s, %s).", len(s.Groups), kind, compare.PWords(t))
	if !t.Reject {
		groups = fmt.Sprintf("The %d groups cannot be told apart at level %s (%s, %s). This does not "+
			"show that they are the same.", len(s.Groups), level, kind, compare.PWords(t))
	}
	if !t.Reject && len(differ) > 0 { // both tests hold their level, and either may see what the other does not
		groups = fmt.Sprintf("Not all of the %d groups are the same, as some pair differs; the test of all at once does not "+
			"see it (%s, %s).", len(s.Groups), kind, compare.PWords(t))
	}
	verb := "differ"
	if len(differ) == 1 {
		verb = "differs"
	}
	pairs := fmt.Sprintf("%d of %d pairs %s at level %s, corrected for their number: %s.", len(differ),
		len(s.Pairs), verb, level, strings.Join(cli.Fewer(differ), "; "))
	if len(differ) == 0 {
		pairs = fmt.Sprintf("No single pair differs at level %s, corrected for %d pairs.", level, len(s.Pairs))
	}
	return []string{groups, pairs}
}

// omnibusSentence says what the test of all groups at once compares.
func (p *Pairs) omnibusSentence() string {
	s := "All groups are compared at once by the variation between them, with kernels that are learned from " +
		"all rows"
	if p.Omnibus.Combined == kerneltest.Evidence {
		s += ", and by ranks, distances and, of five columns and more, single columns and pairs of them"
	}
	for _, c := range p.Omnibus.Candidates {
		if c.View != kerneltest.NoView {
			break
		}
		if _, ok := c.Kernel.(kernels.Distance); ok {
			s += " and that of the energy distance"
		}
	}
	return s + ". " + NullSentence(p.Omnibus, p.Flags.Seed)
}

// table has a row for each pair.
func (p *Pairs) table(s *PairsRecord) report.Table {
	t := report.Table{Head: []string{"", "rows", "statistic", "p", "p (Holm)", ""}, Words: []int{5}}
	for i, pair := range s.Pairs {
		one, word := p.Tests[i].Result, ""
		if pair.Reject {
			word = "different"
		}
		t.Rows = append(t.Rows, []string{pair.Samples[0] + ", " + pair.Samples[1],
			fmt.Sprintf("%d, %d", one.RowsX, one.RowsY), report.Figures(one.Statistic),
			report.Figures(one.P), report.Figures(float64(pair.Adjusted)), word})
	}
	return t
}

// where says where the first pairs that differ do so, in one or two columns: a point with more
// coordinates says little.
func (p *Pairs) where(s *PairsRecord) []string {
	var out []string
	for i, pair := range s.Pairs {
		if pair.Reject && len(s.Columns) <= 2 && len(out) < cli.MostNamed {
			out = append(out, p.Tests[i].Finding())
		}
	}
	return out
}

// writeCSV writes a row for each pair.
func (p *Pairs) writeCSV(w io.Writer, s *PairsRecord) error {
	b := []byte("first,second,rows_first,rows_second,statistic,p,p_holm,reject\n")
	for i, pair := range s.Pairs {
		t := p.Tests[i].Result
		b = fmt.Appendf(b, "%s,%s,%d,%d,%v,%v,%v,%v\n", report.CSV(pair.Samples[0]),
			report.CSV(pair.Samples[1]), t.RowsX, t.RowsY, t.Statistic, t.P, float64(pair.Adjusted),
			pair.Reject)
	}
	_, err := w.Write(b)
	return err
}
