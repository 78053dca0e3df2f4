package draws

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// variable is a group of columns of a Run that other programs see as one scalar or array.
type variable struct {
	name   string
	origin int   // the smallest index of an array, 0 or 1
	dims   []int // nil for a scalar
	cols   []int // columns of the Run, the last index running fastest
}

// variables groups names: theta[1], theta[2], … become the array theta if every element is there
// exactly once, counted from 0 or from 1, and no other name is theta. Every other name stands for
// itself. The order is that of first appearance.
func variables(names []string) []variable {
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
	var out []variable
	for _, g := range order {
		if v, ok := g.array(); ok {
			out = append(out, v)
			continue
		}
		for _, col := range g.cols {
			out = append(out, variable{name: names[col], cols: []int{col}})
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

// array reports the group as a full rectangular array, if it is one.
func (g *group) array() (variable, bool) {
	rank := len(g.index[0])
	if rank == 0 {
		return variable{}, false
	}
	lo, hi := append([]int(nil), g.index[0]...), append([]int(nil), g.index[0]...)
	for _, idx := range g.index {
		if len(idx) != rank {
			return variable{}, false
		}
		for k, i := range idx {
			lo[k], hi[k] = min(lo[k], i), max(hi[k], i)
		}
	}
	v := variable{name: g.base, origin: lo[0], dims: make([]int, rank)}
	size := 1
	for k := range lo {
		v.dims[k] = hi[k] - lo[k] + 1
		size *= v.dims[k]
		// The size is compared at every step, so that it cannot overflow.
		if lo[k] != v.origin || v.origin > 1 || size > len(g.cols) {
			return variable{}, false
		}
	}
	if size != len(g.cols) {
		return variable{}, false
	}
	v.cols = make([]int, size)
	seen := make([]bool, size)
	for e, idx := range g.index {
		at := 0
		for k, i := range idx {
			at = at*v.dims[k] + i - v.origin
		}
		if seen[at] {
			return variable{}, false
		}
		seen[at] = true
		v.cols[at] = g.cols[e]
	}
	return v, true
}

// splitIndex splits R[2,1] into R and (2, 1). A name without a proper index comes back whole.
func splitIndex(name string) (base string, index []int) {
	open := strings.IndexByte(name, '[')
	if open < 1 || name[len(name)-1] != ']' {
		return name, nil
	}
	index, ok := parseIndex(name[open+1:len(name)-1], ",")
	if !ok {
		return name, nil
	}
	return name[:open], index
}

// parseIndex reads plain decimal numbers between separators; spaces around them are allowed.
func parseIndex(s, sep string) ([]int, bool) {
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

// element is the name of the e-th element, the last index running fastest, with indices from
// origin.
func (v variable) element(e int, origin int, open, sep, end string) string {
	if v.dims == nil {
		return v.name
	}
	index := make([]string, len(v.dims))
	for k := len(v.dims) - 1; k >= 0; k-- {
		index[k] = strconv.Itoa(e%v.dims[k] + origin)
		e /= v.dims[k]
	}
	return v.name + open + strings.Join(index, sep) + end
}

// column is a column of a CmdStan file and the column of the Run that it holds.
type column struct {
	name string
	col  int
}

// csvColumns lays names out as CmdStan does: R[2,1] becomes R.2.1, counted from 1, with the first
// index running fastest.
func csvColumns(names []string) ([]column, error) {
	out := make([]column, 0, len(names))
	seen := map[string]string{}
	for _, v := range variables(names) {
		safe := csvName(v.name)
		switch {
		case v.name == "":
			return nil, fmt.Errorf("draws: parameter %d has an empty name", v.cols[0]+1)
		case strings.HasSuffix(v.name, "__") || strings.HasSuffix(safe, "__"):
			return nil, fmt.Errorf("draws: parameter name %q: names ending in __ are the sampler's "+
				"own columns in CmdStan files, rename it", v.name)
		}
		if other, ok := seen[safe]; ok {
			return nil, fmt.Errorf("draws: parameter names %q and %q are both written as %q in "+
				"CmdStan files, rename one", other, v.name, safe)
		}
		seen[safe] = v.name
		v.name = safe
		for e := range v.cols {
			at := v.transpose(e)
			out = append(out, column{v.element(at, 1, ".", ".", ""), v.cols[at]})
		}
	}
	return out, nil
}

// transpose says which element, the last index running fastest, comes e-th when the first index
// runs fastest.
func (v variable) transpose(e int) int {
	at, stride := 0, len(v.cols)
	for _, d := range v.dims {
		stride /= d
		at += e % d * stride
		e /= d
	}
	return at
}

// csvName makes a name that every reader of CmdStan files takes as it is: a letter followed by
// letters of ASCII, digits and underscores.
func csvName(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, "u%04x", r)
		case r == ']':
		case !asciiAlnum(r):
			b.WriteByte('_')
		default:
			b.WriteRune(r)
		}
		if i == 0 {
			if s := b.String(); s == "" || s[0] == '_' || s[0] <= '9' {
				b.Reset()
				b.WriteString("p_" + strings.TrimPrefix(s, "_"))
			}
		}
	}
	return b.String()
}

func asciiAlnum(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// restoreName turns R.2.1 back into R[2,1].
func restoreName(name string) string {
	base, rest, ok := strings.Cut(name, ".")
	if !ok || base == "" {
		return name
	}
	if _, ok := parseIndex(rest, "."); !ok {
		return name
	}
	return base + "[" + strings.ReplaceAll(rest, ".", ",") + "]"
}
