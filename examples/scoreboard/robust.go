package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/models"
	"bayeskernel/hmc"
	"bayeskernel/internal/testmodels"
)

// trial is a target on which the automatic metric is compared with those that it chooses from. Dear
// targets make do with fewer chains and draws.
type trial struct {
	entry
	chains, draws int
}

// trials lists the targets of the comparison, cheap ones first.
func trials() []trial {
	sd := make([]float64, 100)
	for i := range sd {
		sd[i] = 1
	}
	made := map[string]func() (models.Posterior, error){}
	for _, p := range append(models.Large(),
		plain("correlated2", testmodels.Correlated(0.95)),
		plain("scales10", testmodels.Normal(0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)),
		plain("normal100", testmodels.Normal(sd...))) {
		made[p.Name] = func() (models.Posterior, error) { return p, nil }
	}
	for _, e := range registry {
		made[e.name] = e.posterior
	}
	var all []trial
	for _, t := range []struct {
		name          string
		chains, draws int
	}{
		{"correlated2", 4, 1000}, {"scales10", 4, 1000}, {"eight_schools_noncentered", 4, 1000},
		{"arK", 4, 1000}, {"garch11", 4, 1000}, {"kidscore_interaction", 4, 1000},
		{"low_dim_gauss_mix", 4, 1000}, {"skewed300", 1, 500}, {"normal100", 1, 1000},
		{"ar200", 1, 500}, {"groups175", 1, 500}, {"student200", 1, 500}, {"volatility303", 1, 500},
		{"logistic150", 1, 500}, {"spiked500", 1, 500}, {"ar500", 1, 500}, {"normal1000", 1, 500},
	} {
		all = append(all, trial{entry{name: t.name, posterior: made[t.name]}, t.chains, t.draws})
	}
	return all
}

func plain(name string, t hmc.Target) models.Posterior {
	return models.Posterior{Name: name, Factory: hmc.Shared(t)}
}

// compared are the metrics of the comparison, the automatic one first.
var compared = []hmc.MetricKind{hmc.AutoMetric, hmc.DiagMetric, hmc.LowRankMetric, hmc.DenseMetric}

func (t trial) key(o *options, seed uint64, m hmc.MetricKind) key {
	return key{Model: t.name, Seed: seed, Metric: m.String(), Chains: t.chains, Warmup: o.warmup,
		Draws: t.draws}
}

// compare makes the runs of the comparison that are not among the records yet, all metrics on a
// target and seed before the next seed, and writes its table.
func (o *options) compare(ctx context.Context, records []record, out, log io.Writer) error {
	for _, t := range o.trials {
		for i := range o.seeds {
			for _, m := range compared {
				k := t.key(o, o.seed+uint64(i), m)
				if o.table || find(records, k) != nil {
					continue
				}
				r, err := measure(ctx, t.entry, k, m)
				if err == nil {
					err = appendRecord(o.file, r)
				}
				if err != nil {
					return err
				}
				records = append(records, r)
				fmt.Fprintln(log, k.Metric, r)
			}
		}
	}
	o.writeComparison(out, records)
	return nil
}

// sampling is the smallest bulk effective sample size per 1000 gradients after warm-up, 0 if
// undefined.
func (r record) sampling() float64 {
	e := 1000 * float64(r.ESSBulk) / float64(r.Gradients-r.WarmupGradients)
	if math.IsNaN(e) {
		return 0
	}
	return e
}

// writeComparison writes a row for each target with runs of all metrics.
func (o *options) writeComparison(w io.Writer, records []record) {
	fmt.Fprintf(w, "Warm-up %d, seeds from %d; median and least of ESS per 1000 gradients after "+
		"warm-up.\n\n", o.warmup, o.seed)
	fmt.Fprintln(w, "| target | chains x draws | seeds | auto | diagonal | low rank | dense "+
		"| median / best | least / best | least / its least | as if forced |")
	fmt.Fprintln(w, "| --- "+strings.Repeat("| --: ", 9)+"| --- |")
	worst, lowest, rows := math.Inf(1), math.Inf(1), 0
	for _, t := range o.trials {
		all := make([][]float64, len(compared))
		same := make([]int, len(compared))
		for i := range o.seeds {
			runs := make([]*record, len(compared))
			for j, m := range compared {
				if runs[j] = find(records, t.key(o, o.seed+uint64(i), m)); runs[j] != nil {
					all[j] = append(all[j], runs[j].sampling())
				}
			}
			same[twin(runs)]++
		}
		if slices.ContainsFunc(all, func(v []float64) bool { return len(v) == 0 }) {
			continue
		}
		cells := []string{t.name, fmt.Sprintf("%d x %d", t.chains, t.draws),
			fmt.Sprint(len(all[0]))}
		best, itsLeast := 0.0, 0.0
		for j, v := range all {
			cells = append(cells, fmt.Sprintf("%s (%s)", report.Digits(report.Median(v)),
				report.Digits(slices.Min(v))))
			if m := report.Median(v); j > 0 && m > best {
				best, itsLeast = m, slices.Min(v)
			}
		}
		median, least := report.Median(all[0])/best, slices.Min(all[0])/best
		worst, lowest, rows = math.Min(worst, median), math.Min(lowest, least), rows+1
		cells = append(cells, fmt.Sprintf("%.2f", median), fmt.Sprintf("%.2f", least),
			fmt.Sprintf("%.2f", slices.Min(all[0])/itsLeast), twins(same))
		fmt.Fprintln(w, "| "+strings.Join(cells, " | ")+" |")
	}
	fmt.Fprintf(w, "\nOf the automatic metric over %d targets, as shares of the best metric's median: "+
		"the least median %.2f, the least seed %.2f.\n", rows, worst, lowest)
}

// twin returns the metric whose run is, number by number, that of the automatic metric, 0 if none is:
// of such a seed the choice of metric has nothing to answer for.
func twin(runs []*record) int {
	for j, r := range runs[1:] {
		if a := runs[0]; a != nil && r != nil && r.Gradients == a.Gradients && r.ESSBulk == a.ESSBulk {
			return j + 1
		}
	}
	return 0
}

// twins says of how many seeds the automatic metric did what a forced one does.
func twins(same []int) string {
	var list []string
	for j, name := range []string{"none", "diagonal", "low rank", "dense"} {
		if same[j] > 0 {
			list = append(list, fmt.Sprintf("%s %d", name, same[j]))
		}
	}
	return strings.Join(list, ", ")
}
