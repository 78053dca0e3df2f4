package stan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"bayeskernel/hmc"
	"bayeskernel/stan/record"

	"gonum.org/v1/gonum/mat"
)

// Parameters are the names of the parameters alone: the first of Names.
func (m *Model) Parameters() []string {
	names, err := m.p.ParameterNames()
	if err != nil { // of a program that was bound
		return nil
	}
	return names
}

// Quantities are the names of the generated quantities, as Names has them.
func (m *Model) Quantities() []string {
	var out []string
	for _, n := range m.columns[min(len(m.names), len(m.columns)):] {
		out = append(out, strings.NewReplacer("[", ".", ",", ".", "]", "").Replace(n))
	}
	return out
}

// Coordinates name the unconstrained coordinates.
func (m *Model) Coordinates() []string {
	names, err := m.p.UnconstrainedNames()
	if err != nil {
		return nil
	}
	return names
}

// Initial writes into u the unconstrained coordinates of the parameters that values have, as initial
// values are given. It leaves those of other parameters alone, and names these.
func (m *Model) Initial(values Data, u []float64) (missing []string, err error) {
	missing, err = m.p.Unconstrain(values, u)
	if err != nil {
		return missing, fmt.Errorf("stan: %w", err)
	}
	return missing, nil
}

// Unconstrain returns the unconstrained coordinates of a draw, which begins with the values of all parameters in the order of
// Parameters. Package stein/runs looks at runs with it.
func (m *Model) Unconstrain(values []float64) ([]float64, error) {
	n := len(m.Parameters())
	if len(values) < n {
		return nil, fmt.Errorf("stan: there are %d values, want those of %d parameters", len(values), n)
	}
	u := make([]float64, m.Dim())
	if err := m.UnconstrainDraw(values[:n], u); err != nil {
		return nil, err
	}
	// Of a unit vector the length is not in the draw: it is independent of all else, that of as many normal numbers.
	if len(m.units) == 0 {
		return u, nil
	}
	r := m.random(u)
	for _, v := range m.units {
		square := 0.0
		for range v.Count {
			square += math.Pow(r.NormFloat64(), 2)
		}
		for i := range v.Count {
			u[v.From+i] *= math.Sqrt(square)
		}
	}
	return u, nil
}

// UnconstrainDraw writes the unconstrained coordinates of the values of all parameters into u.
func (m *Model) UnconstrainDraw(row, u []float64) error {
	if err := m.p.UnconstrainRow(row, u); err != nil {
		return fmt.Errorf("stan: %w", err)
	}
	return nil
}

// Residuals brings the data to which the program gives continuous distributions, one by one, to coordinates in which they are
// independent and standard normal if the parameters are those of a draw, whose values begin with those of Parameters.
// Package stein tests whether they are.
func (m *Model) Residuals(draw []float64) (*mat.Dense, error) {
	u, err := m.Unconstrain(draw)
	if err != nil {
		return nil, err
	}
	out, err := m.p.Residuals(u)
	if err != nil {
		return nil, fmt.Errorf("stan: %w", err)
	}
	return mat.NewDense(len(out), 1, out), nil
}

// Generate runs the transformed parameters and the generated quantities at u. Different streams bring
// different random numbers at the same point.
func (m *Model) Generate(u []float64, stream uint64) ([]float64, error) {
	return m.p.Generate(u, rand.New(rand.NewPCG(m.seed, stream)))
}

// Unmade says what rejects the generated quantities at a draw, whose values begin with those of Parameters; "" where
// nothing does.
func (m *Model) Unmade(draw []float64) string {
	u, err := m.Unconstrain(draw)
	if err != nil {
		return ""
	}
	return m.p.Unmade(u, m.random(u))
}

// Unadjusted is Target without the Jacobian of the transforms, for modes of the constrained values.
func (m *Model) Unadjusted() (hmc.Target, error) {
	c := m.p.NewChain()
	c.NoJacobian = true
	return &target{m: m, c: c}, nil
}

// Reason is what a program says where it rejects a point or cannot run: the message without Go's
// additions.
func Reason(err error) string {
	var at *record.Error
	for e := err; e != nil; {
		if r, ok := e.(*record.Error); ok {
			at = r
		}
		w, ok := e.(interface{ Unwrap() error })
		if !ok {
			break
		}
		e = w.Unwrap()
	}
	if at == nil {
		return err.Error()
	}
	return fmt.Sprintf("%v (line %d, column %d)", at.Err, at.Pos.Line, at.Pos.Col)
}
