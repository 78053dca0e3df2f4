//go:build amd64 && !noasm

package logdet

import "bayeskernel/internal/fused"

// weighFast is weigh with vector code.
func (w *Workspace) weighFast(a int, x float64) {
	c, z, n := &w.slab[a*w.in.stride], &w.in.z[a*w.in.stride], w.in.stride
	if w.kind == fused.AVX512 {
		weighAVX512(c, z, &w.weight[0], &x, n/8)
		return
	}
	weighAVX2(c, z, &w.weight[0], &x, n/4)
}

// productsFast is products with vector code.
func (w *Workspace) productsFast(row []float64) {
	n := w.in.stride
	c := &w.slab[(len(row)-1)*n]
	if w.kind == fused.AVX512 {
		dotsAVX512(&row[0], c, &w.slab[0], 8*n, len(row), n/8)
		return
	}
	dotsAVX2(&row[0], c, &w.slab[0], 8*n, len(row), n/4)
}

// subtractFast is subtract with vector code.
func (w *Workspace) subtractFast(row []float64) {
	if len(row) == 0 {
		return
	}
	n := w.in.stride
	c := &w.slab[len(row)*n]
	if w.kind == fused.AVX512 {
		subtractAVX512(c, &row[0], &w.slab[0], 8*n, len(row), n/8)
		return
	}
	subtractAVX2(c, &row[0], &w.slab[0], 8*n, len(row), n/4)
}

// addColumnsFast is addColumns with vector code.
func (w *Workspace) addColumnsFast() {
	n := w.in.stride
	if w.kind == fused.AVX512 {
		squaresAVX512(&w.lev[0], &w.slab[0], 8*n, w.in.d, n/8)
		return
	}
	squaresAVX2(&w.lev[0], &w.slab[0], 8*n, w.in.d, n/4)
}
