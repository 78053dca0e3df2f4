package cli

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"sample", "learn", "twosample", "independence"}
	for typed, want := range map[string]string{"twosmaple": "twosample", "twosampel": "twosample",
		"lern": "learn", "independance": "independence", "data": "", "x": "", "simple": "sample"} {
		if got := nearest(typed, words); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
