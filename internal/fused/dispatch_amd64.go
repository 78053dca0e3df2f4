//go:build amd64 && !noasm

package fused

import (
	"math"

	"golang.org/x/sys/cpu"
)

// Available reports whether this processor and this build have the kind.
func Available(k Kind) bool {
	switch k {
	case Portable:
		return true
	case AVX2:
		return cpu.X86.HasAVX2 && cpu.X86.HasFMA
	case AVX512:
		return cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && Available(AVX2)
	}
	return false
}

// pass adds one block of rows to the sums of j.
func pass(kind Kind, j *job, rows int) {
	x, a, b, z, shift := &j.x[0], &j.a[0], &j.b[0], &j.z[0], &j.shift[0]
	switch kind {
	case AVX512:
		mask := 1<<(rows%8) - 1
		passAVX512(x, a, b, rows/8, mask, z, shift, len(j.z), &j.sums[0], &j.consts[0])
	case AVX2:
		passAVX2(x, a, b, rows/4, rows%4, z, shift, len(j.z), &j.sums[0], &j.consts[0])
	default:
		passPortable(j, rows)
	}
}

// gramPass adds one block of rows to the sums of j.
func gramPass(kind Kind, j *gramJob, rows int) {
	full, tail := rows/8, 1<<(rows%8)-1
	var f gramKernel
	switch kind {
	case AVX512:
		f = [4]gramKernel{gram2AVX512, gram3AVX512, gramARD2AVX512, gramARD3AVX512}[j.which()]
	case AVX2:
		full, tail = rows/4, rows%4
		f = [4]gramKernel{gram2AVX2, gram3AVX2, gramARD2AVX2, gramARD3AVX2}[j.which()]
	default:
		gramPortable(j, rows)
		return
	}
	m := len(j.shift)
	f(&j.block[0], full, tail, &j.z[0], &j.shift[0], m, &j.sums[0], &j.consts[0])
}

type gramKernel func(block *float64, vecs, tail int, z, shift *float64, m int,
	sums, consts *float64)

// which is the place of the job's kernel among four.
func (j *gramJob) which() int {
	if j.ard {
		return j.dim
	}
	return j.dim - 2
}

// expNeg sets dst to 2^-(c d), and to 0 where d > dmax.
func expNeg(kind Kind, dst, d []float64, c, dmax float64) {
	n := len(d)
	switch kind {
	case AVX512:
		// This kernel underflows by itself, well before twice dmax.
		dmax = min(2*dmax, math.MaxFloat64)
		expNegAVX512(&dst[0], &d[0], n/8, 1<<(n%8)-1, c, dmax)
	case AVX2:
		expNegAVX2(&dst[0], &d[0], n/4, n%4, c, dmax)
	default:
		expNegPortable(dst, d, c, dmax)
	}
}
