// Nulls counts how often the tests of package kerneltest reject true null hypotheses that are awkward: heavy tails, ties,
// few rows of many columns, weights, blocks, pairs, several samples. All data are synthetic. README.md has its figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"bayeskernel/examples/internal/report"
	"bayeskernel/internal/workers"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("nulls", flag.ContinueOnError)
	f.SetOutput(stderr)
	sets := f.Int("sets", 200, "data sets of each law")
	seed := f.Uint64("seed", 1, "of the data sets")
	only := f.String("only", "", "part of the names of the laws")
	parallel := f.Int("parallel", 0, "data sets at once; 0: one per processor")
	if err := f.Parse(args); err == flag.ErrHelp {
		return 0
	} else if err != nil {
		return 2
	}
	if *sets < 1 || f.NArg() > 0 {
		fmt.Fprintln(stderr, "nulls: want -sets of at least 1 and no arguments")
		return 2
	}
	list := slices.DeleteFunc(nulls(), func(n null) bool { return !strings.Contains(n.name, *only) })
	if len(list) == 0 {
		fmt.Fprintf(stderr, "nulls: -only is %q, want a part of the name of a law\n", *only)
		return 2
	}
	fmt.Fprintf(stdout, "%-52s %8s %8s   of %d; 99.9%% limits %s and %s\n", "law", "at .05", "at .01", *sets,
		limits(*sets, 0.05), limits(*sets, 0.01))
	for _, n := range list {
		five, one, err := n.count(ctx, *sets, *parallel, *seed)
		if err != nil {
			fmt.Fprintf(stderr, "nulls: %s: %v\n", n.name, err)
			return 1
		}
		fmt.Fprintf(stdout, "%-52s %8d %8d\n", n.name, five, one)
	}
	return 0
}

// limits are the counts between which a binomial one is with a probability of at least .999.
func limits(n int, p float64) string {
	b := distuv.Binomial{N: float64(n), P: p}
	lo, hi := 0, 0
	for b.CDF(float64(lo)) < 0.0005 {
		lo++
	}
	for hi = lo; 1-b.CDF(float64(hi)) > 0.0005; {
		hi++
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}

// permutations allow both levels.
const permutations = 99

// null is a law under which there is nothing to find.
type null struct {
	name string
	p    func(ctx context.Context, r *rand.Rand, o kerneltest.Options) (*kerneltest.Result, error)
}

// count counts p-values of at most .05 and .01.
func (n null) count(ctx context.Context, sets, parallel int, seed uint64) (five, one int, err error) {
	p := make([]float64, sets)
	err = workers.Each(ctx, sets, parallel, func() func(int) error {
		return func(i int) error {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			res, err := n.p(ctx, r, kerneltest.Options{Permutations: permutations, Seed: uint64(i)})
			if err != nil {
				return err
			}
			p[i] = res.P
			return nil
		}
	})
	for _, v := range p {
		if v <= 0.05 {
			five++
		}
		if v <= 0.01 {
			one++
		}
	}
	return five, one, err
}

// draw makes rows of columns, each column from its own law.
func draw(r *rand.Rand, n int, columns ...func(*rand.Rand) float64) *mat.Dense {
	m := mat.NewDense(n, len(columns), nil)
	for i := range n {
		for j, c := range columns {
			m.Set(i, j, c(r))
		}
	}
	return m
}

func several(c func(*rand.Rand) float64, count int) []func(*rand.Rand) float64 {
	out := make([]func(*rand.Rand) float64, count)
	for i := range out {
		out[i] = c
	}
	return out
}

func normal(r *rand.Rand) float64      { return r.NormFloat64() }
func cauchy(r *rand.Rand) float64      { return r.NormFloat64() / r.NormFloat64() }
func exponential(r *rand.Rand) float64 { return r.ExpFloat64() }

// poisson counts arrivals before a given time.
func poisson(mean float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		count := 0.0
		for t := r.ExpFloat64(); t < mean; t += r.ExpFloat64() {
			count++
		}
		return count
	}
}

func values(r *rand.Rand) float64 {
	switch u := r.Float64(); {
	case u < 0.7:
		return 0
	case u < 0.9:
		return 1
	}
	return 5
}

func samples(name string, n, m int, columns ...func(*rand.Rand) float64) null {
	return null{name, func(ctx context.Context, r *rand.Rand, o kerneltest.Options) (*kerneltest.Result, error) {
		return kerneltest.TwoSample(ctx, draw(r, n, columns...), draw(r, m, columns...), o)
	}}
}

func variables(name string, n int, x, y []func(*rand.Rand) float64) null {
	return null{name, func(ctx context.Context, r *rand.Rand, o kerneltest.Options) (*kerneltest.Result, error) {
		return kerneltest.Independence(ctx, draw(r, n, x...), draw(r, n, y...), o)
	}}
}

func nulls() []null {
	lognormal := func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) }
	wide := func(r *rand.Rand) float64 { return 1e6 * r.NormFloat64() }
	three := func(r *rand.Rand) float64 { return float64(r.IntN(3)) }
	return []null{
		samples("Cauchy, 20 and 30", 20, 30, cauchy),
		samples("values 0, 1, 5, 40 and 25", 40, 25, values),
		samples("lognormal, 20 and 500", 20, 500, lognormal),
		samples("columns of sd 1e6 and of small counts, 40 and 25", 40, 25, wide, poisson(0.3)),
		{"weights exp(x + normal), 40 and 30", weighted},
		{"ten blocks of eight", blocks},
		{"thirty pairs", pairs},
		samples("ten Cauchy columns, 20 and 40", 20, 40, several(cauchy, 10)...),
		samples("fifty normal columns, 20 and 20", 20, 20, several(normal, 50)...),
		samples("a hundred normal columns, 20 and 20", 20, 20, several(normal, 100)...),
		variables("two Cauchy variables, 40 pairs", 40, several(cauchy, 1), several(cauchy, 1)),
		variables("counts and three values, 40 pairs", 40, several(poisson(0.4), 1), several(three, 1)),
		variables("five normal and two exponential columns, 30 pairs", 30, several(normal, 5), several(exponential, 2)),
		{"four samples of 15 to 30, two columns of t3", four},
		{"three samples in six blocks", threeInBlocks},
	}
}

func weighted(ctx context.Context, r *rand.Rand, o kerneltest.Options) (*kerneltest.Result, error) {
	x, y := draw(r, 40, normal), draw(r, 30, normal)
	weights := func(m *mat.Dense) []float64 {
		n, _ := m.Dims()
		w := make([]float64, n)
		for i := range w {
			w[i] = math.Exp(m.At(i, 0) + r.NormFloat64())
		}
		return w
	}
	o.WeightsX, o.WeightsY = weights(x), weights(y)
	return kerneltest.TwoSample(ctx, x, y, o)
}

// blocks have effects of their own, and different shares of the samples.
func blocks(ctx context.Context, r *rand.Rand, o kerneltest.Options) (*kerneltest.Result, error) {
	var x, y, of, other []float64
	for b := range 10 {
		effect := 2 * r.NormFloat64()
		for i := range 8 {
			if v := effect + r.NormFloat64(); i < 2+b%5 {
				x, of = append(x, v), append(of, float64(b))
			} else {
				y, other = append(y, v), append(other, float64(b))
			}
		}
	}
	for _, b := range append(of, other...) {
		o.Blocks = append(o.Blocks, int(b))
	}
	return kerneltest.TwoSample(ctx, mat.NewDense(len(x), 1, x), mat.NewDense(len(y), 1, y), o)
}

func pairs(ctx context.Context, r *rand.Rand, o kerneltest.Options) (*kerneltest.Result, error) {
	x, y := mat.NewDense(30, 1, nil), mat.NewDense(30, 1, nil)
	o.Blocks = make([]int, 60)
	for i := range 30 {
		effect := 3 * r.NormFloat64()
		x.Set(i, 0, effect+r.NormFloat64())
		y.Set(i, 0, effect+r.NormFloat64())
		o.Blocks[i], o.Blocks[30+i] = i, i
	}
	return kerneltest.TwoSample(ctx, x, y, o)
}

func four(ctx context.Context, r *rand.Rand, o kerneltest.Options) (*kerneltest.Result, error) {
	t3 := func(r *rand.Rand) float64 {
		return r.NormFloat64() / math.Sqrt((square(r)+square(r)+square(r))/3)
	}
	var s []mat.Matrix
	for _, n := range []int{15, 20, 25, 30} {
		s = append(s, draw(r, n, t3, t3))
	}
	return kerneltest.Several(ctx, s, o)
}

func square(r *rand.Rand) float64 { v := r.NormFloat64(); return v * v }

func threeInBlocks(ctx context.Context, r *rand.Rand, o kerneltest.Options) (*kerneltest.Result, error) {
	effects := make([]float64, 6)
	for b := range effects {
		effects[b] = 2 * r.NormFloat64()
	}
	var s []mat.Matrix
	for range 3 {
		m := mat.NewDense(18, 1, nil)
		for i := range 18 {
			m.Set(i, 0, effects[i%6]+r.NormFloat64())
			o.Blocks = append(o.Blocks, i%6)
		}
		s = append(s, m)
	}
	return kerneltest.Several(ctx, s, o)
}
