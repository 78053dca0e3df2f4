package kernels

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// family is a kind of radial kernel as ParseRadial reads it: name, or name:key=value,key=value.
type family struct {
	example string   // the name and, if there are parameters, values of them
	words   string   // what the name is short for, if it does not say
	keys    []string // all are wanted
	lists   bool     // values may have more than one element
	make    func(values map[string][]float64) Radial
}

func (f family) name() string { name, _, _ := strings.Cut(f.example, ":"); return name }

// families lists the radial kernels: ParseRadial reads them, help lists them and tests try the
// examples. A new kernel is one line here.
func families() []family {
	type v = map[string][]float64
	return []family{
		{"se", "squared exponential", nil, false, func(v) Radial { return SE{} }},
		{"matern32", "", nil, false, func(v) Radial { return Matern{1.5} }},
		{"matern52", "", nil, false, func(v) Radial { return Matern{2.5} }},
		{"matern:nu=2", "", []string{"nu"}, false,
			func(p v) Radial { return Matern{p["nu"][0]} }},
		{"rq:alpha=1.5", "", []string{"alpha"}, false,
			func(p v) Radial { return RQ{p["alpha"][0]} }},
		{"mixture:widths=1/4,weights=0.5/0.5", "", []string{"widths", "weights"}, true,
			func(p v) Radial { return Mixture{p["weights"], p["widths"]} }},
	}
}

// RadialForms is an example of everything that ParseRadial reads, for help: "se (squared exponential),
// matern32, …".
func RadialForms() string {
	return forms(func(f family) string {
		if f.words != "" {
			return f.example + " (" + f.words + ")"
		}
		return f.example
	})
}

func forms(of func(family) string) string {
	var list []string
	for _, f := range families() {
		list = append(list, of(f))
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// ParseRadial reads a kernel, such as se, matern:nu=2 or mixture:widths=1/4,weights=0.5/0.5, in which a
// slash separates the elements of a list. RadialForms has them all.
func ParseRadial(text string) (Radial, error) {
	name, rest, hasRest := strings.Cut(text, ":")
	if name == "laplacian" || name == "matern12" {
		return nil, fmt.Errorf("kernels: kernel is %q, want a smoother one such as matern32: this "+
			"one, the Matern kernel of nu = 1/2, has no gradient at a pseudo-input", text)
	}
	all := families()
	i := slices.IndexFunc(all, func(f family) bool { return f.name() == name })
	if i < 0 {
		return nil, fmt.Errorf("kernels: kernel is %q, want %s", text,
			forms(func(f family) string { return f.example }))
	}
	f := all[i]
	values := map[string][]float64{}
	if hasRest {
		for _, field := range strings.Split(rest, ",") {
			if err := f.read(values, field, text); err != nil {
				return nil, err
			}
		}
	}
	for _, key := range f.keys {
		if values[key] == nil {
			return nil, fmt.Errorf("kernels: kernel %q has no %s, want it as in %s", text, key,
				f.example)
		}
	}
	r := f.make(values)
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("%w (in %q)", err, text)
	}
	return r, nil
}

// read adds one key=value, where value is numbers with slashes between them.
func (f family) read(values map[string][]float64, field, text string) error {
	key, list, _ := strings.Cut(field, "=")
	if !slices.Contains(f.keys, key) {
		want := "none"
		if len(f.keys) > 0 {
			want = strings.Join(f.keys, " and ")
		}
		return fmt.Errorf("kernels: parameter of kernel %q is %q, want %s", text, key, want)
	}
	if values[key] != nil {
		return fmt.Errorf("kernels: kernel %q has %s twice, want it once", text, key)
	}
	if !f.lists && strings.Contains(list, "/") {
		return fmt.Errorf("kernels: %s of kernel %q is %q, want one number", key, text, list)
	}
	for _, number := range strings.Split(list, "/") {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return fmt.Errorf("kernels: %s of kernel %q is %q, want numbers as in %s", key, text,
				list, f.example)
		}
		values[key] = append(values[key], x)
	}
	return nil
}

// ParseRadials reads a list of kernels. A comma separates two of them only before a name:
// se,rq:alpha=1.5,mixture:widths=1/4,weights=0.5/0.5,matern52 has four.
func ParseRadials(list string) ([]Radial, error) {
	var texts []string
	for i, field := range strings.Split(list, ",") {
		head, _, _ := strings.Cut(field, ":")
		if i > 0 && strings.Contains(head, "=") {
			texts[len(texts)-1] += "," + field
		} else {
			texts = append(texts, field)
		}
	}
	radials := make([]Radial, len(texts))
	for i, text := range texts {
		r, err := ParseRadial(text)
		if err != nil {
			return nil, err
		}
		radials[i] = r
	}
	return radials, nil
}
