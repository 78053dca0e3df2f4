package chains

import (
	"cmp"
	"math"
	"slices"

	"bayeskernel/draws"
	"bayeskernel/internal/figure"
)

// divergences shows the pair of parameters in which divergent transitions stand most apart from other draws.
func (t Told) divergences() (figure.Scatter, bool) {
	f := figure.Scatter{Title: "Where trajectories diverged", Over: true}
	var bad, good []place
	for c, chain := range t.divergent() {
		for i, divergent := range chain {
			if divergent {
				bad = append(bad, place{c, i})
			} else {
				good = append(good, place{c, i})
			}
		}
	}
	if len(bad) == 0 || len(good) == 0 {
		return f, false
	}
	x, y, ok := t.apart(thinned(bad), thinned(good))
	if !ok {
		return f, false
	}
	var points [2][][2]float64
	for k, column := range []int{x, y} {
		values, label := t.Run.Column(column), name(t.Summary.Parameters[column])
		shown := func(v float64) float64 { return v }
		if wide(values) {
			shown, label = math.Log, "log "+label
		}
		if k == 0 {
			f.XLabel = label
		} else {
			f.YLabel = label
		}
		for group, places := range [][]place{good, bad} {
			if k == 0 {
				points[group] = make([][2]float64, len(places))
			}
			for i, p := range places {
				points[group][i][k] = shown(values[p.chain][p.draw])
			}
		}
	}
	f.Samples = []figure.Cloud{{Name: "draws", Points: points[0]}, {Name: "divergent", Points: points[1]}}
	return f, true
}

// divergent reports of each draw of each chain whether its trajectory diverged. Of a file that cannot be read it has
// none: the summary has failed then.
func (t Told) divergent() [][]bool {
	out := make([][]bool, len(t.Run.Chains))
	for c := range t.Run.Chains {
		_ = t.Run.Chains[c].EachStat(func(_ int, s draws.Stat) { out[c] = append(out[c], s.Divergent) })
	}
	return out
}

// place is that of a draw.
type place struct{ chain, draw int }

// thinned are at most a thousand of the places, evenly spread.
func thinned(all []place) []place {
	const most = 1000
	if len(all) <= most {
		return all
	}
	out := make([]place, most)
	for i := range out {
		out[i] = all[i*len(all)/most]
	}
	return out
}

// wide reports whether a parameter is positive and varies so much that its logarithm shows more.
func wide(values [][]float64) bool {
	lo, hi := math.Inf(1), 0.0
	for _, c := range values {
		for _, v := range c {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo > 0 && hi > 30*lo
}

// scores are what one parameter's draws are as normal scores among those that did not diverge, and how far
// those that did stand apart.
type scores struct {
	column    int
	bad, good []float64
	apart     float64
}

// single is how many parameters, those that stand apart most by themselves, are looked at in pairs.
const single = 40

// apart finds the pair, the more telling parameter second. For each pair the normal scores of draws that did not
// diverge have about a normal distribution, that of those that did is another, and what counts is the divergence
// of the latter from the former: it sees another mean, another spread and another correlation.
func (t Told) apart(bad, good []place) (x, y int, ok bool) {
	var all []scores
	for k, p := range t.Summary.Parameters {
		if t.Asked > 0 && k >= t.Asked {
			break
		}
		if p.SD > 0 && p.ESSBulk == p.ESSBulk {
			s := scores{column: k}
			values := t.Run.Column(k)
			for _, at := range bad {
				s.bad = append(s.bad, values[at.chain][at.draw])
			}
			for _, at := range good {
				s.good = append(s.good, values[at.chain][at.draw])
			}
			normalScores(s.bad, s.good)
			s.apart = relative([][]float64{s.bad}, [][]float64{s.good})
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b scores) int { return cmp.Compare(b.apart, a.apart) })
	all = all[:min(single, len(all))]
	best := math.Inf(-1)
	for i, a := range all {
		for _, b := range all[:i] {
			if d := relative([][]float64{a.bad, b.bad}, [][]float64{a.good, b.good}); d > best {
				best, x, y, ok = d, a.column, b.column, true
			}
		}
	}
	return x, y, ok
}

// normalScores replaces values by the normal quantiles of their ranks among the good ones.
func normalScores(bad, good []float64) {
	sorted := slices.Clone(good)
	slices.Sort(sorted)
	n := float64(len(sorted))
	for _, values := range [][]float64{bad, good} {
		for i, v := range values {
			from, _ := slices.BinarySearch(sorted, v)
			to := from
			for to < len(sorted) && sorted[to] == v {
				to++
			}
			p := (float64(from+to)/2 + 0.5) / (n + 1)
			values[i] = math.Sqrt2 * math.Erfinv(2*p-1)
		}
	}
}

// relative is the divergence of the normal distribution of the bad points from that of the good ones, in one
// or two dimensions; -Inf where the good ones lie on a line, which shows no more than one parameter does.
func relative(bad, good [][]float64) float64 {
	d := len(bad)
	mean, cov := moments(bad)
	at, all := moments(good)
	n := float64(len(bad[0]))
	for i := range cov { // a point more that says nothing, so that few have a spread
		cov[i] = (n*cov[i] + all[i]) / (n + 1)
	}
	const line = 0.99
	if d == 2 && !(math.Abs(all[1]) < line*math.Sqrt(all[0]*all[3])) {
		return math.Inf(-1)
	}
	inverse, det := []float64{1 / all[0]}, cov[0]/all[0]
	if d == 2 {
		q := all[0]*all[3] - all[1]*all[2]
		inverse = []float64{all[3] / q, -all[1] / q, -all[2] / q, all[0] / q}
		det = (cov[0]*cov[3] - cov[1]*cov[2]) / q
	}
	sum := -float64(d) - math.Log(det)
	for i := range d {
		for j := range d {
			sum += inverse[i*d+j] * (cov[i*d+j] + (mean[i]-at[i])*(mean[j]-at[j]))
		}
	}
	return sum / 2
}

// moments are means and covariances.
func moments(x [][]float64) (mean, cov []float64) {
	d, n := len(x), float64(len(x[0]))
	mean, cov = make([]float64, d), make([]float64, d*d)
	for i := range d {
		for _, v := range x[i] {
			mean[i] += v / n
		}
	}
	for i := range d {
		for j := range d {
			for k := range x[i] {
				cov[i*d+j] += (x[i][k] - mean[i]) * (x[j][k] - mean[j]) / n
			}
		}
	}
	return mean, cov
}
