package cli

import (
	"errors"
	"flag"
	"io"
	"slices"
	"strconv"
	"strings"
)

// FlagSet is a flag.FlagSet with flags in groups, for the help.
type FlagSet struct {
	*flag.FlagSet
	Program *Program
	groups  []flagGroup
	version bool
	memory  int64 // of -max-memory
}

type flagGroup struct {
	title string
	names []string
}

func (p *Program) newFlagSet(c Command) *FlagSet {
	s := &FlagSet{FlagSet: flag.NewFlagSet(c.Name, flag.ContinueOnError), Program: p}
	s.SetOutput(io.Discard)
	return s
}

// Group starts a group: the flags defined until the next call belong to it.
func (s *FlagSet) Group(title string) {
	s.groups = append(s.groups, flagGroup{title: title})
}

// added notes that a flag was defined.
func (s *FlagSet) added(name string) {
	g := &s.groups[len(s.groups)-1]
	g.names = append(g.names, name)
}

// Text defines a string flag.
func (s *FlagSet) Text(p *string, name, value, usage string) {
	s.StringVar(p, name, value, usage)
	s.added(name)
}

// List defines a flag whose values, where it is given more than once, are put one after the other, with a
// separator between.
func (s *FlagSet) List(p *string, name, separator, usage string) {
	s.Var(&listValue{textValue{p}, separator}, name, usage)
	s.added(name)
}

// Value defines a flag of any kind.
func (s *FlagSet) Value(p flag.Value, name, usage string) {
	s.Var(p, name, usage)
	s.added(name)
}

// Number defines a flag that takes a finite number.
func (s *FlagSet) Number(p *float64, name string, value float64, usage string) {
	*p = value
	s.Var((*numberValue)(p), name, usage)
	s.added(name)
}

// Whole defines an integer flag.
func (s *FlagSet) Whole(p *int, name string, value int, usage string) {
	*p = value
	s.Var((*wholeValue)(p), name, usage)
	s.added(name)
}

// Seed defines a flag for a seed.
func (s *FlagSet) Seed(p *uint64, name string, value uint64, usage string) {
	*p = value
	s.Var((*seedValue)(p), name, usage)
	s.added(name)
}

// Retired defines a flag that the help does not list; the command tells its users why it is gone.
func (s *FlagSet) Retired(p *string, name string) { s.StringVar(p, name, "", "") }

// Yes defines a flag without a value.
func (s *FlagSet) Yes(p *bool, name string, usage string) {
	s.BoolVar(p, name, false, usage)
	s.added(name)
}

// Choice defines a flag that takes one of the words.
func (s *FlagSet) Choice(p *string, name, value string, words []string, usage string) {
	*p = value
	s.Var(&choiceValue{textValue{p}, words}, name, usage)
	s.added(name)
}

// The values of flags. Their errors say what was expected; package flag prepends the flag and the
// value it found.
type (
	numberValue float64
	wholeValue  int
	seedValue   uint64
	textValue   struct{ p *string }
	choiceValue struct {
		textValue
		words []string
	}
	listValue struct {
		textValue
		separator string
	}
)

func (v textValue) String() string {
	if v.p == nil {
		return ""
	}
	return *v.p
}

func (v *listValue) Set(text string) error {
	if *v.p != "" {
		text = *v.p + v.separator + text
	}
	*v.p = text
	return nil
}

func (v *numberValue) String() string {
	if *v == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*v), 'g', -1, 64)
}

func (v *numberValue) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x-x != 0 {
		return errors.New("want a finite number")
	}
	*v = numberValue(x)
	return nil
}

func (v *wholeValue) String() string {
	if *v == 0 {
		return ""
	}
	return strconv.Itoa(int(*v))
}

func (v *wholeValue) Set(s string) error {
	x, err := strconv.Atoi(s)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return errors.New("want a whole number of at most 18 digits")
	case err != nil:
		return errors.New("want a whole number")
	}
	*v = wholeValue(x)
	return nil
}

func (v *seedValue) String() string { return strconv.FormatUint(uint64(*v), 10) }

func (v *seedValue) Set(s string) error {
	x, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return errors.New("want a whole number, not negative and below 2^64")
	}
	*v = seedValue(x)
	return nil
}

func (v *choiceValue) Set(s string) error {
	for _, w := range v.words {
		if s == w {
			*v.p = s
			return nil
		}
	}
	return errors.New("want " + OrList(slices.DeleteFunc(slices.Clone(v.words), func(w string) bool { return w == "" })))
}

// ShowVersion defines -version.
func (s *FlagSet) ShowVersion() {
	s.BoolVar(&s.version, "version", false, "print the version")
	s.added("version")
}

// parse reads the flags and returns the files, which may stand between flags; everything after --
// is a file. Messages may name the other commands of p.
func (s *FlagSet) parse(args []string, p *Program) (files []string, err error) {
	if err := s.valueless(args); err != nil {
		return nil, err
	}
	for {
		if err := s.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			msg := err.Error()
			if name, ok := strings.CutPrefix(msg, "flag provided but not defined: "); ok {
				msg = s.unknown(strings.TrimLeft(name, "-"), p)
			}
			return nil, &UsageError{msg}
		}
		rest := s.Args()
		if at := len(args) - len(rest); at > 0 && args[at-1] == "--" {
			return append(files, rest...), nil
		}
		k := 0
		for k < len(rest) && (len(rest[k]) < 2 || rest[k][0] != '-') {
			k++
		}
		files, args = append(files, rest[:k]...), rest[k:]
		if len(args) == 0 {
			return files, nil
		}
	}
}

// valueless refuses a flag that wants a value and has another flag behind it.
func (s *FlagSet) valueless(args []string) error {
	for i := 0; i+1 < len(args) && args[i] != "--"; i++ {
		f := s.flagOf(args[i])
		if f == nil || f.Usage == "" { // what has no usage says what is wrong itself
			continue
		}
		if yes, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && yes.IsBoolFlag() {
			continue
		}
		if next := s.flagOf(args[i+1]); next != nil {
			kind, _ := flag.UnquoteUsage(f)
			return Usagef("-%s wants a value (%s), found the flag -%s", f.Name, kind, next.Name)
		}
		i++
	}
	return nil
}

// flagOf is the flag that an argument names without a value, nil if it names none.
func (s *FlagSet) flagOf(arg string) *flag.Flag {
	name, ok := strings.CutPrefix(arg, "-")
	if !ok {
		return nil
	}
	return s.Lookup(strings.TrimPrefix(name, "-"))
}

// unknown says that a flag does not exist, and which one may have been meant.
func (s *FlagSet) unknown(name string, p *Program) string {
	text := "unknown flag -" + name
	for _, c := range p.Commands {
		if other := p.newFlagSet(c); c.Name != s.Name() && c.Flags(other) != nil &&
			other.Lookup(name) != nil {
			return text + ": " + p.Name + " " + c.Name + " has it, " + s.Name() + " does not"
		}
	}
	near := nearest(name, s.names())
	dashed := strings.ReplaceAll(name, "_", "-")
	if other := otherNames[dashed]; other != "" && s.Lookup(other) != nil {
		near = other
	}
	if near != "" {
		return text + ": did you mean -" + near + "?"
	}
	for _, c := range p.Commands {
		if c.Name == s.Name() && c.Args != "" && slices.Contains(fileNames, dashed) {
			return text + ": files are named without a flag: " + c.Args
		}
	}
	return text
}

// fileNames are flags of other programs that name a file, which here are named without one.
var fileNames = []string{"data", "data-file", "d", "file", "f", "input", "i", "csv"}

// otherNames are what other programs call flags.
var otherNames = map[string]string{"group": "label", "groups": "label", "by": "label", "class": "label",
	"strata": "blocks", "cluster": "blocks", "id": "pairs", "adjust": "given", "covariates": "given", "o": "out",
	"output": "out", "dir": "out", "nperm": "permutations", "perms": "permutations", "vars": "columns",
	"cols": "columns", "exclude": "drop", "burnin": "warmup", "burn": "warmup", "tune": "warmup",
	"iterations": "iter", "iter-sampling": "iter", "num-samples": "iter", "draws": "iter",
	"iter-warmup": "warmup", "num-warmup": "warmup", "adapt-delta": "delta", "max-treedepth": "max-depth",
	"num-chains": "chains", "random-seed": "seed"}

// names lists the flags.
func (s *FlagSet) names() []string {
	var out []string
	for _, g := range s.groups {
		out = append(out, g.names...)
	}
	return out
}

// Given reports whether the user set a flag.
func (s *FlagSet) Given(name string) bool {
	found := false
	s.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
