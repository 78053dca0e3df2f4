// Conditional measures the level and the power of tests of conditional independence: on six laws of
// X, Y and Z, the share of data sets on which each test rejects at levels 0.05 and 0.01.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"bayeskernel/examples/internal/report"
)

func main() { report.Program(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	use := methods()
	define := func(f *flag.FlagSet) {
		f.Func("methods", "the methods to use, with commas between (default all)",
			func(names string) (err error) {
				use, err = choose(names)
				return err
			})
	}
	return report.RunStudy(ctx, "conditional", args, stdout, stderr, define,
		func(ctx context.Context, s report.Study, out io.Writer) error {
			return measureAll(ctx, s, use, out)
		})
}

// choose returns the methods with these names.
func choose(names string) ([]method, error) {
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
