package bags

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
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

// measure judges the predictions.
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
	s.error, s.without = stat.Mean(with, nil), stat.Mean(without, nil)
	s.share = 1 - s.error/s.without
	s.lower, s.upper = shareInterval(with, without)
	if r.data.Classes == nil {
		s.error, s.without = math.Sqrt(s.error), math.Sqrt(s.without)
	}
	return s
}

// shareInterval is the 90% interval of 1 less the ratio of two sums over bags: that of Student's t for the logarithm of the
// ratio, with the jackknife's standard error. Squared errors have such long tails that this error is worth half as many degrees
// of freedom as those of a mean: with 12 normal bags the interval then holds the ratio 90% of the time, otherwise 87%.
func shareInterval(with, without []float64) (lower, upper float64) {
	n := float64(len(with))
	a, b := floats.Sum(with), floats.Sum(without)
	if a == 0 {
		return 1, 1
	}
	left := make([]float64, len(with))
	for i := range left {
		left[i] = math.Log((a - with[i]) / (b - without[i]))
	}
	se := stat.StdDev(left, nil) * (n - 1) / math.Sqrt(n)
	half := distuv.StudentsT{Sigma: 1, Nu: (n - 1) / 2}.Quantile(0.95) * se
	if !(half < 50) {
		half = 50
	}
	return 1 - a/b*math.Exp(half), 1 - a/b*math.Exp(-half)
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
