package source

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/stan/syntax"
)

// Text is a program as it is run: with the files that it includes in their places.
type Text struct {
	Name, Source string
	lines        []place           // where each line is from
	files        map[string]string // what the files hold
}

// place is a line of a file, from 1.
type place struct {
	file string
	line int
}

// Read reads a program. What it includes is looked for beside the file that includes it, beside the program, and in
// the working folder.
func Read(path string) (*Text, error) {
	t := &Text{Name: path, files: map[string]string{}}
	var out strings.Builder
	err := t.take(&out, path, nil)
	if t.Source = out.String(); len(t.files) == 1 {
		t.Source = t.files[path] // to the byte
	}
	return t, err
}

// take adds a file, which those in within include.
func (t *Text) take(out *strings.Builder, path string, within []string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	t.files[path] = string(b)
	lines := bufio.NewScanner(strings.NewReader(string(b)))
	lines.Buffer(nil, len(b)+1)
	comment := false
	for at := 1; lines.Scan(); at++ {
		text := lines.Text()
		name, ok := included(text)
		if !ok || comment {
			t.lines = append(t.lines, place{path, at})
			out.WriteString(text + "\n")
			comment = commented(text, comment)
			continue
		}
		found, err := t.find(name, path)
		if err == nil && slices.Contains(append(within, path), found) {
			err = fmt.Errorf("#include %s: it includes itself", name)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, at, err)
		}
		if err := t.take(out, found, append(slices.Clip(within), path)); err != nil {
			return err
		}
	}
	return lines.Err()
}

// included is the file that a line includes: named plainly, in quotes or in <>.
func included(line string) (name string, ok bool) {
	name, ok = strings.CutPrefix(strings.TrimSpace(line), "#include")
	name, _, _ = strings.Cut(name, "//")
	name = strings.TrimSpace(name)
	for _, pair := range []string{`""`, "<>"} {
		if n := len(name); n > 2 && name[0] == pair[0] && name[n-1] == pair[1] {
			name = name[1 : n-1]
		}
	}
	return name, ok && name != ""
}

// commented reports whether a comment of several lines goes on after a line.
func commented(line string, within bool) bool {
	for line != "" {
		end := "*/"
		if !within {
			line, _, _ = strings.Cut(line, "//")
			end = "/*"
		}
		_, after, found := strings.Cut(line, end)
		if !found {
			break
		}
		within, line = !within, after
	}
	return within
}

// find returns the path of a file that another includes.
func (t *Text) find(name, by string) (string, error) {
	for _, dir := range []string{filepath.Dir(by), filepath.Dir(t.Name), "."} {
		path := filepath.Join(dir, name)
		if filepath.IsAbs(name) {
			path = name
		}
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("#include %s: there is no such file beside %s", name, by)
}

// show is a mistake with the line of the file that has it.
func (t *Text) show(e syntax.Error) string {
	if e.Pos.Line < 1 || e.Pos.Line > len(t.lines) {
		return syntax.Show(t.Name, t.Source, e)
	}
	at := t.lines[e.Pos.Line-1]
	e.Pos.Line = at.line
	return syntax.Show(at.file, t.files[at.file], e)
}

// Where is a place of the text in the files, as file:line:column.
func (t *Text) Where(p syntax.Pos) string {
	file := t.Name
	if p.Line >= 1 && p.Line <= len(t.lines) {
		at := t.lines[p.Line-1]
		file, p.Line = at.file, at.line
	}
	return fmt.Sprintf("%s:%v", file, p)
}
