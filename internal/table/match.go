package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Split returns the rows of each label, in the order of the table. The levels are the labels that
// occur, in the order of their values if all of them are numbers, and by alphabet otherwise.
func (t *Table) Split() (levels []string, parts []*mat.Dense, err error) {
	if t.Labels == nil {
		return nil, nil, errors.New(printable(t.Source) + ": no column of labels was read")
	}
	count := make(map[string]int)
	for _, s := range t.Labels {
		count[s]++
	}
	for s := range count {
		levels = append(levels, s)
	}
	sortLevels(levels)
	_, d := t.Data.Dims()
	at := make(map[string]int, len(levels)) // index of the level
	data := make([][]float64, len(levels))
	for k, s := range levels {
		at[s] = k
		data[k] = make([]float64, 0, count[s]*d)
	}
	for i, s := range t.Labels {
		k := at[s]
		data[k] = append(data[k], t.Data.RawRowView(i)...)
	}
	for k, s := range levels {
		parts = append(parts, mat.NewDense(count[s], d, data[k]))
	}
	return levels, parts, nil
}

// sortLevels sorts by value if all levels are numbers. Different spellings of a number are
// different levels, and go by alphabet among themselves.
func sortLevels(levels []string) {
	value := make(map[string]float64, len(levels))
	for _, s := range levels {
		if v, k := parse([]byte(s)); k == isNumber {
			value[s] = v
		}
	}
	slices.SortFunc(levels, func(a, b string) int {
		if len(value) == len(levels) {
			if c := cmp.Compare(value[a], value[b]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
}

// Match checks that two tables have the same columns, and puts those of b in the order of a.
//
// If both files have a header, columns belong together by name, whatever their order, unless those
// of both tables were chosen by number. In all other cases they belong together by place, and only
// their number is compared.
func Match(a, b *Table) error {
	pair := printable(a.Source) + " and " + printable(b.Source)
	_, da := a.Data.Dims()
	_, db := b.Data.Dims()
	if da != db {
		return fmt.Errorf("%s have %s (%s) and %d (%s), and should have the same",
			pair, plural(da, "column"), list(a.Names), db, list(b.Names))
	}
	if !a.Header || !b.Header || a.byNumber && b.byNumber || slices.Equal(a.Names, b.Names) {
		return nil
	}
	onlyA, onlyB := without(a.Names, b.Names), without(b.Names, a.Names)
	if len(onlyA) > 0 || len(onlyB) > 0 {
		return fmt.Errorf("%s have columns of different names, %s and %s; "+
			"chosen by number, as -columns 1, they are compared by place",
			pair, list(onlyA), list(onlyB))
	}
	order := make([]int, da)
	for j, name := range a.Names {
		order[j] = slices.Index(b.Names, name)
	}
	if sorted := slices.Sorted(slices.Values(order)); len(slices.Compact(sorted)) < da {
		return fmt.Errorf("%s have columns in different order, some of them under the same name: %s",
			pair, list(a.Names))
	}
	b.reorder(order)
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
func (t *Table) reorder(order []int) {
	names := slices.Clone(t.Names)
	for j, k := range order {
		t.Names[j] = names[k]
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
