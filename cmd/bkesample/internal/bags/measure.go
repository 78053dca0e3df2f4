package bags

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// skill compares the errors of predictions with those of the mean, or the share, of the other bags.
type skill struct {
	error, without float64 // root mean square of numbers, mean log loss of classes
	share          float64 // 1 - the ratio of squared errors, or of log losses
	lower, upper   float64 // its 90% interval
	right          float64 // the share of bags in their interval, or of classes that are right
}

// uncertain reports whether the rows may say nothing.
func (s skill) uncertain() bool { return percent(s.lower) == "0%" || s.lower <= 0 }

const resamples = 2000

// measure judges the predictions. The interval is of bags resampled, its ends the 5% and 95% quantiles.
func (r *result) measure() skill {
	n := len(r.bags)
	with, without := make([]float64, n), make([]float64, n)
	sum := 0.0
	for _, b := range r.bags {
		sum += b.truth
	}
	var s skill
	for i, b := range r.bags {
		rest := (sum - b.truth) / float64(n-1)
		if r.data.Classes != nil {
			with[i], without[i] = logLoss(b.truth, b.mean), logLoss(b.truth, rest)
			if (b.mean > 0.5) == (b.truth == 1) {
				s.right += 1 / float64(n)
			}
			continue
		}
		with[i], without[i] = (b.truth-b.mean)*(b.truth-b.mean), (b.truth-rest)*(b.truth-rest)
		if b.lower <= b.truth && b.truth <= b.upper {
			s.right += 1 / float64(n)
		}
	}
	mean := func(x []float64) float64 {
		t := 0.0
		for _, v := range x {
			t += v
		}
		return t / float64(len(x))
	}
	s.error, s.without = mean(with), mean(without)
	s.share = 1 - s.error/s.without
	random := rand.New(rand.NewPCG(r.flags.seed, 0x62616773))
	shares := make([]float64, resamples)
	for k := range shares {
		a, b := 0.0, 0.0
		for range n {
			i := random.IntN(n)
			a, b = a+with[i], b+without[i]
		}
		shares[k] = 1 - a/b
	}
	slices.Sort(shares)
	s.lower, s.upper = shares[resamples/20], shares[resamples-1-resamples/20]
	if r.data.Classes == nil {
		s.error, s.without = math.Sqrt(s.error), math.Sqrt(s.without)
	}
	return s
}

// logLoss is that of the probability p of 1; a probability is at least a millionth here.
func logLoss(truth, p float64) float64 {
	if truth == 0 {
		p = 1 - p
	}
	return -math.Log(max(p, 1e-6))
}

// size is a group of bags with similar numbers of rows.
type size struct {
	from, to, bags      int
	error, width, right float64
}

// sizes cuts the bags into at most four groups by their number of rows.
func (r *result) sizes() (out []size) {
	order := slices.Clone(r.bags)
	slices.SortStableFunc(order, func(a, b prediction) int { return cmp.Compare(a.rows, b.rows) })
	for from := 0; from < len(order); {
		to := min(len(order), from+(len(order)+3)/4)
		for to < len(order) && order[to].rows == order[to-1].rows {
			to++
		}
		s := size{from: order[from].rows, to: order[to-1].rows, bags: to - from}
		for _, b := range order[from:to] {
			k := float64(s.bags)
			s.width += (b.upper - b.lower) / k
			if r.data.Classes != nil {
				s.error += logLoss(b.truth, b.mean) / k
				if (b.mean > 0.5) == (b.truth == 1) {
					s.right += 1 / k
				}
				continue
			}
			s.error += (b.truth - b.mean) * (b.truth - b.mean) / k
			if b.lower <= b.truth && b.truth <= b.upper {
				s.right += 1 / k
			}
		}
		if r.data.Classes == nil {
			s.error = math.Sqrt(s.error)
		}
		out = append(out, s)
		from = to
	}
	return out
}
