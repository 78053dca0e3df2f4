// Package tell puts results into words, tables, and the records of summary.json. It opens no file.
package tell

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/draws"
)

// Report is what is told of a run.
type Report struct {
	*work.Sampled
	dir     string
	Command string // how to make the run again
	test    string // how to test the same files, "" without any
	Summary *Summary
	Verdict []string
}

// NewReport puts a run into words; data are the flags and files of its data.
func NewReport(s *work.Sampled, dir, command string, data []string) *Report {
	r := &Report{Sampled: s, dir: dir, Command: command}
	if !s.Study.Data.Synthetic {
		r.test = commandMark + strings.Join(append([]string{"twosample"}, data...), " ")
	}
	r.Summary = r.summarise()
	r.Verdict = r.sentences()
	r.Summary.Verdict = r.Verdict
	return r
}

// summarise makes summary.json, but for what takes longer.
func (r *Report) summarise() *Summary {
	s := &Summary{SchemaVersion: draws.SchemaVersion, Command: "sample", Partial: r.Partial,
		Given: given, Parameters: r.Draws.Parameters, Interval: IntervalRecord(r.Study),
		Model: modelRecord(r.Study), Sampler: r.Draws.Sampler,
		Seed: r.Draws.Seed, Stopped: cmp.Or(r.Draws.Interrupted, r.Draws.Stopped),
		Draws: r.Draws.Draws, Chains: r.Draws.Chains,
		Modes: modeSummaries(r.Study.Fit), Influence: r.Influence, Witness: witnessRecord(r.Witness),
		Weights: weightsRecord(r.Study.Data),
		Verify:  r.Verified, Sensitivity: r.Sensitivity}
	s.Model.ThetaColumns = r.thetaColumns()
	hint := "-sensitivity shows by how much here, and for other pseudo-inputs"
	if r.Compare.Sensitivity {
		hint = "the table of other choices shows by how much here"
	}
	conditional := givenInputs(r.Study, "The chains sample the posterior given these", hint)
	ws, notes := modelWarnings(conditional,
		append(r.Study.Model.Warnings(), r.Study.Fit.Warnings...)...)
	s.Warnings = append(append([]draws.Warning{}, r.Draws.Warnings...), ws...)
	s.Notes = append(append(append([]string{}, r.Study.Notes...), r.Draws.Notes...), notes...)
	if r.Interrupted != "" {
		s.Notes = append(s.Notes, "Interrupted before "+r.Interrupted+" ended.")
	}
	return s
}

// thetaColumns is the posterior mean of the lengthscale in the units of each column.
func (r *Report) thetaColumns() []number {
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
		return numbers(theta)
	}
	return numbers(r.Study.Scaling.Theta(theta))
}

// WriteWitness writes the witness at each point, as CSV.
func (r *Report) WriteWitness(w io.Writer) error {
	return witnessCSV(r.Witness, w, r.Study.Data.Columns)
}

// Title heads the picture.
func (r *Report) Title() string {
	d := r.Study.Data
	n, _ := d.P.Dims()
	if d.Q == nil {
		return fmt.Sprintf("Mean embedding of %s, n = %d", d.PName, n)
	}
	k, _ := d.Q.Dims()
	if n == k {
		return fmt.Sprintf("%s and %s, n = %d each", d.PName, d.QName, n)
	}
	return fmt.Sprintf("%s (n = %d) and %s (n = %d)", d.PName, n, d.QName, k)
}
