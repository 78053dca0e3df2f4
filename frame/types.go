package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"bayeskernel/frame/internal/columnar"

	"gonum.org/v1/gonum/mat"
)

// Kind says what the numbers of a column stand for.
type Kind int

const (
	Number   Kind = iota
	Whole         // numbers without fractions
	Boolean       // true and false, which are 1 and 0
	Category      // text: the numbers are places in Type.Levels, from 0
	Date          // days since 1970-01-01
	Time          // seconds since 1970-01-01 00:00:00
	Clock         // seconds since midnight
)

var kindNames = [...]string{"number", "whole number", "boolean", "category", "date", "date and time",
	"time of day"}

// String is the kind in words.
func (k Kind) String() string { return kindNames[k] }

// Type is what a column holds.
type Type struct {
	Kind    Kind
	Levels  []string // of a Category: the texts that occur, by value if all are numbers, or by alphabet
	Missing int      // values that the file lacks, also in rows that were left out
	// Text is the first value that made the column one of text or dates, and At its line, or row. Text is
	// "" where the file declares the type.
	Text string
	At   int
	Zero string // of a Whole: the first number with a 0 before its digits, as codes such as 02134 have; or ""
}

// Column is one column of a Frame.
type Column struct {
	Name string
	Type
	of *Frame
	k  int
}

// Column returns the column of a name.
func (f *Frame) Column(name string) (Column, bool) {
	k := slices.Index(f.Names, name)
	if k < 0 {
		return Column{}, false
	}
	return Column{name, f.Types[k], f, k}, true
}

// Floats returns the values: NaN where one is missing, for a Category the places in Levels.
func (c Column) Floats() []float64 { return mat.Col(nil, c.k, c.of.Data) }

// Text returns the values as a file would hold them, "" where one is missing.
func (c Column) Texts() []string {
	out := c.Floats()
	texts := make([]string, len(out))
	for i, v := range out {
		texts[i] = c.Format(v)
	}
	return texts
}

// Format writes a value: the text of a category, a date, or the number.
func (t Type) Format(v float64) string {
	if v != v {
		return ""
	}
	at := func(layout string) string {
		whole := math.Floor(v)
		return time.Unix(int64(whole), int64((v-whole)*1e9)).UTC().Format(layout)
	}
	switch t.Kind {
	case Category:
		return t.Levels[int(v)]
	case Boolean:
		return strconv.FormatBool(v == 1)
	case Date:
		v *= daySeconds
		return at(time.DateOnly)
	case Time:
		return at("2006-01-02 15:04:05.999999999")
	case Clock:
		return at("15:04:05.999999999")
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

const daySeconds = 24 * 60 * 60

// layouts are those of dates and times in text, as time.Parse reads them, which allows fractions of
// seconds.
var layouts = []string{time.DateOnly, "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04:05",
	time.RFC3339, "2006-01-02 15:04:05Z07:00"}

// parseDate reads a date, as the days since 1970, or a date with a time, as the seconds.
func parseDate(s string) (v float64, kind Kind, ok bool) {
	if len(s) < len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return 0, 0, false
	}
	for i, layout := range layouts {
		at, err := time.Parse(layout, s)
		switch {
		case err != nil:
		case i == 0:
			return float64(at.Unix() / daySeconds), Date, true
		default:
			return float64(at.Unix()) + float64(at.Nanosecond())/1e9, Time, true
		}
	}
	return 0, 0, false
}

// naming is a column of text while it is read: its values are places in names.
type naming struct {
	names    []string
	place    map[string]int
	text     string // that made it one, and its line
	at       int
	declared bool // to be text: no dates are looked for
	none     bool // nothing but None so far: a level of that name, or a value that is missing
}

func (c *naming) of(name string) float64 {
	at, ok := c.place[name]
	if !ok {
		at = len(c.names)
		c.place[name] = at
		c.names = append(c.names, name)
	}
	return float64(at)
}

// declare takes note of what the file says of column k of the data.
func (b *builder) declare(k int, kind columnar.Kind) {
	if b.named == nil || b.index[k] == b.weight || b.record > 0 {
		return
	}
	b.kinds[k] = map[columnar.Kind]Kind{columnar.Boolean: Boolean, columnar.Date: Date, columnar.Time: Time,
		columnar.Clock: Clock}[kind]
	if kind == columnar.Text {
		b.named[k] = &naming{place: map[string]int{}, declared: true}
	}
}

// categorize returns the place of a value among the names of column k if the column holds text,
// which it does from the first text on: then the values before become names too.
func (b *builder) categorize(k int, field []byte, v float64, what kind) (float64, kind) {
	c := b.named[k]
	if c != nil && c.none && what != isMissing {
		c.none = false
		if what == isNumber {
			b.nones, b.named[k], b.kinds[k] = append(b.nones, none{k, c.at}), nil, Number
			if 'A' <= field[0] { // true or false
				b.kinds[k] = Boolean
			}
			return v, what
		}
	}
	if c == nil {
		switch {
		case what == isMissing && isNone(field) && !b.held[k] && b.unit == "line":
			c = b.beginNaming(k, field)
			c.none = true
		case what == isNumber && (b.rows == 0 || b.kinds[k] == Boolean) && b.unit == "line":
			b.kinds[k] = Number
			if 'A' <= field[0] { // true or false
				b.kinds[k] = Boolean
			}
		case what == isText && b.whyText(field) == notANumber:
			c = b.beginNaming(k, field)
		}
		if c == nil {
			return v, what
		}
	}
	switch {
	case what == isMissing && !isNone(field) && !(c.declared && len(field) > 0):
		return v, what
	case what == isNumber && !c.declared:
		return c.of(strconv.FormatFloat(v, 'g', -1, 64)), isNumber
	}
	if at, ok := c.place[string(field)]; ok { // names are clean
		return float64(at), isNumber
	}
	return c.of(clean(field)), isNumber
}

// beginNaming makes column k one of text.
func (b *builder) beginNaming(k int, field []byte) *naming {
	c := &naming{place: map[string]int{}, text: clean(field), at: b.at}
	b.named[k] = c
	was := Type{Kind: b.kinds[k]}
	for i := range b.rows {
		if v := &b.data[i*len(b.index)+k]; *v == *v { // not NaN, which is missing
			*v = c.of(was.Format(*v))
		}
	}
	b.kinds[k] = Category
	return c
}

// none is a column in which nothing but None stood, from line at on.
type none struct{ column, at int }

// missNones makes the Nones in the rows before the last record missing.
func (b *builder) missNones(n none, before int) {
	d, k := len(b.index), n.column
	switch b.na {
	case KeepMissing:
		for i := range before {
			if v := &b.data[i*d+k]; *v == *v {
				*v = math.NaN()
				b.missing[k]++
			}
		}
	case DropMissing: // then all rows have been None, or one would have had a number
		b.data = b.data[before*d:]
		for r, t := range b.texts {
			if t != nil {
				b.texts[r] = t[before:]
			}
		}
		b.missing[k] += before
		b.rows, b.dropped, b.first = b.rows-before, b.dropped+before, false
	default:
		b.lacking += before
		b.problems.add(problem{at: n.at, slot: k, kind: adviceDrop, advice: b.adviceOnMissing(),
			text: fmt.Sprintf(", %s: the value is missing (%q)", b.where(b.index[k]), "None")})
	}
}

// takeTypes says what the columns hold, and puts the names of categories in order.
func (t *Frame) takeTypes(b *builder) {
	t.Types = make([]Type, len(t.Names))
	for k := range t.Types {
		x := &t.Types[k]
		x.Kind, x.Missing = b.kinds[k], b.missing[k]
		if b.named == nil || b.named[k] == nil {
			if x.Kind == Number && whole(t.Data, k) {
				x.Kind, x.Zero = Whole, b.zeros[k]
			}
			continue
		}
		c := b.named[k]
		x.Kind, x.Text, x.At = Category, c.text, c.at
		if !c.declared && t.takeDates(k, c) {
			continue
		}
		occurs := make([]bool, len(c.names)) // in rows that were kept
		t.each(k, func(v float64) float64 { occurs[int(v)] = true; return v })
		x.Levels = slices.DeleteFunc(slices.Clone(c.names), func(s string) bool {
			return !occurs[c.place[s]]
		})
		sortLevels(x.Levels)
		rank := make([]float64, len(c.names))
		for r, name := range x.Levels {
			rank[c.place[name]] = float64(r)
		}
		t.each(k, func(v float64) float64 { return rank[int(v)] })
	}
}

// takeDates makes a column of names one of dates, if all of them are.
func (t *Frame) takeDates(k int, c *naming) bool {
	values, kinds := make([]float64, len(c.names)), make([]Kind, len(c.names))
	for i, s := range c.names {
		var ok bool
		if values[i], kinds[i], ok = parseDate(s); !ok {
			return false
		}
	}
	kind := slices.Max(kinds)
	for i := range values {
		if kinds[i] != kind {
			values[i] *= daySeconds
		}
	}
	t.each(k, func(v float64) float64 { return values[int(v)] })
	t.Types[k].Kind = kind
	return true
}

// each replaces the values of a column that are not missing.
func (t *Frame) each(k int, f func(v float64) float64) {
	raw := t.Data.RawMatrix()
	for i := k; i < len(raw.Data); i += raw.Stride {
		if v := raw.Data[i]; v == v {
			raw.Data[i] = f(v)
		}
	}
}

// whole reports whether a column holds whole numbers, and any at all.
func whole(data *mat.Dense, k int) bool {
	raw := data.RawMatrix()
	some := false
	for i := k; i < len(raw.Data); i += raw.Stride {
		if v := raw.Data[i]; v != math.Trunc(v) && v == v {
			return false
		} else {
			some = some || v == v
		}
	}
	return some
}

// SameTypes makes columns of tables of one kind, where they differ: of numbers in one and text in
// another it makes categories, and categories of all tables have the same levels.
func SameTypes(tables ...*Frame) {
	for k := range tables[0].Types {
		kinds := make([]Kind, len(tables))
		for i, t := range tables {
			kinds[i] = t.Types[k].Kind
		}
		to := slices.Max(kinds)
		if slices.Min(kinds) == to && to != Category {
			continue
		}
		if to <= Boolean { // numbers of several kinds
			to = Number
			if !slices.Contains(kinds, Number) {
				to = Whole
			}
			for _, t := range tables {
				t.Types[k].Kind = to
			}
			continue
		}
		Categorize(k, tables...)
	}
}

// Categorize makes column k of all tables one of categories, with the same levels: its values.
func Categorize(k int, tables ...*Frame) {
	levels := []string{}
	for _, t := range tables {
		t.categorize(k)
		levels = append(levels, t.Types[k].Levels...)
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	sortLevels(levels)
	place := places(levels)
	for _, t := range tables {
		old := t.Types[k].Levels
		t.each(k, func(v float64) float64 { return place[old[int(v)]] })
		t.Types[k].Levels = levels
	}
}

// places are the numbers of levels, which may be as many as the rows.
func places(levels []string) map[string]float64 {
	place := make(map[string]float64, len(levels))
	for i, l := range levels {
		place[l] = float64(i)
	}
	return place
}

// categorize makes column k of the data one of categories, whose levels are its values.
func (f *Frame) categorize(k int) {
	was := f.Types[k]
	if was.Kind == Category {
		return
	}
	list := slices.DeleteFunc(mat.Col(nil, k, f.Data), math.IsNaN)
	slices.Sort(list)
	list = slices.Compact(list)
	f.each(k, func(v float64) float64 {
		i, _ := slices.BinarySearch(list, v)
		return float64(i)
	})
	f.Types[k].Kind, f.Types[k].Levels = Category, nil
	for _, v := range list {
		f.Types[k].Levels = append(f.Types[k].Levels, was.Format(v))
	}
}
