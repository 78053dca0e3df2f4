// This program writes the assembly of package logdet: see the go:generate line of its doc.go.
package main

import (
	"flag"
	"log"
	"path/filepath"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	dir := flag.String("dir", "..", "where to write")
	flag.Parse()
	for name, value := range map[string]string{ // flags of avo
		"pkg":   "logdet",
		"out":   filepath.Join(*dir, "columns_amd64.s"),
		"stubs": filepath.Join(*dir, "columns_amd64.go"),
	} {
		if err := flag.Set(name, value); err != nil {
			log.Fatal(err)
		}
	}
	ConstraintExpr("amd64,!noasm")
	for _, w := range []width{{"AVX2", 4, YMM}, {"AVX512", 8, ZMM}} {
		w.dots()
		w.subtract()
		w.squares()
		w.weigh()
	}
	Generate()
}

// width is the number of lanes of the registers.
type width struct {
	name     string
	lanes    int
	register func() reg.VecVirtual
}

func (w width) bytes() int { return 8 * w.lanes }

// function begins a function; end ends one: without VZEROUPPER the caller's scalar code would run a
// hundred times as long.
func (w width) function(name, signature, doc string) {
	TEXT(name+w.name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + w.name + " " + doc)
}

func end() {
	VZEROUPPER()
	RET()
}

func load(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// at is the memory so many bytes after a place.
func at(base reg.Register, index reg.Register, bytes int) Mem {
	return Mem{Base: base, Index: index, Scale: 1, Disp: bytes}
}

// groups emits body for four columns at a time and then for one, which are at the addresses it is
// given, until count of them are done.
func groups(slab, stride, count reg.GPVirtual, body func(label string, columns []reg.GPVirtual)) {
	for _, g := range []struct {
		label string
		size  int
	}{{"four", 4}, {"one", 1}} {
		Label(g.label)
		CMPQ(count, Imm(uint64(g.size)))
		JL(LabelRef(g.label + "done"))
		columns := make([]reg.GPVirtual, g.size)
		for k := range columns {
			columns[k] = GP64()
			if k == 0 {
				MOVQ(slab, columns[k])
			} else {
				MOVQ(columns[k-1], columns[k])
				ADDQ(stride, columns[k])
			}
		}
		body(g.label, columns)
		MOVQ(columns[g.size-1], slab)
		ADDQ(stride, slab)
		SUBQ(Imm(uint64(g.size)), count)
		JMP(LabelRef(g.label))
		Label(g.label + "done")
	}
}

// along emits body for each vector of a column, at an offset.
func (w width) along(label string, vecs reg.GPVirtual, body func(offset reg.GPVirtual)) {
	offset, left := GP64(), GP64()
	XORQ(offset, offset)
	MOVQ(vecs, left)
	Label(label + "along")
	body(offset)
	ADDQ(Imm(uint64(w.bytes())), offset)
	DECQ(left)
	JNE(LabelRef(label + "along"))
}

func (w width) zeroed() reg.VecVirtual {
	v := w.register()
	if w.lanes == 8 {
		VPXORQ(v, v, v)
	} else {
		VXORPD(v, v, v)
	}
	return v
}

// dots multiplies a column by others.
func (w width) dots() {
	w.function("dots", "func(dst, c, slab *float64, stride, count, vecs int)",
		"sets dst to the products of c and count columns of the slab, which are stride bytes apart.")
	dst, c, slab := load("dst"), load("c"), load("slab")
	stride, count, vecs := load("stride"), load("count"), load("vecs")
	groups(slab, stride, count, func(label string, columns []reg.GPVirtual) {
		acc := make([]reg.VecVirtual, len(columns))
		for k := range acc {
			acc[k] = w.zeroed()
		}
		w.along(label, vecs, func(offset reg.GPVirtual) {
			v := w.register()
			VMOVUPD(at(c, offset, 0), v)
			for k, p := range columns {
				VFMADD231PD(at(p, offset, 0), v, acc[k])
			}
		})
		for k, a := range acc {
			if w.lanes == 8 {
				half := YMM()
				VEXTRACTF64X4(Imm(1), a, half)
				VADDPD(half, a.AsY(), half)
				acc[k] = half
			}
		}
		if len(acc) == 1 {
			half, odd := XMM(), XMM()
			VEXTRACTF128(Imm(1), acc[0].AsY(), half)
			VADDPD(half, acc[0].AsX(), half)
			VPERMILPD(Imm(1), half, odd)
			VADDSD(odd, half, half)
			VMOVSD(half, Mem{Base: dst})
		} else {
			a, b, mixed, kept := YMM(), YMM(), YMM(), YMM()
			VHADDPD(acc[1].AsY(), acc[0].AsY(), a)
			VHADDPD(acc[3].AsY(), acc[2].AsY(), b)
			VPERM2F128(Imm(0x21), b, a, mixed)
			VBLENDPD(Imm(0b1100), b, a, kept)
			VADDPD(mixed, kept, kept)
			VMOVUPD(kept, Mem{Base: dst})
		}
		ADDQ(Imm(uint64(8*len(acc))), dst)
	})
	end()
}

// subtract takes multiples of columns from another.
func (w width) subtract() {
	w.function("subtract", "func(c, row, slab *float64, stride, count, vecs int)",
		"takes row[j] times column j of the slab from c, for count columns.")
	c, row, slab := load("c"), load("row"), load("slab")
	stride, count, vecs := load("stride"), load("count"), load("vecs")
	groups(slab, stride, count, func(label string, columns []reg.GPVirtual) {
		f := make([]reg.VecVirtual, len(columns))
		for k := range f {
			f[k] = w.register()
			VBROADCASTSD(Mem{Base: row, Disp: 8 * k}, f[k])
		}
		w.along(label, vecs, func(offset reg.GPVirtual) {
			v := w.register()
			VMOVUPD(at(c, offset, 0), v)
			for k, p := range columns {
				VFNMADD231PD(at(p, offset, 0), f[k], v)
			}
			VMOVUPD(v, at(c, offset, 0))
		})
		ADDQ(Imm(uint64(8*len(f))), row)
	})
	end()
}

// squares adds up the squares of columns.
func (w width) squares() {
	w.function("squares", "func(dst, slab *float64, stride, count, vecs int)",
		"adds the squares of the elements of count columns to those of dst.")
	dst, slab := load("dst"), load("slab")
	stride, count, vecs := load("stride"), load("count"), load("vecs")
	groups(slab, stride, count, func(label string, columns []reg.GPVirtual) {
		w.along(label, vecs, func(offset reg.GPVirtual) {
			sum := w.register()
			VMOVUPD(at(dst, offset, 0), sum)
			for _, p := range columns {
				v := w.register()
				VMOVUPD(at(p, offset, 0), v)
				VFMADD231PD(v, v, sum)
			}
			VMOVUPD(sum, at(dst, offset, 0))
		})
	})
	end()
}

// weigh makes a column.
func (w width) weigh() {
	w.function("weigh", "func(c, z, weight, x *float64, vecs int)",
		"sets c to weight times x less z, where x is a number.")
	c, z, weight, x, vecs := load("c"), load("z"), load("weight"), load("x"), load("vecs")
	from := w.register()
	VBROADCASTSD(Mem{Base: x}, from)
	w.along("all", vecs, func(offset reg.GPVirtual) {
		v := w.register()
		VSUBPD(at(z, offset, 0), from, v)
		VMULPD(at(weight, offset, 0), v, v)
		VMOVUPD(v, at(c, offset, 0))
	})
	end()
}
