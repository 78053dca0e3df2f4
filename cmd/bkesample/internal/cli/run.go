// Package cli is the part of the program that any command needs: flags and their help, the console,
// what is shown while the user waits, exit codes, and words. It knows nothing of what is computed.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// The exit codes.
const (
	exitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitDiagnostics = 3   // done, but the diagnostics are bad and -strict was given
	ExitRejected    = 4   // done, and a null hypothesis was rejected, with -exit-code
	ExitInterrupted = 130 // as shells report a process that was interrupted
)

// Command is one of the things that the program does.
type Command struct {
	Name    string
	Args    string   // after the flags
	Words   []string // that can follow it beside flags and files, for completion
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
	Quiet          bool     // no warnings
}

// Args are the arguments that the user typed.
func (c *Console) Args() []string { return c.args }

// Warn writes a line that is neither a result nor the end of the program.
func (c *Console) Warn(format string, args ...any) {
	if !c.Quiet {
		fmt.Fprintf(c.Stderr, "bkesample: "+format+"\n", args...)
	}
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
	cmd, rest, err := choose(all, args)
	set := newFlagSet(cmd)
	do := cmd.Flags(set)
	var files []string
	if err == nil {
		files, err = set.parse(rest, all)
	}
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

// choose finds the command that the first argument names; without one it is the first.
func choose(all []Command, args []string) (Command, []string, error) {
	if len(args) == 0 || args[0] == "" || args[0][0] == '-' {
		return all[0], args, nil
	}
	if args[0] == "help" {
		return all[0], nil, flag.ErrHelp
	}
	var names []string
	for _, c := range all {
		if args[0] == c.Name {
			return c, args[1:], nil
		}
		names = append(names, c.Name)
	}
	near := nearest(args[0], names)
	if _, err := os.Stat(args[0]); err == nil || near == "" {
		return all[0], args, nil
	}
	return all[0], nil, Usagef("unknown command %s: did you mean %s?", args[0], near)
}

// exit turns the error that a command ended with into one line, or more if there is more than one
// thing wrong with files, and an exit code.
func (c *Console) exit(cmd Command, err error) int {
	if err == nil {
		return exitDone
	}
	code := ExitFailed
	var usage *UsageError
	var refusal *Refusal
	switch {
	case errors.Is(err, ErrRejected):
		return ExitRejected
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
			fmt.Fprintln(c.Stderr, "bkesample: interrupted, no file was written")
			return code
		}
	}
	for _, line := range lines(err) {
		fmt.Fprintf(c.Stderr, "bkesample: %s\n", line)
	}
	return code
}

// Working shows on the user's terminal what is being done, until end is called.
func (c *Console) Working(format string, args ...any) *Status {
	if c.Screen == nil {
		return nil
	}
	return newStatus(c.Screen, fmt.Sprintf(format, args...))
}
