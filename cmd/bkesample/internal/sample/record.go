package sample

import (
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/draws"
	"cmp"
	"slices"
	"strings"
)

// Record is summary.json.
type Record struct {
	report.Head
	Seed    uint64   `json:"seed" doc:"The seed of all random numbers."`
	Partial bool     `json:"partial" doc:"Whether the run was stopped before its end."`
	Found   []string `json:"verdict" doc:"What was found, in sentences, the finding first."`
	tests.Verdict
	Sizes       *tests.SizesRecord   `json:"sizes,omitempty" doc:"How large the differences are, in numbers that do not grow with the rows; not there with -weights, nor with -blocks unless blocks are pairs."`
	Given       string               `json:"parameters_given" doc:"What the parameters, the draws and -verify are conditional on."`
	Parameters  []draws.Parameter    `json:"parameters" doc:"The posterior of each hyperparameter, from the draws."`
	Interval    *study.Interval      `json:"theta_interval" doc:"The honest interval of the lengthscale; null where there is none."`
	Model       study.ModelRecord    `json:"model" doc:"The data and the model of the kernel."`
	Sampler     draws.Sampler        `json:"sampler" doc:"The settings of the sampler."`
	Stopped     string               `json:"stopped" doc:"Why the run ended early; empty if it did not."`
	Draws       int                  `json:"draws" doc:"The number of draws of each chain that is used."`
	Chains      []draws.ChainSummary `json:"chains" doc:"What each chain did."`
	Modes       []study.ModeRecord   `json:"modes" doc:"The modes that were found, the highest first."`
	Influence   []influence          `json:"prior_influence" doc:"How much the priors, rather than the data, decide."`
	Warnings    []draws.Warning      `json:"warnings" doc:"What is wrong with the draws, the model or the fit."`
	Notes       []string             `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
	Witness     *witnessSummary      `json:"witness" doc:"The function that is shown; null if there is none."`
	Weights     *tests.WeightsRecord `json:"weights,omitempty" doc:"The weights of the rows; not there without -weights."`
	Verify      []verified           `json:"verify,omitempty" doc:"The draws against quadrature; only with -verify."`
	Sensitivity []sensitivityRow     `json:"sensitivity,omitempty" doc:"What other choices lead to; only with -sensitivity."`
	Bayes       *tests.BayesRecord   `json:"bayes,omitempty" doc:"The Bayes factor; not there without -bayes."`
}

// record is the summary.json of a run.
func (r *sampled) record() *Record {
	st := r.Study
	m := &Record{Head: report.NewHead("sample"), Partial: r.Partial, Given: study.Given,
		Parameters: r.Draws.Parameters, Interval: st.IntervalRecord(), Model: study.NewModelRecord(st),
		Sampler: r.Draws.Sampler, Seed: r.Draws.Seed,
		Stopped: cmp.Or(r.Draws.Interrupted, r.Draws.Stopped), Draws: r.Draws.Draws,
		Chains: r.Draws.Chains, Modes: st.ModeRecords(), Influence: r.Influence,
		Witness: witnessRecord(r.Shown), Verdict: tests.NewVerdict(r.Shown.Two),
		Weights: tests.NewWeightsRecord(st.Data), Verify: r.Verified, Sensitivity: r.Sensitivity,
		Bayes: r.Bayes.Record(), Sizes: r.Sizes.Record()}
	m.Model.ThetaColumns = r.thetaColumns()
	m.Warnings, m.Notes = r.warnings()
	return m
}

// warnings are those of the draws, then those of the model and the fit; notes is everything else.
func (r *sampled) warnings() (warnings []draws.Warning, notes []string) {
	hint := "-sensitivity shows by how much here, and for other pseudo-inputs"
	if r.Compare.Sensitivity {
		hint = "the table of other choices shows by how much here"
	}
	conditional := study.GivenInputs(r.Study, "The chains sample the posterior given these", hint)
	ws, more := r.Study.ModelWarnings(conditional)
	warnings = append(append([]draws.Warning{}, r.Draws.Warnings...), ws...)
	notes = unlike(warnings, r.Study.Notes, shownNotes(r.Shown), r.Draws.Notes, more)
	if r.Interrupted != "" {
		notes = append(notes, "Interrupted before "+r.Interrupted+" ended.")
	}
	return warnings, notes
}

// unlike joins notes without repeats, and without what a warning already says.
func unlike(said []draws.Warning, lists ...[]string) []string {
	seen, out := map[string]bool{}, []string{}
	for _, w := range said {
		seen[w.Finding] = true
	}
	for _, n := range slices.Concat(lists...) {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// thetaColumns is the posterior mean of the lengthscale in the units of each column.
func (r *sampled) thetaColumns() []report.Number {
	var theta []float64
	for _, p := range r.Draws.Parameters {
		if p.Name == "theta" || strings.HasPrefix(p.Name, "theta[") {
			theta = append(theta, p.Mean)
		}
	}
	if r.Study.Scaling == nil {
		if len(theta) == 1 {
			_, dim := r.Study.Data.P.Dims()
			for len(theta) < dim {
				theta = append(theta, theta[0])
			}
		}
		return report.Numbers(theta)
	}
	return report.Numbers(r.Study.Scaling.Theta(theta))
}
