// Package folder keeps the folder that a command writes into: what may be written there, whole files
// or none, and nothing left of an earlier run.
package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/internal/atomicfile"
)

// Flags say what is left behind.
type Flags struct {
	dir, format string
	quiet       bool
	command     string
}

// Define gives every command a folder of its own, as each writes a summary.json and a figure; own
// defines more flags of the command.
func (f *Flags) Define(s *cli.FlagSet, command string, own func()) {
	f.command = command
	dir := "bkesample-out"
	if command != "sample" {
		dir += "/" + command
	}
	s.Group("Output")
	s.Text(&f.dir, "out", dir, "the `folder` to write into, made if need be; it holds the results of "+
		"one command")
	s.Choice(&f.format, "format", "text", []string{"text", "json"}, "`what` is printed: text, or "+
		"json, the contents of summary.json")
	if own != nil {
		own()
	}
	s.Yes(&f.quiet, "quiet", "print nothing but errors")
	s.ShowVersion()
}

// Hush shows no progress if none is wanted.
func (f *Flags) Hush(con *cli.Console) {
	if f.quiet {
		con.Screen = nil
	}
}

func (f *Flags) Check(*cli.FlagSet) error {
	if f.dir == "" {
		return cli.Usagef("-out is empty, want the name of a folder")
	}
	return nil
}

// Prepare makes the folder, and makes sure, before the work begins, that files can be written there
// and that those of another command are not.
func (f *Flags) Prepare() (string, error) {
	if other := f.owner(); other != "" && other != f.command {
		return "", fmt.Errorf("-out %s: holds the results of bkesample %s, want another folder for "+
			"those of %s", f.dir, other, f.command)
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return "", fmt.Errorf("-out %s: %w", f.dir, withoutPath(err))
	}
	probe, err := os.CreateTemp(f.dir, "bkesample-*.part")
	if err != nil {
		return "", fmt.Errorf("-out %s: %w", f.dir, withoutPath(err))
	}
	_ = probe.Close()
	return f.dir, os.Remove(probe.Name())
}

// owner is the command that left a summary in the folder, "" if none did.
func (f *Flags) owner() string {
	var left struct {
		Command string `json:"command"`
	}
	b, err := os.ReadFile(filepath.Join(f.dir, "summary.json"))
	if err != nil || json.Unmarshal(b, &left) != nil {
		return ""
	}
	return left.Command
}

// withoutPath takes from an error the name of a file that the message has already.
func withoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Print writes the results to standard output: the contents of summary.json, or as text.
func (f *Flags) Print(con *cli.Console, summary any, text func(io.Writer) error) error {
	switch {
	case f.quiet:
		return nil
	case f.format == "json":
		return writeJSON(con.Stdout, summary)
	}
	return text(con.Stdout)
}

// JSON is a file of v.
func JSON(name string, v any) File {
	return File{name, func(w io.Writer) error { return writeJSON(w, v) }}
}

// A file is one of those written, whole or not at all.
type File struct {
	Name string
	Fill func(io.Writer) error
}

// Write writes files, and removes those that an earlier run of the command may have left and
// this one does not write.
func Write(dir string, files []File, earlier ...string) error {
	written := map[string]bool{}
	for _, f := range files {
		if err := atomicfile.Write(filepath.Join(dir, f.Name), f.Fill); err != nil {
			return err
		}
		written[f.Name] = true
	}
	for _, name := range earlier {
		if written[name] {
			continue
		}
		err := os.Remove(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// writeJSON writes v, indented.
func writeJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
