// Package layout groups the names of a run's columns into the scalars and arrays that other programs
// see.
package layout

import (
	"strconv"
	"strings"
)

// Variable is a group of columns of a Run that other programs see as one scalar or array.
type Variable struct {
	Name   string
	Origin int   // the smallest index of an array, 0 or 1
	Dims   []int // nil for a scalar
	Cols   []int // columns of the Run, the last index running fastest
}

// Variables groups names: theta[1], theta[2], … become the array theta if every element is there
// exactly once, counted from 0 or from 1, and no other name is theta. Every other name is a scalar.
// Variables keep the order of first appearance.
func Variables(names []string) []Variable {
	groups := map[string]*group{}
	var order []*group
	for col, name := range names {
		base, idx := splitIndex(name)
		g := groups[base]
		if g == nil {
			g = &group{base: base}
			groups[base] = g
			order = append(order, g)
		}
		g.cols = append(g.cols, col)
		g.index = append(g.index, idx)
	}
	var out []Variable
	for _, g := range order {
		if v, ok := g.array(); ok {
			out = append(out, v)
			continue
		}
		for _, col := range g.cols {
			out = append(out, Variable{Name: names[col], Cols: []int{col}})
		}
	}
	return out
}

// group collects the columns whose names agree up to their indices.
type group struct {
	base  string
	cols  []int
	index [][]int // nil where the name has no index
}

// array returns the group as an array if it is full and rectangular.
func (g *group) array() (Variable, bool) {
	rank := len(g.index[0])
	if rank == 0 {
		return Variable{}, false
	}
	lo, hi := append([]int(nil), g.index[0]...), append([]int(nil), g.index[0]...)
	for _, idx := range g.index {
		if len(idx) != rank {
			return Variable{}, false
		}
		for k, i := range idx {
			lo[k], hi[k] = min(lo[k], i), max(hi[k], i)
		}
	}
	v := Variable{Name: g.base, Origin: lo[0], Dims: make([]int, rank)}
	size := 1
	for k := range lo {
		v.Dims[k] = hi[k] - lo[k] + 1
		size *= v.Dims[k]
		// Comparing the size at every step avoids overflow.
		if lo[k] != v.Origin || v.Origin > 1 || size > len(g.cols) {
			return Variable{}, false
		}
	}
	if size != len(g.cols) {
		return Variable{}, false
	}
	v.Cols = make([]int, size)
	seen := make([]bool, size)
	for e, idx := range g.index {
		at := 0
		for k, i := range idx {
			at = at*v.Dims[k] + i - v.Origin
		}
		if seen[at] {
			return Variable{}, false
		}
		seen[at] = true
		v.Cols[at] = g.cols[e]
	}
	return v, true
}

// splitIndex splits R[2,1] into R and (2, 1). A name without a proper index comes back whole.
func splitIndex(name string) (base string, index []int) {
	open := strings.IndexByte(name, '[')
	if open < 1 || name[len(name)-1] != ']' {
		return name, nil
	}
	index, ok := ParseIndex(name[open+1:len(name)-1], ",")
	if !ok {
		return name, nil
	}
	return name[:open], index
}

// ParseIndex reads plain decimal numbers between separators; spaces around them are allowed.
func ParseIndex(s, sep string) ([]int, bool) {
	parts := strings.Split(s, sep)
	index := make([]int, len(parts))
	for k, p := range parts {
		p = strings.TrimSpace(p)
		i, err := strconv.Atoi(p)
		if err != nil || len(p) > 9 || strconv.Itoa(i) != p || i < 0 {
			return nil, false
		}
		index[k] = i
	}
	return index, true
}

// Element is the name of the e-th element, the last index running fastest, with indices from
// origin.
func (v Variable) Element(e int, origin int, open, sep, end string) string {
	if v.Dims == nil {
		return v.Name
	}
	index := make([]string, len(v.Dims))
	for k := len(v.Dims) - 1; k >= 0; k-- {
		index[k] = strconv.Itoa(e%v.Dims[k] + origin)
		e /= v.Dims[k]
	}
	return v.Name + open + strings.Join(index, sep) + end
}
