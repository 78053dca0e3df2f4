package input

import (
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/internal/table"
)

// Flags say what is read.
type Flags struct {
	n                        int
	Label, columns, drop, na string
	Weights                  string
	Blocks                   string // the column of -blocks, which is a flag of tests
}

// Define defines the flags; without files, some commands have an example. weights says what the
// weights are for, "" where there are none.
func (d *Flags) Define(s *cli.FlagSet, example bool, weights string) {
	s.Group("Data")
	if example {
		s.Whole(&d.n, "n", 400, "without files: the number of `rows` in each of the two samples of "+
			"the example")
	}
	s.Text(&d.Label, "label", "", "for one file with several samples: the `column` of the labels that "+
		"tell them apart (a name, or a number from 1), or column=a,b for those with two of the labels. "+
		"More than two groups are compared pair by pair")
	s.Text(&d.columns, "columns", "", "the `columns` to use, separated by commas: names, or numbers "+
		"from 1 (default all that no other flag names)")
	s.Text(&d.drop, "drop", "", "the `columns` to leave out, by name, separated by commas; they must "+
		"hold numbers")
	if weights != "" {
		s.Text(&d.Weights, "weights", "", "the `column` of the rows' weights, positive numbers (in both "+
			"files, if there are two). "+weights)
	}
	s.Choice(&d.na, "na", "error", []string{"error", "drop"}, "`what` to do with rows in "+
		"which a value is missing: error or drop")
}

// LoadOr reads the files; without files it draws the example.
func (d *Flags) LoadOr(set *cli.FlagSet, con *cli.Console, files []string, seed uint64) (*Dataset,
	error) {
	data, err := d.Load(set, con, files)
	if data == nil && err == nil {
		return example(d.n, seed)
	}
	return data, err
}

// LoadPairs reads two variables, with the flag of missing values.
func (d *Flags) LoadPairs(con *cli.Console, f *PairFlags, file string) (*Pairs, error) {
	f.na = d.na
	return f.Load(con, file, "")
}

// Load reads the files; nil if there are none.
func (d *Flags) Load(set *cli.FlagSet, con *cli.Console, files []string) (*Dataset, error) {
	if len(files) > 0 && set.Given("n") {
		return nil, cli.Usagef("-n is for the example without files, but %s is given", files[0])
	}
	if len(files) == 0 {
		for _, name := range []string{"label", "columns", "drop", "weights", "na"} {
			if set.Given(name) {
				return nil, cli.Usagef("-%s needs a file", name)
			}
		}
		if d.n < 2 {
			return nil, cli.Usagef("-n is %d, want at least 2 rows", d.n)
		}
		return nil, nil
	}
	l, err := parseLabel(d.Label)
	if err != nil {
		return nil, err
	}
	o := table.Options{Label: l.column, Group: d.Blocks, Weight: d.Weights,
		Columns: split(d.columns)}
	if d.columns != "" && len(o.Columns) == 0 {
		return nil, cli.Usagef("-columns is %q, want names or numbers separated by commas", d.columns)
	}
	if d.columns != "" && d.drop != "" {
		return nil, cli.Usagef("-columns says which to use and -drop which not: want one of them")
	}
	if o.Missing, err = table.ParseMissing(d.na); err != nil {
		return nil, cli.Usagef("-na: %v", err)
	}
	switch {
	case len(files) > 2:
		return nil, cli.Usagef("%d files are given, want at most 2: P and Q", len(files))
	case d.Label != "" && len(files) == 2:
		return nil, cli.Usagef("-label %s needs both samples in one file, but 2 are given", d.Label)
	case len(files) == 2 && files[0] == "-" && files[1] == "-":
		return nil, cli.Usagef("both files are -, and standard input can be read only once")
	}
	data, err := readSamples(con, files, o, split(d.drop), &l, d.columns != "")
	if err != nil {
		return nil, err
	}
	return data, data.check()
}

// split reads a list of columns.
func split(list string) []string {
	var out []string
	for _, c := range strings.Split(list, ",") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}
