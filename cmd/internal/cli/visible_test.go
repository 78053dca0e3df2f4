package cli

import "testing"

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{"naïve\tx\n": "naïve\tx\n", "\x1b[31mred\a": `\x1b[31mred\a`,
		"a\u202eb": `a\u202eb`, "\u009b2J": `\u009b2J`, "a\rb": `a\rb`} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}
