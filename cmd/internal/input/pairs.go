package input

import (
	"fmt"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// PairFlags say which two variables to read.
type PairFlags struct {
	x, y   string
	Given  string // the columns of -given, which is a flag of tests
	values ColumnFlags
}

// Define defines the flags.
func (f *PairFlags) Define(s *cli.FlagSet) {
	s.Group("Data")
	f.DefineColumns(s)
	f.values.defineValues(s, "drop", "error")
}

// DefineColumns defines only the flags for columns.
func (f *PairFlags) DefineColumns(s *cli.FlagSet) {
	s.Text(&f.x, "x", "", "the `columns` of the first variable, separated by commas: names, "+
		"or numbers from 1")
	s.Text(&f.y, "y", "", "the `columns` of the second variable")
}

// Check finds what is wrong with the flags and the number of files.
func (f *PairFlags) Check(files []string) error {
	xs, ys := Split(f.x), Split(f.y)
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
	xs, ys := Split(f.x), Split(f.y)
	o := f.values.options()
	o.Columns, o.Group = append(slices.Clone(xs), ys...), blocks
	if f.values.counts != "" {
		o.Columns = append(o.Columns, f.values.counts)
	}
	names, err := given(&o, f.Given, map[string]string{"x": f.x, "y": f.y, "blocks": blocks, "counts": f.values.counts})
	if err != nil {
		return nil, err
	}
	t, err := Open(con, file, o)
	if err != nil {
		return nil, err
	}
	told, err := f.values.settle([]*frame.Frame{t}, design{xy: t.Names, given: names})
	if err != nil {
		return nil, err
	}
	var covariates Covariates
	if names != nil {
		if covariates, err = takeGiven(t, names, true); err != nil {
			return nil, err
		}
	}
	more, err := f.beside(con, t, file, blocks)
	if err != nil {
		return nil, err
	}
	told = append(told, more...)
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
		if rows.Fixed(t.Groups, v.rows.RawMatrix().Data, v.rows.RawMatrix().Cols) {
			return nil, fmt.Errorf("%s: the columns of -%s are the same in all rows of each %s, so that exchanging rows within "+
				"groups changes nothing: leave out -blocks, and take one row for each %s, such as its means", t.Source, v.flag, t.Group, t.Group)
		}
	}
	data := &Dataset{P: x, Given: covariates, Columns: t.Names, where: t.Source, Source: sampleName(file), Blocks: blockNumbers(t.Groups),
		Categories: categoriesOf(t), dated: datedOf(t)}
	if err := data.relations(con); err != nil {
		return nil, err
	}
	data.Notes = slices.Concat(data.categoryNotes(), told, notes(con, []*frame.Frame{t}))
	if t.Groups != nil {
		data.Notes = append(data.Notes, exchangedWithin(t.Group))
	}
	out := &Pairs{Dataset: data, X: x, Y: y}
	if f.values.counts == "" {
		data.Notes = append(data.Notes, out.series(t.Data)...)
	}
	return out, nil
}

// besideRows is the number of rows up to which the columns that are not tested are looked at.
const besideRows = 100_000

// beside reads the other columns of a file, and says which of them tell of the rows: how often each occurred, or
// which belong together.
func (f *PairFlags) beside(con *cli.Console, t *frame.Frame, file, blocks string) ([]string, error) {
	if n, _ := t.Data.Dims(); file == "-" || n > besideRows || blocks != "" || f.values.counts != "" {
		return nil, nil
	}
	whole, err := con.Read(file, frame.Options{Missing: frame.KeepMissing}, fewer)
	if err != nil {
		return nil, nil // what is wrong is in columns that nobody asked for
	}
	columns := columnsOf([]*frame.Frame{whole}, nil)
	at := countColumn(columns, nil)
	for k, c := range columns {
		switch {
		case slices.Contains(t.Names, c.name) || slices.Contains(Split(f.Given), c.name):
		case k == at:
			return nil, fmt.Errorf("%s: column %s seems to say how often each row occurred: want -counts %s", t.Source,
				c.name, cli.Quote(c.name))
		case c.judge() == oneSample:
			for _, name := range slices.Concat(Split(f.x), Split(f.y)) {
				if fixedBeside(whole, c.name, name) {
					return []string{fmt.Sprintf("Column %s names groups of rows, and %s is the same in all rows of each. If rows of one group "+
						"are alike, p is too small: take one row for each group, such as its means.", c.name, name)}, nil
				}
			}
			return []string{repeatedBeside(c)}, nil
		}
	}
	return nil, nil
}

// repeatedBeside says that rows come in groups.
func repeatedBeside(c *column) string {
	return fmt.Sprintf("Column %s names groups of rows. If rows of one group are alike, p is too small: -blocks %s "+
		"exchanges rows within groups alone.", c.name, cli.Quote(c.name))
}

// fixedBeside reports whether a column is the same in all rows of each group; a missing value is like none.
func fixedBeside(t *frame.Frame, group, name string) bool {
	g, ok := t.Column(group)
	v, known := t.Column(name)
	if !ok || !known {
		return false
	}
	return rows.Fixed(g.Floats(), v.Floats(), 1)
}
