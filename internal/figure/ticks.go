package figure

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// tick is a mark on an axis; minor ones have no text.
type tick struct {
	at       float64
	txt, sup string
}

// scale is the range of an axis with its ticks.
type scale struct {
	min, max float64
	log      bool
	ticks    []tick
	note     tick // common factor or offset of the tick labels, if any
}

// unit maps x to [0, 1].
func (s *scale) unit(x float64) float64 {
	if s.log {
		return (math.Log(x) - math.Log(s.min)) / (math.Log(s.max) - math.Log(s.min))
	}
	return (x - s.min) / (s.max - s.min)
}

// spread makes a range that can be drawn of one that may be a single point or too narrow for the
// numbers to be told apart, and adds pad, a part of the width, on both sides.
func spread(lo, hi, pad float64) (float64, float64) {
	size := max(math.Abs(lo), math.Abs(hi))
	if hi-lo <= max(1e-11*size, tiny) {
		mid, half := lo/2+hi/2, 0.1*size
		if size <= tiny {
			half = 1
		}
		return mid - half, mid + half
	}
	d := pad*hi - pad*lo
	return lo - d, hi + d
}

// steps are the mantissas of the distances between ticks.
var steps = [...]float64{1, 2, 5}

// linear puts about n ticks at round numbers in [lo, hi], hi > lo.
func linear(lo, hi float64, n int) scale {
	s := scale{min: lo, max: hi}
	aim := (hi - lo) / float64(max(n, 1))
	mantissa, e := roundStep(aim)
	first, last := multiples(lo, hi, mantissa, e)
	for last-first+1 < 2 { // too few: a finer step
		aim /= 2
		mantissa, e = roundStep(aim)
		first, last = multiples(lo, hi, mantissa, e)
	}
	size := max(math.Abs(lo), math.Abs(hi))
	offset := 0.0
	if size > 1e4*(hi-lo) && size > 1e3 || size > 1e8*(hi-lo) {
		offset = roundest(lo, hi)
		first, last = multiples(lo-offset, hi-offset, mantissa, e)
		size = max(math.Abs(lo-offset), math.Abs(hi-offset))
		s.note.txt = signed(offset)
	}
	power := 0
	if p := int(math.Floor(math.Log10(size))); p >= 5 || p <= -4 {
		power = p
		if s.note.txt == "" {
			s.note.txt = "×10"
		} else {
			s.note.txt = s.note.txt + "  ×10"
		}
		s.note.sup = minus(strconv.Itoa(p))
	}
	digits := max(0, power-e)
	for k := first; k <= last; k++ {
		at := k*mantissa*math.Pow10(e) + offset
		if at < lo || at > hi {
			at = min(max(at, lo), hi) // by rounding only
		}
		v := k * mantissa * math.Pow10(e-power)
		s.ticks = append(s.ticks, tick{at: at, txt: minus(decimal(v, digits))})
	}
	return s
}

// roundest is a number in [lo, hi] that is a multiple of as high a power of ten as there is.
func roundest(lo, hi float64) float64 {
	for e := int(math.Ceil(math.Log10(max(math.Abs(lo), math.Abs(hi))))); ; e-- {
		block := math.Pow10(e)
		if m := math.Floor(hi/block) * block; m >= lo {
			return m
		}
	}
}

// multiples gives the first and last k with lo <= k m 10^e <= hi.
func multiples(lo, hi, m float64, e int) (first, last float64) {
	step := m * math.Pow10(e)
	const slack = 1e-9
	return math.Ceil(lo/step - slack), math.Floor(hi/step + slack)
}

// roundStep is the smallest 1, 2 or 5 times a power of ten that is at least x.
func roundStep(x float64) (mantissa float64, exponent int) {
	exponent = int(math.Floor(math.Log10(x)))
	for {
		for _, m := range steps {
			if m*math.Pow10(exponent) >= x*(1-1e-9) {
				return m, exponent
			}
		}
		exponent++
	}
}

// decimal writes v with the given number of decimals, and zero without a sign.
func decimal(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// signed writes an offset that the reader adds to the tick's number.
func signed(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if math.Abs(v) >= 1e15 || math.Abs(v) < 1e-4 {
		s = strconv.FormatFloat(v, 'g', -1, 64)
	}
	if v >= 0 {
		s = "+" + s
	}
	return minus(s)
}

// minus puts the typographic minus sign in place of the hyphen.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// logarithmic puts about n labelled ticks on a logarithmic axis from lo to hi, 0 < lo < hi.
func logarithmic(lo, hi float64, n int) scale {
	s := scale{min: lo, max: hi, log: true}
	a, b := math.Log10(lo), math.Log10(hi)
	if b-a < 0.7 { // no two decades, maybe not one: round numbers of a linear scale
		t := linear(lo, hi, n)
		s.ticks, s.note = t.ticks, t.note
		return s
	}
	stride := max(1, int(math.Ceil((b-a)/float64(max(n, 1)))))
	labelled := 1 // how many of 1, 2, 5 in a decade get a label
	if 3*(b-a) <= float64(n)+1.5 {
		labelled = 3
	} else if b-a < 1.6 {
		labelled = 2
	}
	for e := int(math.Floor(a)); e <= int(math.Floor(b)); e++ {
		for m := 1; m <= 9; m++ {
			at := float64(m) * math.Pow10(e)
			if at < lo*(1-1e-9) || at > hi*(1+1e-9) {
				continue
			}
			t := tick{at: at}
			mid := m == 2 && labelled == 3 || m == 5 && labelled == 3 || m == 3 && labelled == 2
			if m == 1 && mod(e, stride) == 0 || mid {
				t.txt, t.sup = decade(m, e, a >= -3.5 && b <= 4.5)
			}
			if t.txt != "" || stride == 1 || m == 1 {
				s.ticks = append(s.ticks, t)
			}
		}
	}
	return s
}

func mod(a, b int) int { return ((a % b) + b) % b }

// decade writes m 10^e, m from 1 to 9, in plain figures or with a power.
func decade(m, e int, plain bool) (txt, sup string) {
	if plain || e == 0 {
		return decimal(float64(m)*math.Pow10(e), max(0, -e)), ""
	}
	if m == 1 {
		return "10", minus(strconv.Itoa(e))
	}
	return strconv.Itoa(m) + "×10", minus(strconv.Itoa(e))
}

// short writes a number to three digits.
func short(x float64) string {
	s := strconv.FormatFloat(x, 'g', 3, 64)
	return minus(strings.NewReplacer("e+0", "e", "e-0", "e-", "e+", "e").Replace(s))
}

// width is the width of a tick's label.
func (t tick) width() vg.Length {
	return label{txt: t.txt, sup: t.sup, font: tickFont}.width()
}

// horizontal chooses as many ticks as fit a length without their labels coming too close.
func horizontal(lo, hi float64, log bool, length vg.Length) scale {
	place := linear
	if log {
		place = logarithmic
	}
	for n := min(8, int(length/26)); ; n-- {
		s := place(lo, hi, n)
		if s.fits(length) {
			return s
		}
		if n <= 1 {
			s.sparse(length)
			return s
		}
	}
}

// sparse takes every other label away until the rest fit.
func (s *scale) sparse(length vg.Length) {
	for stride := 1; stride < len(s.ticks) && !s.fits(length); stride *= 2 {
		for i := range s.ticks {
			if i%(2*stride) != 0 {
				s.ticks[i].txt, s.ticks[i].sup = "", ""
			}
		}
	}
}

// fits reports whether the labels keep a distance.
func (s *scale) fits(length vg.Length) bool {
	end := vg.Length(math.Inf(-1))
	for _, t := range s.ticks {
		if t.txt == "" {
			continue
		}
		x, w := vg.Length(s.unit(t.at))*length, t.width()
		if x-w/2 < end+9 {
			return false
		}
		end = x + w/2
	}
	return true
}

// vertical chooses ticks for the height of a panel.
func vertical(lo, hi float64, log bool, height vg.Length) scale {
	n := min(max(int(height/24), 2), 7)
	if log {
		return logarithmic(lo, hi, n)
	}
	return linear(lo, hi, n)
}
