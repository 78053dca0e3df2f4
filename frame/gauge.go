package frame

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// Gauge says about how large the table in a file is: by the first stretch of a text, or what a binary file says.
type Gauge struct {
	Rows  float64 // about how many
	Names []string
	Head  *Frame // the first rows of a text; nil of a binary file
}

// gaugeBytes is the size of the stretch.
const gaugeBytes = 1 << 18

// Measure gauges a file without reading it. It is an error if that cannot be done.
func Measure(ctx context.Context, path string, o Options) (*Gauge, error) {
	g, err := measure(ctx, path, o)
	if err != nil {
		return nil, prefix(path, bare(err))
	}
	return g, nil
}

func measure(ctx context.Context, path string, o Options) (*Gauge, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, size := randomAccess(f)
	if file == nil {
		return nil, errors.New("is no file whose size is known")
	}
	in := &counter{r: f}
	x, err := newText(ctx, in)
	if err != nil {
		return nil, err
	}
	if format, ok := formatOf(x.magic); ok {
		if x.gzip || format.Whole > 0 {
			return nil, errors.New("has to be read whole")
		}
		c, l, err := layColumns(format, file, size, o)
		if err != nil {
			return nil, err
		}
		g := &Gauge{Rows: float64(c.Rows)}
		for _, i := range l.index {
			g.Names = append(g.Names, l.fields[i])
		}
		return g, nil
	}
	stretch := int64(gaugeBytes)
	if !x.gzip {
		stretch = min(stretch, size+1)
	}
	text := make([]byte, stretch)
	n, err := io.ReadFull(x, text)
	whole := err == io.EOF || err == io.ErrUnexpectedEOF
	if err != nil && !whole {
		return nil, x.wrap(err)
	}
	text = text[:n]
	if !whole {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	o.Missing, o.Memory = KeepMissing, 0
	head := &Frame{Source: path, remedies: o.Remedies}
	if err := head.read(ctx, bytes.NewReader(text), o); err != nil {
		return nil, err
	}
	head.addNotes()
	g := &Gauge{Names: head.Names, Head: head, Rows: float64(head.Dropped)}
	if !head.Data.IsEmpty() {
		rows, _ := head.Data.Dims()
		g.Rows += float64(rows)
	}
	if whole {
		return g, nil
	}
	all := float64(n) * float64(size) / float64(in.n)
	if x.gzip {
		all = max(all, unzipped(file, size))
	}
	g.Rows *= all / float64(len(text))
	return g, nil
}

// unzipped is the size that the end of a gzip file says its text has: less than it has where that is above 4 GB, or
// where the file was put together of several.
func unzipped(file io.ReaderAt, size int64) float64 {
	end := make([]byte, 4)
	if _, err := file.ReadAt(end, size-4); err != nil {
		return 0
	}
	return float64(binary.LittleEndian.Uint32(end))
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
