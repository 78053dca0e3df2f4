package cli

import (
	"strings"
	"testing"
)

// What a program says is passed on, and the stack with which the runtime ends it is not.
func TestRelay(t *testing.T) {
	for _, c := range []struct {
		in, out string
		crashed bool
	}{
		{"p: reading (5s)\np: a.csv: is empty", "p: reading (5s)\np: a.csv: is empty", false},
		{"p: reading (5s)\nruntime: out of memory: cannot allocate 8388608-byte block (158859264 in use)\nfatal error: out of memory\n\ngoroutine 7:\nmain.main()\n",
			"p: reading (5s)\n", true},
		{"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n", "", true},
		{"", "", false},
	} {
		var b strings.Builder
		if crashed := relay(&b, strings.NewReader(c.in)); crashed != c.crashed || b.String() != c.out {
			t.Errorf("%q: %v, %q", c.in, crashed, b.String())
		}
	}
}
