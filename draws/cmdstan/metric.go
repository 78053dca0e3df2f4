package cmdstan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/draws"
)

// metricName is the name of the kind of metric in a CSV file. Stan's readers know three kinds. For
// any other kind, the file gives the diagonal where they look for one, and the rest in separate
// comments.
func metricName(kind string) string {
	if kind == "" {
		return "unit_e"
	}
	if stans(kind) {
		return kind
	}
	return "diag_e"
}

// stans reports whether Stan has this kind of metric.
func stans(kind string) bool {
	return slices.Contains([]string{"", "unit_e", "diag_e", "dense_e"}, kind)
}

// The comments, behind the draws, that hold a metric that Stan does not have: its kind with its rank,
// and each list and each row of a table. The title of a row ends in [], but for one that is older than
// that rule.
const (
	metricTitle  = "_metric"
	rowTitle     = "[]"
	vectorsTable = "directions"
	vectorTitle  = "direction"
)

// partLines appends them. They come at the end of the file because CmdStan's reader takes every
// comment below "Diagonal elements" for a row of the metric.
func partLines(b []byte, m draws.Metric) []byte {
	if stans(m.Kind) {
		return b
	}
	b = fmt.Appendf(b, "# %s%s%s = %d\n", ownPrefix, m.Kind, metricTitle, m.Rank)
	for _, p := range m.Parts {
		if p.Table == nil {
			b = appendNumbers(b, m.Kind+"_"+p.Name, p.List)
			continue
		}
		title := p.Name + rowTitle
		if p.Name == vectorsTable {
			title = vectorTitle
		}
		for _, row := range p.Table {
			b = appendNumbers(b, m.Kind+"_"+title, row)
		}
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

// coordinatesTitle begins the comment, behind the draws, with the coordinates that warm-up learned, in which
// the metric and the step size are.
const coordinatesTitle = "coordinates"

// numbers reads what appendNumbers wrote.
func (c *csvReader) numbers(label, value string) (row []float64, err error) {
	for _, text := range strings.Fields(value) {
		v, err := parseFloat(text)
		if err != nil {
			return nil, c.errorf("%s holds %q, expected a number", label, text)
		}
		row = append(row, v)
	}
	return row, nil
}

// partLine reads one of those comments, if it is one, without the prefix of this package.
func (c *csvReader) partLine(label, value string) error {
	m := &c.chain.Metric
	if kind, ok := strings.CutSuffix(label, metricTitle); ok && c.kind == "" {
		rank, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || rank < 0 {
			return c.errorf("%s is %q, want a whole number", label, value)
		}
		c.kind, m.Kind, m.Rank = kind, kind, rank
		return nil
	}
	title, ok := strings.CutPrefix(label, c.kind+"_")
	if !ok || c.kind == "" {
		return nil
	}
	row, err := c.numbers(label, value)
	if err != nil {
		return err
	}
	name, isRow := strings.CutSuffix(title, rowTitle)
	if title == vectorTitle {
		name, isRow = vectorsTable, true
	}
	i := slices.IndexFunc(m.Parts, func(p draws.Part) bool { return p.Name == name })
	if i < 0 {
		i, m.Parts = len(m.Parts), append(m.Parts, draws.Part{Name: name})
	}
	if isRow {
		m.Parts[i].Table = append(m.Parts[i].Table, row)
	} else {
		m.Parts[i].List = row
	}
	return nil
}
