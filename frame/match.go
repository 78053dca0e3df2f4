package frame

import (
	"fmt"
	"slices"
)

// Match checks that two tables have the same columns, and puts those of b in the order of a.
//
// If both files have a header, columns belong together by name, whatever their order, unless those
// of both tables were chosen by number. In all other cases they belong together by place, and only
// their number is compared.
//
// What the user should know of the pair is noted at b: columns in another order or under other
// names, the same contents. A file without a header beside one that has one is noted at itself.
func Match(a, b *Frame) error {
	if err := columnsByPlace(a, b); err != nil {
		return err
	}
	const both = "is given for both samples"
	if !a.Header || !b.Header || a.byNumber && b.byNumber {
		switch {
		case a.Header && !b.Header:
			b.noteNoHeader(a)
		case b.Header && !a.Header:
			a.noteNoHeader(b)
		case a.Header && !slices.Equal(a.header, b.header):
			b.note(OtherNames, slices.Clone(b.Names), "the columns %s are called %s in %s; they are "+
				"matched by place", list(b.header), list(a.header), printable(a.Source))
		}
		SameTypes(a, b)
		noteIfSame(a, b, both)
		return nil
	}
	pair := printable(a.Source) + " and " + printable(b.Source)
	onlyA, onlyB := without(a.header, b.header), without(b.header, a.header)
	if len(onlyA) > 0 || len(onlyB) > 0 {
		advice := ""
		if by := a.remedies.Columns; by != "" {
			advice = fmt.Sprintf("; chosen by number, as %s 1, they are compared by place", by)
		}
		return fmt.Errorf("%s have columns of different names, %s and %s%s", pair, list(onlyA),
			list(onlyB), advice)
	}
	if err := b.follow(a); err != nil {
		return err
	}
	SameTypes(a, b)
	noteIfSame(a, b, both)
	return nil
}

// columnsByPlace checks that two tables have the same number of columns.
func columnsByPlace(a, b *Frame) error {
	if len(a.Names) == len(b.Names) {
		return nil
	}
	return fmt.Errorf("%s and %s have %s (%s) and %d (%s), and should have the same",
		printable(a.Source), printable(b.Source), plural(len(a.Names), "column"), list(a.Names),
		len(b.Names), list(b.Names))
}

// follow puts the columns of b in the order of those of a, which have the same names, and notes it.
func (b *Frame) follow(a *Frame) error {
	if slices.Equal(a.header, b.header) {
		return nil
	}
	order := make([]int, len(a.header))
	for j, name := range a.header {
		order[j] = slices.Index(b.header, name)
	}
	if sorted := slices.Sorted(slices.Values(order)); len(slices.Compact(sorted)) < len(order) {
		return fmt.Errorf("%s and %s have columns in different order, some of them under the same "+
			"name: %s", printable(a.Source), printable(b.Source), list(a.header))
	}
	b.reorder(order)
	b.note(Reordered, slices.Clone(b.Names), "the columns stand in another order than in %s; they "+
		"are matched by name", printable(a.Source))
	return nil
}

// without returns the names of a that are not in b, as often as they are there in excess.
func without(a, b []string) []string {
	count := make(map[string]int)
	for _, name := range b {
		count[name]++
	}
	var only []string
	for _, name := range a {
		if count[name]--; count[name] < 0 {
			only = append(only, name)
		}
	}
	return only
}

// reorder makes column order[j] column j.
func (t *Frame) reorder(order []int) {
	names, header, types := slices.Clone(t.Names), slices.Clone(t.header), slices.Clone(t.Types)
	for j, k := range order {
		t.Names[j], t.header[j], t.Types[j] = names[k], header[k], types[k]
	}
	row := make([]float64, len(order))
	n, _ := t.Data.Dims()
	for i := range n {
		r := t.Data.RawRowView(i)
		copy(row, r)
		for j, k := range order {
			r[j] = row[k]
		}
	}
}
