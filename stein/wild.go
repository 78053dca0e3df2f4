package stein

import (
	"gonum.org/v1/gonum/mat"
)

// weighted is w'Kw.
func weighted(k *mat.SymDense, w []float64) float64 {
	raw := k.RawSymmetric()
	sum := 0.0
	for i, wi := range w {
		if wi == 0 {
			continue
		}
		row := raw.Data[i*raw.Stride : i*raw.Stride+raw.N]
		off := 0.0
		for j := i + 1; j < len(row); j++ {
			off += w[j] * row[j]
		}
		sum += wi * (2*off + wi*row[i])
	}
	return sum
}

// wildV is the statistic V with signs.
func wildV(k *mat.SymDense, signs []float64) float64 {
	n := float64(len(signs))
	return weighted(k, signs) / (n * n)
}

// wildU is the statistic U with signs. Ones give U itself.
func wildU(k *mat.SymDense, signs []float64) float64 {
	n := float64(len(signs))
	sum := weighted(k, signs)
	for i, s := range signs {
		sum -= s * s * k.At(i, i)
	}
	return sum / (n * (n - 1))
}
