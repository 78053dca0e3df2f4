package kept

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/nuts/internal/source"
	"bayeskernel/cmd/nuts/internal/table"
	"bayeskernel/draws"
	"bayeskernel/formula"
	"bayeskernel/frame"
	"bayeskernel/hmc"
	"bayeskernel/stan"
	"bayeskernel/stein/runs"
)

// picked is a target whose values are some of those of a draw.
type picked struct {
	hmc.Target
	at   []int
	row  []float64
	back func(row []float64) ([]float64, error)
}

func (p *picked) Unconstrain(values []float64) ([]float64, error) {
	for k, a := range p.at {
		p.row[k] = values[a]
	}
	return p.back(p.row)
}

// Explain implements hmc.Explainer where the target does.
func (p *picked) Explain(x []float64) string {
	if e, ok := p.Target.(hmc.Explainer); ok {
		return e.Explain(x)
	}
	return ""
}

// pick finds the values that a target wants among those of a run.
func pick(t hmc.Target, want, have []string, back func(row []float64) ([]float64, error)) (*picked, error) {
	p := &picked{Target: t, row: make([]float64, len(want)), back: back}
	for _, name := range want {
		k := slices.Index(have, name)
		if k < 0 {
			return nil, fmt.Errorf("there are no draws of the parameter %s", name)
		}
		p.at = append(p.at, k)
	}
	return p, nil
}

// Brackets is a name with dots, as CmdStan has them, with its indices in brackets.
func Brackets(name string) string {
	base, index, ok := strings.Cut(name, ".")
	if !ok {
		return name
	}
	return base + "[" + strings.ReplaceAll(index, ".", ",") + "]"
}

// Stan is the target of a program, for draws with these names, and the names of its coordinates.
func Stan(m *stan.Model, have []string) (runs.Target, []string, error) {
	t, err := m.Target()
	if err != nil {
		return nil, nil, err
	}
	var want []string
	for _, n := range m.Parameters() {
		want = append(want, Brackets(n))
	}
	p, err := pick(t, want, have, m.Unconstrain)
	if err != nil {
		return nil, nil, err
	}
	names := m.Coordinates()
	for i, n := range names {
		names[i] = Brackets(n)
	}
	return p, names, nil
}

// Fit is the target of a regression, for draws with these names.
func Fit(reg *formula.Regression, have []string) (runs.Target, error) {
	t, err := reg.Program.Target()
	if err != nil {
		return nil, err
	}
	return pick(t, reg.Program.Names(), have, reg.Program.Unconstrain)
}

// Target is what the run in the folder at path sampled, with the names of its coordinates and its draws.
func (r *Run) Target(con *cli.Console, path string) (runs.Target, []string, *draws.Run, error) {
	fail := func(err error) (runs.Target, []string, *draws.Run, error) { return nil, nil, nil, err }
	switch r.Command {
	case "sample":
		data := ""
		if r.SHA256 != "" {
			var err error
			if data, err = r.DataPath(path); err != nil {
				return fail(err)
			}
		}
		m, err := (&source.Text{Name: path, Source: r.Program}).Bind(con, data, stan.Options{Seed: r.Seed})
		if err != nil {
			return fail(err)
		}
		run, err := Draws(path, "")
		if err != nil {
			return fail(err)
		}
		t, names, err := Stan(m, run.Names)
		return t, names, run, err
	case "fit":
		reg, _, _, err := r.Regression(con, path)
		if err != nil {
			return fail(err)
		}
		run, err := Draws(path, Program)
		if err != nil {
			return fail(err)
		}
		t, err := Fit(reg, run.Names)
		return t, nil, run, err
	}
	return fail(fmt.Errorf("%s does not say which program it is a run of: want the folder of a run of nuts", path))
}

// Regression makes the regression of a fit anew, from its table in the file data.
func (r *Run) Regression(con *cli.Console, path string) (reg *formula.Regression, t *frame.Frame, data string, err error) {
	if data, err = r.DataPath(path); err != nil {
		return nil, nil, "", err
	}
	of := table.Regression{Family: r.Family, Priors: r.Priors, Levels: r.Levels, Missing: r.Missing}
	t, reg, err = of.Model(con, r.Formula, data, false)
	return reg, t, data, err
}
