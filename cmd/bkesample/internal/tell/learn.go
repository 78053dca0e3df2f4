package tell

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/draws"
)

// learned is summary.json of learn.
type learned struct {
	SchemaVersion int               `json:"schema_version"`
	Command       string            `json:"command"`
	Objective     string            `json:"objective"` // "pseudolikelihood" or "posterior"
	Kernels       []work.KernelRow  `json:"kernels"`   // the best first
	Interval      *Interval         `json:"theta_interval"`
	Model         modelSummary      `json:"model"` // of the best kernel, as all that follows
	Modes         []modeSummary     `json:"modes"`
	Limit         number            `json:"omega_limit"` // per row, of the profile as theta -> infinity
	Medians       []work.MedianRule `json:"medians"`
	Warnings      []draws.Warning   `json:"warnings"`
	Notes         []string          `json:"notes"`
}

// LearnReport is what is told of a learning.
type LearnReport struct {
	*work.Learning
	dir     string
	Summary *learned
}

// NewLearnReport makes the summary.
func NewLearnReport(l *work.Learning, dir string) *LearnReport {
	s := l.Study
	r := &learned{SchemaVersion: draws.SchemaVersion, Command: "learn", Objective: l.Objective,
		Kernels: l.Kernels, Interval: IntervalRecord(s), Model: modelRecord(s),
		Modes: modeSummaries(s.Fit), Limit: number(s.Model.OmegaLimit()), Medians: l.Medians}
	r.Model.ThetaColumns = []number{}
	conditional := givenInputs(s, "The modes hold for these",
		"bkesample -sensitivity shows by how much here, and for other pseudo-inputs")
	ws, notes := modelWarnings(conditional, append(s.Model.Warnings(), s.Fit.Warnings...)...)
	r.Warnings, r.Notes = append([]draws.Warning{}, ws...), append(append([]string{}, s.Notes...),
		notes...)
	return &LearnReport{Learning: l, dir: dir, Summary: r}
}

// WriteProfile writes the profile over theta, as CSV.
func (r *LearnReport) WriteProfile(w io.Writer) error {
	p := r.Profile
	b := []byte("theta,log_pseudolikelihood,tau2")
	if p.Eta != nil {
		b = append(b, ",eta"...)
	}
	for i, t := range p.Theta {
		b = append(b, '\n')
		b = append(strconv.AppendFloat(b, t, 'g', -1, 64), ',')
		if !math.IsInf(p.LogLik[i], 0) {
			b = strconv.AppendFloat(b, p.LogLik[i], 'g', -1, 64)
		}
		b = strconv.AppendFloat(append(b, ','), p.Tau2[i], 'g', -1, 64)
		if p.Eta != nil {
			b = strconv.AppendFloat(append(b, ','), p.Eta[i], 'g', -1, 64)
		}
	}
	_, err := w.Write(append(b, '\n'))
	return err
}

// Text prints the modes, the medians and what is to be said of them.
func (r *LearnReport) Text(out io.Writer) error {
	s, l := r.Study, r.Summary
	var b strings.Builder
	if s.Data.Synthetic {
		fmt.Fprintf(&b, "The data are %s.\n", s.Data.Source)
	}
	of := ""
	if len(l.Kernels) > 1 {
		if err := kernelTable(&b, r.Kernels); err != nil {
			return err
		}
		of = " of kernel " + l.Model.Kernel
	}
	fmt.Fprintf(&b, "Modes of the %s%s, the highest first:\n\n", l.Objective, of)
	if err := modesTable(&b, l.Modes, s.Flags.Nu == "gaussian"); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	if s := IntervalSentence(s, "The "+l.Objective+" by itself"); s != "" {
		paragraph(&b, s)
	}
	if len(l.Kernels) == 1 {
		if err := kernelTable(&b, r.Kernels); err != nil {
			return err
		}
	}
	var rules []string
	for _, m := range l.Medians {
		rules = append(rules, fmt.Sprintf("%s = %.4g", m.Rule, float64(m.Theta)))
	}
	paragraph(&b, "The median heuristic, in its three conventions: "+strings.Join(rules, ", ")+".")
	if s.Scaling != nil {
		paragraph(&b, fmt.Sprintf("All of these are for columns divided by their sd; theta of the "+
			"first mode in the units of each column: %s.", listOf(s.Data.Columns,
			s.Scaling.Theta(s.Fit.Modes[0].Params.Theta))))
	}
	fmt.Fprintln(&b)
	paragraph(&b, s.Data.Source+": "+s.Describe())
	for _, w := range l.Warnings {
		paragraph(&b, "Warning: "+w.String())
	}
	for _, n := range l.Notes {
		paragraph(&b, n)
	}
	fmt.Fprintf(&b, "\nFiles in %s.\n", r.dir)
	_, err := io.WriteString(out, b.String())
	return err
}

// modesTable has a row for each mode; eta is set where it is a parameter.
func modesTable(w io.Writer, modes []modeSummary, eta bool) error {
	head := []string{""}
	for k := range modes[0].Theta {
		if len(modes[0].Theta) == 1 {
			head = append(head, "theta")
		} else {
			head = append(head, fmt.Sprintf("theta[%d]", k+1))
		}
	}
	head = append(head, "tau2")
	if eta {
		head = append(head, "eta")
	}
	head = append(head, "log lik.", "log mass")
	var body [][]string
	for i, m := range modes {
		row := []string{fmt.Sprintf("mode %d", i+1)}
		for _, t := range m.Theta {
			row = append(row, Figures(float64(t)))
		}
		row = append(row, Figures(float64(m.Tau2)))
		if eta {
			row = append(row, Figures(float64(m.Eta)))
		}
		body = append(body, append(row, fmt.Sprintf("%.2f", float64(m.LogLik)),
			fmt.Sprintf("%.2f", float64(m.LogMass))))
	}
	return writeTable(w, head, body)
}

// listOf writes name = value, …
func listOf(names []string, values []float64) string {
	var parts []string
	for i, n := range names {
		if i < len(values) {
			parts = append(parts, fmt.Sprintf("%s = %s", n, short(values[i])))
		}
	}
	return strings.Join(parts, ", ")
}
