package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func cross256() { cross("crossAVX2", 4, 4, YMM) }

// gather256 makes the products of the permuted elements of a row of a matrix L, four at a time, with
// rows of three matrices K. Products are rounded before they are added, and lanes are apart, as in
// Go.
func gather256() {
	function("gatherThreeAVX2", "func(out, k0, k1, k2, l *float64, p *int32, quads int)",
		"gatherThreeAVX2 sums k[j] l[p[j]] over 4 quads elements, apart for each remainder of j.")
	ks := []reg.GPVirtual{load("k0"), load("k1"), load("k2")}
	l, p, quads := load("l"), load("p"), load("quads")
	acc := many(3, YMM)
	zero(acc...)
	repeat("quads", quads, func() {
		var half [2]reg.VecVirtual
		for h := range half {
			half[h] = XMM()
			for e := range 2 {
				index := GP64()
				MOVLQSX(at(p, 8*h+4*e), index)
				from := Mem{Base: l, Index: index, Scale: 8}
				if e == 0 {
					VMOVSD(from, half[h])
				} else {
					VMOVHPD(from, half[h], half[h])
				}
			}
		}
		got := half[0].AsY()
		VINSERTF128(Imm(1), half[1], got, got)
		multiply256(ks, got, acc)
		ADDQ(Imm(16), p)
		for _, k := range ks {
			ADDQ(Imm(32), k)
		}
	})
	store256(acc)
}

// packed256 is gather256 for three rows of matrices L whose elements lie side by side, four to an
// index.
func packed256() {
	function("packedNineAVX2", "func(out, k0, k1, k2, l *float64, p *int32, quads int)",
		"packedNineAVX2 sums k[j] l[4p[j]+r] over 4 quads elements, apart for each remainder of j.")
	ks := []reg.GPVirtual{load("k0"), load("k1"), load("k2")}
	l, p, quads := load("l"), load("p"), load("quads")
	acc := many(9, YMM)
	zero(acc...)
	repeat("quads", quads, func() {
		var even, odd [2]reg.VecVirtual // matrices 0 and 2, and 1, of two indices each
		for h := range 2 {
			v := many(2, YMM)
			for e := range 2 {
				VMOVUPD(quad(l, p, 2*h+e), v[e])
			}
			even[h], odd[h] = YMM(), v[1]
			VUNPCKLPD(v[1], v[0], even[h])
			VUNPCKHPD(v[1], v[0], odd[h])
		}
		got := YMM()
		VPERM2F128(Imm(0x20), even[1], even[0], got)
		multiply256(ks, got, acc[:3])
		VPERM2F128(Imm(0x20), odd[1], odd[0], got)
		multiply256(ks, got, acc[3:6])
		VPERM2F128(Imm(0x31), even[1], even[0], got)
		multiply256(ks, got, acc[6:])
		ADDQ(Imm(16), p)
		for _, k := range ks {
			ADDQ(Imm(32), k)
		}
	})
	store256(acc)
}

// multiply256 adds to each of the sums the product of four elements and those of a row of K.
func multiply256(ks []reg.GPVirtual, got reg.Register, acc []reg.VecVirtual) {
	for c, k := range ks {
		product := YMM()
		VMULPD(at(k, 0), got, product)
		VADDPD(product, acc[c], acc[c])
	}
}

// store256 writes sums and ends the function.
func store256(acc []reg.VecVirtual) {
	out := load("out")
	for c, a := range acc {
		VMOVUPD(a, at(out, 32*c))
	}
	end()
}

// table256 builds the table of 256 sums of a 4 x 4 block with all signs of its rows (high bits of
// the index) and columns, four entries of all its sixteen rows at a time: a row of the table is
// that without its highest sign, plus twice a row of the block with the columns' signs.
func table256() {
	var pattern [2]Mem
	for bit := range pattern {
		pattern[bit] = signs("signs256x"+string(rune('0'+bit)), 4, bit)
	}
	function("tableAVX2", "func(tab, tile *float64)",
		"tableAVX2 writes the 256 signed sums of a 4 x 4 block.")
	tab, tile := load("tab"), load("tile")
	p := many(2, YMM)
	for i := range p {
		VMOVUPD(pattern[i], p[i])
	}
	for quarter := range 4 {
		d := many(4, YMM)
		for r := range d {
			f := many(3, YMM)
			VBROADCASTSD(at(tile, r*tileBytes), d[r])
			for j := range f {
				VBROADCASTSD(at(tile, r*tileBytes+8*(j+1)), f[j])
			}
			VMULPD(p[0], d[r], d[r])
			VFMADD231PD(p[1], f[0], d[r])
			for j, bit := range []int{1, 2} {
				if quarter&bit != 0 {
					VADDPD(f[j+1], d[r], d[r])
				} else {
					VSUBPD(f[j+1], d[r], d[r])
				}
			}
		}
		var t [16]reg.VecVirtual
		t[0] = YMM()
		zero(t[0])
		for r := range d {
			VSUBPD(d[r], t[0], t[0])
			VADDPD(d[r], d[r], d[r])
		}
		store := func(a int) { VMOVUPD(t[a], at(tab, 128*a+32*quarter)) }
		store(0)
		for r := range d {
			for a := range 1 << r {
				t[a|1<<r] = YMM()
				VADDPD(d[r], t[a], t[a|1<<r])
				store(a | 1<<r)
			}
		}
	}
	end()
}
