// Package report is what the example programs share: their flags, and a table of a run beside
// moments known from elsewhere.
package report

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"bayeskernel/nuts"
)

// Body is what an example does: it samples as cfg says until it is done or ctx ends, and writes its
// results to out.
type Body func(ctx context.Context, cfg nuts.Config, out io.Writer) error

// Main runs body with settings from the command line and exits. An interrupt ends ctx.
func Main(name string, body Body) {
	Program(func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		return Run(ctx, name, args, stdout, stderr, body)
	})
}

// Program runs an example with the arguments of the command line and exits with the code it
// returns. An interrupt ends ctx; a second one ends the program at once.
func Program(run func(ctx context.Context, args []string, stdout, stderr io.Writer) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Run runs body with settings from args and returns the exit code: 1 if body fails, 2 if args are
// wrong.
func Run(ctx context.Context, name string, args []string, stdout, stderr io.Writer, body Body) int {
	return run(ctx, name, args, stdout, stderr, func(*flag.FlagSet) {}, body)
}

// run is Run with more flags.
func run(ctx context.Context, name string, args []string, stdout, stderr io.Writer,
	define func(*flag.FlagSet), body Body) int {
	var cfg nuts.Config
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	define(f)
	f.SetOutput(stderr)
	f.IntVar(&cfg.Chains, "chains", 4, "number of chains")
	f.IntVar(&cfg.Warmup, "warmup", 1000, "transitions of warm-up per chain")
	f.IntVar(&cfg.Draws, "draws", 1000, "draws per chain after warm-up")
	f.Uint64Var(&cfg.Seed, "seed", 1, "seed of the random numbers")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	switch {
	case f.NArg() > 0:
		fmt.Fprintf(stderr, "%s: unexpected argument %q\n", name, f.Arg(0))
		return 2
	case cfg.Chains < 1 || cfg.Warmup < 1 || cfg.Draws < 1:
		fmt.Fprintf(stderr, "%s: -chains, -warmup and -draws are %d, %d and %d, want them positive\n",
			name, cfg.Chains, cfg.Warmup, cfg.Draws)
		return 2
	}
	if err := body(ctx, cfg, stdout); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}
