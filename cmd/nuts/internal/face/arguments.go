package face

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kind says what an argument takes.
type kind int

const (
	group  kind = iota // no value: arguments follow
	choice             // one of the names of its arguments, and their arguments follow
	text
	whole
	number
	truth
	natural // a whole number of any size
)

// argument is an argument with its value, and those below it.
type argument struct {
	name  string
	kind  kind
	value string
	usual string // its default
	given bool
	least float64                  // of whole and number
	below bool                     // numbers must lie above least, not at it
	most  float64                  // of numbers; 0 is none
	sub   []*argument              // of a group, or the groups to choose from
	hook  func(value string) error // a further check
}

func (a *argument) child(name string) *argument {
	i := slices.IndexFunc(a.sub, func(b *argument) bool { return b.name == name })
	if i < 0 {
		return nil
	}
	return a.sub[i]
}

// at finds an argument by its path. A choice is followed whether it was chosen or not.
func (a *argument) at(path ...string) *argument {
	for _, name := range path {
		if a = a.child(name); a == nil {
			panic("face: there is no argument " + strings.Join(path, " "))
		}
	}
	return a
}

func (a *argument) whole() int {
	n, _ := strconv.Atoi(a.value)
	return n
}

func (a *argument) number() float64 {
	v, _ := strconv.ParseFloat(a.value, 64)
	return v
}

func (a *argument) truth() bool { return a.value == "1" }

// take gives the argument a value.
func (a *argument) take(value string) error {
	wrong := func(want string) error {
		return fmt.Errorf("%s is not a valid value for %q: want %s", value, a.name, want)
	}
	switch a.kind {
	case choice:
		if a.child(value) == nil {
			var words []string
			for _, s := range a.sub {
				words = append(words, s.name)
			}
			return wrong(strings.Join(words, ", "))
		}
	case whole:
		if v, err := strconv.Atoi(value); err != nil || float64(v) < a.least {
			return wrong(fmt.Sprintf("a whole number of at least %v", a.least))
		}
	case number:
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(v, 0) || !(v >= a.least) || a.below && v == a.least || a.most > 0 && !(v < a.most) {
			want := fmt.Sprintf("a number of at least %v", a.least)
			if a.below {
				want = fmt.Sprintf("a number above %v", a.least)
			}
			if a.most > 0 {
				want += fmt.Sprintf(" and below %v", a.most)
			}
			return wrong(want)
		}
	case truth:
		switch strings.ToLower(value) {
		case "1", "true":
			value = "1"
		case "0", "false":
			value = "0"
		default:
			return wrong("0, 1, true or false")
		}
	}
	if a.hook != nil {
		if err := a.hook(value); err != nil {
			return err
		}
	}
	a.value, a.given = value, true
	return nil
}

// parse reads arguments for a group as far as they belong to it, and returns the rest.
func (a *argument) parse(args []string) ([]string, error) {
	for len(args) > 0 {
		name, value, valued := strings.Cut(args[0], "=")
		b := a.child(name)
		if b == nil || valued != (b.kind != group) {
			return args, nil
		}
		args = args[1:]
		in := b
		if b.kind != group {
			if err := b.take(unquoted(value)); err != nil {
				return nil, err
			}
			in = b.child(b.value)
		} else {
			b.given = true
		}
		if in == nil {
			continue
		}
		var err error
		if args, err = in.parse(args); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// unquoted takes quotes off that a caller meant for a shell.
func unquoted(s string) string {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// errNoMethod begins with the words that cmdstanr looks for.
var errNoMethod = fmt.Errorf("%s", "A method must be specified! Want sample, optimize, generate_quantities or log_prob")

// parse reads a command line.
func parse(args []string) (*argument, error) {
	all := grammar()
	method := all.at("method")
	list := slices.Clone(args)
	for k, a := range list { // a method may stand without its argument
		name := strings.TrimPrefix(a, "method=")
		if method.child(name) == nil {
			continue
		}
		if slices.Contains([]string{"diagnose", "laplace", "pathfinder", "variational"}, name) {
			return nil, fmt.Errorf("the method %s is not supported: want sample, optimize, generate_quantities or log_prob", name)
		}
		list[k] = "method=" + name
		break
	}
	rest, err := all.parse(list)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, misplaced(all, rest[0])
	}
	if !method.given {
		return nil, errNoMethod
	}
	return all, nil
}

// misplaced says where an argument that was not understood could stand.
func misplaced(all *argument, arg string) error {
	name, _, _ := strings.Cut(arg, "=")
	var places []string
	var walk func(a *argument, path []string)
	walk = func(a *argument, path []string) {
		for _, b := range a.sub {
			if b.name == name {
				places = append(places, strings.Join(append(path, b.name), " "))
			}
			label := b.name
			if a.kind == choice {
				label = a.name + "=" + b.name
			}
			below := append(path[:len(path):len(path)], label)
			if b.kind == choice {
				below = path
			}
			walk(b, below)
		}
	}
	walk(all, nil)
	if len(places) == 0 {
		return fmt.Errorf("%s is either mistyped or misplaced: there is no such argument", arg)
	}
	return fmt.Errorf("%s is either mistyped or misplaced: it follows %s", arg, strings.Join(places, ", or "))
}

// lines show the configuration as CmdStan prints it. Words says whether truth values are words.
func (a *argument) lines(words bool) []string {
	var out []string
	var walk func(a *argument, depth int)
	walk = func(a *argument, depth int) {
		for _, b := range a.sub {
			pad := strings.Repeat("  ", depth)
			if b.kind == group {
				out = append(out, pad+b.name)
				walk(b, depth+1)
				continue
			}
			value := b.value
			if b.kind == truth && words {
				value = map[string]string{"0": "false", "1": "true"}[value]
			}
			line := pad + b.name + " = " + value
			if b.value == b.usual {
				line += " (Default)"
			}
			out = append(out, line)
			if in := b.child(b.value); in != nil && len(in.sub) > 0 {
				out = append(out, pad+"  "+in.name)
				walk(in, depth+2)
			}
		}
	}
	walk(a, 0)
	return out
}

// json is the configuration as save_cmdstan_config writes it: values in objects, those of a choice with
// its name.
func (a *argument) json() object {
	var out object
	for _, b := range a.sub {
		var v any
		switch b.kind {
		case group:
			v = b.json()
		case choice:
			o := object{{"value", b.value}}
			if in := b.child(b.value); in != nil && len(in.sub) > 0 {
				o = append(o, field{in.name, in.json()})
			}
			v = o
		case whole:
			v = b.whole()
		case number:
			v = b.number()
		case truth:
			v = b.truth()
		case natural:
			v = json.Number(b.value)
		default:
			v = b.value
		}
		out = append(out, field{b.name, v})
	}
	return out
}
