package given

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/kerneltest/conditional"

	"gonum.org/v1/gonum/mat"
)

// regression tests by regressions on the covariates.
func regression(ctx context.Context, x, y mat.Matrix, labels bool, z []Covariate, o Options) (*Result,
	error) {
	n, dx := x.Dims()
	_, dy := y.Dims()
	switch t := o.Test; {
	case t.Blocks != nil:
		return nil, fmt.Errorf("given: there are blocks with the numeric covariates %s, want covariates that "+
			"are categories, or no blocks", names(z))
	case t.SampleWeights != nil || t.WeightsX != nil || t.WeightsY != nil:
		return nil, fmt.Errorf("given: there are weights with the numeric covariates %s, want covariates "+
			"that are categories, or no weights", names(z))
	case o.Discrete != nil && len(o.Discrete) != dx && len(o.Discrete) != dx+dy:
		return nil, fmt.Errorf("given: there are %d flags of columns that hold categories, want %d",
			len(o.Discrete), dx+dy)
	case n > conditional.MaxRows:
		return nil, fmt.Errorf("given: there are %d rows with the numeric covariates %s, want at most %d, or "+
			"covariates with few values", n, names(z), conditional.MaxRows)
	}
	c := mat.NewDense(n, len(z), nil)
	discrete := slices.Repeat([]bool{false}, dx+dy+len(z))
	copy(discrete, o.Discrete)
	if labels {
		discrete[dx] = true
	}
	for j, of := range z {
		c.SetCol(j, of.Values)
		discrete[dx+dy+j] = of.Category
	}
	var columns []string
	if len(o.Columns) == dx+dy || labels && len(o.Columns) == dx {
		columns = slices.Clone(o.Columns)
		if labels {
			columns = append(columns, "which sample a row is of")
		}
		for _, of := range z {
			columns = append(columns, of.Name)
		}
	}
	t, err := conditional.Test(ctx, x, y, c, conditional.Options{Names: columns, Discrete: discrete, Alpha: o.Test.Alpha,
		Seed: o.Test.Seed})
	if err != nil {
		return nil, err
	}
	return &Result{P: t.P, PError: t.PError, Alpha: t.Alpha, Reject: t.Reject, Regression: t, Rows: n,
		Used: n, Notes: t.Notes}, nil
}

// overlap says of how many rows a covariate is where another sample has none. It looks at the range
// that all samples share.
func overlap(label []float64, z []Covariate, names []string) []string {
	var out []string
	for _, c := range z {
		if c.Category {
			continue
		}
		lo, hi := make([]float64, len(names)), make([]float64, len(names))
		for g := range names {
			lo[g], hi[g] = math.Inf(1), math.Inf(-1)
		}
		for i, v := range c.Values {
			g := int(label[i])
			lo[g], hi[g] = min(lo[g], v), max(hi[g], v)
		}
		from, to, outside := slices.Max(lo), slices.Min(hi), 0
		for _, v := range c.Values {
			if v < from || v > to {
				outside++
			}
		}
		switch {
		case from > to:
			out = append(out, fmt.Sprintf("No value of %s is in the range of all samples: what differs with it "+
				"cannot be told from what differs between samples.", c.Name))
		case outside > len(label)/20:
			out = append(out, fmt.Sprintf("In %d of %d rows %s is not between %.4g and %.4g, the range that all samples share: they are "+
				"adjusted for by extrapolation.", outside, len(label), c.Name, from, to))
		}
	}
	return out
}
