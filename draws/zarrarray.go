package draws

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// zarrMeta describes an array (Zarr storage specification, version 2).
type zarrMeta struct {
	Format     int             `json:"zarr_format"`
	Shape      []int           `json:"shape"`
	Chunks     []int           `json:"chunks"`
	DType      zarrType        `json:"dtype"`
	Compressor json.RawMessage `json:"compressor"`
	FillValue  json.RawMessage `json:"fill_value"`
	Order      string          `json:"order"`
	Filters    json.RawMessage `json:"filters"`
}

type zarrType string

// The types that are written; the reader knows a few more.
const (
	zarrFloat zarrType = "<f8"
	zarrInt   zarrType = "<i8"
	zarrBool  zarrType = "|b1"
)

// zarrArray is an array in memory, the last index running fastest.
type zarrArray struct {
	zarrMeta
	values []float64
}

func readZarrMeta(dir string) (zarrMeta, error) {
	path := filepath.Join(dir, zarrArrayFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return zarrMeta{}, fmt.Errorf("draws: %w", err)
	}
	m, err := parseZarrMeta(b)
	if err != nil {
		return zarrMeta{}, fmt.Errorf("draws: %s: %w", path, err)
	}
	return m, nil
}

// maxElements bounds the size that metadata may announce, so that products of shapes fit an int, and
// where that has 32 bits the bytes of the values too.
const maxElements = min(1<<40, math.MaxInt/8)

// parseZarrMeta accepts only what readZarrArray can read.
func parseZarrMeta(b []byte) (zarrMeta, error) {
	var m zarrMeta
	if err := json.Unmarshal(b, &m); err != nil {
		return m, err
	}
	null := func(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
	switch {
	case m.Format != 2:
		return m, fmt.Errorf("zarr_format is %d, expected 2", m.Format)
	case m.DType.size() == 0:
		return m, fmt.Errorf("dtype is %.20q, expected one of <f8, <f4, <i8, <i4, |i1, |b1", m.DType)
	case !null(m.Compressor):
		return m, fmt.Errorf("compressor is %.80s, expected null", m.Compressor)
	case !null(m.Filters) && string(m.Filters) != "[]":
		return m, fmt.Errorf("filters are %.80s, expected null", m.Filters)
	case m.Order != "C":
		return m, fmt.Errorf("order is %.20q, expected %q", m.Order, "C")
	case len(m.Shape) != len(m.Chunks) || len(m.Shape) == 0 || len(m.Shape) > 32:
		return m, fmt.Errorf("shape has %d dimensions and chunks %d, expected 1 to 32 of both",
			len(m.Shape), len(m.Chunks))
	}
	elements, chunk := 1, 1
	for k, d := range m.Shape {
		if d < 0 || m.Chunks[k] < 1 || m.Chunks[k] > max(d, 1) || d > maxElements/max(elements, 1) {
			return m, fmt.Errorf("shape %v in chunks of %v, expected positive sizes of at most %d "+
				"elements", m.Shape, m.Chunks, maxElements)
		}
		elements *= d
		chunk *= m.Chunks[k]
	}
	return m, nil
}

// size is the number of bytes of an element, 0 if the type is not known.
func (t zarrType) size() int {
	switch t {
	case zarrFloat, zarrInt:
		return 8
	case "<f4", "<i4":
		return 4
	case zarrBool, "|i1":
		return 1
	}
	return 0
}

func (t zarrType) value(b []byte) float64 {
	switch t {
	case zarrFloat:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case zarrInt:
		return float64(int64(binary.LittleEndian.Uint64(b)))
	case "<f4":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "<i4":
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case "|i1":
		return float64(int8(b[0]))
	}
	return float64(b[0])
}

func (m *zarrMeta) elements() int {
	n := 1
	for _, d := range m.Shape {
		n *= d
	}
	return n
}

func (m *zarrMeta) chunkBytes() int64 {
	n := int64(m.DType.size())
	for _, d := range m.Chunks {
		n *= int64(d)
	}
	return n
}

// eachChunk calls f with the index of each chunk until f fails.
func (m *zarrMeta) eachChunk(f func(index []int, file string) error) error {
	if m.elements() == 0 {
		return nil
	}
	index := make([]int, len(m.Shape))
	for {
		name := make([]string, len(index))
		for k, i := range index {
			name[k] = strconv.Itoa(i)
		}
		if err := f(index, strings.Join(name, ".")); err != nil {
			return err
		}
		k := len(index) - 1
		for ; k >= 0; k-- {
			if index[k]++; index[k]*m.Chunks[k] < m.Shape[k] {
				break
			}
			index[k] = 0
		}
		if k < 0 {
			return nil
		}
	}
}

// checkChunks makes sure that every chunk is there in full before memory is reserved for it, so
// that metadata cannot ask for more than the files hold.
func (m *zarrMeta) checkChunks(dir string) error {
	return m.eachChunk(func(_ []int, file string) error {
		path := filepath.Join(dir, file)
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("draws: %w", err)
		}
		if info.Size() != m.chunkBytes() {
			return fmt.Errorf("draws: %s has %d bytes, expected %d", path, info.Size(), m.chunkBytes())
		}
		return nil
	})
}

// readZarrArray reads an array of any of the known types as float64.
func readZarrArray(dir string) (*zarrArray, error) {
	m, err := readZarrMeta(dir)
	if err != nil {
		return nil, err
	}
	if err := m.checkChunks(dir); err != nil {
		return nil, err
	}
	a := &zarrArray{zarrMeta: m, values: make([]float64, m.elements())}
	err = m.eachChunk(func(index []int, file string) error {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return fmt.Errorf("draws: %w", err)
		}
		if int64(len(b)) != m.chunkBytes() {
			return fmt.Errorf("draws: %s changed while it was read", filepath.Join(dir, file))
		}
		a.place(index, b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// place copies a chunk into the array; what lies over the array's edge is padding.
func (a *zarrArray) place(index []int, b []byte) {
	size := a.DType.size()
	for e := 0; e*size < len(b); e++ {
		at, stride, rest, inside := 0, 1, e, true
		for k := len(index) - 1; k >= 0; k-- {
			i := index[k]*a.Chunks[k] + rest%a.Chunks[k]
			rest /= a.Chunks[k]
			inside = inside && i < a.Shape[k]
			at += i * stride
			stride *= a.Shape[k]
		}
		if inside {
			a.values[at] = a.DType.value(b[e*size:])
		}
	}
}
