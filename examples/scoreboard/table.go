package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"bayeskernel/examples/internal/report"
)

// row is what the runs of one model amount to.
type row struct {
	entry
	runs []record
}

// passed counts the runs that pass their gates.
func (r row) passed() (n int) {
	for _, run := range r.runs {
		if run.passed() {
			n++
		}
	}
	return n
}

// efficiency is the median over the runs.
func (r row) efficiency() float64 {
	return report.Median(r.each(record.efficiency))
}

func (r row) each(f func(record) float64) []float64 {
	v := make([]float64, len(r.runs))
	for i, run := range r.runs {
		v[i] = f(run)
	}
	return v
}

// ratio compares the efficiency with another sampler's. It reports false unless the median run
// passes its gates, that is, half of them and more, and at least two of the other's three runs do:
// the effective sample size of a run that failed is no achievement.
func (r row) ratio(p *published) (float64, bool) {
	if p == nil || 2*r.passed() < len(r.runs) || p.passed < 2 {
		return 0, false
	}
	return r.efficiency() / p.ess, true
}

// writeTable writes the table of the runs that the options ask for.
func (o *options) writeTable(w io.Writer, records []record) {
	var rows []row
	for _, e := range o.entries {
		r := row{entry: e}
		for i := range o.seeds {
			if run := find(records, o.key(e.name, o.seed+uint64(i))); run != nil {
				r.runs = append(r.runs, *run)
			}
		}
		if len(r.runs) > 0 {
			rows = append(rows, r)
		}
	}
	as := ""
	if o.stan {
		as = " as Stan does it"
	}
	by := ""
	if o.declared {
		by = "Declared models. "
	}
	fmt.Fprintf(w, "%sMetric %v, 4 chains, warm-up %d%s, %d draws, %d seeds from %d.\n\n", by, o.metric,
		o.warmup, as, o.draws, o.seeds, o.seed)
	fmt.Fprintln(w, "| model | gates | divergences | R-hat | ESS bulk | ESS tail | error of means "+
		"| gradients | ESS/1000 gradients | range | CmdStan | ratio | nutpie | ratio |")
	fmt.Fprintln(w, "| --- "+strings.Repeat("| --: ", 13)+"|")
	for _, r := range rows {
		fmt.Fprintln(w, r)
	}
	fmt.Fprintln(w)
	summarize(w, rows)
}

// String returns the row. The worst of the runs stands for R-hat, effective sample sizes and means;
// the median for gradients and efficiency.
func (r row) String() string {
	divergences := make([]string, len(r.runs))
	for i, run := range r.runs {
		divergences[i] = fmt.Sprint(run.Divergences)
	}
	eff := r.each(record.efficiency)
	cells := []string{r.name, fmt.Sprintf("%d/%d", r.passed(), len(r.runs)),
		strings.Join(divergences, ", "),
		fmt.Sprintf("%.3f", slices.Max(r.each(func(r record) float64 { return worst(r.RHat) }))),
		fmt.Sprintf("%.0f", slices.Min(r.each(func(r record) float64 { return known(r.ESSBulk) }))),
		fmt.Sprintf("%.0f", slices.Min(r.each(func(r record) float64 { return known(r.ESSTail) }))),
		fmt.Sprintf("%.1f", slices.Max(r.each(func(r record) float64 { return worst(r.Z) }))),
		fmt.Sprintf("%.0f", report.Median(r.each(func(r record) float64 { return float64(r.Gradients) }))),
		report.Digits(r.efficiency()), report.Digits(slices.Min(eff)) + " to " + report.Digits(slices.Max(eff))}
	for _, p := range []*published{r.cmdStan, r.nutpie} {
		if p == nil {
			cells = append(cells, "", "")
			continue
		}
		ratio := ""
		if q, ok := r.ratio(p); ok {
			ratio = fmt.Sprintf("%.2f", q)
		}
		cells = append(cells, fmt.Sprintf("%s (%d/3)", report.Digits(p.ess), p.passed), ratio)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// known is 0 where v is undefined.
func known(v number) float64 {
	if math.IsNaN(float64(v)) {
		return 0
	}
	return float64(v)
}

// worst is infinite where v is undefined.
func worst(v number) float64 {
	if math.IsNaN(float64(v)) {
		return math.Inf(1)
	}
	return float64(v)
}

// summarize writes how many gates are passed, and the geometric means of the ratios.
func summarize(w io.Writer, rows []row) {
	passed, runs, compared := 0, 0, 0
	for _, r := range rows {
		if r.cmdStan != nil {
			compared++
			passed += r.passed()
			runs += len(r.runs)
		}
	}
	fmt.Fprintf(w, "Gates passed on the %d models with published figures: %d of %d.\n", compared,
		passed, runs)
	for _, other := range []struct {
		name string
		of   func(row) *published
	}{{"CmdStan", func(r row) *published { return r.cmdStan }},
		{"nutpie", func(r row) *published { return r.nutpie }}} {
		var all, rest []float64
		least, which := math.Inf(1), ""
		for _, r := range rows {
			q, ok := r.ratio(other.of(r))
			if !ok {
				continue
			}
			all = append(all, q)
			if r.name != "diamonds" {
				rest = append(rest, q)
			}
			if q < least {
				least, which = q, r.name
			}
		}
		if len(all) > 0 {
			fmt.Fprintf(w, "Ratio to %s, geometric mean over %d models that both pass: %.2f "+
				"(%.2f without diamonds); the least %.2f, of %s.\n", other.name, len(all),
				geometricMean(all), geometricMean(rest), least, which)
		}
	}
}

// geometricMean is NaN for no values.
func geometricMean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}
