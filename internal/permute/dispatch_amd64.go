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

// lookupWide takes rows of four elements. The signed sum of one has 16 values, held in two
// registers. On the diagonal it takes fewer rows at a time, to skip more of the elements below.
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
	if kind != fused.AVX512 || len(k) < 4 {
		return rowDotPortable(k, l, p)
	}
	var out float64
	gatherAVX512(&out, &k[0], &l[0], &p[0], len(k)/8, 1<<(len(k)%8)-1)
	return out
}

// rowDots is rowDot for three rows k.
func rowDots(kind fused.Kind, k0, k1, k2, l []float64, p []int32) (out [3]float64) {
	if kind == fused.Portable || len(k0) < 4 {
		return rowDotsPortable(k0, k1, k2, l, p)
	}
	if kind == fused.AVX2 {
		var s [3][4]float64
		whole := len(k0) &^ 3
		gatherThreeAVX2(&s[0][0], &k0[0], &k1[0], &k2[0], &l[0], &p[0], whole/4)
		addRest(s[:], k0[whole:], k1[whole:], k2[whole:], l, p[whole:])
		for c, v := range s {
			out[c] = (v[0] + v[1]) + (v[2] + v[3])
		}
		return out
	}
	gatherThreeAVX512(&out[0], &k0[0], &k1[0], &k2[0], &l[0], &p[0], len(k0)/8, 1<<(len(k0)%8)-1)
	return out
}

// rowDotsOfThree is rowDots for three rows l, packed; not for the portable kind.
func rowDotsOfThree(kind fused.Kind, k0, k1, k2, packed []float64, p []int32) (out [9]float64) {
	if kind == fused.AVX512 && len(k0) >= 4 {
		packedNineAVX512(&out[0], &k0[0], &k1[0], &k2[0], &packed[0], &p[0], len(k0)/8,
			1<<(len(k0)%8)-1)
		return out
	}
	var s [9][4]float64
	whole := len(k0) &^ 3
	if whole > 0 {
		packedNineAVX2(&s[0][0], &k0[0], &k1[0], &k2[0], &packed[0], &p[0], whole/4)
	}
	for j := whole; j < len(k0); j++ {
		for d, v := range packed[4*p[j] : 4*p[j]+3] {
			s[3*d][0] += k0[j] * v
			s[3*d+1][0] += k1[j] * v
			s[3*d+2][0] += k2[j] * v
		}
	}
	for c, v := range s {
		out[c] = (v[0] + v[1]) + (v[2] + v[3])
	}
	return out
}

// addRest adds the remaining elements of the rows to the first of four sums.
func addRest(s [][4]float64, k0, k1, k2, l []float64, p []int32) {
	for j := range k0 {
		v := l[p[j]]
		s[0][0] += k0[j] * v
		s[1][0] += k1[j] * v
		s[2][0] += k2[j] * v
	}
}

// crossTile sets out to the product of the columns of phi from a on and the columns of psi from b on.
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
