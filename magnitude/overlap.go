package magnitude

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	cells      = 128
	overlaps   = 199 // replicates
	reach      = 4.0
	sameRows   = 6    // rows of a value, on average, from which values are compared by their shares
	mostValues = 20   // that are compared by their shares
	mostDrawn  = 1000 // rows that are drawn one by one
)

// scores are the normal scores of the ranks of both samples together; ties share the mean rank.
func scores(x, y []float64) (a, b []float64) {
	type row struct {
		v float64
		i int
	}
	all := make([]row, 0, len(x)+len(y))
	for i, v := range x {
		all = append(all, row{v, i})
	}
	for i, v := range y {
		all = append(all, row{v, len(x) + i})
	}
	slices.SortFunc(all, func(p, q row) int {
		switch {
		case p.v < q.v:
			return -1
		case p.v > q.v:
			return 1
		}
		return 0
	})
	out := make([]float64, len(all))
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		z := distuv.UnitNormal.Quantile((float64(i+j) / 2) / float64(len(all)))
		for ; i < j; i++ {
			out[all[i].i] = z
		}
	}
	return out[:len(x)], out[len(x):]
}

// histogram spreads points over two cells each.
func histogram(dst, z []float64) {
	clear(dst)
	w := 2 * reach / cells
	for _, v := range z {
		t := min(max((v+reach)/w-0.5, 0), cells-1.000001)
		k := int(t)
		dst[k] += 1 - (t - float64(k))
		dst[k+1] += t - float64(k)
	}
	for i := range dst {
		dst[i] /= float64(len(z))
	}
}

// window is a Gaussian of standard deviation h, in cells, from its middle.
func window(h float64) []float64 {
	h /= 2 * reach / cells
	k := min(int(math.Ceil(4*h)), cells)
	out := make([]float64, k+1)
	sum := 0.0
	for i := range out {
		out[i] = math.Exp(-float64(i*i) / (2 * h * h))
		sum += out[i]
		if i > 0 {
			sum += out[i]
		}
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func smooth(dst, src, w []float64) {
	clear(dst)
	for i, v := range src {
		if v == 0 {
			continue
		}
		for k := max(0, i-len(w)+1); k < min(cells, i+len(w)); k++ {
			d := k - i
			if d < 0 {
				d = -d
			}
			dst[k] += v * w[d]
		}
	}
}

const (
	// The windows of the estimate fall like n^(-1/3), which keeps the error at a jump, of the order of
	// the window, and that of noise together. The smooth ones are Silverman's.
	narrow, smoother = 1.2, 0.9
	little           = 0.05 // of its error, which a difference of densities is shrunk by
	alike            = 0.8  // of samples of equal laws that overlap less than others do
)

// windows are those of factor times the standard deviation times n^power, but of a cell at least.
func windows(factor, power float64, samples ...[]float64) (w [2][]float64) {
	for i, z := range samples {
		m := momentsOf(z)
		sd := math.Sqrt(m.m2 * m.n / (m.n - 1))
		w[i] = window(max(factor*sd*math.Pow(m.n, power), 2*reach/cells))
	}
	return w
}

// strengths are the multiples of the difference found at which data are simulated. Those beyond usual are
// where the others do not reach what was found: at the last no place is common.
var strengths = []float64{0, 0.4, 0.8, 1.2, 1.7, 2.4, 3.5, 6, 12, 1e9}

const usual = 7

// overlap estimates the area below both densities.
func overlap(x, y []float64, level float64, paired bool, draw *rand.Rand) Interval {
	switch {
	case len(x) <= enough && len(y) <= enough:
	case paired:
		at := drawnOf(len(x), enough, draw)
		x, y = picked(x, at), picked(y, at)
	default:
		x, y = picked(x, drawnOf(len(x), min(len(x), enough), draw)), picked(y, drawnOf(len(y), min(len(y), enough), draw))
	}
	a, b := scores(x, y)
	rough, even := windows(narrow, -1.0/3, a, b), windows(smoother, -0.2, a, b)
	fill, place := histogram, nearest
	if values := distinct(a, b); len(values) <= min(mostValues, (len(a)+len(b))/sameRows) {
		// Few values, each many times: their shares are compared as they are.
		rough = [2][]float64{{1}, {1}}
		even = rough
		fill = func(dst, z []float64) { tally(dst, z, values) }
		place = func(z []float64) []int { return among(z, values) }
	}
	rawX, rawY := make([]float64, cells), make([]float64, cells)
	fill(rawX, a)
	fill(rawY, b)
	f, g := make([]float64, cells), make([]float64, cells)
	smooth(f, rawX, rough[0])
	smooth(g, rawY, rough[1])
	theta := common(f, g)
	together := paired && len(a) <= mostDrawn
	tail := (1 - level) / 2
	var pairs []pair
	if together {
		pairs = drawPairs(overlaps*len(a), x, y, draw)
		tail = expanded(tail, len(a))
	}
	raw, raw2, f2, g2 := make([]float64, cells), make([]float64, cells), make([]float64, cells), make([]float64, cells)
	noise := make([]float64, cells)
	of := make([]float64, overlaps)
	// simulated finds the overlap at which the quantiles of what is estimated are at theta, of data from
	// the densities that windows w show.
	simulated := func(w [2][]float64, shrink float64) (estimate, lower, upper float64) {
		smooth(f, rawX, w[0])
		smooth(g, rawY, w[1])
		if together {
			noise = pairedNoise(place(a), place(b), w[0], w[1])
		} else {
			for i := range f {
				noise[i] = f[i]*power(w[0])/float64(len(a)) + g[i]*power(w[1])/float64(len(b))
			}
		}
		lows, middles, highs := make([]float64, len(strengths)), make([]float64, len(strengths)), make([]float64, len(strengths))
		truth := make([]float64, len(strengths))
		most := 0.0
		done := len(strengths)
		for k, s := range strengths {
			if k >= usual && theta >= highs[k-1] {
				done = k
				break
			}
			for i := range f {
				// Differences within their error are shrunk: where the densities are equal, noise is not a
				// part of the laws that data are simulated from.
				d := f[i] - g[i]
				if d != 0 {
					d = d * d * d / (d*d + shrink*noise[i])
				}
				m, half := (f[i]+g[i])/2, s*d/2
				half = min(max(half, -m), m) // their sum, the density of all rows, stays as it is
				f2[i], g2[i] = m+half, m-half
			}
			truth[k] = common(f2, g2)
			fc, gc := newTable(f2), newTable(g2)
			for r := range of {
				if together {
					fc.fill(gc, raw, raw2, pairs[r*len(a):(r+1)*len(a)])
				} else {
					fc.draw(raw, len(a), draw)
					gc.draw(raw2, len(b), draw)
				}
				smooth(f2, raw, rough[0])
				smooth(g2, raw2, rough[1])
				of[r] = common(f2, g2)
			}
			slices.Sort(of)
			middles[k] = of[len(of)/2]
			below := errorBelow((middles[0]-middles[k])/math.Sqrt(momentsOf(of).m2), tail)
			lows[k], highs[k] = order(of, below), order(of, 1-(2*tail-below))
			if k == 0 {
				most = order(of, alike)
			}
		}
		// The values that do not make what was found too small or too large. Samples that are more alike
		// than those of equal laws usually are say no more than these.
		truth, lows, middles, highs = truth[:done], lows[:done], middles[:done], highs[:done]
		return clip(invert(truth, middles, theta)), clip(invert(truth, highs, min(theta, most))),
			clip(invert(truth, lows, theta))
	}
	least, lower, upper := simulated(rough, little)
	largest, low, high := simulated(even, 1)
	upper = max(upper, high)
	if theta == 0 {
		// Nothing is common in the data: what both have may be so rare that the smaller sample has none of it.
		upper = max(upper, 1-math.Pow((1-level)/2, 1/float64(min(len(a), len(b)))))
	}
	return Interval{(least + largest) / 2, min(lower, low), upper}
}

// expanded is the tail that the quantiles of resamples of n rows need for that of Student's law, and for
// the variance of resamples, which is smaller by a factor of (n-1)/n (Hesterberg, 2015).
func expanded(tail float64, n int) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(tail)
	return distuv.UnitNormal.CDF(t * math.Sqrt(float64(n)/float64(n-1)))
}

// errorBelow is the part below of an error of twice tail, for a normal estimate whose mean is u standard
// errors below an edge of the truth: all of it at the edge, half far from it, and between them as the
// likelihood ratio orders the values (Feldman and Cousins, 1998).
func errorBelow(u, tail float64) float64 {
	switch {
	case !(u > 0):
		return 2 * tail
	case u >= -distuv.UnitNormal.Quantile(tail):
		return tail
	}
	// Values above u+v and those beyond the edge that are as unlikely, beside the best truth, are in
	// error. By their distances to u these are v and (u² + v²)/(2u).
	lo, hi := u, 10.0
	for range 50 {
		v := (lo + hi) / 2
		if distuv.UnitNormal.CDF(-v)+distuv.UnitNormal.CDF(-(u*u+v*v)/(2*u)) > 2*tail {
			lo = v
		} else {
			hi = v
		}
	}
	return distuv.UnitNormal.CDF(-lo)
}

// invert is the truth at which the quantiles of what is found are at theta.
func invert(truth, quantile []float64, theta float64) float64 {
	for k := 1; k < len(truth); k++ {
		quantile[k] = min(quantile[k], quantile[k-1]-1e-9)
	}
	if theta >= quantile[0] {
		return truth[0]
	}
	for k := 1; k < len(truth); k++ {
		if theta >= quantile[k] {
			w := (quantile[k-1] - theta) / (quantile[k-1] - quantile[k])
			return truth[k-1] + w*(truth[k]-truth[k-1])
		}
	}
	return truth[len(truth)-1] + min(theta-quantile[len(quantile)-1], 0)
}

// common is the area below both of two densities.
func common(p, q []float64) float64 {
	s, sp, sq := 0.0, 0.0, 0.0
	for i, v := range p {
		sp += v
		sq += q[i]
	}
	for i, v := range p {
		s += min(v/sp, q[i]/sq)
	}
	return s
}

// clip keeps to [0, 1]; 1 but for rounding is 1.
func clip(v float64) float64 {
	if v > 1-1e-12 {
		return 1
	}
	return max(v, 0)
}

// table draws cells with given probabilities.
type table struct {
	upto  []float64
	p     []float64
	guide [guides]int32 // the cell up to which the probability is k/guides: where the search begins
}

// guides is a power of two, so that k/guides is exact.
const guides = 1024

func newTable(p []float64) *table {
	t := &table{p: slices.Clone(p)}
	s := 0.0
	for _, v := range p {
		s += v
		t.upto = append(t.upto, s)
	}
	k := int32(0)
	for b := range t.guide {
		for at := float64(b) / guides * s; int(k) < len(p) && t.upto[k] < at; k++ {
		}
		t.guide[b] = k
	}
	return t
}

// distinct are the values that occur, sorted.
func distinct(a, b []float64) []float64 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// tally fills dst with the shares of the values.
func tally(dst, z, values []float64) {
	clear(dst)
	for _, k := range among(z, values) {
		dst[k] += 1 / float64(len(z))
	}
}

// among are the places of rows among the values.
func among(z, values []float64) []int {
	out := make([]int, len(z))
	for i, v := range z {
		out[i], _ = slices.BinarySearch(values, v)
	}
	return out
}

// nearest are the cells that rows lie in.
func nearest(z []float64) []int {
	out := make([]int, len(z))
	for i, v := range z {
		out[i] = min(max(int((v+reach)/(2*reach/cells)), 0), cells-1)
	}
	return out
}

// pairedNoise is the squared standard error of f - g in each cell, for pairs in cells a and b: that of
// the mean of what each pair adds to it. The two samples of pairs that depend on one another share
// much of their noise.
func pairedNoise(a, b []int, ha, hb []float64) []float64 {
	n := float64(len(a))
	sum, squares := make([]float64, cells), make([]float64, cells)
	for i := range a {
		for c := range sum {
			d := height(ha, c-a[i]) - height(hb, c-b[i])
			sum[c] += d
			squares[c] += d * d
		}
	}
	for c, s := range sum {
		squares[c] = max(squares[c]/n-s/n*s/n, 0) / n
	}
	return squares
}

// height is that of a window at a distance in cells.
func height(w []float64, d int) float64 {
	if d < 0 {
		d = -d
	}
	if d >= len(w) {
		return 0
	}
	return w[d]
}

// power is the sum of the squares of a window.
func power(w []float64) float64 {
	s := w[0] * w[0]
	for _, v := range w[1:] {
		s += 2 * v * v
	}
	return s
}

// pair are two uniform values that depend on one another.
type pair struct{ u, v float64 }

// drawPairs draws n of them, which depend on one another as the ranks of x and y do: a row at random,
// and for each of its ranks a value between that and the one before.
func drawPairs(n int, x, y []float64, r *rand.Rand) []pair {
	a, b := ranks(x, r), ranks(y, r)
	out := make([]pair, n)
	rows := float64(len(x))
	for i := range out {
		k := r.IntN(len(x))
		out[i] = pair{(a[k] + r.Float64()) / rows, (b[k] + r.Float64()) / rows}
	}
	return out
}

// ranks are those of rows, from 0; ties are broken at random.
func ranks(x []float64, r *rand.Rand) []float64 {
	order := r.Perm(len(x))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	out := make([]float64, len(x))
	for rank, i := range order {
		out[i] = float64(rank)
	}
	return out
}

// fill fills dst and other with the shares of pairs.
func (t *table) fill(o *table, dst, other []float64, pairs []pair) {
	clear(dst)
	clear(other)
	for _, p := range pairs {
		dst[t.cell(p.u)] += 1 / float64(len(pairs))
		other[o.cell(p.v)] += 1 / float64(len(pairs))
	}
}

// cell is the cell up to which the probability is u.
func (t *table) cell(u float64) int {
	k, at := int(t.guide[min(int(u*guides), guides-1)]), u*t.upto[len(t.upto)-1]
	for k < len(t.upto) && t.upto[k] < at {
		k++
	}
	return min(k, cells-1)
}

// count draws from the Poisson distribution: arrivals in unit time, or the normal approximation where
// there are many.
func count(mean float64, r *rand.Rand) float64 {
	const many = 50
	if mean > many {
		return max(math.Round(mean+math.Sqrt(mean)*r.NormFloat64()), 0)
	}
	k := 0.0
	for at := r.ExpFloat64(); at < mean; at += r.ExpFloat64() {
		k++
	}
	return k
}

// draw fills dst with the shares of n draws in each cell.
func (t *table) draw(dst []float64, n int, r *rand.Rand) {
	clear(dst)
	total := t.upto[len(t.upto)-1]
	if n <= mostDrawn {
		for range n {
			dst[t.cell(r.Float64())]++
		}
	} else {
		for i, p := range t.p {
			dst[i] = count(float64(n)*p/total, r)
		}
	}
	s := 0.0
	for _, v := range dst {
		s += v
	}
	for i := range dst {
		dst[i] /= s
	}
}
