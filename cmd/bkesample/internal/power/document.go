package power

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// record is summary.json.
type record struct {
	report.Head
	Verdict      []string      `json:"verdict" doc:"What was found, in sentences, the finding first."`
	Problem      string        `json:"problem" doc:"Where the data sets were drawn from: the pilot, or a named problem."`
	Paired       bool          `json:"paired" doc:"Whether it is a test of independence, whose rows are pairs."`
	Method       string        `json:"method" doc:"The rule for the kernels of the test."`
	Alpha        report.Number `json:"alpha" doc:"The level of the test."`
	Target       report.Number `json:"power_wanted" doc:"The power that was asked for."`
	Rows         int           `json:"rows" doc:"The number of rows of each sample with which the power, by a curve through those of all sizes tried, is the one wanted; 0 if none has."`
	From         int           `json:"rows_from" doc:"The lower end of the 95% interval of this number; 0 where it is not known."`
	To           int           `json:"rows_to" doc:"The upper end; 0 where it is not known."`
	Permutations int           `json:"permutations" doc:"The number of permutations of each test."`
	Replicates   int           `json:"replicates" doc:"The number of data sets of each size."`
	Sizes        []sizeRecord  `json:"sizes" doc:"The power at each number of rows that was tried."`
	Pilot        *pilotRecord  `json:"pilot,omitempty" doc:"The test of the pilot itself; not there without a pilot."`
	Seed         uint64        `json:"seed" doc:"The seed of all random numbers."`
	Notes        []string      `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
}

type sizeRecord struct {
	Rows     int           `json:"rows" doc:"The number of rows of each sample."`
	Power    report.Number `json:"power" doc:"The share of data sets in which the test rejects."`
	From     report.Number `json:"from" doc:"The lower end of the 95% interval of the power."`
	To       report.Number `json:"to" doc:"The upper end of the 95% interval of the power."`
	Rejected int           `json:"rejected" doc:"The number of data sets in which the test rejects."`
	Failed   int           `json:"failed" doc:"The number of data sets that could not be tested; they count as not rejected."`
}

// pilotRecord is the test of the pilot itself.
type pilotRecord struct {
	Samples []study.SampleRecord `json:"samples" doc:"The samples, P before Q."`
	P       report.Number        `json:"p" doc:"The p-value."`
}

// document reports the result.
func (r *found) document() (*report.Document, error) {
	f, table, notes := r.flags, r.table(), r.notes()
	draw, err := r.picture()
	if err != nil {
		return nil, err
	}
	d := &report.Document{Page: page.Page{Title: r.headline(), About: r.from.name}, Record: r.record(notes),
		Files: []report.File{{Name: "power.csv", What: "the power of each size", Fill: r.writeCSV}}}
	d.Printed = []report.Block{report.Paragraphs{r.finding()}, table,
		report.Paragraphs(append([]string{r.basis()}, notes...))}
	d.Figures = []page.Figure{{Draw: draw, File: "power", What: "the picture", Caption: fmt.Sprintf(
		"The share of %d data sets of each size in which the test rejects.", f.replicates)}}
	d.Sure = page.Section{Text: []string{r.finding()}, Tables: report.Tables(table)}
	d.Rests = page.Section{Text: []string{r.basis()}, Notes: notes}
	d.Settings = []page.Setting{{Name: "rule for the kernel", Value: r.method},
		{Name: "permutations", Value: strconv.Itoa(f.permutations)},
		{Name: "level", Value: fmt.Sprint(f.alpha)},
		{Name: "power wanted", Value: fmt.Sprint(f.target)},
		{Name: "data sets of each size", Value: strconv.Itoa(f.replicates)},
		{Name: "seed", Value: strconv.FormatUint(f.seed, 10)}}
	return d, nil
}

func (r *found) record(notes []string) *record {
	f := r.flags
	out := &record{Head: report.NewHead("power"), Verdict: []string{r.finding()}, Problem: r.from.name,
		Paired: r.from.paired, Method: r.method, Alpha: report.Number(f.alpha),
		Target: report.Number(f.target), Rows: r.rows, From: r.span[0], To: r.span[1], Permutations: f.permutations,
		Replicates: f.replicates, Seed: f.seed, Notes: notes}
	for _, s := range r.sizes {
		out.Sizes = append(out.Sizes, sizeRecord{s.rows, report.Number(s.Power()), report.Number(s.lower),
			report.Number(s.upper), s.Rejected, s.Failed})
	}
	if t := r.pilot; t != nil {
		out.Pilot = &pilotRecord{P: report.Number(t.Result.P), Samples: []study.SampleRecord{
			{Name: t.Names[0], Rows: t.Result.RowsX}, {Name: t.Names[1], Rows: t.Result.RowsY}}}
	}
	return out
}

// notes are caveats; never nil, so that JSON has an empty list.
func (r *found) notes() []string {
	out := []string{}
	for _, s := range r.sizes {
		if s.Failed > 0 {
			out = append(out, fmt.Sprintf("%d of %d data sets of %d rows could not be tested, "+
				"and count as not rejected.", s.Failed, s.Replicates, s.rows))
		}
	}
	if r.pilot == nil {
		return out
	}
	if p, q := r.pilot.Result.RowsX, r.pilot.Result.RowsY; !r.from.paired && p != q {
		out = append(out, fmt.Sprintf("The pilot has %d and %d rows; the plan is of as many rows in each sample.", p, q))
	}
	out = append(out, "Data sets are rows of the pilot, drawn with replacement. So the "+
		"answer takes the difference in the pilot as it is: part of it is chance, and the true "+
		"power is then lower.")
	if t := r.pilot.Result; !t.Reject {
		out = append(out, fmt.Sprintf("The pilot itself is not significant (p = %s): "+
			"there may be nothing to find.", report.Figures(t.P)))
	}
	return append(out, r.pilot.Notes()...)
}

// picture draws the power against the number of rows.
func (r *found) picture() (figure.Curves, error) {
	var rows []float64
	var rejected, tested []int
	for _, s := range r.sizes {
		rows = append(rows, float64(s.rows))
		rejected, tested = append(rejected, s.Rejected), append(tested, s.Replicates)
	}
	s, err := figure.Proportions("power", rows, rejected, tested, level)
	if err != nil {
		return figure.Curves{}, err
	}
	f := figure.Curves{Title: r.from.name, XLabel: r.of(), YLabel: "power", LogX: true,
		YRange: [2]float64{0, 1}, Series: []figure.Series{s},
		Note:  fmt.Sprintf("%.6g%% intervals", 100*level),
		Lines: []figure.Mark{{Y: r.flags.target, Label: fmt.Sprintf("wanted: %g", r.flags.target)}}}
	if r.rows > 0 {
		f.Uprights = []figure.Mark{{X: float64(r.rows), Label: fmt.Sprintf("%d %s", r.rows, r.of())}}
	}
	return f, nil
}

// table has a row for each size.
func (r *found) table() report.Table {
	t := report.Table{Head: []string{r.of(), "power", "95% interval"}}
	for _, s := range r.sizes {
		t.Rows = append(t.Rows, []string{strconv.Itoa(s.rows), report.Fixed(s.Power()),
			report.Fixed(s.lower) + " to " + report.Fixed(s.upper)})
	}
	return t
}

// writeCSV writes a row for each size.
func (r *found) writeCSV(w io.Writer) error {
	b := []byte("rows,power,from,to,rejected,replicates,failed\n")
	for _, s := range r.sizes {
		b = fmt.Appendf(b, "%d,%v,%v,%v,%d,%d,%d\n", s.rows, s.Power(), s.lower, s.upper, s.Rejected,
			r.flags.replicates, s.Failed)
	}
	_, err := w.Write(b)
	return err
}

// of says what rows are called.
func (r *found) of() string {
	if r.from.paired {
		return "pairs"
	}
	return "rows in each sample"
}

// basis says what the finding is based on.
func (r *found) basis() string {
	f, curved := r.flags, ""
	if r.span[0] > 0 {
		curved = fmt.Sprintf(" The number is that of a curve through the powers of all sizes within %d times of it, normal in the "+
			"root of the number of rows; it and its power have 95%% intervals. The power of one size alone is too high where "+
			"the size was chosen for it.", near)
	}
	return fmt.Sprintf("%s: test %s at level %g with %d permutations, %d data sets of each size, "+
		"seed %d.%s", r.from.name, r.method, f.alpha, f.permutations, f.replicates, f.seed, curved)
}

// title is the finding in a few words.
func (r *found) title() string {
	last, about := r.sizes[len(r.sizes)-1], "About"
	switch r.rows {
	case 0:
		return fmt.Sprintf("%d %s are not enough for power %g", last.rows, r.of(), r.flags.target)
	case r.sizes[0].rows:
		about = "At most"
	}
	return fmt.Sprintf("%s %d %s are needed for power %g", about, r.rows, r.of(), r.flags.target)
}

// headline is the title of the page.
func (r *found) headline() string {
	if r.rows > 0 && r.unproven() {
		return "The pilot shows nothing to plan for by itself"
	}
	return r.title()
}

// unproven reports whether the pilot itself is not significant.
func (r *found) unproven() bool { return r.pilot != nil && !r.pilot.Result.Reject }

// finding says how many rows are needed.
func (r *found) finding() string {
	if r.rows == 0 {
		return fmt.Sprintf("%s: with them it is %.2f (-most tries more).", r.title(),
			r.sizes[len(r.sizes)-1].Power())
	}
	title := r.title()
	if r.unproven() {
		what := "difference"
		if r.from.paired {
			what = "dependence"
		}
		title = fmt.Sprintf("The %s in the pilot is not significant: if it is real, %s%s", what, strings.ToLower(title[:1]), title[1:])
	}
	return fmt.Sprintf("%s%s: with them the test rejects in %.0f%% of data sets (%.0f%% to %.0f%%).%s",
		title, r.between(), 100*r.power[0], 100*r.power[1], 100*r.power[2], r.smallPilot())
}

// between is the range of the number of rows.
func (r *found) between() string {
	switch from, to := r.span[0], r.span[1]; {
	case from == 0:
		return ""
	case to == 0:
		return fmt.Sprintf(" (at least %d)", from)
	default:
		return fmt.Sprintf(" (%d to %d)", from, to)
	}
}

// smallPilot warns of data sets of more rows than the pilot has: the same values, again and again, differ for certain
// where those of new rows need not.
func (r *found) smallPilot() string {
	if r.pilot == nil {
		return ""
	}
	rows := min(r.pilot.Result.RowsX, r.pilot.Result.RowsY)
	if r.rows <= rows {
		return ""
	}
	return fmt.Sprintf(" That is too hopeful: these data sets repeat the %d rows of the pilot, and what in these is chance "+
		"differs in all of them. A pilot of at least as many rows would tell.", rows)
}
