package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"bayeskernel/draws"
	"bayeskernel/internal/figure"
	"bayeskernel/kernels"
)

func learnCommand() command {
	return command{
		name: "learn", args: "[P.csv [Q.csv]]",
		summary: "find the lengthscale by maximum pseudolikelihood: modes, profile, medians",
		about: `Learns the lengthscale of a kernel without sampling. It shows the modes of the marginal
pseudolikelihood (with -map, those of the posterior), the profile over theta, and the
lengthscales of the median heuristic for comparison. Several kernels (-kernel se,matern52) are
compared, and the best one is shown in detail. Two samples are pooled. Without a file it takes
the example of Flaxman et al. (2016).`,
		flags: func(s *flagSet) func(context.Context, *console, []string) error {
			j := &learnJob{}
			j.data.define(s, true, "They do not enter the likelihood: the kernel is learned from the "+
				"rows as they are")
			j.model.define(s, "the radial `kernel`: "+radialNames+"; or several separated by "+
				"commas, which are compared at the pseudo-inputs that the first one calls for")
			s.yes(&j.posterior, "map", "include the priors: modes of the posterior, not of the "+
				"pseudolikelihood")
			j.output.define(s, "learn")
			return func(ctx context.Context, con *console, files []string) error {
				j.output.hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type learnJob struct {
	data      dataFlags
	model     modelFlags
	output    outputFlags
	posterior bool
}

// learned is summary.json of this command.
type learned struct {
	SchemaVersion int              `json:"schema_version"`
	Command       string           `json:"command"`
	Objective     string           `json:"objective"` // "pseudolikelihood" or "posterior"
	Kernels       []kernelRow      `json:"kernels"`   // the best first
	Interval      *intervalSummary `json:"theta_interval"`
	Model         modelSummary     `json:"model"` // of the best kernel, as all that follows
	Modes         []modeSummary    `json:"modes"`
	Limit         number           `json:"omega_limit"` // per row, of the profile as theta -> infinity
	Medians       []medianRule     `json:"medians"`
	Warnings      []draws.Warning  `json:"warnings"`
	Notes         []string         `json:"notes"`
}

// medianRule is a lengthscale by the median heuristic.
type medianRule struct {
	Rule  string `json:"rule"`
	Theta number `json:"theta"`
}

func (j *learnJob) run(ctx context.Context, set *flagSet, con *console, files []string) error {
	if err := j.model.kernel.readList(); err != nil {
		return err
	}
	if err := j.model.check(set); err != nil {
		return err
	}
	if err := j.output.check(set); err != nil {
		return err
	}
	data, err := j.data.load(set, con, files)
	if err != nil {
		return err
	}
	if data == nil {
		if data, err = example(j.data.n, j.model.seed); err != nil {
			return err
		}
	}
	if w := data.weights; w != nil {
		data.notes = append(data.notes, fmt.Sprintf("The weights of column %s do not enter the "+
			"likelihood: the kernel is learned from the rows as they are.", w.column))
	}
	if err := j.model.admit(data); err != nil {
		return err
	}
	dir, err := j.output.prepare()
	if err != nil {
		return err
	}
	s, err := newStudy(ctx, &j.model, con, data)
	if err != nil {
		return err
	}
	l, err := j.learn(ctx, s)
	if err != nil {
		return err
	}
	profile, err := l.files(ctx, s, j.model.ard)
	if err != nil {
		return err
	}
	if err := writeFiles(dir, profile, "profile.csv", "profile.png", "profile.svg"); err != nil {
		return err
	}
	switch {
	case j.output.quiet:
		return nil
	case j.output.format == "json":
		return writeJSON(con.stdout, l)
	}
	return l.text(con.stdout, s, dir)
}

// learn compares the kernels and looks closer at the best.
func (j *learnJob) learn(ctx context.Context, s *study) (*learned, error) {
	l := &learned{SchemaVersion: draws.SchemaVersion, Command: "learn", Objective: "posterior"}
	var err error
	if l.Kernels, err = compareKernels(ctx, s); err != nil {
		return nil, err
	}
	s.pick(l.Kernels[0].candidate)
	priors := &s.priors
	if !j.posterior {
		l.Objective, s.fit, priors = "pseudolikelihood", l.Kernels[0].free, nil
	}
	if err := s.findInterval(ctx, priors); err != nil {
		return nil, err
	}
	l.Interval, l.Model, l.Modes = s.intervalRecord(), s.summarise(), modeSummaries(s.fit)
	l.Limit = number(s.model.OmegaLimit())
	l.Model.ThetaColumns = []number{}
	if l.Medians, err = medianRules(s); err != nil {
		return nil, err
	}
	conditional := s.givenInputs("The modes hold for these",
		"bkesample -sensitivity shows by how much here, and for other pseudo-inputs")
	ws, notes := modelWarnings(conditional, append(s.model.Warnings(), s.fit.Warnings...)...)
	l.Warnings, l.Notes = append([]draws.Warning{}, ws...), append(append([]string{}, s.notes...),
		notes...)
	return l, nil
}

// medianRules are the three conventions, in the units of the model.
func medianRules(s *study) ([]medianRule, error) {
	med, err := kernels.MedianDistance(s.all, s.flags.seed)
	if err != nil {
		return nil, s.explain(err)
	}
	var out []medianRule
	for _, c := range []kernels.Convention{kernels.MedianOverSqrt2, kernels.Median,
		kernels.Sqrt2Median} {
		out = append(out, medianRule{c.String(), number(med.Lengthscale(c))})
	}
	return out, nil
}

// files are what is written: with one lengthscale, the profile too.
func (l *learned) files(ctx context.Context, s *study, ard bool) ([]file, error) {
	out := []file{{"summary.json", func(w io.Writer) error { return writeJSON(w, l) }}}
	if ard {
		return out, nil
	}
	line := s.con.working("profile over theta")
	p, err := s.model.Profile(ctx, nil)
	line.end()
	if err != nil {
		return nil, err
	}
	out = append(out, file{"profile.csv", func(w io.Writer) error {
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
	}})
	f := figure.Profile{Title: s.data.source, XLabel: "theta"}
	if s.scaling != nil {
		f.XLabel = "theta (columns divided by their sd)"
	}
	for i, v := range p.LogLik {
		if !math.IsInf(v, 0) {
			f.Theta, f.LogLik = append(f.Theta, p.Theta[i]), append(f.LogLik, v)
		}
	}
	for i, m := range s.fit.Modes {
		f.Modes = append(f.Modes, figure.Mark{X: m.Params.Theta[0], Y: m.LogLik,
			Label: fmt.Sprintf("mode %d: %.3g", i+1, m.Params.Theta[0])})
	}
	for _, m := range l.Medians {
		f.Medians = append(f.Medians, figure.Mark{X: float64(m.Theta), Label: m.Rule})
	}
	fig, err := f.Draw()
	if err != nil {
		return nil, err
	}
	return append(out, file{"profile.png", fig.WritePNG}, file{"profile.svg", fig.WriteSVG}), nil
}

// text prints the modes, the medians and what is to be said of them.
func (l *learned) text(out io.Writer, s *study, dir string) error {
	var b strings.Builder
	if s.data.synthetic {
		fmt.Fprintf(&b, "The data are %s.\n", s.data.source)
	}
	of := ""
	if len(l.Kernels) > 1 {
		if err := kernelTable(&b, l.Kernels); err != nil {
			return err
		}
		of = " of kernel " + l.Model.Kernel
	}
	fmt.Fprintf(&b, "Modes of the %s%s, the highest first:\n\n", l.Objective, of)
	head := []string{""}
	for k := range l.Modes[0].Theta {
		if len(l.Modes[0].Theta) == 1 {
			head = append(head, "theta")
		} else {
			head = append(head, fmt.Sprintf("theta[%d]", k+1))
		}
	}
	head = append(head, "tau2")
	if s.flags.nu == "gaussian" {
		head = append(head, "eta")
	}
	head = append(head, "log lik.", "log mass")
	var body [][]string
	for i, m := range l.Modes {
		row := []string{fmt.Sprintf("mode %d", i+1)}
		for _, t := range m.Theta {
			row = append(row, figures(float64(t)))
		}
		row = append(row, figures(float64(m.Tau2)))
		if s.flags.nu == "gaussian" {
			row = append(row, figures(float64(m.Eta)))
		}
		body = append(body, append(row, fmt.Sprintf("%.2f", float64(m.LogLik)),
			fmt.Sprintf("%.2f", float64(m.LogMass))))
	}
	if err := writeTable(&b, head, body); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	if s := s.intervalSentence("The " + l.Objective + " by itself"); s != "" {
		paragraph(&b, s)
	}
	if len(l.Kernels) == 1 {
		if err := kernelTable(&b, l.Kernels); err != nil {
			return err
		}
	}
	var rules []string
	for _, m := range l.Medians {
		rules = append(rules, fmt.Sprintf("%s = %.4g", m.Rule, float64(m.Theta)))
	}
	paragraph(&b, "The median heuristic, in its three conventions: "+strings.Join(rules, ", ")+".")
	if s.scaling != nil {
		paragraph(&b, fmt.Sprintf("All of these are for columns divided by their sd; theta of the "+
			"first mode in the units of each column: %s.", listOf(s.data.columns,
			s.scaling.Theta(s.fit.Modes[0].Params.Theta))))
	}
	fmt.Fprintln(&b)
	paragraph(&b, s.data.source+": "+s.describe())
	for _, w := range l.Warnings {
		paragraph(&b, "Warning: "+w.String())
	}
	for _, n := range l.Notes {
		paragraph(&b, n)
	}
	fmt.Fprintf(&b, "\nFiles in %s.\n", dir)
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
