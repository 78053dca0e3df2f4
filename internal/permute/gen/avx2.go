//go:build ignore

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func cross256() { cross("crossAVX2", 4, 4, YMM) }

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
