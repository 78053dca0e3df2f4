package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library, up to its version 0.32.0, returns zeros for pages compressed by LZ4_RAW to more than
// a third of their size (its issue 608), and uses up all memory on damaged ones. So these pages are
// decompressed here, and the library is shown a file in which they are not compressed.

// unpacked returns a file in which no chunk of the leaf columns is compressed by LZ4_RAW: f itself,
// or a copy whose chunks of that kind stand, decompressed, behind the end of the file.
func unpacked(f *pq.File, leaves []int) (*pq.File, error) {
	end := extended{ReaderAt: f, size: f.Size()}
	meta := *f.Metadata()
	meta.RowGroups = slices.Clone(meta.RowGroups)
	for g := range meta.RowGroups {
		columns := slices.Clone(meta.RowGroups[g].Columns)
		meta.RowGroups[g].Columns = columns
		for _, leaf := range leaves {
			if m := &columns[leaf].MetaData; m.Codec == format.Lz4Raw {
				if err := end.unpack(m); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(end.more) == 0 {
		return f, nil
	}
	var err error
	if end.more, err = withFooter(end.more, &meta); err != nil {
		return nil, err
	}
	return pq.OpenFile(&end, end.size+int64(len(end.more)), options()...)
}

// withFooter appends the metadata as they stand at the end of a file.
func withFooter(b []byte, meta *format.FileMetaData) ([]byte, error) {
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	b = binary.LittleEndian.AppendUint32(append(b, footer...), uint32(len(footer)))
	return append(b, magic...), err
}

// extended is a file with more bytes behind its end.
type extended struct {
	io.ReaderAt
	size int64
	more []byte
}

func (e *extended) ReadAt(p []byte, at int64) (int, error) {
	if at < e.size {
		return e.ReaderAt.ReadAt(p, at) // no page straddles the end
	}
	return bytes.NewReader(e.more).ReadAt(p, at-e.size)
}

// unpack appends the pages of a chunk, decompressed, and points its metadata there.
func (e *extended) unpack(m *format.ColumnMetaData) error {
	from := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < from {
		from = d
	}
	if from < 0 || m.TotalCompressedSize < 0 || from > e.size-m.TotalCompressedSize {
		return errors.New("a column stands outside the file")
	}
	chunk := make([]byte, m.TotalCompressedSize)
	if n, err := e.ReaderAt.ReadAt(chunk, from); n < len(chunk) {
		return err
	}
	begin := e.size + int64(len(e.more))
	data := int64(-1)
	var protocol thrift.CompactProtocol
	for len(chunk) > 0 {
		var h format.PageHeader
		r := protocol.NewReaderFromBytes(chunk)
		if err := thrift.NewDecoder(r).Decode(&h); err != nil {
			return err
		}
		chunk = chunk[r.BytesRead():]
		if h.CompressedPageSize < 0 || int(h.CompressedPageSize) > len(chunk) {
			return errors.New("a page is longer than its column")
		}
		page, err := decompress(&h, chunk[:h.CompressedPageSize])
		if err != nil {
			return err
		}
		chunk = chunk[h.CompressedPageSize:]
		h.CompressedPageSize, h.UncompressedPageSize, h.CRC = int32(len(page)), int32(len(page)), 0
		header, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
		if err != nil {
			return err
		}
		if data < 0 && h.Type != format.DictionaryPage {
			data = e.size + int64(len(e.more))
		}
		e.more = append(append(e.more, header...), page...)
	}
	m.DataPageOffset, m.Codec = begin, format.Uncompressed
	if m.DictionaryPageOffset > 0 {
		m.DictionaryPageOffset, m.DataPageOffset = begin, max(data, begin)
	}
	m.TotalCompressedSize = e.size + int64(len(e.more)) - begin
	m.TotalUncompressedSize = m.TotalCompressedSize
	return nil
}

// decompress returns the contents of a page. In pages of version 2 the levels come first and are
// never compressed.
func decompress(h *format.PageHeader, b []byte) ([]byte, error) {
	levels := 0
	if h.Type == format.DataPageV2 {
		v2 := &h.DataPageHeaderV2.V
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			return b, nil
		}
		levels = int(v2.RepetitionLevelsByteLength) + int(v2.DefinitionLevelsByteLength)
		if v2.RepetitionLevelsByteLength < 0 || v2.DefinitionLevelsByteLength < 0 || levels > len(b) {
			return nil, errors.New("the levels of a page are longer than the page")
		}
	}
	// A byte of LZ4 stands for at most 255 bytes.
	size := int(h.UncompressedPageSize)
	if size < levels || size > 255*(len(b)+1) {
		return nil, fmt.Errorf("a page of %d bytes cannot hold %d", len(b), size)
	}
	dst := make([]byte, size)
	copy(dst, b[:levels])
	return dst, unpackLZ4(dst[levels:], b[levels:])
}

var errLZ4 = errors.New("damaged LZ4 data")

// unpackLZ4 decompresses a block in the LZ4 format, which must fill dst. A block is a row of
// sequences: a token, literal bytes, and a match, which repeats bytes already written. The token
// has the two lengths; the last sequence has no match.
func unpackLZ4(dst, src []byte) error {
	n := 0 // bytes written
	for len(src) > 0 {
		token := src[0]
		literals, rest, ok := length(int(token>>4), src[1:])
		if !ok || literals > len(rest) || literals > len(dst)-n {
			return errLZ4
		}
		n += copy(dst[n:], rest[:literals])
		if src = rest[literals:]; len(src) == 0 {
			break
		}
		if len(src) < 2 {
			return errLZ4
		}
		back := int(src[0]) | int(src[1])<<8
		match, rest, ok := length(int(token&15), src[2:])
		match += 4
		if !ok || back == 0 || back > n || match > len(dst)-n {
			return errLZ4
		}
		for end := n + match; n < end; {
			n += copy(dst[n:end], dst[n-back:n]) // a match may overlap what it writes
		}
		src = rest
	}
	if n != len(dst) {
		return errLZ4
	}
	return nil
}

// length reads the bytes by which a length of 15 or more goes on.
func length(n int, src []byte) (int, []byte, bool) {
	if n < 15 {
		return n, src, true
	}
	for i, b := range src {
		n += int(b)
		if b < 255 {
			return n, src[i+1:], true
		}
	}
	return 0, nil, false
}
