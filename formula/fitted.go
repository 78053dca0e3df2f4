package formula

import (
	"fmt"
	"math"
	"slices"

	"bayeskernel/draws"

	"gonum.org/v1/gonum/mat"
)

// linear is the sum of terms at some rows, for reported draws: columns and the places of their coefficients.
type linear struct {
	offset  []float64 // nil, or of each row
	x       *mat.Dense
	at      []int
	effects []effect // of groups
}

// effect is a coefficient of groups.
type effect struct {
	at []int // of the level of each row
	z  []float64
}

// sums are the linear predictors of the rows of the fit.
func (r *Regression) sums() []linear {
	var out []linear
	for _, of := range r.predictors {
		var bends []*mat.Dense
		var lines [][]float64
		for _, s := range r.Smooths {
			bends, lines = append(bends, s.rows), append(lines, s.line)
		}
		l := r.columns(of, len(r.Y), r.X, lines, bends)
		l.offset = r.offset
		for _, g := range r.Groups {
			for j, a := range g.Design.Names {
				e := effect{z: mat.Col(nil, j, g.z)}
				place := map[string]int{}
				for _, level := range g.labels {
					place[level] = r.at[g.effect(of, level, a)]
				}
				for _, level := range g.rows {
					e.at = append(e.at, place[level])
				}
				l.effects = append(l.effects, e)
			}
		}
		out = append(out, l)
	}
	return out
}

// columns puts the design matrix and the smooth terms side by side.
func (r *Regression) columns(of string, n int, x *mat.Dense, lines [][]float64, bends []*mat.Dense) linear {
	var l linear
	var cols [][]float64
	if x != nil {
		for j, name := range r.Design.Names {
			if r.Family == "cumulative" && j == 0 {
				continue // thresholds
			}
			cols, l.at = append(cols, mat.Col(nil, j, x)), append(l.at, r.at["b_"+of+short(name)])
		}
	}
	for k, s := range r.Smooths {
		cols, l.at = append(cols, lines[k]), append(l.at, r.at["bs_"+of+s.Name+"_1"])
		_, d := bends[k].Dims()
		for j := range d {
			cols, l.at = append(cols, mat.Col(nil, j, bends[k])), append(l.at, r.at[element("s_"+of+s.Name+"_1", j)])
		}
	}
	if len(cols) > 0 {
		l.x = mat.NewDense(n, len(cols), nil)
		for j, c := range cols {
			l.x.SetCol(j, c)
		}
	}
	return l
}

// eta is the sum at row i for a draw.
func (l *linear) eta(i int, draw []float64) float64 {
	sum := 0.0
	if l.offset != nil {
		sum = l.offset[i]
	}
	if l.x != nil {
		for j, v := range l.x.RawRowView(i) {
			sum += v * draw[l.at[j]]
		}
	}
	for k := range l.effects {
		sum += l.effects[k].z[i] * draw[l.effects[k].at[i]]
	}
	return sum
}

// Fitted calls f with the mean of each row's response, effects of groups included, for every draw of a reported
// run. The slice is used again. A response in categories has no mean.
func (r *Regression) Fitted(run *draws.Run, f func(mean []float64)) error {
	if r.family.categories {
		return fmt.Errorf("formula: a response in categories has no mean")
	}
	mean := make([]float64, len(r.Y))
	l := r.sums()[0]
	for _, c := range run.Chains {
		err := c.Each(func(_ int, row []float64) error {
			for i := range mean {
				mean[i] = r.mean(l.eta(i, row), row)
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

// probabilities are those of the categories, from sums of terms and a draw.
func (r *Regression) probabilities(eta []float64, row []float64) []float64 {
	if r.Family == "categorical" {
		top, sum := 0.0, 0.0
		for _, e := range eta {
			top = max(top, e)
		}
		p := []float64{math.Exp(-top)}
		for _, e := range eta {
			p = append(p, math.Exp(e-top))
		}
		for _, v := range p {
			sum += v
		}
		for k := range p {
			p[k] /= sum
		}
		return p
	}
	var p []float64
	below := 0.0
	for k := range r.categories() - 1 {
		at := logit.inverse(row[r.at[element("b_Intercept", k)]] - eta[0])
		p = append(p, at-below)
		below = at
	}
	return append(p, 1-below)
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

// Covariates are the columns on which the response depends, without the intercept: those of the design, and of smooth terms
// their lines; nil where there are none. Free says that their coefficients have flat priors.
func (r *Regression) Covariates() (x *mat.Dense, free bool) {
	var cols [][]float64
	if r.X != nil {
		for j, name := range r.Design.Names {
			if name != "(Intercept)" {
				cols = append(cols, mat.Col(nil, j, r.X))
			}
		}
	}
	for _, s := range r.Smooths {
		cols = append(cols, s.line)
	}
	if len(cols) == 0 {
		return nil, false
	}
	x = mat.NewDense(len(r.Y), len(cols), nil)
	for j, c := range cols {
		x.SetCol(j, c)
	}
	return x, r.prior("b", "b").dist == "flat" && !r.separately()
}
