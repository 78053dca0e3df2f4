package parquet_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"bayeskernel/frame"
)

// row has a column of each kind of number and a label.
type row struct {
	F64   float64  `parquet:"f64"`
	F32   float32  `parquet:"f32"`
	I8    int8     `parquet:"i8"`
	I16   int16    `parquet:"i16"`
	I32   int32    `parquet:"i32,delta"`
	I64   int64    `parquet:"i64,dict"`
	U8    uint8    `parquet:"u8"`
	U16   uint16   `parquet:"u16"`
	U32   uint32   `parquet:"u32"`
	U64   uint64   `parquet:"u64,delta"`
	D32   int32    `parquet:"d32,decimal(2:9)"`
	D64   int64    `parquet:"d64,decimal(4:18)"`
	Maybe *float64 `parquet:"maybe,optional"`
	Kind  string   `parquet:"kind,dict"`
}

func rows(n int) []row {
	r := rand.New(rand.NewPCG(7, 7))
	out := make([]row, n)
	for i := range out {
		out[i] = row{F64: r.NormFloat64(), F32: float32(r.NormFloat64()), I8: int8(r.Uint64()),
			I16: int16(r.Uint64()), I32: int32(r.Uint64()), I64: int64(r.Uint64()),
			U8: uint8(r.Uint64()), U16: uint16(r.Uint64()), U32: r.Uint32(), U64: r.Uint64(),
			D32: int32(r.IntN(1e9)) - 5e8, D64: int64(r.Uint64N(1e18)) - 5e17,
			Kind: []string{"setosa", "virginica", " two  words"}[r.IntN(3)]}
		if r.IntN(4) > 0 {
			v := r.ExpFloat64()
			out[i].Maybe = &v
		}
	}
	return out
}

// csvOf writes the same numbers with all their digits.
func csvOf(rows []row) string {
	var b strings.Builder
	b.WriteString("f64,f32,i8,i16,i32,i64,u8,u16,u32,u64,d32,d64,maybe,kind\n")
	for _, r := range rows {
		maybe := "NA"
		if r.Maybe != nil {
			maybe = strconv.FormatFloat(*r.Maybe, 'g', -1, 64)
		}
		fmt.Fprintf(&b, "%v,%v,%d,%d,%d,%d,%d,%d,%d,%d,%s,%s,%s,%s\n", r.F64, float64(r.F32), r.I8,
			r.I16, r.I32, r.I64, r.U8, r.U16, r.U32, r.U64, point(int64(r.D32), 2), point(r.D64, 4),
			maybe, r.Kind)
	}
	return b.String()
}

// point writes a decimal.
func point(v int64, scale int) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	s := fmt.Sprintf("%0*d", scale+1, v)
	return sign + s[:len(s)-scale] + "." + s[len(s)-scale:]
}

func write[T any](t testing.TB, rows []T, o ...pq.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[T](&b, o...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// flags are those of a program.
var flags = frame.Remedies{Columns: "-columns", Drop: "-drop", Label: "-label", Missing: "-na drop"}

func read(in []byte, o frame.Options) (*frame.Frame, error) {
	o.Numbers, o.Remedies = true, flags
	return frame.From(context.Background(), bytes.NewReader(in), "P", o)
}

// same reports whether two tables are equal bit by bit.
func same(a, b *frame.Frame) error {
	bits := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	switch {
	case !slices.EqualFunc(a.Data.RawMatrix().Data, b.Data.RawMatrix().Data, bits):
		return fmt.Errorf("data differ")
	case !slices.Equal(a.Names, b.Names) || !slices.Equal(a.Labels, b.Labels) ||
		!slices.Equal(a.Groups, b.Groups) || !slices.EqualFunc(a.Weights, b.Weights, bits):
		return fmt.Errorf("got %v, want %v", a.Names, b.Names)
	case a.Dropped != b.Dropped || a.Hash() != b.Hash():
		return fmt.Errorf("%d dropped, want %d, or other hashes", a.Dropped, b.Dropped)
	}
	return nil
}

var codecs = []compress.Codec{&pq.Uncompressed, &pq.Snappy, &pq.Gzip, &pq.Brotli, &pq.Zstd,
	&pq.Lz4Raw}

// Whatever the compression, the version of the pages and the size of the row groups, a file is read
// as its CSV is.
func TestSameAsCSV(t *testing.T) {
	data := rows(3000)
	for _, o := range []frame.Options{
		{Label: "kind", Missing: frame.DropMissing},
		{Label: "kind", Group: "i8", Weight: "u16", Missing: frame.DropMissing},
		{Columns: []string{"d64", "1", "u64"}, Drop: []string{"f32"}},
		{Label: "kind", Levels: []string{"virginica", "two words"}, Drop: []string{"maybe"}},
	} {
		// The weight must be positive.
		for i := range data {
			data[i].U16 |= 1
		}
		want, err := frame.From(context.Background(), strings.NewReader(csvOf(data)), "P", o)
		if err != nil {
			t.Fatal(err)
		}
		for _, codec := range codecs {
			for version := 1; version <= 2; version++ {
				for _, group := range []int64{10000, 700} {
					in := write(t, data, pq.Compression(codec), pq.DataPageVersion(version),
						pq.MaxRowsPerRowGroup(group), pq.PageBufferSize(2000))
					got, err := read(in, o)
					if err == nil {
						err = same(got, want)
					}
					if err != nil {
						t.Errorf("%v, pages of version %d, groups of %d: %v", codec, version, group, err)
					}
				}
			}
		}
	}
}

// Pages that LZ4 hardly compresses, and pages that it compresses a hundredfold.
func TestLZ4(t *testing.T) {
	type pair struct {
		X float64 `parquet:"x"`
		Y int64   `parquet:"y"`
		G string  `parquet:"g"`
	}
	r := rand.New(rand.NewPCG(1, 2))
	var data []pair
	var b strings.Builder
	b.WriteString("x,y,g\n")
	for range 20_000 {
		p := pair{r.NormFloat64(), int64(r.IntN(2)) << 40, strings.Repeat("a", 1+r.IntN(300))}
		data = append(data, p)
		fmt.Fprintf(&b, "%v,%d,%s\n", p.X, p.Y, p.G)
	}
	o := frame.Options{Label: "g"}
	want, err := frame.From(context.Background(), strings.NewReader(b.String()), "P", o)
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; version <= 2; version++ {
		got, err := read(write(t, data, pq.Compression(&pq.Lz4Raw), pq.DataPageVersion(version)), o)
		if err == nil {
			err = same(got, want)
		}
		if err != nil {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// A file is recognized by its contents, also within gzip and at standard input.
func TestGzip(t *testing.T) {
	data := rows(100)
	o := frame.Options{Columns: []string{"f64", "i64"}, Numbers: true}
	want, err := frame.From(context.Background(), strings.NewReader(csvOf(data)), "P", o)
	if err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(write(t, data))
	w.Close()
	o.Stdin = &z
	got, err := frame.Read(context.Background(), "-", o)
	if err == nil {
		err = same(got, want)
	}
	if err != nil {
		t.Error(err)
	}
}
