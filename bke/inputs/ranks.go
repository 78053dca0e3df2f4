package inputs

import (
	"math"
	"slices"
	"sort"

	"bayeskernel/internal/rows"
)

// quantiles returns the distinct quantiles of levels (l-1/2)/m. Where at least half of the rows repeat
// a value of another row, as counts and answers on a scale do, they are values that occur: the kernel
// would look for rows where there are none in between. Where ties leave fewer than two, one value being
// nearly all of the data, they are those of the distinct values.
func quantiles(r *ranks, m int) []float64 {
	n, tied := len(r.data), r.tied()
	var z []float64
	for l := 1; l <= m; l++ {
		if tied {
			z = append(z, r.at((n*(2*l-1)+2*m-1)/(2*m)-1))
		} else {
			z = append(z, rows.QuantileAt(n, r.at, 2*l-1, 2*m))
		}
	}
	z = slices.Compact(z)
	if len(z) < 2 {
		if values := slices.Compact(slices.Sorted(slices.Values(r.data))); len(values) < n {
			return quantiles(sortedRanks(values), m)
		}
	}
	return z
}

// ranks gives the values of data by their rank. Many values are put into buckets by their size, and only
// those are sorted in which a value is asked for: of ten million values that takes a tenth of the time.
type ranks struct {
	data   []float64 // bucket by bucket
	first  []int     // where each bucket begins, and the number of values
	sorted []bool
}

const (
	buckets    = 1 << 12
	leastRanks = 1 << 16 // fewer values are sorted
)

// newRanks copies the values.
func newRanks(data []float64) *ranks {
	if len(data) < leastRanks {
		return sortedRanks(slices.Sorted(slices.Values(data)))
	}
	lo, hi := slices.Min(data), slices.Max(data)
	scale := buckets / (hi - lo)
	if !(scale > 0) || math.IsInf(scale, 1) {
		return sortedRanks(slices.Sorted(slices.Values(data)))
	}
	bucket := func(v float64) int { return min(int((v-lo)*scale), buckets-1) }
	r := &ranks{first: make([]int, buckets+1), sorted: make([]bool, buckets)}
	for _, v := range data {
		r.first[bucket(v)+1]++
	}
	if 4*slices.Max(r.first) > len(data) { // nearly all would have to be sorted anyway
		return sortedRanks(slices.Sorted(slices.Values(data)))
	}
	for b := range buckets {
		r.first[b+1] += r.first[b]
	}
	next := slices.Clone(r.first[:buckets])
	r.data = make([]float64, len(data))
	for _, v := range data {
		b := bucket(v)
		r.data[next[b]] = v + 0 // 0 for -0
		next[b]++
	}
	return r
}

// sortedRanks takes values that are in order.
func sortedRanks(sorted []float64) *ranks {
	return &ranks{data: sorted, first: []int{0, len(sorted)}, sorted: []bool{true}}
}

// at returns the value that is in place i of all in order.
func (r *ranks) at(i int) float64 {
	b := sort.SearchInts(r.first, i+1) - 1
	if !r.sorted[b] {
		slices.Sort(r.data[r.first[b]:r.first[b+1]])
		r.sorted[b] = true
	}
	return r.data[i]
}

// tied reports whether at most half of the values are distinct. It looks no further than it has to.
func (r *ranks) tied() bool {
	n, distinct := len(r.data), 0
	var seen []uint64
	for b := range r.sorted {
		values := r.data[r.first[b]:r.first[b+1]]
		if r.sorted[b] {
			for i, v := range values {
				if i == 0 || v != values[i-1] {
					distinct++
				}
			}
		} else {
			distinct += count(values, &seen)
		}
		if 2*distinct > n {
			return false
		}
		if 2*(distinct+n-r.first[b+1]) <= n {
			return true
		}
	}
	return true
}

// count returns the number of distinct values, by a table of those seen.
func count(values []float64, seen *[]uint64) (distinct int) {
	bits := 1
	for 1<<bits < 2*len(values) {
		bits++
	}
	table := slices.Grow((*seen)[:0], 1<<bits)[:1<<bits]
	clear(table)
	*seen = table
	for _, v := range values {
		key := ^math.Float64bits(v) // not 0 for any number
		at := key * 0x9e3779b97f4a7c15 >> (64 - bits)
		for table[at] != 0 && table[at] != key {
			at = (at + 1) & (1<<bits - 1)
		}
		if table[at] == 0 {
			table[at] = key
			distinct++
		}
	}
	return distinct
}
