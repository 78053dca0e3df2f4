// This program writes the assembly of package permute: see the go:generate line of its doc.go.
package main

import (
	"flag"
	"log"
	"math"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tileBytes is the length of a row of a tile, 128 numbers. The same number is in Go.
const tileBytes = 128 * 8

func main() {
	dir := flag.String("dir", "..", "where to write")
	flag.Parse()
	for name, value := range map[string]string{ // flags of avo
		"pkg":   "permute",
		"out":   filepath.Join(*dir, "kernels_amd64.s"),
		"stubs": filepath.Join(*dir, "kernels_amd64.go"),
	} {
		if err := flag.Set(name, value); err != nil {
			log.Fatal(err)
		}
	}
	ConstraintExpr("amd64,!noasm")
	tables512()
	expand512()
	lookup512()
	gather512("gatherAVX512", []string{"k0"})
	gather512("gatherThreeAVX512", []string{"k0", "k1", "k2"})
	packed512()
	cross512()
	table256()
	cross256()
	gather256()
	packed256()
	Generate()
}

// function begins a function.
func function(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc)
}

// end ends one: without VZEROUPPER the caller's scalar code would run a hundred times as long.
func end() {
	VZEROUPPER()
	RET()
}

func load(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// at is the memory so many bytes after an address.
func at(base reg.Register, bytes int) Mem { return Mem{Base: base, Disp: bytes} }

// repeat emits body as often as count says, at least once.
func repeat(label string, count reg.GPVirtual, body func()) {
	Label(label)
	body()
	DECQ(count)
	JNE(LabelRef(label))
}

// signs writes +1 where bit number bit of the lane's number is set, -1 elsewhere. The bits are
// written, because avo would print the number 1 as an integer.
func signs(name string, lanes, bit int) Mem {
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range lanes {
		DATA(8*i, U64(math.Float64bits(float64(2*(i>>bit&1)-1))))
	}
	return m
}

// zero clears registers.
func zero(vs ...reg.VecVirtual) {
	for _, v := range vs {
		if v.Size() == 64 {
			VPXORQ(v, v, v)
		} else {
			VXORPD(v, v, v)
		}
	}
}

// many returns so many registers.
func many(count int, register func() reg.VecVirtual) []reg.VecVirtual {
	out := make([]reg.VecVirtual, count)
	for i := range out {
		out[i] = register()
	}
	return out
}
