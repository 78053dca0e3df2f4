package bags

import (
	"fmt"
	"io"

	"bayeskernel/cmd/internal/report"
)

// record is summary.json.
type record struct {
	report.Head
	Source    string          `json:"source" doc:"The file, in words."`
	Columns   []string        `json:"columns" doc:"The names of the columns that are data."`
	Bag       string          `json:"bag" doc:"The column of bags."`
	Target    string          `json:"y" doc:"The column that is predicted."`
	Classes   []string        `json:"classes" doc:"The two classes; empty for numbers."`
	Verdict   []string        `json:"verdict" doc:"What was found, in sentences, the finding first."`
	Share     report.Number   `json:"explained" doc:"1 less the ratio of squared errors, or of log losses, to those without the rows."`
	Lower     report.Number   `json:"explained_lower" doc:"The lower end of its 90% interval."`
	Upper     report.Number   `json:"explained_upper" doc:"The upper end."`
	Error     report.Number   `json:"error" doc:"Root mean squared error of a bag left out, or mean log loss."`
	Without   report.Number   `json:"error_without_rows" doc:"The same without the rows."`
	Inside    report.Number   `json:"share_right" doc:"The share of bags within their intervals, or of classes that are right."`
	Level     report.Number   `json:"level" doc:"The level of intervals."`
	Bags      []bagRecord     `json:"bags" doc:"The known bags, each predicted without its own value."`
	New       []bagRecord     `json:"new" doc:"The new bags."`
	Theta     report.Number   `json:"theta" doc:"The lengthscale, in the units of the scaled columns."`
	Sigma     report.Number   `json:"sigma" doc:"The sd of a value around its regression; of classes that of a first fit of numbers."`
	Kappa     report.Number   `json:"kappa" doc:"The scale of the weights; of classes that of a first fit of numbers."`
	Landmarks int             `json:"landmarks" doc:"The number of landmarks."`
	Scales    []report.Number `json:"column_scales" doc:"What each column was divided by; empty if the units are those of the data."`
	Seed      uint64          `json:"seed" doc:"The seed of all random numbers."`
	Notes     []string        `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
	Warnings  []string        `json:"warnings" doc:"What may be wrong, in sentences."`
}

// bagRecord is one bag.
type bagRecord struct {
	Name  string        `json:"name" doc:"The bag."`
	Rows  int           `json:"rows" doc:"The number of its rows."`
	Truth report.Number `json:"y" doc:"Its value, or 0 and 1 for the classes; null for new bags."`
	Mean  report.Number `json:"predicted" doc:"The prediction, or the probability of the second class."`
	Lower report.Number `json:"lower" doc:"The lower end of its interval; null for classes."`
	Upper report.Number `json:"upper" doc:"The upper end."`
}

// record is the contents of summary.json.
func (r *result) record() *record {
	m := r.measure()
	s := &record{Head: report.NewHead("bags"), Source: r.data.Source, Columns: r.data.Columns, Bag: r.data.Bag,
		Target: r.data.Target, Classes: append([]string{}, r.data.Classes...), Verdict: r.finding(m),
		Share: report.Agreed(m.share), Lower: report.Agreed(m.lower), Upper: report.Agreed(m.upper),
		Error: report.Agreed(m.error), Without: report.Agreed(m.without), Inside: report.Agreed(m.right),
		Level: report.Number(r.flags.level), Theta: report.Agreed(r.fit.Params.Theta),
		Sigma: report.Agreed(r.fit.Params.Sigma), Kappa: report.Agreed(r.fit.Params.Kappa),
		Seed: r.flags.seed, Scales: []report.Number{}, New: []bagRecord{}, Notes: report.Once(r.data.Notes, r.notes()),
		Warnings: report.Once(r.warned())}
	s.Landmarks, _ = r.fit.Landmarks.Dims()
	if r.scaling != nil {
		for _, sd := range r.scaling.SD {
			s.Scales = append(s.Scales, report.Agreed(sd))
		}
	}
	classes := r.data.Classes != nil
	for _, b := range r.bags {
		s.Bags = append(s.Bags, b.record(classes, true))
	}
	for _, b := range r.new {
		s.New = append(s.New, b.record(classes, false))
	}
	return s
}

func (b prediction) record(classes, known bool) bagRecord {
	none := report.Number(nan)
	out := bagRecord{Name: b.name, Rows: b.rows, Truth: none, Mean: report.Agreed(b.mean), Lower: none, Upper: none}
	if known {
		out.Truth = report.Agreed(b.truth)
	}
	if !classes {
		out.Lower, out.Upper = report.Agreed(b.lower), report.Agreed(b.upper)
	}
	return out
}

// write writes bags as a table.
func (s *record) write(list []bagRecord, known bool) func(io.Writer) error {
	return func(w io.Writer) error {
		b := fmt.Appendf(nil, "%s,rows", report.CSV(s.Bag))
		if known {
			b = fmt.Appendf(b, ",%s", report.CSV(s.Target))
		}
		if len(s.Classes) > 0 {
			b = fmt.Appendf(b, ",%s", report.CSV("probability of "+s.Classes[1]))
		} else {
			b = append(b, ",predicted,lower,upper"...)
		}
		b = append(b, '\n')
		for _, p := range list {
			b = fmt.Appendf(b, "%s,%d", report.CSV(p.Name), p.Rows)
			if known {
				if len(s.Classes) > 0 {
					b = fmt.Appendf(b, ",%s", report.CSV(s.Classes[int(p.Truth)]))
				} else {
					b = fmt.Appendf(b, ",%v", float64(p.Truth))
				}
			}
			b = fmt.Appendf(b, ",%v", float64(p.Mean))
			if len(s.Classes) == 0 {
				b = fmt.Appendf(b, ",%v,%v", float64(p.Lower), float64(p.Upper))
			}
			b = append(b, '\n')
		}
		_, err := w.Write(b)
		return err
	}
}
