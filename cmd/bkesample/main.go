package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDiagnostics = 3   // done, but the diagnostics are bad and -strict was given
	exitInterrupted = 130 // as shells report a process that was interrupted
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(run(ctx, commands(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// command is one of the things that the program does.
type command struct {
	name    string
	args    string // after the flags
	summary string
	about   string // for its help
	flags   func(*flagSet) (do func(context.Context, *console, []string) error)
}

// commands lists what the program can do, the default first.
func commands() []command {
	return []command{sampleCommand(), learnCommand(), twoSampleCommand(), independenceCommand()}
}

// console is where a command reads and writes.
type console struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	args           []string // as the user typed them, for messages that repeat the command
	screen         *screen  // for what is being done; nil for none
}

// again is the command as it was typed, without some of its flags, ready to be pasted; first are
// words to put before the others.
func (c *console) again(first []string, but ...string) string {
	words, args := []string{"bkesample"}, c.args
	if len(args) > 0 && args[0] == "sample" {
		words, args = append(words, "sample"), args[1:]
	}
	for _, a := range slices.Concat(first, without(args, but...)) {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

// warn writes a line that is neither a result nor the end of the program.
func (c *console) warn(format string, args ...any) {
	fmt.Fprintf(c.stderr, "bkesample: "+format+"\n", args...)
}

// run is the program of some commands, the first its default, but for the process around it; it
// returns the exit code.
func run(ctx context.Context, all []command, args []string, stdin io.Reader, stdout,
	stderr io.Writer) int {
	con := &console{stdin: stdin, stdout: stdout, stderr: stderr, args: args,
		screen: newScreen(stderr)}
	cmd, rest := all[0], args
	if len(args) > 0 {
		switch args[0] {
		case "help":
			printHelp(stdout, all, cmd)
			return exitDone
		default:
			for _, c := range all {
				if args[0] == c.name {
					cmd, rest = c, args[1:]
				}
			}
		}
	}
	set := newFlagSet(cmd)
	do := cmd.flags(set)
	files, err := set.parse(rest)
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(stdout, all, cmd)
		return exitDone
	case err != nil:
	case set.version:
		fmt.Fprintln(stdout, version())
		return exitDone
	default:
		err = do(ctx, con, files)
	}
	return con.exit(cmd, err)
}

// exit turns the error that a command ended with into one line and an exit code.
func (c *console) exit(cmd command, err error) int {
	if err == nil {
		return exitDone
	}
	code := exitFailed
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		code = exitUsage
		name := "bkesample"
		if cmd.name != "sample" {
			name += " " + cmd.name
		}
		fmt.Fprintf(c.stderr, "bkesample: %s (%s -h lists the flags)\n", oneLine(err), name)
		return code
	case errors.Is(err, errDiagnostics):
		code = exitDiagnostics
	case errors.Is(err, context.Canceled):
		code = exitInterrupted
		if r := (*resumable)(nil); !errors.As(err, &r) {
			fmt.Fprintf(c.stderr, "bkesample: interrupted, no file was written (%s)\n", oneLine(err))
			return code
		}
	}
	fmt.Fprintf(c.stderr, "bkesample: %s\n", oneLine(err))
	return code
}

// oneLine makes an error of a library fit for a person: one line, without the library's name.
func oneLine(err error) string {
	return withoutPackages(strings.Join(strings.Fields(err.Error()), " "))
}

var packages = regexp.MustCompile(`(^|\(|: )(?:(?:bke|inputs|target|quadrature|hmc|nuts|draws|` +
	`modes|model|priors|kernels|kerneltest|statistic|embedding|atomicfile|figure): )+`)

// withoutPackages takes out the names of packages that errors begin with.
func withoutPackages(s string) string { return packages.ReplaceAllString(s, "$1") }

// errDiagnostics ends a run that is done but not to be trusted, with -strict.
var errDiagnostics = errors.New("the diagnostics are bad (exit code 3 because of -strict)")

// usageError is a wrong use of the program.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}
