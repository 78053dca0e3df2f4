package summary

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sort"

	"bayeskernel/internal/fused"
)

// Summary is what one pass over rows leaves of them. It belongs to a plan, and can be merged with
// others of the same plan. It is not for several goroutines at once: give each worker its own.
type Summary struct {
	plan *Plan
	hash string // of the plan
	arch string
	path fused.Kind
	// AllowEqual takes chunks with the same contents for different ones, where they would be refused.
	AllowEqual bool
	samples    []*sample // in the order of their names
	work       *workspace
}

// Chunk ids and counts.
type chunkRecord struct {
	ID      string    `json:"id"` // SHA-256 of the name of the sample and the contents
	Rows    int64     `json:"rows"`
	Skipped int64     `json:"skipped,omitempty"`
	Times   int       `json:"times,omitempty"` // if it was taken more than once
	Min     []float64 `json:"min"`
	Max     []float64 `json:"max"`
}

func (c *chunkRecord) times() int { return max(c.Times, 1) }

// sample has the sums over the rows of one sample.
type sample struct {
	name   string
	chunks []chunkRecord // in the order of their ids
	rows   []int64       // of each bin
	blocks int64
	// outside is the number of rows beyond the lattice.
	outside int64
	sums    []int128 // bin by bin: for each node m+1 of kernel values, of each test m; see binSums
	gamma   []int128 // bin by bin: log gamma for each node
	// between is, for the test lengthscale in the middle, the sum over blocks and pseudo-inputs of
	// the squared sum of k - shift over the number of rows; and within that of (k - shift)².
	between, within int128
	moments         []int128 // of (x - centre)/scale and its square, for each column
	lattice         []int128
	kept            []keptRow // in order
}

// keptRow is a row that was kept as it is.
type keptRow struct {
	priority uint64
	row      []float64
}

func compareKept(a, b keptRow) int {
	return cmp.Or(cmp.Compare(a.priority, b.priority), slices.Compare(a.row, b.row))
}

// binSums is the number of sums of kernel values of one bin.
func (p *Plan) binSums() int { return p.nodes()*(p.M()+1) + len(p.Tests)*p.M() }

// New makes a summary of no rows.
func New(p *Plan) (*Summary, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	return &Summary{plan: p, hash: p.hash(), arch: arch(p), path: -1}, nil
}

// arch is the architecture that summaries are bound to. Sums of plain Go are the same bytes wherever
// multiplication and addition are not fused, which is up to the compiler; those of assembly are for
// amd64.
func arch(*Plan) string { return runtime.GOARCH }

// Plan returns the plan.
func (s *Summary) Plan() *Plan { return s.plan }

// Samples returns the names of the samples, in order.
func (s *Summary) Samples() []string {
	var names []string
	for _, p := range s.samples {
		names = append(names, p.name)
	}
	return names
}

// Rows returns the number of rows of a sample, and how many were left out.
func (s *Summary) Rows(name string) (rows, skipped int64) {
	if p := s.find(name); p != nil {
		for _, c := range p.chunks {
			rows += c.Rows * int64(c.times())
			skipped += c.Skipped * int64(c.times())
		}
	}
	return rows, skipped
}

func (s *Summary) find(name string) *sample {
	for _, p := range s.samples {
		if p.name == name {
			return p
		}
	}
	return nil
}

// sampleOf returns the sample of a name, a new one if there is none.
func (s *Summary) sampleOf(name string) *sample {
	if p := s.find(name); p != nil {
		return p
	}
	p := newSample(s.plan, name)
	at := sort.Search(len(s.samples), func(i int) bool { return s.samples[i].name > name })
	s.samples = slices.Insert(s.samples, at, p)
	return p
}

func newSample(p *Plan, name string) *sample {
	out := &sample{name: name, rows: make([]int64, p.Bins),
		sums: make([]int128, p.Bins*p.binSums()), gamma: make([]int128, p.Bins*p.nodes()),
		moments: make([]int128, 2*p.Dim())}
	if p.Lattice != nil {
		out.lattice = make([]int128, p.Lattice.cells())
	}
	return out
}

// errOverflow is returned where a sum leaves the range of its integers.
var errOverflow = errors.New("summary: a sum is out of the range of 128 bits, want rows within 1e9 " +
	"lengthscales of the pseudo-inputs, and fewer than 1e15 of them")

// Merge adds another summary of the same plan. It is an error, and s has no meaning then, if a chunk is
// in both.
func (s *Summary) Merge(o *Summary) error {
	if err := s.alike(o); err != nil {
		return err
	}
	for _, p := range o.samples {
		if err := s.sampleOf(p.name).merge(p, s.AllowEqual); err != nil {
			return err
		}
	}
	return nil
}

// alike refuses a summary that cannot be added.
func (s *Summary) alike(o *Summary) error {
	switch {
	case s.hash != o.hash:
		return fmt.Errorf("summary: summaries are of the plans %.12s and %.12s, want one plan for all",
			s.hash, o.hash)
	case s.arch != o.arch:
		return fmt.Errorf("summary: summaries were made on %s and %s, want one architecture for all: "+
			"their last digits differ", s.arch, o.arch)
	}
	return nil
}

func (p *sample) merge(o *sample, equal bool) error {
	for _, c := range o.chunks {
		if err := p.record(c, equal); err != nil {
			return err
		}
	}
	return p.addSums(o, 1)
}

// record adds a chunk to the list.
func (p *sample) record(c chunkRecord, equal bool) error {
	at, found := slices.BinarySearchFunc(p.chunks, c.ID, func(a chunkRecord, id string) int {
		return cmp.Compare(a.ID, id)
	})
	if !found {
		p.chunks = slices.Insert(p.chunks, at, c)
		return nil
	}
	if !equal && c.Rows > 0 {
		return fmt.Errorf("summary: a chunk of %d rows of sample %q is there twice (%.12s): want each once, "+
			"or equal ones allowed (-allow-equal) if rows do repeat", c.Rows, p.name, c.ID)
	}
	p.chunks[at].Times = p.chunks[at].times() + c.times()
	return nil
}

// addSums adds what another sample has, or with sign -1 takes it away.
func (p *sample) addSums(o *sample, sign int) error {
	for b, n := range o.rows {
		p.rows[b] += int64(sign) * n
	}
	p.blocks += int64(sign) * o.blocks
	p.outside += int64(sign) * o.outside
	good := addAll(p.sums, o.sums, sign)
	good = addAll(p.gamma, o.gamma, sign) && good
	good = addAll(p.moments, o.moments, sign) && good
	good = addAll(p.lattice, o.lattice, sign) && good
	pair := []int128{p.between, p.within}
	good = addAll(pair, []int128{o.between, o.within}, sign) && good
	p.between, p.within = pair[0], pair[1]
	if !good {
		return errOverflow
	}
	if sign > 0 {
		p.kept = mergeKept(p.kept, o.kept)
		return nil
	}
	return p.unkeep(o.kept)
}

// mergeKept merges two ordered lists.
func mergeKept(a, b []keptRow) []keptRow {
	out := make([]keptRow, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compareKept(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

func (p *sample) unkeep(gone []keptRow) error {
	out := make([]keptRow, 0, len(p.kept))
	for _, r := range p.kept {
		if len(gone) > 0 && compareKept(r, gone[0]) == 0 {
			gone = gone[1:]
			continue
		}
		out = append(out, r)
	}
	if len(gone) > 0 {
		return fmt.Errorf("summary: rows to be taken out of sample %q are not in it", p.name)
	}
	p.kept = out
	return nil
}

// Remove takes out what Merge added, exactly. All chunks of o must be in s.
func (s *Summary) Remove(o *Summary) error {
	if err := s.alike(o); err != nil {
		return err
	}
	for _, q := range o.samples {
		p := s.find(q.name)
		if p == nil {
			return fmt.Errorf("summary: sample %q is to be taken out of a summary of %q, want one that is "+
				"there", q.name, s.Samples())
		}
		for _, c := range q.chunks {
			at, found := slices.BinarySearchFunc(p.chunks, c.ID, func(a chunkRecord, id string) int {
				return cmp.Compare(a.ID, id)
			})
			if !found || p.chunks[at].times() < c.times() {
				return fmt.Errorf("summary: a chunk of %d rows to be taken out of sample %q is not in it "+
					"(%.12s)", c.Rows, q.name, c.ID)
			}
			switch left := p.chunks[at].times() - c.times(); left {
			case 0:
				p.chunks = slices.Delete(p.chunks, at, at+1)
			case 1:
				p.chunks[at].Times = 0
			default:
				p.chunks[at].Times = left
			}
		}
		if err := p.addSums(q, -1); err != nil {
			return err
		}
		if len(p.chunks) == 0 {
			s.samples = slices.DeleteFunc(s.samples, func(x *sample) bool { return x == p })
		}
	}
	return nil
}

// Complete refuses a summary that lacks one of the samples, or rows.
func (s *Summary) Complete(names ...string) error {
	for _, name := range names {
		if rows, _ := s.Rows(name); rows == 0 {
			return fmt.Errorf("summary: there are no rows of sample %q, only of %q", name, s.Samples())
		}
	}
	total := int64(0)
	for _, name := range s.Samples() {
		n, _ := s.Rows(name)
		total += n
	}
	if total < 2 {
		return fmt.Errorf("summary: there are %d rows, want at least 2", total)
	}
	if total > math.MaxInt64/2 || int64(int(total)) != total {
		return fmt.Errorf("summary: there are %d rows, more than can be counted", total)
	}
	return nil
}
