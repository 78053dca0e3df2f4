package table

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// Missing says what happens to rows that miss a value.
type Missing int

const (
	ErrorOnMissing Missing = iota // a missing value is an error
	DropMissing                   // the row is left out, and counted
)

// ParseMissing returns the Missing called "error" or "drop".
func ParseMissing(name string) (Missing, error) {
	switch name {
	case "error":
		return ErrorOnMissing, nil
	case "drop":
		return DropMissing, nil
	}
	return 0, fmt.Errorf("missing values: %q is neither \"error\" nor \"drop\"", name)
}

// Options choose what is read. The zero value reads all columns and accepts no missing value.
type Options struct {
	// Columns to keep, in this order: names of the header, or numbers from 1. If there are none,
	// all columns are kept but those of Label, Group and Weight and those which the header leaves
	// nameless.
	Columns []string
	// Label is the column that holds the label of each row, or "". Group is a second column of that
	// kind.
	Label, Group string
	// Weight is the column that holds the weight of each row, a positive number, or "".
	Weight  string
	Missing Missing
}

// Table is what Read found.
type Table struct {
	Source string // name of the file as given, or "standard input"
	// Names of the columns of Data. Without a header they are x1, x2, ... after their places in
	// the file, or x if the file has one column.
	Names   []string
	Data    *mat.Dense // a row for each row of the file, a column for each name
	Labels  []string   // one for each row, or nil without Options.Label
	Label   string     // name of the column of Labels
	Groups  []string   // one for each row, or nil without Options.Group
	Group   string     // name of the column of Groups
	Weights []float64  // one for each row, or nil without Options.Weight
	Weight  string     // name of the column of Weights
	Header  bool       // whether the first row of the file held names
	Dropped int        // rows left out because a value was missing

	// byNumber is set if all of Options.Columns were numbers. Match then goes by place.
	byNumber bool
}

// Open reads the table in the named file, or in stdin if path is "-".
func Open(path string, stdin io.Reader, o Options) (*Table, error) {
	if path == "-" {
		const name = "standard input"
		if stdin == nil {
			return nil, errors.New(name + ": there is none")
		}
		return Read(stdin, name, o)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(path), bare(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory, not a file", printable(path))
	}
	return Read(f, path, o)
}

// bare strips from an error of package os the name of the file and of the system call.
func bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// printable returns the name of a file as it is, or quoted if it would not be seen in a line.
func printable(name string) string {
	if q := strconv.Quote(name); name == "" || len(q) != len(name)+2 {
		return q
	}
	return name
}

// Read reads the table in r. Errors start with source.
func Read(r io.Reader, source string, o Options) (*Table, error) {
	t := &Table{Source: source}
	if err := t.read(r, o); err != nil {
		return nil, fmt.Errorf("%s: %w", printable(source), err)
	}
	return t, nil
}

func (t *Table) read(r io.Reader, o Options) error {
	s, err := newScanner(r)
	if err != nil {
		return err
	}
	first, err := s.next()
	if err == io.EOF {
		if s.line == 0 {
			return errors.New("is empty")
		}
		return errors.New("holds no rows, only blank lines and comments")
	}
	if err != nil {
		return err
	}
	l, err := layOut(first, s.delim, o)
	if err != nil {
		return err
	}
	b := builder{layout: l, s: s, missing: make([]int, len(l.index)+roles)}
	b.data = make([]float64, 0, s.values(r, len(l.index)))
	if err := b.fill(first, o.Missing); err != nil {
		return err
	}
	t.Names, t.Header, t.byNumber = l.names(), l.header, l.byNumber
	t.Data = mat.NewDense(b.rows, len(l.index), b.data)
	t.Dropped, t.Labels, t.Groups = b.dropped, b.texts[0], b.texts[1]
	if l.text[0] >= 0 {
		t.Label = l.name(l.text[0])
	}
	if l.text[1] >= 0 {
		t.Group = l.name(l.text[1])
	}
	if l.weight >= 0 {
		t.takeWeights(l)
	}
	return nil
}

// takeWeights takes the last column, that of the weights, out of the data.
func (t *Table) takeWeights(l *layout) {
	last := len(l.index) - 1
	t.Weight, t.Weights = l.name(l.weight), mat.Col(nil, last, t.Data)
	n, _ := t.Data.Dims()
	t.Data, t.Names = mat.DenseCopyOf(t.Data.Slice(0, n, 0, last)), t.Names[:last]
}

// builder turns records into the rows of a table.
type builder struct {
	*layout
	s       *scanner
	data    []float64
	texts   [roles][]string   // labels and groups
	intern  map[string]string // labels seen, so that equal ones share their memory
	rows    int
	dropped int
	missing []int // rows that miss each column, and at last the label and the group
	// The first lines with a number that has a decimal point, and a comma; 0 for none.
	point, comma int
	scratch      []byte
}

// fill reads all records, the first of which has been read already.
func (b *builder) fill(first [][]byte, na Missing) error {
	rec, start := first, b.s.start
	var err error
	if b.header {
		rec, err = b.s.next()
	}
	for ; err == nil; rec, err = b.s.next() {
		if len(rec) != len(b.fields) {
			return fmt.Errorf("line %d: found %s, expected %d as in line %d",
				b.s.start, plural(len(rec), "field"), len(b.fields), start)
		}
		if err := b.add(rec, na); err != nil {
			return fmt.Errorf("line %d%w", b.s.start, err)
		}
	}
	switch {
	case err != io.EOF:
		return err
	case b.rows == 0 && b.dropped > 0:
		return b.allDropped()
	case b.rows == 0:
		return fmt.Errorf("holds a header (line %d) but no rows", start)
	}
	return nil
}

// add appends a record as a row, or counts it as dropped. Its errors continue "line 7".
func (b *builder) add(rec [][]byte, na Missing) error {
	complete := true
	for k, i := range b.index {
		v, kind := b.number(rec[i])
		switch kind {
		case isNumber:
			if i == b.weight && v <= 0 {
				return fmt.Errorf(", %s: the weight is %s, want a positive number", b.where(i),
					quote(rec[i]))
			}
			b.data = append(b.data, v)
			continue
		case isMissing:
			if na == DropMissing {
				complete = false
				b.missing[k]++
				continue
			}
		}
		return fmt.Errorf(", %s: %w", b.where(i), b.valueError(rec, i, kind))
	}
	for r, i := range b.text {
		if i < 0 || len(rec[i]) > 0 {
			continue
		}
		if na != DropMissing {
			return fmt.Errorf(", %s: the %s is missing; -na drop leaves such rows out", b.where(i),
				roleNames[r])
		}
		complete = false
		b.missing[len(b.index)+r]++
	}
	if !complete {
		b.data = b.data[:b.rows*len(b.index)]
		b.dropped++
		return nil
	}
	for r, i := range b.text {
		if i >= 0 {
			b.texts[r] = append(b.texts[r], b.internLabel(rec[i]))
		}
	}
	b.rows++
	return nil
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
		return fmt.Errorf("the only row misses a value, in %s", b.where(i))
	}
	return fmt.Errorf("all %d rows miss a value, %d of them in %s",
		b.dropped, b.missing[most], b.where(i))
}
