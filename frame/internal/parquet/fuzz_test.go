package parquet_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"bayeskernel/frame"
	"bayeskernel/frame/internal/parquet"
)

// FuzzRead checks of any bytes behind the magic that reading them gives lines of problems or a
// table of finite numbers, never a panic.
func FuzzRead(f *testing.F) {
	for _, codec := range codecs {
		f.Add(write(f, rows(3), pq.Compression(codec)), "kind", true)
	}
	f.Add(write(f, odds()[:2]), "", false)
	files, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(files) == 0 {
		f.Fatal("no files")
	}
	for _, name := range files {
		in, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(in, "", true)
	}
	f.Fuzz(func(t *testing.T, in []byte, label string, drop bool) {
		o := frame.Options{Label: label}
		if drop {
			o.Missing = frame.DropMissing
		}
		if !bytes.HasPrefix(in, []byte(parquet.Magic)) {
			in = append([]byte(parquet.Magic), in...)
		}
		tab, err := read(in, o)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "P: ") && !strings.HasPrefix(line, "and ") {
					t.Errorf("error %q", line)
				}
			}
			return
		}
		for _, v := range tab.Data.RawMatrix().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("value %v", v)
			}
		}
	})
}

// A file with a bit changed is a table or an error, and one that is cut is an error.
func TestDamaged(t *testing.T) {
	for _, codec := range codecs {
		in := write(t, rows(20), pq.Compression(codec))
		for i := len(parquet.Magic); i < len(in); i += 11 {
			bad := bytes.Clone(in)
			bad[i] ^= 1 << (i % 8)
			read(bad, frame.Options{Label: "kind"})
			if _, err := read(in[:i], frame.Options{Label: "kind"}); err == nil {
				t.Fatalf("%v: no error for %d of %d bytes", codec, i, len(in))
			}
		}
	}
}

// FuzzLZ4 takes bytes for a block, which must not lead out of bounds, and for what is in one that
// the library has made.
func FuzzLZ4(f *testing.F) {
	f.Add([]byte{0x1f, 'a', 1, 0, 10, 0x20, 'b', 'c'}, 32)
	f.Add(bytes.Repeat([]byte("abcabcabd"), 100), 17)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		parquet.UnpackLZ4(make([]byte, min(max(size, 0), 1<<16)), b)
		packed, err := pq.Lz4Raw.Encode(nil, b)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(b))
		if err := parquet.UnpackLZ4(got, packed); err != nil || !bytes.Equal(got, b) {
			t.Errorf("got %q, %v, want %q", got, err, b)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	type triple struct {
		X, Y, Z float64
	}
	data := make([]triple, 1_000_000)
	for i := range data {
		data[i] = triple{math.Sin(float64(3*i + 1)), math.Sin(float64(3*i + 2)), math.Sin(float64(3 * i))}
	}
	in := write(b, data, pq.Compression(&pq.Snappy))
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := read(in, frame.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
