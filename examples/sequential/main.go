// Sequential measures the tests of package kerneltest/sequential, which may be looked at while data arrive: how often they
// find a difference up to a number of rows, beside the test that looks once, at those rows (-part power), and how often
// they ever reject a true null hypothesis (-part level). All data are synthetic. README.md has its figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"

	"bayeskernel/examples/internal/report"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/power"
	"bayeskernel/kerneltest/sequential"

	"gonum.org/v1/gonum/mat"
)

func main() { report.Program(run) }

type options struct {
	part       string
	sets, rows int
	seed       uint64
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	f := flag.NewFlagSet("sequential", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.part, "part", "power", "power or level")
	f.IntVar(&o.sets, "sets", 100, "data sets of each line")
	f.IntVar(&o.rows, "rows", 10000, "rows of each run of -part level")
	f.Uint64Var(&o.seed, "seed", 1, "of the data sets")
	if err := f.Parse(args); err == flag.ErrHelp {
		return 0
	} else if err != nil {
		return 2
	}
	study := map[string]func(context.Context, io.Writer) error{"power": o.power, "level": o.level}[o.part]
	if study == nil || o.sets < 1 || o.rows < 1 || f.NArg() > 0 {
		fmt.Fprintln(stderr, "sequential: want -part power or level, and numbers of at least 1")
		return 2
	}
	if err := study(ctx, stdout); err != nil {
		fmt.Fprintln(stderr, "sequential:", err)
		return 1
	}
	return 0
}

// stream is a test of either kind.
type stream interface {
	Add(ctx context.Context, x, y [][]float64) (sequential.State, error)
}

func begin(paired bool, o sequential.Options) (stream, error) {
	if paired {
		return sequential.NewIndependence(o)
	}
	return sequential.NewTwoSample(o)
}

func rowsOf(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = m.RawRowView(i)
	}
	return out
}

// settings are problems of package power with effects for which the test of so many rows has a power of .5 to .9.
const settings = `normal:shift=0.38,n=100 normal:shift=0.22,n=300 normal:shift=0.12,n=1000
	sd:sd=1.4,n=100 sd:sd=1.2,n=300 sd:sd=1.11,n=1000 linear:rho=0.3,n=100 linear:rho=0.17,n=300
	linear:rho=0.095,n=1000 sinusoid:n=160`

func (o options) power(ctx context.Context, w io.Writer) error {
	problems, err := power.ParseProblems(settings)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-26s %8s %8s %6s %8s %6s\n", "problem", "once", "expected", "ratio", "open", "ratio")
	for _, p := range problems {
		var once, planned, open float64
		for s := range o.sets {
			x, y := p.Draw(rand.New(rand.NewPCG(o.seed, uint64(s))))
			n, _ := x.Dims()
			test := kerneltest.TwoSample
			if p.Paired {
				test = kerneltest.Independence
			}
			fixed, err := test(ctx, x, y, kerneltest.Options{Permutations: 399, Seed: uint64(s)})
			if err != nil {
				return err
			}
			once += share(fixed.Reject, o.sets)
			for _, of := range []struct {
				expect int
				to     *float64
			}{{n, &planned}, {0, &open}} {
				one, err := begin(p.Paired, sequential.Options{Expect: of.expect, Seed: uint64(s)})
				if err != nil {
					return err
				}
				state, err := one.Add(ctx, rowsOf(x), rowsOf(y))
				if err != nil {
					return err
				}
				*of.to += share(state.Reject, o.sets)
			}
		}
		fmt.Fprintf(w, "%-26s %8.3f %8.3f %6.2f %8.3f %6.2f\n", p.Name, once, planned, planned/once, open, open/once)
	}
	return nil
}

func share(yes bool, of int) float64 {
	if yes {
		return 1 / float64(of)
	}
	return 0
}

// level follows runs of one law for both samples, or of independent variables.
func (o options) level(ctx context.Context, w io.Writer) error {
	laws := []struct {
		name   string
		expect int
		draw   func(r *rand.Rand) float64
	}{
		{"normal", 0, (*rand.Rand).NormFloat64},
		{"normal, 1000 expected", 1000, (*rand.Rand).NormFloat64},
		{"Cauchy", 0, func(r *rand.Rand) float64 { return r.NormFloat64() / r.NormFloat64() }},
		{"three values", 0, func(r *rand.Rand) float64 { return float64(r.IntN(3)) }},
	}
	fmt.Fprintf(w, "%-22s %-13s %s\n", "law", "test", "rejected at some time")
	for _, law := range laws {
		for _, paired := range []bool{false, true} {
			rejected := 0
			for s := range o.sets {
				r := rand.New(rand.NewPCG(o.seed, uint64(s)))
				one, err := begin(paired, sequential.Options{Expect: law.expect, Seed: uint64(s)})
				if err != nil {
					return err
				}
				batch := func() [][]float64 {
					out := make([][]float64, o.rows)
					for i := range out {
						out[i] = []float64{law.draw(r)}
					}
					return out
				}
				state, err := one.Add(ctx, batch(), batch())
				if err != nil {
					return err
				}
				if state.Reject { // P is the smallest so far: it rejected at some time
					rejected++
				}
			}
			fmt.Fprintf(w, "%-22s %-13s %d of %d\n", law.name, map[bool]string{true: "independence", false: "two samples"}[paired],
				rejected, o.sets)
		}
	}
	return nil
}
