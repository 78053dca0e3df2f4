package summary

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Pilot is a sample of rows, from which a plan is made: those with the smallest priorities, a hash of
// the seed, the chunk and the row. It does not depend on the order of the chunks, and pilots can be
// merged. Rows of equal priority are ordered by their values.
type Pilot struct {
	dim, most int
	seed      uint64
	kept      []keptRow // at most 2 most, in no order
	limit     uint64    // priorities beyond are of no use
	chunks    []int64   // rows of each chunk
	skipped   int64
	samples   map[string]int64 // rows
	name      string
	key       uint64
	row       int64
}

// PilotRows is the number of rows of a pilot by default: more say hardly more about z.
const PilotRows = 100000

// NewPilot makes one of at most so many rows.
func NewPilot(dim, most int, seed uint64) *Pilot {
	return &Pilot{dim: dim, most: most, seed: seed, limit: math.MaxUint64, samples: map[string]int64{}}
}

// Begin begins a chunk of a sample.
func (p *Pilot) Begin(sample string) {
	p.end()
	p.name, p.row = sample, 0
}

func (p *Pilot) end() {
	if p.row > 0 {
		p.chunks = append(p.chunks, p.row)
		p.samples[p.name] += p.row
	}
	p.row = 0
}

// Add takes rows of the chunk, in the units of the data. Rows with a value that is not finite are
// counted and left out.
func (p *Pilot) Add(rows []float64) {
	for i := 0; i+p.dim <= len(rows); i += p.dim {
		row := rows[i : i+p.dim]
		if notFinite(row) >= 0 {
			p.skipped++
			continue
		}
		if p.row == 0 {
			b := []byte(p.name + "\n")
			for _, v := range row {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0))
			}
			sum := sha256.Sum256(b)
			p.key = binary.LittleEndian.Uint64(sum[:])
		}
		if u := priority(p.seed, p.key, p.row); u <= p.limit {
			p.kept = append(p.kept, keptRow{u, slices.Clone(row)})
			if len(p.kept) >= 2*p.most {
				p.thin()
			}
		}
		p.row++
	}
}

// thin leaves out rows that will not be kept.
func (p *Pilot) thin() {
	all := make([]uint64, len(p.kept))
	for i, r := range p.kept {
		all[i] = r.priority
	}
	slices.Sort(all)
	p.limit = all[p.most-1]
	p.kept = slices.DeleteFunc(p.kept, func(r keptRow) bool { return r.priority > p.limit })
}

// cut puts the rows in order and keeps the first.
func (p *Pilot) cut() {
	slices.SortFunc(p.kept, compareKept)
	if len(p.kept) > p.most {
		p.kept = p.kept[:p.most]
		p.limit = p.kept[p.most-1].priority
	}
}

// Merge adds another pilot of the same seed and size.
func (p *Pilot) Merge(o *Pilot) error {
	if o.dim != p.dim || o.most != p.most || o.seed != p.seed {
		return fmt.Errorf("summary: pilots have %d and %d columns, %d and %d rows, seeds %d and %d, want "+
			"the same", p.dim, o.dim, p.most, o.most, p.seed, o.seed)
	}
	p.end()
	o.end()
	p.kept = append(p.kept, o.kept...)
	p.cut()
	p.chunks = append(p.chunks, o.chunks...)
	p.skipped += o.skipped
	for name, n := range o.samples {
		p.samples[name] += n
	}
	return nil
}

// Rows returns the number of rows that were seen, of one sample or, for "", of all.
func (p *Pilot) Rows(sample string) int64 {
	p.end()
	if sample != "" {
		return p.samples[sample]
	}
	n := int64(0)
	for _, v := range p.samples {
		n += v
	}
	return n
}

// sampleRows returns the rows that were kept, in an order that depends on nothing but the rows.
func (p *Pilot) sampleRows() []float64 {
	p.end()
	p.cut()
	out := make([]float64, 0, len(p.kept)*p.dim)
	for _, r := range p.kept {
		out = append(out, r.row...)
	}
	return out
}

// typicalChunk is the median number of rows of a chunk.
func (p *Pilot) typicalChunk() int64 {
	p.end()
	if len(p.chunks) == 0 {
		return 0
	}
	c := slices.Sorted(slices.Values(p.chunks))
	return c[len(c)/2]
}
