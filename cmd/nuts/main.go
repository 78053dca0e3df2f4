// Command nuts fits regressions from a formula and runs programs in the Stan language.
//
//	nuts fit 'y ~ x + (1 | g)' data.csv   a regression; draws go to nuts-out/fit
//	nuts model.stan data.json      samples; draws go to nuts-out/ as CmdStan's files
//	nuts check model.stan          reads a program and says what is wrong
//	nuts log-density model.stan [data.json] points.json
//	nuts exe model.stan            an executable that is called as CmdStan's are
//	nuts predict run [new.csv]     new rows for a fit; generated quantities for a program
//	nuts loo run                   how well a run predicts rows that it has not seen
//	nuts compare run run ...       which run predicts better
//	nuts thin run                  few draws that stand for a run
//	nuts prior 'y ~ x' data.csv    what the priors of a regression say
//	nuts sbc 'y ~ x' data.csv      whether its intervals are as sure as they say
package main

import (
	"os"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/cmd/internal/report"
	"bayeskernel/cmd/nuts/internal/check"
	"bayeskernel/cmd/nuts/internal/compare"
	"bayeskernel/cmd/nuts/internal/exe"
	"bayeskernel/cmd/nuts/internal/fit"
	"bayeskernel/cmd/nuts/internal/leaveout"
	"bayeskernel/cmd/nuts/internal/logdensity"
	"bayeskernel/cmd/nuts/internal/merge"
	"bayeskernel/cmd/nuts/internal/predict"
	"bayeskernel/cmd/nuts/internal/prior"
	"bayeskernel/cmd/nuts/internal/sample"
	"bayeskernel/cmd/nuts/internal/sbc"
	"bayeskernel/cmd/nuts/internal/thin"
)

func main() {
	ctx := cli.Start("nuts")
	if code, ok := exe.Carried(ctx, os.Args[1:], os.Stdout, os.Stderr); ok {
		os.Exit(code)
	}
	os.Exit(program().Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// program lists what can be done, the default first.
func program() *cli.Program {
	p := &cli.Program{Name: "nuts", Purpose: "fit regressions from a formula, and sample from programs in the Stan language",
		Commands: []cli.Command{sample.Command(), fit.Command(), check.Command(), logdensity.Command(),
			exe.Command(), predict.Command(), leaveout.Command(), compare.Command(), thin.Command(), prior.Command(), sbc.Command(), merge.Command()}}
	p.Commands = append(p.Commands, report.Schema(p), cli.Completion(p), cli.Manual(p))
	return p
}
