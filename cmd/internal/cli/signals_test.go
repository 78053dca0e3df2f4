//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"
)

// A hangup ends a run as an interrupt does, with its own exit code, and a second one does not end the process; where
// hangups are ignored, as under nohup, they stay so.
func TestHangup(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("hangups are ignored here")
	}
	ctx := interruptible(t.Context())
	p := &Program{Name: "p", Commands: []Command{{Name: "c", Flags: func(*FlagSet) func(context.Context, *Console, []string) error {
		return func(ctx context.Context, _ *Console, _ []string) error {
			for range 2 {
				if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
					return err
				}
				select {
				case <-ctx.Done():
				case <-time.After(10 * time.Second):
					t.Error("the run goes on")
				}
			}
			return ctx.Err()
		}
	}}}}
	var errs bytes.Buffer
	if code := p.Run(ctx, nil, nil, new(bytes.Buffer), &errs); code != 129 || errs.String() != "p: interrupted, no file was written\n" {
		t.Errorf("exit %d, %q", code, &errs)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if code := Interrupted(ctx); code != 130 {
		t.Errorf("an interrupt exits with %d", code)
	}
	signal.Ignore(syscall.SIGHUP)
	if slices.Contains(ends(), os.Signal(syscall.SIGHUP)) {
		t.Error("an ignored hangup would end a run")
	}
}
