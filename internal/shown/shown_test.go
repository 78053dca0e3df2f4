package shown

import "testing"

func TestText(t *testing.T) {
	for in, want := range map[string]string{"naïve\tx\n": "naïve\tx\n", "\x1b[31mred\a": `\x1b[31mred\a`,
		"a\u202eb": `a\u202eb`, "\u009b2J": `\u009b2J`, "a\rb": `a\rb`} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{"a": "a", "": "", "=1+1": "'=1+1", "-w": "'-w", "@s": "'@s", "+z": "'+z", "\tx": "'\tx",
		"a-b": "a-b", "\x1b[2J": `\x1b[2J`} {
		if got := Cell(in); got != want {
			t.Errorf("Cell(%q) = %q, want %q", in, got, want)
		}
	}
}
