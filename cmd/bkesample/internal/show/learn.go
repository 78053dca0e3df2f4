package show

import (
	"fmt"
	"math"

	"bayeskernel/cmd/bkesample/internal/folder"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/internal/figure"
)

// ProfilePictures draw the profile over theta.
func ProfilePictures(l *work.Learning) ([]folder.File, error) {
	s, p := l.Study, l.Profile
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
	for _, m := range l.Medians {
		f.Medians = append(f.Medians, figure.Mark{X: float64(m.Theta), Label: m.Rule})
	}
	fig, err := f.Draw()
	if err != nil {
		return nil, err
	}
	return pictures("profile", fig), nil
}
