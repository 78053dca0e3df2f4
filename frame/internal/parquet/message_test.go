package parquet_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"bayeskernel/frame"
	"bayeskernel/frame/internal/parquet"
)

type odd struct {
	X    float64           `parquet:"x"`
	Inf  float32           `parquet:"inf"`
	Name string            `parquet:"name"`
	None *int64            `parquet:"none,optional"`
	Day  int32             `parquet:"day,date"`
	When time.Time         `parquet:"when,timestamp(microsecond)"`
	ID   [16]byte          `parquet:"id,uuid"`
	Lst  []float64         `parquet:"lst"`
	Map  map[string]string `parquet:"map"`
	In   struct{ A int32 } `parquet:"in"`
	Row  int64             `parquet:"__index_level_0__"`
}

func odds() []odd {
	out := make([]odd, 12)
	for i := range out {
		out[i] = odd{X: float64(i), Inf: float32(math.Inf(-1)), Name: "north", Day: 19358,
			When: time.Date(1969, 12, 31, 23, 59, 59, 250e6, time.UTC), ID: [16]byte{1, 15: 2},
			Row: int64(i)}
	}
	out[3].Name = " "
	return out
}

func TestMessages(t *testing.T) {
	in := write(t, odds())
	cols := func(names ...string) frame.Options { return frame.Options{Columns: names} }
	x := cols("x")
	with := func(o frame.Options, label, group string) frame.Options {
		o.Label, o.Group = label, group
		return o
	}
	for _, test := range []struct {
		in   []byte
		o    frame.Options
		want string
	}{
		{in, frame.Options{}, `P: column "lst" holds lists; a table has one value in each row; choose columns ` +
			"of numbers by -columns x,inf,none,day,when\n" +
			`P: column "map" is nested (a list, struct or map); a table has plain columns only` + "\n" +
			`P: column "in" is nested (a list, struct or map); a table has plain columns only`},
		{in, cols("x", "inf"), `P: row 1, column "inf": "-Inf" is not finite` + rest(`"-Inf" is not `+
			"finite", 2, 10) + "\nand 2 more problems"},
		{in, cols("name", "x", "none"), `P: row 1, column "name": "north" is not a number` + "\n" +
			`P: row 1, column "none": the value is missing, and 11 more rows are incomplete; ` +
			"-na drop leaves such rows out"},
		{in, cols("y", "z"), `P: there is no column "y", only ` + names + "\n" +
			`P: there is no column "z", only ` + names},
		{in, with(x, "lst", "name"), `P: column "lst" is chosen as label, but it holds lists; ` +
			"a table has one value in each row"},
		{in, with(x, "name", "none"), `P: row 1, column "none": the group is missing, and 11 more rows are ` +
			"incomplete; -na drop leaves such rows out"},
		{write(t, odds()[:0]), x, "P: holds columns but no rows"},
		{in[:len(in)-100], x, "P: is a damaged Parquet file: its end is missing, so it is cut short " +
			"or still being written"},
		{in[:9], x, "P: is a damaged Parquet file: it is cut short"},
		{append(bytes.Clone(in[:len(in)-8]), "\xff\xff\xff\x7fPAR1"...), x,
			"P: is a damaged Parquet file: its metadata are longer than the file"},
		{append(bytes.Clone(in[:len(in)-4]), "PARE"...), x,
			"P: is an encrypted Parquet file; save the table without encryption"},
		{recoded(t, in, format.LZO), x,
			`P: column "x" is compressed by LZO, which cannot be read; write the file with Snappy or ` +
				"Zstandard"},
	} {
		_, err := read(test.in, test.o)
		if err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

const names = `"x", "inf", "name", "none", "day", "when", "id", "lst", ... (11 in all)`

// rest are the messages of rows from to to on column inf.
func rest(text string, from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		b.WriteString("\nP: row " + strconv.Itoa(i) + `, column "inf": ` + text)
	}
	return b.String()
}

// recoded returns a file which says that it is compressed in another way.
func recoded(t *testing.T, in []byte, codec format.CompressionCodec) []byte {
	f, err := pq.OpenFile(bytes.NewReader(in), int64(len(in)), parquet.FileOf()...)
	if err != nil {
		t.Fatal(err)
	}
	meta := *f.Metadata()
	for i := range meta.RowGroups[0].Columns {
		meta.RowGroups[0].Columns[i].MetaData.Codec = codec
	}
	out, err := parquet.WithFooter(bytes.Clone(in), &meta)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Dates, times and identifiers are labels, and the index of a data frame has no name.
func TestLabels(t *testing.T) {
	in := write(t, odds())
	for column, want := range map[string]string{
		"day": "2023-01-01", "when": "1969-12-31 23:59:59.25Z", "inf": "-Inf", "11": "0",
		"id": "01000000-0000-0000-0000-000000000002",
	} {
		tab, err := read(in, frame.Options{Columns: []string{"x"}, Label: column})
		if err != nil || tab.Labels[0] != want {
			t.Errorf("%s: got %v, %v, want %s", column, tab, err, want)
		}
	}
	o := frame.Options{Drop: []string{"inf", "name", "none", "day", "when", "id", "lst", "map", "in"}}
	tab, err := read(in, o)
	if err != nil || len(tab.Names) != 1 {
		t.Fatalf("%+v, %v", tab, err)
	}
	if len(tab.Notes) != 0 {
		t.Errorf("notes %+v", tab.Notes)
	}
}

// Parquet and CSV files are put together by the names of their columns.
func TestMixed(t *testing.T) {
	type ab struct {
		A int32   `parquet:"a"`
		B float64 `parquet:"b"`
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"1.csv": "b,a\n1,2\n", "2.dat": string(write(t, []ab{{3, 4}})), "3.tsv": "a\tb\n5\t6\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tab, err := frame.Read(context.Background(), filepath.Join(dir, "*"), frame.Options{Numbers: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := show(tab); got != "b a|[1 2]|[4 3]|[6 5]" || len(tab.Notes) != 2 {
		t.Errorf("got %s, notes %v", got, tab.Notes)
	}
}

// half returns the values that IEEE 754 gives to these bits.
func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float64{0: 0, 1: 0x1p-24, 0x3ff: 1023 * 0x1p-24,
		0x400: 0x1p-14, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x3555: 0.333251953125,
		0x7c00: math.Inf(1), 0xfc00: math.Inf(-1)} {
		if got := parquet.Half([]byte{byte(bits), byte(bits >> 8)}); got != want {
			t.Errorf("%#x: got %v, want %v", bits, got, want)
		}
	}
	if !math.IsNaN(parquet.Half([]byte{0, 0x7e})) || !math.Signbit(parquet.Half([]byte{0, 0x80})) {
		t.Error("NaN or -0")
	}
}
