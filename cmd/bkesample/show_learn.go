package main

import (
	"bayeskernel/internal/figure"
	"fmt"
	"math"
)

// profileFiles are what learn leaves with one lengthscale only.
var profileFiles = []string{"profile.csv", "profile.png", "profile.svg"}

// profilePictures draw the profile over theta.
func profilePictures(l *learning) ([]file, error) {
	s, p := l.study, l.profile
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
	for _, m := range l.medians {
		f.Medians = append(f.Medians, figure.Mark{X: float64(m.Theta), Label: m.Rule})
	}
	fig, err := f.Draw()
	if err != nil {
		return nil, err
	}
	return []file{{"profile.png", fig.WritePNG}, {"profile.svg", fig.WriteSVG}}, nil
}
