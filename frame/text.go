package frame

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
)

// final is a reader whose first error is its last word: a terminal, asked again after its end,
// would wait for more to be typed.
type final struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (f *final) Read(p []byte) (n int, err error) {
	if f.err == nil {
		f.err = f.ctx.Err()
	}
	if f.err == nil {
		n, f.err = f.r.Read(p)
	}
	return n, f.err
}

// text reads a text file with any line ends as lines that end in LF, and refuses binary files.
type text struct {
	r      io.Reader
	magic  []byte // the first bytes, decompressed, with a byte order mark
	gzip   bool
	cr     bool // the last byte read was a CR
	err    error
	binary bool
	size   int64 // of the file that this is, or 0
}

const byteOrderMark = "\ufeff"

// magicBytes is how many bytes tell what kind of file it is.
const magicBytes = 16

// newText looks at the first bytes of r: a gzip file is decompressed, and a UTF-8 byte order mark
// passed over.
func newText(ctx context.Context, r io.Reader) (*text, error) {
	t := &text{}
	_, t.size = randomAccess(r)
	br := bufio.NewReaderSize(&final{ctx: ctx, r: r}, 4096)
	magic, err := br.Peek(magicBytes)
	if bytes.HasPrefix(magic, []byte("\x1f\x8b")) {
		t.gzip, t.size = true, 0
		z, zerr := gzip.NewReader(br)
		if zerr == io.EOF {
			zerr = io.ErrUnexpectedEOF // the file ends within the gzip header
		}
		if zerr != nil {
			return nil, t.wrap(zerr)
		}
		br = bufio.NewReaderSize(&final{ctx: ctx, r: z}, 4096)
		magic, err = br.Peek(magicBytes)
	}
	if err != nil && err != io.EOF {
		return nil, t.wrap(err)
	}
	t.magic = bytes.Clone(magic)
	if bytes.HasPrefix(magic, []byte(byteOrderMark)) {
		br.Discard(len(byteOrderMark))
	}
	t.r = br
	return t, nil
}

func (t *text) starts(magic string) bool { return bytes.HasPrefix(t.magic, []byte(magic)) }

// foreign recognizes files that are often taken for tables.
func (t *text) foreign() error {
	const recode = "; save it as UTF-8, or convert it with iconv"
	magic, starts := t.magic, t.starts
	switch {
	case starts("\xff\xfe"), starts("\xfe\xff"):
		return errors.New("is UTF-16 text" + recode)
	case len(magic) >= 4 && (magic[0] == 0) != (magic[1] == 0) &&
		(magic[0] == 0) == (magic[2] == 0) && (magic[1] == 0) == (magic[3] == 0):
		return errors.New("is UTF-16 text by the look of it" + recode)
	case starts("PK\x03\x04"):
		return errors.New("is a zip archive or a spreadsheet; save the table as CSV")
	case starts("\xd0\xcf\x11\xe0"):
		return errors.New("is a spreadsheet in the old Excel format; save the table as CSV")
	case starts("BZh"), starts("\xfd7zXZ"), starts("\x28\xb5\x2f\xfd"):
		return errors.New("is compressed, but not by gzip; decompress it first")
	case starts("PARE"):
		return errors.New("is an encrypted Parquet file; save the table without encryption")
	case starts("ARROW1"), starts("FEA1"):
		return errors.New("is an Arrow or Feather file; save the table as Parquet or CSV")
	case starts("\x89HDF"):
		return errors.New("is an HDF5 file; save the table as Parquet or CSV")
	case starts("SQLite format 3"):
		return errors.New("is an SQLite database; save the table as Parquet or CSV")
	case starts("RDX3"), starts("RDX2"), starts("X\n\x00"):
		return errors.New("is an R data file; save the table with write.csv")
	case starts("%PDF-"):
		return errors.New("is a PDF document; save the table as CSV")
	case isWebPage(magic):
		return errors.New("is a web page, not a table; download the file itself")
	case starts("[["):
		return errors.New("is JSON of lists; write an object for each row, as in {\"x\": 1, \"g\": \"a\"}")
	case starts("\x1f\x8b"):
		return errors.New("is compressed twice; decompress it first")
	}
	return nil
}

// isWebPage reports whether a file starts as pages in HTML do.
func isWebPage(magic []byte) bool {
	low := bytes.ToLower(bytes.TrimPrefix(magic, []byte("\ufeff")))
	return bytes.HasPrefix(low, []byte("<!doctype")) || bytes.HasPrefix(low, []byte("<html"))
}

func (t *text) Read(p []byte) (int, error) {
	for t.err == nil {
		var n int
		n, t.err = t.r.Read(p)
		if i := bytes.IndexByte(p[:n], 0); i >= 0 {
			n, t.err, t.binary = i, errors.New("not a text file"), true
		}
		if n = t.newlines(p[:n]); n > 0 {
			return n, nil
		}
		if len(p) == 0 {
			return 0, nil
		}
	}
	return 0, t.err
}

// newlines replaces CRLF and CR by LF in place and returns the length of what remains.
func (t *text) newlines(b []byte) int {
	rest := b
	if t.cr && len(b) > 0 && b[0] == '\n' {
		rest = b[1:] // the CR before it, in the last block, has become LF
	}
	if len(b) > 0 {
		t.cr = b[len(b)-1] == '\r'
	}
	n := 0
	for {
		i := bytes.IndexByte(rest, '\r')
		if i < 0 {
			return n + copy(b[n:], rest)
		}
		n += copy(b[n:], rest[:i])
		b[n] = '\n'
		n++
		rest = bytes.TrimPrefix(rest[i+1:], []byte("\n"))
	}
}

// wrap makes of an error of reading one for the user. The end of the file stays as it is.
func (t *text) wrap(err error) error {
	switch {
	case err == io.EOF:
		return err
	case t.binary:
		return errors.New("holds NUL bytes: it is not a text file, or it is UTF-16, " +
			"to be saved as UTF-8")
	case t.gzip && errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("is a gzip file that is cut off, or has something after its end")
	case t.gzip:
		return fmt.Errorf("is a damaged gzip file: %w", bare(err))
	}
	return fmt.Errorf("cannot be read: %w", bare(err))
}
