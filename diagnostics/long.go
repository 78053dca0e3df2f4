package diagnostics

import (
	"math"
	"slices"
)

// Estimates of long chains are made in two passes over draws that need not fit into memory.
const (
	longSample  = 4096 // draws of a chain, evenly spaced, that stand for its distribution
	longBatches = 1024 // batches of each half of a chain
)

// Long holds estimates for chains that are too long to sort.
type Long struct {
	RHat, ESSBulk, ESSTail, ESSMean float64
	Constant                        bool // all draws are the same finite number; the estimates are NaN
}

// Streamed estimates R-hat and effective sample sizes of chains of one parameter in memory that does not
// grow with them. each calls f with the draws of a chain, in order, in blocks of any size. Ranks and
// quantiles are those among 4096 draws of each chain, evenly spaced, and autocorrelations those of means
// of batches, 1024 in each half of a chain. Chains of at most 4096 draws are better served by RHat and
// ESSBulk, to which the estimates come close where chains agree. Where they do not, effective sample
// sizes may come out smaller.
func Streamed(chains, draws int, each func(chain int, f func(block []float64)) error) (Long, error) {
	nan := math.NaN()
	out := Long{RHat: nan, ESSBulk: nan, ESSTail: nan, ESSMean: nan}
	if chains < 1 || draws < minESS {
		return out, nil
	}
	var sample []float64
	step := (draws + longSample - 1) / longSample
	lo, hi, wrong := math.Inf(1), math.Inf(-1), false
	for c := range chains {
		i := 0
		if err := each(c, func(block []float64) {
			for _, v := range block {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					wrong = true
				}
				lo, hi = min(lo, v), max(hi, v)
				if i%step == 0 {
					sample = append(sample, v)
				}
				i++
			}
		}); err != nil {
			return out, err
		}
	}
	if out.Constant = !wrong && lo == hi; wrong || lo == hi {
		return out, nil
	}
	slices.Sort(sample)
	size := len(sample)
	middle := (sample[(size-1)/2] + sample[size/2]) / 2
	low, high := sample[(size-1)*5/100], sample[(size-1)*95/100]
	folded := make([]float64, size)
	for i, v := range sample {
		folded[i] = math.Abs(v - middle)
	}
	slices.Sort(folded)
	scores := make([]float64, 2*size+1) // by twice the rank
	for i := range scores {
		scores[i] = blom(max(0.5, min(float64(size)+0.5, float64(i)/2)), size)
	}
	rank := func(sorted []float64, v float64) float64 {
		below, found := slices.BinarySearch(sorted, v)
		to := below
		if found {
			for to < len(sorted) && sorted[to] == v {
				to++
			}
		}
		return scores[below+to+min(1, to-below)]
	}

	var bulk, fold, under, over, plain series
	for _, s := range []*series{&bulk, &fold, &under, &over, &plain} {
		s.half = draws / 2
		s.batch = max(1, s.half/longBatches)
	}
	spread := hi - lo
	for c := range chains {
		i := 0
		if err := each(c, func(block []float64) {
			for _, v := range block {
				at := i
				i++
				if draws%2 == 1 && at == draws/2 {
					continue // splitting leaves it out
				}
				bulk.add(rank(sample, v))
				fold.add(rank(folded, math.Abs(v-middle)))
				under.add(indicator(v <= low))
				over.add(indicator(v <= high))
				plain.add((v - middle) / spread)
			}
		}); err != nil {
			return out, err
		}
	}
	out.RHat = bulk.rhat()
	if folded[0] != folded[size-1] {
		out.RHat = max(out.RHat, fold.rhat())
	}
	limit := ESSCap(chains, draws)
	out.ESSBulk = min(limit, bulk.ess())
	out.ESSTail = min(limit, under.ess(), over.ess())
	out.ESSMean = min(limit, plain.ess())
	return out, nil
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// series takes the halves of chains one after the other, and keeps their means, their variances and
// the means of their batches.
type series struct {
	half, batch    int
	n              int // values of this half
	sum, squares   float64
	part           float64 // sum of this batch
	means, vars    []float64
	batches        []float64
	batchesOfAHalf int
}

func (s *series) add(v float64) {
	s.n++
	s.sum += v
	s.squares += v * v
	if s.part += v; s.n%s.batch == 0 {
		s.batches = append(s.batches, s.part/float64(s.batch))
		s.part = 0
	}
	if s.n == s.half {
		n := float64(s.half)
		m := s.sum / n
		s.means = append(s.means, m)
		s.vars = append(s.vars, max(0, s.squares-n*m*m)/(n-1))
		s.n, s.sum, s.squares, s.part = 0, 0, 0, 0
		s.batchesOfAHalf = s.half / s.batch
	}
}

// rhat is rhat of the halves.
func (s *series) rhat() float64 {
	n := float64(s.half)
	return math.Sqrt((n*variance(s.means)/mean(s.vars) + n - 1) / n)
}

// ess is the variance of all values divided by that of their mean, which is the variance of a mean of a
// batch divided by the effective number of batches.
func (s *series) ess() float64 {
	if constant(s.batches, 0) {
		return math.NaN()
	}
	n, k := float64(s.half), s.batchesOfAHalf
	total := (n-1)/n*mean(s.vars) + variance(s.means)
	within := 0.0
	var means []float64
	for c := range slices.Chunk(s.batches, k) {
		m, v := meanVar(c)
		means = append(means, m)
		within += v * float64(k-1) / float64(k)
	}
	ofBatch := within/float64(len(means)) + variance(means)
	return total / ofBatch * ess(s.batches, k)
}
