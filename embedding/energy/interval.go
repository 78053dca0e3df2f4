package energy

import "math"

// interval inverts two tests, of level tail each: it returns the smallest and the largest distance that
// the estimate u of its square is compatible with. If the distance is d, u spreads about d² like
// 2 (d/h) linear + quadratic; h is the distance of the empirical embeddings, and the resamples of
// quadratic have mean 0. Work has room for one number for each resample.
func interval(u, h, tail float64, linear, quadratic, work []float64) (lower, upper float64) {
	excess := func(d, p, u float64) float64 {
		s := 0.0
		if h > 0 {
			s = 2 * d / h
		}
		for t, v := range quadratic {
			work[t] = v + s*linear[t]
		}
		return d*d + quantile(work, p) - u
	}
	root := func(p, u float64) float64 {
		lo, hi := 0.0, math.Sqrt(max(u, 0))+h
		small := 1e-8 * hi
		for i := 0; excess(hi, p, u) < 0 && i < 60; i++ {
			lo, hi = hi, 2*hi
		}
		for range 30 {
			if mid := lo + (hi-lo)/2; excess(mid, p, u) < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		if hi < small {
			return 0
		}
		return lo + (hi-lo)/2
	}
	if excess(0, 1-tail, u) < 0 {
		lower = root(1-tail, u)
	}
	// A negative estimate is as good as 0: the interval is never empty.
	return lower, root(tail, max(u, 0))
}

// quantile returns a quantile of v, whose order it changes.
func quantile(v []float64, p float64) float64 {
	at := p * float64(len(v)-1)
	i := min(int(at), len(v)-2)
	low := smallest(v, i)
	next := math.Inf(1) // smallest leaves the larger ones behind it
	for _, x := range v[i+1:] {
		next = min(next, x)
	}
	return low + (at-float64(i))*(next-low)
}

// smallest puts the element of rank k, from 0, at its place, with no larger one before it and no smaller
// one behind it, and returns it.
func smallest(v []float64, k int) float64 {
	lo, hi := 0, len(v)-1
	for lo < hi {
		pivot := v[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	return v[k]
}
