package frame

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// collect streams a text and returns what the sink got.
func collect(text string, o Options) (names []string, rows []float64, chunks, dropped int, err error) {
	err = Stream(context.Background(), strings.NewReader(text), "t", o, Sink{
		Begin: func(n []string) error { names = n; chunks++; return nil },
		Rows:  func(v []float64) error { rows = append(rows, v...); return nil },
		End:   func(d int) error { dropped += d; return nil },
	})
	return names, rows, chunks, dropped, err
}

// A stream has the rows, the names and the errors of Read.
func TestStream(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range 30000 {
		fmt.Fprintf(&b, "%d.5,%d\n", i, -i)
	}
	long := b.String()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(long))
	w.Close()
	for _, text := range []string{long, z.String(), "1\n2\n3\n", "a;b\n1,5;2\n", "x,y\n1,2\nNA,3\n",
		"x,y\n1,2\n1,oops\n", "x\n", "", "x,y\n1,2\n3\n", "x y\r\n1 2\r\n3 4"} {
		for _, o := range []Options{{}, {Missing: DropMissing}, {Columns: []string{"y"}}} {
			want, wantErr := readNumbers(strings.NewReader(text), "t", o)
			names, rows, chunks, dropped, err := collect(text, o)
			if (err == nil) != (wantErr == nil) {
				t.Errorf("%.20q, %+v: error %v, want %v", text, o, err, wantErr)
				continue
			}
			if err != nil {
				if err.Error() != wantErr.Error() && text != "" && text != "x\n" {
					t.Errorf("%.20q: error %v, want %v", text, err, wantErr)
				}
				continue
			}
			if chunks != 1 || dropped != want.Dropped || !slices.Equal(names, want.Names) ||
				!slices.Equal(rows, want.Data.RawMatrix().Data) {
				t.Errorf("%.20q, %+v: %d chunks, %d dropped, names %v, %d values", text, o, chunks, dropped,
					names, len(rows))
			}
		}
	}
	if _, _, _, _, err := collect("x,l\n1,a\n", Options{Label: "l"}); err == nil {
		t.Error("labels were streamed")
	}
}

// The error of a sink ends the stream.
func TestStreamEnds(t *testing.T) {
	stop := fmt.Errorf("enough")
	err := Stream(context.Background(), strings.NewReader("x\n1\n2\n"), "t", Options{}, Sink{
		Begin: func([]string) error { return nil },
		Rows:  func([]float64) error { return stop },
		End:   func(int) error { return nil },
	})
	if err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("%v", err)
	}
}

// A chunk has the rows that begin in its stretch, to the row.
func TestStreamStretches(t *testing.T) {
	const line, stretch = "123456789.01234,+98765.43210,-0000000000000.1,0000000000000.2,000000000000003,4\n", 1 << 20
	shortStretches(t, stretch)
	rows := stretch/len(line)*2 + 1000
	text := "a,b,c,d,e,f\n" + strings.Repeat(line, rows)
	var got []int
	err := Stream(context.Background(), strings.NewReader(text), "t", Options{}, Sink{
		Begin: func([]string) error { got = append(got, 0); return nil },
		Rows:  func(v []float64) error { got[len(got)-1] += len(v) / 6; return nil },
		End:   func(int) error { return nil },
	})
	first := (stretch + len(line) - 1) / len(line) // those that begin before its end
	second := (2*stretch+len(line)-1)/len(line) - first
	if want := []int{first, second, rows - first - second}; err != nil || !slices.Equal(got, want) {
		t.Errorf("chunks of %v rows (%v), want %v", got, err, want)
	}
}

// Files that Options.Open opens are read like local ones, by the names that were asked for; one that is no
// *os.File has no parts, and is closed.
func TestOpenElsewhere(t *testing.T) {
	closed := 0
	o := Options{Open: func(_ context.Context, path string) (io.ReadCloser, error) {
		if path != "far://a" {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return &closer{strings.NewReader("x\n1\n2\n"), &closed}, nil
	}}
	if n, err := Parts(t.Context(), "far://a", o); n != 0 || err != nil {
		t.Errorf("%d parts, error %v", n, err)
	}
	var rows []float64
	err := StreamFile(t.Context(), "far://a", o, Sink{
		Begin: func([]string) error { return nil },
		Rows:  func(v []float64) error { rows = append(rows, v...); return nil },
		End:   func(int) error { return nil },
	})
	if err != nil || !slices.Equal(rows, []float64{1, 2}) || closed != 2 {
		t.Errorf("rows %v, closed %d times, error %v", rows, closed, err)
	}
	err = StreamFile(t.Context(), "far://b", o, Sink{})
	if err == nil || err.Error() != "far://b: file does not exist" {
		t.Errorf("error %v", err)
	}
}

type closer struct {
	*strings.Reader
	closed *int
}

func (c *closer) Close() error { *c.closed++; return nil }
