package zarr

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"bayeskernel/draws"
	"bayeskernel/draws/internal/layout"
)

// Group is a set of arrays on common dimensions, such as ArviZ's posterior_predictive,
// log_likelihood or observed_data.
type Group struct {
	Name   string
	Attrs  map[string]any // that JSON can hold
	Arrays []Array
}

// Array is a table of numbers. Arrays of one group share dimensions of the same name, which must
// then be equal.
type Array struct {
	Name   string
	Dims   []Dim
	Values []float64 // the last index running fastest
}

// Dim is a dimension of length Size. It is labelled with Labels (whole numbers) or Names if one of
// them is given, and otherwise with 0, 1, ….
type Dim struct {
	Name   string
	Size   int
	Labels []int
	Names  []string
}

// ChainDraw returns the dimensions chain and draw that Write gives the posterior of r. Use them for
// predictions made from its draws in the same order.
func ChainDraw(r *draws.Run) []Dim {
	chains, n := r.Used()
	return []Dim{{Name: "chain", Size: len(chains), Labels: chains}, {Name: "draw", Size: n}}
}

// WriteGroups writes a folder that holds only these groups. It appears whole or not at all, and
// replaces an existing Zarr folder.
func WriteGroups(dir string, groups []Group) error {
	return create(dir, map[string]any{}, func(w *writer) { w.groups(groups) })
}

func (w *writer) groups(groups []Group) {
	for _, g := range groups {
		if err := checkName(g.Name); err != nil && w.err == nil {
			w.err = err
		}
		attrs := map[string]any{"inference_library": "bayeskernel"}
		for k, v := range g.Attrs {
			attrs[k] = v
		}
		w.group(g.Name, attrs)
		known := map[string]Dim{}
		for _, a := range g.Arrays {
			w.table(g.Name, a, known)
		}
	}
}

// table writes an array and those of its dimensions that are not known yet.
func (w *writer) table(group string, a Array, known map[string]Dim) {
	var shape []int
	var names []string
	size := 1
	for _, d := range a.Dims {
		w.shared(group, a.Name, d, known)
		shape, names = append(shape, d.Size), append(names, d.Name)
		size *= d.Size
	}
	if (len(a.Dims) == 0 || size != len(a.Values)) && w.err == nil {
		w.err = fmt.Errorf("zarr: array %q has %d values, want %d for dimensions of %v", a.Name,
			len(a.Values), size, shape)
	}
	if w.err != nil {
		return
	}
	w.array(group, a.Name, floatType, shape, names, func(b []byte, at int) []byte {
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(a.Values[at]))
	})
}

// shared writes a dimension of an array unless another array of the group has it already.
func (w *writer) shared(group, array string, d Dim, known map[string]Dim) {
	if err := d.check(); err != nil && w.err == nil {
		w.err = fmt.Errorf("zarr: array %q: %w", array, err)
	}
	if k, ok := known[d.Name]; !ok {
		known[d.Name] = d
		w.dimension(group, d)
	} else if !k.equal(d) && w.err == nil {
		w.err = fmt.Errorf("zarr: array %q: dimension %q is not that of another array of group %q", array,
			d.Name, group)
	}
}

func (d Dim) check() error {
	switch {
	case d.Size < 1:
		return fmt.Errorf("dimension %q has size %d, want at least 1", d.Name, d.Size)
	case d.Labels != nil && d.Names != nil:
		return fmt.Errorf("dimension %q has both Labels and Names, want one of them", d.Name)
	case d.Labels != nil && len(d.Labels) != d.Size, d.Names != nil && len(d.Names) != d.Size:
		return fmt.Errorf("dimension %q has %d labels, want %d", d.Name, len(d.Labels)+len(d.Names),
			d.Size)
	}
	return nil
}

func (d Dim) equal(o Dim) bool {
	return d.Size == o.Size && slices.Equal(d.Labels, o.Labels) && slices.Equal(d.Names, o.Names)
}

// dimension writes the labels of a dimension. Text has a fixed width in code points of four bytes.
func (w *writer) dimension(group string, d Dim) {
	if w.err != nil {
		return
	}
	if d.Names == nil {
		w.coordinate(group, d.Name, d.Size, func(i int) int {
			if d.Labels != nil {
				return d.Labels[i]
			}
			return i
		})
		return
	}
	width := 1
	for _, name := range d.Names {
		width = max(width, utf8.RuneCountInString(name))
	}
	text := dtype(fmt.Sprintf("<U%d", width))
	w.array(group, d.Name, text, []int{d.Size}, []string{d.Name}, func(b []byte, at int) []byte {
		left := width
		for _, r := range d.Names[at] {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
			left--
		}
		return append(b, make([]byte, 4*left)...)
	})
}

// distinct renames variables whose names differ only in case.
func distinct(vars []layout.Variable) []layout.Variable {
	exact := map[string]bool{}
	for _, v := range vars {
		exact[fold(v.Name)] = true
	}
	taken := map[string]string{}
	for i, v := range vars {
		first, ok := taken[fold(v.Name)]
		if !ok {
			taken[fold(v.Name)] = v.Name
			continue
		}
		if first == v.Name {
			continue // an error that the writer reports
		}
		for n := 2; ; n++ {
			name := fmt.Sprintf("%s_%d", v.Name, n)
			if !exact[fold(name)] {
				exact[fold(name)] = true
				vars[i].Name = name
				break
			}
		}
	}
	return vars
}
