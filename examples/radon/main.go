// Radon is the first hierarchical model of many textbooks (Gelman and Hill 2006, chapter 12): the
// radon in houses, given the floor where it was measured, with an intercept and a slope for each
// county. Three models differ in what counties have in common: everything, nothing, or a
// distribution. Leave-one-out cross-validation says which of them predicts best.
//
// The data are synthetic, made to look like the survey of Minnesota: they have its numbers of
// houses and counties and its sizes of effects.
package main

import (
	"context"
	"fmt"
	"io"

	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/hmc"
	"bayeskernel/loo"
	"bayeskernel/model"
	"bayeskernel/nuts"
)

func main() { report.Worked("radon", fit) }

// kinds are the three models.
var kinds = []string{"pooled", "unpooled", "partially pooled"}

// declare declares one of the kinds.
func declare(kind string, d survey) *model.Model {
	m := model.New()
	county, in := m.Factor("county", d.county)
	floor, y := m.Data("floor", d.floor), m.Data("log_radon", d.logRadon)
	sigma := m.Positive("sigma", model.HalfNormal(1))
	switch kind {
	case "pooled":
		a, b := m.Real("alpha", model.Normal(0, 2)), m.Real("beta", model.Normal(0, 2))
		m.Observe(y, model.Normal(a.Add(b.Mul(floor)), sigma))
	case "unpooled":
		alpha := county.Reals("alpha", model.Normal(0, 2))
		beta := county.Reals("beta", model.Normal(0, 2))
		m.Observe(y, model.Normal(alpha.Of(in).Add(beta.Of(in).Mul(floor)), sigma))
	default:
		muA, muB := m.Real("mu_a", model.Normal(0, 2)), m.Real("mu_b", model.Normal(0, 2))
		sdA, sdB := m.Positive("sd_a", model.HalfNormal(1)), m.Positive("sd_b", model.HalfNormal(1))
		alpha := county.Reals("alpha", model.Normal(muA, sdA), model.NonCentred)
		beta := county.Reals("beta", model.Normal(muB, sdB), model.NonCentred)
		m.Observe(y, model.Normal(alpha.Of(in).Add(beta.Of(in).Mul(floor)), sigma))
	}
	return m
}

// fitted is a model with its draws.
type fitted struct {
	kind    string
	program *model.Program
	run     *draws.Run
	result  *loo.Result
}

func fit(ctx context.Context, cfg nuts.Config, dir report.Folder, out io.Writer) error {
	d := synthetic()
	cfg.Adapt.Metric = hmc.DiagMetric // of 175 parameters hardly any two correlate
	var all []fitted
	var compared []loo.Model
	for _, kind := range kinds {
		f := fitted{kind: kind}
		var err error
		if f.program, err = declare(kind, d).Compile(); err != nil {
			return err
		}
		if f.run, err = report.Sample(ctx, f.program.Target, cfg); err != nil {
			return err
		}
		ll, err := f.program.LogLik(ctx, f.run)
		if err != nil {
			return err
		}
		if f.result, err = loo.LOO(ctx, ll, loo.Options{}); err != nil {
			return err
		}
		all, compared = append(all, f), append(compared, loo.Model{Name: kind, Result: f.result})
		fmt.Fprintf(out, "%s: %d divergences\n", kind, divergences(f.run))
	}
	order, err := loo.Compare(compared...)
	if err != nil {
		return err
	}
	weights, err := loo.Stacking(compared...)
	if err != nil {
		return err
	}
	head, rows := report.Compared(order, weights, kinds)
	fmt.Fprintln(out)
	if err := report.Table(out, append([][]string{head}, rows...)); err != nil {
		return err
	}
	held, err := d.publish(ctx, dir, cfg, all, order, head, rows)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nPredictive check: the 90%% intervals hold %.0f%% of the bins.\n", 100*held)
	_, err = fmt.Fprintf(out, "Pictures and index.html are in %s.\n", dir)
	return err
}

func divergences(run *draws.Run) (n int) {
	for _, c := range run.Chains {
		n += len(c.Divergences)
	}
	return n
}
