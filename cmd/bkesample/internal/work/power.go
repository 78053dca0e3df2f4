package work

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/input"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/power"

	"gonum.org/v1/gonum/mat"
)

// PowerFlags say which power is wanted, and of what test.
type PowerFlags struct {
	Problem                                  string
	Target, Alpha                            float64
	Replicates, Permutations, smallest, most int
	choose                                   string
	Seed                                     uint64
}

// Define defines the flags.
func (f *PowerFlags) Define(s *cli.FlagSet) {
	s.Group("Power")
	s.Text(&f.Problem, "problem", "", "instead of a pilot: the named `problem` from which data sets are "+
		"drawn, such as normal:shift=0.3 (two samples) or linear:rho=0.2 (two variables); "+
		"-problem list lists them all, with their parameters and defaults")
	s.Number(&f.Target, "power", 0.8, "the `probability` of rejection that is wanted")
	s.Number(&f.Alpha, "alpha", 0.05, "`level` of the test")
	s.Choice(&f.choose, "choose", "auto", append([]string{"auto"}, kerneltest.RecipeNames(false)...), "the `rule` that gives "+
		"the kernels their lengthscales, as in twosample and independence; auto is bayes for two samples "+
		"and ladder for two variables")
	s.Whole(&f.Permutations, "permutations", 199, "`number` of permutations of each test")
	s.Whole(&f.Replicates, "replicates", 200, "`number` of data sets of each size")
	s.Whole(&f.smallest, "from", 20, "the smallest `number` of rows that is tried")
	s.Whole(&f.most, "most", 2000, "the largest `number` of rows that is tried")
	s.Seed(&f.Seed, "seed", 1, "the `seed` of data sets and permutations")
}

// Check finds what is wrong with the flags.
func (f *PowerFlags) Check() error {
	switch {
	case !(f.Target > 0 && f.Target < 1):
		return cli.Usagef("-power is %v, want it between 0 and 1", f.Target)
	case !(f.Alpha > 0 && f.Alpha < 1):
		return cli.Usagef("-alpha is %v, want it between 0 and 1", f.Alpha)
	case f.Target <= f.Alpha:
		return cli.Usagef("-power is %v, want more than -alpha, which is %v", f.Target, f.Alpha)
	case f.Permutations < 1 || f.Permutations > mostPermutations ||
		1/float64(f.Permutations+1) > f.Alpha:
		return cli.Usagef("-permutations is %d, want at least %.0f, so that p-values are as small as "+
			"-alpha, and at most %d", f.Permutations, math.Ceil(1/f.Alpha-1), mostPermutations)
	case f.Replicates < 20:
		return cli.Usagef("-replicates is %d, want at least 20", f.Replicates)
	case f.smallest < 8:
		return cli.Usagef("-from is %d, want at least 8 rows", f.smallest)
	case f.most < f.smallest:
		return cli.Usagef("-most is %d, want at least -from, which is %d", f.most, f.smallest)
	}
	return nil
}

// rule is that of the flags.
func (f *PowerFlags) rule(paired bool) string {
	if f.choose != "auto" {
		return f.choose
	}
	return kerneltest.Recipes(paired)[0].Name
}

// Test is the test of the flags, of two variables if paired.
func (f *PowerFlags) Test(paired bool) *TestFlags {
	t := (&ModelFlags{path: "auto", Seed: f.Seed}).Test()
	t.Kernel, t.Choose, t.alpha = KernelFlag{name: "kernel", list: []kernels.Radial{kernels.SE{}}},
		f.rule(paired), f.Alpha
	t.Together = true
	return t
}

// Population is where data sets of any size come from.
type Population struct {
	Name   string
	Paired bool
	draw   func(r *rand.Rand, n int) (x, y *mat.Dense)
}

// NamedPopulation is that of a problem of package power.
func NamedPopulation(text string) (*Population, error) {
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
	p := &Population{Name: strings.TrimSuffix(name+":"+strings.Join(kept, ","), ":"),
		Paired: list[0].Paired}
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

// PilotSamples resamples the rows of two samples.
func PilotSamples(d *input.Dataset) *Population {
	return &Population{Name: d.Source, draw: func(r *rand.Rand, n int) (x, y *mat.Dense) {
		return resample(d.P, picks(r, d.P, n)), resample(d.Q, picks(r, d.Q, n))
	}}
}

// PilotPairs resamples the rows of two variables together.
func PilotPairs(d *input.Pairs) *Population {
	draw := func(r *rand.Rand, n int) (x, y *mat.Dense) {
		rows := picks(r, d.X, n)
		return resample(d.X, rows), resample(d.Y, rows)
	}
	return &Population{Name: d.Source, Paired: true, draw: draw}
}

// picks are the numbers of n rows of m, drawn with replacement.
func picks(r *rand.Rand, m *mat.Dense, n int) []int {
	k, _ := m.Dims()
	out := make([]int, n)
	for i := range out {
		out[i] = r.IntN(k)
	}
	return out
}

func resample(m *mat.Dense, rows []int) *mat.Dense {
	_, dim := m.Dims()
	out := mat.NewDense(len(rows), dim, nil)
	for i, k := range rows {
		out.SetRow(i, m.RawRowView(k))
	}
	return out
}

// Powered is how the power grows with the number of rows.
type Powered struct {
	Population *Population
	Flags      *PowerFlags
	Method     string
	Sizes      []SizePower // by their number of rows
	Rows       int         // the smallest number tried that has the power; 0 if none has
}

// SizePower is the power with a number of rows.
type SizePower struct {
	Rows int
	power.Rate
}

// finest is the ratio of two numbers of rows that are not told apart any more.
const finest = 1.1

// FindPower doubles the number of rows until the power is reached, and then halves the step.
func FindPower(ctx context.Context, con *cli.Console, p *Population, f *PowerFlags) (*Powered,
	error) {
	out := &Powered{Population: p, Flags: f, Method: f.method(p.Paired)}
	below, above := 0, 0
	for n := f.smallest; ; n = min(2*n, f.most) {
		rate, err := out.try(ctx, con, n)
		if err != nil {
			return nil, err
		}
		if rate >= f.Target {
			above = n
			break
		}
		if below = n; n == f.most {
			return out, nil
		}
	}
	for below > 0 && float64(above) > finest*float64(below) {
		n := int(math.Round(math.Sqrt(float64(below) * float64(above))))
		if n == below || n == above {
			break
		}
		rate, err := out.try(ctx, con, n)
		if err != nil {
			return nil, err
		}
		if rate >= f.Target {
			above = n
		} else {
			below = n
		}
	}
	out.Rows = above
	return out, nil
}

// method is the test in the words of package power.
func (f *PowerFlags) method(paired bool) string {
	r, _ := kerneltest.FindRecipe(f.rule(paired))
	if paired {
		return r.Methods[1]
	}
	return r.Methods[0]
}

// try measures the power with n rows.
func (r *Powered) try(ctx context.Context, con *cli.Console, n int) (float64, error) {
	f, p := r.Flags, r.Population
	methods, err := power.ParseMethods(r.Method, kerneltest.Options{Alpha: f.Alpha,
		Permutations: f.Permutations})
	if err != nil {
		return 0, err
	}
	what := fmt.Sprintf("tests of %d rows", n)
	line := con.Working("%s", what)
	defer line.End()
	done := 0
	problem := power.Problem{Name: fmt.Sprintf("%s, %d rows", p.Name, n), Paired: p.Paired,
		Draw: func(rnd *rand.Rand) (x, y *mat.Dense) { return p.draw(rnd, n) }}
	records, err := power.Run(ctx, []power.Problem{problem}, methods, power.Config{Seed: f.Seed,
		Replicates: f.Replicates, OnRecord: func(power.Record) error {
			done++
			line.Step(what, done, f.Replicates)
			return nil
		}})
	if err != nil {
		return 0, err
	}
	rates, err := power.Rates(records)
	if err != nil {
		return 0, err
	}
	rate := rates[0]
	if rate.Failed == rate.Replicates {
		for _, o := range records[0].Results {
			return 0, fmt.Errorf("%s: %w", problem.Name, errors.New(o.Error))
		}
	}
	at := len(r.Sizes)
	for at > 0 && r.Sizes[at-1].Rows > n {
		at--
	}
	r.Sizes = append(r.Sizes[:at], append([]SizePower{{n, rate}}, r.Sizes[at:]...)...)
	return rate.Power(), nil
}

// Problems lists the named problems that have a number of rows.
func Problems() []string {
	var out []string
	for _, name := range power.ProblemNames() {
		if strings.Contains(name, "n=") {
			out = append(out, name)
		}
	}
	return out
}
