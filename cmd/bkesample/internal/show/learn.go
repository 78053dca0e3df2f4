package show

import (
	"fmt"
	"math"

	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/tell"
	"bayeskernel/internal/figure"
	"bayeskernel/internal/page"
)

// Learn is the pictures of a learning, and its page.
func Learn(r *tell.LearnReport, beside []folder.File) ([]folder.File, error) {
	p := newPage(r.Finding(), r.Study.Data, r.Again)
	list := beside
	if r.Profile != nil {
		f := profilePicture(r)
		more, err := pictures("profile", f)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
		p.Figures = []page.Figure{{Draw: f, Caption: "The log pseudolikelihood over theta, with its modes " +
			"and the lengthscales of the median heuristic."}}
	}
	kernels, text := r.KernelTable()
	p.Sure = page.Section{Text: append(r.Sure(), text), Tables: []page.Table{table(r.Modes())}}
	if kernels.Head != nil {
		p.Sure.Tables = append(p.Sure.Tables, table(kernels))
	}
	p.Rests = page.Section{Text: []string{r.Study.Describe() + "."}, Warnings: warnings(r.Summary.Warnings),
		Notes: r.Summary.Notes}
	p.Settings = modelSettings(r.Study)
	return files(p, list, map[string]string{"summary.json": "all numbers", "profile.svg": "the picture",
		"profile.png": "the picture", "profile.csv": "the profile over theta"}), nil
}

// profilePicture draws the profile over theta.
func profilePicture(r *tell.LearnReport) figure.Profile {
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
