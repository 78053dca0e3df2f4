// Package source reads programs and data for the commands of nuts.
package source

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/hmc"
	"bayeskernel/stan"
	"bayeskernel/stan/record"
	"bayeskernel/stan/syntax"
)

// Program reads a program; what is wrong with it is shown on the console with its lines.
func Program(con *cli.Console, path string) (*stan.Program, *Text, error) {
	t, err := Read(path)
	if err != nil {
		return nil, nil, err
	}
	p, err := t.parsed(con)
	return p, t, err
}

func (t *Text) parsed(con *cli.Console) (*stan.Program, error) {
	p, err := stan.Parse(t.Source)
	var errs syntax.Errors
	if errors.As(err, &errs) {
		return nil, t.shown(con, errs)
	}
	return p, err
}

// shown writes errors as people read them, and returns how many there are.
func (t *Text) shown(con *cli.Console, errs []syntax.Error) error {
	for _, e := range errs {
		fmt.Fprintln(con.Stderr, cli.Visible(t.show(e)))
	}
	return fmt.Errorf("%s: %s", t.Name, cli.Plural(len(errs), "mistake"))
}

// Unstarted shows the place of the program for which chains found no point to start from, if it is the same for all
// points that were tried, and says so in the place of err.
func (t *Text) Unstarted(con *cli.Console, m *stan.Model, err error) error {
	var start *hmc.StartError
	if !errors.As(err, &start) || !start.One {
		return err
	}
	target, e := m.Target()
	if e != nil {
		return err
	}
	why, ok := target.(interface{ Why([]float64) error })
	var at *record.Error
	if !ok || !errors.As(why.Why(start.Last), &at) {
		return err
	}
	fmt.Fprintln(con.Stderr, cli.Visible(t.show(syntax.Error{Pos: at.Pos, Message: at.Err.Error()})))
	return fmt.Errorf("%s: no point to start from: this was so at all %d that were tried, %s", t.Name, start.Tries, start.From)
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
func Bind(con *cli.Console, file, data string, o stan.Options) (*stan.Model, *Text, error) {
	t, err := Read(file)
	if err != nil {
		return nil, nil, err
	}
	m, err := t.Bind(con, data, o)
	return m, t, err
}

// Bind reads the data of a program.
func (t *Text) Bind(con *cli.Console, data string, o stan.Options) (*stan.Model, error) {
	p, err := t.parsed(con)
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
	o.Print = func(s string) { fmt.Fprintln(con.Stderr, cli.Visible(s)) }
	m, err := p.Bind(d, o)
	var at *record.Error
	if errors.As(err, &at) {
		return nil, t.shown(con, []syntax.Error{{Pos: at.Pos, Message: at.Err.Error()}})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	return m, nil
}

// Identity names a program together with its data: a run is resumed on the same ones only.
func Identity(program []byte, data string) string {
	h := sha256.New()
	h.Write(program)
	if b, err := os.ReadFile(data); data != "" && err == nil {
		h.Write([]byte{0})
		h.Write(b)
	}
	return fmt.Sprintf("stan %x", h.Sum(nil)[:12])
}
