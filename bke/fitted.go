package bke

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayeskernel/bke/inputs"
	"bayeskernel/internal/rows"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// InputOptions are the options of package inputs. The alias saves callers of Learn an import.
type InputOptions = inputs.Options

// Fitted is a model with its chosen pseudo-inputs and the modes found.
type Fitted struct {
	Inputs *inputs.Set
	Model  *Model
	Fit    *Fit
	// Notes say, in a sentence each, how often the number of pseudo-inputs was doubled and why, and
	// whether it still seems too small.
	Notes []string
}

// Learn goes all the way from rows to lengthscales. It chooses pseudo-inputs (inputs.Choose), makes
// the model of the rows left for the likelihood (NewModel), and finds its modes (Model.Learn). If
// the fit calls for more pseudo-inputs (Model.Doubling), it starts again with twice as many. It
// never does so if the user chose their number or the weight: a weight is meant for one m, because
// the critical weight falls as m grows. Where twice as many leave theta as it is, gaps between them are not
// what decides, as with a column of few values beside one of many: the fit with fewer is then the result.
func Learn(ctx context.Context, x mat.Matrix, in InputOptions, o Options, s LearnOptions) (*Fitted,
	error) {
	list, err := LearnKernels(ctx, x, in, o, s, []kernels.Radial{o.Kernel})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// LearnKernels is Learn for several kernels, which replace the kernel in o. All use the
// pseudo-inputs chosen for the first kernel, so that they can be compared. With several kernels,
// notes name theirs.
func LearnKernels(ctx context.Context, x mat.Matrix, in InputOptions, o Options, s LearnOptions,
	list []kernels.Radial) ([]*Fitted, error) {
	if err := stopped(ctx, "learning"); err != nil {
		return nil, err
	}
	if s.Rows < 0 {
		return nil, fmt.Errorf("bke: Rows is %d, want a number of rows, or 0 for all", s.Rows)
	}
	s.progress("choosing pseudo-inputs")
	chosen, err := inputs.Choose(ctx, x, in)
	if err != nil {
		return nil, fmt.Errorf("bke: %w", err)
	}
	var out []*Fitted
	for k, kernel := range list {
		o.Kernel = kernel
		f := &Fitted{Inputs: chosen}
		if err := f.learn(ctx, x, o, s, k == 0, len(list) > 1); err != nil {
			return nil, err
		}
		chosen = f.Inputs
		out = append(out, f)
	}
	return out, nil
}

// learn fits the model, and raises the number of pseudo-inputs if it may. If named is set, notes
// name the kernel.
func (f *Fitted) learn(ctx context.Context, x mat.Matrix, o Options, s LearnOptions, raise,
	named bool) (err error) {
	var fewer *Fitted // the fit with half as many
	for {
		if err := stopped(ctx, "learning"); err != nil {
			return err
		}
		if f.Model, err = NewModelContext(ctx, spaced(f.Inputs.Likelihood(x), s.Rows), f.Inputs.Z, o); err != nil {
			return err
		}
		kernel, m := f.Model.opts.Kernel, f.Model.M()
		s.progress(fmt.Sprintf("learning kernel %s with %d pseudo-inputs", kernel, m))
		if f.Fit, err = f.Model.Learn(ctx, s); err != nil {
			return err
		}
		d, err := f.Model.doubling(ctx, f.Fit.Modes[0].Params.Theta)
		if err != nil || !d.Wanted {
			return err
		}
		of := ""
		if named {
			of = " of " + kernel.String()
		}
		if fewer != nil && d.Uncovered <= maxUncovered && sameTheta(fewer.Fit, f.Fit) {
			*f = *fewer
			f.note("With %d pseudo-inputs theta%s is as with %d, so there are no more of them, although %s.", m, of,
				f.Model.M(), d.reasons())
			return nil
		}
		s.progress("choosing more pseudo-inputs")
		next, ok, err := f.Inputs.Double(ctx, x)
		if err != nil {
			return fmt.Errorf("bke: %w", err)
		}
		if ok && raise && o.Weight == 0 {
			before := *f
			before.Notes = slices.Clone(f.Notes)
			fewer = &before
			more, _ := next.Z.Dims()
			f.note("The number of pseudo-inputs was raised from %d to %d: %s", m, more,
				lowerFirst(d.Reasons[0]))
			f.Inputs = next
			continue
		}
		if k := distinct(x); k <= m {
			f.note("There are only %d distinct rows to learn theta from, and all of them are pseudo-inputs. Theta%s may "+
				"reflect the gaps between them (%s), which more pseudo-inputs cannot change.", k, of,
				d.reasons())
			return nil
		}
		f.note("With %d pseudo-inputs theta%s may reflect the gaps between them: %s. %s", m, of,
			d.reasons(), f.advice(x, ok))
		return nil
	}
}

// sameTheta reports whether the best lengthscales of two fits are within a twentieth. With gaps they fall by a
// fifth where pseudo-inputs are doubled.
func sameTheta(a, b *Fit) bool {
	for i, t := range a.Modes[0].Params.Theta {
		if math.Abs(math.Log(t/b.Modes[0].Params.Theta[i])) > 0.05 {
			return false
		}
	}
	return true
}

// distinct counts the distinct rows of x, which is known to be finite.
func distinct(x mat.Matrix) int {
	data, _, dim, _ := rows.Finite("x", x)
	return len(rows.Distinct(data, dim))
}

// advice says what can be done about too few pseudo-inputs. More is set if more are available.
func (f *Fitted) advice(x mat.Matrix, more bool) string {
	n, _ := x.Dims()
	switch m, _ := f.Inputs.Z.Dims(); {
	case f.Inputs.Fixed || more:
		return "Try twice as many."
	case m >= n/3:
		return "More pseudo-inputs than a third of the rows are not tried."
	case f.Inputs.Asked >= inputs.MostDoubled:
		return fmt.Sprintf("More than %d pseudo-inputs are not tried.", inputs.MostDoubled)
	}
	return "Choosing more gives the same ones, because of ties in the data."
}

// reasons joins the reasons into one clause.
func (d *Doubling) reasons() string {
	var list []string
	for _, r := range d.Reasons {
		list = append(list, lowerFirst(strings.TrimSuffix(r, ".")))
	}
	return strings.Join(list, "; ")
}

// lowerFirst makes a sentence the part of another.
func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func (f *Fitted) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// spaced are so many rows at equal distances, all where count is 0 or there are no more.
func spaced(x mat.Matrix, count int) mat.Matrix {
	n, dim := x.Dims()
	if count == 0 || n <= count {
		return x
	}
	out := mat.NewDense(count, dim, nil)
	for i := range count {
		out.SetRow(i, mat.Row(nil, (2*i+1)*n/(2*count), x))
	}
	return out
}
