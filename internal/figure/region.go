package figure

import (
	"fmt"
)

// Region is a stretch of the x axis in which one of two samples has more.
type Region struct {
	From, To float64
	More     int // index of that sample, 0 or 1
}

// Excluded returns the stretches where a band lies above zero (More is 0) and those where it lies
// below (1), from left to right within each side. Their ends are interpolated.
func Excluded(b Ribbon) []Region {
	var out []Region
	for side, parts := range excluded(b) {
		for _, p := range parts {
			out = append(out, Region{From: p.X[0], To: p.X[len(p.X)-1], More: side})
		}
	}
	return out
}

// Sides says of each point of a grid whether a band lies above zero there (1), below (-1), or
// includes it (0).
func Sides(lower, upper []float64) []int {
	sides := make([]int, min(len(lower), len(upper)))
	for i := range sides {
		switch {
		case lower[i] > 0:
			sides[i] = 1
		case upper[i] < 0:
			sides[i] = -1
		}
	}
	return sides
}

func checkRegions(kind string, regions []Region, samples int) error {
	for i, r := range regions {
		if err := finite(kind, fmt.Sprintf("Regions[%d]", i), []float64{r.From, r.To}); err != nil {
			return err
		}
		if r.From > r.To {
			return fmt.Errorf("figure: %s: Regions[%d] is from %v to %v, want From at most To", kind, i,
				r.From, r.To)
		}
		if r.More < 0 || r.More >= samples {
			return fmt.Errorf("figure: %s: Regions[%d].More is %d, want the index of one of %d samples",
				kind, i, r.More, samples)
		}
	}
	return nil
}

func checkSides(kind string, sides []int, n int) error {
	if len(sides) != 0 && len(sides) != n {
		return fmt.Errorf("figure: %s: Sides has %d values, want %d", kind, len(sides), n)
	}
	for i, s := range sides {
		if s < -1 || s > 1 {
			return fmt.Errorf("figure: %s: Sides[%d] is %d, want -1, 0 or 1", kind, i, s)
		}
	}
	return nil
}

// inside returns the part of the ribbon from lo to hi, its ends interpolated.
func (r Ribbon) inside(lo, hi float64) Ribbon {
	var part Ribbon
	for i, x := range r.X {
		if i > 0 {
			for _, end := range [2]float64{lo, hi} {
				if r.X[i-1] < end && end < x {
					part = part.add(r, i-1, (end-r.X[i-1])/(x-r.X[i-1]))
				}
			}
		}
		if x >= lo && x <= hi {
			part = part.add(r, i, 0)
		}
	}
	return part
}

// checkMarks is for labelled upright lines, of which only X counts.
func checkMarks(kind string, marks []Mark) error {
	for _, m := range marks {
		if err := finite(kind, "Marks", []float64{m.X}); err != nil {
			return err
		}
	}
	return nil
}
