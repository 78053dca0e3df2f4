package cli

import (
	"strings"
	"testing"
)

// The command of the page makes the run again whatever the folder, and from the start.
func TestWithout(t *testing.T) {
	in := strings.Fields("sample -out d -chains 2 --resume=c -resume c -outer p.csv out resume")
	want := "sample -chains 2 -outer p.csv out resume"
	if got := strings.Join(Without(in, "out", "resume"), " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
