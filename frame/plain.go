package frame

import "math"

// plainLines takes lines of plain decimal numbers, such as 1.25,-3,17, from the buffer of the scanner for
// as long as they come: most of a file of numbers. Whatever else is in a line leaves the line to the
// scanner. It reports how many lines it took.
func (b *builder) plainLines(s *scanner) (lines int) {
	buf, _ := s.r.Peek(s.r.Buffered())
	width, used := len(b.index), 0
	most, until := math.MaxInt, int64(math.MaxInt64)
	if b.stream != nil {
		most, until = streamed, s.origin+(b.stream.stretch+1)*stretchBytes
	}
	for len(b.data) < most && s.offset+int64(used) < until {
		base, at := len(b.data), used
		for k := range width {
			end := s.delim
			if k == width-1 {
				end = '\n'
			}
			v, n := leadingDecimal(buf[at:])
			if at += n; n == 0 || at == len(buf) || buf[at] != end {
				break
			}
			at++
			b.data = append(b.data, v)
		}
		if len(b.data) < base+width {
			b.data = b.data[:base]
			break
		}
		used = at
		lines++
	}
	s.r.Discard(used)
	s.line += lines
	s.offset += int64(used)
	b.record += lines
	b.rows += lines
	return lines
}

// plain reports whether lines may be taken as they are: all columns are numbers that are used, in their
// order, and nothing has to be noted of single values.
func (b *builder) plain(s *scanner) bool {
	if b.record == 0 || b.levels != nil ||
		b.text[0] >= 0 || b.text[1] >= 0 || b.weight >= 0 || len(b.index) != len(b.fields) ||
		s.delim == ' ' || s.delim == ';' {
		return false
	}
	for k, i := range b.index {
		if i != k || !b.held[k] || b.named != nil && (b.named[k] != nil || b.kinds[k] == Boolean) {
			return false
		}
	}
	return true
}
