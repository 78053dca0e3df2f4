package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// flagSet is a flag.FlagSet that knows groups, for the help.
type flagSet struct {
	*flag.FlagSet
	groups  []flagGroup
	version bool
}

type flagGroup struct {
	title string
	names []string
}

func newFlagSet(c command) *flagSet {
	s := &flagSet{FlagSet: flag.NewFlagSet(c.name, flag.ContinueOnError)}
	s.SetOutput(io.Discard)
	return s
}

// group starts a group of flags: those that are defined until the next one.
func (s *flagSet) group(title string) {
	s.groups = append(s.groups, flagGroup{title: title})
}

// added notes that a flag was defined.
func (s *flagSet) added(name string) {
	g := &s.groups[len(s.groups)-1]
	g.names = append(g.names, name)
}

func (s *flagSet) text(p *string, name, value, usage string) {
	s.StringVar(p, name, value, usage)
	s.added(name)
}

func (s *flagSet) number(p *float64, name string, value float64, usage string) {
	*p = value
	s.Var((*numberValue)(p), name, usage)
	s.added(name)
}

func (s *flagSet) whole(p *int, name string, value int, usage string) {
	*p = value
	s.Var((*wholeValue)(p), name, usage)
	s.added(name)
}

func (s *flagSet) seed(p *uint64, name string, value uint64, usage string) {
	*p = value
	s.Var((*seedValue)(p), name, usage)
	s.added(name)
}

// retired defines a flag that is in no group, and so not in the help: who uses it is told why.
func (s *flagSet) retired(p *string, name string) { s.StringVar(p, name, "", "") }

func (s *flagSet) yes(p *bool, name string, usage string) {
	s.BoolVar(p, name, false, usage)
	s.added(name)
}

// choice defines a flag that takes one of some words; the first is the default unless value says
// otherwise.
func (s *flagSet) choice(p *string, name, value string, words []string, usage string) {
	*p = value
	s.Var(&choiceValue{p, words}, name, usage)
	s.added(name)
}

// The values of flags. Their errors say what was expected, and package flag puts the flag and the
// value found before it.
type (
	numberValue float64
	wholeValue  int
	seedValue   uint64
	choiceValue struct {
		p     *string
		words []string
	}
)

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

func (v *choiceValue) String() string {
	if v.p == nil {
		return ""
	}
	return *v.p
}

func (v *choiceValue) Set(s string) error {
	for _, w := range v.words {
		if s == w {
			*v.p = s
			return nil
		}
	}
	return errors.New("want " + orList(v.words))
}

// orList joins words: a, b or c.
func orList(words []string) string { return joined(words, " or ") }

// andList joins words: a, b and c.
func andList(words []string) string { return joined(words, " and ") }

func joined(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

// showVersion defines -version.
func (s *flagSet) showVersion() {
	s.BoolVar(&s.version, "version", false, "print the version")
	s.added("version")
}

// parse reads the flags and returns the files after them.
func (s *flagSet) parse(args []string) ([]string, error) {
	if err := s.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		msg := err.Error()
		if name, ok := strings.CutPrefix(msg, "flag provided but not defined: "); ok {
			msg = "unknown flag " + name
		}
		return nil, &usageError{msg}
	}
	files := s.Args()
	for _, f := range files {
		if len(f) > 1 && f[0] == '-' {
			return nil, usagef("%s comes after the file %s: flags come before the files "+
				"(a file of that name is ./%s)", f, files[0], f)
		}
	}
	return files, nil
}

// given reports whether the user set a flag.
func (s *flagSet) given(name string) bool {
	found := false
	s.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// printHelp writes the help of a command.
func printHelp(w io.Writer, all []command, c command) {
	name := "bkesample"
	if c.name != all[0].name {
		name += " " + c.name
	}
	fmt.Fprintf(w, "usage: %s [flags] %s\n\n%s\n", name, c.args, c.about)
	set := newFlagSet(c)
	c.flags(set)
	for _, g := range set.groups {
		fmt.Fprintf(w, "\n%s\n", g.title)
		for _, n := range g.names {
			f := set.Lookup(n)
			kind, usage := flag.UnquoteUsage(f)
			head := "  -" + n
			if kind != "" && !isBool(f) {
				head += " " + kind
			}
			if d := f.DefValue; d != "" && d != "false" && d != "0" {
				usage += " (default " + d + ")"
			}
			fmt.Fprintf(w, "%s\n", head)
			for _, line := range wrap(usage, 88) {
				fmt.Fprintf(w, "        %s\n", line)
			}
		}
	}
	fmt.Fprintf(w, "\nCommands (bkesample COMMAND -h describes each):\n")
	for _, c := range all {
		fmt.Fprintf(w, "  %-13s %s\n", c.name, c.summary)
	}
	fmt.Fprintf(w, "\nPNG pictures show letters other than Latin, Greek and Cyrillic as boxes; SVG "+
		"pictures show them all.\n")
	fmt.Fprintf(w, "\nExit codes: 0 done, 1 failed, 2 wrong use, 3 done but the diagnostics are "+
		"bad (-strict),\n130 interrupted.\n")
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// wrap breaks a text into lines of at most width bytes.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// version says which build this is.
func version() string {
	v, rev := "(devel)", ""
	if b, ok := debug.ReadBuildInfo(); ok {
		if b.Main.Version != "" {
			v = b.Main.Version
		}
		for _, s := range b.Settings {
			if s.Key == "vcs.revision" && !strings.Contains(v, s.Value[:min(12, len(s.Value))]) {
				rev = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("bkesample %s%s (%s, %s/%s)", v, rev, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
