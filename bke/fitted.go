package bke

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Fitted is a model with the pseudo-inputs that were chosen for it and the modes that were found.
type Fitted struct {
	Inputs *Inputs
	Model  *Model
	Fit    *Fit
	// Notes say, in a sentence each, how often the number of pseudo-inputs was doubled and why, and
	// whether it still seems too small.
	Notes []string
}

// Learn goes all the way from rows to lengthscales: it chooses pseudo-inputs (ChooseInputs), makes
// the model of the rows that are left for the likelihood (NewModel), finds its modes (Model.Learn),
// and starts again with twice as many pseudo-inputs as long as the fit calls for that
// (Model.Doubling) and the number was not the user's.
func Learn(ctx context.Context, x mat.Matrix, in InputOptions, o Options, s Search) (*Fitted, error) {
	if err := stopped(ctx, "learning"); err != nil {
		return nil, err
	}
	inputs, err := ChooseInputs(x, in)
	if err != nil {
		return nil, err
	}
	f := &Fitted{Inputs: inputs}
	for {
		if err := stopped(ctx, "learning"); err != nil {
			return nil, err
		}
		if f.Model, err = NewModel(f.Inputs.Likelihood(x), f.Inputs.Z, o); err != nil {
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
		next, ok, err := f.Inputs.Double(x)
		if err != nil {
			return nil, err
		}
		if !ok {
			advice := "More are not tried."
			if f.Inputs.Fixed {
				advice = "Try twice as many."
			}
			f.note("With %d pseudo-inputs theta may be that of the gaps between them. %s %s",
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
