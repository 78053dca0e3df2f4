package product

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayeskernel/internal/fused"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func random(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

// kinds are those of this machine.
func kinds() []fused.Kind {
	var out []fused.Kind
	for k := fused.Portable; k <= fused.AVX512; k++ {
		if fused.Available(k) {
			out = append(out, k)
		}
	}
	return out
}

// Against sums one by one, for sizes at the edges of tiles and pieces, and all ways to lie in memory.
// The error of a sum of n products is at most n 2^-53 of the sum of their sizes.
func TestAgainstSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range kinds() {
		for _, size := range [][3]int{{1, 1, 1}, {8, 16, 256}, {9, 17, 257}, {7, 15, 3}, {3, 40, 600},
			{33, 5, 1}, {4, 4, 0}, {0, 3, 5}} {
			m, n, length := size[0], size[1], size[2]
			a, b := random(r, m*length), random(r, n*length)
			for way := range 4 {
				va, vb := Rows(a, length), Rows(b, length)
				if way&1 != 0 {
					va = Columns(a, m)
				}
				if way&2 != 0 {
					vb = Columns(b, n)
				}
				dst := random(r, m*n)
				MultiplyWith(kind, dst, m, n, length, va, vb, All)
				for i := range m {
					for j := range n {
						want, size := 0.0, 0.0
						for k := range length {
							v := a[i*va.Row+k*va.Next] * b[j*vb.Row+k*vb.Next]
							want, size = want+v, size+math.Abs(v)
						}
						if math.Abs(dst[i*n+j]-want) > float64(length)*0x1p-52*size {
							t.Fatalf("%v, %v, way %d: element %d, %d is %v, want %v", kind, size, way, i, j,
								dst[i*n+j], want)
						}
					}
				}
			}
		}
	}
}

// An element depends on its two rows alone: in a part of the product, in its lower half, and with
// the matrices exchanged it is the same to the last bit. AVX2 and AVX-512 agree.
func TestSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const m, length = 50, 700
	a := random(r, m*length)
	v := Rows(a, length)
	of := map[fused.Kind][]float64{}
	for _, kind := range kinds() {
		all, lower, part := make([]float64, m*m), make([]float64, m*m), make([]float64, 11*m)
		MultiplyWith(kind, all, m, m, length, v, v, All)
		MultiplyWith(kind, lower, m, m, length, v, v, Lower)
		MultiplyWith(kind, part, 11, m, length, Rows(a[5*length:], length), v, All)
		for i := range m {
			for j := range m {
				if all[i*m+j] != all[j*m+i] || j <= i && lower[i*m+j] != all[i*m+j] ||
					i >= 5 && i < 16 && part[(i-5)*m+j] != all[i*m+j] {
					t.Fatalf("%v: element %d, %d", kind, i, j)
				}
			}
		}
		of[kind] = all
	}
	for i, v := range of[fused.AVX512] {
		if of[fused.AVX2][i] != v {
			t.Fatalf("element %d: %v with AVX2, %v with AVX-512", i, of[fused.AVX2][i], v)
		}
	}
}

func BenchmarkMultiply(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 500
	x, dst := random(r, n*n), make([]float64, n*n)
	for _, kind := range kinds() {
		b.Run(kind.String(), func(b *testing.B) {
			for b.Loop() {
				MultiplyWith(kind, dst, n, n, n, Rows(x, n), Rows(x, n), All)
			}
		})
	}
	b.Run("gonum", func(b *testing.B) {
		m := blas64.General{Rows: n, Cols: n, Stride: n, Data: x}
		for b.Loop() {
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, m, m, 0, blas64.General{Rows: n, Cols: n, Stride: n,
				Data: dst})
		}
	})
}
