package tell

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/work"
)

// witnessCSV writes a row for each point.
func witnessCSV(w *work.Witness, out io.Writer, columns []string) error {
	var b []byte
	for _, c := range columns {
		b = append(b, csvField(c)...)
		b = append(b, ',')
	}
	b = append(b, "mean,sd,lower,upper,"...)
	if w.SimLower != nil {
		b = append(b, "simultaneous_lower,simultaneous_upper,"...)
	}
	b = append(b, "prob_positive,excludes_zero\n"...)
	for j := range w.Mean {
		row := append(slices.Clone(w.Points.RawRowView(j)), w.Mean[j], w.Sd[j], w.Lower[j],
			w.Upper[j])
		if w.SimLower != nil {
			row = append(row, w.SimLower[j], w.SimUpper[j])
		}
		for _, v := range append(row, w.Positive[j]) {
			b = append(strconv.AppendFloat(b, v, 'g', -1, 64), ',')
		}
		b = append(strconv.AppendInt(b, int64(w.Excludes[j]), 10), '\n')
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
