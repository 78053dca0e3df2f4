package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// A line says what is being done and how far it is, fits the screen, and is gone at the end.
func TestStatus(t *testing.T) {
	var b bytes.Buffer
	s := newStatus(&screen{w: &b, width: 24}, "reading a file of a long name")
	s.step("permute", 3, 10)
	s.end()
	got := b.String()
	if !strings.HasPrefix(got, "\rreading a file of… (0s)\x1b[K") ||
		!strings.Contains(got, "\rpermute: 30% (0s)\x1b[K") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("shown: %q", got)
	}
	b.Reset()
	newStatus(&screen{w: &b, width: 80, patience: time.Hour}, "something quick").end()
	if b.Len() > 0 {
		t.Errorf("a step that is quick shows %q", &b)
	}
}

// What takes long is shown on a terminal: reading, learning and the test. Anywhere else, and with
// -quiet, nothing is.
func TestProgressIsShown(t *testing.T) {
	inFolder(t, map[string]string{"p.csv": normals(20000, 0), "q.csv": normals(3000, 1),
		"r.csv": normals(3000, 0)})
	for _, c := range []struct {
		args, steps string
	}{
		{"-iter 20 -chains 1 p.csv", "reading p.csv|learning kernel se with 10 pseudo-inputs|" +
			"interval of theta, about 250 passes over the rows|searching for modes|chain 1|witness of "},
		{"learn p.csv", "reading p.csv|learning kernel se with 10 pseudo-inputs|learning kernel se " +
			"without the priors|integrating over the priors|interval of theta|profile over theta"},
		{"twosample -permutations 19 r.csv q.csv", "learn (|witness of the test"},
		{"twosample -quiet -permutations 19 r.csv q.csv", ""},
	} {
		args := strings.Fields(c.args)
		cmd := commands()[0]
		for _, other := range commands()[1:] {
			if args[0] == other.name {
				cmd, args = other, args[1:]
			}
		}
		var out, shown, stderr bytes.Buffer
		con := &console{stdin: os.Stdin, stdout: &out, stderr: &stderr, args: args,
			screen: &screen{w: &shown, width: 80, height: 24}}
		set := newFlagSet(cmd)
		do := cmd.flags(set)
		files, err := set.parse(args)
		if err == nil {
			err = do(t.Context(), con, files)
		}
		if err != nil {
			t.Fatalf("%s: %v", c.args, err)
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
	if newScreen(&bytes.Buffer{}) != nil {
		t.Error("a buffer is taken for a terminal")
	}
}
