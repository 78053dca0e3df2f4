package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errHangup is why a context ended whose terminal has gone.
var errHangup = errors.New("the terminal has gone")

// ends are the signals that end a run: where hangups are ignored, as nohup has it, they stay so.
func ends() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// interruptible is a context that ends with the first such signal. A second interrupt ends the program at once; a
// second hangup does not, as shell and system both send one.
func interruptible(ctx context.Context) context.Context {
	ctx, end := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, ends()...)
	go func() {
		why := context.Canceled
		if s := <-signals; s == syscall.SIGHUP {
			why = errHangup
		}
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		end(why)
	}()
	return ctx
}

// Interrupted is the exit code of a run that ended with its context: as shells report a process that the signal ended.
func Interrupted(ctx context.Context) int {
	if ctx != nil && errors.Is(context.Cause(ctx), errHangup) {
		return ExitHungUp
	}
	return ExitInterrupted
}
