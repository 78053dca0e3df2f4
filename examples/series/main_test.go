package main

import (
	"context"
	"io"
	"testing"

	"bayeskernel/examples/internal/report"
	"bayeskernel/examples/internal/reporttest"
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return report.RunWorked(ctx, "series", args, stdout, stderr, fit)
}

// What the README says: the GARCH model forecasts better, and it alone has series like the data.
func TestRun(t *testing.T) {
	said := reporttest.Worked(t, run, "-chains 2 -warmup 200 -draws 200", "GARCH", "check",
		"forecast", "volatility")
	if order := reporttest.Find(`(?m)^ *(GARCH|constant) +-`, said); order != "GARCH constant" {
		t.Errorf("the models are in the order %q", order)
	}
	if v := reporttest.Number(t, `(?m)^ *constant +\S+ +-(\S+)`, said); !(v > 18 && v < 27) {
		t.Errorf("a constant variance loses %v", v)
	}
	if v := reporttest.Number(t, `GARCH: (\d+)%`, said); !(v > 30 && v < 60) {
		t.Errorf("%v%% of the series have squares as correlated as the data's", v)
	}
	if v := reporttest.Number(t, `constant: (\d+)%`, said); !(v <= 2) {
		t.Errorf("%v%% of the series with a constant variance do", v)
	}
}

func TestArguments(t *testing.T) {
	reporttest.Calls(t, run, []reporttest.Call{
		{Args: "-help", Stderr: "folder for the pictures"},
		{Args: "-draws -1", Code: 2, Stderr: "-draws"},
	})
}
