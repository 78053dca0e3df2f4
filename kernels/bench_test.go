package kernels

import (
	"math"
	"testing"
	"time"
)

// fastest is the last of the numerical paths.
func fastest() Path { p := paths(); return p[len(p)-1] }

// perPair reports the shortest time of f as nanoseconds per pair, and as a multiple of math.Exp in
// the same run.
func perPair(b *testing.B, pairs int, f func()) {
	var shortest, exps time.Duration
	b.ReportAllocs()
	for b.Loop() {
		begin := time.Now()
		f()
		middle := time.Now()
		sum := 0.0
		for i := range 1000 {
			sum += math.Exp(-float64(i) / 30)
		}
		if sum < 1 {
			b.Fatal("exp is wrong")
		}
		if d := middle.Sub(begin); shortest == 0 || d < shortest {
			shortest = d
		}
		if d := time.Since(middle); exps == 0 || d < exps {
			exps = d
		}
	}
	ns := float64(shortest) / float64(pairs)
	b.ReportMetric(ns, "ns/pair")
	b.ReportMetric(ns/(float64(exps)/1000), "exps/pair")
}

func BenchmarkProfiles(b *testing.B) {
	const n = 2048
	q := make([]float64, n)
	for i := range q {
		q[i] = float64(i*i) / 4e4
	}
	var out [4][]float64
	for j := range out {
		out[j] = make([]float64, n)
	}
	for _, r := range radials() {
		for _, path := range paths() {
			name := r.String() + "/" + path.String()
			b.Run("values/"+name, func(b *testing.B) {
				perPair(b, n, func() { values(r, path, out[0], q) })
			})
			b.Run("kappa/"+name, func(b *testing.B) {
				perPair(b, n, func() { Profiles(r, path, out[0], out[1], nil, nil, q) })
			})
			b.Run("all/"+name, func(b *testing.B) {
				perPair(b, n, func() { Profiles(r, path, out[0], out[1], out[2], out[3], q) })
			})
		}
	}
}
