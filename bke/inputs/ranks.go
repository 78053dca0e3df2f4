package inputs

import (
	"math"
	"slices"
	"sort"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"
)

// quantiles returns the distinct quantiles of levels (l-1/2)/m. Where at least half of the rows
// repeat a value of another row, as counts and answers on a scale do, they are values that occur.
// Between these values the kernel would look for rows where there are none. Where ties leave fewer
// than two, one value being nearly all of the data, they are those of the distinct values.
func quantiles(data blocks, m int) []float64 {
	n := data.count()
	if n < leastRanks { // to sort once more what is in order takes no time
		data = blocks{sortedValues(data)}
	}
	tied := tiedMostly(data)
	pick := func(at func(i int) float64) (z []float64) {
		for l := 1; l <= m; l++ {
			if tied {
				z = append(z, at((n*(2*l-1)+2*m-1)/(2*m)-1))
			} else {
				z = append(z, rows.QuantileAt(n, at, 2*l-1, 2*m))
			}
		}
		return slices.Compact(z)
	}
	var places []int
	pick(func(i int) float64 {
		places = append(places, i)
		return 0
	})
	z := pick(ordered(data, places))
	if len(z) < 2 {
		if values := slices.Compact(sortedValues(data)); len(values) < n {
			return quantiles(cut([][]float64{values}), m)
		}
	}
	return z
}

// blocks are values in blocks that are worked on side by side.
type blocks [][]float64

// cut makes blocks of parts.
func cut(parts [][]float64) (out blocks) {
	for _, x := range parts {
		out = slices.AppendSeq(out, slices.Chunk(x, blockRows))
	}
	return out
}

func (b blocks) count() (n int) {
	for _, x := range b {
		n += len(x)
	}
	return n
}

// each works on all blocks.
func (b blocks) each(do func(block int, x []float64)) {
	workers.NewBlocks(len(b), 1, func(i, _, _ int) { do(i, b[i]) }).Run()
}

// sortedValues sorts a copy, with 0 for -0.
func sortedValues(data blocks) []float64 {
	out := slices.Concat(data...)
	for i := range out {
		out[i] += 0
	}
	slices.Sort(out)
	return out
}

const (
	leastRanks = 1 << 17 // fewer values are sorted
	buckets    = 1 << 12
	blockRows  = 1 << 17
)

// ordered returns the values in some places of all in order. Values are counted in buckets by their size,
// and only those of the buckets that are asked for are taken out and sorted: three looks at the data.
func ordered(data blocks, places []int) func(i int) float64 {
	all := func() func(int) float64 {
		sorted := sortedValues(data)
		return func(i int) float64 { return sorted[i] }
	}
	if data.count() < leastRanks {
		return all()
	}
	lo, hi := spanOf(data)
	scale := buckets / (hi - lo)
	if !(scale > 0) || math.IsInf(scale, 1) {
		return all()
	}
	counts := make([][buckets]int, len(data))
	data.each(func(b int, x []float64) {
		count := &counts[b]
		for _, v := range x {
			count[bucket(v, lo, scale)]++
		}
	})
	first := make([]int, buckets+1) // the place of the first value of each bucket, and the number of values
	for b := range buckets {
		first[b+1] = first[b]
		for k := range counts {
			first[b+1] += counts[k][b]
		}
	}
	var wanted [buckets]bool
	for _, i := range places {
		wanted[sort.SearchInts(first, i+1)-1] = true
	}
	shift, taken := make([]int, buckets), 0 // from a place among all to that among those taken out
	for b := range buckets {
		if wanted[b] {
			shift[b] = taken - first[b]
			taken += first[b+1] - first[b]
		}
	}
	if 2*taken > first[buckets] {
		return all()
	}
	parts := make(blocks, len(data))
	data.each(func(b int, x []float64) {
		var part []float64
		for _, v := range x {
			if wanted[bucket(v, lo, scale)] {
				part = append(part, v)
			}
		}
		parts[b] = part
	})
	sorted := sortedValues(parts)
	return func(i int) float64 { return sorted[i+shift[sort.SearchInts(first, i+1)-1]] }
}

// bucket is that of a value not below lo.
func bucket(v, lo, scale float64) uint {
	return min(uint(int((v-lo)*scale)), buckets-1) % buckets // the last for the compiler, which knows no range
}

// spanOf returns the smallest and the largest value.
func spanOf(data blocks) (lo, hi float64) {
	ends := make([][2]float64, len(data))
	data.each(func(b int, x []float64) {
		lo, hi := rows.Range(x, 1, 0)
		ends[b] = [2]float64{lo, hi}
	})
	lo, hi = ends[0][0], ends[0][1]
	for _, e := range ends {
		lo, hi = min(lo, e[0]), max(hi, e[1])
	}
	return lo, hi
}

// tiedMostly reports whether at most half of the values are distinct. Of many it counts the distinct ones
// among those whose hash falls into a small part of its range. That number would be binomial if hashes were
// drawn; within eight standard deviations of the limit all values are counted.
func tiedMostly(data blocks) bool {
	n, drop := data.count(), 0
	for n>>drop >= leastRanks {
		drop++
	}
	if drop > 0 {
		parts, below := make([][]uint64, len(data)), uint64(1)<<(64-drop)
		data.each(func(b int, x []float64) {
			var part []uint64
			for _, v := range x {
				if h := hash(v); h < below {
					part = append(part, h)
				}
			}
			parts[b] = part
		})
		hashes := slices.Concat(parts...)
		slices.Sort(hashes)
		count, half := float64(len(slices.Compact(hashes))), math.Ldexp(float64(n)/2, -drop)
		if math.Abs(count-half) > 8*math.Sqrt(half) {
			return count < half
		}
	}
	return 2*len(slices.Compact(sortedValues(data))) <= n
}

// hash is different for different values, and of 0 that of -0. That of 0, which many values may be, is not
// small.
func hash(v float64) uint64 { return rng.Mix(math.Float64bits(v+0) + 1) }
