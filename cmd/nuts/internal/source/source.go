// Package source reads programs and data for the commands of nuts.
package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/stan"
	"bayeskernel/stan/syntax"
)

// Program reads a program; what is wrong with it is shown with its lines.
func Program(path string) (*stan.Program, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := stan.Parse(string(b))
	var errs syntax.Errors
	if errors.As(err, &errs) {
		return nil, errors.New(Shown(path, string(b), errs))
	}
	return p, err
}

// Shown writes errors as people read them.
func Shown(path, src string, errs []syntax.Error) string {
	var out []string
	for _, e := range errs {
		out = append(out, syntax.Show(path, src, e))
	}
	return strings.Join(out, "\n")
}

// JSON reads a file, unpacked if its name ends with .gz.
func JSON(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return b, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if b, err = io.ReadAll(z); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// Bind reads a program and its data; without a file there are none.
func Bind(con *cli.Console, program, data string, o stan.Options) (*stan.Model, error) {
	p, err := Program(program)
	if err != nil {
		return nil, err
	}
	d := stan.Data{}
	if data != "" {
		b, err := JSON(data)
		if err != nil {
			return nil, err
		}
		if d, err = stan.ParseData(b); err != nil {
			return nil, fmt.Errorf("%s: %w", data, err)
		}
	}
	o.Print = func(s string) { fmt.Fprintln(con.Stderr, s) }
	m, err := p.Bind(d, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return m, nil
}
