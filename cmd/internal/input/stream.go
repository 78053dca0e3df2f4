package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// Streamed says how one sample or two are read in passes that keep no rows.
type Streamed struct {
	Files   [2][]string // of the samples
	Columns []string
	Skip    bool // rows in which a value is missing
	flags   *Flags
	names   []string // the files as they were given
	heads   []*frame.Frame
}

// rowsKept is how many numbers are kept in memory without a thought: more are read in passes, where a summary
// of them will do.
const rowsKept = 20_000_000

// Stream looks at the files, and returns nil if they are to be read into memory: because they are small, or
// because it is not sure what their columns are until all rows were seen.
func (f *Flags) Stream(con *cli.Console, files []string) *Streamed {
	c := f.columns
	if len(files) < 1 || len(files) > 2 || f.Label+f.Weights+f.Blocks+f.Pairs+f.Given+c.drop+c.categories+c.counts != "" {
		return nil
	}
	s := &Streamed{Skip: c.na == "drop", flags: f, names: files}
	o := c.options()
	numbers := 0.0
	for i, name := range files {
		if name == "-" {
			return nil
		}
		var err error
		if s.Files[i], err = frame.Expand([]string{name}, ""); err != nil {
			return nil // whoever reads it says so
		}
		for _, path := range s.Files[i] {
			g, err := frame.Measure(con.Context(), path, o)
			if err != nil || len(g.Names) != 1 && o.Columns == nil || g.Head != nil && !allNumbers(g.Head) {
				return nil
			}
			if s.Columns == nil {
				s.Columns = g.Names
			}
			if !slices.Equal(s.Columns, g.Names) {
				return nil
			}
			numbers += g.Rows * float64(len(g.Names))
			if g.Head != nil {
				s.heads = append(s.heads, g.Head)
			}
		}
	}
	if numbers <= rowsKept && !con.Exceeds(numbers) {
		return nil
	}
	return s
}

// allNumbers reports whether all columns are numbers.
func allNumbers(t *frame.Frame) bool {
	return !slices.ContainsFunc(t.Types, func(x frame.Type) bool {
		return x.Kind != frame.Number && x.Kind != frame.Whole
	})
}

// Final returns the error of a pass that reading all rows into memory would end with too, nil for others: of rows,
// and of text among numbers that are amounts beyond doubt from the first rows on.
func (s *Streamed) Final(err error) error {
	p, ok := errors.AsType[*frame.Problems](err)
	if !ok || !s.Skip { // with missing values they may be kept
		return nil
	}
	for _, t := range s.heads {
		for k := range t.Types {
			values := mat.Col(nil, k, t.Data)
			slices.Sort(values)
			if !amounts(slices.Compact(values)) {
				return nil
			}
		}
	}
	const text = "is not a number"
	if first := p.First[0]; strings.HasSuffix(first.Error(), text) {
		p.First[0] = fmt.Errorf("%w; -categories takes the values of a column for names", first)
	}
	return p
}

// Describe names the samples of a summary of the files, and says what the user should know of the files.
func (s *Streamed) Describe(con *cli.Console, d *Dataset) error {
	d.PName, d.where = sampleName(s.names[0]), strings.Join(s.names, " and ")
	d.Source = d.PName
	if len(s.names) == 2 {
		if d.QName = sampleName(s.names[1]); d.PName == d.QName {
			d.PName, d.QName = "P "+d.PName, "Q "+d.QName
		}
		d.Source = d.PName + " and " + d.QName
	}
	d.Notes = slices.Concat([]string{usedColumns(d.Columns)}, notes(con, s.heads), d.Notes)
	return d.named(s.flags.names)
}
