package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A lengthscale for each coordinate. The elements of G and the sums of products of four coordinates
// stay in memory: there are up to 21.

// monomial is the product of the coordinates a and b, and the columns of those of a, b, c, d.
type monomial struct {
	a, b int
	of4  []ofFour
}

// ofFour is the product of a monomial with the coordinates c and d, in its column.
type ofFour struct{ c, d, column int }

// monomials lists the products a <= b, each with the products of four a <= b <= c <= d.
func (g gramArgs) monomials() []monomial {
	var out []monomial
	column := g.dim + g.elements()
	for a := range g.dim {
		for b := a; b < g.dim; b++ {
			m := monomial{a: a, b: b}
			for c := b; c < g.dim; c++ {
				for d := c; d < g.dim; d++ {
					m.of4 = append(m.of4, ofFour{c, d, column})
					column++
				}
			}
			out = append(out, m)
		}
	}
	return out
}

// ardSums are C, F, KQ and FQ of each coordinate, of one pseudo-input; unused ones are nil.
type ardSums [8]reg.VecVirtual

func newARDSums(dim int, zero func() reg.VecVirtual) (s ardSums) {
	for k := range 2 + 2*dim {
		s[k] = zero()
	}
	return s
}

// quarters returns them four at a time.
func (s ardSums) quarters(k int) input512 {
	for i := range s {
		if s[i] == nil {
			s[i] = s[i-4] // something, where nobody looks
		}
	}
	return input512{c: s[k], f: s[k+1], kd: s[k+2], fd: s[k+3]}
}

// vectors512 returns (x - z)/theta.
func (g gramArgs) vectors512(i reg.Register) []reg.VecVirtual {
	v := make([]reg.VecVirtual, g.dim)
	for a := range v {
		v[a] = ZMM()
		VMOVUPD(g.column(a, i), v[a])
		VSUBPD_BCST(Mem{Base: g.z, Disp: 8 * a}, v[a], v[a])
		VMULPD(Mem{Base: g.consts, Disp: gramFactor + 64*a}, v[a], v[a])
	}
	return v
}

// gramARDRows512 adds eight rows for one pseudo-input.
func gramARDRows512(e exp512, g gramArgs, i reg.Register, sum ardSums, mask ...Op) {
	masked := func(op func(...Op), a, b, dst Op) { op(append(append([]Op{a, b}, mask...), dst)...) }
	v := g.vectors512(i)
	m := map[[2]int]reg.VecVirtual{}
	for _, p := range g.monomials() {
		u := ZMM()
		VMULPD(v[p.a], v[p.b], u)
		m[[2]int{p.a, p.b}] = u
	}
	d := ZMM()
	VADDPD(m[[2]int{0, 0}], m[[2]int{1, 1}], d)
	if g.dim == 3 {
		VADDPD(m[[2]int{2, 2}], d, d)
	}
	s, w := e.exp(d)
	f, kk := ZMM(), ZMM()
	VSUBPD_BCST(Mem{Base: g.shift}, s, f)
	VFMADD231PD(s, w, f)
	k := w
	VFMADD213PD(s, s, k)
	masked(VADDPD, f, sum[0], sum[0])
	masked(VFMADD231PD, f, f, sum[1])
	for a := range g.dim {
		kq := ZMM()
		VMULPD(k, m[[2]int{a, a}], kq)
		masked(VADDPD, kq, sum[2+2*a], sum[2+2*a])
		masked(VFMADD231PD, f, kq, sum[3+2*a])
	}
	VMULPD(k, k, kk)
	for n, p := range g.monomials() {
		u, total := ZMM(), ZMM()
		VMULPD(kk, m[[2]int{p.a, p.b}], u)
		VADDPD(g.column(g.dim+n, i), u, total)
		VMOVUPD(total, g.column(g.dim+n, i))
		for _, q := range p.of4 {
			at, total := g.column(q.column, i), ZMM()
			VMOVUPD(at, total)
			VFMADD231PD(u, m[[2]int{q.c, q.d}], total)
			VMOVUPD(total, at)
		}
	}
}

func gramARD512(dim int) {
	name := gramName(dim, true)
	e := newExp512(name, raise)
	TEXT(name+"AVX512", NOSPLIT, gramSignature)
	Pragma("noescape")
	Doc(name + "AVX512 adds the pairs of 8 vecs rows and of as many more as tail has bits.")
	control := flushDenormals()
	g := loadGramArgs(dim, true)
	e.begin(Mem{Base: g.consts, Disp: gramC})
	tail, mask := load("tail"), K()
	KMOVB(tail.As32(), mask)
	SHLQ(Imm(3), g.vecs)
	Label("inputs")
	sum := newARDSums(dim, func() reg.VecVirtual {
		v := ZMM()
		VPXORQ(v, v, v)
		return v
	})
	overRows("", g.vecs, tail, 8, func(i reg.Register, last bool) {
		if last {
			gramARDRows512(e, g, i, sum, mask)
		} else {
			gramARDRows512(e, g, i, sum)
		}
	})
	addTotals512(g.sums, []input512{sum.quarters(0), sum.quarters(4)})
	g.next(1)
	TESTQ(g.m, g.m)
	JNE(LabelRef("inputs"))
	LDMXCSR(control)
	VZEROUPPER()
	RET()
}

// vectors256 returns (x - z)/theta.
func (g gramArgs) vectors256(i reg.Register) []reg.VecVirtual {
	v := make([]reg.VecVirtual, g.dim)
	for a := range v {
		z, x := YMM(), YMM()
		VBROADCASTSD(Mem{Base: g.z, Disp: 8 * a}, z)
		VMOVUPD(g.column(a, i), x)
		VSUBPD(z, x, x)
		VMULPD(Mem{Base: g.consts, Disp: gramFactor + 64*a}, x, x)
		v[a] = x
	}
	return v
}

// gramARDRows256 adds four rows for one pseudo-input. The vectors are computed once more after the
// exponential, which needs their registers.
func gramARDRows256(e exp256, g gramArgs, i reg.Register, sum ardSums, mask ...Op) {
	d, f := YMM(), YMM()
	v := g.vectors256(i)
	VMULPD(v[0], v[0], d)
	for _, u := range v[1:] {
		VFMADD231PD(u, u, d)
	}
	dmax := YMM()
	VMOVUPD(Mem{Base: g.consts, Disp: gramDmax}, dmax)
	VMINPD(d, dmax, d) // in this order a NaN in d stays
	s, w := e.exp(d)
	shift := YMM()
	VBROADCASTSD(Mem{Base: g.shift}, shift)
	VSUBPD(shift, s, f)
	VFMADD231PD(s, w, f)
	k := w
	VFMADD213PD(s, s, k)
	if len(mask) > 0 {
		VANDPD(mask[0], f, f)
	}
	VADDPD(f, sum[0], sum[0])
	VFMADD231PD(f, f, sum[1])
	v = g.vectors256(i)
	for a := range g.dim {
		kq := YMM()
		VMULPD(v[a], v[a], kq)
		VMULPD(k, kq, kq)
		if len(mask) > 0 {
			VANDPD(mask[0], kq, kq)
		}
		VADDPD(kq, sum[2+2*a], sum[2+2*a])
		VFMADD231PD(f, kq, sum[3+2*a])
	}
	kk := k
	VMULPD(k, k, kk)
	for n, p := range g.monomials() {
		u, total := YMM(), YMM()
		VMULPD(v[p.a], v[p.b], u)
		VMULPD(kk, u, u)
		VADDPD(g.column(g.dim+n, i), u, total)
		VMOVUPD(total, g.column(g.dim+n, i))
		for _, q := range p.of4 {
			at, t := g.column(q.column, i), YMM()
			VMULPD(v[q.c], v[q.d], t)
			VFMADD213PD(at, u, t)
			VMOVUPD(t, at)
		}
	}
}

func gramARD256(dim int) {
	name := gramName(dim, true)
	e := newExp256(name, raise)
	TEXT(name+"AVX2", NOSPLIT, gramSignature)
	Pragma("noescape")
	Doc(name + "AVX2 adds the pairs of 4 vecs + tail rows.")
	g := loadGramArgs(dim, true)
	e.c = Mem{Base: g.consts, Disp: gramC}
	tail := load("tail")
	SHLQ(Imm(2), g.vecs)
	Label("inputs")
	sum := newARDSums(dim, func() reg.VecVirtual {
		v := YMM()
		VXORPD(v, v, v)
		return v
	})
	overRows("", g.vecs, tail, 4, func(i reg.Register, last bool) {
		if last {
			count := GP64()
			MOVQ(tail, count)
			gramARDRows256(e, g, i, sum, e.tailMask(count))
		} else {
			gramARDRows256(e, g, i, sum)
		}
	})
	sum.quarters(0).addTotals256(g.sums)
	ADDQ(Imm(32), g.sums)
	sum.quarters(4).addTotals256(g.sums)
	SUBQ(Imm(32), g.sums)
	g.next(1)
	TESTQ(g.m, g.m)
	JNE(LabelRef("inputs"))
	VZEROUPPER()
	RET()
}
