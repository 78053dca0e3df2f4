package input

import (
	"fmt"

	"bayeskernel/cmd/internal/cli"

	"gonum.org/v1/gonum/mat"
)

// pairUp puts the rows of Q in the order of the rows of P with the same value in the column of -pairs. Rows
// without a partner are left out.
func (d *Dataset) pairUp() error {
	at := [2]map[string]int{{}, {}}
	for k, ids := range d.ids {
		for i, id := range ids {
			if _, twice := at[k][id]; twice {
				return fmt.Errorf("%s: -pairs %s: the value %q occurs twice, want once in each sample; -blocks %s "+
					"is for groups of rows", d.from[k], d.pairs, id, cli.Quote(d.pairs))
			}
			at[k][id] = i
		}
	}
	var p, q []int
	for i, id := range d.ids[0] {
		if j, ok := at[1][id]; ok {
			p, q = append(p, i), append(q, j)
		}
	}
	if len(p) < 2 {
		return fmt.Errorf("%s: -pairs %s: %s in both samples, want at least 2", d.where, d.pairs,
			cli.Plural(len(p), "value"))
	}
	single := len(d.ids[0]) + len(d.ids[1]) - 2*len(p)
	d.P, d.Q = Picked(d.P, p), Picked(d.Q, q)
	if w := d.Weights; w != nil {
		samples := [][]float64{pickedOf(w.Given[0], p), pickedOf(w.Given[1], q)}
		var err error
		if d.Weights, err = newRowWeights(w.Column, samples, d.from); err != nil {
			return err
		}
	}
	d.ids, d.Blocks = [2][]string{pickedOf(d.ids[0], p), pickedOf(d.ids[1], q)}, nil
	for range 2 {
		for i := range p {
			d.Blocks = append(d.Blocks, i)
		}
	}
	note := fmt.Sprintf("The rows of one %s are a pair, and are exchanged only with each other", d.pairs)
	if single > 0 {
		note += fmt.Sprintf("; left out %s without a partner", cli.Plural(single, "row"))
	}
	d.Notes = append(d.Notes[:len(d.Notes):len(d.Notes)], note+".")
	return nil
}

// Picked are some rows.
func Picked(a *mat.Dense, rows []int) *mat.Dense {
	_, d := a.Dims()
	out := mat.NewDense(len(rows), d, nil)
	for k, i := range rows {
		out.SetRow(k, a.RawRowView(i))
	}
	return out
}

func pickedOf[T any](all []T, rows []int) []T {
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = all[i]
	}
	return out
}
