package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// AVX2 and FMA: four rows at once, no table, degree 11.

// poly256 holds the coefficients of (2^-r - 1)/r on |r| <= 1/2, constant term first: interpolation
// at Chebyshev's nodes, relative error 5e-17.
var poly256 = []uint64{
	0xbfe62e42fefa39ef, 0x3fcebfbdff82c598, 0xbfac6b08d704a0c2, 0x3f83b2ab6fba1dda,
	0xbf55d87fe78a5276, 0x3f2430913096fd9f, 0xbeeffcbfc670dcd4, 0x3eb62bfd47773353,
	0xbe7b524fae627834, 0x3e3e6063f7217bc6, 0xbdfe9d3fe3952179,
}

// exp256 is exp512 for AVX2. Its magic counts from the bias of the exponent.
type exp256 struct {
	c                 Op // a register, or four numbers in memory
	dmax              reg.VecVirtual
	magic, poly, mask Mem
}

func newExp256(name string, raise uint64) exp256 {
	const all = math.MaxUint64
	return exp256{
		magic: data(name+"magic256", 4, magic(0)+1023+raise),
		poly:  data(name+"poly256", 4, poly256...),
		mask:  data(name+"mask256", 1, all, all, all, all, 0, 0, 0, 0),
	}
}

func (e *exp256) begin(c, dmax Mem) {
	r := YMM()
	e.c, e.dmax = r, YMM()
	VBROADCASTSD(c, r)
	VBROADCASTSD(dmax, e.dmax)
}

// tailMask returns a mask of the first tail lanes, in memory. It uses tail up.
func (e *exp256) tailMask(tail reg.GPVirtual) Mem {
	at := GP64()
	LEAQ(e.mask.Offset(32), at)
	SHLQ(Imm(3), tail)
	SUBQ(tail, at)
	return Mem{Base: at}
}

// exp is as for AVX-512, with d at most dmax.
func (e *exp256) exp(d reg.VecVirtual) (s, w reg.VecVirtual) {
	t, r, q := YMM(), YMM(), YMM()
	VMOVUPD(e.magic, t)
	VFNMADD231PD(e.c, d, t)
	VSUBPD(e.magic, t, r)
	VFMADD231PD(e.c, d, r)
	VPSLLQ(Imm(52), t, t)
	last := len(poly256) - 1
	VMOVUPD(e.poly.Offset(32*last), q)
	for i := last - 1; i >= 0; i-- {
		VFMADD213PD(e.poly.Offset(32*i), r, q)
	}
	VMULPD(r, q, q)
	return t, q
}

// rows256 adds those of four rows that are in the mask, for one pseudo-input p.
func rows256(e exp256, g passArgs, i reg.Register, p input512, mask ...Op) {
	d, f, kd := YMM(), YMM(), YMM()
	VMOVUPD(row(g.x, i), d)
	VSUBPD(p.z, d, d)
	VMULPD(d, d, d)
	VMINPD(d, e.dmax, d) // in this order a NaN in d stays
	s, w := e.exp(d)
	VSUBPD(p.shift, s, f)
	VFMADD231PD(s, w, f)
	k := w
	VFMADD213PD(s, s, k)
	VMULPD(k, d, kd)
	a, b := YMM(), YMM()
	VMOVUPD(row(g.a, i), a)
	VMOVUPD(row(g.b, i), b)
	VFMADD231PD(k, kd, a)
	VFMADD231PD(kd, kd, b)
	VMOVUPD(a, row(g.a, i))
	VMOVUPD(b, row(g.b, i))
	if len(mask) > 0 {
		VANDPD(mask[0], f, f)
		VANDPD(mask[0], kd, kd)
	}
	p.add(f, kd)
}

// addTotals256 adds the sums of all lanes to those in memory.
func (p input512) addTotals256(sums reg.Register) {
	VHADDPD(p.f, p.c, p.c)
	VHADDPD(p.fd, p.kd, p.kd)
	lo, hi := YMM(), YMM()
	VPERM2F128(Imm(0x20), p.kd, p.c, lo)
	VPERM2F128(Imm(0x31), p.kd, p.c, hi)
	VADDPD(hi, lo, lo)
	VADDPD(Mem{Base: sums}, lo, lo)
	VMOVUPD(lo, Mem{Base: sums})
}

func pass256() {
	e := newExp256("pass", raise)
	unit := data("unit256", 4, math.Float64bits(math.Ldexp(1, raise)))
	TEXT("passAVX2", NOSPLIT, passSignature)
	Pragma("noescape")
	Doc("passAVX2 adds to sums the pairs of 4 vecs + tail rows.")
	g := loadPassArgs()
	e.begin(Mem{Base: g.consts, Disp: constC}, Mem{Base: g.consts, Disp: constDmax})
	tail := load("tail")
	SHLQ(Imm(2), g.vecs)
	Label("inputs")
	p := input512{YMM(), YMM(), YMM(), YMM(), YMM(), YMM()}
	VBROADCASTSD(Mem{Base: g.z}, p.z)
	VMULPD(Mem{Base: g.consts, Disp: constScale}, p.z, p.z)
	VBROADCASTSD(Mem{Base: g.shift}, p.shift)
	VMULPD(unit, p.shift, p.shift)
	for _, v := range []reg.VecVirtual{p.c, p.f, p.kd, p.fd} {
		VXORPD(v, v, v)
	}
	overRows("", g.vecs, tail, 4, func(i reg.Register, last bool) {
		if last {
			count := GP64()
			MOVQ(tail, count)
			rows256(e, g, i, p, e.tailMask(count))
		} else {
			rows256(e, g, i, p)
		}
	})
	p.addTotals256(g.sums)
	g.next(1)
	TESTQ(g.m, g.m)
	JNE(LabelRef("inputs"))
	VZEROUPPER()
	RET()
}

func expNeg256() {
	e := newExp256("exp", 0)
	TEXT("expNegAVX2", NOSPLIT, "func(dst, d *float64, vecs, tail int, c, dmax float64)")
	Pragma("noescape")
	Doc("expNegAVX2 sets dst to 2^-(c d), and to 0 where d > dmax.")
	dst, src, vecs, tail := load("dst"), load("d"), load("vecs"), load("tail")
	e.begin(param("c"), param("dmax"))
	SHLQ(Imm(2), vecs)
	overRows("", vecs, tail, 4, func(i reg.Register, last bool) {
		raw, d, far := YMM(), YMM(), YMM()
		var mask reg.VecVirtual
		if last {
			mask = YMM()
			VMOVUPD(e.tailMask(tail), mask)
			VMASKMOVPD(row(src, i), mask, raw)
		} else {
			VMOVUPD(row(src, i), raw)
		}
		VMINPD(raw, e.dmax, d) // in this order a NaN in d stays
		s, w := e.exp(d)
		VFMADD213PD(s, s, w)
		VCMPPD(Imm(14), e.dmax, raw, far) // raw > dmax
		VANDNPD(w, far, w)
		if last {
			VMASKMOVPD(w, mask, row(dst, i))
		} else {
			VMOVUPD(w, row(dst, i))
		}
	})
	VZEROUPPER()
	RET()
}
