package frame

import (
	"context"
	"io"
)

// readNumbers reads a table of numbers.
func readNumbers(r io.Reader, source string, o Options) (*Frame, error) {
	o.Numbers = true
	return From(context.Background(), r, source, o)
}

// numbersIn reads the tables of numbers in files.
func numbersIn(paths []string, stdin io.Reader, o Options) (*Frame, error) {
	o.Numbers, o.Stdin = true, stdin
	return ReadAll(context.Background(), paths, o)
}

// typed reads a table of any kind.
func typed(r io.Reader, o Options) (*Frame, error) { return From(context.Background(), r, "f", o) }
