package study

import (
	"context"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/cmd/internal/cli"
)

// NoInterval begins the note that says why there is no interval.
const NoInterval = "There is no interval of theta: "

// FindInterval computes the interval of theta for the fit of s; p are the priors of that fit, nil
// if it has none. If there is no interval, a note says why.
func (s *Study) FindInterval(ctx context.Context, con *cli.Console, p *bke.Priors) error {
	if s.Flags.noInterval || s.Flags.Ard {
		return nil
	}
	for _, b := range s.Fit.Modes[0].AtBound {
		if b.Name == "theta" {
			s.Notes = append(s.Notes, NoInterval+"its best value is at the end of its range.")
			return nil
		}
	}
	if s.Summed != nil {
		s.keepInterval(s.Summed.Sum.Interval(s.Fit, s.Model.Weight(), 0))
		return nil
	}
	what := "interval of theta, about 250 passes over the rows"
	if k := s.Inputs.Kind; k == inputs.KMeans || k == inputs.HeldOut {
		what = "interval of theta, about 400 passes over the rows"
	}
	line := con.Working("%s", what)
	defer line.End()
	f := &bke.Fitted{Inputs: s.Inputs, Model: s.Model, Fit: s.Fit}
	found, err := f.ThetaInterval(ctx, s.All, p, bke.IntervalOptions{Seed: s.Flags.Seed})
	if ctx.Err() != nil {
		return err
	}
	s.keepInterval(found, err)
	return nil
}

// keepInterval keeps an interval, or the note that says why there is none.
func (s *Study) keepInterval(found *bke.ThetaInterval, err error) {
	if err != nil {
		s.Notes = append(s.Notes, NoInterval+cli.OneLine(err)+".")
		return
	}
	s.Interval = found
}
