package house

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// CONTRIBUTING.md has each module that go.mod requires, with its licence, and no other.
func TestModulesAreListed(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+`).FindAllStringSubmatch(read("go.mod"), -1) {
		want = append(want, m[1])
	}
	_, table, _ := strings.Cut(read("CONTRIBUTING.md"), "## Dependencies")
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				got = append(got, m[1])
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 9 || !slices.Equal(want, got) {
		t.Errorf("the table has\n%q, go.mod\n%q", got, want)
	}
}
