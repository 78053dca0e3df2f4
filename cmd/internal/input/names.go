package input

import (
	"slices"
	"strconv"
	"strings"

	"bayeskernel/cmd/internal/cli"
)

// defineNames defines -names.
func defineNames(s *cli.FlagSet, names *string) {
	s.Text(names, "names", "", "what to call the `samples`, as P=before,Q=after, or by the values of -label, as "+
		"0=never,1=smoker")
}

// groupNames are what the samples of a column of labels are called: the labels, or with the name of the column
// where they are numbers or say yes and no, as smoke = 0.
func groupNames(label string, levels []string) []string {
	out := slices.Clone(levels)
	if slices.ContainsFunc(levels, func(s string) bool {
		_, err := strconv.ParseFloat(s, 64)
		return err == nil || slices.Contains([]string{"true", "false", "yes", "no", "t", "f", "y", "n"}, strings.ToLower(s))
	}) {
		for i, s := range levels {
			out[i] = label + " = " + s
		}
	}
	return out
}

// rename applies -names: keys has what each sample may be called there.
func rename(flag string, names []string, keys ...[]string) error {
	for _, part := range Split(flag) {
		key, name, ok := strings.Cut(part, "=")
		key, name = strings.TrimSpace(key), strings.TrimSpace(name)
		if !ok || key == "" || name == "" {
			return cli.Usagef("-names has %q, want SAMPLE=NAME, as in -names P=before,Q=after", part)
		}
		at := -1
		for _, list := range keys {
			if i := slices.Index(list, key); i >= 0 {
				at = i
				break
			}
		}
		if at < 0 {
			return cli.Usagef("-names: there is no sample %q, only %s", key, strings.Join(keys[0], ", "))
		}
		names[at] = name
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return cli.Usagef("-names calls two samples %q, want different names", name)
		}
	}
	return nil
}
