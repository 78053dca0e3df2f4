package tell

import "bayeskernel/internal/jsonfloat"

// number is a float64 that JSON writes as null where it has no number for it.
type number = jsonfloat.Number

func numbers(x []float64) []number { return jsonfloat.Slice(x) }
