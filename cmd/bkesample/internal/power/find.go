package power

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/bkesample/internal/tests"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/internal/journal"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/power"

	"gonum.org/v1/gonum/mat"
)

// found is the power at each number of rows tried.
type found struct {
	from   *population
	flags  *flags
	method string
	sizes  []size         // by their number of rows
	rows   int            // the number that has the power; 0 if none has
	power  [3]float64     // with rows, and the ends of its interval
	span   [2]int         // the numbers of rows that are the ends of its interval; 0 for unknown
	pilot  *tests.Tested  // the test of the pilot itself; nil without one
	have   []power.Record // made before
	keep   func(power.Record) error
	shard  journal.Shard // the data sets of each size that are tested, by which the search goes
}

// size is the power with a number of rows.
type size struct {
	rows int
	power.Rate
	lower, upper float64 // the ends of the interval
}

const (
	level  = 0.95 // of the intervals of powers
	finest = 1.1  // the ratio of two numbers of rows that are not told apart any more
)

// resume is find with a journal in the folder, which keeps each data set that was tested.
func resume(ctx context.Context, con *cli.Console, dir *folder.Folder, from *population, f *flags, shard journal.Shard) (*found, error) {
	r := &found{from: from, flags: f, method: f.method(from.paired), shard: shard}
	file, err := dir.Journal(r.about(), func(line []byte) error {
		var rec power.Record
		err := json.Unmarshal(line, &rec)
		r.have = append(r.have, rec)
		return err
	})
	if err != nil {
		return nil, err
	}
	made := len(r.have)
	r.keep = func(rec power.Record) error {
		made++
		return file.Write(rec)
	}
	err = r.find(ctx, con)
	if e := file.Close(); err == nil {
		err = e
	}
	if errors.Is(err, context.Canceled) {
		return nil, dir.Interrupted(fmt.Sprintf(" after %s", cli.Plural(made, "data set")))
	}
	if err == nil && shard.N > 0 {
		dir.Shared(shard, cli.Plural(made, "data set"))
	}
	return r, err
}

// about says what the data sets and their tests depend on, but how many there are.
func (r *found) about() string {
	f := r.flags
	return fmt.Sprintf("power of %s, %s, level %v, %d permutations, seed %d, data %s", r.method, r.from.name, f.alpha,
		f.permutations, f.seed, r.from.identity)
}

// find tests the pilot, and looks for the size.
func (r *found) find(ctx context.Context, con *cli.Console) error {
	from := r.from
	if from.test != nil && r.shard.N == 0 {
		var err error
		if r.pilot, err = from.test(ctx, con, r.flags.test(from.paired)); err != nil {
			return err
		}
	}
	return r.search(func(n int) error { return r.try(ctx, con, n) })
}

// search doubles the number of rows until the power is reached, then bisects until the one that is looked for is between two near ones, and then finds it by the curve through all.
func (r *found) search(try func(n int) error) error {
	f := r.flags
	below, above := 0, 0
	for n := f.smallest; ; n = min(2*n, f.most) {
		if err := try(n); err != nil {
			return err
		}
		if r.tried(n).Power() >= f.target {
			above = n
			break
		}
		if below = n; n == f.most {
			return nil
		}
	}
	for below > 0 && float64(above) > finest*float64(below) {
		n := int(math.Round(math.Sqrt(float64(below) * float64(above))))
		if n == below || n == above {
			break
		}
		if err := try(n); err != nil {
			return err
		}
		if r.tried(n).Power() >= f.target {
			above = n
		} else {
			below = n
		}
	}
	s := r.tried(above)
	r.rows, r.power = above, [3]float64{s.Power(), s.lower, s.upper}
	if below == 0 {
		return nil
	}
	if c, ok := newCurve(r.sizes, above, f.target); ok {
		if n, from, to := c.rows(farthest * above); n > 0 {
			r.rows, r.span = min(n, f.most), [2]int{from, to}
			r.power[0], r.power[1], r.power[2] = c.at(r.rows)
		}
	}
	return nil
}

// farthest is how many times as many rows as are needed by the search may be the end of their range.
const farthest = 4

// tried is what was found for n rows.
func (r *found) tried(n int) size {
	at, _ := slices.BinarySearchFunc(r.sizes, n, func(s size, n int) int { return s.rows - n })
	return r.sizes[at]
}

// rule names the rule that the flags choose.
func (f *flags) rule(paired bool) string {
	if f.choose != "auto" {
		return f.choose
	}
	return kerneltest.Recipes(paired)[0].Name
}

// method names the test as package power does.
func (f *flags) method(paired bool) string {
	r, _ := kerneltest.FindRecipe(f.rule(paired))
	if paired {
		return r.Methods[1]
	}
	return r.Methods[0]
}

// test is the test of the pilot itself, with the default number of permutations.
func (f *flags) test(paired bool) *tests.Flags {
	t := tests.OfModel(&study.ModelFlags{Path: "auto", Seed: f.seed,
		Kernel: study.KernelFlag{Name: "kernel", List: []kernels.Radial{kernels.SE{}}}})
	t.Choose, t.Alpha, t.Together = f.rule(paired), f.alpha, true
	return t
}

// try measures the power with n rows.
func (r *found) try(ctx context.Context, con *cli.Console, n int) error {
	f, p := r.flags, r.from
	methods, err := power.ParseMethods(r.method, kerneltest.Options{Alpha: f.alpha,
		Permutations: f.permutations})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("tests of %d rows", n)
	line := con.Working("%s", what)
	defer line.End()
	var have []power.Record
	name := fmt.Sprintf("%s, %d rows", p.name, n)
	for _, rec := range r.have {
		if rec.Problem == name && rec.Replicate < f.replicates && r.shard.Has(rec.Replicate) {
			have = append(have, rec)
		}
	}
	done := len(have)
	problem := power.Problem{Name: name, Paired: p.paired,
		Draw: func(rnd *rand.Rand) (x, y *mat.Dense) { return p.draw(rnd, n) }}
	records, err := power.Run(ctx, []power.Problem{problem}, methods, power.Options{Seed: f.seed,
		Replicates: f.replicates, Only: r.shard.Has, Have: have, OnRecord: func(rec power.Record) error {
			done++
			line.Step(what, done, r.shard.Of(f.replicates))
			if r.keep == nil {
				return nil
			}
			return r.keep(rec)
		}})
	if err != nil {
		return err
	}
	rates, err := power.Rates(records)
	if err != nil {
		return err
	}
	rate := rates[0]
	if rate.Failed == rate.Replicates {
		for _, o := range records[0].Results {
			return fmt.Errorf("%s: %w", problem.Name, errors.New(o.Error))
		}
	}
	r.add(n, rate)
	return nil
}

// add keeps what was found for n rows.
func (r *found) add(n int, rate power.Rate) {
	at, _ := slices.BinarySearchFunc(r.sizes, n, func(s size, n int) int { return s.rows - n })
	lower, upper := rate.Interval(level)
	r.sizes = slices.Insert(r.sizes, at, size{n, rate, lower, upper})
}
