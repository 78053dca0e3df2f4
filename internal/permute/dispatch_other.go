//go:build !amd64 || noasm

package permute

import "bayeskernel/internal/fused"

func blockTable(_ fused.Kind, t *[256]float64, tile []float64) { blockTablePortable(t, tile) }

func (t *task) lookupWide() { t.lookup() }

func rowDot(_ fused.Kind, k, l []float64, p []int32) float64 { return rowDotPortable(k, l, p) }

func rowDots(_ fused.Kind, k0, k1, k2, l []float64, p []int32) [3]float64 {
	return rowDotsPortable(k0, k1, k2, l, p)
}

func rowDotsOfThree(fused.Kind, []float64, []float64, []float64, []float64, []int32) [9]float64 {
	panic("permute: rows are packed for the portable kind")
}

func crossTile(_ fused.Kind, out *[maxCross]float64, phi, psi *Factor, p []int32, a, b int) {
	crossPortable(out, phi, psi, p, a, b)
}
