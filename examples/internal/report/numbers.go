package report

import (
	"fmt"
	"slices"
)

// Median returns the median of v, which must not be empty, the mean of the two in the middle if
// there are two.
func Median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// Digits writes v, which must not be negative, with three significant digits from 0.1 on.
func Digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// One is 1 where yes holds, to be summed up.
func One(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
