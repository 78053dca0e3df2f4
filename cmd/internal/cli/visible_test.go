package cli

import (
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{"naïve\tx\n": "naïve\tx\n", "\x1b[31mred\a": `\x1b[31mred\a`,
		"a\u202eb": `a\u202eb`, "\u009b2J": `\u009b2J`, "a\rb": `a\rb`} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	long := strings.Repeat("é", 301)
	for in, want := range map[string]string{"a b": "a b", long[2:] + " " + long[2:]: long[2:] + " " + long[2:],
		"there is no column " + long + ", want": "there is no column " + long[:120] + "… (302 characters) want"} {
		if got := brief(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
