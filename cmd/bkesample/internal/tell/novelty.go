package tell

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/draws"
)

// NoveltyReport is what is told of the novelty of rows.
type NoveltyReport struct {
	*work.Novel
	dir     string
	Again   string // how to make it again
	Summary *noveltySummary
}

// noveltySummary is summary.json of it.
type noveltySummary struct {
	SchemaVersion int          `json:"schema_version"`
	Command       string       `json:"command"`
	Source        string       `json:"source"`
	Columns       []string     `json:"columns"`
	Samples       []sample     `json:"samples"`
	Verdict       []string     `json:"verdict"`
	Alpha         number       `json:"alpha"`
	Reject        bool         `json:"reject"`
	Listed        int          `json:"listed"`
	Correction    string       `json:"correction"`
	SmallestP     number       `json:"smallest_p"`
	Calibration   string       `json:"calibration"`
	KernelRows    int          `json:"kernel_rows"`
	FittedRows    int          `json:"fitted_rows"`
	RankedRows    int          `json:"ranked_rows"`
	Guarantee     []string     `json:"guarantee"`
	Kernel        kernelRecord `json:"kernel"`
	Scale2        number       `json:"scale2"`
	Beta          number       `json:"beta"`
	MostNovel     []noveltyRow `json:"most_novel"`
	Seed          uint64       `json:"seed"`
	Notes         []string     `json:"notes"`
}

// noveltyRow is one row of the second sample.
type noveltyRow struct {
	Row   int    `json:"row"`
	Score number `json:"score"`
	P     number `json:"p"`
	Q     number `json:"q"`
	Novel bool   `json:"novel"`
}

// Rows that are told of: all that are listed, up to a bound, and at least some.
const (
	leastTold = 10
	mostTold  = 1000
)

// NewNoveltyReport puts novelty into words.
func NewNoveltyReport(n *work.Novel, dir, again string) *NoveltyReport {
	r := &NoveltyReport{Novel: n, dir: dir, Again: again}
	p, _ := n.Data.P.Dims()
	listed, params := n.Listed(), n.Flags.Params()
	s := &noveltySummary{SchemaVersion: draws.SchemaVersion, Command: "novelty", Source: n.Data.Source,
		Columns: n.Data.Columns, Samples: []sample{{n.Data.PName, p}, {n.Data.QName, len(n.P)}},
		Alpha: number(n.Flags.Alpha), Reject: listed > 0, Listed: listed,
		Correction: "benjamini-hochberg", SmallestP: number(1 / float64(n.Ranked+1)),
		Calibration: r.Method(), KernelRows: n.Part, FittedRows: n.Fitted, RankedRows: n.Ranked,
		Guarantee: r.guarantee(), Kernel: recordOf(n.Kernel), Scale2: number(params.Scale2),
		Beta: number(params.Beta), MostNovel: []noveltyRow{}, Seed: n.Flags.Kernel.Seed()}
	r.Summary = s
	for _, i := range n.Order[:min(len(n.Order), max(listed, leastTold), mostTold)] {
		s.MostNovel = append(s.MostNovel, r.row(i))
	}
	s.Notes = unlike(nil, n.Kernel.Notes, n.Data.Notes, r.notes())
	s.Verdict = append([]string{r.Finding()}, s.Guarantee...)
	return r
}

// row is that of the second sample with this index.
func (r *NoveltyReport) row(i int) noveltyRow {
	return noveltyRow{Row: i + 1, Score: number(digits(r.Score[i])), P: number(r.P[i]),
		Q: number(r.Q[i]), Novel: r.Q[i] <= r.Flags.Alpha}
}

// digits keeps those of a score that all machines agree on.
func digits(v float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Method is how p-values were made.
func (r *NoveltyReport) Method() string {
	if r.Full {
		return "full"
	}
	return "split"
}

// Finding is the first sentence.
func (r *NoveltyReport) Finding() string {
	s := r.Summary
	level := strconv.FormatFloat(r.Flags.Alpha, 'g', -1, 64)
	if s.Listed == 0 {
		return fmt.Sprintf("No row of %s is novel relative to %s at level %s, corrected for %s. The most novel, "+
			"row %d, has p = %s.", r.Data.QName, r.Data.PName, level, cli.Plural(len(r.P), "row"),
			r.Order[0]+1, short(r.P[r.Order[0]]))
	}
	are := "are"
	if s.Listed == 1 {
		are = "is"
	}
	var names []string
	for _, i := range r.Order[:s.Listed] {
		names = append(names, strconv.Itoa(i+1))
	}
	return fmt.Sprintf("%d of %s of %s %s novel relative to %s at level %s, corrected for their number: %s %s.",
		s.Listed, cli.Plural(len(r.P), "row"), r.Data.QName, are, r.Data.PName, level,
		strings.TrimPrefix(cli.Plural(s.Listed, "row"), strconv.Itoa(s.Listed)+" "),
		strings.Join(fewer(names), ", "))
}

// Title is the finding in few words.
func (r *NoveltyReport) Title() string {
	if r.Summary.Listed == 0 {
		return fmt.Sprintf("No row of %s is novel relative to %s (smallest p = %s)", r.Data.QName, r.Data.PName,
			short(r.P[r.Order[0]]))
	}
	return fmt.Sprintf("%d of %s of %s novel relative to %s", r.Summary.Listed,
		cli.Plural(len(r.P), "row"), r.Data.QName, r.Data.PName)
}

// guarantee says what the p-values and the list promise, and when.
func (r *NoveltyReport) guarantee() []string {
	set := ""
	if r.Part > 0 {
		set = fmt.Sprintf(" (the other %d chose the kernel)", r.Part)
		if !r.Full {
			set = fmt.Sprintf(" (%d others were fitted)", r.Part)
		}
	}
	p := fmt.Sprintf("If a row of %s and the %d rows of %s that it is ranked among%s are exchangeable, as "+
		"independent draws of one distribution are, its p-value is at most a with probability at most a, "+
		"for any a and any distribution. Rows that depend on their neighbours, as in a time series, are "+
		"not exchangeable.", r.Data.QName, r.Ranked, r.Data.PName, set)
	level := strconv.FormatFloat(r.Flags.Alpha, 'g', -1, 64)
	q := fmt.Sprintf("q is p corrected by Benjamini and Hochberg's method: of the rows with q at most %s, "+
		"a share of at most %s is expected not to be novel. ", level, level)
	if r.Full {
		return []string{p, q + "This is proven for -calibrate split with independent rows; with full, whose " +
			"p-values depend on each other in another way, it is not."}
	}
	return []string{p, q + "This holds if the rows are independent (Bates, Candès, Lei, Romano and " +
		"Sesia, 2023)."}
}

// notes say what the reader should know of the sizes.
func (r *NoveltyReport) notes() []string {
	var out []string
	n, _ := r.Data.P.Dims()
	least, m := 1/float64(r.Ranked+1), len(r.P)
	switch need := math.Ceil(least * float64(m) / r.Flags.Alpha * (1 - 1e-12)); {
	case need > float64(m):
		out = append(out, fmt.Sprintf("Among %d rows no p-value is below %s: no row can be listed at this "+
			"level. It takes more rows of %s.", r.Ranked, short(least), r.Data.PName))
	case need > 1:
		out = append(out, fmt.Sprintf("Among %d rows no p-value is below %s: with %d rows to correct for, "+
			"either none is listed or at least %.0f are.", r.Ranked, short(least), m, need))
	}
	if left := n - r.Part - r.Ranked; left > 0 {
		out = append(out, fmt.Sprintf("%s of %s, drawn at random, are not used: %d are fitted and %d ranked.",
			cli.Plural(left, "row"), r.Data.PName, r.Fitted, r.Ranked))
	}
	return out
}

// Table has the most novel rows.
func (r *NoveltyReport) Table() Table {
	t := Table{Intro: fmt.Sprintf("The most novel rows of %s, numbered from 1:", r.Data.QName),
		Head: []string{"row", "score", "p", "q", ""}}
	for _, row := range r.Summary.MostNovel[:min(len(r.Summary.MostNovel), 2*leastTold)] {
		word := ""
		if row.Novel {
			word = "novel"
		}
		t.Rows = append(t.Rows, []string{strconv.Itoa(row.Row), Figures(float64(row.Score)),
			Figures(float64(row.P)), Figures(float64(row.Q)), word})
	}
	return t
}

// ScoreWords says what a score is.
const ScoreWords = "The score is by how much the log density of the kernel Student-t is lower at the row " +
	"than at the median row of the first sample: the larger, the more novel."

// Basis says what the finding rests on.
func (r *NoveltyReport) Basis() []string {
	n, _ := r.Data.P.Dims()
	kernel := kernelSentence("", r.Kernel)
	if r.Part > 0 {
		kernel += fmt.Sprintf(" It was chosen by %d of the %d rows of %s, drawn at random.", r.Part, n,
			r.Data.PName)
	}
	return []string{ScoreWords, kernel}
}

// Text prints the most novel rows.
func (r *NoveltyReport) Text(out io.Writer) error {
	var b strings.Builder
	paragraph(&b, r.Finding())
	n, _ := r.Data.P.Dims()
	fmt.Fprintf(&b, "\n%s: %d and %s\n\n", r.Data.Source, n, cli.Plural(len(r.P), "row"))
	if err := r.Table().write(&b); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	for _, list := range [][]string{r.Summary.Guarantee, r.Basis(), r.Summary.Notes} {
		for _, text := range list {
			paragraph(&b, text)
		}
	}
	fmt.Fprintf(&b, "\nOpen %s.\n", filepath.Join(r.dir, "report.html"))
	_, err := io.WriteString(out, b.String())
	return err
}

// WriteCSV writes each row of the second sample, in their order.
func (r *NoveltyReport) WriteCSV(w io.Writer) error {
	b := []byte("row,score,p,q,novel\n")
	for i := range r.P {
		row := r.row(i)
		b = fmt.Appendf(b, "%d,%v,%v,%v,%v\n", row.Row, float64(row.Score), float64(row.P),
			float64(row.Q), row.Novel)
	}
	_, err := w.Write(b)
	return err
}
