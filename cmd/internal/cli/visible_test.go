package cli

import (
	"strings"
	"testing"
)

func TestBrief(t *testing.T) {
	long := strings.Repeat("é", 301)
	for in, want := range map[string]string{"a b": "a b", long[2:] + " " + long[2:]: long[2:] + " " + long[2:],
		"there is no column " + long + ", want": "there is no column " + long[:120] + "… (302 characters) want"} {
		if got := brief(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
