// Package cli is the part of the program that any command needs: flags and their help, the console,
// what is shown while the user waits, exit codes, and words. It knows nothing of what is computed.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// The exit codes.
const (
	exitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitDiagnostics = 3   // done, but the diagnostics are bad and -strict was given
	ExitInterrupted = 130 // as shells report a process that was interrupted
)

// Command is one of the things that the program does.
type Command struct {
	Name    string
	Args    string // after the flags
	Summary string
	About   string // for its help
	Flags   func(*FlagSet) (do func(context.Context, *Console, []string) error)
}

// Console is where a command reads and writes.
type Console struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	args           []string // as the user typed them, for messages that repeat the command
	Screen         *Screen  // for what is being done; nil for none
}

// Args are the arguments that the user typed.
func (c *Console) Args() []string { return c.args }

// Warn writes a line that is neither a result nor the end of the program.
func (c *Console) Warn(format string, args ...any) {
	fmt.Fprintf(c.Stderr, "bkesample: "+format+"\n", args...)
}

// Run is the program of some commands, the first its default, but for the process around it; it
// returns the exit code.
func Run(ctx context.Context, all []Command, args []string, stdin io.Reader, stdout,
	stderr io.Writer) int {
	con := &Console{Stdin: stdin, Stdout: stdout, Stderr: stderr, Screen: newScreen(stderr)}
	return con.Run(ctx, all, args)
}

// Run is the same on a console.
func (c *Console) Run(ctx context.Context, all []Command, args []string) int {
	c.args = args
	cmd, rest := all[0], args
	if len(args) > 0 {
		switch args[0] {
		case "help":
			printHelp(c.Stdout, all, cmd)
			return exitDone
		default:
			for _, other := range all {
				if args[0] == other.Name {
					cmd, rest = other, args[1:]
				}
			}
		}
	}
	set := newFlagSet(cmd)
	do := cmd.Flags(set)
	files, err := set.parse(rest)
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(c.Stdout, all, cmd)
		return exitDone
	case err != nil:
	case set.version:
		fmt.Fprintln(c.Stdout, Version())
		return exitDone
	default:
		err = do(ctx, c, files)
	}
	return c.exit(cmd, err)
}

// exit turns the error that a command ended with into one line and an exit code.
func (c *Console) exit(cmd Command, err error) int {
	if err == nil {
		return exitDone
	}
	code := ExitFailed
	var usage *UsageError
	var refusal *Refusal
	switch {
	case errors.As(err, &refusal):
		code = ExitUsage
	case errors.As(err, &usage):
		code = ExitUsage
		name := "bkesample"
		if cmd.Name != "sample" {
			name += " " + cmd.Name
		}
		fmt.Fprintf(c.Stderr, "bkesample: %s (%s -h lists the flags)\n", OneLine(err), name)
		return code
	case errors.Is(err, ErrDiagnostics):
		code = ExitDiagnostics
	case errors.Is(err, context.Canceled):
		code = ExitInterrupted
		if r := (*Resumable)(nil); !errors.As(err, &r) {
			fmt.Fprintf(c.Stderr, "bkesample: interrupted, no file was written (%s)\n", OneLine(err))
			return code
		}
	}
	fmt.Fprintf(c.Stderr, "bkesample: %s\n", OneLine(err))
	return code
}

// Working shows on the user's terminal what is being done, until end is called.
func (c *Console) Working(format string, args ...any) *Status {
	if c.Screen == nil {
		return nil
	}
	return newStatus(c.Screen, fmt.Sprintf(format, args...))
}
