package embed

import (
	"fmt"
	"io"
	"math"

	"bayeskernel/cmd/internal/report"

	"gonum.org/v1/gonum/mat"
)

// record is summary.json.
type record struct {
	report.Head
	Source     string            `json:"source" doc:"The files, in words."`
	Columns    []string          `json:"columns" doc:"The names of the columns that are data."`
	Samples    []sampleRecord    `json:"samples" doc:"The samples, with their places in the map."`
	Verdict    []string          `json:"verdict" doc:"What was found, in sentences, the finding first."`
	Distances  [][]report.Number `json:"distances" doc:"The energy distances of all samples, a row for each, in their order, to six digits."`
	Lower      [][]report.Number `json:"lower" doc:"The lower ends of their intervals, in the same order."`
	Upper      [][]report.Number `json:"upper" doc:"The upper ends of their intervals."`
	Pairs      []pairRecord      `json:"pairs" doc:"All pairs of samples, the closest first."`
	Level      report.Number     `json:"level" doc:"The level of each interval, and of all claims of order together."`
	Judged     bool              `json:"order_judged" doc:"Whether distances were compared with each other: of at most 40 samples they are."`
	Resamples  int               `json:"resamples" doc:"The number of resamples of the rows."`
	Scales     []report.Number   `json:"column_scales" doc:"What each column was divided by; empty if the units are those of the data."`
	Share      report.Number     `json:"share_shown" doc:"The share of the sum of all squared distances that the map shows."`
	ShareFirst report.Number     `json:"share_shown_by_first" doc:"The share that its first coordinate shows."`
	Seed       uint64            `json:"seed" doc:"The seed of all random numbers."`
	Notes      []string          `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
}

// sampleRecord is one sample.
type sampleRecord struct {
	Name    string           `json:"name" doc:"What the sample is called."`
	Rows    int              `json:"rows" doc:"The number of its rows."`
	Used    int              `json:"rows_used" doc:"The number of rows that the distances use."`
	Nearest []string         `json:"nearest" doc:"The nearest sample first, then all others that may be nearest."`
	Map     [2]report.Number `json:"map" doc:"Its place in the map."`
}

// pairRecord is a pair of samples.
type pairRecord struct {
	A        string        `json:"a" doc:"One sample."`
	B        string        `json:"b" doc:"The other sample."`
	Distance report.Number `json:"distance" doc:"Their distance."`
	Lower    report.Number `json:"lower" doc:"The lower end of its interval."`
	Upper    report.Number `json:"upper" doc:"The upper end of its interval."`
	Squared  report.Number `json:"squared" doc:"The unbiased estimate of the squared distance, which may be negative."`
	First    int           `json:"first_place" doc:"The first place that the pair may have among all, the closest being 1."`
	Last     int           `json:"last_place" doc:"The last place that it may have."`
}

// record is the contents of summary.json.
func (r *result) record() *record {
	s := &record{Head: report.NewHead("embed"), Source: r.data.Source, Columns: r.data.Columns,
		Verdict: []string{r.finding()}, Share: report.Agreed(r.share[1]),
		ShareFirst: report.Agreed(r.share[0]), Seed: r.flags.seed, Level: report.Number(r.flags.level),
		Judged: r.distance.Judged(), Resamples: r.distance.Resamples, Scales: []report.Number{},
		Notes: report.Once(r.data.Notes, r.notes())}
	if len(r.pairs) > 1 {
		s.Verdict = append(s.Verdict, r.shown())
	}
	if r.scaling != nil {
		for _, sd := range r.scaling.SD {
			s.Scales = append(s.Scales, report.Agreed(sd))
		}
	}
	for i, name := range r.data.Names {
		n, _ := r.data.Of[i].Dims()
		of := sampleRecord{Name: name, Rows: n, Used: r.distance.Rows[i],
			Map: [2]report.Number{coordinate(r.places[i][0]), coordinate(r.places[i][1])}}
		for _, j := range r.nearest(i) {
			of.Nearest = append(of.Nearest, r.data.Names[j])
		}
		s.Samples = append(s.Samples, of)
		var row []report.Number
		for j := range r.data.Names {
			row = append(row, report.Agreed(r.distance.At(i, j)))
		}
		s.Distances = append(s.Distances, row)
	}
	s.Lower, s.Upper = numbers(r.distance.Lower), numbers(r.distance.Upper)
	for _, p := range r.pairs {
		s.Pairs = append(s.Pairs, pairRecord{r.data.Names[p.A], r.data.Names[p.B], report.Agreed(p.Distance),
			report.Agreed(p.Lower), report.Agreed(p.Upper), report.Agreed(p.Squared), p.First, p.Last})
	}
	return s
}

// numbers are the rows of a matrix.
func numbers(m mat.Symmetric) [][]report.Number {
	k := m.SymmetricDim()
	out := make([][]report.Number, k)
	for i := range out {
		for j := range k {
			out[i] = append(out[i], report.Agreed(m.At(i, j)))
		}
	}
	return out
}

// coordinate rounds a map coordinate, so that no rounding error shows.
func coordinate(v float64) report.Number {
	if math.Abs(v) > 1e-7 {
		return report.Agreed(v)
	}
	return 0
}

// writeDistances writes the matrix of distances, a row and a column for each sample.
func (s *record) writeDistances(w io.Writer) error {
	b := []byte("sample")
	for _, to := range s.Samples {
		b = fmt.Appendf(b, ",%s", report.CSV(to.Name))
	}
	for i, from := range s.Samples {
		b = fmt.Appendf(b, "\n%s", report.CSV(from.Name))
		for _, v := range s.Distances[i] {
			b = fmt.Appendf(b, ",%v", float64(v))
		}
	}
	_, err := w.Write(append(b, '\n'))
	return err
}

// writePairs writes the pairs, the closest first.
func (s *record) writePairs(w io.Writer) error {
	b := []byte("a,b,distance,lower,upper,squared,first_place,last_place\n")
	for _, p := range s.Pairs {
		b = fmt.Appendf(b, "%s,%s,%v,%v,%v,%v,%d,%d\n", report.CSV(p.A), report.CSV(p.B), float64(p.Distance),
			float64(p.Lower), float64(p.Upper), float64(p.Squared), p.First, p.Last)
	}
	_, err := w.Write(b)
	return err
}

// writeMap writes the position of each sample in the map.
func (s *record) writeMap(w io.Writer) error {
	b := []byte("sample,rows,x,y\n")
	for _, of := range s.Samples {
		b = fmt.Appendf(b, "%s,%d,%v,%v\n", report.CSV(of.Name), of.Rows, float64(of.Map[0]),
			float64(of.Map[1]))
	}
	_, err := w.Write(b)
	return err
}
