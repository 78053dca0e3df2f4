package permute

import (
	"math"

	"bayeskernel/internal/fused"
)

// task is the workspace that handles one tile after another.
type task struct {
	f              *forms
	i0, i1, j0, j1 int

	raw     []float64 // as the matrix gives it, if tile by tile
	tile    []float64 // integers, tileSize numbers a row, 0 below the diagonal and outside
	colSums [tileSize]float64
	rowSums [tileSize]float64
	totals  []float64 // of the permutations

	tables [tablesAtOnce][256]float64 // AVX2 and portable
	high   []byte
	wide   []float64 // AVX-512: tables of 16 elements
	index  []uint64
}

func (f *forms) newTask() *task {
	t := &task{f: f}
	if f.m.Tile != nil {
		t.raw = make([]float64, tileSize*tileSize)
	}
	if f.rowSums == nil {
		return t // only the bound is wanted
	}
	t.tile = make([]float64, tileSize*tileSize)
	t.totals = make([]float64, f.s.stride)
	if f.kind == fused.AVX512 {
		t.wide = make([]float64, tileSize*tileSize/4*16)
		t.index = make([]uint64, tileSize/4*panel)
	} else {
		t.high = make([]byte, f.s.stride)
	}
	return t
}

// fetch loads the tile of a part. Parts are the tiles on and above the diagonal, row by row.
func (t *task) fetch(part int) (src []float64, stride int) {
	row := 0
	for left := t.f.sizes; part >= left; left-- {
		part -= left
		row++
	}
	n := t.f.m.N
	t.i0, t.j0 = row*tileSize, (row+part)*tileSize
	t.i1, t.j1 = min(t.i0+tileSize, n), min(t.j0+tileSize, n)
	if t.raw == nil {
		return t.f.m.Data[t.i0*n+t.j0:], n
	}
	width := t.j1 - t.j0
	t.f.m.Tile(t.raw[:(t.i1-t.i0)*width], t.i0, t.i1, t.j0, t.j1)
	return t.raw, width
}

// begin is the first column of row i that counts.
func (t *task) begin(i int) int {
	if t.i0 == t.j0 {
		return i + 1
	}
	return 0
}

// bound updates the largest absolute value of an element.
func (t *task) bound(part int) {
	src, stride := t.fetch(part)
	least, most := 0.0, 0.0
	for i := range t.i1 - t.i0 {
		for _, v := range src[i*stride+min(t.begin(i), t.j1-t.j0) : i*stride+t.j1-t.j0] {
			if v > most {
				most = v
			} else if v < least {
				least = v
			}
		}
	}
	t.f.mu.Lock()
	t.f.max = max(t.f.max, most, -least)
	t.f.mu.Unlock()
}

// add adds the sums of a tile. Inside it they are floating-point numbers that hold integers.
func (t *task) add(part int) {
	src, stride := t.fetch(part)
	bad, isBad := t.round(src, stride)
	if !isBad {
		clear(t.totals)
		if t.f.kind == fused.AVX512 {
			t.lookupWide()
		} else {
			t.lookup()
		}
	}
	f := t.f
	f.mu.Lock()
	defer f.mu.Unlock()
	if isBad {
		f.bad, f.badValue = true, bad
		return
	}
	for i, v := range t.rowSums[:t.i1-t.i0] {
		f.rowSums[t.i0+i] += int64(v)
	}
	for j, v := range t.colSums[:t.j1-t.j0] {
		f.rowSums[t.j0+j] += int64(v)
	}
	for b, v := range t.totals {
		f.totals[b] += int64(v)
	}
}

// round fills the tile with integers and sums its rows and columns.
func (t *task) round(src []float64, stride int) (bad float64, isBad bool) {
	const magic = 0x1.8p52 // numbers near it count in ones
	scale, limit := math.Ldexp(1, t.f.grid.shift), math.Ldexp(1, t.f.grid.digits)
	rows, width := t.i1-t.i0, t.j1-t.j0
	clear(t.colSums[:])
	clear(t.tile)
	for i := range rows {
		from := min(t.begin(i), width)
		row := src[i*stride+from : i*stride+width]
		to := t.tile[i*tileSize+from:][:len(row)]
		cols := t.colSums[from:][:len(row)]
		sum, fits := 0.0, true
		for j, v := range row {
			k := (v*scale + magic) - magic
			if k > limit || k < -limit {
				fits = false
			}
			to[j] = k
			cols[j] += k
			sum += k
		}
		t.rowSums[i] = sum
		if fits && !math.IsNaN(sum) {
			continue
		}
		for _, v := range row {
			if !(math.Abs((v*scale+magic)-magic) <= limit) {
				return v, true
			}
		}
	}
	return 0, false
}

// tablesAtOnce is the number of tables of 4 x 4 blocks that are looked up together: 16 KB, which
// the first cache holds.
const tablesAtOnce = 8

// lookup takes blocks of 4 x 4. The signed sum of a block has 256 values; each permutation looks up
// the one for its signs.
func (t *task) lookup() {
	s := t.f.s
	groups := (t.j1 - t.j0 + 3) / 4
	column := func(g int) []byte {
		at := (t.j0/4 + g) * s.stride
		return s.nibbles[at : at+s.stride : at+s.stride]
	}
	for i := 0; i < t.i1-t.i0; i += 4 {
		at := (t.i0 + i) / 4 * s.stride
		for b, v := range s.nibbles[at : at+s.stride] {
			t.high[b] = v << 4
		}
		g := t.begin(i) / 4
		for ; g+tablesAtOnce <= groups; g += tablesAtOnce {
			var columns [tablesAtOnce][]byte
			for k := range columns {
				blockTable(t.f.kind, &t.tables[k], t.tile[i*tileSize+4*(g+k):])
				columns[k] = column(g + k)
			}
			lookupEight(t.totals, t.high, &columns, &t.tables)
		}
		for ; g < groups; g++ {
			blockTable(t.f.kind, &t.tables[0], t.tile[i*tileSize+4*g:])
			columns := column(g)[:len(t.totals)]
			high := t.high[:len(t.totals)]
			for b := range t.totals {
				t.totals[b] += t.tables[0][high[b]|columns[b]]
			}
		}
	}
}

func lookupEight(totals []float64, high []byte, c *[8][]byte, t *[8][256]float64) {
	n := len(totals)
	high = high[:n]
	c0, c1, c2, c3 := c[0][:n], c[1][:n], c[2][:n], c[3][:n]
	c4, c5, c6, c7 := c[4][:n], c[5][:n], c[6][:n], c[7][:n]
	for b := range totals {
		h := high[b]
		totals[b] += ((t[0][h|c0[b]] + t[1][h|c1[b]]) + (t[2][h|c2[b]] + t[3][h|c3[b]])) +
			((t[4][h|c4[b]] + t[5][h|c5[b]]) + (t[6][h|c6[b]] + t[7][h|c7[b]]))
	}
}

// blockTablePortable writes the signed sums of the 4 x 4 block at the beginning of tile. The high
// bits of the index are the signs of the rows. To get row a of the table, clear the highest set bit
// of a, take the row of that index, and add twice a row of the block with the signs of the columns.
func blockTablePortable(t *[256]float64, tile []float64) {
	var d [16]float64
	first := (*[16]float64)(t[:])
	clear(first[:])
	for r := range 4 {
		row := (*[4]float64)(tile[r*tileSize:])
		signed(&d, row)
		for c, v := range d {
			first[c] -= v
		}
	}
	for r := range 4 {
		signed(&d, (*[4]float64)(tile[r*tileSize:]))
		for c := range d {
			d[c] *= 2
		}
		for a := range 1 << r {
			from, to := (*[16]float64)(t[16*a:]), (*[16]float64)(t[16*(a|1<<r):])
			for c := range d {
				to[c] = from[c] + d[c]
			}
		}
	}
}

// signed writes the sums of four numbers under all choices of signs.
func signed(d *[16]float64, row *[4]float64) {
	a, b := row[1]-row[0], row[1]+row[0]
	c, e := row[3]-row[2], row[3]+row[2]
	d[0], d[1], d[2], d[3] = -b-e, -a-e, a-e, b-e
	d[4], d[5], d[6], d[7] = -b-c, -a-c, a-c, b-c
	d[8], d[9], d[10], d[11] = -b+c, -a+c, a+c, b+c
	d[12], d[13], d[14], d[15] = -b+e, -a+e, a+e, b+e
}
