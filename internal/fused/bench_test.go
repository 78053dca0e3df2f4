package fused

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// stopwatch keeps the shortest time of each of several things done in turn.
type stopwatch []time.Duration

func (w stopwatch) time(i int, f func()) {
	begin := time.Now()
	f()
	if d := time.Since(begin); w[i] == 0 || d < w[i] {
		w[i] = d
	}
}

func manyExps() {
	sum := 0.0
	for i := range 1000 {
		sum += math.Exp(-float64(i) / 30)
	}
	if sum < 1 {
		panic("exp is wrong")
	}
}

// speed returns the functions to call in turn and what their shortest times mean.
func speed(k Kind, n, m int) (call func(), perPair func() (ns, exps float64)) {
	p := newProblem(rand.New(rand.NewPCG(19, 20)), n, m, 0.5, 1)
	s, w := NewSums(m), make(stopwatch, 2)
	call = func() {
		w.time(0, func() { Run(k, s, p.x, p.z, p.shift, p.theta) })
		w.time(1, manyExps)
	}
	return call, func() (ns, exps float64) {
		ns = float64(w[0]) / float64(n*m)
		return ns, ns / (float64(w[1]) / 1000)
	}
}

// Nanoseconds per pair, and the same as a fraction of one math.Exp; shortest times.
func BenchmarkRun(b *testing.B) {
	for _, size := range [][2]int{{800, 20}, {800, 50}, {100000, 50}} {
		for _, k := range kinds() {
			b.Run(fmt.Sprintf("n=%d/m=%d/%v", size[0], size[1], k), func(b *testing.B) {
				call, perPair := speed(k, size[0], size[1])
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
				ns, exps := perPair()
				b.ReportMetric(ns, "ns/pair")
				b.ReportMetric(exps, "exps/pair")
			})
		}
	}
}

// The same in two and three dimensions. No row is so near to singular that it has to be redone.
func BenchmarkGram(b *testing.B) {
	const n, m = 100000, 50
	for _, shape := range shapes {
		r := rand.New(rand.NewPCG(31, 32))
		x, z := make([]float64, n*len(shape)), make([]float64, m*len(shape))
		for _, v := range [][]float64{x, z} {
			for i := range v {
				v[i] = r.Float64()
			}
		}
		shift, theta := make([]float64, m), lengthscales(shape, 1)
		for _, k := range kinds() {
			b.Run(fmt.Sprintf("D=%d/ard=%v/%v", len(shape), len(theta) > 1, k), func(b *testing.B) {
				g := NewGram(len(shape), m, len(theta) > 1, func(int, []float64) float64 { return 0 })
				w := make(stopwatch, 2)
				b.ReportAllocs()
				for b.Loop() {
					w.time(0, func() { g.Run(k, x, z, shift, theta) })
					w.time(1, manyExps)
				}
				ns := float64(w[0]) / (n * m)
				b.ReportMetric(ns, "ns/pair")
				b.ReportMetric(ns/(float64(w[1])/1000), "exps/pair")
			})
		}
	}
}

func BenchmarkExpNeg(b *testing.B) {
	d := make([]float64, 2048)
	for i := range d {
		d[i] = float64(i) / 70
	}
	dst := make([]float64, len(d))
	for _, k := range kinds() {
		b.Run(k.String(), func(b *testing.B) {
			b.ReportAllocs()
			w := make(stopwatch, 2)
			for b.Loop() {
				w.time(0, func() { k.ExpNeg(dst, d, 1) })
				w.time(1, manyExps)
			}
			ns := float64(w[0]) / float64(len(d))
			b.ReportMetric(ns, "ns/exp")
			b.ReportMetric(ns/(float64(w[1])/1000), "exps/exp")
		})
	}
}
