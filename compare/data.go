package compare

import (
	"cmp"
	"fmt"

	"bayeskernel/bke"
	"bayeskernel/embedding"
	"bayeskernel/internal/rows"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// data is one or two samples that passed the checks, with the options completed.
type data struct {
	o       Options
	samples []*sample
	columns []string
	dim     int
	pooled  []float64 // the rows of all samples, in the units of the data
}

// sample is the rows of one sample, in the units of the data.
type sample struct {
	given   Sample
	name    string
	n       int
	x       *mat.Dense
	weights []float64 // of sum 1; nil for equal ones
}

// rows is the number of rows of the sample; n of them are held.
func (s *sample) rows() int {
	if s.given.Means != nil {
		return s.given.Means.Rows
	}
	return cmp.Or(s.given.Of, s.n)
}

// newData checks and copies what was given.
func newData(o Options, given ...Sample) (*data, error) {
	d := &data{}
	for i, g := range given {
		name := g.Name
		if name == "" {
			name = string(rune('P' + i))
		}
		flat, n, dim, err := rows.Finite(name, g.X)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		if i > 0 && dim != d.dim {
			return nil, fmt.Errorf("compare: %s has %s, want %d as %s", name,
				rows.Count(dim, "column"), d.dim, d.samples[0].name)
		}
		d.dim = dim
		s := &sample{given: g, name: name, n: n, x: mat.NewDense(n, dim, flat)}
		if s.weights, err = normalised(g.Weights, n, name); err != nil {
			return nil, err
		}
		if g.Blocks != nil && len(g.Blocks) != n {
			return nil, fmt.Errorf("compare: %s has %s of blocks, want %d, one for each row", name,
				rows.Count(len(g.Blocks), "label"), n)
		}
		d.samples = append(d.samples, s)
		d.pooled = append(d.pooled, flat...)
	}
	if len(given) == 2 && (given[0].Blocks == nil) != (given[1].Blocks == nil) {
		return nil, fmt.Errorf("compare: one sample of two has blocks, want both or none")
	}
	if len(given) == 2 && d.samples[0].name == d.samples[1].name {
		return nil, fmt.Errorf("compare: both samples are called %s, want two names",
			d.samples[0].name)
	}
	var err error
	if d.o, err = o.resolved(d.dim); err != nil {
		return nil, err
	}
	if err := d.nameColumns(); err != nil {
		return nil, err
	}
	if d.o.Alone != nil && (len(d.o.Alone) != d.dim || d.o.Tested == nil) {
		return nil, fmt.Errorf("compare: there are tests of %s alone, want %d, beside one of all",
			rows.Count(len(d.o.Alone), "column"), d.dim)
	}
	return d, d.checkLevels()
}

// same reports whether both samples hold the same rows in the same order, without weights, and these
// are not all equal.
func (d *data) same() bool {
	if len(d.samples) != 2 || d.samples[0].given.Means != nil || d.samples[0].weights != nil ||
		d.samples[1].weights != nil || !mat.Equal(d.samples[0].x, d.samples[1].x) {
		return false
	}
	for i := d.dim; i < len(d.pooled); i++ {
		if d.pooled[i] != d.pooled[i-d.dim] {
			return true
		}
	}
	return false
}

func (d *data) nameColumns() error {
	d.columns = d.o.Columns
	if d.columns == nil {
		for j := range d.dim {
			name := "x"
			if d.dim > 1 {
				name = fmt.Sprintf("x%d", j+1)
			}
			d.columns = append(d.columns, name)
		}
	}
	if len(d.columns) != d.dim {
		return fmt.Errorf("compare: there are %s of columns, want %d",
			rows.Count(len(d.columns), "name"), d.dim)
	}
	return nil
}

// normalised returns weights of sum 1.
func normalised(given []float64, n int, name string) ([]float64, error) {
	if given == nil {
		return nil, nil
	}
	if len(given) != n {
		return nil, fmt.Errorf("compare: %s has %s, want %d, one for each row", name,
			rows.Count(len(given), "weight"), n)
	}
	sum := 0.0
	for i, w := range given {
		if !(w > 0 && w < 1e300) {
			return nil, fmt.Errorf("compare: weight %d of %s is %v, want a positive number", i+1, name,
				w)
		}
		sum += w / float64(n)
	}
	out := make([]float64, n)
	for i, w := range given {
		out[i] = w / sum / float64(n)
	}
	return out, nil
}

// only is some columns of two samples, compared by default.
func (d *data) only(of ...int) (*data, error) {
	var given []Sample
	for _, s := range d.samples {
		x := mat.NewDense(s.n, len(of), nil)
		for a, j := range of {
			x.SetCol(a, mat.Col(nil, j, s.x))
		}
		g := s.given
		g.Name, g.X = s.name, x
		given = append(given, g)
	}
	return newData(d.optionsOf(of), given...)
}

// optionsOf are the options by which some columns are compared.
func (d *data) optionsOf(of []int) Options {
	o := d.o
	o.Levels = d.levelsOf(of)
	o.Columns, o.Grid, o.Scale, o.Posterior, o.Sampler = nil, 0, Scale{}, nil, nil
	o.Tested, o.Alone = nil, nil
	o.Test = kerneltest.Options{Alpha: d.o.Test.Alpha, Seed: d.o.Test.Seed,
		Permutations: d.o.Test.Permutations}
	for _, j := range of {
		o.Columns = append(o.Columns, d.columns[j])
	}
	return o
}

// total is the number of rows.
func (d *data) total() int { return len(d.pooled) / d.dim }

// all is the rows of all samples.
func (d *data) all() *mat.Dense { return mat.NewDense(d.total(), d.dim, d.pooled) }

// embedded returns the samples as package embedding takes them, in the units of a model.
func (d *data) embedded(s *bke.Scaling) (out [2]embedding.Sample, err error) {
	for i, of := range d.samples {
		x, err := scaled(s, of.x)
		if err != nil {
			return out, err
		}
		out[i] = embedding.Sample{X: x, Weights: of.weights}
		if of.given.Means != nil {
			out[i] = embedding.Sample{Means: of.given.Means}
		}
	}
	return out, nil
}

// scaled brings points into the units of a model.
func scaled(s *bke.Scaling, points *mat.Dense) (*mat.Dense, error) {
	if s == nil {
		return points, nil
	}
	return s.Apply(points)
}
