package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"bayeskernel/frame/internal/columnar"
)

// Format returns the format.
func Format() columnar.Format {
	return columnar.Format{Is: func(first []byte) bool { return bytes.HasPrefix(first, []byte(magic)) },
		Open: open}
}

const magic = "PAR1"

// pieceRows is how many rows are handed on at once.
const pieceRows = 4096

// file is an open Parquet file.
type file struct {
	*pq.File
	columns []column
}

// open looks at the metadata of a file.
func open(r io.ReaderAt, size int64) (c *columnar.Columns, err error) {
	if err := checkEnds(r, size); err != nil {
		return nil, err
	}
	defer guard(&err, new(bool))
	f, err := pq.OpenFile(r, size, options()...)
	if err != nil {
		return nil, damaged(err)
	}
	if f.Metadata().EncryptionAlgorithm.Value != nil {
		return nil, errors.New("is an encrypted Parquet file; save the table without encryption")
	}
	p := &file{File: f}
	elements := topLevel(f.Metadata().Schema)
	for i, col := range f.Root().Columns() {
		p.columns = append(p.columns, newColumn(col, elements[i]))
	}
	groups := len(f.Metadata().RowGroups)
	c = &columnar.Columns{Rows: f.NumRows(), Groups: groups, ReadGroup: p.readGroup}
	c.Read = func(list []int, asText []bool, add columnar.Add) error {
		return p.read(0, groups, list, asText, add)
	}
	for i := range p.columns {
		c.List = append(c.List, p.columns[i].Column)
	}
	return c, nil
}

// options leave out what is not needed to read a file from front to back.
func options() []pq.FileOption {
	return []pq.FileOption{pq.SkipPageIndex(true), pq.SkipBloomFilters(true),
		pq.ReadBufferSize(1 << 16)}
}

// checkEnds checks what a file that was cut short gets wrong: it should end in the length of its
// metadata and the magic.
func checkEnds(r io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return errors.New("is a damaged Parquet file: it is cut short")
	}
	if n, err := r.ReadAt(end[:], size-8); n < len(end) {
		return fmt.Errorf("cannot be read: %w", err)
	}
	switch length := int64(binary.LittleEndian.Uint32(end[:])); {
	case string(end[4:]) == "PARE":
		return errors.New("is an encrypted Parquet file; save the table without encryption")
	case string(end[4:]) != magic:
		return errors.New("is a damaged Parquet file: its end is missing, so it is cut short or " +
			"still being written")
	case length > size-12:
		return errors.New("is a damaged Parquet file: its metadata are longer than the file")
	}
	return nil
}

// topLevel returns the elements of a schema, listed depth first, that are columns of the table.
func topLevel(schema []format.SchemaElement) []format.SchemaElement {
	var top []format.SchemaElement
	for i := 1; i < len(schema); {
		top = append(top, schema[i])
		for open := 1; open > 0 && i < len(schema); i++ {
			open += int(schema[i].NumChildren.V) - 1
		}
	}
	return top
}

// damaged makes an error of the library one for the user.
func damaged(err error) error {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(err.Error(), "?")), " ")
	return errors.New("is a damaged Parquet file: " + text)
}

// guard turns a panic of the library into an error. Panics within the caller's code go on.
func guard(err *error, outside *bool) {
	if *outside {
		return
	}
	if p := recover(); p != nil {
		*err = damaged(fmt.Errorf("%v", p))
	}
}

// readGroup reads columns of a group of rows in pieces.
func (f *file) readGroup(g int, list []int, asText []bool, add columnar.Add) error {
	return f.read(g, g+1, list, asText, add)
}

// read reads columns of the groups from first to last-1 in pieces.
func (f *file) read(first, last int, list []int, asText []bool, add columnar.Add) (
	err error) {
	var outside bool
	defer guard(&err, &outside)
	readers := make([]reader, len(list))
	var leaves []int
	pieces := make([]columnar.Piece, len(list))
	defer func() {
		for i := range readers {
			readers[i].close()
		}
	}()
	for i, k := range list {
		c := &f.columns[k]
		if c.Refused != "" {
			return fmt.Errorf("column %q %s", c.Name, c.Refused)
		}
		readers[i] = reader{column: c, asText: asText[i] || c.Kind == columnar.Text}
		leaves = append(leaves, c.leaf)
	}
	plain, err := unpacked(f.File, leaves)
	if err != nil {
		return damaged(err)
	}
	for g, group := range plain.RowGroups() {
		if g < first || g >= last {
			continue
		}
		chunks, stored := group.ColumnChunks(), plain.Metadata().RowGroups[g].Columns
		for i := range readers {
			r := &readers[i]
			if err := r.start(chunks[r.leaf], stored[r.leaf].MetaData.Codec); err != nil {
				return err
			}
		}
		for left := group.NumRows(); left > 0; {
			n := int(min(left, pieceRows))
			for i := range readers {
				if pieces[i], err = readers[i].next(n); err != nil {
					return err
				}
			}
			outside = true
			if err := add(n, pieces); err != nil {
				return err
			}
			outside = false
			left -= int64(n)
		}
		for i := range readers {
			if err := readers[i].end(); err != nil {
				return err
			}
		}
	}
	return nil
}
