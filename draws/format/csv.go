package format

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"bayeskernel/draws"
	"bayeskernel/draws/cmdstan"
)

// csv is CmdStan's format: draws_1.csv, draws_2.csv, …
type csv struct{ o Options }

const csvBase = "draws"

func (csv) Name() string { return "csv" }

func (f csv) Open(dir string, head *draws.Run, chain int) (Stream, error) {
	w, err := cmdstan.New(filepath.Join(dir, fmt.Sprintf("%s_%d.csv", csvBase, chain+1)), head, chain,
		f.options())
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (f csv) Write(dir string, run *draws.Run) error {
	_, err := cmdstan.Write(dir, csvBase, run, f.options())
	return err
}

func (f csv) options() cmdstan.Options { return cmdstan.Options{DigitBooleans: f.o.DigitBooleans} }

func (f csv) Owns(name string) bool { return f.parse(name) != nil }

// parse returns the number in the name of one of its files and what follows it, nil for others.
func (csv) parse(name string) []string {
	return regexp.MustCompile(`^` + csvBase + `_([1-9][0-9]*)\.csv(\.part)?$`).FindStringSubmatch(name)
}

func (f csv) Tidy(dir string, chains int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		m := f.parse(e.Name())
		if m == nil {
			continue
		}
		if k, err := strconv.Atoi(m[1]); err == nil && (k > chains || m[2] != "") {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
