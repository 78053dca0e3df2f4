package power

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/kerneltest/power"

	"gonum.org/v1/gonum/mat"
)

// population generates data sets of any size.
type population struct {
	name     string
	identity string // of the pilot's rows; "" without one
	paired   bool
	draw     func(r *rand.Rand, n int) (x, y *mat.Dense)
	// test tests the pilot itself; nil without a pilot.
	test func(context.Context, *cli.Console, *tests.Flags) (*tests.Tested, error)
}

// problems lists the named problems that come with a number of rows.
func problems() []string {
	var out []string
	for _, name := range power.ProblemNames() {
		if strings.Contains(name, "n=") {
			out = append(out, name)
		}
	}
	return out
}

// named is the population of one of package power's problems.
func named(text string) (*population, error) {
	list, err := power.ParseProblems(text)
	if err != nil {
		return nil, cli.Usagef("-problem: %v", err)
	}
	if len(list) != 1 {
		return nil, cli.Usagef("-problem %s: found %d problems, want one", text, len(list))
	}
	if _, ok := list[0].Values["n"]; !ok {
		return nil, cli.Usagef("-problem %s: has no number of rows to be found, want another problem",
			text)
	}
	name, settings, _ := strings.Cut(text, ":")
	var kept []string
	for _, s := range strings.Split(settings, ",") {
		if s != "" && !strings.HasPrefix(s, "n=") {
			kept = append(kept, s)
		}
	}
	p := &population{name: strings.TrimSuffix(name+":"+strings.Join(kept, ","), ":"),
		paired: list[0].Paired}
	p.draw = func(r *rand.Rand, n int) (x, y *mat.Dense) {
		sized, err := power.ParseProblems(name + ":" + strings.Join(append(kept,
			fmt.Sprintf("n=%d", n)), ","))
		if err != nil {
			panic(err) // the same was read above
		}
		return sized[0].Draw(r)
	}
	return p, nil
}

// ofSamples resamples the rows of two samples.
func ofSamples(d *input.Dataset) *population {
	return &population{name: d.Source, identity: input.Hash(d.P, d.Q),
		draw: func(r *rand.Rand, n int) (x, y *mat.Dense) {
			return input.Picked(d.P, picks(r, d.P, n)), input.Picked(d.Q, picks(r, d.Q, n))
		},
		test: func(ctx context.Context, con *cli.Console, f *tests.Flags) (*tests.Tested, error) {
			return tests.TwoSample(ctx, con, d, f, &tests.BayesFlags{})
		}}
}

// ofPairs resamples the rows of two variables together.
func ofPairs(d *input.Pairs) *population {
	return &population{name: d.Source, paired: true, identity: input.Hash(d.X, d.Y),
		draw: func(r *rand.Rand, n int) (x, y *mat.Dense) {
			rows := picks(r, d.X, n)
			return input.Picked(d.X, rows), input.Picked(d.Y, rows)
		},
		test: func(ctx context.Context, con *cli.Console, f *tests.Flags) (*tests.Tested, error) {
			return tests.Independence(ctx, con, d, f, &f.Kernel)
		}}
}

// picks draws n of the m row indices with replacement.
func picks(r *rand.Rand, m *mat.Dense, n int) []int {
	k, _ := m.Dims()
	out := make([]int, n)
	for i := range out {
		out[i] = r.IntN(k)
	}
	return out
}
