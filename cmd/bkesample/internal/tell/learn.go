package tell

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/draws"
)

// learned is summary.json of learn.
type learned struct {
	SchemaVersion int               `json:"schema_version"`
	Command       string            `json:"command"`
	Seed          uint64            `json:"seed"`
	Verdict       []string          `json:"verdict"`
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
	Again   string // how to make it again
	Summary *learned
}

// NewLearnReport makes the summary.
func NewLearnReport(l *work.Learning, dir, again string) *LearnReport {
	s := l.Study
	r := &learned{SchemaVersion: draws.SchemaVersion, Command: "learn", Seed: s.Flags.Seed, Objective: l.Objective,
		Kernels: l.Kernels, Interval: IntervalRecord(s), Model: modelRecord(s),
		Modes: modeSummaries(s.Fit), Limit: number(s.Model.OmegaLimit()), Medians: l.Medians}
	r.Model.ThetaColumns = []number{}
	conditional := givenInputs(s, "The modes hold for these",
		"bkesample -sensitivity shows by how much here, and for other pseudo-inputs")
	ws, notes := modelWarnings(conditional, append(s.Model.Warnings(), s.Fit.Warnings...)...)
	r.Warnings, r.Notes = append([]draws.Warning{}, ws...), append(append([]string{}, s.Notes...),
		notes...)
	out := &LearnReport{Learning: l, dir: dir, Again: again, Summary: r}
	r.Verdict = []string{out.Finding()}
	return out
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

// Finding is the first sentence: the best lengthscale, and how sure it is.
func (r *LearnReport) Finding() string {
	text := "Theta = "
	if len(r.Summary.Modes[0].Theta) > 1 {
		text = "Theta of the columns = "
	}
	for k, t := range r.Summary.Modes[0].Theta {
		if k > 0 {
			text += ", "
		}
		text += Figures(float64(t))
	}
	if v := r.Study.Interval; v != nil {
		ends := fmt.Sprintf("from %s to %s", short(v.From), short(v.To))
		if upperEndOpen(r.Study) {
			ends = "above " + short(v.From)
		}
		text += fmt.Sprintf(", with a %.6g%% interval %s", 100*v.Level, ends)
	}
	if r.Study.Scaling != nil {
		text += ", for columns divided by their standard deviations"
	}
	if len(r.Kernels) > 1 {
		text += "; the best kernel is " + r.Summary.Model.Kernel
	}
	return text + "."
}

// Modes has a row for each mode.
func (r *LearnReport) Modes() Table {
	l, eta := r.Summary, r.Study.Flags.Nu == "gaussian"
	of := ""
	if len(l.Kernels) > 1 {
		of = " of kernel " + l.Model.Kernel
	}
	t := Table{Intro: fmt.Sprintf("Modes of the %s%s, the highest first:", l.Objective, of),
		Head: []string{"", "theta"}}
	if k := len(l.Modes[0].Theta); k > 1 {
		t.Head = t.Head[:1]
		for a := range k {
			t.Head = append(t.Head, fmt.Sprintf("theta[%d]", a+1))
		}
	}
	t.Head = append(t.Head, "tau2")
	if eta {
		t.Head = append(t.Head, "eta")
	}
	t.Head = append(t.Head, "log lik.", "log mass")
	for i, m := range l.Modes {
		row := []string{fmt.Sprintf("mode %d", i+1)}
		for _, v := range append(m.Theta, m.Tau2) {
			row = append(row, Figures(float64(v)))
		}
		if eta {
			row = append(row, Figures(float64(m.Eta)))
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.2f", float64(m.LogLik)),
			fmt.Sprintf("%.2f", float64(m.LogMass))))
	}
	return t
}

// Sure says how sure theta is, and what other rules choose.
func (r *LearnReport) Sure() []string {
	s := r.Study
	var out, rules []string
	if text := IntervalSentence(s, "The "+r.Objective+" by itself"); text != "" {
		out = append(out, text)
	}
	for _, m := range r.Medians {
		rules = append(rules, fmt.Sprintf("%s = %.4g", m.Rule, float64(m.Theta)))
	}
	out = append(out, "The median heuristic, in its three conventions: "+strings.Join(rules, ", ")+".")
	if s.Scaling != nil {
		out = append(out, fmt.Sprintf("All of these are for columns divided by their sd; theta of the "+
			"first mode in the units of each column: %s.", listOf(s.Data.Columns,
			s.Scaling.Theta(s.Fit.Modes[0].Params.Theta))))
	}
	return out
}

// Text prints what was found, the modes, the medians and what is to be said of them.
func (r *LearnReport) Text(out io.Writer) error {
	var b strings.Builder
	if d := r.Study.Data; d.Synthetic {
		paragraph(&b, fmt.Sprintf("The data are %s.", d.Source))
	}
	paragraph(&b, r.Finding())
	fmt.Fprintln(&b)
	kernels, text := r.KernelTable()
	for _, t := range []Table{kernels, r.Modes()} {
		if t.Head == nil {
			continue
		}
		if err := t.write(&b); err != nil {
			return err
		}
		fmt.Fprintln(&b)
	}
	for _, s := range append(r.Sure(), text) {
		paragraph(&b, s)
	}
	fmt.Fprintln(&b)
	paragraph(&b, r.Study.Data.Source+": "+r.Study.Describe()+".")
	for _, w := range r.Summary.Warnings {
		paragraph(&b, "Warning: "+w.String())
	}
	for _, n := range r.Summary.Notes {
		paragraph(&b, n)
	}
	fmt.Fprintf(&b, "\nOpen %s.\n", filepath.Join(r.dir, "report.html"))
	_, err := io.WriteString(out, b.String())
	return err
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
