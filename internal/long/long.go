// Package long decides whether the tests that take minutes run: they do when the environment
// variable BAYESKERNEL_LONG is set, which continuous integration does.
package long

import (
	"os"
	"testing"
)

// Enabled reports whether the long tests were asked for.
func Enabled() bool { return os.Getenv("BAYESKERNEL_LONG") != "" }

// Skip skips t unless the long tests were asked for.
func Skip(t testing.TB) {
	t.Helper()
	if !Enabled() {
		t.Skip("a long statistical test: set BAYESKERNEL_LONG=1 to run it")
	}
}
