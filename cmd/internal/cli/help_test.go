package cli

import (
	"bytes"
	"context"
	"errors"
	"testing"
)

// full is a device that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Help and version that cannot be written are a failure, in one line.
func TestHelpFails(t *testing.T) {
	p := &Program{Name: "p", Commands: []Command{{Name: "c", Flags: func(s *FlagSet) func(context.Context, *Console, []string) error {
		s.Group("Output")
		s.ShowVersion()
		return func(context.Context, *Console, []string) error { return nil }
	}}}}
	for _, args := range []string{"help", "-h", "-version"} {
		var errs, out bytes.Buffer
		if code := p.Run(t.Context(), []string{args}, nil, full{}, &errs); code != ExitFailed || errs.String() != "p: no space left on device\n" {
			t.Errorf("%s: exit %d, %q", args, code, &errs)
		}
		if code := p.Run(t.Context(), []string{args}, nil, &out, &errs); code != 0 || out.Len() == 0 {
			t.Errorf("%s: exit %d, %q", args, code, &out)
		}
	}
}
