package permute

import (
	"context"

	"bayeskernel/internal/fused"
)

const (
	chunkRows    = 512 // rows that are in hand at a time
	chunkColumns = 16  // columns, a multiple of what a tile takes
	together     = 256 // permutations
	fewColumns   = 6   // with at most so many, tables of signed sums are faster than products
)

// ColumnSums sums each column of a matrix over the rows of the first sample, for every permutation.
// The matrix has n rows and is held column by column. The sum of column c for permutation b goes
// into dst[b*columns+c]. With the centred columns of a factor Phi of K = Phi Phi', the squared norm
// of these sums is the sum of the centred K over all pairs of rows of the first sample. This takes
// n r multiplications for r columns, and no n x n matrix. The bits depend on the kind alone.
func (e Engine) ColumnSums(ctx context.Context, dst []float64, s *Signs, columns []float64) error {
	if len(columns)%s.n != 0 || len(dst) != s.count*(len(columns)/s.n) {
		panic("permute: the columns, the signs and the sums do not fit each other")
	}
	kind, rank := e.kernels(), len(columns)/s.n
	clear(dst)
	err := e.each(ctx, (s.count+together-1)/together, func() func(int) {
		w := newColumnSums(kind, s, columns, rank)
		return func(part int) {
			first := part * together
			if rank <= fewColumns {
				w.addFew(dst, first, min(first+together, s.count))
				return
			}
			for row := 0; row < s.n && ctx.Err() == nil; row += chunkRows {
				w.add(dst, first, min(first+together, s.count), row, min(row+chunkRows, s.n))
			}
		}
	})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return finite(dst)
}

// columnSums is the workspace of one worker: a product of signs, 0 or 1, and columns.
type columnSums struct {
	kind       fused.Kind
	s          *Signs
	columns    []float64
	rank       int
	signs      Factor // a row for each row of the chunk, an element for each permutation
	some       Factor // the chunk of chunkColumns columns
	identity   []int32
	out        [maxCross]float64
	rows, wide int // of a tile
}

func newColumnSums(kind fused.Kind, s *Signs, columns []float64, rank int) *columnSums {
	w := &columnSums{kind: kind, s: s, columns: columns, rank: rank}
	if rank <= fewColumns {
		return w
	}
	w.rows, w.wide = crossTileSize(kind)
	w.signs = Factor{n: chunkRows, rank: together, stride: together,
		data: make([]float64, chunkRows*together)}
	w.some = Factor{n: chunkRows, rank: chunkColumns, stride: chunkColumns,
		data: make([]float64, chunkRows*chunkColumns)}
	w.identity = make([]int32, chunkRows)
	for i := range w.identity {
		w.identity[i] = int32(i)
	}
	return w
}

// add adds rows i0 to i1-1 for permutations first to last-1.
func (w *columnSums) add(dst []float64, first, last, i0, i1 int) {
	w.expand(first, last, i0, i1)
	for c := 0; c < w.rank; c += chunkColumns {
		width := min(chunkColumns, w.rank-c)
		clear(w.some.data)
		for k := range width {
			for i, v := range w.columns[(c+k)*w.s.n+i0 : (c+k)*w.s.n+i1] {
				w.some.data[i*chunkColumns+k] = v
			}
		}
		for b := first; b < last; b += w.rows {
			for k := 0; k < width; k += w.wide {
				crossTile(w.kind, &w.out, &w.signs, &w.some, w.identity[:i1-i0], b-first, k)
				for r := range min(w.rows, last-b) {
					to := dst[(b+r)*w.rank+c+k:][:min(w.wide, width-k)]
					for j := range to {
						to[j] += w.out[r*w.wide+j]
					}
				}
			}
		}
	}
}

// addFew adds all rows for permutations first to last-1. It looks up the 16 sums of four rows.
func (w *columnSums) addFew(dst []float64, first, last int) {
	s := w.s
	var sums [together]float64
	for c := range w.rank {
		column := w.columns[c*s.n : (c+1)*s.n]
		clear(sums[:])
		for g := 0; 4*g < s.n; g++ {
			var t [16]float64
			for k, v := range column[4*g : min(4*g+4, s.n)] {
				for i := range 1 << k {
					t[i|1<<k] = t[i] + v
				}
			}
			for b, nibble := range s.nibbles[g*s.stride+first : g*s.stride+last] {
				sums[b] += t[nibble&15]
			}
		}
		for b, v := range sums[:last-first] {
			dst[(first+b)*w.rank+c] = v
		}
	}
}

// expand writes 1 for rows of the first sample, and 0.
func (w *columnSums) expand(first, last, i0, i1 int) {
	s := w.s
	for i := i0; i < i1; i++ {
		bits := s.nibbles[i/4*s.stride+first : i/4*s.stride+last]
		row := w.signs.data[(i-i0)*together:][:len(bits)]
		for b, nibble := range bits {
			row[b] = float64(nibble >> (i % 4) & 1)
		}
	}
}
