package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"
)

// readSamples reads one sample or two, each from a file or a pattern.
func (f *Flags) readSamples(con *cli.Console, files []string, o frame.Options, given []string) (*Dataset, error) {
	tables, err := openSamples(con, files, o)
	if err != nil {
		return nil, err
	}
	first := tables[0]
	units := ""
	told, err := f.columns.settle(tables, design{label: first.Label, groups: first.Labels, named: o.Levels != nil, given: given, pairs: f.HasPairs,
		blocks: f.HasBlocks, units: &units}, append([]string{o.Group, o.Weight}, given...)...)
	if err != nil {
		return nil, err
	}
	var covariates Covariates
	if given != nil {
		for _, t := range tables {
			c, err := takeGiven(t, given, o.Columns != nil)
			if err != nil {
				return nil, err
			}
			if t != first {
				c = covariates.stack(c)
			}
			covariates = c
		}
	}
	var made []string
	if f.Indicators {
		made = indicators(tables)
		told = append(told, made...)
	}
	data := &Dataset{Units: units, Indicators: made != nil, Given: covariates, Columns: first.Names, Categories: categoriesOf(first), dated: datedOf(first), where: first.Source}
	used := usedColumns(first.Names)
	if !first.Header {
		used = strings.TrimSuffix(used, ".") + "; the first line is taken for a row, as it has no names."
	}
	var twice []string
	if f.columns.counts == "" {
		twice = copies(tables)
	}
	data.Notes = slices.Concat([]string{used}, data.categoryNotes(), told, twice, notes(con, tables))
	if o.Label == "" {
		if err := data.fill(files, tables); err != nil {
			return nil, err
		}
		return data, data.named(f.names)
	}
	data.labelled = first
	if data.Labels, err = groups(first, o.Levels != nil); err != nil {
		return nil, err
	}
	names := groupNames(first.Label, data.Labels)
	if err := rename(f.names, names, data.Labels, names); err != nil {
		return nil, err
	}
	data.pairs = f.Pairs
	if len(data.Labels) == 2 {
		return data.pair(data.Labels[0], data.Labels[1], names[0], names[1])
	}
	data.Groups = names
	return data, data.fill(files, tables)
}

// copies says of tables with two measured columns or more, in which equal rows are no ties, that rows occur several
// times.
func copies(tables []*frame.Frame) []string {
	const most, fewest = 50_000, 20
	all, distinct := 0, 0
	for _, t := range tables {
		measured := 0
		for _, x := range t.Types {
			if x.Kind == frame.Number {
				measured++
			}
		}
		n, _ := t.Data.Dims()
		if measured < 2 || n > most {
			return nil
		}
		all += n
		distinct += len(rows.Distinct(t.Data.RawMatrix().Data, len(t.Types)))
	}
	if all < fewest || float64(all) < 1.5*float64(distinct) {
		return nil
	}
	return []string{fmt.Sprintf("Only %d of the %d rows differ: if the others are copies, they say nothing new: p-values are then "+
		"too small, and intervals too narrow.", distinct, all)}
}

// named calls the samples of files as -names says.
func (d *Dataset) named(flag string) error {
	names, keys := []string{d.PName}, []string{"P"}
	if d.Q != nil {
		names, keys = append(names, d.QName), []string{"P", "Q"}
	}
	if flag == "" {
		return nil
	}
	if err := rename(flag, names, slices.Clone(names), keys); err != nil {
		return err
	}
	d.PName = names[0]
	d.Source = d.PName
	if d.Q != nil {
		d.QName = names[1]
		d.Source += " and " + d.QName
	}
	return nil
}

// openSamples reads all samples before it gives up, so that it can report every problem.
func openSamples(con *cli.Console, files []string, o frame.Options) ([]*frame.Frame, error) {
	tables, wrong := make([]*frame.Frame, len(files)), make([]error, len(files))
	if len(files) == 1 || slices.ContainsFunc(files, isStream) {
		for i, f := range files {
			tables[i], wrong[i] = Open(con, f, o)
		}
	} else {
		line := con.Working("reading %s", strings.Join(files, " and "))
		readings, err := con.Readings(files, o, fewer)
		if err != nil {
			line.End()
			return nil, err
		}
		wrong = workers.Run(con.Context(), len(files), len(files), func(i int) (err error) {
			tables[i], err = readings[i].Read()
			return err
		})
		line.End()
		for _, t := range tables {
			if t != nil {
				con.Keep(t)
			}
		}
	}
	if err := joined(files, wrong); err != nil {
		return nil, err
	}
	if len(tables) == 2 {
		if err := frame.Match(tables[0], tables[1]); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// Lone is the error of one file where two are wanted, or a -label: that the file is not there, or else
// what is wanted.
func Lone(file, want string) error {
	var missing *fs.PathError
	if _, err := os.Stat(file); errors.As(err, &missing) && file != "-" && !strings.ContainsAny(file, "*?[") {
		return fmt.Errorf("%s: %w", file, missing.Err)
	}
	return cli.Usagef("found one file and no -label, want %s", want)
}

// isStream reports whether a name is not that of a regular file. Two names may refer to one stream,
// and then each reader would get only a part of it.
func isStream(name string) bool {
	info, err := os.Stat(name)
	return err != nil || !info.Mode().IsRegular()
}

// notes say what the user should know about the tables. They warn of a row that may hold names.
func notes(con *cli.Console, tables []*frame.Frame) []string {
	var out []string
	for _, n := range frame.Notes(tables...) {
		text := n.Text + "."
		if n.Kind == frame.LikeNames {
			con.Warn("warning: %s", n.Text)
			text = "Warning: " + text
		}
		out = append(out, text)
	}
	return out
}

// usedColumns lists the columns used as data.
func usedColumns(names []string) string {
	const most = 8
	list := strings.Join(names[:min(most, len(names))], ", ")
	switch k := len(names); {
	case k == 1:
		return "Column used: " + list + "."
	case k > most:
		return fmt.Sprintf("Columns used: %s, … (%d in all).", list, k)
	}
	return "Columns used: " + list + "."
}

// fill sets the samples from one table or two.
func (d *Dataset) fill(files []string, tables []*frame.Frame) error {
	first := tables[0]
	groups := first.Groups
	d.ids[0], d.numbers[0] = first.Groups, first.Rows
	d.P, d.PName, d.from[0] = first.Data, sampleName(files[0]), first.Source
	d.Source = d.PName
	if len(files) == 2 {
		d.Q, d.QName, d.from[1] = tables[1].Data, sampleName(files[1]), tables[1].Source
		d.where += " and " + tables[1].Source
		d.ids[1], d.numbers[1] = tables[1].Groups, tables[1].Rows
		groups = slices.Concat(groups, tables[1].Groups)
		if d.PName == d.QName {
			d.PName, d.QName = "P "+d.PName, "Q "+d.QName
		}
		d.Source = d.PName + " and " + d.QName
	}
	d.Blocks = blockNumbers(groups)
	return d.weightsOf(tables)
}

// fewer is what to do about tables that are too large.
const fewer = "take fewer columns or rows; bkesample plan and summarize take any number of rows"

// Open reads a file, or all files that match a pattern, into one table.
func Open(con *cli.Console, name string, o frame.Options) (*frame.Frame, error) {
	if name != "-" { // at standard input the user may be typing
		defer con.Working("reading %s", name).End()
	}
	return con.Read(name, o, fewer)
}

// sampleName is what tables and pictures call the sample of a file or pattern.
func sampleName(file string) string {
	if file == "-" {
		return "standard input"
	}
	name := filepath.Base(file)
	for _, ext := range []string{".gz", ".csv", ".tsv", ".txt", ".jsonl", ".json", ".parquet"} {
		name = strings.TrimSuffix(name, ext)
	}
	if dir := filepath.Base(filepath.Dir(file)); name == "*" && dir != "." {
		return dir // all files of a folder
	}
	return name
}

// blockNumbers numbers labels in order of first appearance; nil if there are none.
func blockNumbers(labels []string) []int {
	if labels == nil {
		return nil
	}
	seen := map[string]int{}
	out := make([]int, len(labels))
	for i, l := range labels {
		if _, ok := seen[l]; !ok {
			seen[l] = len(seen)
		}
		out[i] = seen[l]
	}
	return out
}
