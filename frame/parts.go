package frame

import (
	"bytes"
	"cmp"
	"context"
	"io"
)

// Parts returns the number of parts of a file that StreamPart can each read on its own: the groups of rows of
// a binary file, the stretches of a text; 0 for what is read from front to back. That is a text of one stretch,
// and one in which more than the number of bytes says where a stretch begins: with quotes, within which lines
// may end, or with line ends of two bytes. It is looked through for them, at some gigabytes a second.
func Parts(ctx context.Context, path string, o Options) (int, error) {
	f, err := o.file(ctx, path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	file, size := randomAccess(f)
	if file == nil {
		return 0, nil
	}
	magic := make([]byte, magicBytes)
	n, _ := file.ReadAt(magic, 0)
	if format, ok := formatOf(magic[:n]); ok {
		c, err := format.Open(file, size)
		if err != nil {
			return 0, prefix(path, err)
		}
		return c.Groups, nil
	}
	if size <= stretchBytes {
		return 0, nil
	}
	t, err := openStretches(ctx, file, size, o)
	if err != nil || t == nil {
		return 0, ctx.Err() // whoever reads the file finds what is wrong
	}
	if even, err := t.even(ctx); !even || err != nil {
		return 0, ctx.Err()
	}
	return int((size-t.origin-1)/stretchBytes) + 1, nil
}

// StreamPart streams one of the parts of a file. The rows of all are those of the file, in the same chunks.
func StreamPart(ctx context.Context, path string, part int, o Options, sink Sink) error {
	f, err := o.file(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	o.Numbers = true
	var stopped error // by the sink
	keep := func(err error) error {
		stopped = cmp.Or(stopped, err)
		return err
	}
	s := &stream{stretch: -1, only: part, Sink: Sink{
		Begin: func(names []string) error { return keep(sink.Begin(names)) },
		Rows:  func(values []float64) error { return keep(sink.Rows(values)) },
		End:   func(dropped int) error { return keep(sink.End(dropped)) },
	}}
	file, size := randomAccess(f)
	t, err := openStretches(ctx, file, size, o)
	if t == nil && err == nil {
		return prefix(path, streamTable(ctx, f, o, s))
	}
	if err == nil {
		err = t.stream(ctx, part, s)
	}
	if err == nil || stopped != nil || ctx.Err() != nil {
		return prefix(path, cmp.Or(stopped, err))
	}
	// What is wrong is told of the whole file, with its lines.
	return cmp.Or(StreamFile(ctx, path, o, Sink{
		Begin: func([]string) error { return nil },
		Rows:  func([]float64) error { return nil },
		End:   func(int) error { return nil },
	}), prefix(path, err))
}

// stretches is a text of which any stretch can be read.
type stretches struct {
	file   io.ReaderAt
	size   int64
	o      Options
	layout *layout
	delim  byte
	origin int64 // of the body's first byte
}

// openStretches reads the head of a text. It returns nil for a binary or compressed file.
func openStretches(ctx context.Context, file io.ReaderAt, size int64, o Options) (*stretches, error) {
	if file == nil {
		return nil, nil
	}
	x, err := newText(ctx, io.NewSectionReader(file, 0, size))
	if err != nil {
		return nil, err
	}
	if _, binary := formatOf(x.magic); binary || x.gzip {
		return nil, nil
	}
	scan, err := newScanner(x)
	if err != nil {
		return nil, err
	}
	first, err := scan.next()
	if err != nil {
		return nil, err
	}
	t := &stretches{file: file, size: size, o: o, delim: scan.delim}
	if t.layout, err = layOut(first, scan.delim, o); err != nil {
		return nil, err
	}
	if x.starts(byteOrderMark) {
		t.origin = int64(len(byteOrderMark))
	}
	if t.layout.header {
		t.origin += scan.offset
	}
	return t, nil
}

// even reports whether all bytes count alike: no line ends within quotes or takes two bytes. Numbers with a
// decimal comma would have to agree on it over all stretches.
func (t *stretches) even(ctx context.Context) (bool, error) {
	buf := make([]byte, sampleSize)
	for at := int64(0); at < t.size; {
		n, err := t.file.ReadAt(buf[:min(int64(len(buf)), t.size-at)], at)
		if err = cmp.Or(ctx.Err(), err); err != nil && err != io.EOF || n == 0 {
			return false, cmp.Or(err, io.ErrUnexpectedEOF)
		}
		body := buf[min(max(t.origin-at, 0), int64(n)):n]
		if bytes.IndexByte(buf[:n], '\r') >= 0 || bytes.IndexByte(body, '"') >= 0 ||
			t.delim == ';' && bytes.IndexByte(body, ',') >= 0 {
			return false, nil
		}
		at += int64(n)
	}
	return true, nil
}

// stream reads the lines that begin in a stretch.
func (t *stretches) stream(ctx context.Context, number int, s *stream) error {
	begin, err := t.line(t.origin + int64(number)*stretchBytes)
	if err != nil {
		return err
	}
	end, err := t.line(t.origin + int64(number+1)*stretchBytes)
	if err != nil {
		return err
	}
	x := &text{r: &final{ctx: ctx, r: io.NewSectionReader(t.file, begin, end-begin)}}
	scan := &scanner{text: x, delim: t.delim, offset: begin, origin: t.origin}
	scan.r = newLineBuffer(x)
	b := newBuilder(t.layout, t.o, "line")
	b.stream = s
	first, err := scan.next()
	if err == io.EOF { // of comments alone
		return nil
	}
	if err := b.records(scan, first, err, 1); err != nil {
		return err
	}
	return s.end(b)
}

// line is where the first line at or after a byte of the body begins, or the end of the file.
func (t *stretches) line(at int64) (int64, error) {
	if at <= t.origin {
		return t.origin, nil
	}
	buf := make([]byte, 4096)
	for at--; at < t.size; {
		n, err := t.file.ReadAt(buf[:min(int64(len(buf)), t.size-at)], at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		if err != nil && err != io.EOF || n == 0 {
			return 0, cmp.Or(err, io.ErrUnexpectedEOF)
		}
		at += int64(n)
	}
	return t.size, nil
}
