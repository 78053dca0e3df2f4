package frame_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"bayeskernel/frame"
)

// The number of rows is told from a first stretch to some percent, of a small file and of Parquet to the row.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	r := rand.New(rand.NewPCG(1, 1))
	text := []byte("x,y\n")
	type row struct {
		X float64 `parquet:"x"`
		Y float64 `parquet:"y"`
	}
	var rows []row
	for range 200000 {
		v := row{r.NormFloat64(), r.NormFloat64()}
		rows = append(rows, v)
		text = strconv.AppendFloat(text, v.X, 'g', 6, 64)
		text = append(strconv.AppendFloat(append(text, ','), v.Y, 'g', 6, 64), '\n')
	}
	var packed, parquet, bomb bytes.Buffer
	b := gzip.NewWriter(&bomb)
	b.Write(append([]byte("x,y\n"), bytes.Repeat([]byte("1,2\n"), 5000000)...))
	b.Close()
	z := gzip.NewWriter(&packed)
	z.Write(text)
	z.Close()
	if err := pq.Write(&parquet, rows); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path            string
		rows, tolerance float64
	}{
		{write("a.csv", text), 200000, 0.03},
		{write("a.csv.gz", packed.Bytes()), 200000, 0.1},
		{write("bomb.csv.gz", bomb.Bytes()), 5000000, 0.001}, // of which the first stretch says little
		{write("a.parquet", parquet.Bytes()), 200000, 0},
		{write("small.csv", []byte("x,y\n1,2\n3,4\n5,\n")), 3, 0},
		{write("names.csv", []byte("x,y\n")), 0, 0},
	} {
		g, err := frame.Measure(context.Background(), c.path, frame.Options{Memory: 8})
		if c.rows == 0 {
			if err == nil && g.Rows > 0 {
				t.Errorf("%s: %v rows", c.path, g.Rows)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if math.Abs(g.Rows/c.rows-1) > c.tolerance || !slices.Equal(g.Names, []string{"x", "y"}) {
			t.Errorf("%s: %v rows of %q, want %v", c.path, g.Rows, g.Names, c.rows)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none"), write("a.jsonl", []byte("{\"x\": 1}\n"))} {
		if _, err := frame.Measure(context.Background(), path, frame.Options{}); err == nil {
			t.Errorf("%s was measured", path)
		}
	}
}
