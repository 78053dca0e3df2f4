package tell

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/compare"
)

// witnessSummary is what is known of the witness, or of the embedding of one sample.
type witnessSummary struct {
	Kind      string       `json:"kind"`  // "witness" or "embedding"
	Scale     string       `json:"scale"` // "test", "other" or "paper"
	Kernel    string       `json:"kernel"`
	Theta     []number     `json:"theta"` // geometric mean over the draws
	Rung      number       `json:"rung"`  // theta over the sampled one; 0 if none was sampled
	Noise     string       `json:"noise"`
	Level     number       `json:"level"` // of the band at each point
	Points    int          `json:"points"`
	Functions int          `json:"functions"`
	Share     number       `json:"share_excluding_zero"`
	SimLevel  number       `json:"simultaneous_level"`
	MMD2      mmd2Record   `json:"mmd2"`
	Strongest *strongPoint `json:"strongest"` // null if there is none
}

type mmd2Record struct {
	Mean number `json:"mean"`
	Q05  number `json:"q05"`
	Q50  number `json:"q50"`
	Q95  number `json:"q95"`
}

type strongPoint struct {
	At   []number `json:"at"`
	More string   `json:"more"`
	SDs  number   `json:"sds"` // posterior standard deviations from 0
}

// witnessRecord is what summary.json says of what is shown; nil if there is nothing.
func witnessRecord(s *work.Shown) *witnessSummary {
	w := s.Witness()
	if w == nil {
		return nil
	}
	r := &witnessSummary{Kind: "witness", Scale: s.Scale, Kernel: w.Kernel,
		Theta: numbers(w.Theta), Rung: number(w.Scale.Rung), Noise: s.Noise,
		Level: number(w.Band.Level), Points: len(w.Shown.Mean),
		Share: number(w.Band.Share()), SimLevel: number(w.Everywhere.Level)}
	r.Functions, _ = w.Functions.Values.Dims()
	mmd := w.Functions.MMD2(nil)
	for _, v := range mmd {
		r.MMD2.Mean += number(v / float64(len(mmd)))
	}
	slices.Sort(mmd)
	at := func(p float64) number {
		return number(mmd[int(p*float64(len(mmd)-1)+0.5)])
	}
	r.MMD2.Q05, r.MMD2.Q50, r.MMD2.Q95 = at(0.05), at(0.5), at(0.95)
	if s.One != nil {
		r.Kind = "embedding"
	} else if p := w.Strongest; p.At != nil {
		r.Strongest = &strongPoint{numbers(p.At), p.More, number(p.Strength)}
	}
	return r
}

// verdictRecord is the verdict in summary.json. For one sample test is null.
type verdictRecord struct {
	Test     *compare.TestRecord    `json:"test"`
	Where    []compare.Interval     `json:"where"`
	Places   []compare.Place        `json:"places"`
	ByColumn []compare.ColumnRecord `json:"by_column,omitempty"`
	Pairs    []compare.PairRecord   `json:"pairs,omitempty"`
}

// newVerdictRecord is that of a comparison, nil for one sample.
func newVerdictRecord(r *compare.Result) verdictRecord {
	if r == nil {
		return verdictRecord{Where: []compare.Interval{}, Places: []compare.Place{}}
	}
	v := r.Record()
	return verdictRecord{&v.Test, v.Where, v.Places, v.ByColumn, v.Pairs}
}

// witnessCSV writes a row for each point.
func witnessCSV(w *compare.Witness, out io.Writer, columns []string) error {
	var b []byte
	for _, c := range columns {
		b = append(b, csvField(c)...)
		b = append(b, ',')
	}
	b = append(b, "mean,sd,lower,upper,"...)
	together := len(w.Axes) != 2 // the points of the statement about all points are these
	if together {
		b = append(b, "simultaneous_lower,simultaneous_upper,"...)
	}
	b = append(b, "prob_positive,excludes_zero\n"...)
	f, positive, excludes := w.Shown, w.Shown.Positive(), w.Band.Excludes()
	for j := range f.Mean {
		row := append(slices.Clone(f.Points.RawRowView(j)), f.Mean[j], f.SD[j], w.Band.Lower[j],
			w.Band.Upper[j])
		if together {
			row = append(row, w.Everywhere.Lower[j], w.Everywhere.Upper[j])
		}
		for _, v := range append(row, positive[j]) {
			if !math.IsInf(v, 0) {
				b = strconv.AppendFloat(b, v, 'g', -1, 64)
			}
			b = append(b, ',')
		}
		b = append(strconv.AppendInt(b, int64(excludes[j]), 10), '\n')
	}
	_, err := out.Write(b)
	return err
}

// csvField quotes a name where a CSV file needs that.
func csvField(s string) string {
	for _, r := range s {
		if r == ',' || r == '"' || r == '\n' || r == '\r' {
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
	}
	return s
}
