package frame

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A table that takes more memory than it may is refused in one sentence, as soon as that is known; one that
// takes as much is read.
func TestTooLarge(t *testing.T) {
	var csv, lines bytes.Buffer
	csv.WriteString("x,g\n")
	for i := range 5000 {
		fmt.Fprintf(&csv, "%d,%c\n", i, 'a'+i%2)
		fmt.Fprintf(&lines, "{\"x\": %d}\n", i)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(csv.Bytes())
	z.Close()
	for _, c := range []struct {
		name, text string
		o          Options
		want       string // "" if it fits
	}{
		{"text", csv.String(), Options{Columns: []string{"x"}, Memory: 40000}, ""},
		{"text", csv.String(), Options{Columns: []string{"x"}, Memory: 39992}, "f: holds at least 5000 rows of 1 column, which " +
			"take 40 kB of memory, and a table may take 40 kB"},
		{"labels", csv.String(), Options{Label: "g", Memory: 40000}, "f: holds at least 1667 rows of 1 column"},
		{"some rows", csv.String(), Options{Label: "g", Levels: []string{"a"}, Memory: 60000}, ""},
		{"gzip", zipped.String(), Options{Columns: []string{"x"}, Memory: 8000}, "f: holds at least 1001 rows of 1 column"},
		{"stream", csv.String(), Options{Columns: []string{"x"}, Memory: 8}, "stream"},
		{"json", lines.String(), Options{Memory: 1 << 20}, ""},
		{"json", lines.String(), Options{Memory: 400000}, "f: takes about 471 kB of memory, for it has to be read whole"},
		{"piped json", lines.String(), Options{Memory: 40000}, "f: takes at least 40 kB of memory, for it has to be read whole"},
	} {
		if c.want == "stream" {
			if _, rows, _, _, err := collect(c.text, c.o); err != nil || len(rows) != 5000 {
				t.Errorf("a stream keeps no table, but: %v", err)
			}
			continue
		}
		_, err := readNumbers(strings.NewReader(c.text), "f", c.o)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if _, ok := errors.AsType[*TooLarge](err); !ok || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// Tables that are put together share what they may take.
func TestTooLargeTogether(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.csv", "b.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x\n1\n2\n3\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	both := []string{filepath.Join(dir, "*.csv")}
	if _, err := numbersIn(both, nil, Options{Memory: 48}); err != nil {
		t.Error(err)
	}
	_, err := numbersIn(both, nil, Options{Memory: 40})
	if _, ok := errors.AsType[*TooLarge](err); !ok || !strings.Contains(err.Error(), "b.csv: holds at least 3 rows") {
		t.Errorf("%v", err)
	}
}

func TestSize(t *testing.T) {
	for v, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 800063488: "800 MB",
		4294967296: "4.29 GB", 3e15: "3e+03 TB"} {
		if got := Size(v); got != want {
			t.Errorf("Size(%d) = %s, want %s", v, got, want)
		}
	}
}
