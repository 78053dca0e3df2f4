package main

import (
	"context"
	"io"
	"testing"

	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/internal/reporttest"
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return report.RunWorked(ctx, "radon", args, stdout, stderr, fit)
}

// The order of the models, which lie 5 standard errors apart, and what the README says of them.
func TestRun(t *testing.T) {
	said := reporttest.Worked(t, run, "-chains 2 -warmup 300 -draws 300",
		"The partially pooled model predicts best", "check", "pooling", "shrinkage")
	order := reporttest.Find(`(?m)^ *(partially pooled|unpooled|pooled) +-`, said)
	if order != "partially pooled unpooled pooled" {
		t.Errorf("the models are in the order %q", order)
	}
	// 91 of the bins, and a difference of 58 with a standard error of 11 that hardly depend on the run.
	if v := reporttest.Number(t, `intervals hold (\d+)%`, said); !(v >= 80) {
		t.Errorf("the predictive intervals hold %v%% of the bins", v)
	}
	if v := reporttest.Number(t, `(?m)^ *pooled +\S+ +-(\S+)`, said); !(v > 50 && v < 66) {
		t.Errorf("complete pooling loses %v", v)
	}
}

func TestArguments(t *testing.T) {
	reporttest.Calls(t, run, []reporttest.Call{
		{Args: "-help", Stderr: "folder for the pictures"},
		{Args: "-draws -1", Code: 2, Stderr: "-draws"},
	})
}
