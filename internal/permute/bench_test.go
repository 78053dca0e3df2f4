package permute

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// One thousand permutations of 1000 + 1000 points, from the matrix to the sums. All methods run in
// turn, so the ratios hold on a busy machine too: run with -benchtime=20x -cpu=1.
func BenchmarkForms(b *testing.B) {
	const n, count = 2000, 1000
	k := symmetric(n, 1)
	d := must(NewDesign(n, 1, nil))
	s := must(d.Signs(n/2, 0, count))
	things := map[string]func(){"gemm": gemm(k, s), "draw": func() { must(d.Signs(n/2, 0, count)) }}
	sums := make([]Sums, count)
	for _, e := range engines() {
		things[e.Kind.String()] = func() {
			if err := e.Forms(context.Background(), sums, s, Matrix{N: n, Data: k}); err != nil {
				b.Fatal(err)
			}
		}
	}
	columns := symmetric(n, 2)[:n*100]
	into := make([]float64, count*100)
	things["100 columns"] = func() {
		if err := Best().ColumnSums(context.Background(), into, s, columns); err != nil {
			b.Fatal(err)
		}
	}
	inTurn(b, things, "gemm")
}

// gemm returns a function that multiplies the matrix by the signs and completes the signed sums.
func gemm(k []float64, s *Signs) func() {
	n, count := s.n, s.count
	signs, out := make([]float64, n*count), make([]float64, n*count)
	for i := range n {
		for c := range count {
			signs[i*count+c] = -1
			if s.First(c, i) {
				signs[i*count+c] = 1
			}
		}
	}
	general := func(data []float64, cols int) blas64.General {
		return blas64.General{Rows: n, Cols: cols, Stride: cols, Data: data}
	}
	sums := make([]float64, count)
	return func() {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(k, n), general(signs, count), 0,
			general(out, count))
		for i := range n {
			row, sign := out[i*count:(i+1)*count], signs[i*count:(i+1)*count]
			for c, v := range row {
				sums[c] += v * sign[c]
			}
		}
	}
}

// inTurn calls all things, one after another, in every round. It reports the shortest time of each
// in milliseconds and how many times faster than the base that is.
func inTurn(b *testing.B, things map[string]func(), base string) {
	best := map[string]time.Duration{}
	names := slices.Sorted(maps.Keys(things))
	for b.Loop() {
		for _, name := range names {
			begin := time.Now()
			things[name]()
			if took := time.Since(begin); best[name] == 0 || took < best[name] {
				best[name] = took
			}
		}
	}
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			for b.Loop() { // the times were taken above
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(best[name])/1e6, "ms-min")
			b.ReportMetric(float64(best[base])/float64(best[name]), "times-"+base)
		})
	}
}

// One thousand permutations of 1000 pairs; "factor" is what low rank costs once.
func BenchmarkIndependence(b *testing.B) {
	const n, count = 1000, 1000
	d := must(NewDesign(n, 1, nil))
	p := must(d.Perms(0, count))
	k, l := gram(n, 1, true), gram(n, 2, true)
	k0, l0 := gram(n, 1, false), gram(n, 2, false)
	phi, psi := factor(k0, n), factor(l0, n)
	sums := make([]float64, count)
	l2, l3 := slices.Clone(l), slices.Clone(l)
	ctx, rows := context.Background(), []Rows{{Data: k}, {Data: k}, {Data: k}}
	things := map[string]func(){
		"factor": func() { factor(k0, n); factor(l0, n) },
		"draw":   func() { must(d.Perms(0, count)) },
	}
	for _, e := range engines() {
		things["gather-"+e.Kind.String()] = func() {
			_ = e.Gather(ctx, [][]float64{sums}, p, rows[:1], l)
		}
		things["gather3-"+e.Kind.String()] = func() {
			_ = e.Gather(ctx, [][]float64{sums, sums, sums}, p, rows, l)
		}
		things["gather9-"+e.Kind.String()] = func() {
			_ = e.Gather(ctx, slices.Repeat([][]float64{sums}, 9), p, rows, l, l2, l3)
		}
		things["lowrank-"+e.Kind.String()] = func() { _ = e.Cross(ctx, sums, p, phi, psi) }
	}
	inTurn(b, things, "gather-"+engines()[len(engines())-1].Kind.String())
}

// A thousand permutations of 2000 pairs, whose matrices do not fit into the caches.
func BenchmarkShared(b *testing.B) {
	const n, count = 2000, 1000
	p := must(must(NewDesign(n, 1, nil)).Perms(0, count))
	k := []Rows{{Data: gram(n, 1, true)}, {Data: gram(n, 2, true)}, {Data: gram(n, 3, true)}}
	l := [][]float64{gram(n, 4, true), gram(n, 5, true), gram(n, 6, true)}
	sums := make([]float64, count)
	things := map[string]func(){}
	for _, e := range engines() {
		for name, size := range map[string][2]int{"1x1": {1, 1}, "3x1": {3, 1}, "3x3": {3, 3}} {
			dst := slices.Repeat([][]float64{sums}, size[0]*size[1])
			things[name+"-"+e.Kind.String()] = func() {
				_ = e.Gather(context.Background(), dst, p, k[:size[0]], l[:size[1]]...)
			}
		}
	}
	inTurn(b, things, "1x1-"+engines()[len(engines())-1].Kind.String())
}
