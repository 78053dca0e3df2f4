package cmdstan

import (
	"fmt"
	"strconv"
	"strings"

	"bayeskernel/draws"
)

// metricName is the kind of metric as a CSV file names it. Stan's readers do not know a low-rank metric,
// so such a chain has its diagonal where they look for one, and the rest in comments of its own.
func metricName(kind string) string {
	switch kind {
	case "":
		return "unit_e"
	case "low_rank":
		return "diag_e"
	}
	return kind
}

// The comments, behind the draws, that hold a metric of low rank.
const (
	lowRankTitle = "low_rank_metric"
	scaleTitle   = "low_rank_scale"
	eigenTitle   = "low_rank_eigen"
	vectorTitle  = "low_rank_direction"
)

// lowRankLines appends them. They come at the end of the file because CmdStan's reader takes every
// comment below "Diagonal elements" for a row of the metric.
func lowRankLines(b []byte, m draws.Metric) []byte {
	if m.Kind != "low_rank" {
		return b
	}
	b = fmt.Appendf(b, "# %s%s = %d\n", ownPrefix, lowRankTitle, len(m.Eigen))
	b = appendNumbers(b, scaleTitle, m.Scale)
	b = appendNumbers(b, eigenTitle, m.Eigen)
	for _, u := range m.Directions {
		b = appendNumbers(b, vectorTitle, u)
	}
	return b
}

func appendNumbers(b []byte, title string, x []float64) []byte {
	b = fmt.Appendf(b, "# %s%s =", ownPrefix, title)
	for _, v := range x {
		b = strconv.AppendFloat(append(b, ' '), v, 'g', -1, 64)
	}
	return append(b, '\n')
}

// lowRankLine reads one of those comments.
func (c *csvReader) lowRankLine(title, value string) error {
	m := &c.chain.Metric
	m.Kind = "low_rank"
	var row []float64
	for _, text := range strings.Fields(value) {
		v, err := parseFloat(text)
		if err != nil {
			return c.errorf("%s holds %q, expected a number", title, text)
		}
		row = append(row, v)
	}
	switch title {
	case scaleTitle:
		m.Scale = row
	case eigenTitle:
		m.Eigen = row
	case vectorTitle:
		m.Directions = append(m.Directions, row)
	}
	return nil
}
