// Package cli holds what every command of a program needs: flags and their help, the console,
// progress, exit codes, and words. It does not depend on what is computed.
//
// A [Program] lists its commands, the default first. Their flags determine the help, the completion
// and the man page.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// The exit codes.
const (
	exitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitDiagnostics = 3   // done, but the diagnostics are bad and -strict was given
	ExitRejected    = 4   // done, and a null hypothesis was rejected, with -exit-code
	ExitHungUp      = 129 // as shells report a process whose terminal has gone
	ExitInterrupted = 130 // or that was interrupted
)

// Program is a name and a list of commands.
type Program struct {
	Name     string
	Purpose  string    // what the man page says first
	Commands []Command // the default first
}

// Command is one command of a program.
type Command struct {
	Name    string
	Args    string   // after the flags
	Words   []string // that can follow it beside flags and files, for completion
	Summary string
	About   string // for its help
	Flags   func(*FlagSet) (do func(context.Context, *Console, []string) error)
	Records []Record // what it writes for other programs
}

// Record is a kind of JSON that commands write, for its schema.
type Record struct {
	Name     string // of the schema
	Of       any    // a value of the type that is written
	About    string
	Commands []string // those that write it
	File     string   // its file, if that is not summary.json
}

// Console is where a command reads and writes.
type Console struct {
	Program        *Program
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	args           []string        // as the user typed them, for messages that repeat the command
	ctx            context.Context // of the run
	memory         int64           // that the run may use, 0 for any
	attention
	tables int64   // bytes of the tables that were read
	Screen *Screen // for what is being done; nil for none
	Quiet  bool    // no warnings
}

// Args are the arguments that the user typed.
func (c *Console) Args() []string { return c.args }

// Context ends when the run is to end.
func (c *Console) Context() context.Context {
	if c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}

// Warn writes a line to standard error that neither is a result nor ends the program.
func (c *Console) Warn(format string, args ...any) {
	if !c.Quiet {
		fmt.Fprintf(c.Stderr, "%s: %s\n", c.Program.Name, Visible(fmt.Sprintf(format, args...)))
	}
}

// Run runs the command that the arguments name and returns the exit code.
func (p *Program) Run(ctx context.Context, args []string, stdin io.Reader, stdout,
	stderr io.Writer) int {
	con := &Console{Program: p, Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Screen: newScreen(stderr, p.Name)}
	return con.Run(ctx, args)
}

// Run is Program.Run on a console.
func (c *Console) Run(ctx context.Context, args []string) int {
	c.args, c.ctx = args, ctx
	cmd, rest, err := c.Program.choose(args)
	set := c.Program.newFlagSet(cmd)
	do := cmd.Flags(set)
	var files []string
	if err == nil {
		files, err = set.parse(rest, c.Program)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		var text strings.Builder
		c.Program.printHelp(&text, cmd)
		_, err = io.WriteString(c.Stdout, text.String())
	case err != nil:
	case set.version:
		_, err = fmt.Fprintln(c.Stdout, c.Program.Version())
	default:
		c.memory = memory(set.memory, set.Given("max-memory"))
		err = c.attend(ctx, func() error { return do(ctx, c, files) })
	}
	return c.exit(cmd, err)
}

// choose finds the command that the first argument names, or else the default.
func (p *Program) choose(args []string) (Command, []string, error) {
	all := p.Commands
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
	_, err := os.Stat(args[0])
	switch {
	case err != nil && near != "":
		return all[0], nil, Usagef("unknown command %s: did you mean %s?", args[0], near)
	case err != nil && len(args) > 1 && strings.Trim(args[0], "abcdefghijklmnopqrstuvwxyz-") == "":
		return all[0], nil, Usagef("unknown command %s", args[0])
	}
	return all[0], args, nil
}

// exit prints the error that ended a command and returns the exit code. The error is one line, or
// several if several things are wrong with files.
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
		fmt.Fprintf(c.Stderr, "%s: %s (%s -h lists the flags)\n", c.Program.Name, Visible(brief(OneLine(err))),
			c.Program.title(cmd))
		return code
	case errors.Is(err, ErrDiagnostics):
		code = ExitDiagnostics
	case errors.Is(err, context.Canceled):
		code = Interrupted(c.ctx)
		if r := (*Resumable)(nil); !errors.As(err, &r) {
			fmt.Fprintln(c.Stderr, c.Program.Name+": interrupted, no file was written")
			return code
		}
	}
	for _, line := range lines(err) {
		if r := (*Resumable)(nil); !errors.As(err, &r) && refusal == nil {
			line = brief(line) // the others may end with a command
		}
		fmt.Fprintf(c.Stderr, "%s: %s\n", c.Program.Name, Visible(line))
	}
	return code
}

// Working shows on the user's terminal what is going on, until end is called.
func (c *Console) Working(format string, args ...any) *Status {
	if c.Screen == nil {
		return nil
	}
	return newStatus(c.Screen, fmt.Sprintf(format, args...))
}
