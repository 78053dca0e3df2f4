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
	dir, stanBool, format     string
	zarr, verify, sensitivity bool
	strict, quiet             bool
	command                   string
}

// define gives every command a folder of its own, as each writes a summary.json and a figure.
func (f *outputFlags) define(s *flagSet, command string) {
	f.command = command
	sampling, dir := command == "sample", "bkesample-out"
	if !sampling {
		dir += "/" + command
	}
	s.group("Output")
	s.text(&f.dir, "out", dir, "the `folder` to write into, made if need be; it holds the results of "+
		"one command")
	s.choice(&f.format, "format", "text", []string{"text", "json"}, "`what` is printed: text, or "+
		"json, the contents of summary.json")
	if sampling {
		s.yes(&f.zarr, "zarr", "write the draws as a Zarr folder too, for ArviZ and xarray")
		s.choice(&f.stanBool, "stan-bool", "word", []string{"word", "digit"}, "`how` draws_N.csv "+
			"spells true: word, as CmdStan does, or digit, as rstan 2.21 needs it")
		s.yes(&f.verify, "verify", "compare the draws with the exact posterior given these "+
			"pseudo-inputs, by quadrature")
		s.yes(&f.sensitivity, "sensitivity", "repeat the learning with other pseudo-inputs and "+
			"priors, and show how much theta and the verdict move")
		s.yes(&f.strict, "strict", "exit with code 3 if the diagnostics of the draws are bad")
	}
	s.yes(&f.quiet, "quiet", "print nothing but errors")
	s.BoolVar(&s.version, "version", false, "print the version")
	s.added("version")
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

// print writes the results to standard output.
func (f *outputFlags) print(con *console, r *report) error {
	switch {
	case f.quiet:
		return nil
	case f.format == "json":
		return writeJSON(con.stdout, r.summary)
	}
	return r.text(con.stdout)
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
