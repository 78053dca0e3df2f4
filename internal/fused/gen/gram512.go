package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The sums in two and three dimensions. A block of rows lies in columns: the coordinates, the
// elements of G, those of H.

const gramSignature = "func(block *float64, vecs, tail int, z, shift *float64, m int, " +
	"sums, consts *float64)"

// Rows of the block of constants, eight equal numbers each, in bytes.
const (
	gramC      = 0
	gramDmax   = 64
	gramFactor = 128 // 1/theta_a, a row for each
)

// gramArgs holds the parameters of a gram function.
type gramArgs struct {
	dim    int
	ard    bool
	stride int // from a column of the block to the next, as in Go

	block, z, shift, sums, vecs, m, consts reg.GPVirtual
}

func loadGramArgs(dim int, ard bool) gramArgs {
	rows := 512
	if dim == 3 {
		rows /= 2
	}
	if ard {
		rows /= 2
	}
	return gramArgs{
		dim: dim, ard: ard, stride: rows + 8,
		block: load("block"), z: load("z"), shift: load("shift"), sums: load("sums"),
		vecs: load("vecs"), m: load("m"), consts: load("consts"),
	}
}

// column is element i of a column of the block.
func (g gramArgs) column(k int, i reg.Register) Mem {
	return row(g.block, i).Offset(8 * g.stride * k)
}

func (g gramArgs) next(count int) {
	ADDQ(Imm(uint64(8*g.dim*count)), g.z)
	ADDQ(Imm(uint64(8*count)), g.shift)
	sums := 32 * count
	if g.ard {
		sums *= 2
	}
	ADDQ(Imm(uint64(sums)), g.sums)
	SUBQ(Imm(uint64(count)), g.m)
}

func gramName(dim int, ard bool) string {
	if ard {
		return fmt.Sprintf("gramARD%d", dim)
	}
	return fmt.Sprintf("gram%d", dim)
}

// elements is the number of columns of G, and of H.
func (g gramArgs) elements() int { return g.dim * (g.dim + 1) / 2 }

// gramRows512 adds eight rows for the next pseudo-inputs, one for each of ps.
func gramRows512(e exp512, g gramArgs, i reg.Register, ps []input512, mask ...Op) {
	x := make([]reg.VecVirtual, g.dim)
	for a := range x {
		x[a] = ZMM()
		VMOVUPD(g.column(a, i), x[a])
	}
	acc := make([]reg.VecVirtual, 2*g.elements())
	for k := range acc {
		acc[k] = ZMM()
		VMOVUPD(g.column(g.dim+k, i), acc[k])
	}
	for j, p := range ps {
		v, d := make([]reg.VecVirtual, g.dim), ZMM()
		for a := range v {
			v[a] = ZMM()
			VSUBPD_BCST(Mem{Base: g.z, Disp: 8 * (g.dim*j + a)}, x[a], v[a])
		}
		VMULPD(v[0], v[0], d)
		for _, u := range v[1:] {
			VFMADD231PD(u, u, d)
		}
		s, w := e.exp(d)
		f, kd, kk, kkd := ZMM(), ZMM(), ZMM(), ZMM()
		VSUBPD_BCST(Mem{Base: g.shift, Disp: 8 * j}, s, f)
		VFMADD231PD(s, w, f)
		k := w
		VFMADD213PD(s, s, k)
		VMULPD(k, d, kd)
		p.add(f, kd, mask...)
		VMULPD(k, k, kk)
		VMULPD(k, kd, kkd)
		gh := func(n int, m reg.VecVirtual) {
			VFMADD231PD(kk, m, acc[n])
			VFMADD231PD(kkd, m, acc[g.elements()+n])
		}
		gh(0, d)
		// All products but the square of the last coordinate.
		n := 1
		for a := range g.dim - 1 {
			for b := a; b < g.dim; b++ {
				m := ZMM()
				VMULPD(v[a], v[b], m)
				gh(n, m)
				n++
			}
		}
	}
	for k := range acc {
		VMOVUPD(acc[k], g.column(g.dim+k, i))
	}
}

// newSums512 returns four sums of nothing.
func newSums512() input512 {
	p := input512{c: ZMM(), f: ZMM(), kd: ZMM(), fd: ZMM()}
	for _, v := range []reg.VecVirtual{p.c, p.f, p.kd, p.fd} {
		VPXORQ(v, v, v)
	}
	return p
}

// gramInputs512 runs over all rows for the next count pseudo-inputs.
func gramInputs512(e exp512, g gramArgs, tail, mask reg.Register, count int) {
	ps := make([]input512, count)
	for j := range ps {
		ps[j] = newSums512()
	}
	overRows(fmt.Sprint("of", count), g.vecs, tail, 8, func(i reg.Register, last bool) {
		if last {
			gramRows512(e, g, i, ps, mask)
		} else {
			gramRows512(e, g, i, ps)
		}
	})
	addTotals512(g.sums, ps)
	g.next(count)
}

func gram512(dim int) {
	name := gramName(dim, false)
	e := newExp512(name, raise)
	TEXT(name+"AVX512", NOSPLIT, gramSignature)
	Pragma("noescape")
	Doc(name + "AVX512 adds the pairs of 8 vecs rows and of as many more as tail has bits.")
	control := flushDenormals()
	g := loadGramArgs(dim, false)
	e.begin(Mem{Base: g.consts, Disp: gramC})
	tail, mask := load("tail"), K()
	KMOVB(tail.As32(), mask)
	SHLQ(Imm(3), g.vecs)
	if dim == 2 { // for three dimensions there are too few registers
		CMPQ(g.m, Imm(2))
		JLT(LabelRef("one"))
		Label("two")
		gramInputs512(e, g, tail, mask, 2)
		CMPQ(g.m, Imm(2))
		JGE(LabelRef("two"))
	}
	Label("one")
	TESTQ(g.m, g.m)
	JE(LabelRef("end"))
	gramInputs512(e, g, tail, mask, 1)
	JMP(LabelRef("one"))
	Label("end")
	LDMXCSR(control)
	VZEROUPPER()
	RET()
}
