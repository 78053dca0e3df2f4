package input

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/internal/table"
)

// readSamples reads one or two files.
func readSamples(con *cli.Console, files []string, o table.Options) (*Dataset, error) {
	tables := make([]*table.Table, len(files))
	var err error
	data := &Dataset{}
	for i, f := range files {
		if tables[i], err = Open(con, f, o); err != nil {
			return nil, err
		}
		if k := tables[i].Dropped; k > 0 {
			data.Notes = append(data.Notes, fmt.Sprintf("%s: left out %s with missing values.", f,
				cli.Plural(k, "row")))
		}
	}
	first := tables[0]
	groups := first.Groups
	data.Columns, data.P, data.PName = first.Names, first.Data, sampleName(files[0])
	data.Source = data.PName
	data.where, data.from[0] = first.Source, first.Source
	switch {
	case len(files) == 2:
		if err := table.Match(first, tables[1]); err != nil {
			return nil, err
		}
		data.Q, data.QName, data.from[1] = tables[1].Data, sampleName(files[1]), tables[1].Source
		data.where += " and " + tables[1].Source
		groups = append(groups, tables[1].Groups...)
		if data.PName == data.QName {
			data.PName, data.QName = "P "+data.PName, "Q "+data.QName
		}
		data.Source = data.PName + " and " + data.QName
	case o.Label != "":
		levels, parts, err := first.Split()
		if err != nil {
			return nil, err
		}
		if len(levels) != 2 {
			return nil, fmt.Errorf("%s: column %q has %s (%s), want 2 to tell two samples apart",
				first.Source, first.Label, cli.Plural(len(levels), "distinct label"),
				cli.Shorten(strings.Join(levels, ", "), 60))
		}
		data.P, data.Q, data.PName, data.QName = parts[0], parts[1], levels[0], levels[1]
		data.Source = fmt.Sprintf("%s by %s", first.Source, first.Label)
		for i, level := range levels {
			data.from[i] = fmt.Sprintf("%s: label %q of column %q", first.Source, level, first.Label)
		}
		if groups != nil {
			groups = slices.Concat(inSamples(groups, first.Labels, data.PName)...)
		}
	}
	data.Blocks = blockNumbers(groups)
	return data, data.weightsOf(tables)
}

// Open reads a file.
func Open(con *cli.Console, name string, o table.Options) (*table.Table, error) {
	if name != "-" { // at standard input the user may be typing
		defer con.Working("reading %s", name).End()
	}
	return table.Open(name, con.Stdin, o)
}

// sampleName is what a sample from a file is called in tables and pictures.
func sampleName(file string) string {
	if file == "-" {
		return "standard input"
	}
	name := filepath.Base(file)
	for _, ext := range []string{".gz", ".csv", ".tsv", ".txt"} {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// blockNumbers numbers labels in the order in which they come; nil if there are none.
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
