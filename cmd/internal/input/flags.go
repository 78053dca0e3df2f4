package input

import (
	"fmt"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
)

// AboutFiles tells the help of commands which files are read.
const AboutFiles = aboutFiles + ` Columns of text are categories.`

// AboutNumbers is AboutFiles for commands that take numbers alone.
const AboutNumbers = aboutFiles + ` Columns of text are categories,
which this command does not take: leave them out by -drop.`

const aboutFiles = `
CSV, TSV, JSON lines, gzip and Parquet files are recognised, whatever they are called; - is
standard input. A pattern in quotes, such as 'P-*.csv', is one sample: the rows of all files that
match it.`

// Flags say what to read.
type Flags struct {
	n         int
	Label     string
	columns   ColumnFlags
	Weights   string
	names     string
	Blocks    string // the column of -blocks, which is a flag of tests
	Pairs     string // the column of -pairs, likewise
	Given     string // the columns of -given, likewise
	HasBlocks bool   // the command has -blocks
	HasPairs  bool   // the command has -pairs
	OneOfQ    bool   // a second sample of one row will do
	TwoGroups bool   // labels have to be of two groups
	Pooled    bool   // the samples are pooled
	// Only is set for what takes numbers alone, to the name of that; Indicators for what has categories as
	// columns of their own.
	Only       string
	Indicators bool
}

// Define defines the flags. With example set, the command can run without files. weights says what
// row weights are for, "" if the command takes none.
func (d *Flags) Define(s *cli.FlagSet, example bool, weights string) {
	s.Group("Data")
	if example {
		s.Whole(&d.n, "n", 400, "without files: the number of `rows` in each of the two samples of "+
			"the example")
	}
	s.Text(&d.Label, "label", "", "for one file with several samples: the `column` of the labels that "+
		"tell them apart (a name, or a number from 1), or column=a,b for the rows of some of the "+
		"labels"+d.pairByPair())
	d.columns.Define(s)
	defineNames(s, &d.names)
	if weights != "" {
		s.Text(&d.Weights, "weights", "", "the `column` of the rows' weights, positive numbers (in both "+
			"files, if there are two). "+weights)
	}
}

// pairByPair says what happens to more than two groups.
func (d *Flags) pairByPair() string {
	if d.Pooled {
		return ""
	}
	if d.TwoGroups {
		return ", which have to be two"
	}
	return ". More than two groups are compared all at once, and pair by pair"
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

// LoadPairs reads two variables; missing values are handled as d says.
func (d *Flags) LoadPairs(con *cli.Console, f *PairFlags, file string) (*Pairs, error) {
	f.values = d.columns
	return f.Load(con, file, "")
}

// Load reads the files; nil if there are none.
func (d *Flags) Load(set *cli.FlagSet, con *cli.Console, files []string) (*Dataset, error) {
	if len(files) > 0 && set.Given("n") {
		return nil, cli.Usagef("-n is for the example without files, but %s is given", files[0])
	}
	if len(files) == 0 {
		for _, name := range []string{"label", "columns", "drop", "weights", "na", "categories", "counts", "names"} {
			if set.Given(name) {
				return nil, cli.Usagef("-%s needs a file", name)
			}
		}
		if d.n < 2 {
			return nil, cli.Usagef("-n is %d, want at least 2 rows", d.n)
		}
		return nil, nil
	}
	o, err := d.options()
	if err != nil {
		return nil, err
	}
	switch {
	case len(files) > 2:
		return nil, cli.Usagef("%d files are given, want at most 2, P and Q; a pattern in quotes, as in "+
			"'P-*.csv', makes one sample of several files", len(files))
	case d.Label != "" && len(files) == 2:
		return nil, cli.Usagef("-label %s needs both samples in one file, or in files that one pattern "+
			"in quotes names, but 2 are given", d.Label)
	case len(files) == 2 && files[0] == "-" && files[1] == "-":
		return nil, cli.Usagef("both files are -, and standard input can be read only once")
	}
	names, err := given(&o, d.Given, map[string]string{"label": o.Label, "columns": d.columns.columns,
		"drop": d.columns.drop, "weights": d.Weights, "blocks": d.Blocks, "pairs": d.Pairs})
	if err != nil {
		return nil, err
	}
	data, err := d.readSamples(con, files, o, names)
	if err != nil {
		return nil, err
	}
	if err := data.relations(con); err != nil {
		return nil, err
	}
	data.oneOfQ = d.OneOfQ
	if d.columns.counts == "" && d.Pairs == "" {
		data.Notes = append(data.Notes, data.series()...)
	}
	if d.Pairs != "" && data.Groups != nil {
		data.Notes = append(data.Notes, fmt.Sprintf("The rows of one %s are a pair in each test.", d.Pairs))
	}
	if d.Blocks != "" {
		data.Notes = append(data.Notes, exchangedWithin(d.Blocks))
	}
	if data.pairs = d.Pairs; d.Pairs != "" && len(files) == 2 {
		if err := data.pairUp(); err != nil {
			return nil, err
		}
	}
	if d.Only != "" {
		if err := data.Numbers(d.Only, "leave it out by -drop COLUMN"); err != nil {
			return nil, err
		}
	}
	return data, data.check()
}

// exchangedWithin says what a test with -blocks permutes.
func exchangedWithin(column string) string {
	return fmt.Sprintf("Rows are exchanged only within the groups that column %s names.", column)
}

// options are the table options that the flags set.
func (d *Flags) options() (frame.Options, error) {
	if err := d.columns.Check(); err != nil {
		return frame.Options{}, err
	}
	o := d.columns.options()
	o.Group, o.Weight, o.Remedies.Label = d.Blocks, d.Weights, "-label"
	if d.Pairs != "" {
		o.Group = d.Pairs
	}
	if err := d.columns.notDropped("label", d.Label); err != nil {
		return o, err
	}
	var err error
	if d.Label != "" {
		if o.Label, o.Levels, err = frame.ParseLabel(d.Label); err != nil {
			return o, cli.Usagef("-label: %s", strings.TrimPrefix(err.Error(), "labels: "))
		}
		if len(o.Levels) == 1 {
			return o, cli.Usagef("-label %s names one label, want at least two to compare", d.Label)
		}
	}
	return o, nil
}
