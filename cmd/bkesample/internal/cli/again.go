package cli

import (
	"regexp"
	"slices"
	"strings"
)

// without leaves out flags that take a value, and their values.
func without(args []string, flags ...string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		if !strings.HasPrefix(args[i], "-") || !slices.Contains(flags, name) {
			out = append(out, args[i])
		} else if !joined {
			i++
		}
	}
	return out
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./,:=+@%-]+$`)

// Quote makes a word safe for a shell.
func Quote(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
