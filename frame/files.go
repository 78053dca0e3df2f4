package frame

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Read reads the table in a file. The path may be "-", for Options.Stdin, or a pattern such as P*.csv: see
// ReadAll.
func Read(ctx context.Context, path string, o Options) (*Frame, error) {
	return ReadAll(ctx, []string{path}, o)
}

// ReadAll reads the tables in the named files and puts their rows together, in this order. A path
// may be "-" for Options.Stdin, once, or a pattern such as P*.csv, which stands for the files that
// match it, sorted by name. Kinds of files may be mixed.
//
// Columns belong together by name, and stand in the order of the first file that has a header.
// Those of files without a header are taken in that order. All that is wrong with the files is
// told at once, in a *Problems.
func ReadAll(ctx context.Context, paths []string, o Options) (*Frame, error) {
	files, err := expand(paths)
	if err != nil {
		return nil, err
	}
	var tables []*Frame
	var wrong []error
	o.together = len(files) > 1
	for _, path := range files {
		t, err := open(ctx, path, o)
		if err == nil {
			tables = append(tables, t)
			if o.Memory > 0 {
				o.Memory = max(1, o.Memory-t.bytes())
			}
		}
		wrong = append(wrong, err)
		if ctx.Err() != nil {
			break
		}
	}
	// The first file that has a header says what the columns are.
	first := max(slices.IndexFunc(tables, func(t *Frame) bool { return t.Header }), 0)
	for i, t := range tables {
		if i != first {
			wrong = append(wrong, alike(tables[first], t))
		}
	}
	if err := Join(wrong...); err != nil {
		return nil, err
	}
	if len(tables) == 1 {
		return tables[0], nil
	}
	SameTypes(tables...)
	t := concat(tables, tables[first])
	if err := t.checkLevels(tables); err != nil {
		return nil, prefix(t.Source, err)
	}
	return t, nil
}

// checkLevels checks that each label that was asked for occurs in one of the tables.
func (t *Frame) checkLevels(tables []*Frame) error {
	rows := make(map[string]int)
	for _, p := range tables {
		for s, n := range p.labelRows {
			rows[s] += n
		}
	}
	return unknownLevels("column "+quote([]byte(t.Label)), t.chosen, rows)
}

// expand replaces patterns by the files that match them.
func expand(paths []string) ([]string, error) {
	var files []string
	var wrong []error
	stdin := 0
	for _, path := range paths {
		if path == "-" {
			stdin++
		}
		if _, err := os.Lstat(path); err == nil || path == "-" || !strings.ContainsAny(path, "*?[") {
			files = append(files, path)
			continue
		}
		found, err := filepath.Glob(path)
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s: is not a valid pattern for names of files",
				printable(path)))
		case len(found) == 0:
			wrong = append(wrong, fmt.Errorf("%s: no file matches this pattern", printable(path)))
		}
		files = append(files, found...)
	}
	if stdin > 1 {
		wrong = append(wrong, errors.New("standard input: is given twice, and can be read only once"))
	}
	if len(paths) == 0 {
		wrong = append(wrong, errors.New("no file is given"))
	}
	return files, Join(wrong...)
}

// alike checks that b has the columns of a, and puts them in the order of a, which has a header if
// either has.
func alike(a, b *Frame) error {
	if !b.Header {
		if a.Header {
			b.noteNoHeader(a)
		}
		return columnsByPlace(a, b)
	}
	pair := printable(a.Source) + " and " + printable(b.Source)
	for _, c := range []struct{ role, a, b string }{{"label", a.Label, b.Label},
		{"group", a.Group, b.Group}, {"weight", a.Weight, b.Weight}} {
		if c.a != c.b {
			return fmt.Errorf("%s: the column of the %s is %s in one and %s in the other; choose it "+
				"by name", pair, c.role, quote([]byte(c.a)), quote([]byte(c.b)))
		}
	}
	onlyA, onlyB := without(a.header, b.header), without(b.header, a.header)
	if len(onlyA) > 0 || len(onlyB) > 0 {
		return fmt.Errorf("%s have different columns and cannot be put together: %s", pair,
			onlyIn(a, onlyA, b, onlyB))
	}
	return b.follow(a)
}

// noteNoHeader notes that b has no header, and a has one.
func (b *Frame) noteNoHeader(a *Frame) {
	b.note(NoHeader, nil, "has no header; its columns are taken in the order of those in %s",
		printable(a.Source))
}

// onlyIn says which columns are in only one of two tables.
func onlyIn(a *Frame, onlyA []string, b *Frame, onlyB []string) string {
	var parts []string
	if len(onlyA) > 0 {
		parts = append(parts, list(onlyA)+" only in "+printable(a.Source))
	}
	if len(onlyB) > 0 {
		parts = append(parts, list(onlyB)+" only in "+printable(b.Source))
	}
	return strings.Join(parts, ", ")
}

// concat puts the rows of tables together, whose columns are those of first.
func concat(tables []*Frame, first *Frame) *Frame {
	t := *first
	t.Source, t.Dropped, t.NoLabel, t.NoGroup = sources(tables), 0, 0, 0
	t.Labels, t.Groups, t.Weights, t.Rows = nil, nil, nil, nil
	rows, d := 0, len(t.Names)
	firsts := make(map[string]*Frame, len(tables)) // by size and first row
	for _, p := range tables {
		n, _ := p.Data.Dims()
		rows += n
		t.Dropped, t.NoLabel, t.NoGroup = t.Dropped+p.Dropped, t.NoLabel+p.NoLabel, t.NoGroup+p.NoGroup
		t.Labels, t.Groups = append(t.Labels, p.Labels...), append(t.Groups, p.Groups...)
		t.Weights = append(t.Weights, p.Weights...)
		if n == 0 {
			continue
		}
		key := fmt.Sprint(n, p.Data.RawRowView(0))
		if earlier := firsts[key]; earlier != nil {
			noteIfSame(earlier, p, "is given twice, so that its rows count twice")
		} else {
			firsts[key] = p
		}
	}
	t.Notes = Notes(tables...)
	data := make([]float64, 0, rows*d)
	for _, p := range tables {
		data = append(data, p.Data.RawMatrix().Data...)
	}
	t.Data = mat.NewDense(rows, d, data)
	return &t
}
