package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	panelVecs = 8   // vectors of 8 permutations in a panel
	pairBytes = 256 // the two tables of a pair of rows and a group of columns
	indexSize = 64 * panelVecs
)

// tables512 builds the tables of 16 sums of four elements with all signs.
func tables512() {
	var pattern [3]Mem
	for bit := range pattern {
		pattern[bit] = signs("signs512x"+string(rune('0'+bit)), 8, bit)
	}
	function("tablesAVX512", "func(tab, tile *float64, pairs, groups int)",
		"tablesAVX512 writes the 16 signed sums of the elements of each group in pairs of rows.")
	tab, tile, pairs, groups := load("tab"), load("tile"), load("pairs"), load("groups")
	p := many(3, ZMM)
	for i := range p {
		VMOVUPD(pattern[i], p[i])
	}
	repeat("rows", pairs, func() {
		src, count := GP64(), GP64()
		MOVQ(tile, src)
		MOVQ(groups, count)
		repeat("groups", count, func() {
			for r := range 2 {
				lo, hi, last := ZMM(), ZMM(), ZMM()
				VMULPD_BCST(at(src, r*tileBytes), p[0], lo)
				VFMADD231PD_BCST(at(src, r*tileBytes+8), p[1], lo)
				VFMADD231PD_BCST(at(src, r*tileBytes+16), p[2], lo)
				VBROADCASTSD(at(src, r*tileBytes+24), last)
				VADDPD(last, lo, hi)
				VSUBPD(last, lo, lo)
				VMOVUPD(lo, at(tab, 128*r))
				VMOVUPD(hi, at(tab, 128*r+64))
			}
			ADDQ(Imm(32), src)
			ADDQ(U32(pairBytes), tab)
		})
		ADDQ(U32(2*tileBytes), tile)
	})
	end()
}

// expand512 makes indices of bytes.
func expand512() {
	function("expandAVX512", "func(idx *uint64, nibbles *byte, groups, stride int)",
		"expandAVX512 widens 64 bytes of each group, whose bytes are stride apart.")
	idx, nibbles := load("idx"), load("nibbles")
	groups, stride := load("groups"), load("stride")
	repeat("groups", groups, func() {
		for v := range panelVecs {
			z := ZMM()
			VPMOVZXBQ(at(nibbles, 8*v), z)
			VMOVDQU64(z, at(idx, 64*v))
		}
		ADDQ(stride, nibbles)
		ADDQ(U32(indexSize), idx)
	})
	end()
}

// lookup512 keeps two rows of 64 permutations in registers.
func lookup512() {
	function("lookupAVX512",
		"func(out, tab *float64, idx *uint64, groups, pairs int, bits *uint64, stride int)",
		"lookupAVX512 adds to out, for 64 permutations, the tables' elements times the rows' signs.")
	out, tab, idx, bits := load("out"), load("tab"), load("idx"), load("bits")
	groups, pairs, stride := load("groups"), load("pairs"), load("stride")
	repeat("rows", pairs, func() {
		acc := [2][]reg.VecVirtual{many(panelVecs, ZMM), many(panelVecs, ZMM)}
		zero(acc[0]...)
		zero(acc[1]...)
		src, count := GP64(), GP64()
		MOVQ(idx, src)
		MOVQ(groups, count)
		repeat("groups", count, func() {
			tables := many(4, ZMM)
			for i, t := range tables {
				VMOVUPD(at(tab, 64*i), t)
			}
			for v := range panelVecs {
				for r := range 2 {
					t := ZMM()
					VMOVDQU64(at(src, 64*v), t)
					VPERMI2PD(tables[2*r+1], tables[2*r], t)
					VADDPD(t, acc[r][v], acc[r][v])
				}
			}
			ADDQ(U32(pairBytes), tab)
			ADDQ(U32(indexSize), src)
		})
		for r := range 2 {
			for v := range panelVecs {
				k, sum := K(), ZMM()
				KMOVB(at(bits, v), k)
				VMOVUPD(at(out, 64*v), sum)
				VADDPD(acc[r][v], sum, k, sum)
				KNOTB(k, k)
				VSUBPD(acc[r][v], sum, k, sum)
				VMOVUPD(sum, at(out, 64*v))
			}
			ADDQ(stride, bits)
		}
	})
	end()
}

// gather512 makes the products of the permuted elements of a row of a matrix L with rows of one or
// three matrices K, in the same order whatever their number.
func gather512(name string, ksNames []string) {
	function(name, "func(out, "+strings.Join(ksNames, ", ")+", l *float64, p *int32, vecs, tail int)",
		name+" sums k[j] l[p[j]] over 8 vecs elements and as many as tail has bits.")
	var ks []reg.GPVirtual
	for _, k := range ksNames {
		ks = append(ks, load(k))
	}
	l, p, vecs := load("l"), load("p"), load("vecs")
	acc := many(len(ks), ZMM)
	zero(acc...)
	gather := func(index reg.Register, mask reg.OpmaskVirtual) reg.VecVirtual {
		got := ZMM()
		zero(got)
		VGATHERDPD(Mem{Base: l, Index: index, Scale: 8}, mask, got) // clears its mask
		return got
	}
	Label("whole")
	TESTQ(vecs, vecs)
	JE(LabelRef("rest"))
	index, rows := YMM(), many(len(ks), ZMM)
	VMOVDQU(at(p, 0), index)
	for c, k := range ks {
		VMOVUPD(at(k, 0), rows[c])
		ADDQ(Imm(64), k)
	}
	all := K()
	KXNORB(all, all, all)
	got := gather(index, all)
	for c := range ks {
		VFMADD231PD(rows[c], got, acc[c])
	}
	ADDQ(Imm(32), p)
	DECQ(vecs)
	JMP(LabelRef("whole"))
	Label("rest")
	tail, mask := load("tail"), K()
	KMOVB(tail.As32(), mask)
	VMOVDQU32_Z(at(p, 0), mask, index)
	for c, k := range ks {
		VMOVUPD_Z(at(k, 0), mask, rows[c])
	}
	got = gather(index, mask)
	for c := range ks {
		VFMADD231PD(rows[c], got, acc[c])
	}
	out := load("out")
	for c, a := range acc {
		VMOVSD(total(a), at(out, 8*c))
	}
	end()
}

// packed512 is gather512 for three rows of matrices L whose elements lie side by side, four to an
// index: one load brings what three gathers would, and seven shuffles sort eight indices' elements
// by matrix, in the order in which gather512 has them.
func packed512() {
	function("packedNineAVX512",
		"func(out, k0, k1, k2, l *float64, p *int32, vecs, tail int)",
		"packedNineAVX512 sums k[j] l[4p[j]+r] over 8 vecs elements and as many as tail has bits.")
	ks := []reg.GPVirtual{load("k0"), load("k1"), load("k2")}
	l, p, vecs := load("l"), load("p"), load("vecs")
	acc, rows := many(9, ZMM), many(3, ZMM)
	zero(acc...)
	add := func(from reg.Register) {
		var quads [4]reg.VecVirtual // of indices 0 and 2, 1 and 3, 4 and 6, 5 and 7
		for q := range quads {
			first := 4*(q/2) + q%2
			quads[q] = ZMM()
			VMOVUPD(quad(l, from, first), quads[q].AsY())
			VINSERTF64X4(Imm(1), quad(l, from, first+2), quads[q], quads[q])
		}
		var even, odd [2]reg.VecVirtual // matrices 0 and 2, and 1, of four indices each
		for h := range 2 {
			even[h], odd[h] = ZMM(), ZMM()
			VUNPCKLPD(quads[2*h+1], quads[2*h], even[h])
			VUNPCKHPD(quads[2*h+1], quads[2*h], odd[h])
		}
		for r := range 3 {
			half, pick := even, 0b10001000
			if r == 1 {
				half = odd
			}
			if r == 2 {
				pick = 0b11011101
			}
			got := ZMM()
			VSHUFF64X2(Imm(uint64(pick)), half[1], half[0], got)
			for c := range ks {
				VFMADD231PD(rows[c], got, acc[3*r+c])
			}
		}
	}
	Label("whole")
	TESTQ(vecs, vecs)
	JE(LabelRef("rest"))
	for c, k := range ks {
		VMOVUPD(at(k, 0), rows[c])
		ADDQ(Imm(64), k)
	}
	add(p)
	ADDQ(Imm(32), p)
	DECQ(vecs)
	JMP(LabelRef("whole"))
	Label("rest")
	tail, mask, index := load("tail"), K(), YMM()
	TESTQ(tail, tail)
	JE(LabelRef("done"))
	KMOVB(tail.As32(), mask)
	VMOVDQU32_Z(at(p, 0), mask, index) // 0 where there is no index; the elements of k are 0 there
	indices := AllocLocal(32)
	VMOVDQU(index, indices)
	for c, k := range ks {
		VMOVUPD_Z(at(k, 0), mask, rows[c])
	}
	stack := GP64()
	LEAQ(indices, stack)
	add(stack)
	Label("done")
	out := load("out")
	for c, a := range acc {
		VMOVSD(total(a), at(out, 8*c))
	}
	end()
}

// quad is the four numbers at the index that is number e of p.
func quad(l, p reg.Register, e int) Mem {
	index := GP64()
	MOVLQSX(at(p, 4*e), index)
	SHLQ(Imm(2), index)
	return Mem{Base: l, Index: index, Scale: 8}
}

// total returns the sum of the lanes.
func total(v reg.VecVirtual) reg.VecVirtual {
	half, quarter, odd := YMM(), XMM(), XMM()
	VEXTRACTF64X4(Imm(1), v, half)
	VADDPD(half, v.AsY(), half)
	VEXTRACTF128(Imm(1), half, quarter)
	VADDPD(quarter, half.AsX(), quarter)
	VPERMILPD(Imm(1), quarter, odd)
	VADDSD(odd, quarter, quarter)
	return quarter
}

const crossSignature = "func(out, phi, psi *float64, p *int32, n, phiStride, psiStride int)"

func cross512() { cross("crossAVX512", 8, 8, ZMM) }

// cross multiplies so many columns of phi by two vectors of columns of psi.
func cross(name string, columns, lanes int, register func() reg.VecVirtual) {
	function(name, crossSignature,
		name+" sets out to sum over i < n of phi[i] psi[p[i]]'; strides are in bytes.")
	phi, psi, p := load("phi"), load("psi"), load("p")
	n, phiStride, psiStride := load("n"), load("phiStride"), load("psiStride")
	acc := many(2*columns, register)
	zero(acc...)
	repeat("rows", n, func() {
		row := GP64()
		MOVLQSX(at(p, 0), row)
		IMULQ(psiStride, row)
		lo, hi := register(), register()
		VMOVUPD(Mem{Base: psi, Index: row, Scale: 1}, lo)
		VMOVUPD(Mem{Base: psi, Index: row, Scale: 1, Disp: 8 * lanes}, hi)
		for c := range columns {
			f := register()
			VBROADCASTSD(at(phi, 8*c), f)
			VFMADD231PD(lo, f, acc[2*c])
			VFMADD231PD(hi, f, acc[2*c+1])
		}
		ADDQ(phiStride, phi)
		ADDQ(Imm(4), p)
	})
	out := load("out")
	for i, a := range acc {
		VMOVUPD(a, at(out, 8*lanes*i))
	}
	end()
}
