package frame

import (
	"bytes"
	"math"
	"runtime"
	"strconv"
	"sync"
)

// plainLines takes lines of plain decimal numbers, such as 1.25,-3,1e-05, from the buffer of the scanner for
// as long as they come: most of a file of numbers. Whatever else is in a line leaves the line to the
// scanner. It reports how many lines it took. Lines that are kept are read by all processors.
func (b *builder) plainLines(s *scanner) (lines int) {
	buf, _ := s.r.Peek(s.r.Buffered())
	width, used, before := len(b.index), 0, len(b.data)
	if b.stream != nil {
		until := s.origin + (b.stream.stretch+1)*stretchBytes - s.offset
		b.data, used = plainNumbers(b.data, buf, width, s.delim, streamed, until)
	} else {
		parts := min(runtime.GOMAXPROCS(0), len(buf)/leastPart)
		if b.broken {
			parts = 1
		}
		used = b.plainParts(cutLines(buf, parts), s.delim)
		b.broken = used < min(len(buf), leastPart)/2
	}
	lines = (len(b.data) - before) / width
	s.r.Discard(used)
	s.line += lines
	s.offset += int64(used)
	b.record += lines
	b.keep(lines)
	return lines
}

// leastPart is how many bytes are worth a goroutine.
const leastPart = 1 << 15

// cutLines cuts text into so many parts of about equal length, each but the last of whole lines.
func cutLines(text []byte, parts int) (list [][]byte) {
	for ; parts > 1; parts-- {
		near := len(text) / parts
		end := bytes.IndexByte(text[near:], '\n')
		if end < 0 {
			break
		}
		list, text = append(list, text[:near+end+1]), text[near+end+1:]
	}
	return append(list, text)
}

// plainParts adds the numbers of consecutive parts of text until one is not plain to its end, and returns how
// many bytes it took.
func (b *builder) plainParts(parts [][]byte, delim byte) (used int) {
	for len(b.aside) < len(parts)-1 {
		b.aside = append(b.aside, aside{})
	}
	width := len(b.index)
	var others sync.WaitGroup
	for k, part := range parts[1:] {
		a := &b.aside[k]
		others.Go(func() {
			a.data, a.used = plainNumbers(a.data[:0], part, width, delim, math.MaxInt, math.MaxInt64)
		})
	}
	b.data, used = plainNumbers(b.data, parts[0], width, delim, math.MaxInt, math.MaxInt64)
	others.Wait()
	whole := used == len(parts[0])
	for k, part := range parts[1:] {
		if !whole {
			break
		}
		a := b.aside[k]
		b.data, used, whole = append(b.data, a.data...), used+a.used, a.used == len(part)
	}
	return used
}

// aside is what one of several processors reads.
type aside struct {
	data []float64
	used int
}

// plainNumbers adds the numbers of lines of plain decimals to data: of such as begin in the first bytes until
// one, as long as there are fewer than most numbers. It returns how many bytes the lines have.
func plainNumbers(data []float64, buf []byte, width int, delim byte, most int, until int64) ([]float64, int) {
	used := 0
	for len(data) < most && int64(used) < until {
		base, at := len(data), used
		for k := range width {
			end := delim
			if k == width-1 {
				end = '\n'
			}
			if zeroAhead(buf[at:]) {
				return data[:base], used
			}
			v, n := leadingDecimal(buf[at:])
			if n == 0 {
				v, n = otherDecimal(buf[at:], end)
			}
			if at += n; n == 0 || at == len(buf) || buf[at] != end {
				return data[:base], used
			}
			at++
			data = append(data, v)
		}
		used = at
	}
	return data, used
}

// otherDecimal reads the field that b begins with, up to a byte, if it is a decimal number in range, with any number
// of digits and exponent. It returns how many bytes it has, or 0.
func otherDecimal(b []byte, end byte) (float64, int) {
	const most = 40 // bytes
	n := bytes.IndexByte(b[:min(len(b), most)], end)
	if n <= 0 {
		return 0, 0
	}
	for _, c := range b[:n] {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return 0, 0
		}
	}
	v, err := strconv.ParseFloat(string(b[:n]), 64)
	if err != nil {
		return 0, 0
	}
	return v, n
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
