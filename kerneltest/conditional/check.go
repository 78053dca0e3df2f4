package conditional

import (
	"fmt"
	"math"
)

// check says in words what makes the test impossible.
func (c *Table) check(x, y, z []int) error {
	role := map[int]string{}
	for k, part := range [][]int{x, y, z} {
		what := [3]string{"x", "y", "z"}[k]
		if len(part) == 0 && k < 2 {
			return fmt.Errorf("conditional: %s has no columns, want at least one", what)
		}
		for _, j := range part {
			if j < 0 || j >= len(c.cols) {
				return fmt.Errorf("conditional: column number %d of %s, want 0 to %d", j, what,
					len(c.cols)-1)
			}
			if role[j] != "" {
				return fmt.Errorf("conditional: column %s is in %s and in %s, want it once", c.names[j],
					role[j], what)
			}
			role[j] = what
			if c.cols[j].constant && !(k == 2 && c.o.Published != nil) {
				return fmt.Errorf("conditional: column %s is constant, want one that varies", c.names[j])
			}
		}
	}
	if least := leastRows + 2*len(z); c.n < least {
		given := fmt.Sprintf(" given %d columns", len(z))
		switch len(z) {
		case 0:
			given = ""
		case 1:
			given = " given 1 column"
		}
		return fmt.Errorf("conditional: there are %d rows for a test%s, want at least %d", c.n, given, least)
	}
	if c.o.Published != nil {
		return nil
	}
	for _, a := range x {
		for _, b := range y {
			if _, on := c.linear(b, group{a}); on != nil {
				return fmt.Errorf("conditional: column %s repeats column %s, up to scale", c.names[b],
					c.names[a])
			}
		}
	}
	gz := c.group(z)
	for k, j := range gz {
		if err := c.repeats(j, gz[:k]); err != nil {
			return err
		}
	}
	for _, j := range append(c.group(x), c.group(y)...) {
		if err := c.repeats(j, gz); err != nil {
			return err
		}
	}
	return nil
}

// leastRows is the number of rows below which no limit says anything.
const leastRows = 10

// repeats says whether column j is a linear function of others.
func (c *Table) repeats(j int, of group) error {
	linear, on := c.linear(j, of)
	switch {
	case !linear || len(on) == 0:
		return nil
	case len(on) == 1:
		return fmt.Errorf("conditional: column %s repeats column %s, up to scale", c.names[j],
			c.names[on[0]])
	}
	return fmt.Errorf("conditional: column %s is a linear function of the columns %s", c.names[j],
		c.words(on))
}

// linear reports whether a continuous column is a linear function of others up to rounding, and
// names them.
func (c *Table) linear(j int, of group) (bool, group) {
	if c.cols[j].discrete || c.cols[j].constant {
		return false, nil
	}
	var basis [][]float64 // orthonormal
	var names group
	for _, k := range of {
		if col := c.cols[k]; !col.discrete && !col.constant {
			if v, left := orthogonal(col.plain, basis); left > rankTolerance {
				basis, names = append(basis, v), append(names, k)
			}
		}
	}
	if len(basis) == 0 {
		return false, nil
	}
	if _, left := orthogonal(c.cols[j].plain, basis); left > rankTolerance {
		return false, nil
	}
	// One alone is a better name for it than all.
	for k, name := range names {
		v, _ := orthogonal(c.cols[name].plain, nil)
		if _, left := orthogonal(c.cols[j].plain, [][]float64{v}); left <= rankTolerance {
			return true, names[k : k+1]
		}
	}
	return true, names
}

// rankTolerance is the share of a standardised column below which its distance from a plane is
// rounding.
const rankTolerance = 1e-10

// orthogonal returns the direction of what is left of v after projection on the basis, and its
// length as a share of that of v.
func orthogonal(v []float64, basis [][]float64) ([]float64, float64) {
	out := append([]float64(nil), v...)
	size := norm(out)
	for range 2 { // once more for what rounding left
		for _, b := range basis {
			s := 0.0
			for i, e := range b {
				s += e * out[i]
			}
			for i, e := range b {
				out[i] -= s * e
			}
		}
	}
	left := norm(out)
	if left > 0 {
		for i := range out {
			out[i] /= left
		}
	}
	return out, left / size
}

func norm(v []float64) float64 {
	s := 0.0
	for _, e := range v {
		s += e * e
	}
	return math.Sqrt(s)
}

// determined says whether nothing is left of a variable given z.
func (c *Table) determined(r *regression, left []float64, f *features, g, beside,
	z group) error {
	if c.o.Published != nil || len(beside) > 0 {
		// Z beside X is always determined by Z: what counts is X alone.
		return nil
	}
	if 1-r.R2 > nothingLeft && norm(left) > nothingLeft*norm(f.columns) {
		return nil
	}
	verb := "is"
	if len(g) > 1 {
		verb = "are"
	}
	return fmt.Errorf("conditional: %s %s a function of %s (leave-one-out R2 is 1 - %.1g): nothing is "+
		"left to test", c.words(g), verb, c.words(z), 1-r.R2)
}

// nothingLeft is the share of the variance below which what regression leaves is numerical error.
const nothingLeft = 1e-7
