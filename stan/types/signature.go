package types

import (
	"fmt"
	"slices"
	"strings"

	"bayeskernel/stan/syntax"
)

// Words is a library of functions in words.
//
// Functions are signatures, "vector rep_vector(real, int)"; of several for one name the first that fits
// counts. Beside types, these words stand for arguments:
//
//	ints     int or array[] int
//	reals    real, vector, row_vector or array[] real
//	vectors  vector, row_vector or an array[] of these
//	N        numbers in any shape; of two, one may be a single number
//	T        anything, the same at each place; array[] T is an array of it
//	a|b      a or b
//	data a   what does not depend on parameters
//	v(a, b)  the name of a function of the program with these arguments; with ... among them, those
//	         that stand for ... in the call as well
//
// As the value, reals (or ints) is real if all arguments are single numbers and array[] real otherwise, and
// N is the shape of the arguments with real numbers; a tuple is tuple(matrix, vector).
type Words struct {
	Functions     []string
	Distributions []Distribution
	// Stan has the names of functions and distributions of Stan: those that are not above are not supported,
	// others are misspelt.
	Stan []string
}

// Distribution is what a program can write after ~.
type Distribution struct {
	Name     string
	Discrete bool
	Args     string // words for the value and the parameters: "reals, reals, reals"
	CDF      bool   // it has a distribution function
	Joint    bool   // of vectors or matrices
}

// pattern is an argument of a signature.
type pattern struct {
	word  string    // as written
	data  bool      // must not depend on parameters
	types []Type    // that fit; none for N and T
	dims  int       // of an array of T
	call  *function // the argument is a function of the program with such a signature
}

// function is a signature.
type function struct {
	name   string
	result string
	args   []pattern
	more   bool // further arguments are passed on
	old    bool // a name of older versions

	defined *syntax.Function // in the program; nil: it is of the library
	first   syntax.Pos       // where it is defined or declared first
	returns Type             // if it is of the program
}

// Library has the functions and distributions that programs can call.
type Library struct {
	functions     map[string][]*function
	distributions map[string]Distribution
	stan          map[string]bool // looked at where nothing was found
}

// NewLibrary reads the signatures of a library.
func NewLibrary(l Words) (*Library, error) {
	out := &Library{functions: map[string][]*function{}, distributions: map[string]Distribution{},
		stan: map[string]bool{}}
	add := func(s string, old bool) error {
		f, err := parseSignature(s)
		if err != nil {
			return err
		}
		f.old = old
		out.functions[f.name] = append(out.functions[f.name], f)
		return nil
	}
	for _, s := range l.Functions {
		if err := add(s, false); err != nil {
			return nil, err
		}
	}
	for _, d := range l.Distributions {
		out.distributions[d.Name] = d
		suffixes, old := []string{"_lpdf", "_lupdf"}, []string{"_log"}
		if d.Discrete {
			suffixes = []string{"_lpmf", "_lupmf"}
		}
		if d.CDF {
			suffixes, old = append(suffixes, "_lcdf", "_lccdf", "_cdf"), append(old, "_cdf_log", "_ccdf_log")
		}
		for i, s := range append(suffixes, old...) {
			if err := add("real "+d.Name+s+"("+d.Args+")", i >= len(suffixes)); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range l.Stan {
		out.stan[s] = true
	}
	return out, nil
}

// Split is a signature in its parts; without a result, as of an argument, the name counts as both.
func Split(signature string) (result, name, args string, ok bool) {
	from := 0
	if strings.HasPrefix(signature, "tuple(") {
		from = strings.IndexByte(signature, ')') + 1
	}
	open := strings.IndexByte(signature[from:], '(')
	if open < 0 || !strings.HasSuffix(signature, ")") {
		return "", "", "", false
	}
	head := strings.TrimSpace(signature[:from+open])
	result, name = head, head
	if at := strings.LastIndexByte(head, ' '); at >= 0 {
		result, name = head[:at], head[at+1:]
	}
	return result, name, signature[from+open+1 : len(signature)-1], true
}

func parseSignature(s string) (*function, error) {
	result, name, args, ok := Split(s)
	if !ok {
		return nil, fmt.Errorf("types: the signature %q, want result name(arguments)", s)
	}
	f := &function{name: name, result: result}
	for _, w := range commas(args) {
		if w == "..." {
			f.more = true
			continue
		}
		p, err := parsePattern(w)
		if err != nil {
			return nil, fmt.Errorf("types: the signature %q: %w", s, err)
		}
		f.args = append(f.args, p)
	}
	return f, nil
}

// commas splits at the commas that are in no brackets.
func commas(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range s {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if s = strings.TrimSpace(s[from:]); s != "" {
		out = append(out, s)
	}
	return out
}

func parsePattern(w string) (pattern, error) {
	var p pattern
	p.word, p.data = strings.CutPrefix(w, "data ")
	if strings.Contains(p.word, "(") {
		var err error
		if p.call, err = parseSignature(p.word); err == nil { // it has no name
			p.call.name, p.call.result = "", p.word[:strings.IndexByte(p.word, '(')]
		}
		return p, err
	}
	for _, alternative := range strings.Split(p.word, "|") {
		base, dims := alternative, 0
		if rest, ok := strings.CutPrefix(alternative, "array["); ok {
			n := strings.IndexByte(rest, ']')
			if n < 0 {
				return p, fmt.Errorf("%q, want ] after array[", w)
			}
			base, dims = strings.TrimSpace(rest[n+1:]), n+1
		}
		switch base {
		case "int", "real", "vector", "row_vector", "matrix":
			p.types = append(p.types, Type{Base: base, Dims: dims})
		case "ints":
			p.types = append(p.types, integer, Type{Base: "int", Dims: 1})
		case "reals":
			p.types = append(p.types, number, vector, rowVector, Type{Base: "real", Dims: 1})
		case "vectors":
			p.types = append(p.types, vector, rowVector, Type{Base: "vector", Dims: 1}, Type{Base: "row_vector", Dims: 1})
		case "N", "T":
			p.word, p.dims = base, dims
		default:
			return p, fmt.Errorf("%q is no word for an argument", alternative)
		}
	}
	return p, nil
}

// bindings are what N and T stand for in a call.
type bindings map[string]Type

// match reports whether an argument fits, and binds N and T.
func (p pattern) match(t Type, b bindings) bool {
	if t.Base == "" || p.call != nil {
		return true
	}
	switch p.word {
	case "N":
		if !numeric[t.Base] {
			return false
		}
		old, ok := b["N"]
		if !ok || old.scalar() && (!t.scalar() || t.Base == "real") {
			b["N"] = t
			return true
		}
		if t.scalar() {
			return true
		}
		c, ok := common(old, t)
		b["N"] = c
		return ok
	case "T":
		if t.Base == "text" || t.Base == "void" || t.Dims < p.dims {
			return false
		}
		t.Dims -= p.dims
		old, ok := b["T"]
		if !ok {
			b["T"] = t
			return true
		}
		c, ok := common(old, t)
		b["T"] = c
		return ok
	}
	return slices.ContainsFunc(p.types, func(u Type) bool { _, ok := t.fits(u); return ok })
}

// wants are the types that an argument may have, in words.
func (p pattern) wants(b bindings) []string {
	switch {
	case p.call != nil:
		return []string{"a function of the program"}
	case p.word == "N":
		if t, ok := b["N"]; ok && !t.scalar() {
			return []string{"real", real(t).String()}
		}
		return []string{"numbers"}
	case p.word == "T":
		t, ok := b["T"]
		if !ok {
			if p.dims > 0 {
				return []string{"an array"}
			}
			return []string{"a value"}
		}
		t.Dims += p.dims
		return []string{t.String()}
	}
	var out []string
	for _, t := range p.types {
		out = append(out, t.String())
	}
	return out
}

// real is a type with real numbers in the place of whole ones.
func real(t Type) Type {
	if t.Base == "int" {
		t.Base = "real"
	}
	return t
}

// value is the type of the result.
func (f *function) value(args []Type, b bindings) Type {
	if f.defined != nil {
		return f.returns
	}
	return resultOf(f.result, args, b)
}

// resultOf is the type that a word stands for.
func resultOf(word string, args []Type, b bindings) Type {
	if parts, ok := strings.CutPrefix(word, "tuple("); ok {
		t := Type{Base: "tuple"}
		for _, w := range commas(strings.TrimSuffix(parts, ")")) {
			t.Parts = append(t.Parts, resultOf(w, args, b))
		}
		return t
	}
	dims := 0
	if rest, ok := strings.CutPrefix(word, "array["); ok {
		n := strings.IndexByte(rest, ']')
		word, dims = strings.TrimSpace(rest[n+1:]), n+1
	}
	t := Type{Base: word}
	switch word {
	case "reals", "ints":
		t.Base = word[:len(word)-1]
		if slices.ContainsFunc(args, func(a Type) bool { return !a.scalar() }) {
			t.Dims = 1
		}
	case "N":
		t = real(b["N"])
	case "T":
		t = b["T"]
	}
	t.Dims += dims
	return t
}

// said is the signature in messages.
func (f *function) said() string {
	var out []string
	for _, p := range f.args {
		out = append(out, or(p.wants(bindings{})))
	}
	if f.more {
		out = append(out, "...")
	}
	return f.name + "(" + strings.Join(out, ", ") + ")"
}
