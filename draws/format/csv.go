package format

import (
	"fmt"
	"path/filepath"

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

func (f csv) options() cmdstan.Options { return cmdstan.Options{WordBooleans: f.o.WordBooleans} }

func (csv) Files(chains int) []string {
	var names []string
	for k := range chains {
		names = append(names, fmt.Sprintf("%s_%d.csv", csvBase, k+1))
	}
	return names
}
