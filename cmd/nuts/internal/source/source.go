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
	"bayeskernel/stan/record"
	"bayeskernel/stan/syntax"
)

// Program reads a program; what is wrong with it is shown on the console with its lines.
func Program(con *cli.Console, path string) (*stan.Program, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parsed(con, path, string(b))
}

func parsed(con *cli.Console, name, text string) (*stan.Program, error) {
	p, err := stan.Parse(text)
	var errs syntax.Errors
	if errors.As(err, &errs) {
		return nil, shown(con, name, text, errs)
	}
	return p, err
}

// shown writes errors as people read them, and returns how many there are.
func shown(con *cli.Console, path, src string, errs []syntax.Error) error {
	for _, e := range errs {
		fmt.Fprintln(con.Stderr, syntax.Show(path, src, e))
	}
	return fmt.Errorf("%s: %s", path, cli.Plural(len(errs), "mistake"))
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
func Bind(con *cli.Console, file, data string, o stan.Options) (*stan.Model, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return BindText(con, file, string(b), data, o)
}

// BindText is Bind for the text of a program that is called name.
func BindText(con *cli.Console, name, text, data string, o stan.Options) (*stan.Model, error) {
	p, err := parsed(con, name, text)
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
	var at *record.Error
	if errors.As(err, &at) {
		return nil, shown(con, name, text, []syntax.Error{{Pos: at.Pos, Message: at.Err.Error()}})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}
