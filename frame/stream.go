package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"bayeskernel/frame/internal/columnar"
)

// StretchBytes is the size of the stretches of a text, after decompression and without its header: the
// rows that begin in one of them are a chunk.
const StretchBytes = 64 << 20

// stretchBytes is StretchBytes, but for tests.
var stretchBytes int64 = StretchBytes

// streamed is the number of values that a Sink gets at a time.
const streamed = 1 << 15

// Sink takes the rows of a table as they are read, chunk by chunk. What is a chunk depends on the file
// alone: of text the rows that begin in one stretch, of a binary file a group of its rows.
type Sink struct {
	Begin func(names []string) error
	Rows  func(values []float64) error // valid during the call
	End   func(dropped int) error      // rows left out because a value was missing
}

// stream is a Sink at work.
type stream struct {
	Sink
	stretch int64 // the number of the chunk
	open    bool
	dropped int // before the chunk
	only    int // the group to read, -1 for all
	rows    int // handed on
}

// Stream reads the numbers of the table in r as Read does, without keeping them. Options.Label, Group,
// Weight and Levels are not for it.
func Stream(ctx context.Context, r io.Reader, source string, o Options, sink Sink) error {
	if o.Label != "" || o.Group != "" || o.Weight != "" || len(o.Levels) > 0 {
		return prefix(source, errors.New("labels, groups and weights cannot be streamed"))
	}
	o.Numbers = true
	return prefix(source, streamTable(ctx, r, o, &stream{Sink: sink, stretch: -1, only: -1}))
}

// file opens a file.
func (o Options) file(ctx context.Context, path string) (io.ReadCloser, error) {
	var f io.ReadCloser
	var err error
	if o.Open != nil {
		f, err = o.Open(ctx, path)
	} else {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(path), bare(err))
	}
	return f, nil
}

// StreamFile is Stream of a named file, or of standard input if path is "-".
func StreamFile(ctx context.Context, path string, o Options, sink Sink) error {
	if path == "-" {
		const name = "standard input"
		if o.Stdin == nil {
			return errors.New(name + ": there is none")
		}
		return Stream(ctx, o.Stdin, name, o, sink)
	}
	f, err := o.file(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	if isDir(f) {
		return fmt.Errorf("%s: is a directory, not a file", printable(path))
	}
	return Stream(ctx, f, path, o, sink)
}

func isDir(f io.Reader) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.IsDir()
}

func streamTable(ctx context.Context, r io.Reader, o Options, s *stream) error {
	file, size := randomAccess(r)
	x, err := newText(ctx, r)
	if err != nil {
		return err
	}
	if f, ok := formatOf(x.magic); ok {
		return streamColumns(ctx, f, x, file, size, o, s)
	}
	scan, err := newScanner(x)
	if err != nil {
		return err
	}
	first, err := scan.next()
	switch {
	case err == io.EOF:
		return errors.New("holds no rows")
	case err != nil:
		return err
	}
	l, err := layOut(first, scan.delim, o)
	if err != nil {
		return err
	}
	b := newBuilder(l, o, "line")
	b.stream = s
	if l.header {
		scan.origin = scan.offset
	}
	if err := b.fill(scan, first); err != nil {
		return err
	}
	return s.end(b)
}

// streamColumns reads a binary file group by group.
func streamColumns(ctx context.Context, f columnar.Format, x *text, file io.ReaderAt, size int64, o Options, s *stream) error {
	if file == nil || x.gzip {
		all, err := x.whole(o)
		if err != nil {
			return err
		}
		file, size = bytes.NewReader(all), int64(len(all))
	}
	c, l, err := layColumns(f, file, size, o)
	if err != nil {
		return err
	}
	b := newBuilder(l, o, "row")
	b.stream = s
	for g := range c.Groups {
		if s.only >= 0 && g != s.only {
			continue
		}
		if err := s.reach(b, int64(g)); err != nil {
			return err
		}
		group := *c
		group.Read = func(columns []int, asText []bool, add columnar.Add) error {
			return c.ReadGroup(g, columns, asText, add)
		}
		if err := b.columns(ctx, &group); err != nil {
			return err
		}
	}
	if b.record == 0 {
		return errors.New("holds columns but no rows")
	}
	return s.end(b)
}

// reach opens the chunk of a number, and closes the one before.
func (s *stream) reach(b *builder, number int64) error {
	if s.open && number == s.stretch {
		return nil
	}
	if err := s.end(b); err != nil {
		return err
	}
	s.stretch, s.open = number, true
	return s.Begin(tellApart(b.names(), b.index))
}

// next makes room for a record of text, in its chunk.
func (s *stream) next(b *builder, scan *scanner) error {
	if err := s.reach(b, (scan.begin-scan.origin)/stretchBytes); err != nil {
		return err
	}
	return s.flush(b, streamed)
}

// end closes the chunk.
func (s *stream) end(b *builder) error {
	if !s.open {
		return nil
	}
	s.open = false
	if err := s.flush(b, 0); err != nil {
		return err
	}
	dropped := b.dropped - s.dropped
	s.dropped = b.dropped
	return s.End(dropped)
}

// flush hands on the rows that there are, if there are more values than so many.
func (s *stream) flush(b *builder, most int) error {
	if len(b.data) <= most {
		return nil
	}
	if b.problems.any { // the rest is read for its problems alone
		b.data = b.data[:0]
		return nil
	}
	s.rows += b.rows
	err := s.Rows(b.data)
	b.data, b.rows = b.data[:0], 0
	return err
}
