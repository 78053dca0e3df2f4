package predict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/nuts/internal/kept"
	"bayeskernel/cmd/nuts/internal/table"
	"bayeskernel/draws"
)

// rows predicts the responses of rows.
func (j *job) rows(ctx context.Context, con *cli.Console, r *kept.Run) (*draws.Run, error) {
	reg, t, path, err := r.Regression(con, j.name)
	if err != nil {
		return nil, err
	}
	f := reg.Formula
	run, err := kept.Draws(j.name, kept.Program)
	if err != nil {
		return nil, err
	}
	other := t
	if j.data != path {
		s := table.Source{Path: j.data, Missing: j.na} // levels go by their names
		if !f.Dot() {
			s.Columns = f.Predictors()
		}
		if len(s.Columns) == 0 && !f.Dot() {
			s.Columns = nil
		}
		if other, err = s.Read(con); err != nil {
			return nil, err
		}
		if other.Dropped > 0 {
			j.notes = append(j.notes, fmt.Sprintf("Left out %s in which a value is missing: rows are counted without them.",
				cli.Plural(other.Dropped, "row")))
		}
	}
	for _, g := range reg.Groups {
		fresh, err := reg.Fresh(g, other)
		if err != nil {
			return nil, err
		}
		if len(fresh) > 0 {
			j.notes = append(j.notes, fmt.Sprintf("%s: %s %s not in the fit: the effect is drawn from the distribution of groups.", g.Name,
				strings.Join(fresh[:min(len(fresh), 5)], ", "), cli.Verb(len(fresh), "is", "are")))
		}
	}
	beyond, err := reg.Beyond(other)
	if err != nil {
		return nil, err
	}
	j.notes = append(j.notes, beyond...)
	j.categories = reg.Categories()
	drawn, err := reg.Predict(ctx, run, other, j.seed)
	if err != nil {
		return nil, err
	}
	out := *drawn
	out.Names = slices.Clone(drawn.Names)
	for i := range out.Names {
		out.Names[i] = fmt.Sprintf("row %d", i+1)
	}
	return &out, nil
}
