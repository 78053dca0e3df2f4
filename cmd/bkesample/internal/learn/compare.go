package learn

import (
	"context"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/quadrature"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/kernels"
)

// KernelRow is the pseudolikelihood's verdict on a kernel.
type KernelRow struct {
	Kernel string          `json:"kernel" doc:"The radial kernel, as -kernel names it."`
	Theta  []report.Number `json:"theta" doc:"The lengthscales, in the units in which the kernel works."`
	// ThetaCurvature is theta/sqrt(kappa(0)), the lengthscale of the squared exponential with the
	// same curvature at 0.
	ThetaCurvature []report.Number `json:"theta_curvature" doc:"The lengthscales of the squared exponential of the same curvature at 0."`
	Tau2           report.Number   `json:"tau2" doc:"The variance tau2 of the prior of the embedding."`
	Eta            report.Number   `json:"eta" doc:"The scale eta of nu; 0 where it is not used."`
	LogLik         report.Number   `json:"log_pseudolikelihood" doc:"The log pseudolikelihood, maximised; differences of it are not log odds."`
	Difference     report.Number   `json:"difference" doc:"The difference of log_pseudolikelihood to that of the best kernel."`
	Integrated     report.Number   `json:"log_integrated" doc:"The log pseudolikelihood, integrated over the priors."`
	IntegratedDiff report.Number   `json:"difference_integrated" doc:"The difference of log_integrated to the largest."`
	Integration    string          `json:"integration" doc:"How it was integrated: quadrature, laplace, or empty without a value."`

	candidate study.Candidate
	free      *bke.Fit // without the priors
}

// compareKernels fits each kernel of s without priors, and returns the best first.
func compareKernels(ctx context.Context, con *cli.Console, s *study.Study) ([]KernelRow, error) {
	var rows []KernelRow
	for _, c := range s.Candidates {
		r, err := rowOf(ctx, con, s, c)
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
		rows[i].IntegratedDiff = rows[i].Integrated - report.Number(best)
	}
	return rows, nil
}

func rowOf(ctx context.Context, con *cli.Console, s *study.Study, c study.Candidate) (KernelRow, error) {
	r := KernelRow{Kernel: c.Radial.String(), candidate: c}
	line := con.Working("learning kernel %s without the priors", c.Radial)
	fit, err := c.Model.Learn(ctx, bke.LearnOptions{Seed: s.Flags.Seed})
	line.End()
	if err != nil {
		return r, err
	}
	best := fit.Modes[0]
	r.free, r.LogLik = fit, report.Number(best.LogLik)
	r.Theta, r.Tau2, r.Eta = report.Numbers(best.Params.Theta), report.Number(best.Params.Tau2),
		report.Number(best.Params.Eta)
	for _, t := range r.Theta {
		r.ThetaCurvature = append(r.ThetaCurvature, t/report.Number(math.Sqrt(curvature(c.Radial))))
	}
	line = con.Working("integrating over the priors of kernel %s", c.Radial)
	defer line.End()
	v, how, err := integrate(ctx, c, s.Priors)
	if ctx.Err() != nil {
		return r, err
	}
	if r.Integrated = report.Number(v); err != nil || math.IsNaN(v) {
		r.Integrated, how = report.Number(math.NaN()), ""
	}
	r.Integration = how
	return r, nil
}

// curvature is kappa(0) = -2 phi'(0).
func curvature(r kernels.Radial) float64 {
	_, logKappa, _ := r.Profile(0)
	return math.Exp(logKappa)
}

// quickQuadrature is the largest nm + m³, for n rows and m pseudo-inputs, at which quadrature takes
// at most a few seconds.
const quickQuadrature = 10000

// integrate returns the log of the pseudolikelihood integrated over the priors. It uses quadrature
// if that is possible and quick, otherwise Laplace's approximation, with an error of about .1 at 80
// rows and .01 at 800. It is NaN if a prior is improper.
func integrate(ctx context.Context, c study.Candidate, p bke.Priors) (float64, string, error) {
	n, m := c.Model.N(), c.Model.M()
	if len(c.Model.Free()) <= quadrature.MostFree && n*m+m*m*m <= quickQuadrature {
		q, err := quadrature.Integrate(ctx, c.Model, p)
		if err != nil {
			return 0, "", err
		}
		return q.LogMarginal, "quadrature", nil
	}
	v, err := laplace(ctx, c, p)
	return v, "laplace", err
}

// laplace approximates the integral by the sum of the masses of the modes.
func laplace(ctx context.Context, c study.Candidate, p bke.Priors) (float64, error) {
	surface, err := c.Model.Surface(ctx, p)
	if err != nil {
		return 0, err
	}
	top, sum := math.Inf(-1), 0.0
	for _, mode := range c.Fit.Modes {
		top = math.Max(top, mode.LogMass)
	}
	for _, mode := range c.Fit.Modes {
		sum += math.Exp(mode.LogMass - top)
	}
	return top + math.Log(sum) - surface.LogPriorMass(), nil
}
