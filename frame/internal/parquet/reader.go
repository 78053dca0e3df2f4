package parquet

import (
	"fmt"
	"io"
	"math"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"bayeskernel/frame/internal/columnar"
)

// reader reads one column of a row group after another.
type reader struct {
	*column
	asText  bool
	pages   pq.Pages
	page    pq.Page
	values  pq.ValueReader
	buf     []pq.Value
	numbers []float64
	text    [][]byte
	bytes   []byte // that text is in
	ends    []int  // of the texts in bytes, -1 for missing
}

// start begins a row group.
func (r *reader) start(chunk pq.ColumnChunk, codec format.CompressionCodec) error {
	if codec == format.LZO || codec == format.Lz4 {
		return fmt.Errorf("column %q is compressed by %s, which cannot be read; write the file with "+
			"Snappy or Zstandard", r.Name, codec)
	}
	r.pages = chunk.Pages()
	return nil
}

// next reads the next n values, which are valid until the following call.
func (r *reader) next(n int) (columnar.Piece, error) {
	if r.buf == nil {
		r.buf = make([]pq.Value, 512)
	}
	r.numbers, r.bytes, r.ends = r.numbers[:0], r.bytes[:0], r.ends[:0]
	for left := n; left > 0; {
		k, err := r.some(r.buf[:min(left, len(r.buf))])
		if err == io.EOF {
			return columnar.Piece{}, r.damaged(fmt.Errorf("it holds fewer values than rows"))
		}
		if err != nil {
			return columnar.Piece{}, r.damaged(err)
		}
		if r.asText {
			r.addText(r.buf[:k])
		} else {
			r.addNumbers(r.buf[:k])
		}
		left -= k
	}
	if !r.asText {
		return columnar.Piece{Numbers: r.numbers}, nil
	}
	r.text = r.text[:0]
	begin := 0
	for _, end := range r.ends {
		if end < 0 {
			r.text = append(r.text, nil)
			continue
		}
		r.text = append(r.text, r.bytes[begin:end:end])
		begin = end
	}
	return columnar.Piece{Text: r.text}, nil
}

func (r *reader) damaged(err error) error {
	return damaged(fmt.Errorf("column %q: %w", r.Name, err))
}

// some reads at least one value, or returns an error. The values are parts of the page, which is
// kept until the following one is read.
func (r *reader) some(buf []pq.Value) (int, error) {
	for {
		if r.values == nil {
			r.release()
			page, err := r.pages.ReadPage()
			if err != nil {
				return 0, err
			}
			r.page, r.values = page, page.Values()
		}
		n, err := r.values.ReadValues(buf)
		if err == io.EOF {
			r.values, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (r *reader) release() {
	if r.page != nil {
		pq.Release(r.page)
	}
	r.page, r.values = nil, nil
}

// end checks that the row group has no more values.
func (r *reader) end() error {
	defer r.close()
	switch _, err := r.some(r.buf[:1]); err {
	case io.EOF:
		return nil
	case nil:
		return r.damaged(fmt.Errorf("it holds more values than rows"))
	default:
		return r.damaged(err)
	}
}

func (r *reader) close() {
	r.release()
	if r.pages != nil {
		r.pages.Close()
	}
	r.pages = nil
}

func (r *reader) addNumbers(values []pq.Value) {
	for _, v := range values {
		x := math.NaN()
		if !v.IsNull() {
			x = r.number(v)
		}
		r.numbers = append(r.numbers, x)
	}
}

func (r *reader) addText(values []pq.Value) {
	for _, v := range values {
		if v.IsNull() {
			r.ends = append(r.ends, -1)
			continue
		}
		r.bytes = r.write(r.bytes, v)
		r.ends = append(r.ends, len(r.bytes))
	}
}
