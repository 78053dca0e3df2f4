package embedding

import "math"

// Certainty returns the largest level at which Band excludes zero somewhere. It is the share of the
// draws that stay closer to the mean, over all the points and in units of SD, than the mean gets
// away from zero. If P = Q and the noise is CLT, it is roughly uniform between 0 and 1, and so 1
// less it can be read like a p-value; a permutation test gives an exact one.
func (f *Functions) Certainty() float64 {
	furthest := 0.0
	for j, m := range f.Mean {
		if f.SD[j] > 0 {
			furthest = max(furthest, math.Abs(m)/f.SD[j])
		}
	}
	inside := 0
	largest := f.largest(nil)
	for _, v := range largest {
		if v < furthest {
			inside++
		}
	}
	return float64(inside) / float64(len(largest))
}

// largest returns, for each draw, the largest |f-Mean|/SD over some points, or over all for nil.
func (f *Functions) largest(over []bool) []float64 {
	count, _ := f.Values.Dims()
	out := make([]float64, count)
	for i := range out {
		for j, v := range f.Values.RawRowView(i) {
			if over != nil && !over[j] {
				continue
			}
			if d := math.Abs(v - f.Mean[j]); d > 0 {
				out[i] = max(out[i], d/f.SD[j])
			}
		}
	}
	return out
}
