package tests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/compare"
	"bayeskernel/internal/onepass"
	"bayeskernel/internal/rng"
	"bayeskernel/kerneltest"
	"bayeskernel/summary"

	"gonum.org/v1/gonum/mat"
)

// onePass reports whether to run the test in one pass: there are more than most rows, and no flag
// rules it out.
func (f *Flags) onePass(data *input.Dataset, o kerneltest.Options, most int) bool {
	p, q := data.Rows()
	return p+q > most && f.plainKernel(&f.Kernel) && f.isDefault() && data.Weights == nil &&
		o.Blocks == nil && data.Blocks == nil && data.Categories == nil && o.Permutations <= 9999
}

// isDefault reports whether the test is the default one, apart from its size.
func (f *Flags) isDefault() bool {
	return (f.Choose == "broad" || f.Choose == "bayes" || f.Choose == "ladder") && f.theta == 0 && f.Null == "auto" && f.stop == 0 &&
		f.Statistic == "biased" && f.inputs == 0 && f.inputsFrom == ""
}

// plainKernel reports whether the program chooses the kernel.
func (f *Flags) plainKernel(k *study.KernelFlag) bool {
	return !k.Named && len(k.List) == 1 && k.List[0].String() == "se"
}

// twoSampleOnce plans and summarises the samples, and permutes bins of the summary.
func twoSampleOnce(ctx context.Context, con *cli.Console, data *input.Dataset, f *Flags,
	o kerneltest.Options) (*Tested, error) {
	m := plainModel(f.Seed, o.Kernel.Model.Path)
	m.Standardize = f.standardize
	sum, held, data, err := study.OnePassData(ctx, con, m, data)
	if err != nil {
		return nil, err
	}
	s := &study.Summed{Sum: sum, Names: sum.Samples(), Held: data}
	alone := &Alone{}
	if !f.Together {
		o.Seed = f.Seed
		if alone, err = ColumnsAlone(ctx, con, s, m.Path, o); err != nil {
			return nil, fmt.Errorf("%s: %w", data.Source, err)
		}
	}
	r, post, err := onepass.TwoSample(ctx, sum, s.Names[0], s.Names[1], summary.TestOptions{
		Alpha: o.Alpha, Permutations: o.Permutations, Seed: f.Seed, Columns: alone.Sums})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	both, notes, err := Pictured(s, held)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	held.Notes = append(append(held.Notes, notes...), alone.Notes...)
	line := con.Working("comparing the samples")
	defer line.End()
	two, err := compare.Samples(ctx, both[0], both[1], compare.Options{Columns: held.Columns, Inexact: held.Inexact(), Ordered: held.Ordered, Write: held.Write,
		Tested: r, Alone: alone.Tests, Pointwise: WitnessLevel, Seed: f.Seed, Posterior: post, Progress: line.Step})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	return &Tested{Command: "twosample", Flags: f, Data: held, Result: two.Test, Two: two,
		Names: [2]string{data.PName, data.QName}}, nil
}

// plainModel is the model that programs learn the kernel of a test by.
func plainModel(seed uint64, path string) *study.ModelFlags {
	return &study.ModelFlags{Seed: seed, Nu: "unit", Weight: "auto", Path: path, Theta: "gamma(1,1)",
		Tau2Prior: "gamma(1,1)"}
}

// mostPictured is the number of rows that a witness is made from in seconds, where a summary has no kernel means.
const mostPictured = 200000

// Pictured are the samples that the witness is made from, by way of a summary where that is not nil: its
// kernel means; or where it has none, because there are more than two columns or too wide a range, the rows,
// some of them where there are very many, or those that it kept.
func Pictured(s *study.Summed, data *input.Dataset) (both [2]compare.Sample, notes []string, err error) {
	if s == nil {
		return Samples(data), nil, nil
	}
	if s.Sum.Plan().Lattice != nil {
		both = Samples(data)
		s.Means(&both)
		return both, nil, nil
	}
	if both = Samples(data); s.Held != nil {
		if both, err = some(s.Held, mostPictured, s.Sum.Plan().Seed); err != nil {
			return both, nil, err
		}
	}
	all, have := 0, 0
	for k, name := range s.Names {
		n, _ := s.Sum.Rows(name)
		rows, _ := both[k].X.Dims()
		both[k].Of = int(n)
		all, have = all+int(n), have+rows
	}
	if have < all {
		notes = []string{fmt.Sprintf("Bands and places are made from %d rows, chosen at random: a summary of these "+
			"columns has no kernel means of all rows.", have)}
	}
	return both, notes, nil
}

// some are the samples with no more than about most rows in all, chosen at random.
func some(data *input.Dataset, most int, seed uint64) ([2]compare.Sample, error) {
	both := Samples(data)
	p, q := data.Rows()
	if p+q <= most {
		return both, nil
	}
	src, err := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: "tests/pictured"}, 0)
	if err != nil {
		return both, err
	}
	random := rand.New(src)
	for k, x := range []*mat.Dense{data.P, data.Q} {
		if x == nil {
			continue
		}
		n, dim := x.Dims()
		want := max(2, int(float64(n)*float64(most)/float64(p+q)))
		rows := make([]float64, 0, want*dim)
		for i := range n { // each set of so many rows is as likely as any other
			if left := want - len(rows)/dim; left > 0 && random.IntN(n-i) < left {
				rows = append(rows, x.RawRowView(i)...)
			}
		}
		both[k].X, both[k].Of = mat.NewDense(want, dim, rows), n
	}
	return both, nil
}

// mostShuffles is how many permutations of bins take little time.
const mostShuffles = 9999

// Alone is what single columns say.
type Alone struct {
	Tests []compare.Alone
	Sums  []*summary.Summary // of the columns that have one
	Notes []string
}

// ColumnsAlone tests each column by itself, in one pass over its values, or where that is not enough, as with few
// values, by permutation of its rows or some of them. It tests none where there is but one, and where the rows are not held.
func ColumnsAlone(ctx context.Context, con *cli.Console, s *study.Summed, path string, o kerneltest.Options) (
	*Alone, error) {
	dim, out := s.Sum.Plan().Dim(), &Alone{}
	switch {
	case dim == 1:
		return out, nil
	case s.Held == nil:
		out.Notes = []string{"Columns are not tested by themselves, as the rows are not in memory: test one by -columns."}
		return out, nil
	}
	o.Permutations = min(max(cmp.Or(o.Permutations, 999), compare.ColumnPermutations(dim, o.Alpha)), mostShuffles)
	for j := range dim {
		one := columnOf(s.Held, j)
		a, sum, err := columnOnce(ctx, con, one, path, o)
		if err == nil {
			out.Sums = append(out.Sums, sum)
		} else if ctx.Err() == nil {
			if a, err = columnRows(ctx, one, o); err == nil && a.Samples[0].Of > 0 {
				out.Notes = append(out.Notes, fmt.Sprintf("By itself %s is tested on %d rows, chosen at random.",
					one.Columns[0], a.Test.RowsX+a.Test.RowsY))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w (column %s)", err, one.Columns[0])
		}
		out.Tests = append(out.Tests, a)
	}
	return out, nil
}

// columnOf is one column of a data set.
func columnOf(data *input.Dataset, j int) *input.Dataset {
	one := &input.Dataset{PName: data.PName, QName: data.QName, Source: data.Source, Columns: data.Columns[j : j+1]}
	for k, of := range []*mat.Dense{data.P, data.Q} {
		n, _ := of.Dims()
		x := mat.NewDense(n, 1, mat.Col(nil, j, of))
		if k == 0 {
			one.P = x
		} else {
			one.Q = x
		}
	}
	return one
}

// columnOnce tests a column by its summary.
func columnOnce(ctx context.Context, con *cli.Console, one *input.Dataset, path string, o kerneltest.Options) (
	a compare.Alone, sum *summary.Summary, err error) {
	sum, err = study.OnePass(ctx, con, plainModel(o.Seed, path), one)
	if err != nil {
		return a, nil, err
	}
	s := &study.Summed{Sum: sum, Names: sum.Samples()}
	if sum.Plan().Lattice == nil {
		return a, nil, errors.New("there are no kernel means of it")
	}
	a.Test, a.Posterior, err = onepass.TwoSample(ctx, sum, s.Names[0], s.Names[1], summary.TestOptions{Alpha: o.Alpha,
		Permutations: o.Permutations, Seed: o.Seed})
	if err != nil {
		return a, nil, err
	}
	a.Samples = Samples(one)
	s.Means(&a.Samples)
	return a, sum, nil
}

// columnRows tests a column by its rows, or some of them where there are very many.
func columnRows(ctx context.Context, one *input.Dataset, o kerneltest.Options) (a compare.Alone, err error) {
	if a.Samples, err = some(one, mostPictured, o.Seed); err != nil {
		return a, err
	}
	a.Test, err = kerneltest.TwoSample(ctx, a.Samples[0].X, a.Samples[1].X, kerneltest.Options{Alpha: o.Alpha, Permutations: o.Permutations,
		Seed: o.Seed, Stop: compare.ColumnStop})
	return a, err
}
