package formula

import (
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/frame"
)

// table reads the data of the tests.
func table(t *testing.T) *frame.Frame {
	f, err := frame.Read(context.Background(), "testdata/data.csv", frame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Design matrices are those of R's model.matrix, names of columns included (testdata/matrices.R made them).
func TestModelMatrix(t *testing.T) {
	text, err := os.ReadFile("testdata/matrices.txt")
	if err != nil {
		t.Fatal(err)
	}
	data := table(t)
	cases := strings.Split(strings.TrimSpace(string(text)), "\n\n")
	if len(cases) < 60 {
		t.Fatalf("%d formulas, want at least 60", len(cases))
	}
	for _, c := range cases {
		lines := strings.Split(c, "\n")
		f, err := Parse(lines[0])
		if err != nil {
			t.Errorf("%s: %v", lines[0], err)
			continue
		}
		d, x, err := f.NewDesign(data)
		if err != nil {
			t.Errorf("%s: %v", lines[0], err)
			continue
		}
		if got := strings.Join(d.Names, "\t"); got != lines[1] {
			t.Errorf("%s: columns\n  %s\nwant\n  %s", lines[0], got, lines[1])
			continue
		}
		again, err := d.Rows(data)
		if err != nil {
			t.Errorf("%s: %v", lines[0], err)
			continue
		}
		for j, line := range lines[2:] {
			for i, s := range strings.Fields(line) {
				want, _ := strconv.ParseFloat(s, 64)
				if got := x.At(i, j); math.Abs(got-want) > 1e-10*math.Max(1, math.Abs(want)) || again.At(i, j) != got {
					t.Errorf("%s: row %d of %s: %v, want %v", lines[0], i+1, d.Names[j], got, want)
					break
				}
			}
		}
	}
}
