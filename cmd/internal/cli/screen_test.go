package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

// A line says what is being done and how far it is, fits the screen, and is gone at the end.
func TestStatus(t *testing.T) {
	var b bytes.Buffer
	s := newStatus(&Screen{W: &b, Name: "bkesample", Width: 24}, "reading a file of a long name")
	s.Step("permute", 3, 10)
	s.End()
	got := b.String()
	if !strings.HasPrefix(got, "\rreading a file of… (0s)\x1b[K") ||
		!strings.Contains(got, "\rpermute: 30% (0s)\x1b[K") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("shown: %q", got)
	}
	b.Reset()
	newStatus(&Screen{W: &b, Name: "bkesample", Width: 80, patience: time.Hour}, "something quick").End()
	if b.Len() > 0 {
		t.Errorf("a step that is quick shows %q", &b)
	}
	// What is no terminal gets whole lines.
	s = newStatus(&Screen{W: &b, Name: "bkesample"}, "sampling")
	s.Step("tuning", 1, 4)
	s.End()
	if got := b.String(); got != "bkesample: sampling (0s)\n" {
		t.Errorf("written: %q", got)
	}
	if newScreen(&b, "bkesample").Width != 0 {
		t.Error("a buffer is taken for a terminal")
	}
}

// What is left is estimated from what was done since the step was first heard of.
func TestStepLeft(t *testing.T) {
	s := &Status{screen: &Screen{W: io.Discard}}
	s.StepLeft("halves", 135, 200)
	s.since = s.since.Add(-10 * time.Second)
	s.StepLeft("halves", 145, 200)
	if want := "halves: 72%, about 55s left"; s.what != want {
		t.Errorf("%q, want %q", s.what, want)
	}
	(*Status)(nil).StepLeft("nothing", 1, 2)
}
