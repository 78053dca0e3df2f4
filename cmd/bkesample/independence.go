package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bayeskernel/internal/figure"
	"bayeskernel/internal/table"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

func independenceCommand() command {
	return command{
		name: "independence", args: "-x a,b -y c XY.csv",
		summary: "test whether two sets of columns are independent (HSIC, learned kernels)",
		about: `Tests whether two sets of columns of one file are independent, by the Hilbert-Schmidt
independence criterion. A kernel is learned for each set, blind to the other: the permutation
test is exact although no data are set aside.`,
		flags: func(s *flagSet) func(context.Context, *console, []string) error {
			j := &independenceJob{}
			s.group("Data")
			s.text(&j.x, "x", "", "the `columns` of the first variable, separated by commas: names, "+
				"or numbers from 1")
			s.text(&j.y, "y", "", "the `columns` of the second variable")
			s.choice(&j.na, "na", "error", []string{"error", "drop"}, "`what` to do with rows in "+
				"which a value is missing: error or drop")
			j.test.define(s, true)
			j.kernelY.define(s, "kernel-y", "", "the radial `kernel` of the second variable (default as "+
				"-kernel)")
			j.output.define(s, "independence")
			return func(ctx context.Context, con *console, files []string) error {
				j.output.hush(con)
				return j.run(ctx, s, con, files)
			}
		},
	}
}

type independenceJob struct {
	x, y, na string
	kernelY  kernelFlag
	test     testFlags
	output   outputFlags
}

// check finds what is wrong with the flags and the number of files.
func (j *independenceJob) check(set *flagSet, files []string) error {
	if err := j.test.check(set); err != nil {
		return err
	}
	if !set.given("kernel-y") {
		j.kernelY.text = j.test.kernel.text
	}
	j.kernelY.named = set.given("kernel-y") || set.given("kernel")
	if err := j.kernelY.read(); err != nil {
		return err
	}
	if err := j.output.check(set); err != nil {
		return err
	}
	xs, ys := split(j.x), split(j.y)
	switch {
	case len(xs) == 0 || len(ys) == 0:
		return usagef("-x and -y name the columns of the two variables, want both flags")
	case len(files) != 1:
		return usagef("found %s, want exactly one", plural(len(files), "file"))
	}
	for _, c := range xs {
		if slices.Contains(ys, c) {
			return usagef("column %s is in -x and in -y, want each in one", c)
		}
	}
	return nil
}

func (j *independenceJob) run(ctx context.Context, set *flagSet, con *console, files []string) error {
	if err := j.check(set, files); err != nil {
		return err
	}
	x, y, t, err := j.load(con, files[0])
	if err != nil {
		return err
	}
	n, dx := x.Dims()
	_, dy := y.Dims()
	if err := j.test.checkInputs(n, max(dx, dy)); err != nil {
		return err
	}
	if err := j.test.admit(&j.test.kernel, dx); err != nil {
		return err
	}
	if err := j.test.admit(&j.kernelY, dy); err != nil {
		return err
	}
	dir, err := j.output.prepare()
	if err != nil {
		return err
	}
	o, err := j.test.options()
	if err != nil {
		return err
	}
	if o.KernelY, err = j.test.choice(&j.kernelY); err != nil {
		return err
	}
	data := &dataset{p: x, columns: t.Names, source: sampleName(files[0])}
	if t.Dropped > 0 {
		data.notes = append(data.notes, fmt.Sprintf("%s: left out %s with missing values.", files[0],
			plural(t.Dropped, "row")))
	}
	o.Blocks = blockNumbers(t.Groups)
	line := con.working("preparing the test")
	o.Progress = line.step
	r, err := kerneltest.Independence(ctx, x, y, o)
	line.end()
	if err != nil {
		return fmt.Errorf("%s: %w", data.source, err)
	}
	rep := &testReport{command: "independence", job: &j.test, con: con, dir: dir, data: data,
		result: r, x: x, y: y, columns: t.Names,
		names: [2]string{strings.Join(t.Names[:dx], ", "), strings.Join(t.Names[dx:], ", ")}}
	return rep.finish(&j.output)
}

// load reads the two variables, and with -blocks the groups of their rows.
func (j *independenceJob) load(con *console, file string) (x, y *mat.Dense, t *table.Table, err error) {
	xs, ys := split(j.x), split(j.y)
	o := table.Options{Columns: append(slices.Clone(xs), ys...), Group: j.test.blocks}
	o.Missing, _ = table.ParseMissing(j.na)
	if t, err = openTable(con, file, o); err != nil {
		return nil, nil, nil, err
	}
	n, all := t.Data.Dims()
	if n < 2 {
		return nil, nil, nil, fmt.Errorf("%s: found %s, want at least 2", t.Source, plural(n, "row"))
	}
	if err := checkSize(t.Source, t.Names, t.Data); err != nil {
		return nil, nil, nil, err
	}
	if err := checkSpread(t.Source, t.Names, t.Data); err != nil {
		return nil, nil, nil, err
	}
	x = mat.DenseCopyOf(t.Data.Slice(0, n, 0, len(xs)))
	y = mat.DenseCopyOf(t.Data.Slice(0, n, len(xs), all))
	for _, v := range []struct {
		flag string
		rows *mat.Dense
	}{{"x", x}, {"y", y}} {
		if equalRows(v.rows) {
			return nil, nil, nil, fmt.Errorf("%s: the columns of -%s are the same in all %d rows, want "+
				"at least 2 distinct values", t.Source, v.flag, n)
		}
	}
	return x, y, t, nil
}

// independenceWitness draws where pairs are more and less frequent than they would be if the
// variables were independent; nil unless both have one column.
func (r *testReport) independenceWitness() (*figure.Figure, error) {
	if len(r.columns) != 2 {
		return nil, nil
	}
	n, _ := r.x.Dims()
	both := mat.NewDense(n, 2, nil)
	for i := range n {
		both.SetRow(i, []float64{r.x.At(i, 0), r.y.At(i, 0)})
	}
	points, axes := pictureGrid(both)
	value, lower, upper, err := r.witness(points)
	if err != nil {
		return nil, err
	}
	return figure.Witness2D{Title: fmt.Sprintf("%s and %s, n = %d", r.names[0], r.names[1], n),
		X: axes[0], Y: axes[1], Mean: value, Lower: lower, Upper: upper, XLabel: r.columns[0],
		YLabel: r.columns[1], Level: witnessLevel,
		Samples: []figure.Cloud{cloud("pairs", both)}}.Draw()
}
