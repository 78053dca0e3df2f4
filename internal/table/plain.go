package table

import "math"

// plainLines takes lines of plain decimal numbers, such as 1.25,-3,17, from the buffer of the scanner for
// as long as they come: most of a file of numbers. Whatever else is in a line leaves the line to the
// scanner. It reports how many lines it took.
func (b *builder) plainLines(s *scanner) (lines int) {
	buf, _ := s.r.Peek(s.r.Buffered())
	width, used := len(b.index), 0
	most, until := math.MaxInt, int64(math.MaxInt64)
	if b.stream != nil {
		most, until = streamed, s.origin+(b.stream.stretch+1)*StretchBytes
	}
	for len(b.data) < most && s.offset+int64(used) < until {
		base, at := len(b.data), used
		for k := 1; k <= width && at >= 0; k++ {
			end := s.delim
			if k == width {
				end = '\n'
			}
			var v float64
			if v, at = plainNumber(buf, at, end); at >= 0 {
				b.data = append(b.data, v)
			}
		}
		if at < 0 {
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
	if b.record == 0 || len(b.counting) > 0 || b.levels != nil || b.named != nil ||
		b.text[0] >= 0 || b.text[1] >= 0 || b.weight >= 0 || len(b.index) != len(b.fields) ||
		s.delim == ' ' || s.delim == ';' {
		return false
	}
	for k, i := range b.index {
		if i != k || !b.held[k] {
			return false
		}
	}
	return true
}

// plainNumber reads the number that decimal would from position at of buf, which the byte end is to follow.
// It returns the position after that, or -1.
func plainNumber(buf []byte, at int, end byte) (v float64, next int) {
	i := at
	if i < len(buf) && (buf[i] == '-' || buf[i] == '+') {
		i++
	}
	first, point, whole := i, -1, int64(0)
	for ; i < len(buf); i++ {
		if c := buf[i] - '0'; c <= 9 {
			whole = 10*whole + int64(c)
		} else if buf[i] == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	digits := i - first
	if point >= 0 {
		digits--
	}
	if digits < 1 || digits > 15 {
		return 0, -1
	}
	v = float64(whole)
	if point >= 0 {
		v /= tens[i-1-point]
	}
	if buf[at] == '-' {
		v = -v
	}
	if i >= len(buf) || buf[i] != end {
		return 0, -1
	}
	return v, i + 1
}
