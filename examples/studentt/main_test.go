package main

import (
	"context"
	"strings"
	"testing"
)

func TestPrograms(t *testing.T) {
	for part, want := range map[string]string{"toy": "was reproduced", "digits": "was not reproduced",
		"relative": "| relative novelty |"} {
		var out, stderr strings.Builder
		if code := run(context.Background(), []string{"-part", part, "-sets", "2", "-only",
			map[string]string{"digits": "60 rows"}[part]},
			&out, &stderr); code != 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: code %d, %q, %q", part, code, out.String(), stderr.String())
		}
	}
	var out, stderr strings.Builder
	if run(context.Background(), []string{"-part", "none"}, &out, &stderr) != 2 {
		t.Error("an unknown part is accepted")
	}
}
