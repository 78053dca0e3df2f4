package input

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
)

// ColumnFlags say which columns are used, what they hold, and what happens to missing values: in the same
// words for all commands.
type ColumnFlags struct {
	columns, drop, categories, na, counts string
}

// Define defines the flags.
func (f *ColumnFlags) Define(s *cli.FlagSet) {
	s.Text(&f.columns, "columns", "", "the `columns` to use, separated by commas: names, or numbers "+
		"from 1 (default all that no other flag names, without identifiers)")
	s.Text(&f.drop, "drop", "", "the `columns` to leave out, separated by commas: names, or numbers "+
		"from 1")
	f.defineValues(s, "error", "drop")
}

// defineValues defines the flags that say what columns hold; na are the ways with missing values.
func (f *ColumnFlags) defineValues(s *cli.FlagSet, na ...string) {
	s.Text(&f.categories, "categories", "", "the `columns` whose numbers are names of categories, separated "+
		"by commas; columns of text always are")
	s.Text(&f.counts, "counts", "", "the `column` that says how often each row occurred, in a table of counts")
	more := ""
	if slices.Contains(na, "test") {
		more = ", or test, which leaves a row out of those tests only that need the value"
	}
	s.Choice(&f.na, "na", "drop", na, "`what` to do with rows in which a value is missing: drop (leave them out "+
		"and say how many) or error"+more)
}

// Check finds what is wrong with the flags.
func (f *ColumnFlags) Check() error {
	switch {
	case f.columns != "" && len(Split(f.columns)) == 0:
		return cli.Usagef("-columns is %q, want names or numbers separated by commas", f.columns)
	case f.columns != "" && f.drop != "":
		return cli.Usagef("-columns says which to use and -drop which not: want one of them")
	}
	for _, name := range Split(f.categories) {
		if f.columns != "" && !slices.Contains(Split(f.columns), name) {
			return cli.Usagef("-categories names %s, which -columns leaves out", name)
		}
	}
	return f.notDropped("categories", Split(f.categories)...)
}

// notDropped wants columns that a flag names not to be left out by -drop.
func (f *ColumnFlags) notDropped(flag string, names ...string) error {
	for _, name := range names {
		if slices.Contains(Split(f.drop), name) {
			return cli.Usagef("-%s names %s, which -drop leaves out", flag, name)
		}
	}
	return nil
}

// options are the table options that the flags set. Missing values are kept until it is known which columns
// are used.
func (f *ColumnFlags) options() frame.Options {
	o := frame.Options{Columns: Split(f.columns), Drop: Split(f.drop), Missing: frame.KeepMissing,
		Remedies: frame.Remedies{Columns: "-columns", Drop: "-drop"}}
	if f.counts != "" && f.columns != "" && !slices.Contains(o.Columns, f.counts) {
		o.Columns = append(o.Columns, f.counts)
	}
	return o
}

// Split reads a list of columns, separated by commas.
func Split(list string) []string {
	var out []string
	for _, c := range strings.Split(list, ",") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// settle decides which columns of some tables are data, of what kind, and what happens to missing values. It
// returns what the user should know. Keep are columns that other flags name.
func (f *ColumnFlags) settle(tables []*frame.Frame, tests design, keep ...string) (notes []string, err error) {
	where := sources(tables)
	if f.counts != "" {
		for _, t := range tables {
			k := slices.Index(t.Names, f.counts)
			if k < 0 {
				return nil, noColumn("-counts", f.counts, t)
			}
			if err := t.Repeat(k); err != nil {
				return nil, err
			}
		}
	}
	if err := Slips(tables, Split(f.categories), "-categories "); err != nil {
		return nil, err
	}
	first := tables[0]
	for _, name := range Split(f.categories) {
		k := slices.Index(first.Names, name)
		if k < 0 {
			return nil, noColumn("-categories", name, first)
		}
		frame.Categorize(k, tables...)
	}
	if f.columns == "" && len(tests.xy) == 0 {
		if notes, err = leaveOut(tables, tests, append(keep, Split(f.categories)...)); err != nil {
			return nil, err
		}
	}
	if len(first.Names) == 0 {
		return nil, fmt.Errorf("%s: found no column of data", where)
	}
	if err := tooMany(tables); err != nil {
		return nil, err
	}
	notes = append(notes, numbersOrNames(tables, tests.given)...)
	notes = append(notes, dates(first)...)
	missing, err := f.missing(tables, tests.named)
	return append(missing, notes...), err
}

// sources names the files of tables.
func sources(tables []*frame.Frame) string {
	var names []string
	for _, t := range tables {
		names = append(names, t.Source)
	}
	return strings.Join(names, " and ")
}

func noColumn(flag, name string, t *frame.Frame) error {
	return fmt.Errorf("%s: there is no column %s, only %s", flag, name, strings.Join(t.Names, ", "))
}

// missing drops the rows that miss a value, or refuses them, and says in one line how many there are, and in another of
// which labels none are left. Where the user named the labels, or hardly any are left, that is an error.
func (f *ColumnFlags) missing(tables []*frame.Frame, named bool) ([]string, error) {
	labelled := tables[0].Levels()
	holes := make([]int, len(tables[0].Names))
	before, dropped, left := 0, 0, 0
	for _, t := range tables {
		n, _ := t.Data.Dims()
		before += n + t.Dropped
		for k, x := range t.Types {
			holes[k] += x.Missing
		}
		if f.na != "test" {
			t.Complete()
		}
		dropped += t.Dropped
		n, _ = t.Data.Dims()
		left += n
	}
	var in []string
	count := func(name string, n int) {
		if n > 0 {
			in = append(in, fmt.Sprintf("%s %d", name, n))
		}
	}
	labels, groups := 0, 0
	for _, t := range tables {
		labels, groups = labels+t.NoLabel, groups+t.NoGroup
	}
	count(tables[0].Label, labels)
	count(tables[0].Group, groups)
	for k, n := range holes {
		count(tables[0].Names[k], n)
	}
	columns := ""
	if len(in) > 0 {
		columns = " (" + strings.Join(cli.Fewer(in), ", ") + ")"
	}
	where, rows := sources(tables), cli.Plural(before, "row")
	switch {
	case dropped == 0:
		return nil, nil
	case f.na == "error":
		verb := "have"
		if dropped == 1 {
			verb = "has"
		}
		return nil, fmt.Errorf("%s: %d of %s %s a missing value%s; -na drop leaves such rows out", where, dropped, rows, verb,
			columns)
	case left == 0:
		return nil, fmt.Errorf("%s: all %s have a missing value%s; leave out columns by -drop", where, rows, columns)
	case left == 1 && before > 1:
		return nil, fmt.Errorf("%s: all of %s but 1 have a missing value%s, want at least 2 rows without", where, rows, columns)
	}
	out := []string{fmt.Sprintf("Left out %d of %s with missing values%s.", dropped, rows, columns)}
	if gone := goneLabels(labelled, tables[0]); gone != nil {
		of := cli.AndList(cli.Fewer(groupNames(tables[0].Label, gone)))
		if named || len(gone) > len(labelled)-2 {
			return nil, fmt.Errorf("%s: no row of %s (%s) is without missing values%s; leave out columns by -drop", where, of,
				tables[0].Label, columns)
		}
		out = append(out, fmt.Sprintf("No row of %s (%s) is without missing values: %s left out.", of, tables[0].Label,
			cli.Verb(len(gone), "it is", "they are")))
	}
	return out, nil
}

// goneLabels are those labels of which a table has no row any more.
func goneLabels(before []frame.Level, t *frame.Frame) (gone []string) {
	has := map[string]bool{}
	for _, l := range t.Levels() {
		has[l.Name] = true
	}
	for _, l := range before {
		if !has[l.Name] {
			gone = append(gone, l.Name)
		}
	}
	return gone
}

// datedOf are the columns of dates and times.
func datedOf(t *frame.Frame) map[string]frame.Kind {
	out := map[string]frame.Kind{}
	for k, x := range t.Types {
		if x.Kind == frame.Date || x.Kind == frame.Time || x.Kind == frame.Clock {
			out[t.Names[k]] = x.Kind
		}
	}
	return out
}

// dates says which columns are dates or times.
func dates(t *frame.Frame) (notes []string) {
	for _, kind := range []struct {
		of   frame.Kind
		what string
	}{{frame.Date, "days since 1970-01-01"}, {frame.Time, "seconds since 1970-01-01 00:00:00"},
		{frame.Clock, "seconds since midnight"}} {
		var names []string
		for k, x := range t.Types {
			if x.Kind == kind.of {
				names = append(names, t.Names[k])
			}
		}
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf("Used as %s: %s.", kind.what, cli.AndList(names)))
		}
	}
	return notes
}
