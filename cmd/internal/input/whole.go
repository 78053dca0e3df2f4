package input

import (
	"fmt"
	"math"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
)

// WholeFlags say which columns of one file to read, for commands that use all of them together.
type WholeFlags struct {
	columns, drop, na string
}

// Define defines the flags.
func (f *WholeFlags) Define(s *cli.FlagSet) {
	s.Group("Data")
	s.Text(&f.columns, "columns", "", "the `columns` to use, separated by commas: names, or numbers "+
		"from 1 (default all)")
	s.Text(&f.drop, "drop", "", "the `columns` to leave out, separated by commas: names, or "+
		"numbers from 1")
	s.Choice(&f.na, "na", "error", []string{"error", "drop", "test"}, "`what` to do with rows in which "+
		"a value is missing: error, drop, or test, which leaves a row out of those tests only that "+
		"need the value")
}

// Check finds what is wrong with the flags and the number of files.
func (f *WholeFlags) Check(files []string) error {
	switch {
	case len(files) != 1:
		return cli.Usagef("found %s, want exactly one", cli.Plural(len(files), "file"))
	case f.columns != "" && len(split(f.columns)) == 0:
		return cli.Usagef("-columns is %q, want names or numbers separated by commas", f.columns)
	case f.columns != "" && f.drop != "":
		return cli.Usagef("-columns says which to use and -drop which not: want one of them")
	}
	return nil
}

// Load reads the file. With -na test, missing values are NaN. Columns of text are categorical, and
// so are columns of numbers that categories names.
func (f *WholeFlags) Load(con *cli.Console, file string, categories []string) (*Dataset, error) {
	o := frame.Options{Columns: split(f.columns), Drop: split(f.drop), Missing: frame.KeepMissing,
		Categories: true, Remedies: frame.Remedies{Columns: "-columns", Drop: "-drop",
			Missing: dropMissing}}
	if f.na != "test" {
		o.Missing, _ = frame.ParseMissing(f.na)
	}
	t, err := Open(con, file, o)
	if err != nil {
		return nil, err
	}
	if err := checkColumns(t); err != nil {
		return nil, err
	}
	data := &Dataset{P: t.Data, PName: sampleName(file), Columns: t.Names, Source: sampleName(file),
		where: t.Source}
	if err := data.categorize(t, categories); err != nil {
		return nil, err
	}
	data.Notes = append(notes(con, []*frame.Frame{t}, f.columns != ""), data.categoryNotes()...)
	if holes := data.holes(); holes > 0 {
		data.Notes = append(data.Notes, fmt.Sprintf("%s: %s missing. Each test uses the rows that are "+
			"complete in its columns; this is biased if which values are missing depends on other columns.",
			file, cli.Plural(holes, "value")+map[bool]string{true: " is", false: " are"}[holes == 1]))
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

// Split reads a list of columns, separated by commas.
func Split(list string) []string { return split(list) }
