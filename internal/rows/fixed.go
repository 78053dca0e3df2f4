package rows

import "slices"

// Fixed reports whether there are groups of several rows, and in each of them all rows are the same. A value that is
// missing is like none.
func Fixed[G comparable](groups []G, data []float64, dim int) bool {
	first := make(map[G]int)
	for i, g := range groups {
		k, ok := first[g]
		if !ok {
			first[g] = i
		} else if !slices.Equal(data[i*dim:(i+1)*dim], data[k*dim:(k+1)*dim]) {
			return false
		}
	}
	return len(first) < len(groups)
}
