package figure

import (
	"fmt"
	"math"
)

// Numbers beyond huge cannot be drawn without overflow on the way, ranges below tiny not without
// underflow.
const (
	huge = 1e290
	tiny = 1e-290
)

// finite reports the first number that cannot be drawn.
func finite(kind, name string, xs []float64) error {
	for i, x := range xs {
		if !(math.Abs(x) <= huge) {
			return fmt.Errorf("figure: %s: %s[%d] is %v, want a finite number", kind, name, i, x)
		}
	}
	return nil
}

// column checks that xs has n finite numbers; if it may be left out, none is also right.
func column(kind, name string, xs []float64, n int, optional bool) error {
	if optional && len(xs) == 0 {
		return nil
	}
	if len(xs) != n {
		return fmt.Errorf("figure: %s: %s has %d values, want %d", kind, name, len(xs), n)
	}
	return finite(kind, name, xs)
}

// nonempty is the error for a list without elements.
func nonempty(kind, name string, n int) error {
	if n == 0 {
		return fmt.Errorf("figure: %s: %s is empty", kind, name)
	}
	return nil
}

// increasing reports an x that does not exceed the one before it.
func increasing(kind, name string, xs []float64) error {
	for i := 1; i < len(xs); i++ {
		if !(xs[i] > xs[i-1]) {
			return fmt.Errorf("figure: %s: %s[%d] = %v does not exceed %s[%d] = %v",
				kind, name, i, xs[i], name, i-1, xs[i-1])
		}
	}
	return nil
}

// ordered reports a band whose lower limit is above the upper one; whether there are as many of
// both is for others to say.
func ordered(kind string, lower, upper []float64) error {
	for i := range min(len(lower), len(upper)) {
		if lower[i] > upper[i] {
			return fmt.Errorf("figure: %s: Lower[%d] = %v exceeds Upper[%d] = %v",
				kind, i, lower[i], i, upper[i])
		}
	}
	return nil
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// extent is the smallest and the largest of all numbers given; 0 and 0 without any.
func extent(lists ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, xs := range lists {
		for _, x := range xs {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if lo > hi {
		return 0, 0
	}
	return lo, hi
}
