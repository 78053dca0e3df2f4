package rows

// Axis spreads count points over the range of sorted values, but not far into tails that hold less
// than a hundredth of them.
func Axis(values []float64, count int) []float64 {
	n := len(values)
	lo, hi := values[0], values[n-1]
	a, b := values[n/100], values[n-1-n/100]
	lo, hi = max(lo, a-0.75*(b-a)), min(hi, b+0.75*(b-a))
	if !(lo < hi) {
		lo, hi = values[0], values[n-1]
	}
	out := make([]float64, count)
	for i := range out {
		t := float64(i) / float64(count-1)
		out[i] = (1-t)*lo + t*hi
	}
	return out
}
