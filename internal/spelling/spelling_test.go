package spelling

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"setosa", "setosa", 0},
		{"virginca", "virginica", 1}, {"flaw", "lawn", 2}, {"ü", "u", 1}} {
		if got := Distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%s, %s: got %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance([]rune(c.b), []rune(c.a)); got != c.want {
			t.Errorf("%s, %s: got %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
