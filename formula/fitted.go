package formula

import (
	"slices"

	"bayeskernel/draws"
)

// Fitted calls f with the mean of each row's response, effects of groups included, for every draw of a reported
// run. The slice is used again.
func (r *Regression) Fitted(run *draws.Run, f func(mean []float64)) error {
	mean := make([]float64, len(r.Y))
	type effect struct {
		at []int // of the level of each row
		z  func(i int) float64
	}
	var effects []effect
	next := r.Main()
	for _, g := range r.Groups {
		place := map[string]int{}
		for i, l := range g.labels {
			place[l] = i
		}
		for j := range g.Design.Names {
			e := effect{z: func(i int) float64 { return g.z.At(i, j) }}
			for _, l := range g.rows {
				e.at = append(e.at, next+place[l])
			}
			effects = append(effects, e)
			next += len(g.labels)
		}
	}
	d := len(r.Design.Names)
	for _, c := range run.Chains {
		err := c.Each(func(_ int, row []float64) error {
			for i := range mean {
				eta := 0.0
				if r.offset != nil {
					eta = r.offset[i]
				}
				for j := range d {
					eta += r.X.At(i, j) * row[j]
				}
				for _, e := range effects {
					eta += e.z(i) * row[e.at[i]]
				}
				mean[i] = r.Inverse(eta)
				if r.trials != nil {
					mean[i] *= r.trials[i]
				}
			}
			f(mean)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Determined is the Bayesian R² (Gelman, Goodrich, Gabry and Vehtari 2019): the variance of the fitted means over
// the sum of it and that of the residuals, with a 90% interval. A response in categories has none.
func (r *Regression) Determined(run *draws.Run) (median, lower, upper float64, err error) {
	var all []float64
	residual := make([]float64, len(r.Y))
	err = r.Fitted(run, func(mean []float64) {
		for i, m := range mean {
			residual[i] = r.Y[i] - m
		}
		a, b := variance(mean), variance(residual)
		all = append(all, a/(a+b))
	})
	slices.Sort(all)
	return quantile(all, .5), quantile(all, .05), quantile(all, .95), err
}

// variance is that of some values.
func variance(v []float64) float64 {
	mean, squares := 0.0, 0.0
	for i, x := range v {
		d := x - mean
		mean += d / float64(i+1)
		squares += d * (x - mean)
	}
	return squares / float64(len(v)-1)
}
