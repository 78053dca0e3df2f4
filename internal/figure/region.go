package figure

import (
	"fmt"
	"image/color"
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
			return fmt.Errorf("figure: %s: Regions[%d].More is %d, want below %d",
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

// checkMarks checks labelled upright lines, where only X counts.
func checkMarks(kind string, marks []Mark) error {
	for _, m := range marks {
		if err := finite(kind, "Marks", []float64{m.X}); err != nil {
			return err
		}
	}
	return nil
}

// ribbon draws a band and its mean.
func (p *panel) ribbon(b Ribbon, c color.NRGBA) {
	if len(b.X) == 1 {
		q := p.px(b.X[0])
		p.s.line(q, p.py(b.Lower[0]), q, p.py(b.Upper[0]), pen{color: faint, width: 4})
		p.dots(b.X, b.Mean, 3, ink)
		return
	}
	p.band(b.X, b.Lower, b.Upper, c)
	p.curve(b.X, b.Mean, meanPen)
}

// regions gives stretches of the band, and of the zero line, the colour of the sample that has more
// there.
func (p *panel) regions(b Ribbon, regions []Region) {
	for _, r := range regions {
		if part := b.inside(r.From, r.To); len(part.X) > 1 {
			p.band(part.X, part.Lower, part.Upper, alpha(hue(r.More), bandAlpha))
			p.curve(part.X, part.Mean, meanPen)
		}
	}
	for _, r := range regions {
		p.curve([]float64{r.From, r.To}, []float64{0, 0}, pen{color: hue(r.More), width: 3})
	}
}

// excluded returns the stretches of the band above zero and those below it, their ends
// interpolated to where the band's limit crosses zero.
func excluded(b Ribbon) (sides [2][]Ribbon) {
	for side, edge := range [2][]float64{b.Lower, b.Upper} {
		sign := float64(1 - 2*side)
		var part Ribbon
		for i := range b.X {
			in := sign*edge[i] > 0
			if i > 0 && in != (sign*edge[i-1] > 0) {
				t := edge[i-1] / (edge[i-1] - edge[i])
				part = part.add(b, i-1, t)
			}
			if in {
				part = part.add(b, i, 0)
			}
			if (!in || i == len(b.X)-1) && len(part.X) > 0 {
				if len(part.X) > 1 {
					sides[side] = append(sides[side], part)
				}
				part = Ribbon{}
			}
		}
	}
	return sides
}

// add appends what b is a part t of the way from its point i to the next.
func (r Ribbon) add(b Ribbon, i int, t float64) Ribbon {
	j := min(i+1, len(b.X)-1)
	mix := func(xs []float64) float64 { return xs[i] + t*(xs[j]-xs[i]) }
	r.X = append(r.X, mix(b.X))
	r.Mean = append(r.Mean, mix(b.Mean))
	r.Lower = append(r.Lower, mix(b.Lower))
	r.Upper = append(r.Upper, mix(b.Upper))
	return r
}
