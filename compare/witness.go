package compare

import (
	"context"
	"math"

	"bayeskernel/embedding"

	"gonum.org/v1/gonum/mat"
)

// Witness is the posterior of the witness function mu_P - mu_Q at one scale, or of the mean
// embedding of a single sample. All points are in the units of the data.
type Witness struct {
	Scale  Scale     // as it was resolved; Rung is 0 where no lengthscale was learned
	Kernel string    // the radial kernel
	Theta  []float64 // its lengthscale, in the units of the model: the geometric mean over the draws

	// Axes are those of the grid of a figure, one for each of one or two columns; nil for more.
	Axes [][]float64
	// Shown is the function at each point of the figure, and Band its band there, point by point.
	// For more than two columns the points are those of Functions.
	Shown *embedding.Pointwise
	Band  *embedding.Band

	// Functions are draws of the function at the points of the statement about all points at once:
	// those of the figure for one column, and some of the rows for more. Among tells which are
	// among the data, and Everywhere is their simultaneous band: infinite at the others. All are
	// nil for Pair.Witness.
	Functions  *embedding.Functions
	Among      []bool
	Everywhere *embedding.Band

	// Strongest is the point among the data where the function is furthest from 0 in units of its
	// standard deviation.
	Strongest Place
	// Where is for one column and Places for more: nil unless the test rejects, and empty where it
	// does and no place can be named (kerneltest.Places). For several columns they are then in single
	// columns that differ by their own tests, if there are any (Column). A difference that is spread along the other
	// columns shows in one of them only. Likely is the clearest place, named or not.
	Where  []Interval
	Places []Place
	Likely Place

	columns []string
	lengths []float64  // Theta
	model   *mat.Dense // the points of Functions in the units of the model
}

// witness computes the function at one kernel.
func (d *data) witness(ctx context.Context, k *kernel) (*Witness, error) {
	w := &Witness{Scale: k.scale, Kernel: k.String(), Theta: k.lengthscale(), columns: d.columns}
	w.lengths = w.Theta
	samples, err := d.embedded(k.post.Scaling)
	if err != nil {
		return nil, err
	}
	f, err := embedding.NewWitness(k.post.Model, samples[0], samples[1], k.draws(d.total(), d.dim),
		k.at)
	if err != nil {
		return nil, err
	}
	points, err := d.points(ctx, w, k)
	if err != nil {
		return nil, err
	}
	if w.model, err = scaled(k.post.Scaling, points); err != nil {
		return nil, err
	}
	if w.Functions, err = f.Functions(ctx, w.model, d.o.Functions, d.o.Seed); err != nil {
		return nil, err
	}
	w.Functions.Points = points
	w.Shown = w.Functions.Pointwise
	if len(w.Axes) == 2 {
		if err := w.plane(ctx, f, k); err != nil {
			return nil, err
		}
	}
	if w.Band, err = w.Shown.Band(d.o.Pointwise); err != nil {
		return nil, err
	}
	w.among(d, k)
	if w.Everywhere, err = w.Functions.BandOver(d.o.Level, w.Among); err != nil {
		return nil, err
	}
	w.strongest(d)
	return w, nil
}

// plane has the function on the grid of a figure of two columns.
func (w *Witness) plane(ctx context.Context, f *embedding.Witness, k *kernel) error {
	a, b := w.Axes[0], w.Axes[1]
	grid := mat.NewDense(len(a)*len(b), 2, nil)
	for i := range a {
		for j := range b {
			grid.SetRow(i*len(b)+j, []float64{a[i], b[j]})
		}
	}
	at, err := scaled(k.post.Scaling, grid)
	if err != nil {
		return err
	}
	if w.Shown, err = f.At(ctx, at); err != nil {
		return err
	}
	w.Shown.Points = grid
	return nil
}

// strength is how many posterior standard deviations the mean is from zero at point j.
func (w *Witness) strength(j int) float64 {
	f := w.Functions
	if f.SD[j] == 0 {
		return 0
	}
	return math.Abs(f.Mean[j]) / f.SD[j]
}
