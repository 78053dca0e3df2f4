package input

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/internal/table"

	"gonum.org/v1/gonum/mat"
)

// readSamples reads one or two files, without some of their columns; chosen is set if the user
// chose columns.
func readSamples(con *cli.Console, files []string, o table.Options, drop []string, l *labels,
	chosen bool) (*Dataset, error) {
	tables := make([]*table.Table, len(files))
	data := &Dataset{}
	var err error
	for i, f := range files {
		if tables[i], err = Open(con, f, o); err != nil {
			return nil, err
		}
		if err := dropColumns(tables[i], drop); err != nil {
			return nil, err
		}
		if k := tables[i].Dropped; k > 0 {
			data.Notes = append(data.Notes, fmt.Sprintf("%s: left out %s with missing values.", f,
				cli.Plural(k, "row")))
		}
	}
	first := tables[0]
	before := slices.Clone(tables[len(tables)-1].Names)
	if len(files) == 2 {
		if err := table.Match(first, tables[1]); err != nil {
			return nil, err
		}
	}
	data.Notes = append(append([]string{usedColumns(first.Names)}, headerNotes(tables, before)...),
		data.Notes...)
	if !chosen {
		data.Notes = append(data.Notes, warnCounting(con, tables)...)
	}
	data.Columns, data.where = first.Names, first.Source
	if o.Label != "" {
		data.Groups, err = l.choose(first)
		if err != nil {
			return nil, err
		}
		data.labelled = first
		if len(data.Groups) == 2 {
			return data.Pair(data.Groups[0], data.Groups[1])
		}
		keepGroups(first, data.Groups)
	}
	return data, data.fill(files, tables)
}

// fill makes the samples those of one file or two.
func (data *Dataset) fill(files []string, tables []*table.Table) error {
	first := tables[0]
	groups := first.Groups
	data.P, data.PName, data.from[0] = first.Data, sampleName(files[0]), first.Source
	data.Source = data.PName
	if len(files) == 2 {
		data.Q, data.QName, data.from[1] = tables[1].Data, sampleName(files[1]), tables[1].Source
		data.where += " and " + tables[1].Source
		groups = append(groups, tables[1].Groups...)
		if mat.Equal(data.P, data.Q) {
			data.Notes = append(data.Notes, fmt.Sprintf("%s and %s hold the same rows.", files[0],
				files[1]))
		}
		if data.PName == data.QName {
			data.PName, data.QName = "P "+data.PName, "Q "+data.QName
		}
		data.Source = data.PName + " and " + data.QName
	}
	data.Blocks = blockNumbers(groups)
	return data.weightsOf(tables)
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
