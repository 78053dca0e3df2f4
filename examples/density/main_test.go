package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrograms(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "density.png")
	var out, stderr strings.Builder
	code := run(context.Background(), []string{"-only", "SE, D = 2, 20 rows", "-sets", "2", "-figure",
		picture}, &out, &stderr)
	if code != 0 || !strings.Contains(out.String(), "| SE, D = 2, 20 rows |") ||
		!strings.Contains(out.String(), "reproduced for the flexible") {
		t.Errorf("code %d, %q, %q", code, out.String(), stderr.String())
	}
	if info, err := os.Stat(picture); err != nil || info.Size() == 0 {
		t.Errorf("picture: %v", err)
	}
}
