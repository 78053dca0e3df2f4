//go:build amd64 && !noasm

package product

import "bayeskernel/internal/fused"

// tileSize is how many rows of A and of B a tile has.
func tileSize(kind fused.Kind) (height, width int) {
	switch kind {
	case fused.AVX512:
		return 8, 16
	case fused.AVX2:
		return 4, 8
	}
	return 4, 4
}

func tile(kind fused.Kind, out *[largest]float64, a, b []float64, n, next int) {
	switch kind {
	case fused.AVX512:
		tileAVX512(&out[0], &a[0], &b[0], n, 8*next)
	case fused.AVX2:
		tileAVX2(&out[0], &a[0], &b[0], n, 8*next)
	default:
		tilePortable(out, a, b, n, next)
	}
}
