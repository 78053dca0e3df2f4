package embed

import (
	"fmt"
	"io"
	"math"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/report"
)

// record is summary.json.
type record struct {
	report.Head
	Source     string             `json:"source" doc:"The files, in words."`
	Columns    []string           `json:"columns" doc:"The names of the columns that are data."`
	Samples    []sampleRecord     `json:"samples" doc:"The samples, with their places in the map."`
	Verdict    []string           `json:"verdict" doc:"What was found, in sentences, the finding first."`
	Distances  [][]report.Number  `json:"distances" doc:"The distances of all samples, a row for each, in their order, to six digits."`
	Share      report.Number      `json:"share_shown" doc:"The share of the sum of all squared distances that the map shows."`
	ShareFirst report.Number      `json:"share_shown_by_first" doc:"The share that its first coordinate shows."`
	Shrink     string             `json:"shrink" doc:"How embeddings are shrunk: flexible, simple or none."`
	Landmarks  int                `json:"landmarks" doc:"The number of landmarks that replace the kernel; 0 where it is exact."`
	Kernel     tests.KernelRecord `json:"kernel" doc:"How the kernel was chosen."`
	Seed       uint64             `json:"seed" doc:"The seed of all random numbers."`
	Notes      []string           `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
}

// sampleRecord is one sample.
type sampleRecord struct {
	Name   string           `json:"name" doc:"What the sample is called."`
	Rows   int              `json:"rows" doc:"The number of its rows."`
	Lambda report.Number    `json:"lambda" doc:"How much the embedding is shrunk; 0: not at all, null: to zero."`
	Weight report.Number    `json:"weight" doc:"The sum of the weights of its rows, 1 where it is not shrunk."`
	Error  report.Number    `json:"error" doc:"The estimated distance of the empirical embedding from the true one."`
	Map    [2]report.Number `json:"map" doc:"Its place in the map."`
}

// record is the contents of summary.json.
func (r *result) record() *record {
	s := &record{Head: report.NewHead("embed"), Source: r.data.Source, Columns: r.data.Columns,
		Verdict: []string{r.finding(), r.shown()}, Share: report.Agreed(r.share[1]),
		ShareFirst: report.Agreed(r.share[0]), Shrink: r.flags.shrink, Landmarks: r.landmarks,
		Kernel: tests.NewKernelRecord(r.kernel), Seed: r.flags.kernel.Seed(),
		Notes: report.Once(r.kernel.Notes, r.data.Notes, r.notes())}
	for i, name := range r.data.Names {
		n, _ := r.data.Of[i].Dims()
		s.Samples = append(s.Samples, sampleRecord{name, n, report.Agreed(r.lambda[i]),
			report.Agreed(r.weight[i]), report.Agreed(math.Sqrt(r.risk[i])),
			[2]report.Number{coordinate(r.places[i][0]), coordinate(r.places[i][1])}})
		var row []report.Number
		for j := range r.data.Names {
			row = append(row, report.Agreed(r.distance.At(i, j)))
		}
		s.Distances = append(s.Distances, row)
	}
	return s
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
