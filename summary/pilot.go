package summary

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Pilot is a sample of rows that a plan is made from. It has the rows with the smallest priorities,
// a hash of the seed, the chunk and the row. It does not depend on the order of the chunks, and
// pilots can be merged. Rows of equal priority are ordered by their values.
type Pilot struct {
	dim, most  int
	seed       uint64
	priorities []uint64  // of the rows that are kept so far, in no order
	values     []float64 // of these rows
	limit      uint64    // priorities beyond are of no use
	chunks     []int64   // rows of each chunk
	skipped    int64
	samples    map[string]int64 // rows
	name       string
	key        uint64 // of the chunk, with the seed
	row        int64
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
	rows = rows[:len(rows)/p.dim*p.dim]
	for len(rows) > 0 {
		part := rows[:min(len(rows), mostBlock*p.dim)]
		taken := len(part)
		if bad := notFinite(part); bad >= 0 {
			bad -= bad % p.dim
			part, taken = part[:bad], bad+p.dim
			p.skipped++
		}
		if rows = rows[taken:]; len(part) > 0 {
			p.finite(part)
		}
	}
}

// finite takes rows whose values are all finite.
func (p *Pilot) finite(rows []float64) {
	if p.row == 0 {
		b := []byte(p.name + "\n")
		for _, v := range rows[:p.dim] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0))
		}
		sum := sha256.Sum256(b)
		p.key = seeded(p.seed, binary.LittleEndian.Uint64(sum[:]))
	}
	for i := 0; i < len(rows); i += p.dim {
		if u := priority(p.key, p.row); u <= p.limit {
			p.priorities, p.values = append(p.priorities, u), append(p.values, rows[i:i+p.dim]...)
			if len(p.priorities) >= 2*p.most {
				p.thin()
			}
		}
		p.row++
	}
}

// thin leaves out rows that will not be kept, though not all of them: evenly spread priorities need not
// be put in order to find a limit that a few more are below than are wanted.
func (p *Pilot) thin() {
	few := 6 * math.Sqrt(float64(p.most))
	share := (float64(p.most) + few) / float64(len(p.priorities))
	limit, below := uint64(min(share, 0.9)*float64(p.limit)), 0
	for _, u := range p.priorities {
		if u <= limit {
			below++
		}
	}
	if share > 0.9 || below < p.most || float64(below) > float64(p.most)+2*few {
		limit = slices.Sorted(slices.Values(p.priorities))[p.most-1]
	}
	kept := 0
	for i, u := range p.priorities {
		if u <= limit {
			p.priorities[kept] = u
			copy(p.values[kept*p.dim:(kept+1)*p.dim], p.values[i*p.dim:])
			kept++
		}
	}
	p.limit, p.priorities, p.values = limit, p.priorities[:kept], p.values[:kept*p.dim]
}

// at returns a row that is kept.
func (p *Pilot) at(i int) []float64 { return p.values[i*p.dim : (i+1)*p.dim] }

// cut puts the rows in order and keeps the first.
func (p *Pilot) cut() {
	type place struct {
		priority uint64
		at       int
	}
	order := make([]place, len(p.priorities))
	for i, u := range p.priorities {
		order[i] = place{u, i}
	}
	slices.SortFunc(order, func(a, b place) int {
		if a.priority != b.priority {
			return cmp.Compare(a.priority, b.priority)
		}
		return slices.Compare(p.at(a.at), p.at(b.at))
	})
	order = order[:min(len(order), p.most)]
	priorities, values := make([]uint64, 0, len(order)), make([]float64, 0, len(order)*p.dim)
	for _, o := range order {
		priorities, values = append(priorities, o.priority), append(values, p.at(o.at)...)
	}
	p.priorities, p.values = priorities, values
	if len(order) == p.most {
		p.limit = min(p.limit, order[len(order)-1].priority)
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
	p.limit = min(p.limit, o.limit)
	p.priorities, p.values = append(p.priorities, o.priorities...), append(p.values, o.values...)
	if len(p.priorities) >= 2*p.most {
		p.thin()
	}
	p.chunks = append(p.chunks, o.chunks...)
	p.skipped += o.skipped
	for name, n := range o.samples {
		p.samples[name] += n
	}
	return nil
}

// count returns the number of rows that were seen, of one sample or, for "", of all.
func (p *Pilot) count(sample string) int64 {
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

// sampleRows returns the rows that were kept, in an order that depends on nothing but the rows. They are
// not to be changed.
func (p *Pilot) sampleRows() []float64 {
	p.end()
	p.cut()
	return p.values
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
