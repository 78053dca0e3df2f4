package bke

import (
	"context"
	"fmt"

	"bayeskernel/bke/inputs"

	"gonum.org/v1/gonum/mat"
)

// InputOptions are the options of package inputs, so that Learn needs one import.
type InputOptions = inputs.Options

// Fitted is a model with the pseudo-inputs that were chosen for it and the modes that were found.
type Fitted struct {
	Inputs *inputs.Set
	Model  *Model
	Fit    *Fit
	// Notes say, in a sentence each, how often the number of pseudo-inputs was doubled and why, and
	// whether it still seems too small.
	Notes []string
}

// Learn goes all the way from rows to lengthscales: it chooses pseudo-inputs (inputs.Choose), makes
// the model of the rows that are left for the likelihood (NewModel), finds its modes (Model.Learn),
// and starts again with twice as many pseudo-inputs as long as the fit calls for that
// (Model.Doubling) and the number was not the user's.
func Learn(ctx context.Context, x mat.Matrix, in InputOptions, o Options, s Search) (*Fitted, error) {
	if err := stopped(ctx, "learning"); err != nil {
		return nil, err
	}
	chosen, err := inputs.Choose(ctx, x, in)
	if err != nil {
		return nil, fmt.Errorf("bke: %w", err)
	}
	f := &Fitted{Inputs: chosen}
	for {
		if err := stopped(ctx, "learning"); err != nil {
			return nil, err
		}
		if f.Model, err = NewModelContext(ctx, f.Inputs.Likelihood(x), f.Inputs.Z, o); err != nil {
			return nil, err
		}
		if f.Fit, err = f.Model.Learn(ctx, s); err != nil {
			return nil, err
		}
		d, err := f.Model.doubling(ctx, f.Fit.Modes[0].Params.Theta)
		if err != nil {
			return nil, err
		}
		if !d.Wanted {
			return f, nil
		}
		next, ok, err := f.Inputs.Double(ctx, x)
		if err != nil {
			return nil, fmt.Errorf("bke: %w", err)
		}
		if !ok {
			advice := "More are not tried."
			if f.Inputs.Fixed {
				advice = "Try twice as many."
			}
			f.note("With %d pseudo-inputs theta may reflect the gaps between them. %s %s",
				f.Model.M(), d.Reasons[0], advice)
			return f, nil
		}
		m, _ := next.Z.Dims()
		f.note("The number of pseudo-inputs was raised from %d to %d. %s", f.Model.M(), m,
			d.Reasons[0])
		f.Inputs = next
	}
}

func (f *Fitted) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}
