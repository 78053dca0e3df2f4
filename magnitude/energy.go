package magnitude

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// OverallRows is the number of rows of a sample that Result.Overall looks at: n, or 1000 drawn at random.
func OverallRows(n int) int { return min(n, farthest) }

// farthest is the number of rows of a sample that are compared row by row; of more, so many are
// drawn.
const farthest = 1000

// overall is the energy coefficient of inhomogeneity.
func overall(x, y mat.Matrix, level float64, paired bool, draw *rand.Rand) Interval {
	m, _ := x.Dims()
	n, _ := y.Dims()
	var one, two []int // all rows
	switch {
	case m <= farthest && n <= farthest:
	case paired:
		one = drawnOf(m, farthest, draw)
		two = one
	default:
		one, two = drawnOf(m, min(m, farthest), draw), drawnOf(n, min(n, farthest), draw)
	}
	a, b := dense(x, one), dense(y, two)
	scale([]mat.Matrix{x, y}, a, b)
	m, n = len(a), len(b)
	// Sums of distances of each row: within its sample, and to the other.
	wa, wb, ca, cb := make([]float64, m), make([]float64, n), make([]float64, m), make([]float64, n)
	own := make([]float64, m) // of pairs, the distance of the two rows
	var sa, sb, sc, diag float64
	for i := range a {
		for j := range i {
			d := distance(a[i], a[j])
			wa[i] += d
			wa[j] += d
			sa += 2 * d
		}
		for j := range b {
			d := distance(a[i], b[j])
			ca[i] += d
			cb[j] += d
			sc += d
			if paired && i == j {
				own[i] = d
				diag += d
			}
		}
	}
	for i := range b {
		for j := range i {
			d := distance(b[i], b[j])
			wb[i] += d
			wb[j] += d
			sb += 2 * d
		}
	}
	coefficient := func(sa, sb, sc, m, n float64) float64 {
		cross := sc / (m * n)
		if paired {
			cross = sc / (m * (m - 1))
		}
		if cross == 0 {
			return 0
		}
		return 1 - (sa/(m*(m-1))+sb/(n*(n-1)))/(2*cross)
	}
	fm, fn := float64(m), float64(n)
	if m < 4 || n < 4 || sc == 0 {
		return unknown(math.NaN())
	}
	if paired {
		sc -= diag
	}
	h := coefficient(sa, sb, sc, fm, fn)
	var variance, df, null, curve float64
	if paired {
		out := make([]float64, m)
		for i := range a {
			out[i] = coefficient(sa-2*wa[i], sb-2*wb[i], sc-ca[i]-cb[i]+2*own[i], fm-1, fn-1)
		}
		g := func(i, j int) float64 {
			return distance(a[i], a[j]) + distance(b[i], b[j]) - distance(a[i], b[j]) - distance(b[i], a[j])
		}
		curve = second(h, out, func(i, j int) float64 {
			return coefficient(sa-2*(wa[i]+wa[j]-distance(a[i], a[j])), sb-2*(wb[i]+wb[j]-distance(b[i], b[j])),
				sc-ca[i]-ca[j]-cb[i]-cb[j]+2*(own[i]+own[j])+distance(a[i], b[j])+distance(a[j], b[i]), fm-2, fn-2)
		})
		variance, df, null = spread(out), freedomOf(out), newProduct(m, g, g).value()/(fm*fm)
		null /= square(2 * sc / (fm * (fm - 1)))
	} else {
		one, two := make([]float64, m), make([]float64, n)
		for i := range a {
			one[i] = coefficient(sa-2*wa[i], sb, sc-ca[i], fm-1, fn)
		}
		for j := range b {
			two[j] = coefficient(sa, sb-2*wb[j], sc-cb[j], fm, fn-1)
		}
		curve = second(h, one, func(i, j int) float64 {
			return coefficient(sa-2*(wa[i]+wa[j]-distance(a[i], a[j])), sb, sc-ca[i]-ca[j], fm-2, fn)
		}) + second(h, two, func(i, j int) float64 {
			return coefficient(sa, sb-2*(wb[i]+wb[j]-distance(b[i], b[j])), sc-cb[i]-cb[j], fm, fn-2)
		}) + across(h, one, two, func(i, j int) float64 {
			return coefficient(sa-2*wa[i], sb-2*wb[j], sc-ca[i]-cb[j]+distance(a[i], b[j]), fm-1, fn-1)
		})
		u, v := spread(one), spread(two)
		variance, df = u+v, (u+v)*(u+v)/(u*u/freedomOf(one)+v*v/freedomOf(two))
		all := between2(a, b)
		null = newProduct(m+n, all, all).value() * square(1/fm+1/fn) / square(2*sc/(fm*fn))
		// The distances of all rows hold the difference too: this share of their mean is within the samples.
		null *= square((1 - clip(h)) / (1 - clip(h)/2))
	}
	return rooted(h, variance, max(null, 0), max(curve, 0), df, level)
}

func square(v float64) float64 { return v * v }

// between2 are the distances of the rows of both samples.
func between2(samples ...[][]float64) func(i, j int) float64 {
	var all [][]float64
	for _, s := range samples {
		all = append(all, s...)
	}
	return func(i, j int) float64 { return distance(all[i], all[j]) }
}

// along is the variance in the direction of a difference of which nothing is known, in units of the root
// of the sum of the squares of the weights: 1 if one weight dominates, and less if there are others.
const along = 0.75

// rooted is the interval for a squared distance h, estimated by a U-statistic that is degenerate
// where h is 0. Its root is found with nearly the same error everywhere. Variance is the jackknife's.
// Null and curve are half the variance of the part of h that is quadratic in the rows: where h is 0, and
// in the law of the data.
func rooted(h, variance, null, curve, df, level float64) Interval {
	if !(variance > 0) {
		return unknown(clip(h))
	}
	student := distuv.StudentsT{Sigma: 1, Nu: df}
	t := student.Quantile(0.5 + level/2)
	bias := math.Sqrt(null)
	root := math.Sqrt(max(h+bias, 0))
	prior := 1 / (1 + max(h, 0)/(distant*bias))
	part := (1-prior)*2*curve + prior*8*along*null
	se := math.Sqrt((max(variance-4*curve, -part/2) + part) / (4*max(h, -bias) + (2+6*prior)*bias))
	// Roots near 1 have less error: on the scale of atanh, that of correlations, it is the same again.
	inside := min(root, 1-1e-9)
	scaled, half := math.Atanh(inside), t*se/(1-inside*inside)
	// No upper limit is below half, so there more of the error is left to the lower one.
	below := min(half, max(student.Quantile(1-above*(1-level)/2)*half/t, scaled-blind*half))
	lo, hi := math.Tanh(max(scaled-below, 0)), math.Tanh(scaled+half)
	if h <= (t*t-1)*bias {
		lo = 0 // as far as the law of the estimate at 0 reaches
	}
	return Interval{clip(h), min(clip(lo*lo), clip(h)), max(clip(hi*hi), clip(h))}
}

// The constants of rooted. Distant is the h, in units of its standard deviation where it is 0, that counts
// as much as what is known before. Blind is the root, in units of half an interval, to which upper limits
// hardly miss, and above the share of the error on one side that lower limits have there.
const (
	distant = 3
	blind   = 1.15
	above   = 1.5
)

// second is half the variance of the quadratic part of a statistic h of the rows of one sample, from
// its values without one row and without two.
func second(h float64, one []float64, without func(i, j int) float64) float64 {
	n := float64(len(one))
	rows, squares := make([]float64, len(one)), 0.0
	for i, u := range one {
		for j, v := range one[:i] {
			k := (n*(n-1)*h - (n-1)*(n-2)*(u+v) + (n-2)*(n-3)*without(i, j)) / 2 // of a U-statistic its kernel
			rows[i] += k
			rows[j] += k
			squares += 2 * k * k
		}
	}
	total, ofRows := 0.0, 0.0
	for _, r := range rows {
		total += r
		ofRows += r * r
	}
	return centred(squares, ofRows, total*total, n) / (n * n)
}

// across is the same for the part of a row of each of two samples.
func across(h float64, one, two []float64, without func(i, j int) float64) float64 {
	m, n := float64(len(one)), float64(len(two))
	rows, columns := make([]float64, len(one)), make([]float64, len(two))
	total, squares := 0.0, 0.0
	for i, u := range one {
		for j, v := range two {
			k := m*n*h - (m-1)*n*u - m*(n-1)*v + (m-1)*(n-1)*without(i, j)
			rows[i] += k
			columns[j] += k
			total += k
			squares += k * k
		}
	}
	for _, r := range rows {
		squares -= r * r / n
	}
	for _, c := range columns {
		squares -= c * c / m
	}
	squares += total * total / (m * n)
	return squares / ((m - 1) * (n - 1)) / (2 * m * n)
}

// spread is the jackknife's variance from the values without each row.
func spread(v []float64) float64 {
	n, mean, sum := float64(len(v)), 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	return sum * (n - 1) / n
}

// freedomOf is the number of degrees of freedom of spread: twice its squared mean over its variance. Of a normal law
// of the values it is about their number, and less where their tails are long.
func freedomOf(v []float64) float64 {
	m := momentsOf(v)
	if !(m.m2 > 0) {
		return m.n - 1
	}
	return 2 * m.n / max(m.m4/square(m.m2)-1, 2/m.n)
}

func some(x [][]float64, keep []int) [][]float64 {
	out := make([][]float64, len(keep))
	for i, k := range keep {
		out[i] = x[k]
	}
	return out
}

func distance(a, b []float64) float64 {
	if len(a) == 1 {
		return math.Abs(a[0] - b[0])
	}
	s := 0.0
	for k, v := range a {
		d := v - b[k]
		s += d * d
	}
	return math.Sqrt(s)
}
