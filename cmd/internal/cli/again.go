package cli

import (
	"regexp"
	"slices"
	"strings"
)

// Again is the command line that repeats a run, without the flags for the output folder.
func (c *Console) Again() string { return c.CommandLine(c.args, nil, "out", "resume", "force") }

// CommandLine is a command line that can be pasted. It puts first before args, and leaves out the
// flags in but.
func (c *Console) CommandLine(args, first []string, but ...string) string {
	words := []string{c.Program.Name}
	if len(args) > 0 && plainWord.MatchString(args[0]) && !strings.ContainsAny(args[0], "-./") {
		words, args = append(words, args[0]), args[1:] // the name of a command, or of a file
	}
	for _, a := range slices.Concat(first, Without(args, but...)) {
		words = append(words, Quote(a))
	}
	return strings.Join(words, " ")
}

// switches are flags without a value that callers of Without may leave out.
var switches = []string{"force", "quiet"}

// Without leaves out flags and their values.
func Without(args []string, flags ...string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		switch {
		case !strings.HasPrefix(args[i], "-") || !slices.Contains(flags, name):
			out = append(out, args[i])
		case !joined && !slices.Contains(switches, name):
			i++
		}
	}
	return out
}

// Value is that of a flag among arguments, the last if there are several; "" if it is not there.
func Value(args []string, flag string) string {
	value := ""
	for i, a := range args {
		switch name, v, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "="); {
		case !strings.HasPrefix(a, "-") || name != flag:
		case joined:
			value = v
		case i+1 < len(args):
			value = args[i+1]
		}
	}
	return value
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./,:=+@%-]+$`)

// Quote makes a word safe for a shell.
func Quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
