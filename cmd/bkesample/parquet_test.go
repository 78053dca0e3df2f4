package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"bayeskernel/internal/long"

	pq "github.com/parquet-go/parquet-go"
)

// toParquet is a CSV file with a header as a Parquet file: columns are text if a value of them is.
func toParquet(t *testing.T, text string) []byte {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	group, numbers := pq.Group{}, map[string]bool{}
	for k, name := range records[0] {
		_, err := strconv.ParseFloat(records[1][k], 64)
		if numbers[name] = err == nil; err == nil {
			group[name] = pq.Leaf(pq.DoubleType)
		} else {
			group[name] = pq.String()
		}
	}
	schema := pq.NewSchema("table", group)
	var b bytes.Buffer
	w := pq.NewWriter(&b, schema)
	for _, record := range records[1:] {
		var row pq.Row
		for at, path := range schema.Columns() { // in the order of their names
			for k, name := range records[0] {
				if name != path[0] {
					continue
				}
				v := pq.ValueOf(record[k])
				if numbers[name] {
					x, err := strconv.ParseFloat(record[k], 64)
					if err != nil {
						t.Fatal(err)
					}
					v = pq.ValueOf(x)
				}
				row = append(row, v.Level(0, 0, at))
			}
		}
		if _, err := w.WriteRows([]pq.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A Parquet file and the same CSV file give the same bytes of results, but for the names of files.
func TestParquetIsCSV(t *testing.T) {
	files := groupFiles()
	inFolder(t, nil)
	for _, name := range []string{"p", "q", "space_p", "space_q", "plane_q", "iris", "two_labels",
		"weighted_p", "weighted_q"} {
		text := files[name+".csv"]
		writeAll(t, map[string]string{name + ".csv": text,
			name + ".parquet": string(toParquet(t, text))})
	}
	for k, line := range []string{
		"-iter 60 -chains 2 -no-interval p.csv q.csv",
		"-iter 60 -chains 2 -no-interval -weights w weighted_p.csv weighted_q.csv",
		"-iter 60 -chains 2 -no-interval -label g two_labels.csv",
		"twosample -permutations 99 p.csv q.csv",
		"twosample -permutations 99 space_p.csv space_q.csv",
		"twosample -permutations 99 -label species=c,a -columns width,length iris.csv",
		"twosample -permutations 99 -label species -columns width iris.csv",
		"independence -permutations 99 -x height -y weight plane_q.csv",
		"learn -no-interval p.csv",
	} {
		if k%2 > 0 && !long.Enabled() {
			continue
		}
		var printed [2]string
		var left [2]map[string]string
		for k, ext := range []string{".csv", ".parquet"} {
			args := strings.Fields(strings.ReplaceAll(line, ".csv", ext))
			got := call(t, "", append(args, "-out", "out")...)
			if got.code != 0 {
				t.Fatalf("%s: exit %d, %s", line, got.code, got.stderr)
			}
			printed[k] = strings.ReplaceAll(got.stdout+got.stderr, ".parquet", ".csv")
			left[k] = contents(t, "out")
			if err := os.RemoveAll("out"); err != nil {
				t.Fatal(err)
			}
		}
		if printed[0] != printed[1] {
			t.Errorf("%s: %s", line, firstDifference(printed[1], printed[0]))
		}
		if len(left[0]) != len(left[1]) || len(left[0]) < 2 {
			t.Errorf("%s: %d files and %d", line, len(left[0]), len(left[1]))
		}
		for name, want := range left[0] {
			got := strings.ReplaceAll(left[1][name], ".parquet", ".csv")
			if got != want {
				t.Errorf("%s: %s: %s", line, name, firstDifference(got, want))
			}
		}
	}
}
