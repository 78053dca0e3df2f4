package frame

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// NoteKind is what a note is about.
type NoteKind int

const (
	DuplicateHeader NoteKind = iota // columns under one name
	Reordered                       // a header in another order than that of an earlier file
	SameContents                    // two tables with the same values
	NoHeader                        // a file without a header beside one that has one
	OtherNames                      // columns that are matched by place, under other names
	LikeNames                       // a first row of numbers that may be names
)

// Note is something about a table that its user should know, though nothing is wrong.
type Note struct {
	Kind    NoteKind
	Source  string   // the table it is about
	Columns []string // as in Table.Names
	Text    string   // one sentence, which starts with the name of the file
}

// Notes returns the notes of tables, in their order; what they say of the same columns but once.
func Notes(tables ...*Frame) []Note {
	var all []Note
	for _, t := range tables {
		for _, n := range t.Notes {
			if n.Kind != DuplicateHeader ||
				!slices.ContainsFunc(all, func(m Note) bool {
					return m.Kind == n.Kind && slices.Equal(m.Columns, n.Columns)
				}) {
				all = append(all, n)
			}
		}
	}
	return all
}

// note appends a note.
func (t *Frame) note(kind NoteKind, columns []string, format string, a ...any) {
	t.Notes = append(t.Notes, Note{kind, t.Source, columns,
		printable(t.Source) + ": " + fmt.Sprintf(format, a...)})
}

// addNotes notes what can be seen in one table.
func (t *Frame) addNotes() {
	called := make(map[string][]string, len(t.header)) // the columns by what the header calls them
	for k, name := range t.header {
		called[name] = append(called[name], t.Names[k])
	}
	for _, name := range t.header {
		same := called[name]
		delete(called, name)
		if len(same) > 1 {
			t.note(DuplicateHeader, same, "%d columns are called %s; they are told apart as %s, and "+
				"chosen by number", len(same), quote([]byte(name)), list(same))
		}
	}
	if t.plainFirst && t.likeNames() {
		var first []string
		for _, v := range t.Data.RawRowView(0) {
			first = append(first, strconv.FormatFloat(v, 'g', -1, 64))
		}
		t.note(LikeNames, t.Names, "the first line has numbers only, and so it is taken for a row, but no "+
			"other row has whole numbers; if %s are names, put letters before them", list(first))
	}
}

// likeNames reports whether the first row has whole numbers, all different, and no other row has any: years,
// say, over columns of measurements.
func (t *Frame) likeNames() bool {
	const fewest = 10
	n, d := t.Data.Dims()
	if n < fewest || d < 2 {
		return false
	}
	seen := make(map[float64]bool, d)
	for _, v := range t.Data.RawRowView(0) {
		if v != math.Trunc(v) || seen[v] {
			return false
		}
		seen[v] = true
	}
	for i := 1; i < n; i++ {
		for _, v := range t.Data.RawRowView(i) {
			if v == math.Trunc(v) {
				return false
			}
		}
	}
	return true
}

// tellApart returns names of which no two are the same: equal ones get the number of their column.
func tellApart(names []string, index []int) []string {
	count := make(map[string]int, len(names))
	for _, name := range names {
		count[name]++
	}
	out := slices.Clone(names)
	for k, name := range names {
		if count[name] > 1 {
			out[k] = fmt.Sprintf("%s (column %d)", name, index[k]+1)
		}
	}
	return out
}

// Hash identifies the contents of a table: its numbers bit by bit, its labels, groups and weights.
// Names of files and columns do not count.
func (t *Frame) Hash() [sha256.Size]byte {
	h := sha256.New()
	n, d := t.Data.Dims()
	fmt.Fprintf(h, "%d x %d, %d %d %d\n", n, d, len(t.Labels), len(t.Groups), len(t.Weights))
	buf := make([]byte, 0, 1<<16)
	for i := range n {
		for _, v := range t.Data.RawRowView(i) {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		if t.Weights != nil {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(t.Weights[i]))
		}
		for _, s := range [][]string{t.Labels, t.Groups} {
			if s != nil {
				buf = binary.LittleEndian.AppendUint64(buf, uint64(len(s[i])))
				buf = append(buf, s[i]...)
			}
		}
		if len(buf) > cap(buf)/2 || i == n-1 {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// noteIfSame notes at b that its contents are those of a; twice is said if they are one file.
func noteIfSame(a, b *Frame, twice string) {
	n, d := a.Data.Dims()
	if m, e := b.Data.Dims(); n == 0 || n != m || d != e || !slices.Equal(a.Data.RawRowView(0),
		b.Data.RawRowView(0)) || a.Hash() != b.Hash() {
		return
	}
	if a.Source == b.Source {
		b.note(SameContents, nil, "%s", twice)
		return
	}
	b.note(SameContents, nil, "holds the same %s as %s", plural(n, "row"), printable(a.Source))
}

// sources names the files of tables that are put together.
func sources(tables []*Frame) string {
	var names []string
	for _, t := range tables {
		names = append(names, printable(t.Source))
	}
	if n := len(names); n > 3 {
		return fmt.Sprintf("%s, %s, ..., %s (%d files)", names[0], names[1], names[n-1], n)
	}
	return strings.Join(names, ", ")
}
