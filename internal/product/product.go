package product

import "bayeskernel/internal/fused"

// View is how a matrix lies in a slice: element i, k at i*Row + k*Next.
type View struct {
	Data      []float64
	Row, Next int
}

// Rows is the matrix whose rows of width elements follow one another.
func Rows(data []float64, width int) View { return View{data, width, 1} }

// Columns is the matrix whose columns of height elements follow one another.
func Columns(data []float64, height int) View { return View{data, 1, height} }

// piece is how many terms are added up at a time: so many rows of a tile stay in the first cache.
const piece = 256

// Up to direct tiles, rows of B that lie side by side are read in place: copying them would take
// longer.
const direct = 4

// largest is the size of the largest tile.
const largest = 8 * 16

// Shape says which elements are wanted.
type Shape int

const (
	All   Shape = iota
	Lower       // those with j <= i; some of the others are written too
)

// Multiply sets dst, of m rows and n columns row by row, to A B'. A has m rows and B n, of length
// elements each. Dst must not be part of either.
func Multiply(dst []float64, m, n, length int, a, b View, s Shape) {
	MultiplyWith(fused.Best(), dst, m, n, length, a, b, s)
}

// MultiplyWith is Multiply on one numerical path.
func MultiplyWith(kind fused.Kind, dst []float64, m, n, length int, a, b View, s Shape) {
	var w Work
	w.Multiply(kind, dst, m, n, length, a, b, s)
}

// Work is memory for products that are added to something. Its zero value works; once it is large
// enough nothing is allocated. It serves one goroutine.
type Work struct {
	left, right []float64
	out         [largest]float64
}

// Multiply is MultiplyWith in this memory.
func (w *Work) Multiply(kind fused.Kind, dst []float64, m, n, length int, a, b View, s Shape) {
	clear(dst[:m*n])
	w.add(kind, 1, dst, n, m, n, length, a, b, s)
}

// Subtract takes A B' from dst, whose rows begin stride elements after one another.
func (w *Work) Subtract(dst []float64, stride, m, n, length int, a, b View, s Shape) {
	w.add(fused.Best(), -1, dst, stride, m, n, length, a, b, s)
}

// add adds sign times A B' to dst.
func (w *Work) add(kind fused.Kind, sign float64, dst []float64, stride, m, n, length int, a, b View,
	s Shape) {
	if m == 0 || n == 0 || length == 0 {
		return
	}
	height, width := tileSize(kind)
	left := grown(&w.left, (m+height-1)/height*height*min(piece, length))
	right := grown(&w.right, width*min(piece, length))
	for k := 0; k < length; k += piece {
		terms := min(piece, length-k)
		for i := 0; i < m; i += height {
			pack(left[i*terms:], a, i, m, height, k, terms)
		}
		for j := 0; j < n; j += width {
			first := 0
			if s == Lower {
				first = j / height * height
			}
			if first >= m {
				break
			}
			from, next := right, width
			if b.Row == 1 && j+width <= n && m-first <= direct*height {
				from, next = b.Data[k*b.Next+j:], b.Next
			} else {
				pack(right, b, j, n, width, k, terms)
			}
			for i := first; i < m; i += height {
				tile(kind, &w.out, left[i*terms:(i+height)*terms], from, terms, next)
				for r := range min(height, m-i) {
					row := dst[(i+r)*stride+j : (i+r)*stride+min(j+width, n)]
					for c, v := range w.out[r*width : r*width+len(row)] {
						row[c] += sign * v
					}
				}
			}
		}
	}
}

// grown returns n elements of s, which is made larger if it has fewer.
func grown(s *[]float64, n int) []float64 {
	if len(*s) < n {
		*s = make([]float64, n)
	}
	return (*s)[:n]
}

// pack writes a piece of rows i to i+count, which is 0 from row end on, term by term.
func pack(dst []float64, v View, i, end, count, k, terms int) {
	dst = dst[:count*terms]
	rows := min(count, end-i)
	if rows < count {
		clear(dst)
	}
	if v.Row == 1 {
		for t := range terms {
			from := v.Data[(k+t)*v.Next+i:]
			copy(dst[t*count:t*count+rows], from[:rows])
		}
		return
	}
	for r := range rows {
		from := v.Data[(i+r)*v.Row+k*v.Next:]
		for t := range terms {
			dst[t*count+r] = from[t*v.Next]
		}
	}
}

// tilePortable is the tile without assembly, 4 by 4.
func tilePortable(out *[largest]float64, a, b []float64, n, next int) {
	var s [16]float64
	for k := range n {
		x, y := (*[4]float64)(a[4*k:]), (*[4]float64)(b[next*k:])
		for r := range 4 {
			s[4*r] += float64(x[r] * y[0])
			s[4*r+1] += float64(x[r] * y[1])
			s[4*r+2] += float64(x[r] * y[2])
			s[4*r+3] += float64(x[r] * y[3])
		}
	}
	copy(out[:], s[:])
}
