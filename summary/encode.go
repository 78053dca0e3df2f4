package summary

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// magic begins the files of summaries.
const magic = "BKESUM1\n"

// A file is the magic; the length of the header, 4 bytes; the header, JSON; for each sample, in the
// order of the header, its sums, 16 bytes each, of the bins that have rows, then the sums that bins do
// not have for themselves, then the rows that were kept; and the SHA-256 of all this. Numbers are
// little-endian.
type header struct {
	Version int             `json:"version"`
	Plan    string          `json:"plan_sha256"`
	Path    string          `json:"path"`
	Arch    string          `json:"arch"`
	Samples []sampleHeader  `json:"samples"`
	Of      json.RawMessage `json:"plan"`
}

type sampleHeader struct {
	Name   string        `json:"name"`
	Chunks []chunkRecord `json:"chunks"`
	Rows   []int64       `json:"rows"` // of each bin
	Blocks int64         `json:"blocks"`
	// Outside is the number of rows beyond the lattice.
	Outside int64 `json:"outside"`
	Kept    int   `json:"kept"`
}

// Bytes encodes the summary.
func (s *Summary) Bytes() ([]byte, error) {
	plan, err := json.Marshal(s.plan)
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	h := header{Version: Version, Plan: s.hash, Path: s.plan.Path, Arch: s.arch, Of: plan,
		Samples: []sampleHeader{}}
	for _, p := range s.samples {
		h.Samples = append(h.Samples, sampleHeader{p.name, p.chunks, p.rows, p.blocks, p.outside,
			len(p.kept)})
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	out := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[len(magic):], uint32(len(head)))
	out = append(out, head...)
	for _, p := range s.samples {
		out = p.append(out, s.plan)
	}
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// WriteTo writes what Bytes returns.
func (s *Summary) WriteTo(w io.Writer) (int64, error) {
	b, err := s.Bytes()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(b)
	return int64(n), err
}

// apart are the sums that bins do not have for themselves.
func (p *sample) apart() [][]int128 {
	return [][]int128{p.moments, p.lattice}
}

func (p *sample) append(out []byte, plan *Plan) []byte {
	n, g := plan.binSums(), plan.nodes()
	for b, rows := range p.rows {
		if rows > 0 {
			out = appendInt128(out, p.sums[b*n:(b+1)*n])
			out = appendInt128(out, p.gamma[b*g:(b+1)*g])
		}
	}
	out = appendInt128(out, []int128{p.between, p.within})
	for _, list := range p.apart() {
		out = appendInt128(out, list)
	}
	for _, r := range p.kept {
		out = binary.LittleEndian.AppendUint64(out, r.priority)
		for _, v := range r.row {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

// IsSummary reports whether a file begins as one of a summary does.
func IsSummary(first []byte) bool { return bytes.HasPrefix(first, []byte(magic)) }

var errDamaged = errors.New("summary: the file is damaged or cut short: its checksum is wrong")

// Parse reads what Bytes returned.
func Parse(b []byte) (*Summary, error) {
	if !IsSummary(b) {
		if bytes.HasPrefix(b, []byte(magic[:6])) {
			return nil, fmt.Errorf("summary: the file is of version %q, want %d", b[6:min(7, len(b))],
				Version)
		}
		return nil, errors.New("summary: the file is not a summary")
	}
	if len(b) < len(magic)+4+sha256.Size {
		return nil, errDamaged
	}
	body, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return nil, errDamaged
	}
	body = body[len(magic):]
	length := int64(binary.LittleEndian.Uint32(body))
	if length > int64(len(body)-4) {
		return nil, errDamaged
	}
	var h header
	if err := json.Unmarshal(body[4:4+length], &h); err != nil {
		return nil, fmt.Errorf("summary: header cannot be read: %w", err)
	}
	s, err := h.summary()
	if err != nil {
		return nil, err
	}
	body = body[4+length:]
	for _, one := range h.Samples {
		if body, err = s.parse(one, body); err != nil {
			return nil, err
		}
	}
	if len(body) > 0 {
		return nil, fmt.Errorf("summary: there are %d bytes after the last sample", len(body))
	}
	return s, nil
}

// summary makes one without rows.
func (h *header) summary() (*Summary, error) {
	if h.Version != Version {
		return nil, fmt.Errorf("summary: the file is of version %d, want %d", h.Version, Version)
	}
	p, err := ParsePlan(h.Of)
	if err != nil {
		return nil, err
	}
	if got := p.hash(); got != h.Plan {
		return nil, fmt.Errorf("summary: the file has the plan %.12s, and says it is %.12s", got, h.Plan)
	}
	if h.Path != p.Path {
		return nil, fmt.Errorf("summary: sums are of the numerical path %q, and those of the plan of %q",
			h.Path, p.Path)
	}
	s, err := New(p)
	if err != nil {
		return nil, err
	}
	s.arch = h.Arch
	return s, nil
}

// parse reads the sums of a sample and returns the rest.
func (s *Summary) parse(h sampleHeader, b []byte) ([]byte, error) {
	p := s.plan
	if err := h.check(p, len(b)); err != nil {
		return nil, err
	}
	if n := len(s.samples); n > 0 && s.samples[n-1].name >= h.Name {
		return nil, errors.New("summary: samples are not in order")
	}
	in := newSample(p, h.Name)
	in.chunks, in.rows, in.blocks, in.outside = h.Chunks, h.Rows, h.Blocks, h.Outside
	n, g, ok := p.binSums(), p.nodes(), true
	for k, rows := range in.rows {
		if rows > 0 && ok {
			if b, ok = readInt128(in.sums[k*n:(k+1)*n], b); ok {
				b, ok = readInt128(in.gamma[k*g:(k+1)*g], b)
			}
		}
	}
	pair := make([]int128, 2)
	for _, list := range append([][]int128{pair}, in.apart()...) {
		if ok {
			b, ok = readInt128(list, b)
		}
	}
	size := 8 * (1 + p.Dim())
	if !ok || len(b)/size < h.Kept {
		return nil, errDamaged
	}
	in.between, in.within = pair[0], pair[1]
	for range h.Kept {
		r := keptRow{priority: binary.LittleEndian.Uint64(b)}
		for a := range p.Dim() {
			v := math.Float64frombits(binary.LittleEndian.Uint64(b[8*(a+1):]))
			if v-v != 0 {
				return nil, fmt.Errorf("summary: a kept row has %v", v)
			}
			r.row = append(r.row, v)
		}
		in.kept = append(in.kept, r)
		b = b[size:]
	}
	if !slices.IsSortedFunc(in.kept, compareKept) {
		return nil, errors.New("summary: kept rows are not in order")
	}
	s.samples = append(s.samples, in)
	return b, nil
}

// check refuses a header that does not fit the plan, or itself, or the bytes that there are.
func (h *sampleHeader) check(p *Plan, bytes int) error {
	total, binned, used := int64(0), int64(0), 0
	for i, c := range h.Chunks {
		if c.Rows < 0 || c.Skipped < 0 || c.Times < 0 || c.Rows > 1<<50 || c.Times > 1<<20 ||
			i > 0 && h.Chunks[i-1].ID >= c.ID ||
			c.Rows > 0 && (len(c.Min) != p.Dim() || len(c.Max) != p.Dim()) {
			return fmt.Errorf("summary: chunk %d of sample %q makes no sense", i+1, h.Name)
		}
		total += c.Rows * int64(c.times())
	}
	if len(h.Rows) != p.Bins || h.Name == "" || h.Kept < 0 || h.Blocks < 0 || h.Outside < 0 {
		return fmt.Errorf("summary: sample %q has %d bins, want %d", h.Name, len(h.Rows), p.Bins)
	}
	for _, n := range h.Rows {
		if n < 0 || n > 1<<60 {
			return fmt.Errorf("summary: a bin of sample %q has %d rows", h.Name, n)
		}
		binned += n
		if n > 0 {
			used++
		}
	}
	if binned != total || total > 1<<60 {
		return fmt.Errorf("summary: chunks of sample %q have %d rows, and its bins %d", h.Name, total,
			binned)
	}
	cells := 0
	if p.Lattice != nil {
		cells = p.Lattice.cells()
	}
	if want := 16 * (used*(p.binSums()+p.nodes()) + cells); bytes < want {
		return errDamaged
	}
	return nil
}
