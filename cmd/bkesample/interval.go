package main

import (
	"context"
	"fmt"
	"strings"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
)

// intervalSummary is the interval of theta in summary.json, in the units of theta there.
type intervalSummary struct {
	From        number `json:"from"`
	To          number `json:"to"`
	Level       number `json:"level"`
	Temper      number `json:"temper"` // the power of the pseudolikelihood
	SDSandwich  number `json:"sd_sandwich"`
	SDJackknife number `json:"sd_jackknife"`
	SDSeeds     number `json:"sd_seeds"` // all three of log theta
}

// findInterval computes the interval of theta for the fit of s; p are the priors of that fit, nil
// if it has none. Where there is no interval, a note says why.
func (s *study) findInterval(ctx context.Context, p *bke.Priors) error {
	if s.flags.noInterval || s.flags.ard {
		return nil
	}
	for _, b := range s.fit.Modes[0].AtBound {
		if b.Name == "theta" {
			s.notes = append(s.notes, "There is no interval of theta: its best value is at the end "+
				"of its range.")
			return nil
		}
	}
	what := "interval of theta, about 250 passes over the rows"
	if k := s.inputs.Kind; k == inputs.KMeans || k == inputs.HeldOut {
		what = "interval of theta, about 400 passes over the rows"
	}
	line := s.con.working("%s", what)
	defer line.end()
	f := &bke.Fitted{Inputs: s.inputs, Model: s.model, Fit: s.fit}
	found, err := f.ThetaInterval(ctx, s.all, p, bke.IntervalOptions{Seed: s.flags.seed})
	switch {
	case ctx.Err() != nil:
		return err
	case err != nil:
		s.notes = append(s.notes, "There is no interval of theta: "+oneLine(err)+".")
		return nil
	}
	s.interval = found
	return nil
}

// intervalRecordOf is the interval for summary.json, nil if there is none.
func intervalRecordOf(s *study) *intervalSummary {
	v := s.interval
	if v == nil {
		return nil
	}
	return &intervalSummary{From: number(v.From), To: number(v.To), Level: number(v.Level),
		Temper: number(v.Temper), SDSandwich: number(v.SDSandwich),
		SDJackknife: number(v.SDJackknife), SDSeeds: number(v.SDSeeds)}
}

// posteriorIs is what the interval of the main command is compared with.
const posteriorIs = "The posterior given these pseudo-inputs"

// intervalSentence says how sure theta is; "" if that is not known. The narrower is what gives a
// narrower interval: the posterior, or the pseudolikelihood.
func intervalSentence(s *study, narrower string) string {
	v := s.interval
	if v == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%.6g%% interval of theta: %s to %s", 100*v.Level, figures(v.From),
		figures(v.To))
	if s.scaling != nil {
		b.WriteString(", for columns divided by their sd")
	}
	switch n, dim := s.model.N(), s.model.Dim(); {
	case v.AtLeast && dim > 1:
		b.WriteString(" (or wider: with several columns this may be too narrow)")
	case v.AtLeast:
		fmt.Fprintf(&b, " (or wider: with only %d rows this may be too narrow)", n)
	}
	b.WriteString(".")
	if v.Temper > 0.9 {
		return b.String()
	}
	fmt.Fprintf(&b, " %s gives log theta a variance about %.2g times smaller, because a "+
		"pseudolikelihood counts rows for more than they are worth", narrower, 1/v.Temper)
	if v.SDSeeds > 0 {
		b.WriteString(" and the pseudo-inputs are taken as given")
	}
	b.WriteString(".")
	return b.String()
}
