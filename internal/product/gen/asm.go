// This program writes the assembly of package product: see the go:generate line of its doc.go.
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
		"pkg":   "product",
		"out":   filepath.Join(*dir, "kernels_amd64.s"),
		"stubs": filepath.Join(*dir, "kernels_amd64.go"),
	} {
		if err := flag.Set(name, value); err != nil {
			log.Fatal(err)
		}
	}
	ConstraintExpr("amd64,!noasm")
	tile("tileAVX512", 8, 8, ZMM)
	tile("tileAVX2", 4, 4, YMM)
	Generate()
}

// tile multiplies so many rows of one matrix by two vectors of rows of another.
func tile(name string, rows, lanes int, register func() reg.VecVirtual) {
	TEXT(name, NOSPLIT, "func(out, a, b *float64, n, next int)")
	Pragma("noescape")
	Doc(name+" sets out to the sum over i < n, which is not 0, of a[i] b[i]'.",
		"The elements of b[i+1] are next bytes after those of b[i].")
	a, b, n, step := load("a"), load("b"), load("n"), load("next")
	sums := make([]reg.VecVirtual, 2*rows)
	for i := range sums {
		sums[i] = register()
		if lanes == 8 {
			VPXORQ(sums[i], sums[i], sums[i])
		} else {
			VXORPD(sums[i], sums[i], sums[i])
		}
	}
	Label("next")
	lo, hi := register(), register()
	VMOVUPD(Mem{Base: b}, lo)
	VMOVUPD(Mem{Base: b, Disp: 8 * lanes}, hi)
	for r := range rows {
		v := register()
		VBROADCASTSD(Mem{Base: a, Disp: 8 * r}, v)
		VFMADD231PD(lo, v, sums[2*r])
		VFMADD231PD(hi, v, sums[2*r+1])
	}
	ADDQ(Imm(uint64(8*rows)), a)
	ADDQ(step, b)
	DECQ(n)
	JNE(LabelRef("next"))
	out := load("out")
	for i, s := range sums {
		VMOVUPD(s, Mem{Base: out, Disp: 8 * lanes * i})
	}
	// Without it the caller's scalar code would run a hundred times as long.
	VZEROUPPER()
	RET()
}

func load(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}
