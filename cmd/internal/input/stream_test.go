package input

import (
	"errors"
	"strings"
	"testing"

	"bayeskernel/frame"
)

// Text among amounts ends a pass; among numbers that may be names, and where missing values are kept, all rows are looked at.
func TestFinal(t *testing.T) {
	wrong := func(text string) error { return &frame.Problems{First: []error{errors.New(text)}} }
	const oops = `a.csv: line 9, column "x": "oops" is not a number`
	for _, c := range []struct {
		head string
		skip bool
		err  error
		want string
	}{
		{"x\n1.5\n2\n", true, wrong(oops), oops + "; -categories takes the values of a column for names"},
		{"x\n100\n2\n", true, wrong("a.csv: line 9: found 3 fields, expected 1"), "a.csv: line 9: found 3 fields, expected 1"},
		{"x\n1\n2\n", true, wrong(oops), ""},
		{"x\n1.5\n2\n", false, wrong(oops), ""},
		{"x\n1.5\n2\n", true, errors.New("had 10 rows"), ""},
	} {
		head, err := frame.From(t.Context(), strings.NewReader(c.head), "a.csv", frame.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := &Streamed{Skip: c.skip, heads: []*frame.Frame{head}}
		got := ""
		if err := s.Final(c.err); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.head, got, c.want)
		}
	}
}
