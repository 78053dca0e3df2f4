package kerneltest

import (
	"maps"
	"math"
	"slices"

	"bayeskernel/internal/permute"

	"gonum.org/v1/gonum/mathext"
)

// viewed is a View with the members that look at it.
type viewed struct {
	view      View
	members   []int
	weight    float64 // of all views the sum is 1
	law       pearson // of the largest standardised statistic over permutations
	size      float64 // of its rounding
	strongest int     // the member with the largest statistic of the data
}

// views are those of a test.
type views []viewed

// newViews joins members that look at the same. Their prior weights are those of the map.
func newViews(of []View, weights map[View]float64) views {
	var out views
	sum := 0.0
	for _, view := range slices.Sorted(maps.Keys(weights)) {
		v := viewed{view: view, weight: weights[view]}
		for k, m := range of {
			if m == view {
				v.members = append(v.members, k)
			}
		}
		if v.members != nil {
			sum += v.weight
			out = append(out, v)
		}
	}
	for i := range out {
		out[i].weight /= sum
	}
	return out
}

// fit fits the laws of the views to the members' statistics of permutations that the test does not use.
func (vs views) fit(members *table) {
	for g := range vs {
		for _, k := range vs[g].members {
			if members.norm[k] > 0 {
				vs[g].size = max(vs[g].size, members.slack[k]/members.norm[k])
			}
		}
	}
	all := vs.seen(members, false)
	for g := range vs {
		vs[g].law = newPearson(all.values[g])
	}
}

// seen makes the statistics of the views from those of the members: the largest, each over its standard deviation.
// A member without variance counts as 0. Data reports that the first statistics are of the data.
func (vs views) seen(members *table, data bool) *table {
	out := newTable(len(vs))
	for g := range vs {
		v := &vs[g]
		list := make([]float64, len(members.values[0]))
		for b := range list {
			list[b] = math.Inf(-1)
		}
		for _, k := range v.members {
			for b, s := range members.values[k] {
				z := 0.0
				if members.norm[k] > 0 {
					z = s / members.norm[k]
				}
				if z > list[b] {
					if list[b] = z; b == 0 && data {
						v.strongest = k
					}
				}
			}
		}
		out.values[g], out.slack[g], out.norm[g] = list, v.size, 1
	}
	return out
}

// smallest is -log10 of the smallest p-value of the views, each over its weight. Those p-values are of laws fitted to
// other permutations, so that the test is exact. One view decides: of few columns, where views see different things.
func (vs views) smallest(all *table) ([]float64, float64) { return vs.join(all, math.Max) }

// together is -log10 of the weighted harmonic mean of those p-values, 1 over the sum of weight/p. Where one is far
// smaller than the others it decides as well; where several are small, as for a shift in many columns, they count
// together.
func (vs views) together(all *table) ([]float64, float64) {
	return vs.join(all, func(a, b float64) float64 {
		if a < b {
			a, b = b, a
		}
		return a + math.Log1p(math.Pow(10, b-a))/math.Ln10
	})
}

// join makes one statistic of -log10 of p-value over weight of the views, by a function that moves by no more than
// its arguments do.
func (vs views) join(all *table, with func(a, b float64) float64) ([]float64, float64) {
	out := make([]float64, len(all.values[0]))
	slack := 0.0
	for g, v := range vs {
		top := 0.0
		for b, s := range all.values[g] {
			e := (math.Log(v.weight) - v.law.logTail(s)) / math.Ln10
			if g > 0 {
				e = with(out[b], e)
			}
			out[b] = e
			top = max(top, math.Abs(s))
		}
		if v.law.sd > 0 {
			slack = max(slack, all.slack[g]/v.law.sd*(2+top/v.law.sd))
		}
	}
	return out, slack
}

// finish sets what is known of the views, and which saw most. The candidate of a member names its kernel.
func (vs views) finish(r *Result, all *table, candidate func(member int) Candidate) {
	r.Candidates, r.Combined, r.Best = make([]Candidate, len(vs)), Evidence, 0
	top := math.Inf(-1)
	for g, v := range vs {
		c := &r.Candidates[g]
		*c = candidate(v.strongest)
		c.View, c.Statistic, c.Weight = v.view, all.values[g][0], v.weight
		count := 0
		for _, s := range all.values[g] {
			if permute.AtLeast(s, c.Statistic, all.slack[g]) {
				count++
			}
		}
		c.P = float64(count) / float64(len(all.values[g]))
		if e := math.Log(v.weight) - v.law.logTail(c.Statistic); e > top {
			top, r.Best = e, g
		}
	}
}

// pearson is a gamma law of any mean, moved and scaled (Pearson's type III), or a normal one.
type pearson struct{ mean, sd, skew float64 }

// newPearson has the moments of the values.
func newPearson(values []float64) pearson {
	n := float64(len(values))
	p := pearson{mean: total(values) / n}
	third := 0.0
	for _, v := range values {
		d := v - p.mean
		p.sd += d * d / n
		third += d * d * d / n
	}
	p.sd = math.Sqrt(p.sd)
	if !(p.sd > negligible*math.Abs(p.mean)) {
		p.sd = 0
		return p
	}
	p.skew = third / (p.sd * p.sd * p.sd)
	return p
}

// logTail is the logarithm of the probability of a value of at least v; 0 for a law without variance.
func (p pearson) logTail(v float64) float64 {
	if !(p.sd > 0) {
		return 0
	}
	z := (v - p.mean) / p.sd
	const (
		normal = 0.05   // below this skewness
		tiny   = 1e-280 // below this the tail is its first term
	)
	if p.skew < normal {
		if q := math.Erfc(z/math.Sqrt2) / 2; q > tiny {
			return math.Log(q)
		}
		return -z*z/2 - math.Log(z*math.Sqrt(2*math.Pi))
	}
	shape := 4 / (p.skew * p.skew)
	x := shape + z*math.Sqrt(shape)
	if x <= 0 {
		return 0
	}
	if q := mathext.GammaIncRegComp(shape, x); q > tiny {
		return math.Log(q)
	}
	gamma, _ := math.Lgamma(shape)
	return (shape-1)*math.Log(x) - x - gamma - math.Log1p(-(shape-1)/x)
}
