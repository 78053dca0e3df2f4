package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"bayeskernel/internal/workers"
	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// Column is the test of one column alone.
type Column struct {
	Name string
	Test *kerneltest.Result
	// Corrected is the p-value by Holm's method: the probability that any of the columns in which
	// the samples do not differ has one of at most alpha is at most alpha.
	Corrected float64
	// Levels has the levels of a column of categories, nil for one of numbers. Shift and Witness are then left
	// out.
	Levels []Level
	// Shift is the difference of the means over the root of the mean of the two variances, and
	// ShiftSE its standard error without that of the variances: for a picture. The test sees other
	// differences too.
	Shift, ShiftSE float64
	// Witness is that of the column alone, at the scale of its strongest kernel, with Witness.Where.
	// It is nil unless the test of all columns rejects and that of the column does, corrected; and
	// beyond the ten columns with the smallest p-values.
	Witness *Witness
}

// Alone is the test of one column by itself, made by the caller: by way of a summary, say.
type Alone struct {
	Test    *kerneltest.Result
	Samples [2]Sample // that column of both samples
	// Posterior is that of the witness of the column; nil if Test tested the rows themselves.
	Posterior *Posterior
}

// shownColumns is the number of columns that have a witness at most.
const shownColumns = 10

// columnsAlone tests each column, and draws the witness of those that differ.
func (r *Result) columnsAlone(ctx context.Context) error {
	if err := r.byColumn(ctx); err != nil {
		return err
	}
	var alone []int
	for j, c := range r.ByColumn {
		if c.Corrected <= r.Test.Alpha && (c.Levels == nil || !r.Test.Reject) {
			alone = append(alone, j)
		}
	}
	if !r.Test.Reject {
		return nil
	}
	slices.SortStableFunc(alone, func(i, j int) int {
		return cmp.Compare(r.ByColumn[i].Test.P, r.ByColumn[j].Test.P)
	})
	for _, j := range alone[:min(len(alone), shownColumns)] {
		w, err := r.columnWitness(ctx, j)
		if err != nil {
			if err = r.excuse(ctx, err); err != nil {
				return err
			}
		}
		r.ByColumn[j].Witness = w
	}
	return nil
}

// columnWitness is the witness of one column alone.
func (r *Result) columnWitness(ctx context.Context, j int) (*Witness, error) {
	d, err := r.data.alone(j)
	if err != nil {
		return nil, err
	}
	t := r.ByColumn[j].Test
	one := &Result{Test: t, data: d}
	if one.Posterior, err = d.posterior(ctx, one); err != nil {
		return nil, err
	}
	k, err := one.kernel(ctx, Scale{})
	if err != nil {
		return nil, err
	}
	w, err := d.witness(ctx, k)
	if err != nil {
		return nil, err
	}
	if err := one.locate(ctx); err != nil {
		return nil, err
	}
	w.name(one)
	return w, nil
}

// columnPlaces are places in single columns: for each that differs the strongest point at which one
// sample has more, the strongest columns first.
func (r *Result) columnPlaces() []Place {
	out := []Place{}
	for _, c := range r.ByColumn {
		if w := c.Witness; w != nil && len(w.Where) > 0 {
			out = append(out, w.Likely)
		}
	}
	slices.SortStableFunc(out, func(a, b Place) int { return cmp.Compare(b.Strength, a.Strength) })
	return out[:min(len(out), mostPlaces)]
}

// With manyRows rows or more, columns are tested one after another, to save memory.
const manyRows = 4000

// byColumn tests each column.
func (r *Result) byColumn(ctx context.Context) error {
	d := r.data
	o := d.columnOptions()
	parallel := 0
	if d.total() > manyRows {
		parallel = 1
	}
	r.ByColumn = make([]Column, d.dim)
	if d.o.Alone != nil {
		r.testedColumns()
		return nil
	}
	errs := workers.Run(ctx, d.dim, parallel, func(j int) error {
		x, y := d.column(0, j), d.column(1, j)
		o := o
		if d.categorical(j) {
			o.Kernel.Categories = []int{0}
		}
		t, err := kerneltest.TwoSample(ctx, x, y, o)
		if err != nil {
			return fmt.Errorf("%w (column %s)", err, d.columns[j])
		}
		c := Column{Name: d.columns[j], Test: t}
		if d.categorical(j) {
			c.Levels = d.levels(j)
			r.ByColumn[j] = c
			return nil
		}
		c.Shift, c.ShiftSE = shift(x.RawMatrix().Data, y.RawMatrix().Data, d.samples[0].weights,
			d.samples[1].weights)
		r.ByColumn[j] = c
		return nil
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	r.correct()
	return nil
}

// testedColumns takes the tests that the caller made.
func (r *Result) testedColumns() {
	for j, a := range r.data.o.Alone {
		c := Column{Name: r.data.columns[j], Test: a.Test}
		c.Shift, c.ShiftSE = shift(mat.Col(nil, 0, a.Samples[0].X), mat.Col(nil, 0, a.Samples[1].X), nil, nil)
		r.ByColumn[j] = c
	}
	r.correct()
}

// correct corrects the p-values of the columns.
func (r *Result) correct() {
	p := make([]float64, len(r.ByColumn))
	for j, c := range r.ByColumn {
		p[j] = c.Test.P
	}
	for j, v := range holm(p) {
		r.ByColumn[j].Corrected = v
	}
}

// alone is one column of two samples, as it was tested.
func (d *data) alone(j int) (*data, error) {
	if d.o.Alone == nil {
		return d.only(j)
	}
	a, o := d.o.Alone[j], d.optionsOf([]int{j})
	if o.Posterior = a.Posterior; o.Posterior != nil {
		o.Tested = a.Test
	}
	p, q := a.Samples[0], a.Samples[1]
	p.Name, q.Name = d.samples[0].name, d.samples[1].name
	return newData(o, p, q)
}

// columnOptions is the default test, with so many permutations that the smallest p-value is below
// alpha by far after the correction. Columns without evidence stop early.
func (d *data) columnOptions() kerneltest.Options {
	all := d.testOptions()
	o := kerneltest.Options{WeightsX: all.WeightsX, WeightsY: all.WeightsY, Blocks: all.Blocks,
		Alpha: all.Alpha, Seed: all.Seed, Stop: ColumnStop}
	o.Permutations = max(cmp.Or(all.Permutations, 999), ColumnPermutations(d.dim, all.Alpha))
	return o
}

// ColumnStop is the number of permutations at least as extreme as the data after which the test of a column
// stops.
const ColumnStop = 100

// ColumnPermutations is how many permutations make the smallest p-value of a column small enough beside the
// level alpha (0.05 for 0) after the correction for so many columns.
func ColumnPermutations(columns int, alpha float64) int {
	return int(math.Ceil(5*float64(columns)/cmp.Or(alpha, 0.05))) - 1
}

func (d *data) column(sample, j int) *mat.Dense {
	s := d.samples[sample]
	return mat.NewDense(s.n, 1, mat.Col(nil, j, s.x))
}

// holm corrects p-values by the method of Holm (1979): the k-th smallest of n is multiplied by
// n-k+1, and none is below that of a smaller one.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	out, least := make([]float64, len(p)), 0.0
	for k, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-k)))
		out[i] = least
	}
	return out
}

// shift is the difference of two means in units of the root of the mean of the variances, and its
// standard error.
func shift(x, y, wx, wy []float64) (value, se float64) {
	mx, vx, nx := meanVariance(x, wx)
	my, vy, ny := meanVariance(y, wy)
	unit := math.Sqrt((vx + vy) / 2)
	if !(unit > 0) {
		return 0, 0
	}
	return (mx - my) / unit, math.Sqrt(vx/nx+vy/ny) / unit
}

// meanVariance returns the weighted mean, the variance, and the effective number of rows.
func meanVariance(x, w []float64) (mean, variance, n float64) {
	square := 0.0
	weight := func(i int) float64 {
		if w == nil {
			return 1 / float64(len(x))
		}
		return w[i]
	}
	for i, v := range x {
		mean += weight(i) * v
		square += weight(i) * weight(i)
	}
	for i, v := range x {
		variance += weight(i) * (v - mean) * (v - mean)
	}
	if len(x) > 1 {
		variance /= 1 - square
	}
	return mean, variance, 1 / square
}
