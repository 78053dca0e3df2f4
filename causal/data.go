package causal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	table "bayeskernel/internal/rows"

	"gonum.org/v1/gonum/mat"
)

// Data is a table of columns. NaN stands for a missing value.
type Data struct {
	names   []string
	columns [][]float64
	missing []bool // of each column, whether a value is
}

// NewData copies a table. It is an error if a column has no name of its own, holds an infinity, or
// is constant.
func NewData(names []string, rows mat.Matrix) (*Data, error) {
	if err := table.Check("the table", rows); err != nil {
		return nil, fmt.Errorf("causal: %w", err)
	}
	n, p := rows.Dims()
	if p != len(names) {
		return nil, fmt.Errorf("causal: the table has %d columns and %d names, want as many of each", p,
			len(names))
	}
	d := &Data{names: slices.Clone(names), missing: make([]bool, p)}
	for j, name := range names {
		if slices.Index(names, name) < j || name == "" {
			return nil, fmt.Errorf("causal: column %d is called %q, want a name of its own", j+1, name)
		}
		c := make([]float64, n)
		for i := range c {
			c[i] = rows.At(i, j)
			d.missing[j] = d.missing[j] || math.IsNaN(c[i])
			if math.IsInf(c[i], 0) {
				return nil, fmt.Errorf("causal: column %s is infinite in row %d, want a number", name, i+1)
			}
		}
		d.columns = append(d.columns, c)
		if err := d.varies(j); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// varies says that a column is constant.
func (d *Data) varies(j int) error {
	first := math.NaN()
	for _, v := range d.columns[j] {
		switch {
		case math.IsNaN(v):
		case math.IsNaN(first):
			first = v
		case v != first:
			return nil
		}
	}
	if math.IsNaN(first) {
		return fmt.Errorf("causal: column %s has no values, want at least 2", d.names[j])
	}
	return fmt.Errorf("causal: column %s is constant (%v), want at least 2 values", d.names[j], first)
}

// Names are the columns.
func (d *Data) Names() []string { return d.names }

// Rows is the number of rows.
func (d *Data) Rows() int {
	if len(d.columns) == 0 {
		return 0
	}
	return len(d.columns[0])
}

// Subset is the table of these rows, which count from 0.
func (d *Data) Subset(rows []int) (*Data, error) {
	if len(rows) == 0 {
		return nil, errors.New("causal: a subset has no rows, want at least 2")
	}
	for _, i := range rows {
		if i < 0 || i >= d.Rows() {
			return nil, fmt.Errorf("causal: a subset has row %d, want rows from 0 to %d", i, d.Rows()-1)
		}
	}
	m := mat.NewDense(len(rows), len(d.names), nil)
	for k, i := range rows {
		for j, c := range d.columns {
			m.Set(k, j, c[i])
		}
	}
	return NewData(d.names, m)
}

// complete lists the rows that have a value in each of these columns, nil if all have.
func (d *Data) complete(columns []int) []int {
	if !slices.ContainsFunc(columns, func(j int) bool { return d.missing[j] }) {
		return nil
	}
	out := []int{}
	for i := range d.Rows() {
		if !slices.ContainsFunc(columns, func(j int) bool { return math.IsNaN(d.columns[j][i]) }) {
			out = append(out, i)
		}
	}
	return out
}

// Fingerprint tells tables apart. The order of the columns does not matter.
func (d *Data) Fingerprint() string {
	order := make([]int, len(d.names))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(d.names[a], d.names[b]) })
	h := sha256.New()
	for _, j := range order {
		fmt.Fprintf(h, "%q\n", d.names[j])
		_ = binary.Write(h, binary.LittleEndian, d.columns[j]) // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil))
}

// namesOf lists columns in words.
func namesOf(names []string, columns []int) string {
	out := make([]string, len(columns))
	for k, j := range columns {
		out[k] = names[j]
	}
	return strings.Join(out, ", ")
}

// given is " given a, b", or nothing.
func given(names []string, s []int) string {
	if len(s) == 0 {
		return ""
	}
	return " given " + namesOf(names, s)
}

// count is a number of things in words.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
