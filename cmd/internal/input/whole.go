package input

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
)

// WholeFlags say which columns of one file to read, for commands that use all of them together.
type WholeFlags struct {
	ColumnFlags
}

// Define defines the flags.
func (f *WholeFlags) Define(s *cli.FlagSet) {
	s.Group("Data")
	s.Text(&f.columns, "columns", "", "the `columns` to use, separated by commas: names, or numbers "+
		"from 1 (default all but identifiers)")
	s.Text(&f.drop, "drop", "", "the `columns` to leave out, separated by commas: names, or "+
		"numbers from 1")
	f.defineValues(s, "drop", "error", "test")
}

// Check finds what is wrong with the flags and the number of files.
func (f *WholeFlags) Check(files []string) error {
	if len(files) != 1 {
		return cli.Usagef("found %s, want exactly one", cli.Plural(len(files), "file"))
	}
	return f.ColumnFlags.Check()
}

// Categories are the columns that -categories names.
func (f *WholeFlags) Categories() []string { return Split(f.categories) }

// NotDropped wants columns that a flag names not to be left out by -drop.
func (f *WholeFlags) NotDropped(flag string, names ...string) error {
	return f.notDropped(flag, names...)
}

// Load reads the file. With -na test, missing values are NaN. Columns of text are categorical, and so are columns
// of numbers that -categories names. Keep are columns that other flags name.
func (f *WholeFlags) Load(con *cli.Console, file string, keep ...string) (*Dataset, error) {
	t, err := Open(con, file, f.options())
	if err != nil {
		return nil, err
	}
	tables := []*frame.Frame{t}
	told, err := f.settle(tables, design{}, keep...)
	if err != nil {
		return nil, err
	}
	if err := checkColumns(t); err != nil {
		return nil, err
	}
	data := &Dataset{P: t.Data, PName: sampleName(file), Columns: t.Names, Source: sampleName(file),
		Categories: categoriesOf(t), dated: datedOf(t), where: t.Source}
	if err := data.relations(con); err != nil {
		return nil, err
	}
	data.Notes = slices.Concat(data.categoryNotes(), told, notes(con, tables))
	if holes := data.holes(); holes > 0 {
		data.Notes = append(data.Notes, fmt.Sprintf("%s: %s missing. Each test uses the rows that are "+
			"complete in its columns; this is biased if which values are missing depends on other columns.",
			file, cli.Plural(holes, "value")+" "+cli.Verb(holes, "is", "are")))
	}
	return data, nil
}

// holes counts missing values.
func (d *Dataset) holes() int {
	n, dim := d.P.Dims()
	holes := 0
	for i := range n {
		for j := range dim {
			if math.IsNaN(d.P.At(i, j)) {
				holes++
			}
		}
	}
	return holes
}

// Where names the file in error messages.
func (d *Dataset) Where() string { return d.where }
