package frame

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shortStretches makes stretches of so many bytes, for a test.
func shortStretches(t *testing.T, bytes int64) {
	before := stretchBytes
	stretchBytes = bytes
	t.Cleanup(func() { stretchBytes = before })
}

// chunks is a sink that keeps what each chunk got.
type chunks struct {
	rows    [][]float64
	names   []string
	dropped []int
}

func (c *chunks) sink() Sink {
	return Sink{
		Begin: func(n []string) error { c.names = n; c.rows = append(c.rows, nil); return nil },
		Rows: func(v []float64) error {
			last := &c.rows[len(c.rows)-1]
			*last = append(*last, v...)
			return nil
		},
		End: func(d int) error { c.dropped = append(c.dropped, d); return nil },
	}
}

// The parts of a text have its chunks, whatever lies at their borders; what cannot be cut is not cut.
func TestPartsOfText(t *testing.T) {
	shortStretches(t, 500)
	r := rand.New(rand.NewPCG(1, 1))
	lines := func(format string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(strings.ReplaceAll(fmt.Sprintf(format, r.NormFloat64(), r.IntN(1000)), "+", ""))
		}
		return b.String()
	}
	plain := lines("%.3f,%d\n", 300)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte("x,y\n" + plain))
	w.Close()
	for name, c := range map[string]struct {
		text string
		cut  bool
		o    Options
	}{
		"header":             {"x,y\n" + plain, true, Options{}},
		"one column":         {"x,y\n" + plain, true, Options{Columns: []string{"y"}}},
		"no header":          {plain, true, Options{}},
		"quotes in header":   {"\"x\",\"y\"\n" + plain, true, Options{}},
		"mark":               {byteOrderMark + "x,y\n" + plain, true, Options{}},
		"comments":           {"# a\n\nx,y\n" + lines("%f,%d\n# no row\n\n", 200), true, Options{}},
		"comment at the end": {"x,y\n" + plain + strings.Repeat("# and no row\n", 100), true, Options{}},
		"long comment":       {"x,y\n" + plain + "#" + strings.Repeat(".", 5000) + "\n" + plain, true, Options{}},
		"long header":        {"x" + strings.Repeat(".", 5000) + ",y\n" + plain, true, Options{}},
		"no last line end":   {"x,y\n" + plain + "1,2", true, Options{}},
		"missing":            {"x,y\n" + lines("%f,%d\nNA,3\n", 200), true, Options{Missing: DropMissing}},
		"tabs":               {"x\ty\n" + lines("%f\t%d\n", 200), true, Options{}},
		"blanks":             {"x y\n" + lines("%f   %d\n", 200), true, Options{}},
		"semicolons":         {"x;y\n" + lines("%f;%d\n", 200), true, Options{}},
		"decimal commas":     {"x;y\n" + strings.ReplaceAll(lines("%f;%d\n", 200), ".", ","), false, Options{}},
		"quotes":             {"x,y\n" + plain + "\"1\",2\n", false, Options{}},
		"two bytes":          {strings.ReplaceAll("x,y\n"+plain, "\n", "\r\n"), false, Options{}},
		"compressed":         {zipped.String(), false, Options{}},
		"short":              {"x,y\n1,2\n", false, Options{}},
		"a wrong value":      {"x,y\n" + plain + "1,oops\n" + plain + "1,2,3\n" + plain, true, Options{}},
		"missing, and wrong": {"x,y\n" + lines("%f,%d\nNA,3\n", 200), true, Options{}},
		"a NUL":              {"x,y\n" + plain + "1,\x00\n" + plain, false, Options{}},
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		n, err := Parts(t.Context(), path, c.o)
		if (n > 0) != c.cut || err != nil {
			t.Errorf("%s: %d parts, error %v", name, n, err)
		}
		var want, got chunks
		wantErr := StreamFile(t.Context(), path, c.o, want.sink())
		for k := range n {
			if err = StreamPart(t.Context(), path, k, c.o, got.sink()); err != nil {
				break
			}
		}
		switch {
		case n == 0:
		case wantErr != nil:
			if err == nil || err.Error() != wantErr.Error() {
				t.Errorf("%s: error %v, want %v", name, err, wantErr)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case !slices.EqualFunc(got.rows, want.rows, slices.Equal) || !slices.Equal(got.dropped, want.dropped) ||
			!slices.Equal(got.names, want.names) || len(want.rows) < 3:
			t.Errorf("%s: %d chunks, %d in parts, which differ", name, len(want.rows), len(got.rows))
		}
	}
}

// What a sink has against a row is its own error, and no part is read again for it.
func TestPartsEnd(t *testing.T) {
	shortStretches(t, 500)
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("x\n"+strings.Repeat("1.5\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("enough")
	err := StreamPart(t.Context(), path, 2, Options{}, Sink{
		Begin: func([]string) error { return nil },
		Rows:  func([]float64) error { return stop },
		End:   func(int) error { return nil },
	})
	if !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

// Whatever a text holds, its parts have the rows of the whole, or one of them has an error too.
func FuzzParts(f *testing.F) {
	for _, s := range []string{"x,y\n1,2\n3,4\n5,6\n", "\ufeffx\ty\n1\t2\n#\n\n3\tNA\n", "1 2\n 3  4 \n\n5 6", "a;b\n1;2\n3;4\n",
		"\"x\",\"y\"\n1,2\n3,4\n5,6\n7,8\n", "x\n1\n2\n3\n4\noops\n6\n", "x\n1\n\x0b\n2\n"} {
		f.Add([]byte(s), uint8(8), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, stretch uint8, drop bool) {
		shortStretches(t, int64(stretch)+1)
		o := Options{Numbers: true}
		if drop {
			o.Missing = DropMissing
		}
		s, err := openStretches(t.Context(), bytes.NewReader(b), int64(len(b)), o)
		if err != nil || s == nil {
			return
		}
		if even, err := s.even(t.Context()); !even || err != nil {
			return
		}
		var want, got chunks
		wantErr := Stream(t.Context(), bytes.NewReader(b), "t", o, want.sink())
		for k := 0; k <= len(b)/(int(stretch)+1) && err == nil; k++ {
			err = s.stream(t.Context(), k, &stream{stretch: -1, only: -1, Sink: got.sink()})
		}
		switch {
		case (err == nil) != (wantErr == nil) && len(want.rows) > 0:
			t.Errorf("%q: error %v, want %v", b, err, wantErr)
		case err == nil && wantErr == nil && (!slices.EqualFunc(got.rows, want.rows, slices.Equal) || !slices.Equal(got.dropped, want.dropped)):
			t.Errorf("%q: chunks %v, want %v", b, got.rows, want.rows)
		}
	})
}
