package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/draws"

	"gonum.org/v1/gonum/mat"
)

// boundless is how many standard deviations of a column's coefficient, on the scale of log odds or logs, no data of moderate
// information leave open.
const boundless = 3

// Advice says what in the data or the formula makes sampling hard, and what to write in its place; for runs that a summary warns
// about.
func (r *Regression) Advice(s *draws.Summary) []string {
	var out []string
	if text := r.Unbounded(s); text != "" {
		out = append(out, text)
	}
	for _, g := range r.Groups {
		for j, a := range g.Design.Names {
			c := mat.Col(nil, j, g.z)
			mean := 0.0
			for _, v := range c {
				mean += v / float64(len(c))
			}
			if spread := math.Sqrt(variance(c)); g.origin == nil && a != "(Intercept)" && plain(a) && (math.Abs(mean) > 3*spread || g.per[j] != 1) {
				out = append(out, fmt.Sprintf("%s is far from 0 or from size 1, so that intercepts and slopes of %s go together: write scale(%s) in its "+
					"place, in and before the bracket.", a, g.Name, a))
			}
		}
		switch n := len(g.labels); {
		case n == len(r.Y) && g.alone() && (r.Family == "gaussian" || r.Family == "lognormal"):
			out = append(out, fmt.Sprintf("Each level of %s has one row, so that the data cannot tell its deviation from the residual, whose standard "+
				"deviation is sigma: leave out (1 | %s).", g.Name, g.Name))
		case n < 6:
			out = append(out, fmt.Sprintf("%s has %d levels, which say little about their standard deviation: make them columns, %s in place of the "+
				"bracket.", g.Name, n, g.Name))
		}
	}
	if len(out) == 0 && slices.ContainsFunc(s.Warnings, func(w draws.Warning) bool { return w.Kind == "divergences" }) {
		out = append(out, "Smaller steps: -delta 0.99.")
	}
	return out
}

// Unbounded says which coefficients the data leave open to one side, so that under flat priors they have no posterior; "" if
// none is.
func (r *Regression) Unbounded(s *draws.Summary) string {
	names := r.open(s)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("The data leave %s open to one side, as where one level has no %s at all, or a column tells it apart without "+
		"error. Give coefficients a prior: -prior 'b ~ normal(0, 2.5)'.", strings.Join(names, ", "), r.Formula.Response)
}

// open are the coefficients with flat priors whose columns shift the sum of terms by more than boundless.
func (r *Regression) open(s *draws.Summary) []string {
	if r.family.link == identity && !r.family.categories || r.X == nil || r.prior("b", "b").dist != "flat" || r.separately() {
		return nil
	}
	var out []string
	n, d := r.X.Dims()
	for _, of := range r.predictors {
		for j, name := range r.slopes() {
			c := mat.Col(nil, j+d-len(r.slopes()), r.X)
			spread := math.Sqrt(variance(c) * float64(n-1) / float64(n))
			if p := s.Parameters[r.at["b_"+of+name]]; p.SD*spread > boundless {
				out = append(out, p.Name)
			}
		}
	}
	return out
}
