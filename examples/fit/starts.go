package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"bayeskernel/draws"
	"bayeskernel/examples/internal/report"
	"bayeskernel/hmc"
	"bayeskernel/internal/rows"
	"bayeskernel/nuts"
	"bayeskernel/stein/runs"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// start is how far 50 draws are from those of a good run, as an energy distance in standard deviations, and the share of them
// in the heavy mode of a mixture.
type start struct {
	Case                  string
	Set                   int
	Spaced, Chosen        float64 // evenly spaced draws; those that Compress chooses
	SpacedMass, HeavyMass float64
	Bad                   bool // the run was found to be bad
}

// Of says which run this is.
func (s start) Of() (string, int) { return s.Case, s.Set }

// moved replaces the first 60 draws of each chain by those on the way from a place 10 standard deviations off in each
// coordinate, in a random direction.
func moved(x [][]float64, sd []float64, r *rand.Rand) {
	const way = 60
	from := make([]float64, len(sd))
	for a, s := range sd {
		from[a] = 10 * s * float64(2*r.IntN(2)-1)
	}
	for i := range way {
		far := math.Exp(-float64(i) / 15)
		for a := range from {
			x[i][a] += far * from[a]
		}
	}
}

// known makes four chains of a density, and a long run to compare with.
type known struct {
	name string
	make func(ctx context.Context, seed uint64) (run *draws.Run, long *mat.Dense, t runs.Target, err error)
}

// coordinates is a run of a program as one of its coordinates.
func coordinates(run *draws.Run, back func([]float64) ([]float64, error)) ([][][]float64, error) {
	var out [][][]float64
	for _, c := range run.Chains {
		var chain [][]float64
		for _, row := range c.Values {
			x, err := back(row)
			if err != nil {
				return nil, err
			}
			chain = append(chain, append([]float64(nil), x...))
		}
		out = append(out, chain)
	}
	return out, nil
}

var knowns = []known{
	{"eight schools", func(ctx context.Context, seed uint64) (*draws.Run, *mat.Dense, runs.Target, error) {
		p, err := schools()
		if err != nil {
			return nil, nil, nil, err
		}
		t, err := p.Target()
		if err != nil {
			return nil, nil, nil, err
		}
		var all [2][][][]float64
		for k := range all {
			var c nuts.Config
			c.Seed, c.Parallel, c.TargetAccept = seed+uint64(k)*1_000_003, 1, .95
			run, err := nuts.Sample(ctx, p.Target, c)
			if err != nil {
				return nil, nil, nil, err
			}
			if all[k], err = coordinates(run, p.Unconstrain); err != nil {
				return nil, nil, nil, err
			}
		}
		run, long := together(all[0], all[1], seed)
		return run, long, asIs{t}, nil
	}},
	{"mixture", func(_ context.Context, seed uint64) (*draws.Run, *mat.Dense, runs.Target, error) {
		r := rand.New(rand.NewPCG(seed, 0x317))
		var all [2][][][]float64
		for k := range all {
			for range 4 {
				var chain [][]float64
				for range 1000 {
					x := []float64{r.NormFloat64(), r.NormFloat64()}
					if r.Float64() < .7 {
						x[0] += 5
					}
					chain = append(chain, x)
				}
				all[k] = append(all[k], chain)
			}
		}
		run, long := together(all[0], all[1], seed)
		return run, long, modes(2, 5, .3), nil
	}},
}

// asIs is a target whose values are its coordinates.
type asIs struct{ hmc.Target }

func (asIs) Unconstrain(values []float64) ([]float64, error) { return values, nil }

// together makes a run of chains with far starts, and rows of the others.
func together(chains, others [][][]float64, seed uint64) (*draws.Run, *mat.Dense) {
	dim := len(chains[0][0])
	long := mat.NewDense(4000, dim, nil)
	i := 0
	for _, c := range others {
		for _, x := range c {
			long.SetRow(i, x)
			i++
		}
	}
	sd := make([]float64, dim)
	for a := range sd {
		sd[a] = stat.StdDev(mat.Col(nil, a, long), nil)
	}
	r := rand.New(rand.NewPCG(seed, 0xfa2))
	for _, c := range chains {
		moved(c, sd, r)
	}
	return made(dim, func(c, i int, _ []float64) []float64 { return chains[c][i] }), long
}

// energy is the energy distance of rows from those of a long run, in its standard deviations: of independent draws, none with
// itself.
func energy(x *mat.Dense, at []int, long *mat.Dense) float64 {
	n, dim := long.Dims()
	sd := make([]float64, dim)
	for a := range sd {
		sd[a] = stat.StdDev(mat.Col(nil, a, long), nil)
	}
	scaled := func(m *mat.Dense, i int) []float64 {
		out := make([]float64, dim)
		for a := range out {
			out[a] = m.At(i, a) / sd[a]
		}
		return out
	}
	var few, many [][]float64
	for _, i := range at {
		few = append(few, scaled(x, i))
	}
	for i := 0; i < n; i += 2 {
		many = append(many, scaled(long, i))
	}
	mean := func(x, y [][]float64) float64 {
		sum := 0.0
		for _, p := range x {
			for _, q := range y {
				sum += rows.Distance(p, q)
			}
		}
		return sum / float64(len(x)) / float64(len(y))
	}
	return 2*mean(few, many) - mean(few, few) - mean(many, many)
}

func starts(ctx context.Context, s report.Study, out io.Writer) error {
	var cases []report.Case
	for _, c := range knowns {
		cases = append(cases, report.Case{Name: c.name, Sets: 10})
	}
	done, err := report.Measure(ctx, s, cases, func(i, set int) (start, error) {
		r := start{Case: knowns[i].name, Set: set}
		run, long, target, err := knowns[i].make(ctx, s.Seed+uint64(set))
		if err != nil {
			return r, err
		}
		points, err := runs.Read(ctx, run, target, nil, 0)
		if err != nil {
			return r, err
		}
		found, err := runs.Inspect(points, runs.Options{Seed: s.Seed})
		if err != nil {
			return r, err
		}
		r.Bad = found.Suspect() || runs.Apart(run)
		at, err := runs.Compress(points, 50, r.Bad)
		if err != nil {
			return r, err
		}
		spaced := runs.Spaced(points, 50)
		r.Spaced, r.Chosen = energy(points.X, spaced, long), energy(points.X, at, long)
		r.SpacedMass, r.HeavyMass = mass(points.X, spaced), mass(points.X, at)
		return r, nil
	})
	if len(done) == 0 {
		return err
	}
	fmt.Fprintf(out, "Runs of 4 x 1000 draws, the first 60 of each chain on the way from afar, seeds from %d: energy distance of 50 draws from another\n"+
		"run, means with the largest, and the share with a first coordinate above 2.5.\n\n"+
		"| run | runs | found bad | evenly spaced | chosen | share, spaced | share, chosen (least, most) |\n| --- | --: | --: | --: | --: | --: | --: |\n", s.Seed)
	for _, c := range knowns {
		var spaced, chosen, most, share, heavy, n float64
		bad, lo, hi := 0, 1.0, 0.0
		for _, r := range done[c.name] {
			n++
			spaced, chosen, most = spaced+r.Spaced, chosen+r.Chosen, max(most, r.Chosen)
			share, heavy, lo, hi = share+r.SpacedMass, heavy+r.HeavyMass, min(lo, r.HeavyMass), max(hi, r.HeavyMass)
			if r.Bad {
				bad++
			}
		}
		if n > 0 {
			fmt.Fprintf(out, "| %s | %.0f | %d | %.3f | %.3f (%.3f) | %.2f | %.2f (%.2f, %.2f) |\n", c.name, n, bad, spaced/n, chosen/n, most, share/n,
				heavy/n, lo, hi)
		}
	}
	return err
}

// mass is the share of rows whose first coordinate is above 2.5.
func mass(x *mat.Dense, at []int) float64 {
	n := 0.0
	for _, i := range at {
		if x.At(i, 0) > 2.5 {
			n++
		}
	}
	return n / float64(len(at))
}
