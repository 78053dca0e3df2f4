package report

import (
	"fmt"
	"math"
	"strconv"

	"bayeskernel/internal/jsonfloat"
)

// Number is a float64 that JSON writes as null where it is NaN or infinite.
type Number = jsonfloat.Number

// Numbers converts x; the result is never nil, so JSON writes an empty list rather than null.
func Numbers(x []float64) []Number { return jsonfloat.Slice(x) }

// Agreed rounds a number to the six digits that are the same on all machines.
func Agreed(v float64) Number {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return Number(v)
}

// Figures writes a number with four digits.
func Figures(v float64) string { return format("%.4g", v) }

// Short writes a number with three digits, for use in a sentence.
func Short(v float64) string { return strconv.FormatFloat(v+0, 'g', 3, 64) } // 0 for -0

// Errors writes a standard error, with two digits.
func Errors(v float64) string { return format("%.2g", v) }

// Roundly writes a number with two digits, without an exponent if it is large: 5.3, 25, 550.
func Roundly(v float64) string {
	if !(v >= 99.5 && v < 1e9) {
		return Errors(v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return Whole(math.Round(v/unit) * unit)
}

// Whole writes a number without decimals.
func Whole(v float64) string { return format("%.0f", v) }

// Fixed writes a number with three decimals.
func Fixed(v float64) string { return format("%.3f", v) }

// Decimals writes a number with two decimals.
func Decimals(v float64) string { return format("%.2f", v) }

// format writes a number, or a dash where there is none.
func format(with string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(with, v+0) // 0 for -0
}
