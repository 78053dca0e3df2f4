package frame

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"unicode"
	"unicode/utf8"
)

const (
	// sampleSize is how much of a file the separator is found from.
	sampleSize = 1 << 18
	// maxRecord bounds the memory that a file without line ends can take.
	maxRecord = 1 << 24
	// maxReserve bounds the values for which memory is set aside before they are seen.
	maxReserve = 1 << 27
)

// scanner splits text into records, of fields without quotes and blanks around them.
type scanner struct {
	text  *text
	r     *bufio.Reader
	delim byte // ' ' for runs of blanks, 0 for none
	line  int  // lines read so far
	start int  // line on which the last record starts

	offset, origin, begin int64 // bytes read, of the body's first byte, and of the last record's

	// The last record. Fields are parts of the buffer of r, or of the two below: a line longer than
	// that buffer, and a record with quotes.
	fields [][]byte
	long   []byte
	quoted []byte
	ends   []int // of the fields in quoted
}

// quoteError is a mistake in the quotes of a record, after which the next line can still be read.
type quoteError struct {
	line int
	text string
}

func (e *quoteError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

func newScanner(t *text) (*scanner, error) {
	if err := t.foreign(); err != nil {
		return nil, err
	}
	s := &scanner{text: t, r: newLineBuffer(t)}
	sample, err := s.r.Peek(s.r.Size())
	if err != nil && err != io.EOF {
		return nil, t.wrap(err)
	}
	// The last line of a longer file is not whole.
	if i := bytes.LastIndexByte(sample, '\n'); err == nil && i >= 0 {
		sample = sample[:i+1]
	}
	s.delim = separator(sample)
	return s, nil
}

// newLineBuffer holds most lines whole, and files that are small: of a hundred thousand of them each has its own.
func newLineBuffer(t *text) *bufio.Reader {
	size := sampleSize
	if t.size > 0 {
		size = int(min(t.size+1, sampleSize))
	}
	return bufio.NewReaderSize(t, size)
}

// values estimates how many values the file r holds in a number of columns, from its size and the
// rows that were looked at; 0 if the size is not known.
func (s *scanner) values(r io.Reader, columns int) int {
	f, ok := r.(interface{ Stat() (fs.FileInfo, error) })
	if !ok || s.text.gzip {
		return 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	sample, _ := s.r.Peek(s.r.Buffered())
	lines := bytes.Count(sample, []byte("\n"))
	if lines == 0 {
		return 0
	}
	// A twentieth more than expected costs little: what is not written to takes no memory. No value
	// takes less than two bytes with its separator.
	size := float64(info.Size())
	n := 1.05 * size * float64(lines) / float64(len(sample)) * float64(columns)
	return int(min(n, size/2+1, maxReserve))
}

// next returns the next record, which is valid until the following call, or io.EOF.
func (s *scanner) next() ([][]byte, error) {
	for {
		s.begin = s.offset
		line, err := s.readLine()
		if err != nil {
			return nil, err
		}
		if passOver(line, s.delim) {
			continue
		}
		s.start = s.line
		s.fields = s.fields[:0]
		switch {
		case bytes.IndexByte(line, '"') >= 0:
			err = s.splitQuoted(line)
		case s.delim == ' ':
			s.splitBlanks(line)
		default:
			s.split(line)
		}
		return s.fields, err
	}
}

// passOver reports whether a line is blank or a comment. A line of tabs alone is a row of missing
// values if tabs separate.
func passOver(line []byte, delim byte) bool {
	line = trimLeft(line, delim)
	if len(line) == 0 {
		return true
	}
	return line[0] == '#' && !isExcel(line)
}

// isExcel reports whether a line starts with what Excel writes for a missing value or an error,
// which is no comment.
func isExcel(line []byte) bool {
	for _, s := range []string{"#N/A", "#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"} {
		if bytes.HasPrefix(line, []byte(s)) {
			return true
		}
	}
	return false
}

// readLine returns the next line without its end, valid until the following call.
func (s *scanner) readLine() ([]byte, error) {
	b, err := s.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		s.long = s.long[:0]
		for err == bufio.ErrBufferFull {
			s.long = append(s.long, b...)
			if len(s.long) > maxRecord {
				break
			}
			b, err = s.r.ReadSlice('\n')
		}
		s.long = append(s.long, b...)
		b = s.long
		if len(b) > maxRecord {
			return nil, tooLong(s.line + 1)
		}
	}
	if err != nil && (err != io.EOF || len(b) == 0) {
		return nil, s.text.wrap(err)
	}
	s.line++
	s.offset += int64(len(b))
	return bytes.TrimSuffix(b, []byte("\n")), nil
}

func tooLong(line int) error {
	return fmt.Errorf("line %d: the row is longer than %d MB, which no table's should be",
		line, maxRecord>>20)
}

func (s *scanner) split(line []byte) {
	for s.delim != 0 {
		i := bytes.IndexByte(line, s.delim)
		if i < 0 {
			break
		}
		s.fields = append(s.fields, trim(line[:i]))
		line = line[i+1:]
	}
	s.fields = append(s.fields, trim(line))
}

func (s *scanner) splitBlanks(line []byte) {
	for line = trim(line); len(line) > 0; line = trimLeft(line, ' ') {
		i := endOfWord(line)
		s.fields = append(s.fields, line[:i])
		line = line[i:]
	}
}

// splitQuoted splits a line that has quotes in it, and reads the lines that its fields go on to.
func (s *scanner) splitQuoted(line []byte) error {
	s.quoted, s.ends = s.quoted[:0], s.ends[:0]
	for more := true; more; {
		var err error
		line = trimLeft(line, s.delim)
		if len(line) > 0 && line[0] == '"' {
			line, err = s.unquote(line[1:])
		} else {
			line, err = s.unquoted(line)
		}
		if err != nil {
			return err
		}
		s.ends = append(s.ends, len(s.quoted))
		// Here the record is at its end, or at a separator.
		if s.delim == ' ' {
			line = trimLeft(line, ' ')
			more = len(line) > 0
		} else if more = len(line) > 0; more {
			line = line[1:]
		}
	}
	begin := 0
	for _, end := range s.ends {
		s.fields = append(s.fields, trim(s.quoted[begin:end]))
		begin = end
	}
	return nil
}

// unquote appends to s.quoted the field whose opening quote has been read, and returns what follows
// it on its last line.
func (s *scanner) unquote(line []byte) ([]byte, error) {
	opened := s.line
	for {
		i := bytes.IndexByte(line, '"')
		if i < 0 {
			s.quoted = append(append(s.quoted, line...), '\n')
			if len(s.quoted) > maxRecord {
				return nil, tooLong(s.start)
			}
			var err error
			if line, err = s.readLine(); err == io.EOF {
				return nil, &quoteError{opened, "a quote (\") is opened and never closed"}
			} else if err != nil {
				return nil, err
			}
			continue
		}
		s.quoted = append(s.quoted, line[:i]...)
		line = line[i+1:]
		if len(line) > 0 && line[0] == '"' {
			s.quoted = append(s.quoted, '"')
			line = line[1:]
			continue
		}
		break
	}
	rest := trimLeft(line, s.delim)
	switch {
	case len(rest) == 0, rest[0] == s.delim, s.delim == ' ' && len(rest) < len(line):
		return rest, nil
	}
	return nil, &quoteError{s.line, quote(rest) +
		" follows a closing quote (\"), where the field should end"}
}

// unquoted appends to s.quoted the field at the start of line, and returns what follows it.
func (s *scanner) unquoted(line []byte) ([]byte, error) {
	end := len(line)
	if s.delim == ' ' {
		end = endOfWord(line)
	} else if i := bytes.IndexByte(line, s.delim); s.delim != 0 && i >= 0 {
		end = i
	}
	if bytes.IndexByte(line[:end], '"') >= 0 {
		return nil, &quoteError{s.line, "a quote (\") within the field " + quote(line[:end]) +
			", which does not start with one"}
	}
	s.quoted = append(s.quoted, line[:end]...)
	return line[end:], nil
}

// endOfWord returns the index of the first blank, or the length of the line.
func endOfWord(line []byte) int {
	for i, c := range line {
		if c == ' ' || c == '\t' {
			return i
		}
	}
	return len(line)
}

// trim removes blanks on both sides.
func trim(b []byte) []byte {
	solid := func(c byte) bool { return ' ' < c && c < 0x80 }
	if len(b) == 0 || solid(b[0]) && solid(b[len(b)-1]) {
		return b
	}
	if !utf8.Valid(b) { // Latin-1, whose blanks must go too, or a name of them would be nameless
		for len(b) > 0 && isBlank(b[0]) {
			b = b[1:]
		}
		for len(b) > 0 && isBlank(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
		if !utf8.Valid(b) {
			return b
		}
	}
	return bytes.TrimSpace(b)
}

// isBlank is unicode.IsSpace for a byte of Latin-1.
func isBlank(c byte) bool { return unicode.IsSpace(rune(c)) }

// trimLeft removes blanks before a field, but not those that separate fields by themselves.
func trimLeft(b []byte, delim byte) []byte {
	if len(b) == 0 || ' ' < b[0] && b[0] < 0x80 {
		return b
	}
	return bytes.TrimLeftFunc(b, func(r rune) bool {
		return unicode.IsSpace(r) && (r != '\t' || delim != '\t')
	})
}
