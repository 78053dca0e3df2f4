// Package long decides whether the tests that take minutes run: they do when the environment
// variable BAYESKERNEL_LONG is set, which continuous integration does.
package long

import (
	"os"
	"testing"
)

// Enabled reports whether the long tests were asked for.
func Enabled() bool { return os.Getenv("BAYESKERNEL_LONG") != "" }

// Of returns some for the number of replicates of a long test, and full where BAYESKERNEL_LONG is
// "full". Documented figures rest on the full number, which would take continuous integration too
// long.
func Of(some, full int) int {
	if os.Getenv("BAYESKERNEL_LONG") == "full" {
		return full
	}
	return some
}

// Skip skips t unless the long tests were asked for.
func Skip(t testing.TB) {
	t.Helper()
	if !Enabled() {
		t.Skip("a long statistical test: set BAYESKERNEL_LONG=1 to run it")
	}
}
