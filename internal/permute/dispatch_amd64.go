//go:build amd64 && !noasm

package permute

import "bayeskernel/internal/fused"

// blockTable is blockTablePortable.
func blockTable(kind fused.Kind, t *[256]float64, tile []float64) {
	if kind == fused.Portable {
		blockTablePortable(t, tile)
		return
	}
	_ = tile[3*tileSize+3]
	tableAVX2(&t[0], &tile[0])
}

// lookupWide takes rows of four elements: the signed sum of one has 16 values, which two registers
// hold. On the diagonal it goes by fewer rows, to leave out more of what is below.
func (t *task) lookupWide() {
	s := t.f.s
	groups, step := (t.j1-t.j0+3)/4, tileSize
	if t.i0 == t.j0 {
		step = tileSize / 4
	}
	for i := 0; i < t.i1-t.i0; i += step {
		rows := min(step, t.i1-t.i0-i)
		from := t.begin(i) / 4
		if from >= groups {
			return
		}
		count, pairs := groups-from, (rows+1)/2
		tablesAVX512(&t.wide[0], &t.tile[i*tileSize+4*from], pairs, count)
		for b := 0; b < s.stride; b += panel {
			expandAVX512(&t.index[0], &s.nibbles[(t.j0/4+from)*s.stride+b], count, s.stride)
			bits := &s.bits[(t.i0+i)*(s.stride/64)+b/64]
			lookupAVX512(&t.totals[b], &t.wide[0], &t.index[0], count, pairs, bits, s.stride/8)
		}
	}
}

// rowDot returns the sum of k[j] l[p[j]].
func rowDot(kind fused.Kind, k, l []float64, p []int32) float64 {
	if kind != fused.AVX512 || len(k) == 0 {
		return rowDotPortable(k, l, p)
	}
	return gatherAVX512(&k[0], &l[0], &p[0], len(k)/8, 1<<(len(k)%8)-1)
}

// crossTile sets out to the product of the columns of phi from a on and those of psi from b on.
func crossTile(kind fused.Kind, out *[maxCross]float64, phi, psi *Factor, p []int32, a, b int) {
	switch kind {
	case fused.AVX512:
		crossAVX512(&out[0], &phi.data[a], &psi.data[b], &p[0], len(p), 8*phi.stride, 8*psi.stride)
	case fused.AVX2:
		crossAVX2(&out[0], &phi.data[a], &psi.data[b], &p[0], len(p), 8*phi.stride, 8*psi.stride)
	default:
		crossPortable(out, phi, psi, p, a, b)
	}
}
