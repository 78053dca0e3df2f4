package frame

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Expand replaces patterns by the files that match, in order, and reads further names from a file of
// them, one a line, if from is not "". A pattern that nothing matches is an error.
func Expand(patterns []string, from string) ([]string, error) {
	if from != "" {
		f, err := os.Open(from)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if name := strings.TrimSpace(lines.Text()); name != "" {
				patterns = append(slices.Clip(patterns), name)
			}
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
	}
	var out []string
	for _, p := range patterns {
		if _, err := os.Stat(p); p == "-" || err == nil || !strings.ContainsAny(p, "*?[") {
			out = append(out, p)
			continue
		}
		match, err := filepath.Glob(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		if len(match) == 0 {
			return nil, fmt.Errorf("%s: no file matches", p)
		}
		slices.Sort(match)
		out = append(out, match...)
	}
	return out, nil
}
