package permute

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"bayeskernel/internal/rng"
)

// Design names a sequence of permutations of n rows. Number 0 is the identity; number b depends on
// n, the blocks, the seed and b alone.
type Design struct {
	n    int
	seed uint64
	rows []int32 // by block
	ends []int   // of the blocks in rows
}

// NewDesign returns the permutations of n rows. If blocks is not nil it holds a label for each row,
// and only rows with the same label are exchanged.
func NewDesign(n int, seed uint64, blocks []int) (*Design, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, fmt.Errorf("permute: %d rows, want 1 or more, and less than 2^31", n)
	}
	if blocks != nil && len(blocks) != n {
		return nil, fmt.Errorf("permute: %d block labels, want one for each of %d rows", len(blocks), n)
	}
	d := &Design{n: n, seed: seed, rows: make([]int32, n)}
	for i := range d.rows {
		d.rows[i] = int32(i)
	}
	if blocks == nil {
		d.ends = []int{n}
		return d, nil
	}
	slices.SortStableFunc(d.rows, func(i, j int32) int { return cmp.Compare(blocks[i], blocks[j]) })
	for i := 1; i < n; i++ {
		if blocks[d.rows[i]] != blocks[d.rows[i-1]] {
			d.ends = append(d.ends, i)
		}
	}
	d.ends = append(d.ends, n)
	return d, nil
}

// check says what is wrong with a range of permutations.
func check(first, count int) error {
	if first < 0 || count < 1 {
		return fmt.Errorf("permute: %d permutations from number %d, want 1 or more from 0 or more",
			count, first)
	}
	return nil
}

// blocks calls f with the rows of each block.
func (d *Design) blocks(rows []int32, f func(block []int32)) {
	begin := 0
	for _, end := range d.ends {
		f(rows[begin:end])
		begin = end
	}
}

// stream is a source of bounded integers.
type stream struct {
	src   *rng.Source
	spare uint32
	full  bool
}

func (d *Design) stream(purpose string, b int) stream {
	src, err := rng.New(rng.PCG, rng.Name{Seed: d.seed, Purpose: purpose}, uint64(b))
	if err != nil { // only an unknown kind of source is an error
		panic(err)
	}
	return stream{src: src}
}

func (s *stream) half() uint32 {
	if s.full = !s.full; s.full {
		v := s.src.Uint64()
		s.spare = uint32(v)
		return uint32(v >> 32)
	}
	return s.spare
}

// below returns a number from 0 to n-1 (Lemire, 2019, Fast random integer generation in an
// interval).
func (s *stream) below(n int) int {
	hi, lo := bits.Mul32(s.half(), uint32(n))
	if lo < uint32(n) {
		for least := -uint32(n) % uint32(n); lo < least; {
			hi, lo = bits.Mul32(s.half(), uint32(n))
		}
	}
	return int(hi)
}

// choose moves a random choice of count elements to the front.
func (s *stream) choose(rows []int32, count int) {
	for i := range count {
		j := i + s.below(len(rows)-i)
		rows[i], rows[j] = rows[j], rows[i]
	}
}

// Perms holds permutations for an independence test. It can be used with any number of matrices.
type Perms struct {
	n, count int
	at       []int32 // permutation b at [b*n:(b+1)*n]
}

// Perms returns count permutations, starting with number first.
func (d *Design) Perms(first, count int) (*Perms, error) {
	if err := check(first, count); err != nil {
		return nil, err
	}
	p := &Perms{n: d.n, count: count, at: make([]int32, count*d.n)}
	shuffled := make([]int32, d.n)
	for k := range count {
		copy(shuffled, d.rows)
		if first+k > 0 {
			s := d.stream("permutation", first+k)
			d.blocks(shuffled, func(block []int32) { s.choose(block, len(block)-1) })
		}
		to := p.At(k)
		for i, row := range d.rows {
			to[row] = shuffled[i]
		}
	}
	return p, nil
}

// Count returns the number of permutations.
func (p *Perms) Count() int { return p.count }

// At returns permutation k: row i of the first variable goes with row At(k)[i] of the second.
func (p *Perms) At(k int) []int32 { return p.at[k*p.n : (k+1)*p.n] }

// Inverse returns the inverse permutations.
func (p *Perms) Inverse() *Perms {
	q := &Perms{n: p.n, count: p.count, at: make([]int32, len(p.at))}
	for k := range p.count {
		to := q.At(k)
		for i, row := range p.At(k) {
			to[row] = int32(i)
		}
	}
	return q
}

// panel is the number of permutations that are kept together.
const panel = 64

// Signs says for each of several permutations which rows count as the first sample. It can be used
// with any number of kernels.
type Signs struct {
	n, nx, count int
	stride       int      // permutations, rounded up to whole panels
	nibbles      []byte   // of rows 4g to 4g+3 at [g*stride+b], the first row's bit the lowest
	bits         []uint64 // of row i at [i*stride/64+b/64]; whole groups of four rows
}

// Signs returns which nx rows are the first sample, for count permutations starting with number
// first. In permutation 0 they are the first nx rows.
func (d *Design) Signs(nx, first, count int) (*Signs, error) {
	if nx < 1 || nx >= d.n {
		return nil, fmt.Errorf("permute: %d of %d rows in the first sample, want 1 to %d",
			nx, d.n, d.n-1)
	}
	if err := check(first, count); err != nil {
		return nil, err
	}
	groups, panels := (d.n+3)/4, (count+panel-1)/panel
	s := &Signs{
		n: d.n, nx: nx, count: count, stride: panels * panel,
		nibbles: make([]byte, groups*panels*panel), bits: make([]uint64, groups*4*panels),
	}
	rows := make([]int32, d.n)
	for b := range count {
		copy(rows, d.rows)
		src := d.stream("sign", first+b)
		d.blocks(rows, func(block []int32) {
			inX := 0
			for _, i := range block {
				if int(i) < nx {
					inX++
				}
			}
			if first+b > 0 {
				block = src.sample(block, inX)
			} else {
				block = block[:inX] // the rows of a block are in order
			}
			for _, i := range block {
				s.set(int(i), b)
			}
		})
	}
	return s, nil
}

// sample returns a random choice of count elements of rows, and reorders rows. It draws the smaller
// part: the elements to take or the elements to leave.
func (s *stream) sample(rows []int32, count int) []int32 {
	if rest := len(rows) - count; rest < count {
		s.choose(rows, rest)
		return rows[rest:]
	}
	s.choose(rows, count)
	return rows[:count]
}

func (s *Signs) set(i, b int) {
	s.nibbles[i/4*s.stride+b] |= 1 << (i % 4)
	s.bits[i*(s.stride/64)+b/64] |= 1 << (b % 64)
}

// Count returns the number of permutations.
func (s *Signs) Count() int { return s.count }

// First reports whether row i is in the first sample in permutation b.
func (s *Signs) First(b, i int) bool { return s.nibbles[i/4*s.stride+b]>>(i%4)&1 == 1 }
