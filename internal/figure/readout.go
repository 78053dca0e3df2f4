package figure

import (
	"math"
	"slices"
	"strconv"
)

// readout is what a reader sees under the pointer: of a curve the values at the nearest of the
// points At, of a plane those at the nearest point of the grid At times By.
type readout struct {
	X    string    `json:"x"`            // name of the horizontal axis
	At   numbers   `json:"at"`           // increasing
	Y    string    `json:"y,omitempty"`  // of a plane: name of the vertical axis
	By   numbers   `json:"by,omitempty"` // of a plane, increasing
	Rows []reading `json:"rows"`
}

// reading is a named number at each point, Value[i*len(By)+j] of a plane, with a band or without.
type reading struct {
	Name  string   `json:"n"`
	Value numbers  `json:"v"`
	Lower numbers  `json:"l,omitempty"`
	Upper numbers  `json:"u,omitempty"`
	Band  string   `json:"b,omitempty"` // what the band is
	Words []string `json:"t,omitempty"` // in place of numbers
}

// rounded is a length in the page's units.
type rounded float64

// MarshalJSON writes hundredths.
func (r rounded) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, math.Round(float64(r)*100)/100, 'f', -1, 64), nil
}

// numbers are written to four digits, or as many as tell neighbours in their range apart.
type numbers []float64

// MarshalJSON writes the list.
func (xs numbers) MarshalJSON() ([]byte, error) {
	digits := 4
	known := slices.DeleteFunc(slices.Clone(xs), math.IsNaN)
	if lo, hi := extent(known); hi > lo {
		more := math.Ceil(math.Log10(max(math.Abs(lo), math.Abs(hi)) / (hi - lo)))
		digits = min(digits+max(0, int(more)), 17)
	}
	b := []byte{'['}
	for i, x := range xs {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			b = append(b, "null"...)
			continue
		}
		b = strconv.AppendFloat(b, x, 'g', digits, 64)
	}
	return append(b, ']'), nil
}

// every returns at most most of the indices below n, evenly spread, the first and the last included.
func every(n, most int) []int {
	if n <= most {
		most = n
	}
	at := make([]int, most)
	for i := range at {
		at[i] = i
		if most > 1 {
			at[i] = int(math.Round(float64(i) * float64(n-1) / float64(most-1)))
		}
	}
	return at
}

// pick returns the given elements; nil of an empty list.
func pick(xs []float64, at []int) numbers {
	if len(xs) == 0 {
		return nil
	}
	out := make(numbers, len(at))
	for i, k := range at {
		out[i] = xs[k]
	}
	return out
}

// near counts the sorted values within reach of each point.
func near(sorted []float64, points []float64, reach float64) numbers {
	out := make(numbers, len(points))
	for i, x := range points {
		from, _ := slices.BinarySearch(sorted, x-reach)
		to, _ := slices.BinarySearch(sorted, math.Nextafter(x+reach, math.Inf(1)))
		out[i] = float64(to - from)
	}
	return out
}
