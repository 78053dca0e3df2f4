package main

import (
	"context"
	"strings"
	"testing"
)

func TestPrograms(t *testing.T) {
	for part, want := range map[string]string{"toy": "was reproduced", "digits": "was not reproduced"} {
		var out, stderr strings.Builder
		if code := run(context.Background(), []string{"-part", part, "-sets", "2", "-only", "60 rows"},
			&out, &stderr); code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: code %d, %q, %q", part, code, out.String(), stderr.String())
		}
	}
	var out, stderr strings.Builder
	if run(context.Background(), []string{"-part", "none"}, &out, &stderr) != 2 {
		t.Error("an unknown part is accepted")
	}
}
