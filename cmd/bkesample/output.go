package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"bayeskernel/internal/atomicfile"
)

// outputFlags say what is left behind.
type outputFlags struct {
	dir, format string
	quiet       bool
	command     string
}

// define gives every command a folder of its own, as each writes a summary.json and a figure; own
// defines more flags of the command.
func (f *outputFlags) define(s *flagSet, command string, own func()) {
	f.command = command
	dir := "bkesample-out"
	if command != "sample" {
		dir += "/" + command
	}
	s.group("Output")
	s.text(&f.dir, "out", dir, "the `folder` to write into, made if need be; it holds the results of "+
		"one command")
	s.choice(&f.format, "format", "text", []string{"text", "json"}, "`what` is printed: text, or "+
		"json, the contents of summary.json")
	if own != nil {
		own()
	}
	s.yes(&f.quiet, "quiet", "print nothing but errors")
	s.showVersion()
}

// hush shows no progress if none is wanted.
func (f *outputFlags) hush(con *console) {
	if f.quiet {
		con.screen = nil
	}
}

func (f *outputFlags) check(*flagSet) error {
	if f.dir == "" {
		return usagef("-out is empty, want the name of a folder")
	}
	return nil
}

// prepare makes the folder, and makes sure, before the work begins, that files can be written there
// and that those of another command are not.
func (f *outputFlags) prepare() (string, error) {
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
func (f *outputFlags) owner() string {
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

// print writes the results to standard output: the contents of summary.json, or as text.
func (f *outputFlags) print(con *console, summary any, text func(io.Writer) error) error {
	switch {
	case f.quiet:
		return nil
	case f.format == "json":
		return writeJSON(con.stdout, summary)
	}
	return text(con.stdout)
}

// jsonFile is a file of v.
func jsonFile(name string, v any) file {
	return file{name, func(w io.Writer) error { return writeJSON(w, v) }}
}

// A file is one of those written, whole or not at all.
type file struct {
	name string
	fill func(io.Writer) error
}

// writeFiles writes files, and removes those that an earlier run of the command may have left and
// this one does not write.
func writeFiles(dir string, files []file, earlier ...string) error {
	written := map[string]bool{}
	for _, f := range files {
		if err := atomicfile.Write(filepath.Join(dir, f.name), f.fill); err != nil {
			return err
		}
		written[f.name] = true
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
