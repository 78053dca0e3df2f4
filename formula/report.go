package formula

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/draws"
)

// Report is a run of the program with what a reader asks for: the intercept where the columns are 0, coefficients,
// standard deviations and correlations, in this order and under the names that brms gives them. What only
// serves the computation is left out.
func (r *Regression) Report(run *draws.Run) (*draws.Run, error) {
	out := *run
	out.Names, out.Labels = nil, nil
	var at []int
	for _, c := range r.called {
		k := slices.Index(run.Names, c.parameter)
		if k < 0 {
			return nil, fmt.Errorf("formula: the run has no parameter %q of this model", c.parameter)
		}
		at = append(at, k)
		out.Names = append(out.Names, c.as)
	}
	pick := func(rows [][]float64) [][]float64 {
		if rows == nil {
			return nil
		}
		picked := make([][]float64, len(rows))
		for i, row := range rows {
			picked[i] = make([]float64, len(at))
			for j, k := range at {
				picked[i][j] = r.called[j].shift + r.called[j].unit*row[k]
			}
		}
		return picked
	}
	out.Chains = slices.Clone(run.Chains)
	for c := range out.Chains {
		out.Chains[c].Values, out.Chains[c].WarmupValues = pick(run.Chains[c].Values), pick(run.Chains[c].WarmupValues)
	}
	return &out, nil
}

// Coefficients is how many of the reported parameters are coefficients: intercepts and slopes.
func (r *Regression) Coefficients() int {
	n := 0
	for _, c := range r.called {
		if len(c.as) > 2 && c.as[:2] == "b_" {
			n++
		}
	}
	return n
}

// Main is how many of the reported parameters stand before the effects of single groups and the bends of smooth terms.
func (r *Regression) Main() int { return r.main }

// Inverse turns a sum of terms into the mean of the response, or for counted successes into their probability, where
// the link alone does.
func (r *Regression) Inverse(eta float64) float64 { return r.family.link.inverse(eta) }

// mean is that of the response, or for counted successes of their share, given a reported draw.
func (r *Regression) mean(eta float64, row []float64) float64 {
	if r.family.mean == nil {
		return r.family.link.inverse(eta)
	}
	return r.family.mean(eta, func(name string) float64 { return row[r.at[name]] })
}

// Categorical reports whether the response is in categories, which have no mean.
func (r *Regression) Categorical() bool { return r.family.categories }

// Counted reports whether the response counts successes in trials, of which means are shares.
func (r *Regression) Counted() bool { return r.trials != nil }

// Weighted reports whether rows count by weights.
func (r *Regression) Weighted() bool { return r.weights != nil }

// Censored reports whether some responses are only known to be at least as large as they are.
func (r *Regression) Censored() bool { return slices.Contains(r.censored, 1) }

// Offset reports whether there is one.
func (r *Regression) Offset() bool { return r.offset != nil }

// Weights are those of the rows, nil without.
func (r *Regression) Weights() []float64 { return slices.Clone(r.weights) }

// Declaration is the model in words, with the parameters that have priors.
func (r *Regression) Declaration() string {
	if len(r.Groups) == 0 {
		return r.Program.Declared()
	}
	other := *r
	other.plain, other.Groups = true, slices.Clone(r.Groups)
	p, err := other.compile(r.weights)
	if err != nil {
		p = r.Program
	}
	return strings.ReplaceAll(p.Declared(), ", centring learned", "") // precisions choose the coordinates
}

// Link is the name of the link of the mean.
func (r *Regression) Link() string { return r.family.link.String() }

// Coefficient is a coefficient of the design matrix.
type Coefficient struct {
	Name  string // as R names it: of thresholds 1|2, of categories q:x
	Place int    // among the reported parameters
}

// Named are the coefficients under the names that R's model.matrix, polr and multinom give them.
func (r *Regression) Named() []Coefficient {
	var out []Coefficient
	add := func(name, reported string) {
		if k, ok := r.at[reported]; ok {
			out = append(out, Coefficient{name, k})
		}
	}
	if r.Family == "cumulative" {
		for k := 1; k < r.categories(); k++ {
			add(r.category(k)+"|"+r.category(k+1), element("b_Intercept", k-1))
		}
	}
	for p, of := range r.predictors {
		prefix := ""
		if of != "" {
			prefix = r.category(p+2) + ":"
		}
		for _, name := range r.Design.Names {
			add(prefix+name, "b_"+of+short(name))
		}
		for _, s := range r.Smooths {
			add(prefix+s.Label, "bs_"+of+s.Name+"_1")
		}
	}
	return out
}

// Column is a column of the table of the fit; for factors it has the places of their levels.
func (r *Regression) Column(name string) []float64 {
	c, ok := r.data.Column(name)
	if !ok {
		return nil
	}
	return c.Floats()
}

// Cell is the value of a column of the table in a row, as the file has it.
func (r *Regression) Cell(row int, name string) string {
	c, ok := r.data.Column(name)
	if !ok {
		return ""
	}
	return c.Texts()[row]
}

// Share is the response of row i, for counted successes as a share of the trials.
func (r *Regression) Share(i int) float64 {
	if r.trials != nil {
		return r.Y[i] / r.trials[i]
	}
	return r.Y[i]
}
