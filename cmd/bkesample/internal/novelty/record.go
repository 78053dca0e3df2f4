package novelty

import (
	"fmt"
	"io"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
)

// record is summary.json.
type record struct {
	report.Head
	Source      string               `json:"source" doc:"The files, in words."`
	Columns     []string             `json:"columns" doc:"The names of the columns that are data."`
	Samples     []study.SampleRecord `json:"samples" doc:"The known rows and the new ones."`
	Verdict     []string             `json:"verdict" doc:"What was found, in sentences, the finding first."`
	Alpha       report.Number        `json:"alpha" doc:"The level of the list."`
	Reject      bool                 `json:"reject" doc:"Whether any row is listed."`
	Listed      int                  `json:"listed" doc:"The number of rows that are listed as novel."`
	Correction  string               `json:"correction" doc:"The correction of the p-values for their number."`
	SmallestP   report.Number        `json:"smallest_p" doc:"The smallest p-value that so many ranked rows allow."`
	Calibration string               `json:"calibration" doc:"How p-values are made: full or split."`
	KernelRows  int                  `json:"kernel_rows" doc:"The number of known rows that chose the kernel."`
	FittedRows  int                  `json:"fitted_rows" doc:"The number of known rows in the model that scores are of."`
	RankedRows  int                  `json:"ranked_rows" doc:"The number of known rows that each new row is ranked among."`
	Guarantee   []string             `json:"guarantee" doc:"What p and q promise, and when, in sentences."`
	Kernel      tests.KernelRecord   `json:"kernel" doc:"How the kernel was chosen."`
	Scale2      report.Number        `json:"scale2" doc:"The scale of the Student-t's prior in the space of features."`
	Beta        report.Number        `json:"beta" doc:"How many rows the prior mean is worth."`
	MostNovel   []rowRecord          `json:"most_novel" doc:"The rows that are listed and the next ones, the most novel first."`
	Seed        uint64               `json:"seed" doc:"The seed of all random numbers."`
	Notes       []string             `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
}

// rowRecord is one row of the second sample.
type rowRecord struct {
	Row   int           `json:"row" doc:"The number of the row in its file, from 1, without the header."`
	at    int           // among the rows of the second sample
	Score report.Number `json:"score" doc:"By how much the log density is lower than at the median known row, to six digits."`
	P     report.Number `json:"p" doc:"The p-value."`
	Q     report.Number `json:"q" doc:"The p-value corrected for the number of rows."`
	Novel bool          `json:"novel" doc:"Whether the row is listed."`
	Why   []partRecord  `json:"columns,omitempty" doc:"Of the first dozen listed rows, if there are several columns: those that make it novel, the one with the largest fall first."`
}

// partRecord is the part of a column in the novelty of a row.
type partRecord struct {
	Name    string           `json:"name" doc:"The column."`
	Value   report.Number    `json:"value" doc:"The row's value."`
	Usual   [2]report.Number `json:"usual" doc:"The 5% and 95% quantiles of the known rows."`
	Instead report.Number    `json:"instead" doc:"The value with the lowest score, the other columns being as they are."`
	Fall    report.Number    `json:"fall" doc:"By how much the score falls with that value, to six digits."`
}

// Bounds on the number of reported rows: all listed rows up to mostTold, but at least leastTold.
const (
	leastTold = 10
	mostTold  = 1000
)

// ofKernel are the notes of the kernel, but those that are of no use here. The columns made of categories depend on each
// other by their making, of which no note need say that columns may be left out. Heavy tails were drawn in where the
// lengthscale was learned, so the warning of them, which is about some of the rows drawn in, gives way to that.
func (r *result) ofKernel() []string {
	none := map[string]bool{}
	if m := r.kernel.Model; m != nil {
		for _, w := range m.Warnings() {
			none[w.Sentence] = w.Kind == bke.WarnHeavyTails || w.Kind == bke.WarnRank && r.data.Indicators
		}
	}
	out := slices.DeleteFunc(slices.Clone(r.kernel.Notes), func(s string) bool { return none[s] })
	var names []string
	for _, j := range r.kernel.Heavy {
		names = append(names, r.data.Columns[j])
	}
	if names == nil {
		return out
	}
	return append(out, fmt.Sprintf("The tails of %s are heavy: theta is learned from the rows with values beyond three "+
		"standard deviations of their bulk drawn in.", cli.AndList(cli.Fewer(names))))
}

// record is what summary.json says.
func (r *result) record() *record {
	known, params, guarantee := r.known(), r.flags.params(), r.guarantee()
	s := &record{Head: report.NewHead("novelty"), Source: r.data.Source, Columns: r.data.Columns,
		Samples: []study.SampleRecord{{Name: r.data.PName, Rows: known}, {Name: r.data.QName, Rows: len(r.p)}},
		Verdict: append([]string{r.finding()}, guarantee...), Alpha: report.Number(r.flags.alpha),
		Reject: r.listed > 0, Listed: r.listed, Correction: "benjamini-hochberg",
		SmallestP: report.Number(r.smallestP()), Calibration: r.method(), KernelRows: r.part,
		FittedRows: r.fitted, RankedRows: r.ranked, Guarantee: guarantee,
		Kernel: tests.NewKernelRecord(r.kernel), Scale2: report.Number(params.Scale2),
		Beta: report.Number(params.Beta), Seed: r.flags.kernel.Seed(),
		Notes: report.Once(r.ofKernel(), r.data.Notes, r.notes())}
	for _, i := range r.order[:min(len(r.order), max(r.listed, leastTold), mostTold)] {
		s.MostNovel = append(s.MostNovel, r.row(i))
	}
	return s
}

// row is the record of the row of the second sample with this index.
func (r *result) row(i int) rowRecord {
	out := rowRecord{Row: r.data.RowOf(1, i), at: i, Score: report.Agreed(r.score[i]), P: report.Number(r.p[i]),
		Q: report.Number(r.q[i]), Novel: r.q[i] <= r.flags.alpha}
	for _, c := range r.why[i] {
		out.Why = append(out.Why, partRecord{r.data.Columns[c.column], report.Number(c.value),
			[2]report.Number{report.Number(c.usual[0]), report.Number(c.usual[1])}, report.Agreed(c.instead),
			report.Agreed(c.fall)})
	}
	return out
}

// writeWhy writes the columns of the explained rows, the most novel row first.
func (s *record) writeWhy(w io.Writer) error {
	b := []byte("row,column,value,usual_low,usual_high,instead,fall\n")
	for _, row := range s.MostNovel {
		for _, c := range row.Why {
			b = fmt.Appendf(b, "%d,%s,%v,%v,%v,%v,%v\n", row.Row, report.CSV(c.Name), float64(c.Value),
				float64(c.Usual[0]), float64(c.Usual[1]), float64(c.Instead), float64(c.Fall))
		}
	}
	_, err := w.Write(b)
	return err
}

// writeCSV writes every row of the second sample, in the original order.
func (r *result) writeCSV(w io.Writer) error {
	b := []byte("row,score,p,q,novel\n")
	for i := range r.p {
		row := r.row(i)
		b = fmt.Appendf(b, "%d,%v,%v,%v,%v\n", row.Row, float64(row.Score), float64(row.P),
			float64(row.Q), row.Novel)
	}
	_, err := w.Write(b)
	return err
}
