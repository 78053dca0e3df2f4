package permute

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"bayeskernel/internal/fused"
)

// Matrix is a symmetric matrix, given in full or tile by tile. Only the elements above the diagonal
// are read.
type Matrix struct {
	N    int
	Data []float64 // row by row, N x N; nil if there is Tile

	// Tile writes rows i0 to i1-1 of columns j0 to j1-1 into dst, row by row. Several goroutines
	// call it at once.
	Tile func(dst []float64, i0, i1, j0, j1 int)

	// Bound is at least the largest absolute value of an element above the diagonal. If it is 0,
	// one more pass over the matrix finds it.
	Bound float64
}

// Sums are the sums of the elements off the diagonal: XX over pairs of rows in the first sample, YY
// over pairs in the second, XY over pairs of one row from each. In XX and YY a pair counts twice,
// once for each order; in XY it counts once.
type Sums struct{ XX, YY, XY float64 }

// Dot returns the weighted sum. Exchanging XX with YY, and their weights, does not change a bit.
func (s Sums) Dot(w Sums) float64 {
	return (float64(s.XX*w.XX) + float64(s.YY*w.YY)) + float64(s.XY*w.XY)
}

// tileSize is the number of rows and columns of a tile. The assembly knows it.
const tileSize = 128

// grid is the fixed-point grid of a matrix: elements are multiples of 2^-shift, up to 2^digits
// of them.
type grid struct{ digits, shift int }

// newGrid chooses as many digits as it can while every sum of a tile is exact in floating point and
// every sum of the matrix is exact in 64-bit integers.
func newGrid(n int, bound float64) grid {
	log2 := func(n int) int { return bits.Len(uint(n - 1)) }
	digits := min(53-2*log2(min(n, tileSize)), 62-2*log2(n), 50)
	frac, exponent := math.Frexp(bound)
	if frac == 0.5 {
		exponent--
	}
	return grid{digits, digits - max(exponent, -900)}
}

// largest is the greatest bound: beyond it sums could overflow.
const largest = 0x1p900

// Forms computes the sums of every permutation into dst, which has one element for each.
//
// It rounds the elements of the matrix to multiples of about 2^-39 of the largest (fewer digits from
// 2049 rows on). All further arithmetic is exact: permutations that rearrange equal elements have
// equal sums, with any kind and any number of workers.
func (e Engine) Forms(ctx context.Context, dst []Sums, s *Signs, m Matrix) error {
	if s.n != m.N || len(dst) != s.count || m.Data != nil && len(m.Data) != m.N*m.N ||
		(m.Data == nil) == (m.Tile == nil) {
		panic("permute: the matrix, the signs and the sums do not fit each other")
	}
	f := &forms{kind: e.kernels(), m: m, s: s, sizes: (m.N + tileSize - 1) / tileSize}
	parts := f.sizes * (f.sizes + 1) / 2
	bound := m.Bound
	if bound == 0 {
		quiet := e
		quiet.Progress = nil
		if err := quiet.each(ctx, parts, func() func(int) { return f.newTask().bound }); err != nil {
			return err
		}
		bound = f.max
	}
	if !(bound >= 0 && bound <= largest) {
		return fmt.Errorf("permute: the largest kernel value is %v, want at most %v", bound, largest)
	}
	f.grid = newGrid(m.N, bound)
	f.rowSums, f.totals = make([]int64, m.N), make([]int64, s.stride)
	if err := e.each(ctx, parts, func() func(int) { return f.newTask().add }); err != nil {
		return err
	}
	if f.bad {
		return fmt.Errorf("permute: a kernel value is %v, want a number of size up to %v",
			f.badValue, bound)
	}
	f.finish(dst)
	return nil
}

// kernels returns the kind to use.
func (e Engine) kernels() fused.Kind {
	if !fused.Available(e.Kind) {
		panic("permute: kernels " + e.Kind.String() + " are not available on this machine")
	}
	return e.Kind
}

// forms is one call of Forms.
type forms struct {
	kind  fused.Kind
	m     Matrix
	s     *Signs
	sizes int // tiles in a row
	grid  grid

	mu       sync.Mutex
	max      float64
	bad      bool
	badValue float64
	rowSums  []int64 // without the diagonal
	totals   []int64 // sum over i < j of s_i s_j K_ij
}

// finish turns signed sums into the sums of the samples. With U the sum over all pairs and q the
// signed sum, XY = (U - q)/2. XX is the sum over the rows of the first sample, less XY.
func (f *forms) finish(dst []Sums) {
	s := f.s
	first := make([]int64, s.stride)
	var all int64
	for g := 0; 4*g < s.n; g++ {
		var t [16]int64
		for k, v := range f.rowSums[4*g : min(4*g+4, s.n)] {
			all += v
			for c := range 1 << k {
				t[c|1<<k] = t[c] + v
			}
		}
		for b, c := range s.nibbles[g*s.stride : (g+1)*s.stride] {
			first[b] += t[c&15]
		}
	}
	unit := math.Ldexp(1, -f.grid.shift)
	for b := range dst {
		xy := (all/2 - f.totals[b]) / 2
		dst[b] = Sums{
			XX: float64(first[b]-xy) * unit,
			YY: float64(all-first[b]-xy) * unit,
			XY: float64(xy) * unit,
		}
	}
}
