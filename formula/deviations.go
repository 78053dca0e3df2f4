package formula

import (
	"math"
	"slices"

	"bayeskernel/draws"
)

// Deviation is how a coefficient of each level of a group differs from that of all.
type Deviation struct {
	Group, Coefficient   string
	Levels               []string
	Median, Lower, Upper []float64 // with a 90% interval
}

// Deviations are those of all groups, of the summary of a reported run.
func (r *Regression) Deviations(s *draws.Summary) []Deviation {
	var out []Deviation
	for _, of := range r.predictors {
		for k := range r.Groups {
			g := &r.Groups[k]
			for _, a := range g.Design.Names {
				d := Deviation{Group: g.Name, Coefficient: of + a, Levels: g.labels}
				for _, l := range g.labels {
					p := s.Parameters[r.at[g.effect(of, l, a)]]
					d.Median, d.Lower, d.Upper = append(d.Median, p.Q50), append(d.Lower, p.Q05), append(d.Upper, p.Q95)
				}
				out = append(out, d)
			}
		}
	}
	return out
}

// Residuals are the posterior means of the rows' means, and what the responses are more than these: of counted successes as
// shares of the trials.
func (r *Regression) Residuals(run *draws.Run) (fitted, residual []float64, err error) {
	fitted = make([]float64, len(r.Y))
	n := 0.0
	err = r.Fitted(run, func(mean []float64) {
		n++
		for i, m := range mean {
			fitted[i] += (m - fitted[i]) / n
		}
	})
	residual = make([]float64, len(r.Y))
	for i := range residual {
		if r.trials != nil {
			fitted[i] /= r.trials[i]
		}
		residual[i] = r.Share(i) - fitted[i]
	}
	return fitted, residual, err
}

// Discrete reports whether the response is a count or a category.
func (r *Regression) Discrete() bool { return r.family.discrete }

// Binned are means of residuals in bins of rows with about equal fitted means, with twice their standard errors to each side
// of 0: where the model fits, 19 of 20 means are within.
func Binned(fitted, residual []float64) (x, mean, within []float64) {
	n := len(fitted)
	bins := max(1, min(20, int(math.Sqrt(float64(n)))))
	order := ranked(fitted)
	for b := range bins {
		from, to := b*n/bins, (b+1)*n/bins
		var v []float64
		at, sum := 0.0, 0.0
		for _, i := range order[from:to] {
			v = append(v, residual[i])
			at += fitted[i] / float64(to-from)
			sum += residual[i] / float64(to-from)
		}
		if len(v) < 2 {
			continue
		}
		x, mean = append(x, at), append(mean, sum)
		within = append(within, 2*math.Sqrt(variance(v)/float64(len(v))))
	}
	return x, mean, within
}

// ranked are the places of values in increasing order.
func ranked(v []float64) []int {
	out := make([]int, len(v))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return compare(v[a], v[b]) })
	return out
}
