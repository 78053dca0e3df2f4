package input

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
	"bayeskernel/internal/workers"
)

// readSamples reads one sample or two, each from a file or a pattern.
func readSamples(con *cli.Console, files []string, o frame.Options) (*Dataset, error) {
	tables, err := openSamples(con, files, o)
	if err != nil {
		return nil, err
	}
	first := tables[0]
	data := &Dataset{Columns: first.Names, where: first.Source,
		Notes: append([]string{usedColumns(first.Names)}, notes(con, tables, o.Columns != nil)...)}
	if o.Label == "" {
		return data, data.fill(files, tables)
	}
	data.labelled = first
	if data.Groups, err = groups(first, o.Levels != nil); err != nil {
		return nil, err
	}
	if len(data.Groups) == 2 {
		return data.Pair(data.Groups[0], data.Groups[1])
	}
	return data, data.fill(files, tables)
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
		wrong = workers.Run(context.Background(), len(files), len(files), func(i int) (err error) {
			tables[i], err = open(con, files[i], o)
			return err
		})
		line.End()
	}
	if err := frame.Join(wrong...); err != nil {
		return nil, err
	}
	if len(tables) == 2 {
		if err := frame.Match(tables[0], tables[1]); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// isStream reports whether a name is not that of a regular file. Two names may refer to one stream,
// and then each reader would get only a part of it.
func isStream(name string) bool {
	info, err := os.Stat(name)
	return err != nil || !info.Mode().IsRegular()
}

// notes say what the user should know about the tables. They warn of a column that only counts
// rows, unless the user chose the columns or it is the only one, and of a row that may hold names.
func notes(con *cli.Console, tables []*frame.Frame, chosen bool) []string {
	var out []string
	for _, n := range frame.Notes(tables...) {
		text := n.Text + "."
		if n.Kind == frame.CountsRows && chosen {
			continue
		}
		if n.Kind == frame.LikeNames || n.Kind == frame.CountsRows && len(tables[0].Names) > 1 {
			con.Warn("warning: %s", n.Text)
			text = "Warning: " + text
		}
		out = append(out, text)
	}
	for _, t := range tables {
		if t.Dropped > 0 {
			out = append(out, fmt.Sprintf("%s: left out %s with missing values.", t.Source,
				cli.Plural(t.Dropped, "row")))
		}
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
	d.P, d.PName, d.from[0] = first.Data, sampleName(files[0]), first.Source
	d.Source = d.PName
	if len(files) == 2 {
		d.Q, d.QName, d.from[1] = tables[1].Data, sampleName(files[1]), tables[1].Source
		d.where += " and " + tables[1].Source
		groups = append(groups, tables[1].Groups...)
		if d.PName == d.QName {
			d.PName, d.QName = "P "+d.PName, "Q "+d.QName
		}
		d.Source = d.PName + " and " + d.QName
	}
	d.Blocks = blockNumbers(groups)
	return d.weightsOf(tables)
}

// Open reads a file, or all files that match a pattern, into one table.
func Open(con *cli.Console, name string, o frame.Options) (*frame.Frame, error) {
	if name != "-" { // at standard input the user may be typing
		defer con.Working("reading %s", name).End()
	}
	return open(con, name, o)
}

// open is Open without showing progress.
func open(con *cli.Console, name string, o frame.Options) (*frame.Frame, error) {
	o.Formats = []frame.Format{parquet.Format()}
	return frame.OpenAll([]string{name}, con.Stdin, o)
}

// sampleName is what tables and pictures call the sample of a file or pattern.
func sampleName(file string) string {
	if file == "-" {
		return "standard input"
	}
	name := filepath.Base(file)
	for _, ext := range []string{".gz", ".csv", ".tsv", ".txt", ".parquet"} {
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
