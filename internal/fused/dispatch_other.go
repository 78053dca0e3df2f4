//go:build !amd64 || noasm

package fused

// Available reports whether this processor and this build have the kind.
func Available(k Kind) bool { return k == Portable }

func pass(_ Kind, j *job, rows int) { passPortable(j, rows) }

func gramPass(_ Kind, j *gramJob, rows int) { gramPortable(j, rows) }

func expNeg(_ Kind, dst, d []float64, c, dmax float64) { expNegPortable(dst, d, c, dmax) }
