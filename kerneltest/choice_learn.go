package kerneltest

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"bayeskernel/bke"
	"bayeskernel/bke/quadrature"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// learn finds the modes of the posterior density of the lengthscale, with twice as many
// pseudo-inputs as before as long as the fit calls for it, and makes kernels of them. Where that
// fails and the options asked for no particular model, it takes the median heuristic.
func (c Choice) learn(ctx context.Context, out *Chosen, sorted *mat.Dense, o Options,
	name string) error {
	progress := o.step("learn")
	if progress == nil {
		progress = func(int, int) {}
	}
	progress(0, 1)
	err := c.fit(ctx, out, sorted, o.Seed)
	if err == nil {
		err = c.kernels(ctx, out)
	}
	progress(1, 1)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if !reflect.ValueOf(c.Inputs).IsZero() || !reflect.ValueOf(c.Model).IsZero() ||
		!reflect.ValueOf(c.Priors).IsZero() {
		return fmt.Errorf("kerneltest: %s: %w", name, err)
	}
	*out = Chosen{Rule: PlainMedian, Scaling: out.Scaling}
	out.note("The lengthscale of %s could not be learned (%v): the median distance is used.", name,
		err)
	return Choice{Rule: PlainMedian}.distances(out, sorted, o.Seed)
}

// fit sets Model, Inputs and Fit.
func (c Choice) fit(ctx context.Context, out *Chosen, sorted *mat.Dense, seed uint64) error {
	inputs := c.Inputs
	inputs.Seed ^= seed
	rows, columns, err := drawnIn(sorted, c)
	if err != nil {
		return err
	}
	f, err := bke.Learn(ctx, rows, inputs, c.Model, bke.LearnOptions{Priors: &c.Priors,
		Seed: inputs.Seed, Rows: learnedRows(rows), ThetaMax: longestTheta(rows, c.Model)})
	if err != nil {
		return err
	}
	out.Model, out.Inputs, out.Fit = f.Model, f.Inputs, f.Fit
	out.Notes = append(out.Notes, f.Notes...)
	out.Heavy = columns
	for _, w := range append(f.Model.Warnings(), f.Fit.Warnings...) {
		if w.Kind == bke.WarnFewInputs && c.Inputs.Points == nil {
			continue // the number was chosen here, for the test, whose level does not depend on it
		}
		if !w.Note {
			out.note("%s", w.Sentence)
		}
	}
	return nil
}

// learnedRows is the number of rows in the likelihood. A row of D columns says about D times as much of theta as one of
// a single column, and takes more than D times as long: of many columns there are as many pseudo-inputs as rows.
func learnedRows(x mat.Matrix) int {
	_, dim := x.Dims()
	if dim == 1 {
		return 0
	}
	return max(40, min(2000/dim, 30000/(dim*dim)))
}

// longestTheta ends the search for a lengthscale of many columns at 5 times the diameter of the rows, where a kernel is as
// good as linear: 0, for the default, for fewer columns, whose search takes less.
func longestTheta(x mat.Matrix, o bke.Options) float64 {
	_, dim := x.Dims()
	if dim < 10 || o.ThetaMax > 0 {
		return 0
	}
	return 5 * rows.Diameter(mat.DenseCopyOf(x).RawMatrix().Data, dim)
}

// drawnIn are the rows from which a lengthscale is learned, with tails drawn in unless the pseudo-inputs are given.
func drawnIn(sorted *mat.Dense, c Choice) (mat.Matrix, []int, error) {
	if c.Inputs.Points != nil {
		return sorted, nil, nil
	}
	return bke.DrawIn(sorted)
}

// kernels makes them of the modes.
func (c Choice) kernels(ctx context.Context, out *Chosen) error {
	best := out.Fit.Modes[0].Params.Theta
	switch c.Rule {
	case Learned:
		out.add(c.Model, best, 1)
	case Ladder:
		for _, e := range c.Rungs {
			out.add(c.Model, best, math.Exp2(e))
		}
	case Bayes, Broad:
		for _, e := range c.Rungs {
			for _, s := range c.Amplitudes {
				out.add(c.Model, best, math.Exp2(e))
				out.Amplitudes = append(out.Amplitudes, s)
			}
		}
	case Modes:
		for _, m := range out.Fit.Modes {
			out.add(c.Model, m.Params.Theta, 1)
		}
	case PosteriorMean:
		mean, err := c.mean(ctx, out)
		if err != nil {
			return err
		}
		out.Kernels, out.Theta = []kernels.Kernel{mean}, []float64{geometric(best)}
		out.Rungs = []float64{1}
	}
	if len(out.Kernels) == 0 {
		return fmt.Errorf("rule %v found no kernel, want at least one", c.Rule)
	}
	return nil
}

// add appends a kernel, with one lengthscale or one for each column.
func (c *Chosen) add(o bke.Options, theta []float64, factor float64) {
	scaled := make([]float64, len(theta))
	for a, t := range theta {
		scaled[a] = t * factor
	}
	c.Theta = append(c.Theta, geometric(scaled))
	learned := geometric(c.Fit.Modes[0].Params.Theta)
	c.Rungs = append(c.Rungs, factor*(geometric(theta)/learned))
	c.Kernels = append(c.Kernels, radial(o, scaled...))
}

// geometric is the geometric mean.
func geometric(theta []float64) float64 {
	if len(theta) == 1 {
		return theta[0]
	}
	s := 0.0
	for _, t := range theta {
		s += math.Log(t)
	}
	return math.Exp(s / float64(len(theta)))
}

// mean is that of the kernels whose lengthscales are quantiles of the posterior, of levels (j-1/2)/q:
// the midpoint rule for the mean of the kernel over the marginal posterior of theta.
func (c Choice) mean(ctx context.Context, learned *Chosen) (kernels.Mean, error) {
	q, err := quadrature.Integrate(ctx, learned.Model, c.Priors)
	if err != nil {
		return nil, err
	}
	at := slices.Index(q.Names, "theta")
	if at < 0 {
		return nil, fmt.Errorf("rule posterior-mean has the free parameters %v, want one theta", q.Names)
	}
	mean := make(kernels.Mean, c.Quantiles)
	for j := range mean {
		level := (float64(j) + 0.5) / float64(len(mean))
		mean[j] = radial(c.Model, q.Quantile(at, level))
	}
	return mean, nil
}

// checkMean refuses models whose posterior is not had by quadrature.
func (c Choice) checkMean(dim int) error {
	if c.Rule == PosteriorMean && c.Model.ARD && dim > 1 {
		return fmt.Errorf("kerneltest: rule posterior-mean with a lengthscale for each of %d columns, "+
			"want one for all (no ARD), or rule learned", dim)
	}
	return nil
}
