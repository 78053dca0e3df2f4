package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// AVX-512: eight rows at once, a table of 16 powers of two, degree 6.

// poly512 holds the coefficients of (2^-r - 1)/r on |r| <= 1/32, constant term first: interpolation
// at Chebyshev's nodes, relative error 7e-16.
var poly512 = []uint64{
	0xbfe62e42fefa39f3, 0x3fcebfbdff82c590, 0xbfac6b08d6f2a289,
	0x3f83b2ab6fb41213, 0xbf55d897e525c216, 0x3f2430a1d08ec681,
}

// exp512 is what the exponential needs: c and the first three in registers, the rest in memory.
type exp512 struct {
	c, magic, lo, hi       reg.VecVirtual
	magicMem, powers, poly Mem
}

func newExp512(name string, raise int) exp512 {
	table := powers(4)
	for i := range table {
		table[i] += uint64(i)<<48 + uint64(raise)<<52 // VSCALEFPD does the rest of the exponent
	}
	return exp512{
		magicMem: data(name+"magic512", 1, magic(4)),
		powers:   data(name+"powers512", 1, table...),
		poly:     data(name+"poly512", 1, poly512...),
	}
}

// begin loads the registers, c from the given number.
func (e *exp512) begin(c Mem) {
	e.c, e.magic, e.lo, e.hi = ZMM(), ZMM(), ZMM(), ZMM()
	VBROADCASTSD(c, e.c)
	VBROADCASTSD(e.magicMem, e.magic)
	VMOVUPD(e.powers, e.lo)
	VMOVUPD(e.powers.Offset(64), e.hi)
}

// exp returns s and w with 2^(raise - c d) = s + s w: s is 2 to a multiple of 1/16, w small. If c d
// is large, but below 2^200, s is 0 and w finite. A NaN stays.
func (e *exp512) exp(d reg.VecVirtual) (s, w reg.VecVirtual) {
	t, n, r, q := ZMM(), ZMM(), ZMM(), ZMM()
	VMOVAPD(e.magic, t)
	VFNMADD231PD(d, e.c, t)
	VSUBPD(e.magic, t, n)
	VMOVAPD(n, r)
	VFMADD231PD(d, e.c, r)
	VPERMI2PD(e.hi, e.lo, t)
	VSCALEFPD(n, t, t)
	last := len(poly512) - 1
	VBROADCASTSD(e.poly.Offset(8*last), q)
	for i := last - 1; i >= 0; i-- {
		VFMADD213PD_BCST(e.poly.Offset(8*i), r, q)
	}
	VMULPD(r, q, q)
	return t, q
}

// input512 is one pseudo-input: its numbers in all lanes, and its four sums.
type input512 struct{ z, shift, c, f, kd, fd reg.VecVirtual }

func newInput512(g passArgs, unit Mem, j int) input512 {
	p := input512{ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()}
	VBROADCASTSD(Mem{Base: g.z, Disp: 8 * j}, p.z)
	VMULPD(Mem{Base: g.consts, Disp: constScale}, p.z, p.z)
	VBROADCASTSD(Mem{Base: g.shift, Disp: 8 * j}, p.shift)
	VMULPD_BCST(unit, p.shift, p.shift)
	for _, v := range []reg.VecVirtual{p.c, p.f, p.kd, p.fd} {
		VPXORQ(v, v, v)
	}
	return p
}

// add adds to the sums, under a mask if there is one.
func (p input512) add(f, kd reg.VecVirtual, mask ...Op) {
	masked := func(op func(...Op), a, b, dst Op) { op(append(append([]Op{a, b}, mask...), dst)...) }
	masked(VADDPD, f, p.c, p.c)
	masked(VFMADD231PD, f, f, p.f)
	masked(VADDPD, kd, p.kd, p.kd)
	masked(VFMADD231PD, f, kd, p.fd)
}

// rows512 adds eight rows for the pseudo-inputs ps.
func rows512(e exp512, g passArgs, i reg.Register, ps []input512, mask ...Op) {
	x, a, b := ZMM(), ZMM(), ZMM()
	VMOVUPD(row(g.x, i), x)
	VMOVUPD(row(g.a, i), a)
	VMOVUPD(row(g.b, i), b)
	for _, p := range ps {
		d, f, kd := ZMM(), ZMM(), ZMM()
		VSUBPD(p.z, x, d)
		VMULPD(d, d, d)
		s, w := e.exp(d)
		VSUBPD(p.shift, s, f)
		VFMADD231PD(s, w, f) // (s - shift) + s w: accurate also where k and shift are near 1
		k := w
		VFMADD213PD(s, s, k)
		VMULPD(k, d, kd)
		p.add(f, kd, mask...)
		VFMADD231PD(k, kd, a)
		VFMADD231PD(kd, kd, b)
	}
	VMOVUPD(a, row(g.a, i))
	VMOVUPD(b, row(g.b, i))
}

// halve512 adds neighbouring quarters: those of the result are p0+p1, p2+p3, q0+q1, q2+q3.
func halve512(p, q reg.VecVirtual) reg.VecVirtual {
	lo, hi := ZMM(), ZMM()
	VSHUFF64X2(Imm(0x88), q, p, lo)
	VSHUFF64X2(Imm(0xdd), q, p, hi)
	VADDPD(hi, lo, lo)
	return lo
}

// interleave512 adds neighbouring lanes: each quarter of the result is (p0+p1, q0+q1) of theirs.
func interleave512(p, q reg.VecVirtual) reg.VecVirtual {
	lo, hi := ZMM(), ZMM()
	VUNPCKLPD(q, p, lo)
	VUNPCKHPD(q, p, hi)
	VADDPD(hi, lo, lo)
	return lo
}

// total returns the sums c, f, kd, fd of quarters, in two quarters each.
func (p input512) total() reg.VecVirtual {
	return halve512(interleave512(p.c, p.f), interleave512(p.kd, p.fd))
}

// addTotals512 adds the sums of one or two pseudo-inputs to those in memory.
func addTotals512(sums reg.Register, ps []input512) {
	first := ps[0].total()
	if len(ps) == 2 {
		sum := halve512(first, ps[1].total())
		VADDPD(Mem{Base: sums}, sum, sum)
		VMOVUPD(sum, Mem{Base: sums})
	} else {
		sum := halve512(first, first).AsY()
		VADDPD(Mem{Base: sums}, sum, sum)
		VMOVUPD(sum, Mem{Base: sums})
	}
}

// inputs512 runs over all rows for the next count pseudo-inputs.
func inputs512(e exp512, g passArgs, unit Mem, tail, mask reg.Register, count int) {
	ps := make([]input512, count)
	for j := range ps {
		ps[j] = newInput512(g, unit, j)
	}
	overRows(fmt.Sprint("of", count), g.vecs, tail, 8, func(i reg.Register, last bool) {
		if last {
			rows512(e, g, i, ps, mask)
		} else {
			rows512(e, g, i, ps)
		}
	})
	addTotals512(g.sums, ps)
	g.next(count)
}

// flushDenormals makes numbers that underflow 0, and those read too: dealing with them takes the
// processor a hundred times as long. It returns what to restore.
func flushDenormals() (before Mem) {
	before = AllocLocal(8)
	after, flags := before.Offset(4), GP32()
	STMXCSR(before)
	MOVL(before, flags)
	ORL(U32(0x8040), flags)
	MOVL(flags, after)
	LDMXCSR(after)
	return before
}

func pass512() {
	e := newExp512("pass", raise)
	unit := data("unit512", 1, math.Float64bits(math.Ldexp(1, raise)))
	TEXT("passAVX512", NOSPLIT, passSignature)
	Pragma("noescape")
	Doc("passAVX512 adds to sums the pairs of 8 vecs rows and of as many more as tail has bits.")
	control := flushDenormals()
	g := loadPassArgs()
	e.begin(Mem{Base: g.consts, Disp: constC})
	tail, mask := load("tail"), K()
	KMOVB(tail.As32(), mask)
	SHLQ(Imm(3), g.vecs)
	CMPQ(g.m, Imm(2))
	JLT(LabelRef("one"))
	Label("two")
	inputs512(e, g, unit, tail, mask, 2)
	CMPQ(g.m, Imm(2))
	JGE(LabelRef("two"))
	Label("one")
	TESTQ(g.m, g.m)
	JE(LabelRef("end"))
	inputs512(e, g, unit, tail, mask, 1)
	Label("end")
	LDMXCSR(control)
	VZEROUPPER()
	RET()
}

func expNeg512() {
	e := newExp512("exp", 0)
	TEXT("expNegAVX512", NOSPLIT, "func(dst, d *float64, vecs, tail int, c, dmax float64)")
	Pragma("noescape")
	Doc("expNegAVX512 sets dst to 2^-(c min(d, dmax)).")
	dst, src, vecs, tail, mask := load("dst"), load("d"), load("vecs"), load("tail"), K()
	e.begin(param("c"))
	dmax := ZMM()
	VBROADCASTSD(param("dmax"), dmax)
	KMOVB(tail.As32(), mask)
	SHLQ(Imm(3), vecs)
	overRows("", vecs, tail, 8, func(i reg.Register, last bool) {
		d := ZMM()
		if last {
			VMOVUPD_Z(row(src, i), mask, d)
		} else {
			VMOVUPD(row(src, i), d)
		}
		VMINPD(d, dmax, d) // in this order a NaN in d stays
		s, w := e.exp(d)
		VFMADD213PD(s, s, w)
		if last {
			VMOVUPD(w, mask, row(dst, i))
		} else {
			VMOVUPD(w, row(dst, i))
		}
	})
	VZEROUPPER()
	RET()
}
