package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrograms(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "classes.png")
	for _, u := range []struct {
		args []string
		want string
	}{
		{[]string{"-only", "spreads, 10 rows", "-sets", "1", "-figure", picture},
			"says nothing about the claims"},
		{[]string{"-part", "distances", "-only", "1, 15 rows", "-sets", "1"}, "| 1, 15 rows | 1.00, "},
	} {
		var out, stderr strings.Builder
		if code := run(context.Background(), u.args, &out, &stderr); code != 0 ||
			!strings.Contains(out.String(), u.want) {
			t.Errorf("%v: code %d, %q, %q", u.args, code, out.String(), stderr.String())
		}
	}
	if info, err := os.Stat(picture); err != nil || info.Size() == 0 {
		t.Errorf("picture: %v", err)
	}
	var out, stderr strings.Builder
	if run(context.Background(), []string{"-part", "none"}, &out, &stderr) != 2 {
		t.Error("an unknown part is accepted")
	}
}
