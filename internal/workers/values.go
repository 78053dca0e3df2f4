package workers

import (
	"fmt"
	"math"
	"slices"
)

// namer and constrainer are the halves of hmc.Constrainer, which this package may not know.
type namer interface{ Names() []string }

type constrainer interface{ Constrain(dst, x []float64) }

// Values turns positions into the values that are kept of a draw: on the user's scale if the target
// has one, and otherwise the position itself. It belongs to one goroutine.
type Values struct {
	Names []string
	cons  constrainer
	at    []float64 // a copy of the position, which a target may change
	block []float64 // memory for rows
}

// NewValues returns the values that are kept of a draw of t: t's own if it has Names and Constrain,
// and x[0], x[1], … if it has neither. It is an error if it has one of the two, or if the names cannot
// tell the values apart.
func NewValues(caller string, t interface{ Dim() int }) (*Values, error) {
	v := new(Values)
	n, names := t.(namer)
	var constrains bool
	v.cons, constrains = t.(constrainer)
	switch {
	case names && !constrains:
		return nil, fmt.Errorf("%s: the target has Names() []string and no Constrain(dst, x []float64), "+
			"which computes the values so named: want both, or neither", caller)
	case constrains && !names:
		return nil, fmt.Errorf("%s: the target has Constrain(dst, x []float64) and no Names() []string, "+
			"which names the values that it computes: want both, or neither", caller)
	case names:
		err := Guard(func() error { v.Names = slices.Clone(n.Names()); return nil })
		if err != nil {
			return nil, fmt.Errorf("%s: the target's Names %w", caller, err)
		}
	default:
		for i := range t.Dim() {
			v.Names = append(v.Names, fmt.Sprintf("x[%d]", i))
		}
	}
	if err := CheckNames(caller, v.Names); err != nil {
		return nil, err
	}
	return v, nil
}

// Told returns what a target tells of its values beside their names, as far as it does: what people call them, and which
// of them are constants by construction. The interfaces are hmc.Labeller and hmc.Fixer.
func Told(t any) (labels, constants []string) {
	if l, ok := t.(interface{ Labels() []string }); ok {
		_ = Guard(func() error { labels = slices.Clone(l.Labels()); return nil })
	}
	if f, ok := t.(interface{ Constants() []string }); ok {
		_ = Guard(func() error { constants = slices.Clone(f.Constants()); return nil })
	}
	return labels, constants
}

// Write writes the values of position x.
func (v *Values) Write(dst, x []float64) {
	if v.cons == nil {
		copy(dst, x)
		return
	}
	v.at = append(v.at[:0], x...)
	v.cons.Constrain(dst, v.at)
}

// Row returns the values of position x in memory of their own.
func (v *Values) Row(x []float64) []float64 {
	n := len(v.Names)
	if len(v.block) < n {
		v.block = make([]float64, max(1, min(256, 1<<16/n))*n)
	}
	row := v.block[:n:n]
	v.block = v.block[n:]
	v.Write(row, x)
	return row
}

// Anywhere returns the values of a position that may lie outside the support, where the target owes
// nothing: what it cannot say is NaN.
func (v *Values) Anywhere(x []float64) []float64 {
	row := make([]float64, len(v.Names))
	odd := func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }
	if slices.ContainsFunc(x, odd) || Guard(func() error { v.Write(row, x); return nil }) != nil {
		for i := range row {
			row[i] = math.NaN()
		}
	}
	return row
}
