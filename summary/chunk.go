package summary

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"slices"

	"bayeskernel/internal/rng"
	"bayeskernel/internal/rows"

	"gonum.org/v1/gonum/floats"
)

// Chunk takes rows that belong together: those of a small file, of a row group, or of a stretch of a
// large file. What is a chunk must not depend on the number of workers.
type Chunk struct {
	of       *Summary
	in       *sample
	record   chunkRecord
	hash     hash.Hash
	key      uint64 // of the first block, or of Place; the place of the first bin follows from it
	placed   bool
	block    []float64
	bytes    []byte
	row      int64 // of the first row of the block
	skipping bool
	spread   int64 // rows in the sums over the lattice that are not in integers yet
	newKept  []keptRow
	err      error
}

// workspace is what chunks of a summary share.
type workspace struct {
	sums    *kernelSums
	series  *chebyshevSums // nil where rows are summed one by one
	lattice *spreading     // nil where there is no lattice
	// Of the last few blocks, for the test in the middle: the sums of k - shift, and of (k - shift)²; and
	// the numbers of rows.
	middle []float64
	counts []int
}

// Release gives back the memory that chunks share; another chunk takes it again. None may be open.
func (s *Summary) Release() { s.work = nil }

// Chunk begins a chunk of a sample. One at a time can be open, and it has to be closed. With
// skipMissing rows with a value that is not finite are left out and counted; otherwise they are an
// error.
func (s *Summary) Chunk(sample string, skipMissing bool) (*Chunk, error) {
	if sample == "" {
		return nil, fmt.Errorf("summary: sample has no name, want one such as P")
	}
	if s.work == nil {
		kind, err := s.plan.kind()
		if err != nil {
			return nil, err
		}
		s.path = kind
		s.work = &workspace{sums: newKernelSums(s.plan.flat(), s.plan.Dim(), kind),
			middle: make([]float64, batch*(s.plan.M()+1))}
		if e := s.plan.expanded(kind, s.hash); e != nil {
			s.work.series = e.room(s.plan.Bins)
		}
		if s.plan.Lattice != nil {
			s.work.lattice = newSpreading(s.plan.Lattice)
		}
	}
	c := &Chunk{of: s, in: s.sampleOf(sample), hash: sha256.New(), skipping: skipMissing,
		block: make([]float64, 0, s.plan.Block*s.plan.Dim())}
	fmt.Fprintf(c.hash, "%d %q %d\n", len(sample), sample, s.plan.Dim())
	for range s.plan.Dim() {
		c.record.Min = append(c.record.Min, math.Inf(1))
		c.record.Max = append(c.record.Max, math.Inf(-1))
	}
	return c, nil
}

// Add takes rows, one after the other, in the units of the data.
func (c *Chunk) Add(x []float64) error {
	p := c.of.plan
	d := p.Dim()
	if len(x)%d != 0 {
		panic("summary: Chunk.Add: rows are not whole")
	}
	for len(x) > 0 && c.err == nil {
		part := x[:min(len(x), p.Block*d-len(c.block))]
		taken := len(part)
		if bad := notFinite(part); bad >= 0 {
			a := bad % d
			if part, taken = part[:bad-a], bad-a+d; !c.skipping {
				c.err = fmt.Errorf("summary: row %d of a chunk of sample %q has %v in column %q, want a finite "+
					"number, or missing ones skipped", c.row+int64((len(c.block)+len(part))/d)+1, c.in.name, x[bad],
					p.Columns[a])
				return c.err
			}
			c.record.Skipped++
		}
		for a := range d {
			c.record.Min[a], c.record.Max[a] = widened(c.record.Min[a], c.record.Max[a], part[a:], d)
		}
		at := len(c.block)
		c.block = c.block[:at+len(part)]
		for i, v := range part {
			c.block[at+i] = v + 0 // 0 for -0
		}
		if x = x[taken:]; len(c.block) == p.Block*d {
			c.flush()
		}
	}
	return c.err
}

// widened returns the range from lo to hi with every d-th of the values in it.
func widened(lo, hi float64, values []float64, d int) (least, most float64) {
	for i := 0; i < len(values); i += d {
		v := values[i] + 0 // 0 for -0
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	return lo, hi
}

// Place puts the rows into bins by the number of the chunk among those of its sample, and not by what is in
// it: summaries of other columns of the same rows then have the same rows in each bin. It is called before Add.
func (c *Chunk) Place(number int) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", c.in.name, number))
	c.key, c.placed = binary.LittleEndian.Uint64(sum[:]), true
}

// Skip counts rows that the reader left out.
func (c *Chunk) Skip(rows int64) { c.record.Skipped += rows }

func notFinite(row []float64) int {
	for a, v := range row {
		if v-v != 0 {
			return a
		}
	}
	return -1
}

// flush adds the block to the sums.
func (c *Chunk) flush() {
	p, w, n := c.of.plan, c.of.work, len(c.block)/c.of.plan.Dim()
	if n == 0 || c.err != nil {
		return
	}
	c.bytes = slices.Grow(c.bytes[:0], 8*len(c.block))[:8*len(c.block)]
	for i, v := range c.block {
		binary.LittleEndian.PutUint64(c.bytes[8*i:], math.Float64bits(v))
	}
	if c.row == 0 && !c.placed {
		sum := sha256.Sum256(append([]byte(c.in.name+"\n"), c.bytes...))
		c.key = binary.LittleEndian.Uint64(sum[:])
	}
	c.hash.Write(c.bytes)
	c.keep()
	c.moments()
	rows.Divide(c.block, p.SD)
	bin := c.bin(c.row / int64(p.Block))
	good := c.kernels(bin)
	if p.Lattice != nil {
		c.in.outside += w.lattice.spread(c.block)
		if c.spread += int64(n); c.spread >= latticeRows {
			good = c.drain() && good
		}
	}
	if !good {
		c.err = errOverflow
	}
	c.in.rows[bin] += int64(n)
	c.in.blocks++
	c.row += int64(n)
	c.block = c.block[:0]
}

// keep keeps rows of low priority as they are.
func (c *Chunk) keep() {
	d := c.of.plan.Dim()
	key, limit, row := seeded(c.of.plan.Seed, c.key), c.of.plan.Keep, c.row
	for i := 0; i < len(c.block); i += d {
		if u := priority(key, row); u < limit {
			c.newKept = append(c.newKept, keptRow{u, slices.Clone(c.block[i : i+d])})
		}
		row++
	}
}

// priority is a hash of a row of the chunk with the seeded key key.
func priority(key uint64, row int64) uint64 { return mix(key, uint64(row)) }

func seeded(seed, key uint64) uint64 { return mix(key, seed) }

func mix(x, v uint64) uint64 { return rng.Mix(x + 0x9e3779b97f4a7c15*(v+1)) }

// moments adds the block, in the units of the data, to the sums of each column.
func (c *Chunk) moments() {
	p := c.of.plan
	d := p.Dim()
	for a := range d {
		one, two, centre, scale := 0.0, 0.0, p.Centre[a], p.Scale[a]
		for i := a; i < len(c.block); i += d {
			u := (c.block[i] - centre) / scale
			one += u
			two += float64(u * u)
		}
		if !accumulate(c.in.moments[2*a:2*a+2], []float64{one, two}, unitWide) {
			c.err = errOverflow
		}
	}
}

// batch is how many blocks wait until the test in the middle is computed for all of them.
const batch = 16

// kernels adds the block to the sums of kernel values and log gamma.
func (c *Chunk) kernels(bin int) bool {
	p, w := c.of.plan, c.of.work
	place, width := len(w.counts), p.M()+1
	middle := w.middle[place*width:][:width]
	clear(middle)
	good := true
	if w.series == nil {
		good = c.rows(bin, c.block, middle)
	} else {
		if left := w.series.add(c.block, bin, place); len(left) > 0 && len(p.Tests) > 0 {
			w.sums.load(left)
			w.sums.run(p.Tests[len(p.Tests)/2], false)
			floats.Add(middle[:p.M()], w.sums.c)
			middle[p.M()] += w.sums.spread
		}
		if len(w.series.rest[bin]) >= mostRest {
			good = c.remaining(bin)
		}
	}
	if w.counts = append(w.counts, len(c.block)/p.Dim()); len(w.counts) == batch {
		good = c.between() && good
	}
	return good
}

// between adds the blocks that wait to the sums over blocks of the test in the middle.
func (c *Chunk) between() bool {
	p, w := c.of.plan, c.of.work
	width, pair, good := p.M()+1, []int128{c.in.between, c.in.within}, true
	if len(p.Tests) > 0 {
		if w.series != nil {
			w.series.middle(w.middle, len(w.counts))
		}
		for b, n := range w.counts {
			middle, square := w.middle[b*width:][:width], 0.0
			for _, v := range middle[:p.M()] {
				square += float64(v * v)
			}
			good = accumulate(pair, []float64{square / float64(n), middle[p.M()]}, unitKernel) && good
		}
	} else if w.series != nil {
		clear(w.series.blocks)
	}
	c.in.between, c.in.within = pair[0], pair[1]
	w.counts = w.counts[:0]
	return good
}

// rows adds rows to the sums of a bin, one by one, and if middle is not nil to those of the test in the
// middle.
func (c *Chunk) rows(bin int, x, middle []float64) bool {
	p, k := c.of.plan, c.of.work.sums
	m := p.M()
	sums, gamma := c.in.of(p, bin)
	good := true
	k.load(x)
	for _, w := range p.Windows {
		for _, node := range w.Nodes {
			k.run(node, true)
			good = accumulate(sums[:m], k.c, unitKernel) && good
			good = accumulate(sums[m:m+1], []float64{k.spread}, unitKernel) && good
			good = accumulate(gamma[:1], []float64{k.logGamma}, unitWide) && good
			sums, gamma = sums[m+1:], gamma[1:]
		}
	}
	for t, node := range p.Tests {
		k.run(node, false)
		good = accumulate(sums[:m], k.c, unitKernel) && good
		sums = sums[m:]
		if t == len(p.Tests)/2 && middle != nil {
			floats.Add(middle[:m], k.c)
			middle[m] += k.spread
		}
	}
	return good
}

// of returns the sums of kernel values and of log gamma of a bin.
func (s *sample) of(p *Plan, bin int) (sums, gamma []int128) {
	n, g := p.binSums(), p.nodes()
	return s.sums[bin*n : (bin+1)*n], s.gamma[bin*g : (bin+1)*g]
}

// collect adds the sums that the Chebyshev sums stand for to the bins that have got rows of the chunk.
func (c *Chunk) collect() bool {
	e, p := c.of.work.series, c.of.plan
	if e == nil || c.row == 0 {
		return true
	}
	m := p.M()
	blocks := (c.row + int64(p.Block) - 1) / int64(p.Block)
	var bins []int
	for b := range min(blocks, int64(p.Bins)) {
		bins = append(bins, c.bin(b))
	}
	good := true
	for i, out := range slices.Collect(slices.Chunk(e.sums(bins), e.of.functions)) {
		sums, gamma := c.in.of(p, bins[i])
		for range p.nodes() {
			good = accumulate(sums[:m+1], out[:m+1], unitKernel) && good
			good = accumulate(gamma[:1], out[m+1:m+2], unitWide) && good
			sums, gamma, out = sums[m+1:], gamma[1:], out[m+2:]
		}
		good = accumulate(sums, out[:len(sums)], unitKernel) && good
		good = c.remaining(bins[i]) && good
	}
	return good
}

// mostRest is how many rows of a bin wait to be summed one by one.
const mostRest = 1 << 12

// remaining adds the rows that wait to be summed one by one to their bin.
func (c *Chunk) remaining(bin int) bool {
	rest := c.of.work.series.rest[bin]
	if len(rest) == 0 {
		return true
	}
	c.of.work.series.rest[bin] = rest[:0]
	return c.rows(bin, rest, nil)
}

// bin returns the bin of a block of the chunk.
func (c *Chunk) bin(block int64) int {
	bins := uint64(c.of.plan.Bins)
	return int((c.key%bins + uint64(block)) % bins)
}

// drain adds the sums over the lattice to the integers, and clears them.
func (c *Chunk) drain() bool {
	c.spread = 0
	if c.of.work.lattice == nil {
		return true
	}
	return c.of.work.lattice.drain(c.in.lattice)
}

// Close ends the chunk. After an error the summary has no meaning.
func (c *Chunk) Close() error {
	c.flush()
	if c.err != nil {
		return c.err
	}
	good := c.between()
	if good = c.collect() && good; !c.drain() || !good {
		return errOverflow
	}
	c.record.ID = hex.EncodeToString(c.hash.Sum(nil))
	c.record.Rows = c.row
	if c.row == 0 {
		c.record.Min, c.record.Max = nil, nil
	}
	slices.SortFunc(c.newKept, compareKept)
	c.in.kept = mergeKept(c.in.kept, c.newKept)
	return c.in.record(c.record, c.of.AllowEqual)
}
