// Eightschools fits the same meta-analysis in two parametrisations. The non-centred one samples
// well. The centred one has a funnel, into whose neck, where tau is small, no step size leads that
// serves elsewhere: transitions diverge, and the chains disagree on tau.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/nuts"
)

func main() { report.Main("eightschools", fit) }

func fit(ctx context.Context, cfg nuts.Config, out io.Writer) error {
	// Stan's warm-up shows the trouble plainly. The default metric fits the funnel's neck and turns
	// most divergences into steps too short to get anywhere, which helps no more and is harder to see.
	cfg.Adapt.StanWarmup, cfg.Adapt.Metric, cfg.TargetAccept = true, hmc.DiagMetric, 0.9
	var runs []*draws.Run
	for _, model := range []func() (models.Posterior, error){models.EightSchools,
		models.EightSchoolsCentered} {
		p, err := model()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n\n", p.Name)
		run, err := nuts.Sample(ctx, p.Factory, cfg)
		if run != nil { // whole, or what there was when it was stopped
			err = errors.Join(err, report.Print(out, run, p.Reference))
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(out)
		runs = append(runs, run)
	}
	return compare(out, runs[0], runs[1])
}

// compare sets the two runs side by side.
func compare(out io.Writer, noncentred, centred *draws.Run) error {
	rows := [][]string{{"", "non-centred", "centred"}}
	a, b := measure(noncentred), measure(centred)
	for i, what := range []string{"divergent transitions", "largest R-hat", "smallest bulk ESS",
		"gradients after warm-up", "smallest draw of tau"} {
		rows = append(rows, []string{what, a[i], b[i]})
	}
	return report.Table(out, rows)
}

func measure(run *draws.Run) []string {
	s := run.Summary()
	divergences, gradients := 0, 0
	for _, c := range s.Chains {
		divergences += c.Divergences
		gradients += c.Gradients
	}
	rhat, ess := 0.0, math.Inf(1)
	for _, p := range s.Parameters {
		rhat, ess = math.Max(rhat, p.RHat), math.Min(ess, p.ESSBulk)
	}
	tau, _ := run.Draws("tau")
	return []string{fmt.Sprint(divergences), fmt.Sprintf("%.3f", rhat), fmt.Sprintf("%.0f", ess),
		fmt.Sprint(gradients), fmt.Sprintf("%.2g", slices.Min(slices.Concat(tau...)))}
}
