package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/quadrature"
	"bayeskernel/kernels"
)

// kernelRow is what the pseudolikelihood says of a kernel.
type kernelRow struct {
	Kernel string   `json:"kernel"`
	Theta  []number `json:"theta"`
	// ThetaCurvature is theta/sqrt(kappa(0)): the lengthscale of the squared exponential that is as
	// curved at 0.
	ThetaCurvature []number `json:"theta_curvature"`
	Tau2           number   `json:"tau2"`
	Eta            number   `json:"eta"`
	LogLik         number   `json:"log_pseudolikelihood"` // maximised
	Difference     number   `json:"difference"`           // to the best kernel
	Integrated     number   `json:"log_integrated"`       // over the priors
	IntegratedDiff number   `json:"difference_integrated"`
	Integration    string   `json:"integration"` // "quadrature", "laplace", or "" without a value

	candidate candidate
	free      *bke.Fit // without the priors
}

// compareKernels fits each kernel of s without the priors, and returns the best first.
func compareKernels(ctx context.Context, s *study) ([]kernelRow, error) {
	var rows []kernelRow
	for _, c := range s.candidates {
		r, err := s.rowOf(ctx, c)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b kernelRow) int {
		switch {
		case a.LogLik > b.LogLik:
			return -1
		case a.LogLik < b.LogLik:
			return 1
		}
		return 0
	})
	best := math.Inf(-1)
	for _, r := range rows {
		if v := float64(r.Integrated); v > best {
			best = v
		}
	}
	for i := range rows {
		rows[i].Difference = rows[i].LogLik - rows[0].LogLik
		rows[i].IntegratedDiff = rows[i].Integrated - number(best)
	}
	return rows, nil
}

func (s *study) rowOf(ctx context.Context, c candidate) (kernelRow, error) {
	r := kernelRow{Kernel: c.radial.String(), candidate: c}
	line := s.con.working("learning kernel %s without the priors", c.radial)
	fit, err := c.model.Learn(ctx, bke.Search{Seed: s.flags.seed})
	line.end()
	if err != nil {
		return r, err
	}
	best := fit.Modes[0]
	r.free, r.LogLik = fit, number(best.LogLik)
	r.Theta, r.Tau2, r.Eta = numbers(best.Params.Theta), number(best.Params.Tau2),
		number(best.Params.Eta)
	for _, t := range r.Theta {
		r.ThetaCurvature = append(r.ThetaCurvature, t/number(math.Sqrt(curvature(c.radial))))
	}
	line = s.con.working("integrating over the priors of kernel %s", c.radial)
	defer line.end()
	v, how, err := c.integrate(ctx, s.priors)
	if ctx.Err() != nil {
		return r, err
	}
	if r.Integrated = number(v); err != nil || math.IsNaN(v) {
		r.Integrated, how = number(math.NaN()), ""
	}
	r.Integration = how
	return r, nil
}

// curvature is kappa(0) = -2 phi'(0).
func curvature(r kernels.Radial) float64 {
	_, logKappa, _ := r.Profile(0)
	return math.Exp(logKappa)
}

// quickQuadrature is the largest nm + m³, for n rows and m pseudo-inputs, with which quadrature
// takes a few seconds at most.
const quickQuadrature = 10000

// integrate returns the log of the integral of the pseudolikelihood over the priors: by quadrature
// where that is possible and quick, and else by Laplace's approximation, whose error is about .1
// with 80 rows and .01 with 800. It is NaN if a prior is improper.
func (c candidate) integrate(ctx context.Context, p bke.Priors) (float64, string, error) {
	n, m := c.model.N(), c.model.M()
	if len(c.model.Free()) <= mostVerified && n*m+m*m*m <= quickQuadrature {
		q, err := quadrature.Integrate(ctx, c.model, p)
		if err != nil {
			return 0, "", err
		}
		return q.LogMarginal, "quadrature", nil
	}
	v, err := c.laplace(ctx, p)
	return v, "laplace", err
}

// laplace approximates the integral by the masses of the modes.
func (c candidate) laplace(ctx context.Context, p bke.Priors) (float64, error) {
	surface, err := c.model.Surface(ctx, p)
	if err != nil {
		return 0, err
	}
	top, sum := math.Inf(-1), 0.0
	for _, mode := range c.fit.Modes {
		top = math.Max(top, mode.LogMass)
	}
	for _, mode := range c.fit.Modes {
		sum += math.Exp(mode.LogMass - top)
	}
	return top + math.Log(sum) - surface.LogPriorMass(), nil
}

// integrationWords says how a value was integrated.
var integrationWords = map[string]string{"quadrature": "by quadrature",
	"laplace": "by Laplace's approximation"}

// kernelTable prints the comparison, or for one kernel its two values.
func kernelTable(w io.Writer, rows []kernelRow) error {
	first := rows[0]
	if len(rows) == 1 {
		text := fmt.Sprintf("Log pseudolikelihood of kernel %s: %.2f maximised", first.Kernel,
			float64(first.LogLik))
		if first.Integration != "" {
			text += fmt.Sprintf(", %.2f integrated over the priors (%s)", float64(first.Integrated),
				integrationWords[first.Integration])
		}
		paragraph(w, text+".")
		return nil
	}
	body := make([][]string, len(rows))
	for i, r := range rows {
		body[i] = []string{r.Kernel, thetas(r.Theta), thetas(r.ThetaCurvature),
			decimals(r.LogLik), decimals(r.Difference), decimals(r.Integrated),
			decimals(r.IntegratedDiff)}
	}
	fmt.Fprintf(w, "Kernels by their log pseudolikelihood, the best first:\n\n")
	err := writeTable(w, []string{"", "theta", "theta/sqrt(kappa(0))", "maximised", "difference",
		"integrated", "difference"}, body)
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	how := ""
	if first.Integration != "" {
		how = fmt.Sprintf("\"Integrated\" means over the priors, %s. ",
			integrationWords[first.Integration])
	}
	paragraph(w, how+"Compare lengthscales by theta/sqrt(kappa(0)), the lengthscale of the squared "+
		"exponential with the same curvature at 0. These are pseudolikelihoods, in which rows count "+
		"for more than they are worth: the differences rank the kernels, but they are not log odds.")
	fmt.Fprintln(w)
	return nil
}

// thetas writes lengthscales with four digits.
func thetas(list []number) string {
	text := ""
	for i, t := range list {
		if i > 0 {
			text += " "
		}
		text += figures(float64(t))
	}
	return text
}

// decimals writes a log likelihood.
func decimals(v number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(v))
}
