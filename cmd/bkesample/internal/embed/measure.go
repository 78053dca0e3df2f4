package embed

import (
	"context"
	"fmt"

	"bayeskernel/bke"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/embedding/energy"

	"gonum.org/v1/gonum/mat"
)

// flags say how distances are computed.
type flags struct {
	standardize string
	level       float64
	resamples   int
	seed        uint64
}

func (f *flags) define(s *cli.FlagSet) {
	s.Group("Distances")
	s.Choice(&f.standardize, "standardize", "columns", []string{"columns", "none"}, "`how` columns are "+
		"scaled: columns (each is divided by its sd over all rows) or none (not at all)")
	s.Number(&f.level, "level", 0.9, "`level` of the interval of each distance, and of all claims of order "+
		"together")
	s.Whole(&f.resamples, "resamples", 999, "`number` of resamples of the rows behind them; more than 40 "+
		"samples take at most 299")
	s.Seed(&f.seed, "seed", 1, "the `seed` of the resamples")
}

// leastResamples have a quantile that cuts off a twentieth on each side.
const leastResamples = 99

// check returns an error if the flags are wrong.
func (f *flags) check() error {
	switch {
	case !(f.level >= 0.5 && f.level <= 0.99):
		return cli.Usagef("-level is %v, want 0.5 to 0.99", f.level)
	case f.resamples < leastResamples || f.resamples > 99999:
		return cli.Usagef("-resamples is %d, want %d to 99999", f.resamples, leastResamples)
	}
	return nil
}

// result is samples with their distances.
type result struct {
	flags    *flags
	data     *input.Many
	scaling  *bke.Scaling // nil for none
	distance *energy.Distances
	pairs    []energy.Pair // the closest first
	places   [][2]float64  // in the map
	share    [2]float64    // of the squared distances, that one coordinate shows and both
}

// measure computes the distances between samples.
func measure(ctx context.Context, con *cli.Console, data *input.Many, f *flags) (*result, error) {
	out := &result{flags: f, data: data}
	samples := make([]mat.Matrix, len(data.Of))
	var err error
	if f.standardize == "columns" {
		if _, out.scaling, err = bke.Standardize(data.P); err != nil {
			return nil, fmt.Errorf("%s: %w", data.Source, err)
		}
	}
	for i, rows := range data.Of {
		samples[i] = rows
		if out.scaling != nil {
			if samples[i], err = out.scaling.Apply(rows); err != nil {
				return nil, fmt.Errorf("%s: %w", data.Names[i], err)
			}
		}
	}
	line := con.Working("distances")
	defer line.End()
	o := energy.Options{Level: f.level, Resamples: f.resamples, Seed: f.seed, Progress: line.Step}
	if len(samples) > 40 {
		o.Resamples = min(o.Resamples, 299)
	}
	if out.distance, err = energy.Between(ctx, samples, o); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	out.pairs = out.distance.Pairs()
	if out.places, out.share, err = out.distance.Map(); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	return out, nil
}

// nearest returns the sample that is nearest to sample i, and all that may be: those that are not farther
// for sure. It comes first.
func (r *result) nearest(i int) []int {
	near := (i + 1) % len(r.data.Names)
	for j := range r.data.Names {
		if j != i && r.distance.Squared.At(i, j) < r.distance.Squared.At(i, near) {
			near = j
		}
	}
	out := []int{near}
	for j := range r.data.Names {
		if j != i && j != near && !r.distance.Closer(i, near, i, j) {
			out = append(out, j)
		}
	}
	return out
}

// apart returns the sample that is farther from each other one than these are from each other, for sure;
// -1 if there is none.
func (r *result) apart() int {
	k := len(r.data.Names)
	if k < 3 {
		return -1
	}
next:
	for s := range k {
		for a := range k {
			for b := range a {
				for c := range k {
					if a != s && b != s && c != s && !r.distance.Closer(a, b, s, c) {
						continue next
					}
				}
			}
		}
		return s
	}
	return -1
}
