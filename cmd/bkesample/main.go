package main

import (
	"os"

	"bayeskernel/cmd/bkesample/internal/bags"
	"bayeskernel/cmd/bkesample/internal/causal"
	"bayeskernel/cmd/bkesample/internal/embed"
	"bayeskernel/cmd/bkesample/internal/independence"
	"bayeskernel/cmd/bkesample/internal/learn"
	"bayeskernel/cmd/bkesample/internal/novelty"
	"bayeskernel/cmd/bkesample/internal/power"
	"bayeskernel/cmd/bkesample/internal/sample"
	"bayeskernel/cmd/bkesample/internal/shards"
	"bayeskernel/cmd/bkesample/internal/twosample"
	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
)

func main() {
	ctx := cli.Start("bkesample")
	os.Exit(program().Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// program lists what can be done, the default first.
func program() *cli.Program {
	p := &cli.Program{Name: "bkesample", Purpose: "learn kernels, and show where samples differ",
		Commands: []cli.Command{
			sample.Command(),
			learn.Command(),
			twosample.Command(),
			independence.Command(),
			power.Command(),
			causal.Command(),
			novelty.Command(),
			embed.Command(),
			bags.Command(),
			shards.Plan(),
			shards.Summarize(),
			shards.Merge(),
		}}
	p.Commands = append(p.Commands, report.Schema(p), cli.Completion(p), cli.Manual(p))
	return p
}
