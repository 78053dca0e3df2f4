package frame

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// Missing says what happens to rows that miss a value.
type Missing int

const (
	ErrorOnMissing Missing = iota // a missing value is an error
	DropMissing                   // the row is left out, and counted
	KeepMissing                   // the value is NaN; a row without its label, group or weight is left out
)

// Options choose what is read. The zero value reads all columns, whatever they hold, and accepts no
// missing value.
type Options struct {
	// Columns to keep, in this order: names of the header, or numbers from 1. If there are none,
	// all columns are kept but those of Label, Group, Weight and Drop and those which the header
	// leaves nameless.
	Columns []string
	Drop    []string // columns to leave out
	// Label is the column that holds the label of each row, or "". Group is a second column of that
	// kind.
	Label, Group string
	// Levels are the labels whose rows are kept, in the order in which Split is to return them. If
	// there are none, all rows are kept.
	Levels []string
	// Weight is the column that holds the weight of each row, a positive number, or "".
	Weight  string
	Missing Missing
	// Numbers makes text in a column of data an error. Without it the column holds categories, or dates.
	Numbers  bool
	Remedies Remedies
	Stdin    io.Reader // what the path "-" reads
	// Open opens files; nil means os.Open. What is no *os.File is read from front to back.
	Open func(ctx context.Context, path string) (io.ReadCloser, error)
	// Memory is how many bytes the numbers and labels of the table may take, or 0 for any number. What
	// takes more is a *TooLarge, as early as the file says so. Reading needs about as much again.
	Memory int64

	together bool // the file is one of several
}

// Remedies are what the program's user can write to have a file read in another way, for the advice
// in messages. Advice is left out where there is none.
type Remedies struct {
	Columns string // before the columns to keep, separated by commas
	Drop    string // before a column to leave out
	Label   string // before the column of labels
	Missing string // leaves out rows in which a value is missing
}

// Frame is a table: what Read found.
type Frame struct {
	// Source is the name of the file as given, or "standard input", or the names of all files that
	// the table was put together from.
	Source string
	// Names of the columns of Data. Without a header they are x1, x2, ... after their places in
	// the file, or x if the file has one column.
	Names []string
	Data  *mat.Dense // a row for each row of the file, a column for each name
	// Types says for each column of Data what its numbers stand for.
	Types   []Type
	Labels  []string  // one for each row, or nil without Options.Label
	Label   string    // name of the column of Labels
	Groups  []string  // one for each row, or nil without Options.Group
	Group   string    // name of the column of Groups
	Weights []float64 // one for each row, or nil without Options.Weight
	Weight  string    // name of the column of Weights
	Rows    []int     // the number of each row in the file, from 1; nil where it is its place here
	Header  bool      // whether the first row of the file held names
	Dropped int       // rows left out because a value was missing
	NoLabel int       // rows left out because the label was missing
	NoGroup int       // rows left out because the group was missing
	Notes   []Note    // what the user should know, though nothing is wrong

	// byNumber is set if all of Options.Columns were numbers. Match then goes by place.
	byNumber bool
	header   []string // Names before equal ones were told apart
	levels   []string // Options.Levels
	remedies Remedies
	// plainFirst is set if the first line is the first row of Data, with all of its fields.
	plainFirst bool

	chosen    map[string]bool // Options.Levels, and the rows of all labels if there are some
	labelRows map[string]int
}

// open reads the table in the named file, or in standard input if path is "-".
func open(ctx context.Context, path string, o Options) (*Frame, error) {
	if path == "-" {
		const name = "standard input"
		if o.Stdin == nil {
			return nil, errors.New(name + ": there is none")
		}
		return From(ctx, o.Stdin, name, o)
	}
	f, err := o.file(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if isDir(f) {
		return nil, fmt.Errorf("%s: is a directory, not a file; %s means its files", printable(path),
			printable(filepath.Join(path, "*")))
	}
	return From(ctx, f, path, o)
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

// From reads the table in r. Errors start with source; what is wrong with the table is a *Problems.
func From(ctx context.Context, r io.Reader, source string, o Options) (*Frame, error) {
	t := &Frame{Source: source, remedies: o.Remedies}
	if err := t.read(ctx, r, o); err != nil {
		return nil, prefix(source, err)
	}
	t.addNotes()
	return t, nil
}

func (t *Frame) read(ctx context.Context, r io.Reader, o Options) error {
	file, size := randomAccess(r)
	x, err := newText(ctx, r)
	if err != nil {
		return err
	}
	if f, ok := formatOf(x.magic); ok {
		return t.readColumns(ctx, f, x, file, size, o)
	}
	s, err := newScanner(x)
	if err != nil {
		return err
	}
	first, err := s.next()
	switch {
	case err == io.EOF && s.line == 0:
		return errors.New("is empty")
	case err == io.EOF:
		return errors.New("holds no rows, only blank lines and comments")
	case err != nil:
		return err
	}
	l, err := layOut(first, s.delim, o)
	if err != nil {
		return err
	}
	b := newBuilder(l, o, "line")
	b.data = make([]float64, 0, b.room(s.values(r, len(l.index))))
	if err := b.fill(s, first); err != nil {
		return err
	}
	t.take(b, o)
	return nil
}

// mostMisses is how many lines in turn may be found not to be plain until all are taken not to be.
const mostMisses = 100

// fill reads all records, the first of which has been read already.
func (b *builder) fill(s *scanner, first [][]byte) error {
	rec, start := first, s.start
	var err error
	if b.header {
		rec, err = s.next()
	}
	return b.records(s, rec, err, start)
}

// records reads all records from one on, or from the error in its place. The line start has the first of the file.
func (b *builder) records(s *scanner, rec [][]byte, err error, start int) error {
	var lengths []int // of the records whose number of fields is wrong, as far as they differ
	ragged, misses := 0, 0
	for ; err != io.EOF; rec, err = s.next() {
		b.at = s.start
		if quote, ok := err.(*quoteError); ok {
			b.at = quote.line
			b.file(problem{slot: b.rowSlot(), text: ": " + quote.text})
		} else if err != nil {
			return Join(b.problems.err(b.unit), err)
		} else if len(rec) != len(b.fields) {
			ragged++
			if len(lengths) < 2 && !slices.Contains(lengths, len(rec)) {
				lengths = append(lengths, len(rec))
			}
			b.file(problem{slot: b.rowSlot(), text: fmt.Sprintf(": found %s, expected %d as in line %d",
				plural(len(rec), "field"), len(b.fields), start)})
		} else {
			if b.stream != nil {
				if err := b.stream.next(b, s); err != nil {
					return err
				}
			}
			b.add(rec)
		}
		if misses < mostMisses && b.plain(s) {
			if misses++; b.plainLines(s) > 0 {
				misses = 0
			}
		}
		if err := b.fits(int64(b.rows)); err != nil {
			return err
		}
	}
	switch {
	case b.record == 0 && ragged > 1 && len(lengths) == 1:
		return oddFirst(start, len(b.fields), lengths[0])
	case b.record == 0 && !b.problems.any:
		return fmt.Errorf("holds a header (line %d) but no rows", start)
	}
	return b.finish()
}

// oddFirst says that the first line differs from all others.
func oddFirst(line, fields, others int) error {
	advice := ""
	switch fields {
	case 1:
		advice = "; if it is a title, delete it or start it with #"
	case others - 1:
		advice = "; if R wrote its row names, which have no name of their own, write the table again with row.names = FALSE"
	}
	if others == 2*fields {
		advice += "; if the numbers have decimal commas, write them with points"
	}
	return fmt.Errorf("line %d: found %s, but all lines after it have %d%s", line,
		plural(fields, "field"), others, advice)
}

// take makes the table of what the builder read.
func (t *Frame) take(b *builder, o Options) {
	l := b.layout
	t.header, t.Header, t.byNumber = l.names(), l.header, l.byNumber
	t.plainFirst = b.first && len(l.index) == len(l.fields) && l.weight < 0 && !l.header
	t.Data = new(mat.Dense) // for a file, one of several, without rows of the labels asked for
	if b.rows > 0 {
		t.Data = mat.NewDense(b.rows, len(l.index), b.data)
	}
	t.chosen, t.labelRows = b.levels, b.others
	t.Rows = b.numbers
	t.Dropped, t.Labels, t.Groups = b.dropped, b.texts[0], b.texts[1]
	t.NoLabel, t.NoGroup = b.missing[len(l.index)], b.missing[len(l.index)+1]
	if l.text[0] >= 0 {
		t.Label = l.name(l.text[0])
	}
	if l.text[1] >= 0 {
		t.Group = l.name(l.text[1])
	}
	if l.weight >= 0 {
		t.takeWeights(l)
	}
	t.Names = tellApart(t.header, l.index)
	t.takeTypes(b)
	for _, s := range o.Levels {
		t.levels = append(t.levels, clean([]byte(s)))
	}
}

// takeWeights takes the last column, that of the weights, out of the data.
func (t *Frame) takeWeights(l *layout) {
	last := len(l.index) - 1
	t.Weight, t.header = l.name(l.weight), t.header[:last]
	if n, _ := t.Data.Dims(); n > 0 {
		t.Weights = mat.Col(nil, last, t.Data)
		t.Data = mat.DenseCopyOf(t.Data.Slice(0, n, 0, last))
	}
}
