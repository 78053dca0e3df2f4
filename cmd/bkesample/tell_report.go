package main

import (
	"bayeskernel/draws"
	"cmp"
	"fmt"
	"io"
	"strings"
)

// report is what is told of a run.
type report struct {
	*sampled
	dir     string
	command string // how to make the run again
	test    string // how to test the same files, "" without any
	summary *summary
	verdict []string
}

// newReport puts a run into words; data are the flags and files of its data.
func newReport(s *sampled, dir, command string, data []string) *report {
	r := &report{sampled: s, dir: dir, command: command}
	if !s.study.data.synthetic {
		r.test = commandMark + strings.Join(append([]string{"twosample"}, data...), " ")
	}
	r.summary = r.summarise()
	r.verdict = r.sentences()
	r.summary.Verdict = r.verdict
	return r
}

// summarise makes summary.json, but for what takes longer.
func (r *report) summarise() *summary {
	s := &summary{SchemaVersion: draws.SchemaVersion, Command: "sample", Partial: r.partial,
		Given: given, Parameters: r.draws.Parameters, Interval: intervalRecordOf(r.study),
		Model: modelRecord(r.study), Sampler: r.draws.Sampler,
		Seed: r.draws.Seed, Stopped: cmp.Or(r.draws.Interrupted, r.draws.Stopped), Draws: r.draws.Draws, Chains: r.draws.Chains,
		Modes: modeSummaries(r.study.fit), Influence: r.influence, Witness: witnessRecord(r.witness),
		Weights: weightsRecord(r.study.data),
		Verify:  r.verified, Sensitivity: r.sensitivity}
	s.Model.ThetaColumns = r.thetaColumns()
	hint := "-sensitivity shows by how much here, and for other pseudo-inputs"
	if r.compare.sensitivity {
		hint = "the table of other choices shows by how much here"
	}
	conditional := givenInputs(r.study, "The chains sample the posterior given these", hint)
	ws, notes := modelWarnings(conditional,
		append(r.study.model.Warnings(), r.study.fit.Warnings...)...)
	s.Warnings = append(append([]draws.Warning{}, r.draws.Warnings...), ws...)
	s.Notes = append(append(append([]string{}, r.study.notes...), r.draws.Notes...), notes...)
	if r.interrupted != "" {
		s.Notes = append(s.Notes, "Interrupted before "+r.interrupted+" ended.")
	}
	return s
}

// thetaColumns is the posterior mean of the lengthscale in the units of each column.
func (r *report) thetaColumns() []number {
	var theta []float64
	for _, p := range r.draws.Parameters {
		if p.Name == "theta" || strings.HasPrefix(p.Name, "theta[") {
			theta = append(theta, p.Mean)
		}
	}
	if r.study.scaling == nil {
		if len(theta) == 1 {
			_, dim := r.study.data.p.Dims()
			for len(theta) < dim {
				theta = append(theta, theta[0])
			}
		}
		return numbers(theta)
	}
	return numbers(r.study.scaling.Theta(theta))
}

// writeWitness writes the witness at each point, as CSV.
func (r *report) writeWitness(w io.Writer) error {
	return witnessCSV(r.witness, w, r.study.data.columns)
}

// title heads the picture.
func (r *report) title() string {
	d := r.study.data
	n, _ := d.p.Dims()
	if d.q == nil {
		return fmt.Sprintf("Mean embedding of %s, n = %d", d.pName, n)
	}
	k, _ := d.q.Dims()
	if n == k {
		return fmt.Sprintf("%s and %s, n = %d each", d.pName, d.qName, n)
	}
	return fmt.Sprintf("%s (n = %d) and %s (n = %d)", d.pName, n, d.qName, k)
}
