package input

import (
	"fmt"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// PairFlags say which two variables to read.
type PairFlags struct {
	x, y, na string
}

// Define defines the flags.
func (f *PairFlags) Define(s *cli.FlagSet) {
	s.Group("Data")
	f.DefineColumns(s)
	s.Choice(&f.na, "na", "error", []string{"error", "drop"}, "`what` to do with rows in "+
		"which a value is missing: error or drop")
}

// DefineColumns defines only the flags for columns.
func (f *PairFlags) DefineColumns(s *cli.FlagSet) {
	s.Text(&f.x, "x", "", "the `columns` of the first variable, separated by commas: names, "+
		"or numbers from 1")
	s.Text(&f.y, "y", "", "the `columns` of the second variable")
}

// Check finds what is wrong with the flags and the number of files.
func (f *PairFlags) Check(files []string) error {
	xs, ys := split(f.x), split(f.y)
	switch {
	case len(xs) == 0 || len(ys) == 0:
		return cli.Usagef("-x and -y name the columns of the two variables, want both flags")
	case len(files) == 0:
		return cli.Usagef("found no file, want one")
	case len(files) > 1:
		return cli.Usagef("found %d files, want exactly one, or a pattern in quotes, as in 'XY-*.csv'",
			len(files))
	}
	for _, c := range xs {
		if slices.Contains(ys, c) {
			return cli.Usagef("column %s is in -x and in -y, want each in one", c)
		}
	}
	return nil
}

// Pairs are the rows of two variables.
type Pairs struct {
	*Dataset
	X, Y *mat.Dense
}

// Load reads the two variables; blocks, if not "", is the column that groups their rows.
func (f *PairFlags) Load(con *cli.Console, file, blocks string) (*Pairs, error) {
	xs, ys := split(f.x), split(f.y)
	o := frame.Options{Columns: append(slices.Clone(xs), ys...), Group: blocks,
		Remedies: frame.Remedies{Missing: dropMissing}}
	o.Missing, _ = frame.ParseMissing(f.na)
	t, err := Open(con, file, o)
	if err != nil {
		return nil, err
	}
	n, all := t.Data.Dims()
	if n < 2 {
		return nil, fmt.Errorf("%s: found %s, want at least 2", t.Source, cli.Plural(n, "row"))
	}
	if err := checkColumns(t); err != nil {
		return nil, err
	}
	x := mat.DenseCopyOf(t.Data.Slice(0, n, 0, len(xs)))
	y := mat.DenseCopyOf(t.Data.Slice(0, n, len(xs), all))
	for _, v := range []struct {
		flag string
		rows *mat.Dense
	}{{"x", x}, {"y", y}} {
		if equalRows(v.rows) {
			return nil, fmt.Errorf("%s: the columns of -%s are the same in all %d rows, want "+
				"at least 2 distinct values", t.Source, v.flag, n)
		}
	}
	data := &Dataset{P: x, Columns: t.Names, Source: sampleName(file), Blocks: blockNumbers(t.Groups),
		Notes: notes(con, []*frame.Frame{t}, true)}
	if t.Groups != nil {
		data.Notes = append(data.Notes, exchangedWithin(t.Group))
	}
	return &Pairs{Dataset: data, X: x, Y: y}, nil
}
