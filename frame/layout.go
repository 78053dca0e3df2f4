package frame

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// layout says where in a record the data are.
type layout struct {
	delim    byte
	header   bool
	declared bool       // names are declared to be names, not found out to be
	fields   []string   // the first record, whose texts are the names if it is a header
	index    []int      // of the fields that become columns of data, and at last of the weight
	text     [roles]int // of the fields that are the label and the group, or -1
	weight   int        // of the field that is the weight, or -1
	byNumber bool       // all columns were asked for by number
	chosen   bool       // columns were asked for
	remedies Remedies
}

// Columns of text that tell rows apart: the label and the group.
const roles = 2

var roleNames = [roles]string{"label", "group"}

// toDrop is what a column is that is left out.
const toDrop = "one to drop"

// layOut decides from the first record whether it is a header, and finds the columns asked for.
func layOut(first [][]byte, delim byte, o Options) (*layout, error) {
	l := &layout{delim: delim}
	for _, f := range first {
		l.fields = append(l.fields, clean(f))
	}
	l.header = l.isHeader(first, o)
	return l, l.find(o)
}

// find finds the columns asked for. Its error has all that are not found.
func (l *layout) find(o Options) error {
	l.text, l.weight, l.chosen = [roles]int{-1, -1}, -1, len(o.Columns) > 0
	l.remedies = o.Remedies
	apart, err := l.findApart(o)
	if l.chosen {
		err = Join(err, l.choose(o.Columns, apart))
	} else if err == nil {
		err = l.all(apart)
	}
	if l.weight >= 0 {
		l.index = append(l.index, l.weight)
	}
	return err
}

// findApart finds the columns that are no data, and says what each of them is.
func (l *layout) findApart(o Options) (map[int]string, error) {
	apart := make(map[int]string)
	var wrong []error
	take := func(asked, role string, at *int) {
		i, _, err := l.column(asked)
		if err != nil {
			wrong = append(wrong, err)
		} else if other := apart[i]; other != "" {
			wrong = append(wrong, fmt.Errorf("%s is chosen both as %s and as %s", l.where(i), other,
				role))
		} else {
			*at, apart[i] = i, role
		}
	}
	for _, c := range []struct {
		asked, role string
		at          *int
	}{{o.Label, roleNames[0], &l.text[0]}, {o.Group, roleNames[1], &l.text[1]},
		{o.Weight, "weight", &l.weight}} {
		if c.asked != "" {
			take(c.asked, c.role, c.at)
		}
	}
	for _, name := range o.Drop {
		take(name, toDrop, new(int))
	}
	return apart, Join(wrong...)
}

// all keeps all columns that have a name and are not apart.
func (l *layout) all(apart map[int]string) error {
	for i, name := range l.fields {
		if apart[i] == "" && !(l.header && name == "") {
			l.index = append(l.index, i)
		}
	}
	if len(l.index) > 0 {
		return nil
	}
	var beside []string
	for i := range l.fields {
		switch role := apart[i]; role {
		case "":
		case toDrop:
			beside = append(beside, l.where(i)+", which is dropped")
		default:
			beside = append(beside, fmt.Sprintf("the %s, %s", role, l.where(i)))
		}
	}
	const most = 3
	if left := len(beside) - most; left > 0 {
		beside = append(beside[:most:most], fmt.Sprintf("%d others", left))
	}
	if len(beside) == 0 {
		advice := ""
		if l.remedies.Columns != "" {
			advice = fmt.Sprintf("; choose by number, as %s 1", l.remedies.Columns)
		}
		return errors.New("no column has a name" + advice)
	}
	return fmt.Errorf("there is no column of numbers beside %s", strings.Join(beside, ", and "))
}

// choose keeps the columns that are asked for.
func (l *layout) choose(columns []string, apart map[int]string) error {
	l.byNumber = true
	seen := make(map[int]bool)
	var wrong []error
	for _, name := range columns {
		i, number, err := l.column(name)
		switch {
		case err != nil:
			wrong = append(wrong, err)
			continue
		case seen[i]:
			wrong = append(wrong, fmt.Errorf("%s is chosen twice", l.where(i)))
		case apart[i] != "":
			wrong = append(wrong, fmt.Errorf("%s is chosen both as data and as %s", l.where(i),
				apart[i]))
		}
		seen[i] = true
		l.index = append(l.index, i)
		l.byNumber = l.byNumber && number
	}
	return Join(wrong...)
}

// isHeader reports whether the first record holds names: a name that is asked for, or text in a
// column that is to be read as numbers.
func (l *layout) isHeader(first [][]byte, o Options) bool {
	data := make([]bool, len(first))
	for i := range data {
		data[i] = len(o.Columns) == 0
	}
	unknown := false
	for k, name := range slices.Concat([]string{o.Label, o.Group, o.Weight}, o.Columns, o.Drop) {
		words := k < roles
		if k <= roles && name == "" {
			continue
		}
		name = clean([]byte(name))
		if n, err := strconv.Atoi(name); err != nil {
			for _, f := range l.fields {
				if f == name && name != "" {
					return true
				}
			}
			unknown = true
		} else if 0 < n && n <= len(data) {
			data[n-1] = !words && k < 3+len(o.Columns)
		}
	}
	for i, f := range first {
		// A name that is not found is an error. The message should list the names, if the record
		// looks like a header in any column.
		if data[i] || unknown {
			if _, k := l.parse(f); k == isText {
				return o.Numbers || !l.fractions(first)
			}
		}
	}
	return false
}

// fractions reports whether a record holds a number with a fraction, which is no name.
func (l *layout) fractions(record [][]byte) bool {
	return slices.ContainsFunc(record, func(f []byte) bool {
		v, k := l.parse(f)
		return k == isNumber && v != math.Trunc(v)
	})
}

func (l *layout) parse(field []byte) (float64, kind) {
	if l.delim == ';' {
		var scratch []byte
		return parseComma(field, &scratch)
	}
	return parse(field)
}

// column returns the index of the column with a name or number, and whether it was a number.
func (l *layout) column(asked string) (index int, number bool, err error) {
	name := clean([]byte(asked))
	if name == "" {
		return 0, false, errors.New("a column is asked for by an empty name")
	}
	if l.header {
		var at []int
		for i, f := range l.fields {
			if f == name {
				at = append(at, i)
			}
		}
		if len(at) > 1 {
			return 0, false, fmt.Errorf("columns %d and %d are both called %s: choose by number",
				at[0]+1, at[1]+1, quote([]byte(name)))
		}
		if len(at) == 1 {
			return at[0], false, nil
		}
	}
	n, err := strconv.Atoi(name)
	switch {
	case err == nil && 0 < n && n <= len(l.fields):
		return n - 1, true, nil
	case err == nil && len(l.fields) == 1:
		return 0, false, fmt.Errorf("there is no column %d, only 1", n)
	case err == nil:
		return 0, false, fmt.Errorf("there is no column %d, only 1 to %d", n, len(l.fields))
	case l.header:
		return 0, false, fmt.Errorf("there is no column %s, only %s%s",
			quote([]byte(name)), list(l.fields), didYouMean(name, l.fields))
	}
	return 0, false, fmt.Errorf("there is no column %s: without a header columns go by number, "+
		"here 1 to %d", quote([]byte(name)), len(l.fields))
}

// list returns names for a message, and not too many.
func list(names []string) string {
	const most = 8
	var q []string
	for _, name := range names {
		if name != "" && len(q) < most {
			q = append(q, quote([]byte(name)))
		}
	}
	if len(q) < len(names) {
		return fmt.Sprintf("%s, ... (%d in all)", strings.Join(q, ", "), len(names))
	}
	return strings.Join(q, ", ")
}

// where names column i in a message.
func (l *layout) where(i int) string {
	if l.header && l.fields[i] != "" {
		return "column " + quote([]byte(l.fields[i]))
	}
	return fmt.Sprintf("column %d", i+1)
}

// name returns the name of column i in the table.
func (l *layout) name(i int) string {
	switch {
	case l.header && l.fields[i] != "":
		return l.fields[i]
	case len(l.fields) == 1:
		return "x"
	}
	return fmt.Sprintf("x%d", i+1)
}

func (l *layout) names() []string {
	names := make([]string, len(l.index))
	for k, i := range l.index {
		names[k] = l.name(i)
	}
	return names
}

// suggest says what would leave out column k of the data, which is text: those for the
// columns that hold numbers in this record. It returns "" if columns were chosen, or if the column
// has held numbers before, as the text is then likely a slip, or if there are so many columns that
// looking at all of them for each would take long.
func (b *builder) suggest(rec [][]byte, k int) string {
	const most = 1000
	i := b.index[k]
	if len(b.index) > most || b.chosen || b.held[k] || len(rec) == 1 || i == b.weight {
		return ""
	}
	var columns []string
	for _, j := range b.index {
		if _, k := b.parse(rec[j]); j != b.weight && (k == isNumber || k == isMissing) {
			columns = append(columns, b.asked(j))
		}
	}
	return b.advise(columns, i, true)
}

// advise says how to choose the columns of numbers instead of column i, which may be a label.
func (l *layout) advise(columns []string, i int, label bool) string {
	if len(columns) == 0 {
		return ""
	}
	var ways []string
	switch r := l.remedies; {
	case len(columns) <= 8 && r.Columns != "":
		ways = append(ways, "choose columns of numbers by "+r.Columns+" "+strings.Join(columns, ","))
	case r.Drop != "":
		ways = append(ways, "leave this one out by "+r.Drop+" "+l.asked(i))
	}
	if label && l.text[0] < 0 && l.remedies.Label != "" {
		ways = append(ways, "use this one as "+l.remedies.Label+" "+l.asked(i))
	}
	if len(ways) == 0 {
		return ""
	}
	return "; " + strings.Join(ways, ", or ")
}

// asked returns how column i is asked for on a command line: by its name, if that needs no quotes, is alone
// and stands in a header beyond doubt, or else its number. A first row with a number in it may be
// data, and numbers then serve either way.
func (l *layout) asked(i int) string {
	name := l.fields[i]
	if !l.header || !isPlain(name) {
		return strconv.Itoa(i + 1)
	}
	for j, f := range l.fields {
		_, k := l.parse([]byte(f))
		if !l.declared && k != isText && f != "" || f == name && j != i {
			return strconv.Itoa(i + 1)
		}
	}
	return name
}

// isPlain reports whether a name can be written as it is on a command line.
func isPlain(name string) bool {
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.':
		default:
			return false
		}
	}
	return name != "" && len(name) <= 32
}
