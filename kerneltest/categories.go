package kerneltest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/kernels"
)

// mixed chooses the kernels of rows some of whose columns hold categories: those that the choice gives for
// the numbers, and kernels.Mixed of each. As for numbers, it looks at the pooled rows without their order.
func (c Choice) mixed(ctx context.Context, data []float64, dim int, o Options, name string) (*Chosen, []float64,
	error) {
	columns := slices.Clone(c.Categories)
	slices.Sort(columns)
	if columns[0] < 0 || columns[len(columns)-1] >= dim || len(slices.Compact(slices.Clone(columns))) < len(columns) {
		return nil, nil, fmt.Errorf("kerneltest: columns of categories are %v, want different ones from 0 to %d",
			c.Categories, dim-1)
	}
	c.Categories = nil
	if c.Rule.shrinks() { // whose shrinkage takes differences for noise where categories make many directions
		c.Rule, c.Amplitudes = Ladder, nil
	}
	if len(columns) == dim {
		one := &Chosen{Rule: Given, Kernels: []kernels.Kernel{kernels.Mixed{Columns: columns}},
			Theta: []float64{math.NaN()}}
		return one, data, nil
	}
	var left []int
	for j := range dim {
		if !slices.Contains(columns, j) {
			left = append(left, j)
		}
	}
	n := len(data) / dim
	numbers := make([]float64, 0, n*len(left))
	for row := range slices.Chunk(data, dim) {
		for _, j := range left {
			numbers = append(numbers, row[j])
		}
	}
	out, scaled, err := c.choose(ctx, numbers, len(left), o, name)
	if err != nil {
		return nil, nil, err
	}
	out.wrap = func(k kernels.Kernel) kernels.Kernel { return kernels.Mixed{Of: k, Columns: columns} }
	for i, k := range out.Kernels {
		out.Kernels[i] = out.wrap(k)
	}
	data = slices.Clone(data)
	for i := range n {
		for a, j := range left {
			data[i*dim+j] = scaled[i*len(left)+a]
		}
	}
	if out.Scaling != nil {
		whole := &bke.Scaling{SD: slices.Repeat([]float64{1}, dim)}
		for a, j := range left {
			whole.SD[j] = out.Scaling.SD[a]
		}
		out.Scaling = whole
	}
	return out, data, nil
}

// ofNumbers is the part of a kernel that is of the numbers, nil if there is none.
func ofNumbers(k kernels.Kernel) kernels.Kernel {
	if m, ok := k.(kernels.Mixed); ok {
		return m.Of
	}
	return k
}
