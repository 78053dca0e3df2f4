package summary

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// int128 is an integer of 128 bits in two's complement. Sums of block sums are kept in it as
// multiples of a power of two: integer addition is associative, so that no bit of a sum depends on
// how many workers there were, or in which order they were done.
type int128 struct {
	hi int64
	lo uint64
}

// The binary digits after the point: sums of kernel values have 2^-72 and may reach 2^55, those of
// log gamma, and of squares of the data in units of their sd, 2^-52 and 2^75.
const (
	unitKernel = 72
	unitWide   = 52
)

// add returns a+b, and reports whether it is in range.
func (a int128) add(b int128) (int128, bool) {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi := a.hi + b.hi + int64(carry)
	// The sign is wrong only where a and b have the same sign and the sum has the other.
	return int128{hi, lo}, (a.hi^hi)&(b.hi^hi) >= 0
}

func (a int128) negate() int128 {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	return int128{-a.hi - int64(borrow), lo}
}

// fixed rounds v to a multiple of 2^-unit, ties to even; false if that is out of range or v is not
// finite.
func fixed(v float64, unit int) (int128, bool) {
	b := math.Float64bits(v)
	exponent := int(b>>52) & 0x7ff
	mantissa := b & (1<<52 - 1)
	switch exponent {
	case 0x7ff:
		return int128{}, false
	case 0:
		exponent = 1
	default:
		mantissa |= 1 << 52
	}
	shift := exponent - 1075 + unit
	var x int128
	switch {
	case shift >= 74: // the sign bit is at 127, the mantissa has 53
		if mantissa != 0 {
			return int128{}, false
		}
	case shift >= 64:
		x.hi = int64(mantissa << (shift - 64))
	case shift >= 0:
		x.hi, x.lo = int64(mantissa>>(64-shift)), mantissa<<shift
	case shift > -64:
		x.lo = mantissa >> -shift
		rest, half := mantissa&(1<<-shift-1), uint64(1)<<(-shift-1)
		if rest > half || rest == half && x.lo&1 == 1 {
			x.lo++
		}
	}
	if b>>63 == 1 {
		x = x.negate()
	}
	return x, true
}

// float returns the nearest number to x 2^-unit, within an ulp.
func (a int128) float(unit int) float64 {
	negative := a.hi < 0
	if negative {
		a = a.negate()
	}
	v := math.Ldexp(float64(uint64(a.hi)), 64-unit) + math.Ldexp(float64(a.lo), -unit)
	if negative {
		return -v
	}
	return v
}

// accumulate adds the numbers v to sums; false if one does not fit.
func accumulate(sums []int128, v []float64, unit int) bool {
	good := true
	for i, x := range v {
		f, ok := fixed(x, unit)
		s, in := sums[i].add(f)
		sums[i] = s
		good = good && ok && in
	}
	return good
}

// addAll adds b to a, or takes it away with sign -1; false if a sum does not fit.
func addAll(a, b []int128, sign int) bool {
	good := true
	for i, x := range b {
		if sign < 0 {
			x = x.negate()
		}
		s, in := a[i].add(x)
		a[i] = s
		good = good && in
	}
	return good
}

func appendInt128(dst []byte, list []int128) []byte {
	for _, x := range list {
		dst = binary.LittleEndian.AppendUint64(dst, x.lo)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(x.hi))
	}
	return dst
}

// readInt128 fills list and returns the rest; false if src is too short.
func readInt128(list []int128, src []byte) ([]byte, bool) {
	if len(src) < 16*len(list) {
		return nil, false
	}
	for i := range list {
		list[i] = int128{int64(binary.LittleEndian.Uint64(src[16*i+8:])),
			binary.LittleEndian.Uint64(src[16*i:])}
	}
	return src[16*len(list):], true
}
