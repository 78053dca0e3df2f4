package table

import (
	"slices"
	"strconv"
)

// Category is a column of text. The values of it in Table.Data are places in Names.
type Category struct {
	Names []string // of the values that occur, in their order
	Text  string   // the first value that is not a number
	At    int      // the line of it, or the row
}

// naming is a Category while it is read.
type naming struct {
	Category
	place map[string]int // in Names, which are not in order yet
}

func (c *naming) of(name string) float64 {
	at, ok := c.place[name]
	if !ok {
		at = len(c.Names)
		c.place[name] = at
		c.Names = append(c.Names, name)
	}
	return float64(at)
}

// categorize returns the place of a value among the names of column k if the column holds text,
// which it does from the first text on: then the numbers before become names too.
func (b *builder) categorize(k int, field []byte, v float64, what kind) (float64, kind) {
	c := b.named[k]
	if c == nil {
		if what != isText || b.whyText(field) != notANumber {
			return v, what
		}
		c = &naming{Category{Text: clean(field), At: b.at}, map[string]int{}}
		b.named[k] = c
		for i := range b.rows {
			if at := i*len(b.index) + k; b.data[at] == b.data[at] { // not NaN, which is missing
				b.data[at] = c.of(strconv.FormatFloat(b.data[at], 'g', -1, 64))
			}
		}
		b.counting = slices.DeleteFunc(b.counting, func(x counter) bool { return x.k == k })
	}
	switch what {
	case isText:
		return c.of(clean(field)), isNumber
	case isNumber:
		return c.of(strconv.FormatFloat(v, 'g', -1, 64)), isNumber
	}
	return v, what
}

// takeCategories puts the names in order.
func (t *Table) takeCategories(b *builder) {
	t.Categories = make([]*Category, len(b.index))
	for k, c := range b.named {
		if c == nil {
			continue
		}
		occurs := make([]bool, len(c.Names)) // in rows that were kept
		for i := range b.rows {
			if v := t.Data.At(i, k); v == v {
				occurs[int(v)] = true
			}
		}
		sorted := slices.DeleteFunc(slices.Clone(c.Names), func(s string) bool {
			return !occurs[c.place[s]]
		})
		slices.Sort(sorted)
		rank := make([]float64, len(c.Names))
		for r, name := range sorted {
			rank[c.place[name]] = float64(r)
		}
		for i := range b.rows {
			if v := t.Data.At(i, k); v == v {
				t.Data.Set(i, k, rank[int(v)])
			}
		}
		t.Categories[k] = &Category{sorted, c.Text, c.At}
	}
}
