package tests

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// GivenRecord is summary.json of a test given covariates.
type GivenRecord struct {
	report.Head
	Source       string           `json:"source" doc:"The files, in words."`
	Columns      []string         `json:"columns" doc:"The names of the columns that are data."`
	Given        []string         `json:"given" doc:"The names of the covariates."`
	Compared     []givenSample    `json:"compared" doc:"The groups, or the two variables."`
	Verdict      []string         `json:"verdict" doc:"What was found, in sentences, the finding first."`
	Method       string           `json:"method" doc:"strata: rows are exchanged within strata of the covariates, which is exact; regression: what regressions on the covariates leave is tested."`
	P            report.Number    `json:"p" doc:"The p-value, given the covariates."`
	PError       report.Number    `json:"p_error" doc:"The Monte Carlo standard error of p; 0 by regression."`
	Alpha        report.Number    `json:"alpha" doc:"The level of the test."`
	Reject       bool             `json:"reject" doc:"Whether the null hypothesis is rejected."`
	Alone        report.Number    `json:"p_alone" doc:"The p-value without the covariates."`
	Permutations int              `json:"permutations" doc:"The number of permutations; 0 by regression."`
	Strata       int              `json:"strata" doc:"The number of strata that are used; 0 by regression."`
	Rows         int              `json:"rows" doc:"The number of rows."`
	Used         int              `json:"rows_used" doc:"The number of rows that are used: those of other strata say nothing."`
	R2           []report.Number  `json:"r2" doc:"How much the regressions on the covariates predict, of the rows and of the groups, or of the two variables: leave-one-out R2. Empty for strata."`
	Pairs        []givenPairEntry `json:"pairs" doc:"The tests of all pairs of more than two groups."`
	ByColumn     []givenColumnRow `json:"by_column" doc:"The tests of the groups in each column by itself, where there are several."`
	Seed         uint64           `json:"seed" doc:"The seed of all random numbers."`
	Notes        []string         `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
}

type givenSample struct {
	Name string `json:"name" doc:"Its name."`
	Rows int    `json:"rows" doc:"Its number of rows."`
}

type givenColumnRow struct {
	Column   string        `json:"column" doc:"The name of the column."`
	P        report.Number `json:"p" doc:"The p-value of this column alone."`
	Adjusted report.Number `json:"p_holm" doc:"The p-value corrected for the number of columns by Holm's method."`
}

type givenPairEntry struct {
	Samples  [2]string     `json:"samples" doc:"The two groups."`
	P        report.Number `json:"p" doc:"The p-value of this test alone; null if the groups cannot be compared."`
	Adjusted report.Number `json:"p_holm" doc:"The p-value corrected for the number of pairs by Holm's method; null if the groups cannot be compared."`
	Reject   bool          `json:"reject" doc:"Whether the pair is rejected, corrected."`
	Why      string        `json:"why" doc:"Why the groups cannot be compared; empty if they can."`
}

// record is summary.json.
func (g *Given) record() *GivenRecord {
	r := g.Result
	s := &GivenRecord{Head: report.NewHead(g.Command), Source: g.Data.Source, Columns: g.Data.Columns,
		Verdict: g.finding(), Method: "regression", P: report.Number(r.P), PError: report.Number(r.PError),
		Alpha: report.Number(r.Alpha), Reject: r.Reject, Alone: report.Number(g.Alone.P), Strata: r.Strata,
		Rows: r.Rows, Used: r.Used, R2: []report.Number{}, ByColumn: []givenColumnRow{}, Pairs: []givenPairEntry{}, Seed: g.Flags.Seed,
		Notes: g.notes()}
	for _, c := range g.Covariates {
		s.Given = append(s.Given, c.Name)
	}
	for k, name := range g.Names {
		s.Compared = append(s.Compared, givenSample{name, g.Rows[k]})
	}
	if r.Test != nil {
		s.Method, s.Permutations = "strata", r.Test.Permutations
	} else {
		s.R2 = report.Numbers([]float64{r.Regression.X.R2, r.Regression.Y.R2})
	}
	for _, c := range g.Columns {
		s.ByColumn = append(s.ByColumn, givenColumnRow{c.name, report.Number(c.p), report.Number(c.adjusted)})
	}
	for _, p := range g.Pairs {
		e := givenPairEntry{Samples: p.names, P: report.Number(math.NaN()), Adjusted: report.Number(math.NaN()), Why: p.why}
		if p.result != nil {
			e.P, e.Adjusted = report.Number(p.result.P), report.Number(p.adjusted)
			e.Reject = p.adjusted <= r.Alpha*(1+1e-12)
		}
		s.Pairs = append(s.Pairs, e)
	}
	return s
}

// document reports the result.
func (g *Given) document() *report.Document {
	s, finding, basis := g.record(), g.finding(), g.basis()
	values := report.Values{{"p-value given " + g.Covariates.Names(), g.pValue()},
		{"p-value without", report.Figures(g.Alone.P)}}
	d := &report.Document{Page: g.Data.Page(g.title()), Record: s, Rejects: s.Reject,
		Printed: []report.Block{report.Paragraphs(finding), report.Lines{g.question()}, values}}
	d.Sure.Text = finding
	if len(g.Columns) > 0 {
		table := g.columnTable()
		d.Printed = append(d.Printed, table)
		d.Sure.Tables = report.Tables(table)
	}
	if len(g.Pairs) > 0 {
		table := g.table()
		d.Printed = append(d.Printed, table)
		d.Sure.Tables = append(d.Sure.Tables, report.Tables(table)...)
		d.Figures = g.forest()
		d.Files = []report.File{{Name: "pairs.csv", What: "the pairs", Fill: g.writeCSV}}
	}
	said := s.Notes
	if t := g.Result.Test; t != nil {
		said = ofTest(said, t.Kernel, t.KernelY)
	}
	d.Printed = append(d.Printed, report.Paragraphs(append(basis, said...)))
	d.Rests = page.Section{Text: basis, Notes: s.Notes}
	if t := g.Result.Test; t != nil && len(t.Draws) > 0 {
		d.Rests.Figures = []page.Figure{{Draw: (&Tested{Result: t}).nullPicture(), File: "null",
			What: "the null distribution", Caption: "The statistic of the data, and those of the permutations, " +
				"which it is compared with."}}
	}
	d.Settings = []page.Setting{{Name: "given", Value: g.Covariates.Names()}, {Name: "method", Value: s.Method},
		{Name: "level", Value: fmt.Sprint(s.Alpha)}, {Name: "seed", Value: strconv.FormatUint(s.Seed, 10)}}
	return d
}

// pValue writes p with its Monte Carlo error.
func (g *Given) pValue() string {
	if g.Result.Test != nil {
		return (&Tested{Result: g.Result.Test}).pValue()
	}
	return report.Figures(g.Result.P)
}

// question names what is compared.
func (g *Given) question() string {
	if g.Variables {
		return fmt.Sprintf("%s against %s given %s, n = %d", g.Names[0], g.Names[1], g.Covariates.Names(),
			g.Result.Rows)
	}
	var parts []string
	for k, name := range g.Names {
		parts = append(parts, fmt.Sprintf("%s (n = %d)", name, g.Rows[k]))
	}
	return fmt.Sprintf("%s given %s", strings.Join(parts, " against "), g.Covariates.Names())
}

// first is what is compared, at the start of a sentence.
func (g *Given) first() string {
	if len(g.Names) > 2 {
		return capital(g.what())
	}
	return g.what()
}

// what is compared, for a sentence.
func (g *Given) what() string {
	if len(g.Names) > 2 {
		return fmt.Sprintf("the %d groups", len(g.Names))
	}
	return g.Names[0] + " and " + g.Names[1]
}

// title is the finding in a few words.
func (g *Given) title() string {
	p, z := report.Short(g.Result.P), g.Covariates.Names()
	switch {
	case g.Variables && g.Result.Reject:
		return fmt.Sprintf("%s are dependent given %s, p = %s", g.what(), z, p)
	case g.Variables:
		return fmt.Sprintf("Independence of %s given %s is not rejected (p = %s)", g.what(), z, p)
	case g.Result.Reject:
		return fmt.Sprintf("%s differ given %s, p = %s", g.first(), z, p)
	}
	return fmt.Sprintf("No difference between %s given %s is found (p = %s)", g.what(), z, p)
}

// finding are the first sentences of the report.
func (g *Given) finding() []string {
	r, z := g.Result, g.Covariates.Names()
	kind := fmt.Sprintf("exact test within %s, p = %s", cli.Plural(r.Strata, "stratum"), report.Short(r.P))
	if r.Strata != 1 {
		kind = fmt.Sprintf("exact test within %d strata, p = %s", r.Strata, report.Short(r.P))
	}
	if r.Test == nil {
		kind = fmt.Sprintf("approximate test by regression, p = %s", report.Short(r.P))
	}
	var first string
	level := strconv.FormatFloat(r.Alpha, 'g', -1, 64)
	switch {
	case g.Variables && r.Reject:
		first = fmt.Sprintf("%s are dependent given %s (%s).", g.what(), z, kind)
	case g.Variables:
		first = fmt.Sprintf("Independence of %s given %s is not rejected at level %s (%s). This does not show "+
			"that they are independent.", g.what(), z, level, kind)
	case r.Reject:
		first = fmt.Sprintf("%s differ given %s (%s).", g.first(), z, kind)
	default:
		first = fmt.Sprintf("%s cannot be told apart given %s at level %s (%s). This does not show that they "+
			"are the same.", g.first(), z, level, kind)
	}
	out := []string{first, fmt.Sprintf("Without %s: p = %s.", z, report.Short(g.Alone.P))}
	if len(g.Columns) > 0 {
		var names []string
		for _, c := range g.Columns {
			if c.adjusted <= r.Alpha*(1+1e-12) {
				names = append(names, c.name)
			}
		}
		if len(names) > 0 {
			out = append(out, fmt.Sprintf("These columns differ on their own given %s, corrected for their number: "+
				"%s.", z, cli.AndList(cli.Fewer(names))))
		} else {
			out = append(out, fmt.Sprintf("No single column differs given %s at level %s, corrected for %d columns.",
				z, level, len(g.Columns)))
		}
	}
	if len(g.Pairs) == 0 {
		return out
	}
	differ := g.differing()
	if len(differ) == 0 {
		return append(out, fmt.Sprintf("No single pair differs given %s at level %s, corrected for their number.",
			z, level))
	}
	return append(out, fmt.Sprintf("Pairs that differ given %s at level %s, corrected for their number: %s.", z,
		level, strings.Join(cli.Fewer(differ), "; ")))
}

// basis says what the finding rests on.
func (g *Given) basis() []string {
	r, z := g.Result, g.Covariates.Names()
	if t := r.Test; t != nil {
		out := []string{fmt.Sprintf("Rows are exchanged only with rows of the same %s. The test averages over "+
			"these strata: differences that have opposite signs in different strata cancel. %s", z,
			NullSentence(t, g.Flags.Seed))}
		if r.Used == r.Rows { // otherwise a note says it
			out = append(out, fmt.Sprintf("All %d rows are used.", r.Rows))
		}
		return out
	}
	of := [2]string{"the data", "the groups"}
	if g.Variables {
		of = [2]string{g.Names[0], g.Names[1]}
	}
	return []string{fmt.Sprintf("What regressions on %s leave is compared. They predict %s of %s and %s of %s "+
		"(R2, leave-one-out). An effect of %s that they cannot follow is not adjusted for.", z,
		percent(r.Regression.X.R2), of[0], percent(r.Regression.Y.R2), of[1], z)}
}

// percent writes a share; one below 0 predicts nothing.
func percent(r2 float64) string { return fmt.Sprintf("%.0f%%", 100*max(0, r2)) }

// table has a row for each pair.
func (g *Given) table() report.Table {
	t := report.Table{Head: []string{"", "rows", "p", "p (Holm)", ""}, Words: []int{4}}
	for _, p := range g.Pairs {
		row := []string{p.names[0] + ", " + p.names[1], fmt.Sprintf("%d, %d", p.rows[0], p.rows[1]), "", "",
			"cannot be compared"}
		if p.result != nil {
			row[2], row[3], row[4] = report.Figures(p.result.P), report.Figures(p.adjusted), ""
			if p.adjusted <= g.Result.Alpha*(1+1e-12) {
				row[4] = "different"
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// columnTable has a row for each column.
func (g *Given) columnTable() report.Table {
	t := report.Table{Head: []string{"column", "p", "p (Holm)", ""}, Words: []int{3}}
	for _, c := range g.Columns {
		word := ""
		if c.adjusted <= g.Result.Alpha*(1+1e-12) {
			word = "different"
		}
		t.Rows = append(t.Rows, []string{c.name, report.Figures(c.p), report.Figures(c.adjusted), word})
	}
	return t
}

// forest draws the p-values of the pairs.
func (g *Given) forest() []page.Figure {
	f := figure.Forest{Title: "All pairs of groups given " + g.Covariates.Names(), Each: "pair",
		Correction: "Holm", Alpha: g.Result.Alpha}
	for _, p := range g.Pairs {
		if p.result != nil {
			f.Names, f.P = append(f.Names, p.names[0]+", "+p.names[1]), append(f.P, p.result.P)
			f.Corrected = append(f.Corrected, p.adjusted)
		}
	}
	if len(f.Names) == 0 {
		return nil
	}
	return []page.Figure{{Draw: f, File: "figure", What: "the picture",
		Caption: fmt.Sprintf("The p-value of each pair given %s, alone and corrected for %d pairs.",
			g.Covariates.Names(), len(f.Names))}}
}

// writeCSV writes a row for each pair.
func (g *Given) writeCSV(w io.Writer) error {
	b := []byte("first,second,rows_first,rows_second,p,p_holm\n")
	for _, p := range g.Pairs {
		b = fmt.Appendf(b, "%s,%s,%d,%d,", report.CSV(p.names[0]), report.CSV(p.names[1]), p.rows[0], p.rows[1])
		if p.result != nil {
			b = fmt.Appendf(b, "%v,%v\n", p.result.P, p.adjusted)
		} else {
			b = append(b, ",\n"...)
		}
	}
	_, err := w.Write(b)
	return err
}
