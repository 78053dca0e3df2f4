package target

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// packed are symmetric matrices, their upper triangles row by row and what is off the diagonal twice, so that a quadratic
// form is one product and the sum over matrices of its gradient takes one matrix.
type packed struct {
	size int // of a matrix
	all  []float64
}

func pack(list []*mat.SymDense) packed {
	if len(list) == 0 {
		return packed{}
	}
	m := list[0].SymmetricDim()
	p := packed{size: m * (m + 1) / 2, all: make([]float64, 0, len(list)*m*(m+1)/2)}
	for _, s := range list {
		for j := range m {
			p.all = append(p.all, s.At(j, j))
			for k := j + 1; k < m; k++ {
				p.all = append(p.all, 2*s.At(j, k))
			}
		}
	}
	return p
}

// of is matrix i.
func (p packed) of(i int) []float64 { return p.all[i*p.size : (i+1)*p.size] }

// products sets dst to v_j v_k for j <= k: the quadratic form of a packed matrix is its dot product with them.
func products(dst, v []float64) {
	for j, a := range v {
		row := dst[:len(v)-j]
		floats.ScaleTo(row, a, v[j:])
		dst = dst[len(row):]
	}
}

// slope adds the gradient in v of the quadratic form of a packed matrix.
func slope(dst, packed, v []float64) {
	for j, a := range v {
		row := packed[:len(v)-j]
		dst[j] += row[0]*a + floats.Dot(row, v[j:])
		floats.AddScaled(dst[j+1:], a, row[1:])
		packed = packed[len(row):]
	}
}
