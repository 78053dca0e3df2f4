package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"bayeskernel/cmd/bkesample/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(cli.Run(ctx, commands(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// purpose is what the man page says first.
const purpose = "learn kernels, and show where samples differ"

// commands lists what the program can do, the default first.
func commands() []cli.Command {
	return []cli.Command{sampleCommand(), learnCommand(), twoSampleCommand(), independenceCommand(),
		powerCommand(), causalCommand(), noveltyCommand(), embedCommand(), planCommand(),
		summarizeCommand(), mergeCommand(),
		schemaCommand(), cli.Completion(commands),
		cli.Manual(purpose, commands)}
}
