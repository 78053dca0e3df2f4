package calibration

import (
	"fmt"
	"math"
	"slices"
)

// Envelope bounds the empirical distribution function of n values that should be uniform, at the
// points i/k, i = 1 … k. A uniform sample leaves it somewhere with probability at most Alpha.
//
// The number of values below i/k is binomial (n, i/k). The envelope keeps all counts with both
// binomial tail probabilities at least Gamma/2. One Gamma serves all points: the largest for which a
// uniform sample leaves the envelope with probability at most Alpha (Säilynoja, Bürkner and Vehtari
// 2022).
type Envelope struct {
	N, K    int
	Alpha   float64
	Gamma   float64 // pointwise level; a step function of Alpha, because counts are whole numbers
	Leaving float64 // the exact probability that a uniform sample leaves
	// Lower and Upper are the smallest and the largest count inside, at 1/k, 2/k, … 1.
	Lower, Upper []int
}

// NewEnvelope returns the envelope of n values at k points.
func NewEnvelope(n, k int, alpha float64) (*Envelope, error) {
	if n < 1 {
		return nil, fmt.Errorf("calibration: an envelope for %d values, want at least 1", n)
	}
	if k < 2 {
		return nil, fmt.Errorf("calibration: an envelope at %d points, want at least 2", k)
	}
	if !(alpha > 0 && alpha < 1) {
		return nil, fmt.Errorf("calibration: alpha is %v, want it between 0 and 1", alpha)
	}
	return newGrid(n, k).envelope(alpha), nil
}

// grid holds what the envelopes of all levels share.
type grid struct {
	n, k  int
	level [][]float64 // level[i][c] is twice the smaller tail probability of count c at (i+1)/k
	// The chance of d values in m of the k bins when their numbers are independent and Poisson with
	// mean n/k: poisson(m, d) is rate[m]^d e^-rate[m] / d!.
	logFactorial []float64
	one          []float64 // poisson(1, d) up to the last d at which it is not zero
}

// tie is the relative difference up to which two levels count as equal but for rounding: a count at
// i/k and its mirror image at 1-i/k have one level.
const tie = 1e-9

func newGrid(n, k int) *grid {
	g := &grid{n: n, k: k, logFactorial: make([]float64, n+1)}
	for d := 2; d <= n; d++ {
		g.logFactorial[d], _ = math.Lgamma(float64(d) + 1)
	}
	for i := 1; i < k; i++ {
		g.level = append(g.level, g.levels(float64(i)/float64(k)))
	}
	for d := 0; d <= n; d++ {
		g.one = append(g.one, g.poisson(1, d))
	}
	for g.one[len(g.one)-1] == 0 {
		g.one = g.one[:len(g.one)-1]
	}
	return g
}

// levels returns twice the smaller tail probability of each count at z. Each tail is summed from
// its far end, so that the smallest keep their digits.
func (g *grid) levels(z float64) []float64 {
	lf, n := g.logFactorial, g.n
	lz, lq := math.Log(z), math.Log1p(-z)
	p := make([]float64, n+1)
	for c := range p {
		p[c] = math.Exp(lf[n] - lf[c] - lf[n-c] + float64(c)*lz + float64(n-c)*lq)
	}
	level := make([]float64, n+1)
	sum := 0.0
	for c := 0; c <= n; c++ {
		sum += p[c]
		level[c] = 2 * sum
	}
	sum = 0
	for c := n; c >= 0; c-- {
		sum += p[c]
		level[c] = min(level[c], 2*sum)
	}
	return level
}

func (g *grid) poisson(bins, d int) float64 {
	mean := float64(bins) * float64(g.n) / float64(g.k)
	return math.Exp(float64(d)*math.Log(mean) - mean - g.logFactorial[d])
}

// inside returns the smallest and the largest count at each point but the last whose level is above
// gamma; lo > hi where there is none. Levels rise and then fall with the count, so these are all.
func (g *grid) inside(gamma float64) (lo, hi []int) {
	lo, hi = make([]int, g.k-1), make([]int, g.k-1)
	for i, level := range g.level {
		above := func(l float64) bool { return l > gamma }
		lo[i] = slices.IndexFunc(level, above)
		if lo[i] < 0 {
			lo[i], hi[i] = 1, 0
			continue
		}
		hi[i] = g.n
		for !above(level[hi[i]]) {
			hi[i]--
		}
	}
	return lo, hi
}

// leaving returns the probability that the counts of a uniform sample are not all in [lo, hi].
//
// The counts are a Markov chain: given c at i/k, the next is c + Bin(n-c, 1/(k-i)). The same chain
// arises when the numbers in the bins are independent Poisson and their sum turns out to be n, and
// in this form a step is a convolution with one fixed sequence. The probabilities of leaving first
// at each point are summed: all terms are positive, so that even 1e-40 keeps its digits, which one
// minus the probability of staying would not.
func (g *grid) leaving(lo, hi []int) float64 {
	f, from := []float64{1}, 0 // f[j]: the path stayed inside and has come to count from+j
	out := 0.0
	for i := range lo {
		next := make([]float64, max(0, hi[i]-lo[i]+1))
		outside := make([]float64, g.n+1)
		for j, p := range f {
			c := from + j
			for d, q := range g.one[:min(len(g.one), g.n-c+1)] {
				if t := c + d; t < lo[i] || t > hi[i] {
					outside[t] += p * q
				} else {
					next[t-lo[i]] += p * q
				}
			}
		}
		for c, p := range outside {
			if p > 0 {
				out += p * g.poisson(g.k-1-i, g.n-c)
			}
		}
		f, from = next, lo[i]
	}
	return min(1, out/g.poisson(g.k, g.n))
}

// leavingAt returns the probability that somewhere the level of a uniform sample is gamma or less.
func (g *grid) leavingAt(gamma float64) float64 {
	return g.leaving(g.inside(gamma * (1 + tie)))
}

// pValue is the graphical p-value of the cumulative counts of a sample: the probability that a
// uniform sample comes as far out as this one. It is the smallest alpha at which the sample leaves
// the envelope. at is the point, from 1 to k-1, where it is furthest out.
func (g *grid) pValue(counts []int) (p float64, at int) {
	gamma := math.Inf(1)
	for i, level := range g.level {
		if l := level[counts[i]]; l < gamma {
			gamma, at = l, i+1
		}
	}
	return g.leavingAt(gamma), at
}

// envelope finds gamma by bisection over the levels that occur, the only places where the
// probability of leaving changes.
func (g *grid) envelope(alpha float64) *Envelope {
	all := slices.Concat(g.level...)
	slices.Sort(all)
	// The first level that may not be given up.
	first, end := 0, len(all)-1
	for first < end {
		mid := (first + end) / 2
		if g.leavingAt(all[mid]) > alpha {
			end = mid
		} else {
			first = mid + 1
		}
	}
	gamma := all[first]
	e := &Envelope{N: g.n, K: g.k, Alpha: alpha, Gamma: gamma}
	e.Lower, e.Upper = g.inside(gamma * (1 - tie))
	e.Leaving = g.leaving(e.Lower, e.Upper)
	e.Lower, e.Upper = append(e.Lower, g.n), append(e.Upper, g.n)
	return e
}
