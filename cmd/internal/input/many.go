package input

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"

	"gonum.org/v1/gonum/mat"
)

// ManyFlags say which samples to read; there may be any number of them.
type ManyFlags struct {
	flags Flags
}

// mostSamples is the largest number of samples.
const mostSamples = 500

// Define defines the flags.
func (f *ManyFlags) Define(s *cli.FlagSet) {
	s.Group("Data")
	d := &f.flags
	s.Text(&d.Label, "label", "", "for one file with all samples: the `column` of the labels that "+
		"tell them apart (a name, or a number from 1), or column=a,b,c for the rows of some of the labels")
	d.columns.Define(s)
	defineNames(s, &d.names)
}

// Check finds what is wrong with the number of files.
func (f *ManyFlags) Check(files []string) error {
	switch {
	case len(files) == 0:
		return cli.Usagef("found no file, want one for each sample, or one file with -label")
	case len(files) == 1 && f.flags.Label == "":
		return Lone(files[0], "a file for each sample, or the column that tells the samples apart")
	case f.flags.Label != "" && len(files) > 1:
		return cli.Usagef("-label %s needs all samples in one file, or in files that one pattern in quotes "+
			"names, but %d are given", f.flags.Label, len(files))
	case len(files) > mostSamples:
		return cli.Usagef("%d files are given, want at most %d", len(files), mostSamples)
	}
	if at := slices.Index(files, "-"); at >= 0 && slices.Contains(files[at+1:], "-") {
		return cli.Usagef("two files are -, and standard input can be read only once")
	}
	return nil
}

// Many are samples with the same columns. P of the data set holds all their rows.
type Many struct {
	*Dataset
	Names []string
	Of    []*mat.Dense
	label string // the column that tells them apart, "" for files
}

// Load reads the samples.
func (f *ManyFlags) Load(con *cli.Console, files []string) (*Many, error) {
	o, err := f.flags.options()
	if err != nil {
		return nil, err
	}
	tables, wrong := make([]*frame.Frame, len(files)), make([]error, len(files))
	for i, name := range files {
		tables[i], wrong[i] = Open(con, name, o)
	}
	if err := joined(files, wrong); err != nil {
		return nil, err
	}
	for i, t := range tables[1:] {
		wrong[i+1] = frame.Match(tables[0], t)
	}
	if err := joined(files, wrong); err != nil {
		return nil, err
	}
	first := tables[0]
	frame.SameTypes(tables...)
	told, err := f.flags.columns.settle(tables, design{label: first.Label, groups: first.Labels, named: o.Levels != nil}, o.Label)
	if err != nil {
		return nil, err
	}
	told = append(append(told, varying(tables)...), indicators(tables)...)
	out := &Many{Dataset: &Dataset{Columns: first.Names, where: first.Source,
		Notes: slices.Concat([]string{usedColumns(first.Names)}, told, notes(con, tables))}}
	if o.Label != "" {
		out.Source, out.label = fmt.Sprintf("%s by %s", sampleName(files[0]), first.Label), first.Label
		var labels []string
		if labels, out.Of, err = first.Split(); err != nil {
			return nil, err
		}
		out.Names = groupNames(first.Label, labels)
		if err := rename(f.flags.names, out.Names, labels, slices.Clone(out.Names)); err != nil {
			return nil, err
		}
	} else {
		out.Names = distinctNames(files)
		if err := rename(f.flags.names, out.Names, slices.Clone(out.Names)); err != nil {
			return nil, err
		}
		out.Source = fmt.Sprintf("%d files", len(files))
		for _, t := range tables {
			out.Of = append(out.Of, t.Data)
		}
	}
	return out, out.check()
}

// joined are the errors of files, each once: a file that is given twice has its error twice.
func joined(files []string, wrong []error) error {
	var out []error
	for i, err := range wrong {
		if slices.Index(files, files[i]) == i {
			out = append(out, err)
		}
	}
	return frame.Join(out...)
}

// distinctNames returns names of files that are as short as possible but still differ.
func distinctNames(files []string) []string {
	names := make([]string, len(files))
	count := map[string]int{}
	for i, f := range files {
		names[i] = sampleName(f)
		count[names[i]]++
	}
	for i, f := range files {
		if count[names[i]] > 1 {
			names[i] = filepath.Join(filepath.Base(filepath.Dir(f)), names[i])
		}
	}
	seen := map[string]int{}
	for i, n := range names {
		if seen[n]++; seen[n] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", n, seen[n])
		}
	}
	return names
}

// check returns an error if the samples cannot be compared; otherwise it pools their rows.
func (m *Many) check() error {
	if k := len(m.Of); k < 2 || k > mostSamples {
		return fmt.Errorf("%s: found %s, want 2 to %d to compare", m.where, cli.Plural(k, "sample"),
			mostSamples)
	}
	var wrong []error
	var single []string // labels
	total, dim := 0, len(m.Columns)
	var ranges [][][2]float64
	for i, rows := range m.Of {
		n, _ := rows.Dims()
		switch {
		case n < 2 && m.label != "":
			single = append(single, m.Names[i])
		case n < 2:
			wrong = append(wrong, fmt.Errorf("%s: found %s, want at least 2", m.Names[i], cli.Plural(n, "row")))
		}
		ranges = append(ranges, columnRanges(rows))
		wrong = append(wrong, checkSize(m.Names[i], m.Columns, rows, ranges[i]))
		total += n
	}
	if single != nil {
		wrong = append(wrong, fmt.Errorf("%s: column %q has %s with one row alone (%s), want at least 2 rows of each", m.where, m.label,
			cli.Plural(len(single), "label"), strings.Join(cli.Fewer(single), ", ")))
	}
	if err := frame.Join(wrong...); err != nil {
		return err
	}
	m.P, m.PName = mat.NewDense(total, dim, nil), m.Source
	at := 0
	for _, rows := range m.Of {
		n, _ := rows.Dims()
		m.P.Slice(at, at+n, 0, dim).(*mat.Dense).Copy(rows)
		at += n
	}
	if equalRows(m.P) {
		return fmt.Errorf("%s: all %d rows are equal, want at least 2 distinct ones", m.Source, total)
	}
	return checkSpread(m.Source, m.Columns, ranges...)
}
