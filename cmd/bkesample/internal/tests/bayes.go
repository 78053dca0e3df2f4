package tests

import (
	"context"
	"fmt"
	"slices"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/input"
	"bayeskernel/internal/rows"
	"bayeskernel/kerneltest/bayesfactor"

	"gonum.org/v1/gonum/mat"
)

// BayesFlags ask for the Bayes factor of two samples.
type BayesFlags struct {
	On, Paired bool
	Pairs      string // the column of -pairs, by which the rows were put in order
}

// Define defines the flags; paired adds the flag for paired rows.
func (f *BayesFlags) Define(s *cli.FlagSet, paired bool) {
	s.Yes(&f.On, "bayes", "also compute the Bayes factor of a difference over sameness: the probability "+
		"that the samples differ, if it was 1/2 before")
	if paired {
		s.Yes(&f.Paired, "paired", "the rows of the samples belong together, the first of the one to the "+
			"first of the other and so on: they are exchanged only with each other")
	}
}

// Check returns an error if the flags are wrong; blocks is the value of -blocks.
func (f *BayesFlags) Check(blocks string, weights string) error {
	switch {
	case f.Paired && f.Pairs != "":
		return cli.Usagef("-paired takes pairs in the order of the rows and -pairs by a column: want one of them")
	case f.Paired && blocks != "":
		return cli.Usagef("-paired exchanges rows within pairs and -blocks within groups: want one of them")
	case (f.Paired || f.Pairs != "") && f.On && weights != "":
		return cli.Usagef("-bayes -paired has no weights of rows: want -bayes without -paired, or no -weights")
	}
	return nil
}

// Admit rejects unsuitable data, and turns blocks into pairs.
func (f *BayesFlags) Admit(d *input.Dataset) error {
	switch {
	case d.Groups != nil && (f.On || f.Paired):
		return cli.Usagef("-bayes and -paired are for two samples, and there are more")
	case f.On && d.Q == nil:
		return cli.Usagef("-bayes is for two samples, and there is one")
	case f.On && d.Categories != nil:
		return d.Numbers("-bayes", "leave it out by -drop COLUMN")
	case f.Pairs != "":
		f.Paired = d.Q != nil // the rows are in order
		return nil
	case !f.Paired:
		return nil
	}
	m, _ := d.P.Dims()
	n, _ := d.Q.Dims()
	if m != n {
		return fmt.Errorf("%s: -paired: found %d and %d rows, want as many in both samples", d.Source, m, n)
	}
	d.Blocks = nil
	for range 2 {
		for i := range n {
			d.Blocks = append(d.Blocks, i)
		}
	}
	d.Notes = append(d.Notes, "Rows of the same number are a pair, and are exchanged only with each other.")
	return nil
}

// Bayes is a Bayes factor and what its report needs.
type Bayes struct {
	*bayesfactor.Result
	Data   *input.Dataset
	Paired bool
	// Points are where the witness is evaluated; Axes are the axes of a picture of one or two
	// columns.
	Points *mat.Dense
	Axes   [][]float64
}

const (
	bayesAxis = 200 // points along one column
	bayesRows = 200 // points of more than two columns, which are rows
)

// Factor computes the Bayes factor.
func (f *BayesFlags) Factor(ctx context.Context, con *cli.Console, d *input.Dataset, permutations int,
	seed uint64) (*Bayes, error) {
	if !f.On {
		return nil, nil
	}
	b := &Bayes{Data: d, Paired: f.Paired}
	o := bayesfactor.Options{Permutations: permutations, Seed: seed}
	test := bayesfactor.Paired
	if !f.Paired {
		test, o.Blocks = bayesfactor.Density, d.Blocks
		if d.Weights != nil {
			o.WeightsX, o.WeightsY = d.Weights.Given[0], d.Weights.Given[1]
		}
		b.Points, b.Axes = bayesPoints(d.Pooled())
		o.Points = b.Points
	}
	line := con.Working("computing the Bayes factor")
	defer line.End()
	o.Progress = line.Step
	r, err := test(ctx, d.P, d.Q, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	b.Result = r
	return b, nil
}

// bayesPoints are the points where the witness is shown, or searched for its strongest point.
func bayesPoints(all *mat.Dense) (*mat.Dense, [][]float64) {
	n, dim := all.Dims()
	switch dim {
	case 1:
		values := mat.Col(nil, 0, all)
		slices.Sort(values)
		axis := rows.Axis(values, bayesAxis)
		return mat.NewDense(bayesAxis, 1, slices.Clone(axis)), [][]float64{axis}
	case 2:
		if points, axes := PlaneGrid(all); points != nil {
			return points, axes
		}
	}
	order := rows.Order(all.RawMatrix().Data, dim)
	count := min(n, bayesRows)
	points := mat.NewDense(count, dim, nil)
	for i := range count {
		points.SetRow(i, all.RawRowView(order[i*n/count]))
	}
	return points, nil
}
