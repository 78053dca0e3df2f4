package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/rng"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// given fills in what is known of the user's kernels.
func (c *Chosen) given() {
	for _, k := range c.Kernels {
		c.Theta = append(c.Theta, lengthscale(k))
	}
}

// shrink has each kernel once for each amplitude.
func (c *Chosen) shrink(amplitudes []float64) {
	if len(amplitudes) == 0 {
		return
	}
	list := c.Kernels
	c.Kernels = nil
	for _, k := range list {
		for _, s := range amplitudes {
			c.Kernels, c.Amplitudes = append(c.Kernels, k), append(c.Amplitudes, s)
		}
	}
}

// distances applies the rules that look at the distances of the rows.
func (c Choice) distances(out *Chosen, sorted *mat.Dense, seed uint64) error {
	switch c.Rule {
	case FuseGrid, AggGrid:
		d, err := quantiles(sorted, seed, 0.05, 0.95, 1)
		if err != nil {
			return err
		}
		if c.Rule == FuseGrid {
			out.lengthscales(c.Model, linear(d[0]/2, 2*d[1], c.Bandwidths)...)
		} else {
			out.lengthscales(c.Model, ratios(d[0]/2/math.Sqrt2, 2*d[2]/math.Sqrt2, c.Bandwidths)...)
		}
		return nil
	}
	m, err := kernels.MedianDistance(sorted, seed)
	if err != nil {
		return fmt.Errorf("kerneltest: %w", err)
	}
	out.lengthscales(c.Model, m.Lengthscale(kernels.Convention(c.Rule-MedianOverSqrt2)))
	if m.All == 0 {
		out.note("More than half of the pairs of rows are equal: the median is taken over the others.")
	}
	return nil
}

// linear returns count numbers at equal distances.
func linear(from, to float64, count int) []float64 {
	out := make([]float64, count)
	for i := range out {
		t := float64(i) / float64(max(1, count-1))
		out[i] = (1-t)*from + t*to
	}
	return out
}

// ratios returns count numbers at equal ratios.
func ratios(from, to float64, count int) []float64 {
	out := linear(math.Log(from), math.Log(to), count)
	for i, v := range out {
		out[i] = math.Exp(v)
	}
	return out
}

// quantiles returns those of the distances of rows that differ: element floor(level*count) of the
// sorted distances. Of more than kernels.MaxMedianRows rows it looks at so many, drawn at random.
func quantiles(sorted *mat.Dense, seed uint64, levels ...float64) ([]float64, error) {
	n, dim := sorted.Dims()
	rows := sorted.RawMatrix().Data
	if n > kernels.MaxMedianRows {
		src, err := rng.New(rng.PCG, rng.Name{Seed: seed, Purpose: "kerneltest quantiles"}, 0)
		if err != nil {
			return nil, err
		}
		at := rand.New(src).Perm(n)[:kernels.MaxMedianRows]
		n, rows = len(at), nil
		for _, i := range at {
			rows = append(rows, sorted.RawRowView(i)...)
		}
	}
	d := make([]float64, 0, n*(n-1)/2)
	for i := range n {
		for j := range i {
			s := 0.0
			for a := range dim {
				s = hypot(s, rows[i*dim+a]-rows[j*dim+a])
			}
			if s > 0 {
				d = append(d, s)
			}
		}
	}
	if len(d) == 0 {
		return nil, fmt.Errorf("kerneltest: all %d rows looked at are equal, want at least 2 "+
			"distinct rows", n)
	}
	slices.Sort(d)
	if math.IsInf(d[len(d)-1], 1) {
		return nil, fmt.Errorf("kerneltest: the largest distance is above %v, want data in larger "+
			"units", math.MaxFloat64)
	}
	out := make([]float64, len(levels))
	for k, level := range levels {
		out[k] = d[min(int(level*float64(len(d))), len(d)-1)]
	}
	return out, nil
}

// hypot is math.Hypot, faster where it may be.
func hypot(a, b float64) float64 {
	if s := a*a + b*b; s > 1e-280 && s < 1e280 {
		return math.Sqrt(s)
	}
	return math.Hypot(a, b)
}
