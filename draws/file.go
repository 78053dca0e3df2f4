package draws

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"bayeskernel/internal/atomicfile"
)

// File holds the draws of a chain on disk, so that memory does not grow with them. It consists of a
// header and of tiles: a tile has Tile rows of Cols values, column by column, so that a parameter is
// read in few pieces. All numbers are little-endian and have eight bytes. In the file of a chain, the
// last seven columns are the statistics of the transition, in the order of Stat's fields.
type File struct {
	Path       string
	Cols, Tile int
	Rows       int
	// Tail holds the rows after the last whole tile, row by row: only those of a chain under way.
	Tail []float64

	f    *os.File // while the chain is under way
	tile []byte
	row  []float64 // on its way there
}

const (
	fileMagic  = "bayeskernel draws 1\n"
	fileHeader = 64 // bytes: the magic, and from 40 on the numbers of columns, rows a tile, and rows
)

// CreateFile makes a file with so many columns, and its folder. It replaces a
// file only if that holds draws.
func CreateFile(path string, cols int) (*File, error) {
	if cols < 1 {
		return nil, fmt.Errorf("draws: a file of draws with %d columns, want at least 1", cols)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("draws: %w", err)
	}
	if _, err := os.Stat(path); err == nil {
		if _, err := OpenFile(path); err != nil {
			return nil, fmt.Errorf("%w, and it is not replaced", err)
		}
	}
	f, err := atomicfile.Anew(path)
	if err != nil {
		return nil, fmt.Errorf("draws: %w", err)
	}
	out := &File{Path: path, Cols: cols, Tile: max(64, min(1024, 1<<17/cols)), f: f}
	return out, out.writeHeader()
}

// OpenFile opens a file of draws for reading.
func OpenFile(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("draws: %w", err)
	}
	defer f.Close()
	h := make([]byte, fileHeader)
	if _, err := f.ReadAt(h, 0); err != nil || !bytes.HasPrefix(h, []byte(fileMagic)) {
		return nil, fmt.Errorf("draws: %s is not a file of draws", path)
	}
	n := func(at int) int { return int(min(binary.LittleEndian.Uint64(h[at:]), 1<<40)) }
	out := &File{Path: path, Cols: n(40), Tile: n(48), Rows: n(56)}
	if out.Cols < 1 || out.Tile < 1 {
		return nil, fmt.Errorf("draws: %s is damaged: it has %d columns and %d rows a tile", path, out.Cols,
			out.Tile)
	}
	return out, nil
}

// Resume opens the file again after its chain was interrupted, and forgets what was written after the
// state in d.
func (d *File) Resume(path string) error {
	old, err := OpenFile(path)
	if err != nil {
		return err
	}
	size := d.at(d.Rows / d.Tile)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("draws: %w", err)
	case old.Cols != d.Cols || old.Tile != d.Tile || info.Size() < size:
		return fmt.Errorf("draws: %s has %d columns and %d bytes, want %d and at least %d as in the "+
			"checkpoint", path, old.Cols, info.Size(), d.Cols, size)
	}
	d.Path = path
	if d.f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	if err := d.f.Truncate(size); err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	return nil
}

// at is where a tile begins.
func (d *File) at(tile int) int64 {
	return fileHeader + 8*int64(tile)*int64(d.Tile)*int64(d.Cols)
}

func (d *File) writeHeader() error {
	h := make([]byte, fileHeader)
	copy(h, fileMagic)
	for k, v := range []int{d.Cols, d.Tile, d.Rows} {
		binary.LittleEndian.PutUint64(h[40+8*k:], uint64(v))
	}
	if _, err := d.f.WriteAt(h, 0); err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	return nil
}

// Append adds a draw.
func (d *File) Append(row []float64) error {
	if d.f == nil {
		return fmt.Errorf("draws: %s is closed", d.Path)
	}
	if len(row) != d.Cols {
		return fmt.Errorf("draws: a row of %d values, want %d", len(row), d.Cols)
	}
	d.Tail = append(d.Tail, row...)
	d.Rows++
	if d.Rows%d.Tile != 0 {
		return nil
	}
	err := d.writeTail()
	d.Tail = d.Tail[:0]
	return err
}

// writeTail writes the tile of the tail.
func (d *File) writeTail() error {
	if d.tile == nil {
		d.tile = make([]byte, 8*d.Tile*d.Cols)
	}
	n := len(d.Tail) / d.Cols
	for j := range d.Cols {
		column := d.tile[8*j*d.Tile:]
		for i := range n {
			binary.LittleEndian.PutUint64(column[8*i:], math.Float64bits(d.Tail[i*d.Cols+j]))
		}
	}
	if _, err := d.f.WriteAt(d.tile, d.at((d.Rows-n)/d.Tile)); err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	return nil
}

// Sync forces what was written to the disk.
func (d *File) Sync() error {
	if d.f == nil {
		return nil
	}
	if err := d.f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("draws: %w", err)
	}
	return nil
}

// Close writes the rest. The draws can be read afterwards, here and by OpenFile; a chain that is resumed
// overwrites the last tile.
func (d *File) Close() error {
	if d.f == nil {
		return nil
	}
	var err error
	if len(d.Tail) > 0 {
		err = d.writeTail()
	}
	err = errors.Join(err, d.writeHeader(), d.Sync(), d.f.Close())
	d.f, d.tile = nil, nil
	if err != nil {
		return fmt.Errorf("draws: %s: %w", d.Path, err)
	}
	return nil
}

// Column returns the first n draws of a parameter.
func (d *File) Column(j, n int) ([]float64, error) {
	out := make([]float64, 0, max(0, min(n, d.Rows)))
	err := d.Blocks(j, n, func(block []float64) { out = append(out, block...) })
	return out, err
}

// Blocks calls f with the first n draws of a parameter, in order, in blocks that f may use until it
// returns.
func (d *File) Blocks(j, n int, f func(block []float64)) error {
	if j < 0 || j >= d.Cols || n < 0 || n > d.Rows {
		return fmt.Errorf("draws: %s has %d rows and %d columns: no %d rows of column %d", d.Path, d.Rows,
			d.Cols, n, j+1)
	}
	file, err := os.Open(d.Path)
	if err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	defer file.Close()
	size := min(d.Tile, max(n, 1))
	block, b := make([]float64, size), make([]byte, 8*size)
	written := d.Rows - len(d.Tail)/d.Cols
	for i := 0; i < n; {
		m := min(size, n-i)
		if i >= written {
			for k := range m {
				block[k] = d.Tail[(i-written+k)*d.Cols+j]
			}
		} else {
			m = min(m, written-i)
			if _, err := file.ReadAt(b[:8*m], d.at(i/d.Tile)+8*int64(j)*int64(d.Tile)); err != nil {
				return fmt.Errorf("draws: %s: %w", d.Path, err)
			}
			for k := range m {
				block[k] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
			}
		}
		f(block[:m])
		i += m
	}
	return nil
}

// Each calls f with every row in turn, until it returns an error. The row is overwritten by the next.
func (d *File) Each(f func(i int, row []float64) error) error { return d.each(0, d.Cols, d.Rows, f) }

// each is Each for the columns from one to before another, of the first n rows.
func (d *File) each(from, to, n int, f func(i int, row []float64) error) error {
	if from < 0 || from > to || to > d.Cols || n < 0 || n > d.Rows {
		return fmt.Errorf("draws: %s has %d rows and %d columns: no %d rows of columns %d to %d", d.Path, d.Rows,
			d.Cols, n, from+1, to)
	}
	file, err := os.Open(d.Path)
	if err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	defer file.Close()
	row, tile := make([]float64, to-from), []byte(nil)
	written := d.Rows - len(d.Tail)/d.Cols
	for i := range n {
		if i >= written {
			copy(row, d.Tail[(i-written)*d.Cols+from:])
			if err := f(i, row); err != nil {
				return err
			}
			continue
		}
		if i%d.Tile == 0 {
			if tile == nil {
				tile = make([]byte, 8*d.Tile*len(row))
			}
			if _, err := file.ReadAt(tile, d.at(i/d.Tile)+8*int64(from)*int64(d.Tile)); err != nil {
				return fmt.Errorf("draws: %s: %w", d.Path, err)
			}
		}
		for j := range row {
			row[j] = math.Float64frombits(binary.LittleEndian.Uint64(tile[8*(j*d.Tile+i%d.Tile):]))
		}
		if err := f(i, row); err != nil {
			return err
		}
	}
	return nil
}

// StatColumns is how many columns a file has for the statistics of a transition.
const StatColumns = 7

// CreateFile makes the file for draws of so many values, in which Keep puts them.
func (c *Chain) CreateFile(path string, values int) (err error) {
	c.File, err = CreateFile(path, values+StatColumns)
	return err
}

// Keep adds a draw and its statistics, in memory or on disk. It keeps values itself only in memory.
func (c *Chain) Keep(values []float64, s Stat) error {
	if c.File == nil {
		c.Values, c.Stats = append(c.Values, values), append(c.Stats, s)
		return nil
	}
	divergent := 0.0
	if s.Divergent {
		divergent = 1
	}
	d := c.File
	d.row = append(append(d.row[:0], values...), s.LP, s.AcceptStat, s.StepSize, s.Energy,
		float64(s.TreeDepth), float64(s.Leapfrogs), divergent)
	return d.Append(d.row)
}

// Len returns the number of draws kept, in memory or on disk.
func (c *Chain) Len() int {
	if c.File != nil {
		return c.File.Rows
	}
	return len(c.Values)
}

// Column returns the first n draws of the j-th value.
func (c *Chain) Column(j, n int) ([]float64, error) {
	if c.File != nil {
		return c.File.Column(j, n)
	}
	out := make([]float64, n)
	for i, row := range c.Values[:n] {
		out[i] = row[j]
	}
	return out, nil
}

// Blocks calls f with the first n draws of the j-th value, in order, in blocks that f may use until it
// returns.
func (c *Chain) Blocks(j, n int, f func(block []float64)) error {
	if c.File != nil {
		return c.File.Blocks(j, n, f)
	}
	block := make([]float64, 0, 1024)
	for i, row := range c.Values[:n] {
		if block = append(block, row[j]); len(block) == cap(block) || i == n-1 {
			f(block)
			block = block[:0]
		}
	}
	return nil
}

// Each calls f with every draw in turn, until it returns an error. The row is only lent.
func (c *Chain) Each(f func(i int, row []float64) error) error {
	if c.File != nil {
		n := c.File.Cols - StatColumns
		return c.File.Each(func(i int, row []float64) error { return f(i, row[:n:n]) })
	}
	for i, row := range c.Values {
		if err := f(i, row); err != nil {
			return err
		}
	}
	return nil
}

// Part calls f with the values from one to before another of the first n draws in turn, until it returns an
// error. The row is only lent. Of draws on disk it reads no other values.
func (c *Chain) Part(from, to, n int, f func(i int, row []float64) error) error {
	if c.File != nil {
		return c.File.each(from, to, n, f)
	}
	for i, row := range c.Values[:n] {
		if err := f(i, row[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// EachStat calls f with the statistics of every draw in turn.
func (c *Chain) EachStat(f func(i int, s Stat)) error {
	if c.File != nil {
		return c.File.each(c.File.Cols-StatColumns, c.File.Cols, c.File.Rows, func(i int, row []float64) error {
			f(i, statOf(row))
			return nil
		})
	}
	for i, s := range c.Stats {
		f(i, s)
	}
	return nil
}

// statOf reads the columns that Keep wrote.
func statOf(v []float64) Stat {
	return Stat{LP: v[0], AcceptStat: v[1], StepSize: v[2], Energy: v[3], TreeDepth: int(v[4]),
		Leapfrogs: int(v[5]), Divergent: v[6] != 0}
}
