package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/diagnostics"
	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
	"bayeskernel/nuts"
)

// target is one to be measured.
type target struct {
	name    string
	factory hmc.Factory
	only    string  // the parameter measured; "" for the one of the fewest effective draws
	q05     float64 // its 5% quantile, NaN if not of interest
}

// eightSchoolsTau05 is the 5% quantile of tau in the eight schools, by quadrature: mu can be
// integrated out in closed form, which leaves a density in log tau alone.
const eightSchoolsTau05 = 0.2463914

// normal05 is the 5% quantile of the standard normal.
const normal05 = -1.6448536269514722

func targets() ([]target, error) {
	eight, err := models.EightSchoolsCentered()
	if err != nil {
		return nil, err
	}
	kid, err := models.KidScore()
	if err != nil {
		return nil, err
	}
	one := make([]float64, 100)
	for i := range one {
		one[i] = 1
	}
	nan := math.NaN()
	return []target{
		{"funnel", hmc.Shared(neal(10)), "x[0]", 3 * normal05},
		{"eight schools, centred", eight.Factory, "tau", eightSchoolsTau05},
		{"normal, d = 100", hmc.Shared(testmodels.Normal(one...)), "", nan},
		{"kidscore", kid.Factory, "", nan},
	}, nil
}

// neal is Neal's funnel in d dimensions: x[0] ~ N(0, 9), and given it the others are independent
// N(0, exp(x[0])).
func neal(d int) testmodels.Func {
	n := float64(d - 1)
	return testmodels.Func{N: d, F: func(x, g []float64) float64 {
		e := math.Exp(-x[0])
		ss := 0.0
		for i, v := range x[1:] {
			ss += v * v
			g[i+1] = -e * v
		}
		g[0] = -x[0]/9 + 0.5*e*ss - n/2
		return -x[0]*x[0]/18 - 0.5*e*ss - n/2*x[0]
	}}
}

// result is what the runs of one sampler on one target gave, one element per seed.
type result struct {
	target
	within                                    *nuts.WithinOrbit
	ess, perGradient, gradients, warmup, step []float64
	acceptance, divergent, rhat, q05, z       []float64
}

func (o *options) measure(ctx context.Context, t target, w *nuts.WithinOrbit) (*result, error) {
	r := &result{target: t, within: w}
	for i := range o.seeds {
		cfg := nuts.Config{Settings: o.cfg, WithinOrbit: w}
		cfg.Chains = 4
		cfg.Seed = o.seed + uint64(i)
		run, err := nuts.Sample(ctx, t.factory, cfg)
		if err != nil {
			return nil, fmt.Errorf("funnel: sampling %q: %w", t.name, err)
		}
		r.add(run)
	}
	return r, nil
}

// add appends the figures of one run.
func (r *result) add(run *draws.Run) {
	var gradients, warmup, divergent, step, accept, n float64
	for _, c := range run.Chains {
		gradients += float64(c.Gradients)
		warmup += float64(c.WarmupGradients)
		divergent += float64(len(c.Divergences))
		step += c.StepSize / float64(len(run.Chains))
		for _, s := range c.Stats {
			accept += s.AcceptStat
			n++
		}
	}
	ess, rhat, q05, z := math.Inf(1), 0.0, math.NaN(), math.NaN()
	for j, name := range run.Names {
		if r.only != "" && name != r.only {
			continue
		}
		x := run.Column(j)
		ess = math.Min(ess, diagnostics.ESSBulk(x))
		rhat = math.Max(rhat, diagnostics.RHat(x))
		if r.only != "" {
			q05 = quantile(slices.Concat(x...), 0.05)
			z = (q05 - r.target.q05) / diagnostics.MCSEQuantile(x, 0.05)
		}
	}
	r.ess = append(r.ess, ess)
	r.perGradient = append(r.perGradient, 1000*ess/gradients)
	r.gradients = append(r.gradients, gradients)
	r.warmup = append(r.warmup, warmup)
	r.step = append(r.step, step)
	r.divergent = append(r.divergent, divergent)
	r.rhat = append(r.rhat, rhat)
	r.q05 = append(r.q05, q05)
	r.z = append(r.z, z)
	r.acceptance = append(r.acceptance, accept/n)
}

const head = "| target | sampler | ESS | ESS/1000 gradients | gradients | of warm-up | step " +
	"| accept | divergent | R-hat | 5% quantile | over seeds | true | \\|z\\| < 2 |\n" +
	"| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |"

// String returns a row of the table: medians over the seeds, but for the largest R-hat and what is
// said of the quantile: the range and the mean over seeds with its standard error, and how many
// runs have the truth within two of their own Monte Carlo errors.
func (r *result) String() string {
	name := "nuts"
	if r.within != nil {
		name = fmt.Sprintf("within orbit, %v", r.within.MaxError)
		if r.within.Finer > 0 {
			name += fmt.Sprintf(", finer %v", r.within.Finer)
		}
	}
	quantile := "| | | | |"
	if r.only != "" {
		within := 0
		for _, z := range r.z {
			if math.Abs(z) < 2 {
				within++
			}
		}
		mean, se := meanSE(r.q05)
		quantile = fmt.Sprintf("| %.2f to %.2f | %.3f ± %.3f | %.3f | %d of %d |",
			slices.Min(r.q05), slices.Max(r.q05), mean, se, r.target.q05, within, len(r.z))
	}
	return fmt.Sprintf("| %s | %s | %.0f (%.0f–%.0f) | %.2f | %.0f | %.0f | %.2g | %.2f | %.0f "+
		"| %.3f %s", r.name, name, report.Median(r.ess), slices.Min(r.ess), slices.Max(r.ess),
		report.Median(r.perGradient), report.Median(r.gradients), report.Median(r.warmup), report.Median(r.step),
		report.Median(r.acceptance), report.Median(r.divergent), slices.Max(r.rhat), quantile)
}

func meanSE(v []float64) (mean, se float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		se += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}

// quantile interpolates linearly between order statistics.
func quantile(v []float64, p float64) float64 {
	slices.Sort(v)
	h := p * float64(len(v)-1)
	i := int(h)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (h-float64(i))*(v[i+1]-v[i])
}
