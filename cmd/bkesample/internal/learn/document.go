package learn

import (
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/draws"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// record is summary.json of learn.
type record struct {
	report.Head
	Seed      uint64             `json:"seed" doc:"The seed of all random numbers."`
	Verdict   []string           `json:"verdict" doc:"What was found, in sentences, the finding first."`
	Objective string             `json:"objective" doc:"What was maximised: pseudolikelihood or posterior."`
	Kernels   []KernelRow        `json:"kernels" doc:"The kernels that were compared, the best first."`
	Interval  *study.Interval    `json:"theta_interval" doc:"The honest interval of the lengthscale; null where there is none."`
	Model     study.ModelRecord  `json:"model" doc:"The data and the model of the kernel."`
	Modes     []study.ModeRecord `json:"modes" doc:"The modes of the best kernel, the highest first."`
	Limit     report.Number      `json:"omega_limit" doc:"The limit of the profile, for each row, as theta grows without bounds."`
	Medians   []medianRule       `json:"medians" doc:"The lengthscales of the median heuristic."`
	Warnings  []draws.Warning    `json:"warnings" doc:"What is wrong with the draws, the model or the fit."`
	Notes     []string           `json:"notes" doc:"What to keep in mind although nothing is wrong, in sentences."`
}

// document reports what was learned.
func (r *learning) document() *report.Document {
	s := r.Study
	m := &record{Head: report.NewHead("learn"), Seed: s.Flags.Seed, Verdict: []string{r.finding()},
		Objective: r.Objective, Kernels: r.Kernels, Interval: s.IntervalRecord(),
		Model: study.NewModelRecord(s), Modes: s.ModeRecords(),
		Limit: report.Number(s.Model.OmegaLimit()), Medians: r.Medians}
	m.Model.ThetaColumns = []report.Number{}
	conditional := study.GivenInputs(s, "The modes hold for these",
		"bkesample -sensitivity shows by how much here, and for other pseudo-inputs")
	ws, notes := s.ModelWarnings(conditional)
	m.Warnings, m.Notes = append([]draws.Warning{}, ws...), slices.Concat(s.Notes, notes)

	kernels, text := r.kernelTable()
	modes := r.modes()
	about := report.Paragraphs{s.Data.Source + ": " + s.Describe() + "."}
	for _, w := range m.Warnings {
		about = append(about, "Warning: "+w.String())
	}
	d := &report.Document{Page: s.Data.Page(r.finding()), Record: m,
		Printed: []report.Block{append(s.Data.Announced(), r.finding()), kernels, modes,
			report.Paragraphs(append(r.sure(), text)), append(about, m.Notes...)}}
	if r.Profile != nil {
		d.Files = []report.File{{Name: "profile.csv", What: "the profile over theta", Fill: r.writeProfile}}
		d.Figures = []page.Figure{{Draw: r.picture(), File: "profile", What: "the picture",
			Caption: "The log pseudolikelihood over theta, with its modes and the lengthscales of the median " +
				"heuristic."}}
	}
	d.Sure = page.Section{Text: append(r.sure(), text), Tables: report.Tables(modes, kernels)}
	d.Rests = page.Section{Text: []string{s.Describe() + "."}, Warnings: report.Warnings(m.Warnings),
		Notes: m.Notes}
	d.Settings = s.Settings()
	return d
}

// writeProfile writes the profile over theta, as CSV.
func (r *learning) writeProfile(w io.Writer) error {
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

// picture draws the profile over theta.
func (r *learning) picture() figure.Profile {
	s, p := r.Study, r.Profile
	f := figure.Profile{Title: s.Data.Source, XLabel: "theta"}
	if s.Scaling != nil {
		f.XLabel = "theta (columns divided by their sd)"
	}
	for i, v := range p.LogLik {
		if !math.IsInf(v, 0) {
			f.Theta, f.LogLik = append(f.Theta, p.Theta[i]), append(f.LogLik, v)
		}
	}
	for i, m := range s.Fit.Modes {
		f.Modes = append(f.Modes, figure.Mark{X: m.Params.Theta[0], Y: m.LogLik,
			Label: fmt.Sprintf("mode %d: %.3g", i+1, m.Params.Theta[0])})
	}
	for _, m := range r.Medians {
		f.Medians = append(f.Medians, figure.Mark{X: float64(m.Theta), Label: m.Rule})
	}
	return f
}
