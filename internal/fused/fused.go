package fused

import (
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// Kind names a way to compute: kinds agree to 1e-12 but not to the last bit, so that the kind is
// part of what makes a run reproducible.
type Kind int

// Portable is plain Go and runs everywhere; the others are assembly for amd64.
const (
	Portable Kind = iota
	AVX2          // needs FMA too
	AVX512        // needs F and DQ
)

// String returns the name that Parse understands.
func (k Kind) String() string {
	switch k {
	case Portable:
		return "portable"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// Parse returns the kind of a name. "auto" and "" mean Best. A kind that this processor, or this
// build, does not have is an error.
func Parse(name string) (Kind, error) {
	switch name {
	case "", "auto":
		return Best(), nil
	}
	for k := Portable; k <= AVX512; k++ {
		if k.String() != name {
			continue
		}
		if !Available(k) {
			return 0, fmt.Errorf("fused: kernel %q is not available on this machine, want one that is, "+
				"such as %q", name, Best())
		}
		return k, nil
	}
	return 0, fmt.Errorf("fused: kernel is %q, want auto, portable, avx2 or avx512", name)
}

// Best returns the fastest available kind.
func Best() Kind {
	for k := AVX512; k > Portable; k-- {
		if Available(k) {
			return k
		}
	}
	return Portable
}

// Sums is what one pass leaves; see the package comment for the formulas. It carries the workspace
// of Run, so that one Sums serves one goroutine.
type Sums struct {
	K  []float64 // sum_i k
	C  []float64 // sum_i (k - shift_l), accurate also where K is nearly n
	KD []float64 // sum_i k d
	F  []float64 // sum_i (k - shift_l)^2
	FD []float64 // sum_i (k - shift_l) k d

	LogA float64 // sum_i log A_i; -Inf if a row equals every pseudo-input
	BA   float64 // sum_i B_i/A_i; a row that equals every pseudo-input adds 0

	work []float64
}

// NewSums returns sums for m pseudo-inputs.
func NewSums(m int) *Sums {
	out := make([]float64, 5*m)
	part := func(i int) []float64 { return out[i*m : (i+1)*m : (i+1)*m] }
	return &Sums{
		K: part(0), C: part(1), KD: part(2), F: part(3), FD: part(4),
		work: make([]float64, workLen(m)),
	}
}

// blockRows is the number of rows whose A and B stay in the first cache while the pseudo-inputs
// are gone through.
const blockRows = 1024

// The kernels add up unit k in place of k, with unit = 2^raise, so that neither k nor k^2
// underflows before k is 2^-lowest. A pair still further apart counts as 0 or as this far.
const (
	raise  = 480
	unit   = 1.0 * (1 << raise)
	lowest = 980
)

// job is one pass in the units of the kernels, where theta is between 1/2 and 1: nothing overflows
// or underflows, whatever the units of the data.
type job struct {
	x, a, b  []float64 // one block of rows, scaled; A and B of its rows
	z, shift []float64 // as given
	sums     []float64 // C, F, KD, FD of each pseudo-input
	consts   []float64 // scale, c, dmax, eight times each
	scale    float64
	c, dmax  float64
}

const constLen = 3 * 8

func workLen(m int) int { return 7 + constLen + 3*blockRows + 4*m }

// newJob cuts up work, which has workLen(m) elements, at the 64-byte lines the kernels like best.
func newJob(work []float64, m int) job {
	line := int(uintptr(unsafe.Pointer(unsafe.SliceData(work))) / 8 % 8)
	work = work[(8-line)%8:]
	next := func(n int) []float64 {
		part := work[:n:n]
		work = work[n:]
		return part
	}
	return job{
		consts: next(constLen), x: next(blockRows), a: next(blockRows), b: next(blockRows),
		sums: next(4 * m),
	}
}

// units returns the power of two that theta has between 1/2 and 1 times, and for d in the square of
// that unit the c with k = 2^(-c d), and the d from where k counts as 0.
func units(theta float64) (exponent int, c, dmax float64) {
	frac, exponent := math.Frexp(theta)
	if math.IsInf(theta, 1) {
		exponent = 0
	}
	if e := max(-1000, min(exponent, 1000)); e != exponent {
		frac, exponent = math.Ldexp(frac, exponent-e), e
	}
	c = 0.5 * math.Log2E / frac / frac
	return exponent, c, lowest / c
}

// setTheta chooses the units and what follows from them.
func (j *job) setTheta(theta float64) (exponent int) {
	exponent, j.c, j.dmax = units(theta)
	j.scale = math.Ldexp(1, -exponent)
	for i := range 8 {
		j.consts[i], j.consts[8+i], j.consts[16+i] = j.scale, j.c, j.dmax
	}
	return exponent
}

// reach returns bounds in the kernels' units. Rows beyond can be moved there, because k is 0
// anyway. Wide says that rows within them can still be further from a pseudo-input than the AVX-512
// kernel can count.
func (j *job) reach() (lo, hi float64, wide bool) {
	lo, hi = slices.Min(j.z)*j.scale, slices.Max(j.z)*j.scale
	lo, hi = lo-beyond(lo), hi+beyond(hi)
	return lo, hi, !((hi-lo)*(hi-lo)*j.c < 0x1p200)
}

// beyond is 64 lengthscales, or where numbers are sparser than that a few of their spacings.
func beyond(z float64) float64 { return max(64, 0x1p-50*math.Abs(z)) }

// Run computes the sums for the rows x, the pseudo-inputs z and the lengthscale theta. It does not
// allocate if s came from NewSums(len(z)). The result depends on the arguments alone.
func Run(kind Kind, s *Sums, x, z, shift []float64, theta float64) {
	s.check(kind, z, shift)
	j := newJob(s.work, len(z))
	j.z, j.shift = z, shift
	exponent := j.setTheta(theta)
	clear(j.sums)
	lo, hi, wide := j.reach()
	if wide && kind == AVX512 {
		kind = AVX2
	}
	acc := rowSums{theta: theta, z: z, p: 1, q: 1}
	for first := 0; first < len(x); first += blockRows {
		rows := x[first:min(first+blockRows, len(x))]
		full := (len(rows) + 7) &^ 7
		for i, v := range rows {
			v *= j.scale
			if v < lo {
				v = lo
			} else if v > hi {
				v = hi
			}
			j.x[i] = v
		}
		clear(j.x[len(rows):full])
		clear(j.a[:full])
		clear(j.b[:full])
		pass(kind, &j, len(rows))
		acc.add(rows, j.a, j.b)
	}
	s.finish(&j, &acc, len(x), exponent)
}

func (s *Sums) check(kind Kind, z, shift []float64) {
	if !Available(kind) {
		panic("fused: kernel " + kind.String() + " is not available on this machine")
	}
	m := len(z)
	if len(shift) != m || len(s.K) != m || len(s.C) != m || len(s.KD) != m || len(s.F) != m ||
		len(s.FD) != m {
		panic("fused: lengths of z, shift and the sums differ")
	}
	if len(s.work) < workLen(m) {
		s.work = make([]float64, workLen(m))
	}
}

// finish goes back to the units of the data.
func (s *Sums) finish(j *job, acc *rowSums, n, exponent int) {
	scale := math.Ldexp(1, exponent)
	for l := range s.K {
		t := (*[4]float64)(j.sums[4*l:])
		s.C[l] = t[0] / unit
		s.K[l] = s.C[l] + float64(n)*j.shift[l]
		s.F[l] = t[1] / unit / unit
		s.KD[l] = t[2] / unit * scale * scale
		s.FD[l] = t[3] / unit / unit * scale * scale
	}
	s.LogA = acc.log(exponent)
	s.BA = acc.ratio*scale*scale + acc.slowRatio
}
