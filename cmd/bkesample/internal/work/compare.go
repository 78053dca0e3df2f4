package work

import (
	"context"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/quadrature"
	"bayeskernel/internal/jsonfloat"
	"bayeskernel/kernels"
)

// KernelRow is what the pseudolikelihood says of a kernel.
type KernelRow struct {
	Kernel string             `json:"kernel"`
	Theta  []jsonfloat.Number `json:"theta"`
	// ThetaCurvature is theta/sqrt(kappa(0)): the lengthscale of the squared exponential that is as
	// curved at 0.
	ThetaCurvature []jsonfloat.Number `json:"theta_curvature"`
	Tau2           jsonfloat.Number   `json:"tau2"`
	Eta            jsonfloat.Number   `json:"eta"`
	LogLik         jsonfloat.Number   `json:"log_pseudolikelihood"` // maximised
	Difference     jsonfloat.Number   `json:"difference"`           // to the best kernel
	Integrated     jsonfloat.Number   `json:"log_integrated"`       // over the priors
	IntegratedDiff jsonfloat.Number   `json:"difference_integrated"`
	Integration    string             `json:"integration"` // "quadrature", "laplace", or "" without a value

	candidate candidate
	free      *bke.Fit // without the priors
}

// compareKernels fits each kernel of s without the priors, and returns the best first.
func compareKernels(ctx context.Context, s *Study) ([]KernelRow, error) {
	var rows []KernelRow
	for _, c := range s.candidates {
		r, err := s.rowOf(ctx, c)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b KernelRow) int {
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
		rows[i].IntegratedDiff = rows[i].Integrated - jsonfloat.Number(best)
	}
	return rows, nil
}

func (s *Study) rowOf(ctx context.Context, c candidate) (KernelRow, error) {
	r := KernelRow{Kernel: c.radial.String(), candidate: c}
	line := s.con.Working("learning kernel %s without the priors", c.radial)
	fit, err := c.model.Learn(ctx, bke.LearnOptions{Seed: s.Flags.Seed})
	line.End()
	if err != nil {
		return r, err
	}
	best := fit.Modes[0]
	r.free, r.LogLik = fit, jsonfloat.Number(best.LogLik)
	r.Theta, r.Tau2, r.Eta = jsonfloat.Slice(best.Params.Theta), jsonfloat.Number(best.Params.Tau2),
		jsonfloat.Number(best.Params.Eta)
	for _, t := range r.Theta {
		r.ThetaCurvature = append(r.ThetaCurvature, t/jsonfloat.Number(math.Sqrt(curvature(c.radial))))
	}
	line = s.con.Working("integrating over the priors of kernel %s", c.radial)
	defer line.End()
	v, how, err := c.integrate(ctx, s.Priors)
	if ctx.Err() != nil {
		return r, err
	}
	if r.Integrated = jsonfloat.Number(v); err != nil || math.IsNaN(v) {
		r.Integrated, how = jsonfloat.Number(math.NaN()), ""
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
