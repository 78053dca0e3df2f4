package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Inputs lists the files and folders that exist and that the user's arguments name, alone, in lists with
// commas or by patterns; those that only flags in but name are left out. No output may be one of them.
func (c *Console) Inputs(but ...string) []string {
	var out []string
	args := c.args
	if cmd, rest, err := c.Program.choose(args); err == nil && len(rest) < len(args) && cmd.Name == args[0] {
		args = rest // a folder may have the name of the command
	}
	for _, a := range Without(args, but...) {
		words := []string{a}
		if strings.HasPrefix(a, "-") {
			_, value, _ := strings.Cut(a, "=")
			words = []string{value}
		}
		words = append(words, strings.Split(words[0], ",")...)
		for _, w := range words {
			if w == "" || slices.Contains(out, w) {
				continue
			}
			if _, err := os.Stat(w); err == nil {
				out = append(out, w)
				continue
			}
			// A pattern is rarely wrong, and then no files match.
			match, _ := filepath.Glob(w)
			out = append(out, match...)
			if _, rest, ok := strings.Cut(w, "="); ok { // name=file
				if _, err := os.Stat(rest); err == nil {
					out = append(out, rest)
				}
			}
		}
	}
	return out
}

// SameFile returns the first of the files that is the file at path, by whatever name; "" if none is.
func SameFile(path string, files []string) string {
	at, err := os.Stat(path)
	if err != nil {
		return ""
	}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && os.SameFile(at, info) {
			return f
		}
	}
	return ""
}

// NotRead refuses to write a file that is one of those that are read. Flag says where its name is from.
func NotRead(flag, path string, files ...string) error {
	if f := SameFile(path, files); f != "" {
		return Refusalf("-%s %s: is %s, which is read, want another name for what is written", flag, path, f)
	}
	return nil
}

// Inside returns the first of the files that is inside the folder and that loses selects by its name
// there, or is the folder itself, some file of which loses selects; "" if there is none.
func Inside(dir string, files []string, loses func(name string) bool) string {
	for _, f := range files {
		if SameFile(dir, []string{f}) != "" {
			entries, _ := os.ReadDir(f)
			if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return loses(e.Name()) }) {
				return f
			}
			continue
		}
		// Whatever links lead to it, an input is what it is inside the folder.
		for _, path := range []string{f, resolved(f)} {
			if SameFile(dir, []string{filepath.Dir(path)}) != "" && loses(filepath.Base(path)) {
				return f
			}
		}
	}
	return ""
}

func resolved(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}
