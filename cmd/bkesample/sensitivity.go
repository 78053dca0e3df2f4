package main

import (
	"context"
	"fmt"
	"io"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/priors"
)

// sensitivityRow is what another choice would have led to.
type sensitivityRow struct {
	Choice    string   `json:"choice"`
	M         int      `json:"m"`
	Theta     []number `json:"theta"` // posterior mode, in the units of the model
	Tau2      number   `json:"tau2"`
	Certainty number   `json:"certainty"` // as in witness
	Share     number   `json:"share_excluding_zero"`
	Error     string   `json:"error,omitempty"`
}

// alternative is another way to set up the model of a study.
type alternative struct {
	name   string
	change func(*study) error
}

// sensitivity repeats the learning with other numbers of pseudo-inputs, other pseudo-inputs and
// other priors. The witness is that at the mode.
func sensitivity(ctx context.Context, s *study, f *witnessFlags) ([]sensitivityRow, error) {
	var out []sensitivityRow
	for _, c := range alternatives(s) {
		t := *s
		row := sensitivityRow{Choice: c.name}
		err := c.change(&t)
		if err == nil {
			err = t.relearn(ctx)
		}
		if err == nil {
			err = row.fill(&t, f)
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil {
			row.Error = oneLine(err)
		}
		out = append(out, row)
	}
	return out, nil
}

// alternatives are those that are compared, the one that was made first.
func alternatives(s *study) []alternative {
	chosen := func(kind inputs.Kind, m int, seed uint64) func(*study) error {
		return func(t *study) (err error) {
			t.inputs, err = inputs.Choose(context.Background(), t.all,
				inputs.Options{Kind: kind, Number: m, Seed: seed})
			return err
		}
	}
	m, _ := s.inputs.Z.Dims()
	kind := s.inputs.Kind
	if kind == inputs.Given {
		kind = inputs.Auto
	}
	other := kind
	if kind == inputs.Quantiles || kind == inputs.Auto {
		other = inputs.HeldOut // quantiles have no seed
	}
	out := []alternative{{"as it was", func(*study) error { return nil }}}
	for _, k := range []int{m / 2, 2 * m} {
		if k > s.model.Rank() {
			out = append(out, alternative{fmt.Sprintf("m = %d", k), chosen(kind, k, s.flags.seed)})
		}
	}
	for k := range uint64(4) {
		seed := s.flags.seed + 1 + k
		out = append(out, alternative{fmt.Sprintf("z from %v, seed %d", other, seed),
			chosen(other, m, seed)})
	}
	for _, by := range []float64{0.5, 2} {
		out = append(out, alternative{fmt.Sprintf("prior of theta × %g", by), func(t *study) error {
			t.priors.ThetaScale = by * t.scaleOfTheta()
			return nil
		}})
	}
	if s.flags.tau2 == 0 {
		out = append(out, alternative{"prior of tau2 gamma(1,4)", func(t *study) error {
			t.priors.Tau2 = priors.Gamma{Shape: 1, Rate: 4}
			return nil
		}})
	}
	return out
}

// fill reads off a fit.
func (r *sensitivityRow) fill(s *study, f *witnessFlags) error {
	best := s.fit.Modes[0].Params
	w, err := newWitness(s, f, []bke.Params{best})
	if err != nil {
		return err
	}
	r.M, r.Theta, r.Tau2 = s.model.M(), numbers(best.Theta), number(best.Tau2)
	r.Certainty, r.Share = number(w.certainty), number(w.share)
	return nil
}

// sensitivityTable prints what other choices lead to.
func sensitivityTable(w io.Writer, list []sensitivityRow) error {
	var body [][]string
	for _, r := range list {
		if r.Error != "" {
			body = append(body, []string{r.Choice, "", r.Error, "", "", ""})
			continue
		}
		theta := ""
		for i, t := range r.Theta {
			if i > 0 {
				theta += " "
			}
			theta += fmt.Sprintf("%.3g", float64(t))
		}
		body = append(body, []string{r.Choice, fmt.Sprint(r.M), theta,
			fmt.Sprintf("%.3g", float64(r.Tau2)), fmt.Sprintf("%.3f", float64(r.Certainty)),
			fmt.Sprintf("%.0f%%", 100*float64(r.Share))})
	}
	fmt.Fprintln(w, "Other choices: the posterior mode, the level up to which a simultaneous band "+
		"excludes 0, and the share\nof the points where the band at each point does.")
	return writeTable(w, []string{"", "m", "theta", "tau2", "level", "share"}, body)
}
