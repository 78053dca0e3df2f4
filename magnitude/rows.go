package magnitude

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// enough is the number of rows of a sample beyond which overlaps and tails are found from so many, drawn at
// random: their errors are then below a hundredth, and all rows would have to be put in order.
const enough = 100_000

// drawnOf are k of n places, without replacement.
func drawnOf(n, k int, r *rand.Rand) []int {
	out := make([]int, k)
	moved := make(map[int]int, k) // of a permutation, what is no longer in its place
	at := func(i int) int {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	for i := range out {
		j := i + r.IntN(n-i)
		out[i] = at(j)
		moved[j] = at(i)
	}
	return out
}

// picked are those at the places.
func picked(x []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for i, k := range at {
		out[i] = x[k]
	}
	return out
}

// dense are rows of x as slices: those at the places, or all of them if at is nil.
func dense(x mat.Matrix, at []int) [][]float64 {
	n, d := x.Dims()
	if at != nil {
		n = len(at)
	}
	out := make([][]float64, n)
	all := make([]float64, n*d)
	for i := range out {
		k := i
		if at != nil {
			k = at[i]
		}
		out[i] = all[i*d : (i+1)*d : (i+1)*d]
		for j := range out[i] {
			out[i][j] = x.At(k, j)
		}
	}
	return out
}

// scale divides the columns of rows of x by the standard deviations of all rows of these.
func scale(x []mat.Matrix, rows ...[][]float64) {
	for j := range rows[0][0] {
		var all []float64
		for _, s := range x {
			all = append(all, mat.Col(nil, j, s)...)
		}
		m := momentsOf(all)
		sd := math.Sqrt(m.m2)
		for _, s := range rows {
			for _, row := range s {
				row[j] -= m.mean
				if sd > 0 {
					row[j] /= sd
				}
			}
		}
	}
}

// byDigits is the number of values from which sorting digit by digit is the faster way.
const byDigits = 1 << 16

// arrange puts finite values in order. Many are sorted by their bits, 16 at a time from the lowest, in steps linear in
// their number.
func arrange(x []float64) {
	if len(x) < byDigits {
		slices.Sort(x)
		return
	}
	const sign = 1 << 63
	from, to := make([]uint64, len(x)), make([]uint64, len(x))
	counts := make([][1 << 16]uint32, 4)
	for i, v := range x {
		b := math.Float64bits(v + 0) // no negative zero
		if b&sign != 0 {
			b = ^b
		} else {
			b |= sign
		}
		from[i] = b
		for k := range counts {
			counts[k][b>>(16*k)&0xffff]++
		}
	}
	for k := range counts {
		c := &counts[k]
		if int(c[from[0]>>(16*k)&0xffff]) == len(x) {
			continue // one digit
		}
		sum := uint32(0)
		for i, n := range c {
			c[i] = sum
			sum += n
		}
		for _, b := range from {
			d := b >> (16 * k) & 0xffff
			to[c[d]] = b
			c[d]++
		}
		from, to = to, from
	}
	for i, b := range from {
		if b&sign != 0 {
			b &^= sign
		} else {
			b = ^b
		}
		x[i] = math.Float64frombits(b)
	}
}
