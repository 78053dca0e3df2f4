package frame

import (
	"fmt"
	"math"
)

// builder turns records into the rows of a table.
type builder struct {
	*layout
	unit     string // what at counts: lines or rows
	at       int    // line or row of the last record
	record   int    // records so far, rows or not
	data     []float64
	texts    [roles][]string   // labels and groups
	intern   map[string]string // labels seen, so that equal ones share their memory
	rows     int
	numbers  []int // of the records that are rows, once they are not 1, 2, 3, …
	first    bool  // whether the first record is a row
	dropped  int
	na       Missing
	missing  []int           // rows that miss each column, and at last the label and the group
	held     []bool          // whether each column has held a number, finite or not
	kinds    []Kind          // of the columns, so far
	zeros    []string        // the first number of each column that begins with a 0 before other digits
	named    []*naming       // the columns of text, nil with Options.Numbers
	nones    []none          // columns of nothing but None before the last record, which has a number
	lacking  int             // rows in which something is missing that must not be
	levels   map[string]bool // the labels that are kept, or nil for all
	others   map[string]int  // rows of all labels, if only some are kept
	together bool            // labels may be missing, as other files are still to come
	problems problemList
	// The first lines with a number that has a decimal point, and a comma; 0 for none.
	point, comma int
	scratch      []byte
	aside        []aside // numbers that other processors read
	broken       bool    // other lines came soon after the last plain ones: one processor reads on
	stream       *stream // takes the rows, or nil to keep them
	most         int64   // Options.Memory
}

func newBuilder(l *layout, o Options, unit string) *builder {
	b := &builder{layout: l, unit: unit, na: o.Missing, missing: make([]int, len(l.index)+roles),
		held: make([]bool, len(l.index)), kinds: make([]Kind, len(l.index)), zeros: make([]string, len(l.index)), together: o.together,
		most: o.Memory}
	if !o.Numbers {
		b.named = make([]*naming, len(l.index))
	}
	if o.Label != "" && len(o.Levels) > 0 {
		b.levels, b.others = make(map[string]bool), make(map[string]int)
		for _, s := range o.Levels {
			b.levels[clean([]byte(s))] = true
		}
	}
	return b
}

// file tells of a problem with the record at hand.
func (b *builder) file(p problem) {
	p.at = b.at
	b.problems.add(p)
}

// rowSlot is where problems are filed that are not about a value.
func (b *builder) rowSlot() int { return len(b.index) + roles }

// add takes a record.
func (b *builder) add(rec [][]byte) {
	before := b.rows
	b.addRow(rec)
	for _, n := range b.nones {
		b.missNones(n, before)
	}
	b.nones = b.nones[:0]
}

// addRow appends a record as a row, counts it as dropped, or files what is wrong with it.
func (b *builder) addRow(rec [][]byte) {
	b.record++
	if b.levels != nil && !b.selected(rec[b.text[0]]) {
		return
	}
	base, good, complete, lacks := len(b.data), true, true, false
	for k, i := range b.index {
		v, kind := b.number(rec[i])
		if b.named != nil && i != b.weight {
			v, kind = b.categorize(k, rec[i], v, kind)
		}
		switch {
		case kind == isNumber && (i != b.weight || v > 0):
			b.held[k] = true
			if zeroAhead(rec[i]) && b.zeros[k] == "" {
				b.zeros[k] = string(rec[i])
			}
		case kind == isMissing && (b.na == DropMissing || b.na == KeepMissing && i == b.weight):
			complete = false
			b.missing[k]++
		case kind == isMissing && b.na == KeepMissing:
			v = math.NaN()
			b.missing[k]++
		case kind == isMissing:
			good = false
			b.missing[k]++
			if !lacks && b.lacking == 0 {
				b.file(b.wrongValue(rec, k, kind))
			}
			lacks = true
		default:
			good = false
			b.file(b.wrongValue(rec, k, kind))
			b.held[k] = b.held[k] || kind != isText
		}
		b.data = append(b.data, v)
	}
	for r, i := range b.text {
		if i < 0 || !b.lacksLabel(r, rec[i]) {
			continue
		}
		if b.na != ErrorOnMissing {
			complete = false
			b.missing[len(b.index)+r]++
			continue
		}
		good = false
		if !lacks && b.lacking == 0 {
			b.file(problem{slot: len(b.index) + r, kind: adviceDrop, advice: b.adviceOnMissing(),
				text: fmt.Sprintf(", %s: the %s is missing", b.where(i), roleNames[r])})
		}
		lacks = true
	}
	if lacks {
		b.lacking++
	}
	if !complete || !good {
		b.data = b.data[:base]
		if good {
			b.dropped++
		}
		return
	}
	for r, i := range b.text {
		if i >= 0 {
			b.texts[r] = append(b.texts[r], b.internLabel(rec[i]))
		}
	}
	b.keep(1)
	b.first = b.first || b.record == 1
}

// keep counts the last records as rows.
func (b *builder) keep(count int) {
	first := b.record - count + 1
	if b.stream == nil && (b.numbers != nil || first != b.rows+1) {
		for i := len(b.numbers); i < b.rows; i++ {
			b.numbers = append(b.numbers, i+1)
		}
		for i := range count {
			b.numbers = append(b.numbers, first+i)
		}
	}
	b.rows += count
}

// lacksLabel reports whether a field of the column of labels, or of groups, says that there is none. A text file
// cannot tell NA from a label of that name: it is one if it is asked for.
func (b *builder) lacksLabel(role int, field []byte) bool {
	if len(field) == 0 || b.unit != "line" {
		return len(field) == 0
	}
	return missing(field) && !isNone(field) && !(role == 0 && b.levels[clean(field)])
}

// selected counts a row by its label, and reports whether it is to be kept.
func (b *builder) selected(label []byte) bool {
	if len(label) == 0 {
		return false
	}
	s := b.internLabel(label)
	b.others[s]++
	return b.levels[s]
}

func (b *builder) internLabel(text []byte) string {
	if s, ok := b.intern[string(text)]; ok {
		return s
	}
	if b.intern == nil {
		b.intern = make(map[string]string)
	}
	s := clean(text)
	b.intern[string(text)] = s
	return s
}

// finish returns what is wrong with all the rows.
func (b *builder) finish() error {
	for k := range b.index {
		if !b.held[k] { // a column of text, or an empty one, is one problem, not one for each row
			b.problems.once(k)
		}
	}
	b.problems.lacking(b.lacking - 1)
	if err := b.problems.err(b.unit); err != nil {
		return err
	}
	if !b.together && b.levels != nil {
		if err := unknownLevels(b.where(b.text[0]), b.levels, b.others); err != nil {
			return err
		}
	}
	if b.rows == 0 && b.dropped > 0 && b.stream == nil {
		return b.allDropped()
	}
	return nil
}

// allDropped names the column that most rows miss.
func (b *builder) allDropped() error {
	most := 0
	for k, n := range b.missing {
		if n > b.missing[most] {
			most = k
		}
	}
	i := 0
	if most < len(b.index) {
		i = b.index[most]
	} else {
		i = b.text[most-len(b.index)]
	}
	if b.dropped == 1 {
		return fmt.Errorf("the only row has a missing value, in %s", b.where(i))
	}
	return fmt.Errorf("all %d rows have a missing value, %d of them in %s",
		b.dropped, b.missing[most], b.where(i))
}
