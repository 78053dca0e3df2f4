package tests

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/cmd/bkesample/internal/study"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/folder"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/kerneltest"
	"bayeskernel/kerneltest/given"

	"gonum.org/v1/gonum/mat"
)

// Given is a test of groups, or of independence, given covariates.
type Given struct {
	Command    string
	Flags      *Flags
	Data       *input.Dataset
	Covariates input.Covariates
	Names      []string       // of the groups, or of the two variables
	Rows       []int          // of each
	Groups     *input.Grouped // the rows of groups, for pictures; nil for two variables
	Variables  bool           // whether two variables are tested, and not groups
	Result     *given.Result
	Alone      *kerneltest.Result // without the covariates
	Pairs      []givenPair        // of more than two groups
	Columns    []givenColumn      // each by itself, of several
}

// givenColumn is the test of groups in one column.
type givenColumn struct {
	name        string
	p, adjusted float64 // adjusted by Holm's method for the number of columns
}

// givenPair is the test of two groups of several.
type givenPair struct {
	names    [2]string
	rows     [2]int
	result   *given.Result // nil if the groups cannot be compared
	why      string        // and then the reason
	adjusted float64       // by Holm's method for the number of pairs that can be compared
}

// checkGiven returns an error if other flags rule -given out.
func (f *Flags) checkGiven() error {
	if f.Given != "" && !f.Permutes() {
		return cli.Usagef("-given is for permutations, and -null is %s", f.Null)
	}
	return nil
}

// RunGiven tests groups given the covariates of the data, for a command.
func RunGiven(ctx context.Context, con *cli.Console, out *folder.Flags, data *input.Dataset, f *Flags,
	command string) error {
	return out.Run(con, "", func(*folder.Folder) (*report.Document, error) {
		g, err := givenGroups(ctx, con, data, f)
		if err != nil {
			return nil, err
		}
		g.Command = command
		return g.document(), nil
	})
}

// covariates are those of the library.
func covariates(c input.Covariates) []given.Covariate {
	var out []given.Covariate
	for _, one := range c {
		out = append(out, given.Covariate{Name: one.Name, Values: one.Values, Category: one.Text})
	}
	return out
}

// discrete says of each column whether it holds categories; nil if none does.
func discrete(data *input.Dataset) []bool {
	if data.Categories == nil {
		return nil
	}
	out := make([]bool, len(data.Columns))
	for k, c := range data.Categories {
		out[k] = c != nil
	}
	return out
}

// givenOptions are the options of the library.
func (f *Flags) givenOptions(line *cli.Status, names []string) (given.Options, error) {
	o, err := f.options()
	o.Progress = line.Step
	return given.Options{Test: o, Names: names}, err
}

// givenGroups compares two groups or more.
func givenGroups(ctx context.Context, con *cli.Console, data *input.Dataset, f *Flags) (*Given, error) {
	g := &Given{Flags: f, Data: data, Covariates: data.Given, Names: data.Groups}
	rows := &input.Grouped{Samples: []*mat.Dense{data.P, data.Q}, Blocks: data.Blocks, Given: data.Given}
	if data.Groups == nil {
		g.Names = []string{data.PName, data.QName}
		if w := data.Weights; w != nil {
			rows.Weights = w.Given[:]
		}
	} else {
		var err error
		if rows, err = data.Grouped(); err != nil {
			return nil, err
		}
	}
	g.Groups = rows
	var samples []mat.Matrix
	for _, x := range rows.Samples {
		n, _ := x.Dims()
		samples, g.Rows = append(samples, x), append(g.Rows, n)
	}
	line := con.Working("comparing given %s", data.Given.Names())
	defer line.End()
	o, err := f.givenOptions(line, g.Names)
	if err != nil {
		return nil, err
	}
	o.Test.Blocks, o.Test.SampleWeights = rows.Blocks, rows.Weights
	o.Test.Kernel.Categories = data.Discrete(0, len(data.Columns))
	o.Discrete, o.Columns = discrete(data), data.Columns
	z := covariates(rows.Given)
	if g.Result, err = given.Samples(ctx, samples, z, o); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	if g.Alone, err = kerneltest.Several(ctx, samples, o.Test); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	if err := g.columns(ctx, samples, z, o); err != nil {
		return nil, err
	}
	if len(samples) > 2 {
		return g, g.pairs(ctx, data, o)
	}
	return g, nil
}

// columns compares groups in each column by itself. One in which the groups cannot be compared has a
// p-value of 1.
func (g *Given) columns(ctx context.Context, samples []mat.Matrix, z []given.Covariate, o given.Options) error {
	if len(g.Data.Columns) < 2 {
		return nil
	}
	var p []float64
	for j, name := range g.Data.Columns {
		one := make([]mat.Matrix, len(samples))
		for k, x := range samples {
			one[k] = x.(*mat.Dense).Slice(0, g.Rows[k], j, j+1)
		}
		c := givenColumn{name: name, p: 1}
		of := o
		of.Columns = []string{name}
		of.Test.Kernel.Categories = g.Data.Discrete(j, j+1)
		if o.Discrete != nil {
			of.Discrete = o.Discrete[j : j+1]
		}
		r, err := given.Samples(ctx, one, z, of)
		if ctx.Err() != nil {
			return err
		}
		if err == nil {
			c.p = r.P
		}
		p, g.Columns = append(p, c.p), append(g.Columns, c)
	}
	for k, v := range holm(p) {
		g.Columns[k].adjusted = v
	}
	return nil
}

// pairs compares all pairs of groups. One that cannot be compared is no error.
func (g *Given) pairs(ctx context.Context, data *input.Dataset, o given.Options) error {
	var p []float64
	least := int(math.Ceil(float64(len(g.Names)*(len(g.Names)-1)/2)/g.Flags.Alpha)) - 1
	if g.Flags.Permutations < least && !g.Flags.permutationsGiven {
		o.Test.Permutations = 2*least + 1
	}
	for i, a := range g.Names {
		for j := i + 1; j < len(g.Names); j++ {
			pair, err := data.Pair(a, g.Names[j])
			if err != nil {
				return err
			}
			o.Names, o.Test.Blocks, o.Test.SampleWeights = []string{a, g.Names[j]}, pair.Blocks, nil
			if w := pair.Weights; w != nil {
				o.Test.SampleWeights = w.Given[:]
			}
			one := givenPair{names: [2]string{a, g.Names[j]}, rows: [2]int{g.Rows[i], g.Rows[j]}}
			z := covariates(pair.Given)
			for k := range z { // by the same method as all groups, however few rows a pair has
				z[k].Category = z[k].Category || g.Result.Test != nil
			}
			one.result, err = given.Samples(ctx, []mat.Matrix{pair.P, pair.Q}, z, o)
			switch {
			case ctx.Err() != nil:
				return err
			case err != nil:
				one.why = cli.OneLine(err)
			default:
				p = append(p, one.result.P)
			}
			g.Pairs = append(g.Pairs, one)
		}
	}
	adjusted := holm(p)
	for k := range g.Pairs {
		if g.Pairs[k].result != nil {
			g.Pairs[k].adjusted, adjusted = adjusted[0], adjusted[1:]
		}
	}
	return nil
}

// IndependenceGiven tests whether two variables are independent given the covariates of the data; y is
// the kernel of the second.
func IndependenceGiven(ctx context.Context, con *cli.Console, data *input.Pairs, f *Flags,
	y *study.KernelFlag) (*report.Document, error) {
	_, dx := data.X.Dims()
	n, _ := data.X.Dims()
	g := &Given{Command: "independence", Flags: f, Data: data.Dataset, Covariates: data.Given, Rows: []int{n, n},
		Variables: true, Names: []string{strings.Join(data.Columns[:dx], ", "),
			strings.Join(data.Columns[dx:], ", ")}}
	line := con.Working("testing given %s", data.Given.Names())
	defer line.End()
	o, err := f.givenOptions(line, nil)
	if err != nil {
		return nil, err
	}
	if o.Test.KernelY, err = f.choice(y); err != nil {
		return nil, err
	}
	o.Test.Blocks, o.Discrete, o.Columns = data.Blocks, discrete(data.Dataset), data.Columns
	o.Test.Kernel.Categories, o.Test.KernelY.Categories = data.Discrete(0, dx), data.Discrete(dx, len(data.Columns))
	if g.Result, err = given.Variables(ctx, data.X, data.Y, covariates(data.Given), o); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	if g.Alone, err = kerneltest.Independence(ctx, data.X, data.Y, o.Test); err != nil {
		return nil, fmt.Errorf("%s: %w", data.Source, err)
	}
	return g.document(), nil
}

// differing are the pairs that differ, in words.
func (g *Given) differing() []string {
	var out []string
	for _, p := range g.Pairs {
		if p.result != nil && p.adjusted <= g.Result.Alpha*(1+1e-12) {
			out = append(out, p.names[0]+" and "+p.names[1])
		}
	}
	return out
}

// notes are those of the data and of the test.
func (g *Given) notes() []string {
	out := slices.Clone(g.Data.Notes)
	if out == nil {
		out = []string{}
	}
	for _, n := range g.Result.Notes {
		out = append(out, cli.WithoutPackages(n))
	}
	return out
}
