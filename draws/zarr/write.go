package zarr

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"bayeskernel/internal/atomicfile"
)

// The files of the format, version 2, and the key under which xarray looks for dimensions.
const (
	groupFile = ".zgroup"
	arrayFile = ".zarray"
	attrsFile = ".zattrs"
	allFile   = ".zmetadata"
	dimsKey   = "_ARRAY_DIMENSIONS"
	recordKey = "bayeskernel"
)

// arrayMeta describes an array (Zarr storage specification, version 2).
type arrayMeta struct {
	Format     int             `json:"zarr_format"`
	Shape      []int           `json:"shape"`
	Chunks     []int           `json:"chunks"`
	DType      dtype           `json:"dtype"`
	Compressor json.RawMessage `json:"compressor"`
	FillValue  json.RawMessage `json:"fill_value"`
	Order      string          `json:"order"`
	Filters    json.RawMessage `json:"filters"`
}

type dtype string

const (
	floatType dtype = "<f8"
	intType   dtype = "<i8"
	boolType  dtype = "|b1"
)

// create makes the folder with the root's attributes and calls fill to write the rest. The folder
// appears whole or not at all.
func create(dir string, attrs map[string]any, fill func(w *writer)) error {
	replaceable := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, groupFile))
		return err == nil
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return fmt.Errorf("zarr: %w", err)
	}
	var own error // an error that names this package
	err := atomicfile.WriteDir(dir, replaceable, func(part string) error {
		w := &writer{root: part, meta: map[string]any{}, taken: map[string]string{}}
		w.group("", attrs)
		fill(w)
		w.json("", allFile, map[string]any{"zarr_consolidated_format": 1, "metadata": w.meta})
		own = w.err
		return own
	})
	if err != nil && own == nil {
		err = fmt.Errorf("zarr: %w", err)
	}
	return err
}

// writer writes files below root and collects their metadata. After an error it does nothing.
type writer struct {
	root  string
	meta  map[string]any
	taken map[string]string // paths of arrays and groups by what a file system may see of them
	err   error
}

// checkName returns an error unless the name is a valid folder name on every system.
func checkName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("zarr: a name is empty, want one that can name a folder")
	case name == "." || name == "..":
		return fmt.Errorf("zarr: name %q means a folder that is there already, rename it", name)
	case name[0] == '.':
		return fmt.Errorf("zarr: name %q begins with a dot, as the format's own files do, rename it",
			name)
	case strings.ContainsAny(name, "/\\\x00"):
		return fmt.Errorf("zarr: name %q contains a slash, and so cannot name a folder, rename it", name)
	}
	return nil
}

// take reserves a path. No two paths may differ only in case.
func (w *writer) take(path string) {
	_, name := filepath.Split(path)
	if err := checkName(name); err != nil && w.err == nil {
		w.err = err
	}
	folded := fold(path)
	if other, ok := w.taken[folded]; ok && w.err == nil {
		w.err = fmt.Errorf("zarr: %q is taken by %q, another variable, dimension or group, rename one",
			path, other)
	}
	w.taken[folded] = path
}

func (w *writer) coordinate(group, name string, n int, value func(int) int) {
	w.array(group, name, intType, []int{n}, []string{name}, func(b []byte, at int) []byte {
		return binary.LittleEndian.AppendUint64(b, uint64(value(at)))
	})
}

// array writes an array whose elements are asked for in the order of memory, the last index running
// fastest.
func (w *writer) array(group, name string, t dtype, shape []int, dims []string,
	element func(b []byte, at int) []byte) {
	w.chunks(group, name, t, shape, dims, func(from, to int, out *bufio.Writer) error {
		for at := from; at < to; at++ {
			if _, err := out.Write(element(out.AvailableBuffer(), at)); err != nil {
				return err
			}
		}
		return nil
	})
}

// chunks writes an array in one chunk per chain, or one chunk if it has one dimension. It calls fill for
// each chunk, to write the elements of these places.
func (w *writer) chunks(group, name string, t dtype, shape []int, dims []string,
	fill func(from, to int, out *bufio.Writer) error) {
	path := group + "/" + name
	w.take(path)
	chunks := append([]int(nil), shape...)
	size, blocks := 1, 1
	for _, d := range shape {
		size *= d
	}
	if len(shape) > 1 {
		blocks, chunks[0] = shape[0], 1
	}
	null := json.RawMessage("null")
	w.mkdir(path)
	w.json(path, arrayFile, arrayMeta{Format: 2, Shape: shape, Chunks: chunks, DType: t,
		Compressor: null, FillValue: null, Order: "C", Filters: null})
	w.json(path, attrsFile, map[string]any{dimsKey: dims})
	suffix := strings.Repeat(".0", len(shape)-1)
	for c := range blocks {
		w.stream(path, strconv.Itoa(c)+suffix, func(out *bufio.Writer) error {
			return fill(c*size/blocks, (c+1)*size/blocks, out)
		})
	}
}

func (w *writer) group(path string, attrs map[string]any) {
	if path != "" {
		w.take(path)
	}
	if attrs == nil {
		attrs = map[string]any{}
	}
	w.mkdir(path)
	w.json(path, groupFile, map[string]any{"zarr_format": 2})
	w.json(path, attrsFile, attrs)
}

func (w *writer) mkdir(path string) {
	if w.err != nil {
		return
	}
	if err := os.MkdirAll(filepath.Join(w.root, path), 0o777); err != nil {
		w.err = fmt.Errorf("zarr: %w", err)
	}
}

// json writes one of the format's own files and remembers it for the consolidated metadata.
func (w *writer) json(path, file string, v any) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		if w.err == nil {
			w.err = fmt.Errorf("zarr: %w", err)
		}
		return
	}
	w.file(path, file, append(b, '\n'))
	w.meta[strings.TrimPrefix(path+"/"+file, "/")] = v
}

func (w *writer) file(path, file string, b []byte) {
	w.stream(path, file, func(out *bufio.Writer) error {
		_, err := out.Write(b)
		return err
	})
}

// stream writes a file in pieces.
func (w *writer) stream(path, file string, fill func(out *bufio.Writer) error) {
	if w.err != nil {
		return
	}
	f, err := os.Create(filepath.Join(w.root, path, file))
	if err == nil {
		out := bufio.NewWriterSize(f, 1<<16)
		err = errors.Join(fill(out), out.Flush(), f.Close())
	}
	if err != nil {
		w.err = fmt.Errorf("zarr: %w", err)
	}
}

// fold is what a file system in which case does not count sees of a path.
func fold(path string) string { return strings.ToLower(path) }
