package draws

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func rowOf(i, cols int) []float64 {
	row := make([]float64, cols)
	for j := range row {
		row[j] = float64(i) + float64(j*j)/7
	}
	return row
}

// What is appended is read back by columns and by rows, while the chain is under way and afterwards,
// whether or not the last tile is whole, and after an interruption that forgets some rows.
func TestFile(t *testing.T) {
	for _, cols := range []int{1, 3000} {
		path := filepath.Join(t.TempDir(), "new", "chain_1.draws")
		d, err := CreateFile(path, cols)
		if err != nil {
			t.Fatal(err)
		}
		n := 2*d.Tile + 5
		check := func(d *File, n int) {
			t.Helper()
			if d.Rows != n {
				t.Fatalf("%d rows, want %d", d.Rows, n)
			}
			for _, j := range []int{0, cols / 2, cols - 1} {
				for _, m := range []int{0, 1, n - 1, n} {
					got, err := d.Column(j, m)
					if err != nil || len(got) != m {
						t.Fatalf("%d values, %v", len(got), err)
					}
					for i, v := range got {
						if v != rowOf(i, cols)[j] {
							t.Fatalf("row %d, column %d: %v", i, j, v)
						}
					}
				}
			}
			seen := 0
			err := d.Each(func(i int, row []float64) error {
				want := rowOf(i, cols)
				for j := range row {
					if row[j] != want[j] {
						t.Fatalf("row %d, column %d: %v", i, j, row[j])
					}
				}
				seen++
				return nil
			})
			if err != nil || seen != n {
				t.Fatalf("%d rows one by one, %v", seen, err)
			}
		}
		var saved File
		for i := range n {
			if err := d.Append(rowOf(i, cols)); err != nil {
				t.Fatal(err)
			}
			if i == d.Tile+2 {
				saved = File{Path: d.Path, Cols: d.Cols, Tile: d.Tile, Rows: d.Rows,
					Tail: append([]float64(nil), d.Tail...)}
			}
		}
		check(d, n)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		check(d, n)
		if err := d.Append(rowOf(0, cols)); err == nil {
			t.Error("a closed file took a row")
		}
		again, err := OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check(again, n)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := saved.Resume(path); err != nil {
			t.Fatal(err)
		}
		check(&saved, d.Tile+3)
		for i := saved.Rows; i < n; i++ {
			if err := saved.Append(rowOf(i, cols)); err != nil {
				t.Fatal(err)
			}
		}
		if err := saved.Close(); err != nil {
			t.Fatal(err)
		}
		check(&saved, n)
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(after) != len(before) {
			t.Errorf("%d bytes after an interruption, %d without", len(after), len(before))
		}
	}
}

// Files that are not ours are left alone, and damaged ones are told.
func TestFileRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chain_1.draws")
	if err := os.WriteFile(path, []byte("my thesis"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateFile(path, 2); err == nil || !strings.Contains(err.Error(), "is not a file of draws") {
		t.Errorf("replaced a file of somebody else's: %v", err)
	}
	other := filepath.Join(t.TempDir(), "chain_1.draws")
	var c Chain
	if err := c.CreateFile(other, 2); err != nil {
		t.Fatal(err)
	}
	d := c.File
	for range d.Tile {
		if err := c.Keep([]float64{1, 2}, Stat{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(other, 100); err != nil {
		t.Fatal(err)
	}
	run := &Run{Names: []string{"a", "b"}, Chains: []Chain{c}}
	if _, ok := run.Draws("b"); ok {
		t.Error("read draws that are not there")
	}
	if err := run.Check(); err == nil {
		t.Error("Check finds nothing wrong")
	}
	if s := run.Summary(); len(s.Notes) == 0 || !strings.Contains(s.Notes[0], "cannot be read") {
		t.Errorf("notes %q", s.Notes)
	}
	if _, err := json.Marshal(run.Summary()); err != nil {
		t.Error(err)
	}
	if err := (&File{Cols: d.Cols, Tile: d.Tile, Rows: d.Tile}).Resume(other); err == nil {
		t.Error("resumed a file that is too short")
	}
}
