package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gramInput256 is one pseudo-input in all lanes, and its four sums.
type gramInput256 struct {
	input512
	z []reg.VecVirtual
}

func newGramInput256(g gramArgs) gramInput256 {
	p := gramInput256{
		input512: input512{shift: YMM(), c: YMM(), f: YMM(), kd: YMM(), fd: YMM()},
		z:        make([]reg.VecVirtual, g.dim),
	}
	for a := range p.z {
		p.z[a] = YMM()
		VBROADCASTSD(Mem{Base: g.z, Disp: 8 * a}, p.z[a])
	}
	VBROADCASTSD(Mem{Base: g.shift}, p.shift)
	for _, v := range []reg.VecVirtual{p.c, p.f, p.kd, p.fd} {
		VXORPD(v, v, v)
	}
	return p
}

// vectors returns x - z.
func (p gramInput256) vectors(g gramArgs, i reg.Register) []reg.VecVirtual {
	v := make([]reg.VecVirtual, g.dim)
	for a := range v {
		v[a] = YMM()
		VMOVUPD(g.column(a, i), v[a])
		VSUBPD(p.z[a], v[a], v[a])
	}
	return v
}

// gramRows256 adds those of four rows that are in the mask, for one pseudo-input p. The vectors are
// computed once more after the exponential, which needs their registers.
func gramRows256(e exp256, g gramArgs, i reg.Register, p gramInput256, mask ...Op) {
	d, f, kd, kk := YMM(), YMM(), YMM(), YMM()
	v := p.vectors(g, i)
	VMULPD(v[0], v[0], d)
	for _, u := range v[1:] {
		VFMADD231PD(u, u, d)
	}
	VMINPD(d, e.dmax, d) // in this order a NaN in d stays
	s, w := e.exp(d)
	VSUBPD(p.shift, s, f)
	VFMADD231PD(s, w, f)
	k := w
	VFMADD213PD(s, s, k)
	VMULPD(k, d, kd)
	kkd := s
	VMULPD(k, kd, kkd)
	VMULPD(k, k, kk)
	if len(mask) > 0 {
		VANDPD(mask[0], f, f)
		VANDPD(mask[0], kd, kd)
	}
	p.add(f, kd)
	// gh uses m up.
	gh := func(n int, m reg.VecVirtual) {
		t, atG, atH := YMM(), g.column(g.dim+n, i), g.column(g.dim+g.elements()+n, i)
		VMOVAPD(m, t)
		VFMADD213PD(atG, kk, t)
		VMOVUPD(t, atG)
		VFMADD213PD(atH, kkd, m)
		VMOVUPD(m, atH)
	}
	gh(0, d)
	v = p.vectors(g, i)
	n := 1
	for a := range g.dim - 1 {
		for b := a; b < g.dim; b++ {
			m := YMM()
			VMULPD(v[a], v[b], m)
			gh(n, m)
			n++
		}
	}
}

func gram256(dim int) {
	name := gramName(dim, false)
	e := newExp256(name, raise)
	TEXT(name+"AVX2", NOSPLIT, gramSignature)
	Pragma("noescape")
	Doc(name + "AVX2 adds the pairs of 4 vecs + tail rows.")
	g := loadGramArgs(dim, false)
	e.begin(Mem{Base: g.consts, Disp: gramC}, Mem{Base: g.consts, Disp: gramDmax})
	e.c = Mem{Base: g.consts, Disp: gramC}
	tail := load("tail")
	SHLQ(Imm(2), g.vecs)
	Label("inputs")
	p := newGramInput256(g)
	overRows("", g.vecs, tail, 4, func(i reg.Register, last bool) {
		if last {
			count := GP64()
			MOVQ(tail, count)
			gramRows256(e, g, i, p, e.tailMask(count))
		} else {
			gramRows256(e, g, i, p)
		}
	})
	p.addTotals256(g.sums)
	g.next(1)
	TESTQ(g.m, g.m)
	JNE(LabelRef("inputs"))
	VZEROUPPER()
	RET()
}
