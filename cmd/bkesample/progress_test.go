package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"bayeskernel/cmd/internal/cli"
)

// What takes long is shown on a terminal: reading, learning and the test. Anywhere else, and with
// -quiet, nothing is.
func TestProgressIsShown(t *testing.T) {
	inFolder(t, map[string]string{"p.csv": normals(20000, 0), "q.csv": normals(3000, 1),
		"r.csv": normals(3000, 0)})
	for _, c := range []struct {
		args, steps string
	}{
		{"-iter 20 -chains 1 p.csv", "reading p.csv|learning kernel se with 10 pseudo-inputs|" +
			"interval of theta, about 250 passes over the rows|searching for modes|chain 1|comparing the samples"},
		{"learn p.csv", "reading p.csv|learning kernel se with 10 pseudo-inputs|learning kernel se " +
			"without the priors|integrating over the priors|interval of theta|profile over theta"},
		{"twosample -permutations 19 r.csv q.csv", "learn (|permute"},
		{"twosample -quiet -permutations 19 r.csv q.csv", ""},
	} {
		args := strings.Fields(c.args)
		var out, shown, stderr bytes.Buffer
		con := &cli.Console{Program: program(), Stdin: os.Stdin, Stdout: &out, Stderr: &stderr,
			Screen: &cli.Screen{W: &shown, Width: 80, Height: 24}}
		if code := con.Run(t.Context(), args); code != 0 {
			t.Fatalf("%s: exit %d: %s", c.args, code, &stderr)
		}
		if c.steps == "" && shown.Len() > 0 {
			t.Errorf("%s shows %q", c.args, &shown)
		}
		for _, step := range strings.Split(c.steps, "|") {
			if !strings.Contains(shown.String(), step) {
				t.Errorf("%s does not show %q, but %q", c.args, step, &shown)
			}
		}
	}
}
