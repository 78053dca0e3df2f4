//go:build !amd64 || noasm

package product

import "bayeskernel/internal/fused"

func tileSize(fused.Kind) (height, width int) { return 4, 4 }

func tile(_ fused.Kind, out *[largest]float64, a, b []float64, n, next int) {
	tilePortable(out, a, b, n, next)
}
