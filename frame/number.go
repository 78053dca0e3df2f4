package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is what a field turns out to be.
type kind int

const (
	isNumber kind = iota
	isMissing
	isText
	isInfinite // "inf" or the like
	isTooLarge // for a float64
)

// parse reads a field without blanks around it.
func parse(b []byte) (float64, kind) {
	if v, ok := decimal(b); ok {
		return v, isNumber
	}
	if missing(b) {
		return 0, isMissing
	}
	if !numeric(b) {
		return truth(b)
	}
	v, err := strconv.ParseFloat(string(b), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		if goSyntax(b) {
			return 0, isText
		}
		return 0, isTooLarge
	case err != nil || math.IsNaN(v) || goSyntax(b):
		return truth(b)
	case math.IsInf(v, 0):
		return 0, isInfinite
	}
	return v, isNumber
}

// numeric reports whether ParseFloat may read a field: without it each text would cost the memory of an error. It has
// no minus behind its first byte, as dates have, but for that of an exponent, and begins with no letter but those of
// Inf and NaN.
func numeric(b []byte) bool {
	if c := b[0] | 0x20; 'a' <= c && c <= 'z' && c != 'i' && c != 'n' {
		return false
	}
	for i := 1; i < len(b); i++ {
		if b[i] == '-' && b[i-1]|0x20 != 'e' && b[i-1]|0x20 != 'p' {
			return false
		}
	}
	return true
}

// decimal reads a number such as -12.375.
func decimal(b []byte) (v float64, ok bool) {
	v, n := leadingDecimal(b)
	return v, n > 0 && n == len(b)
}

// zeroAhead reports whether b begins with a 0 before another digit, as codes such as 02134 do.
func zeroAhead(b []byte) bool { return len(b) > 1 && b[0] == '0' && b[1]-'0' <= 9 }

// leadingDecimal reads the number such as -12.375 or 1.5e-05 that b begins with, and returns how many bytes it has,
// or 0. Its digits make a number below 10^19, and at most 19 of them are behind the point once the exponent has moved
// it: that number and the power of ten are then exact, and so their ratio is rounded once.
func leadingDecimal(b []byte) (v float64, n int) {
	if v, n = shortDecimal(b); n > 0 && b[n]|0x20 != 'e' {
		return v, n
	}
	n = 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		n++
	}
	first, places := n, 0
	whole, n := digitsFrom(b, n, 0)
	digits := n - first
	if digits == 1 && whole == 0 {
		digits = 0 // as in 0.25
	}
	if n < len(b) && b[n] == '.' {
		point := n
		whole, n = digitsFrom(b, n+1, whole)
		places = n - point - 1
	}
	if digits+places > 19 || n == first || n == first+1 && b[first] == '.' {
		return 0, 0
	}
	if n < len(b) && b[n]|0x20 == 'e' {
		power, end := exponent(b, n+1)
		if places -= power; end == 0 || places < 0 || places > 19 {
			return 0, 0
		}
		n = end
	}
	v = ratio(whole, places)
	if b[0] == '-' {
		v = -v
	}
	return v, n
}

// digitsFrom reads the digits of b from n on, behind those of whole, and returns where they end. Of more than
// 19 digits it keeps the last 64 bits.
func digitsFrom(b []byte, n int, whole uint64) (uint64, int) {
	for len(b)-n >= 8 {
		eight := binary.LittleEndian.Uint64(b[n:])
		count := digitsAhead(eight)
		whole = whole*whole10[count] + digitsValue(eight, count)
		if n += count; count < 8 {
			return whole, n
		}
	}
	for ; n < len(b) && b[n]-'0' <= 9; n++ {
		whole = 10*whole + uint64(b[n]-'0')
	}
	return whole, n
}

// exponent reads the one of at most three digits that begins at b[n], and returns where it ends, or 0.
func exponent(b []byte, n int) (power, end int) {
	sign := 1
	if n < len(b) && (b[n] == '-' || b[n] == '+') {
		sign = int(',') - int(b[n])
		n++
	}
	for end = n; end < len(b) && b[end]-'0' <= 9; end++ {
		if end == n+3 {
			return 0, 0
		}
		power = 10*power + int(b[end]-'0')
	}
	if end == n {
		return 0, 0
	}
	return sign * power, end
}

// ratio is whole / 10^places, rounded to even, for up to 19 places. Beyond 2^53 both are shifted to begin with a
// one, so that their ratio x/d is in (1/2, 2); q, the first 63 or 64 bits of it, with a last bit that says whether
// more follow, rounds as x/d does.
func ratio(whole uint64, places int) float64 {
	if whole < 1<<53 {
		return float64(int64(whole)) / tens[places]
	}
	d := whole10[places]
	s, t := bits.LeadingZeros64(whole), bits.LeadingZeros64(d)
	x, d := whole<<s, d<<t
	q, rest := bits.Div64(x>>1, x<<63, d)
	if rest != 0 {
		q |= 1
	}
	return float64(q) * math.Float64frombits(uint64(1023-63+t-s)<<52) // a power of two, above 2^-127
}

// shortDecimal is leadingDecimal for most numbers, of at most seven digits on either side of the point: eight
// bytes at a time, and without branches that depend on how many digits there are. It returns 0 bytes for other
// numbers, and where b ends too soon after one.
func shortDecimal(b []byte) (v float64, n int) {
	const most = 1 + 7 + 1 + 8
	if len(b) < most {
		return 0, 0
	}
	sign := 0
	if b[0] == '-' {
		sign = 1
	}
	eight := binary.LittleEndian.Uint64(b[sign:])
	i := digitsAhead(eight)
	if i == 0 && b[sign] != '.' || i == 8 {
		return 0, 0
	}
	n = sign + i
	whole, places := digitsValue(eight, i), 0
	if b[n] == '.' {
		eight = binary.LittleEndian.Uint64(b[n+1:])
		if places = digitsAhead(eight); places == 8 || i+places == 0 {
			return 0, 0
		}
		whole = whole*whole10[places] + digitsValue(eight, places)
		n += 1 + places
	}
	v = float64(int64(whole)) / tens[places]
	return math.Float64frombits(math.Float64bits(v) | uint64(sign)<<63), n
}

// digitsAhead is how many of eight bytes are digits until one is not, the lowest first.
func digitsAhead(eight uint64) int {
	const low = 0x7f7f7f7f7f7f7f7f
	x := eight ^ 0x3030303030303030 // 0 to 9 for digits
	others := ((x&low + 0x7676767676767676) | x) &^ low
	return bits.TrailingZeros64(others) / 8
}

// digitsValue is the number that the first count of eight bytes stand for, which are digits: in pairs, then
// fours, then all.
func digitsValue(eight uint64, count int) uint64 {
	x := (eight ^ 0x3030303030303030) << (64 - 8*count) // with zeros before it
	x = (x*10 + x>>8) & 0x00ff00ff00ff00ff
	x = (x*100 + x>>16) & 0x0000ffff0000ffff
	return (x*10000 + x>>32) & 0xffffffff
}

var whole10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// truth reads true and false, in upper or lower case, as 1 and 0.
func truth(b []byte) (float64, kind) {
	switch {
	case len(b) == 4 && strings.EqualFold(string(b), "true"):
		return 1, isNumber
	case len(b) == 5 && strings.EqualFold(string(b), "false"):
		return 0, isNumber
	}
	return 0, isText
}

// goSyntax tells the hexadecimal numbers and the underscores of Go programs, such as 0x1p-2 and
// 1_000, from the other numbers that ParseFloat reads.
func goSyntax(b []byte) bool {
	if bytes.IndexByte(b, '_') >= 0 {
		return true
	}
	if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
		b = b[1:]
	}
	return len(b) > 1 && b[1]|0x20 == 'x'
}

func missing(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	if c := b[0]; len(b) > 4 || '0' <= c && c <= '9' {
		return false
	}
	var low [4]byte
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[i] = c
	}
	switch string(low[:len(b)]) {
	case ".", "na", "n/a", "#n/a", "nan", "-nan", "null", "none":
		return true
	}
	return false
}

// isNone reports whether a field is the word None, which is a level among texts and missing among numbers.
func isNone(b []byte) bool { return len(b) == 4 && bytes.EqualFold(b, []byte("none")) }

// number reads a field of the table. In files separated by semicolons a comma may be the decimal
// mark; once one mark has been seen, the other is refused.
func (b *builder) number(field []byte) (float64, kind) {
	if b.delim != ';' {
		return parse(field)
	}
	v, k := parseComma(field, &b.scratch)
	if k != isNumber {
		return v, k
	}
	first, other := &b.comma, b.point
	switch {
	case bytes.IndexByte(field, ',') >= 0:
	case bytes.IndexByte(field, '.') >= 0:
		first, other = &b.point, b.comma
	default:
		return v, k
	}
	if other > 0 {
		return v, isText
	}
	if *first == 0 {
		*first = b.at
	}
	return v, k
}

// parseComma is parse for fields that may have a decimal comma.
func parseComma(field []byte, scratch *[]byte) (float64, kind) {
	i := bytes.IndexByte(field, ',')
	if i < 0 {
		return parse(field)
	}
	if bytes.IndexByte(field, '.') >= 0 || len(field) == 1 {
		return 0, isText
	}
	*scratch = append((*scratch)[:0], field...)
	(*scratch)[i] = '.'
	return parse(*scratch)
}

// adviceOnMissing follows the first message about a missing value.
func (b *builder) adviceOnMissing() string {
	if b.remedies.Missing == "" {
		return ""
	}
	return "; " + b.remedies.Missing + " leaves such rows out"
}

// wrongValue says why the value of column k of the data, in a record, cannot be used.
func (b *builder) wrongValue(rec [][]byte, k int, what kind) problem {
	i := b.index[k]
	p := problem{slot: k}
	switch field := rec[i]; what {
	case isNumber:
		p.text = fmt.Sprintf("the weight is %s, want a positive number", quote(field))
	case isMissing:
		p.kind, p.advice = adviceDrop, b.adviceOnMissing()
		p.text = "the value is missing"
		if len(field) > 0 {
			p.text += " (" + quote(field) + ")"
		}
	case isInfinite:
		p.text = quote(field) + " is not finite"
	case isTooLarge:
		p.text = quote(field) + " is too large, the limit is ±1.8e308"
	default:
		p.text = quote(field) + b.whyText(field)
		if p.text == quote(field)+notANumber {
			p.kind, p.advice = adviceColumns, b.suggest(rec, k)
		}
	}
	p.text = ", " + b.where(i) + ": " + p.text
	return p
}

const notANumber = " is not a number"

// whyText says why a field is not a number.
func (b *builder) whyText(field []byte) string {
	var scratch []byte
	_, k := parseComma(field, &scratch)
	comma := k == isNumber && bytes.IndexByte(field, ',') >= 0
	switch {
	case b.delim == ';' && k == isNumber && comma:
		return fmt.Sprintf(" has a decimal comma, but line %d has a number with a decimal point",
			b.point)
	case b.delim == ';' && k == isNumber:
		return fmt.Sprintf(" has a decimal point, but line %d has a number with a decimal comma",
			b.comma)
	case comma:
		return notANumber + " (a decimal comma is understood only in files separated by semicolons)"
	}
	mark, marks := ",", "commas"
	if b.delim == ';' {
		mark, marks = ".", "points"
	}
	if _, k := b.parse(bytes.ReplaceAll(field, []byte(mark), nil)); k == isNumber {
		return notANumber + " (remove the " + marks + " that group thousands)"
	}
	const signs = "%$€£¥"
	if bare := bytes.Trim(field, signs+" "); len(bare) < len(field) {
		if _, k := parse(bare); k == isNumber {
			return notANumber + " (remove the sign of the unit)"
		}
	}
	return notANumber
}

// clean returns a field on one line, without blanks around it, as UTF-8.
func clean(b []byte) string {
	s := string(b)
	if !utf8.ValidString(s) {
		r := make([]rune, len(b)) // bytes of Latin-1 are the first runes of Unicode
		for i, c := range b {
			r[i] = rune(c)
		}
		s = string(r)
	}
	return strings.Join(strings.Fields(s), " ")
}

// quote returns a field for a message, shortened.
func quote(b []byte) string {
	const most = 32
	r := []rune(clean(b[:min(len(b), 8*most)]))
	if len(r) > most {
		r = append(r[:most], '…')
	}
	return strconv.Quote(string(r))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
