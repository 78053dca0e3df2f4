// Conditional measures the level and the power of tests of conditional independence: on six laws of
// X, Y and Z, the share of data sets on which each test rejects at levels 0.05 and 0.01.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s report.Study
	var only string
	f := flag.NewFlagSet("conditional", flag.ContinueOnError)
	f.SetOutput(stderr)
	s.Define(f)
	f.StringVar(&only, "methods", "", "the methods to use, with commas between; empty means all")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if f.NArg() > 0 || s.Sets < 0 {
		fmt.Fprintln(stderr, "conditional: want -sets not negative, and no other arguments")
		return 2
	}
	use, err := choose(only)
	if err != nil {
		fmt.Fprintf(stderr, "conditional: %v\n", err)
		return 2
	}
	if err := measureAll(ctx, s, use, stdout); err != nil {
		fmt.Fprintf(stderr, "conditional: %v\n", err)
		return 1
	}
	return 0
}

// choose returns the methods with these names.
func choose(names string) ([]method, error) {
	if names == "" {
		return methods(), nil
	}
	var use []method
	for _, name := range strings.Split(names, ",") {
		found := false
		for _, m := range methods() {
			if m.name == strings.TrimSpace(name) {
				use, found = append(use, m), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no method %q", name)
		}
	}
	return use, nil
}
