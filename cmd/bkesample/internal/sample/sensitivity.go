package sample

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/bke"
	"bayeskernel/bke/inputs"
	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/priors"
)

// sensitivityRow is the result of another choice.
type sensitivityRow struct {
	Choice string          `json:"choice" doc:"What was chosen differently."`
	M      int             `json:"m" doc:"The number of pseudo-inputs."`
	Theta  []report.Number `json:"theta" doc:"The posterior mode of the lengthscales, in the units of the model."`
	Tau2   report.Number   `json:"tau2" doc:"The posterior mode of tau2."`
	P      report.Number   `json:"p" doc:"The p-value of the test with kernels at theta and 4 theta; null for one sample."`
	Error  string          `json:"error,omitempty" doc:"Why this choice led to nothing."`
}

// alternative is another way to set up the model of a study.
type alternative struct {
	name   string
	change func(*study.Study) error
}

// sensitivity refits the model with other numbers of pseudo-inputs, other pseudo-inputs and other
// priors, and tests the samples with each fit.
func sensitivity(ctx context.Context, con *cli.Console, s *study.Study) ([]sensitivityRow, error) {
	var out []sensitivityRow
	for _, c := range alternatives(s) {
		t := *s
		row := sensitivityRow{Choice: c.name, Theta: []report.Number{}}
		err := c.change(&t)
		if err == nil {
			err = t.Relearn(ctx, con)
		}
		if err == nil {
			err = row.fill(ctx, &t)
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil {
			row.Error = cli.OneLine(err)
		}
		out = append(out, row)
	}
	return out, nil
}

// alternatives lists the setups to compare, the one in use first.
func alternatives(s *study.Study) []alternative {
	chosen := func(kind inputs.Kind, m int, seed uint64) func(*study.Study) error {
		return func(t *study.Study) (err error) {
			t.Inputs, err = inputs.Choose(context.Background(), t.All,
				inputs.Options{Kind: kind, Number: m, Seed: seed})
			return err
		}
	}
	m, _ := s.Inputs.Z.Dims()
	kind := s.Inputs.Kind
	if kind == inputs.Given {
		kind = inputs.Auto
	}
	other := kind
	if kind == inputs.Quantiles || kind == inputs.Auto {
		other = inputs.HeldOut // quantiles have no seed
	}
	out := []alternative{{"as it was", func(*study.Study) error { return nil }}}
	for _, k := range []int{m / 2, 2 * m} {
		if k > s.Model.Rank() {
			out = append(out, alternative{fmt.Sprintf("m = %d", k), chosen(kind, k, s.Flags.Seed)})
		}
	}
	for k := range uint64(4) {
		seed := s.Flags.Seed + 1 + k
		out = append(out, alternative{fmt.Sprintf("z from %v, seed %d", other, seed),
			chosen(other, m, seed)})
	}
	for _, by := range []float64{0.5, 2} {
		out = append(out, alternative{fmt.Sprintf("prior of theta × %g", by), func(t *study.Study) error {
			t.Priors.ThetaScale = by * t.ScaleOfTheta()
			return nil
		}})
	}
	if s.Flags.Tau2 == 0 {
		out = append(out, alternative{"prior of tau2 gamma(1,4)", func(t *study.Study) error {
			t.Priors.Tau2 = priors.Gamma{Shape: 1, Rate: 4}
			return nil
		}})
	}
	return out
}

// fill sets the row from a fit.
func (r *sensitivityRow) fill(ctx context.Context, s *study.Study) error {
	best := s.Fit.Modes[0].Params
	r.M, r.Theta, r.Tau2 = s.Model.M(), report.Numbers(best.Theta), report.Number(best.Tau2)
	if r.P = report.Number(math.NaN()); s.Q == nil {
		return nil
	}
	p, err := pAt(ctx, s, best)
	r.P = report.Number(p)
	return err
}

// pAt tests the samples of a study as the verdict does, with multiples of the lengthscale of h.
func pAt(ctx context.Context, s *study.Study, h bke.Params) (float64, error) {
	var list []kernels.Kernel
	rungs, amplitudes := kerneltest.BayesDefaults()
	for _, rung := range rungs {
		k := kernels.Stationary{Radial: s.Radial}
		for _, t := range h.Theta {
			k.Theta = append(k.Theta, math.Exp2(rung)*t)
		}
		list = append(list, k)
	}
	o := kerneltest.Options{Seed: s.Flags.Seed,
		Kernel:      kerneltest.Choice{Kernels: list, Amplitudes: amplitudes},
		Standardize: kerneltest.StandardizeNever, Blocks: s.Data.Blocks}
	if w := s.Data.Weights; w != nil {
		o.WeightsX, o.WeightsY = w.Given[0], w.Given[1]
	}
	r, err := kerneltest.TwoSample(ctx, s.P, s.Q, o)
	if err != nil {
		return math.NaN(), err
	}
	return r.P, nil
}
