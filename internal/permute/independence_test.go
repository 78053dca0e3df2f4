package permute

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/workers"
)

func checkGather(t *testing.T, n, count int, seed uint64, blocks []int) {
	t.Helper()
	k, l := symmetric(n, seed), symmetric(n, seed+1)
	p := must(must(NewDesign(n, seed, blocks)).Perms(0, count))
	for _, e := range engines() {
		got := gatherOne(t, e, p, k, l)
		for b := range got {
			want, size := 0.0, 0.0
			at := p.At(b)
			for i := range n {
				for j := range n {
					v := k[i*n+j] * l[int(at[i])*n+int(at[j])]
					want += v
					size += math.Abs(v)
				}
			}
			if !(math.Abs(got[b]-want) <= 1e-13*size) {
				t.Fatalf("%v, n = %d, permutation %d: %v, want %v", e.Kind, n, b, got[b], want)
			}
		}
	}
}

func gatherOne(t testing.TB, e Engine, p *Perms, k, l []float64) []float64 {
	t.Helper()
	got := [][]float64{make([]float64, p.Count())}
	if err := e.Gather(context.Background(), got, p, []Rows{{Data: k}}, l); err != nil {
		t.Fatal(err)
	}
	return got[0]
}

// Several matrices at a time give the bits of one at a time, whether they are held or computed, and
// whatever the number of workers.
func TestGatherOfSeveral(t *testing.T) {
	for _, n := range []int{1, 6, 31, 200} {
		p := must(must(NewDesign(n, 3, nil)).Perms(0, 37))
		for _, e := range engines() {
			for count := 1; count <= 5; count++ {
				for of := 1; of <= 4; of++ {
					e.Parallel = 1 + count%3
					gatherSeveral(t, e, p, count, of)
				}
			}
		}
	}
}

func gatherSeveral(t *testing.T, e Engine, p *Perms, count, of int) {
	t.Helper()
	n := p.n
	var ks []Rows
	var ls, dst, want [][]float64
	for d := range of {
		l := symmetric(n, 90+uint64(d))
		ls = append(ls, l)
		for c := range count {
			k := symmetric(n, uint64(c))
			want = append(want, gatherOne(t, Engine{Kind: e.Kind}, p, k, l))
			dst = append(dst, make([]float64, p.Count()))
			if d > 0 {
				continue
			}
			if c%2 == 0 {
				ks = append(ks, Rows{Data: k})
				continue
			}
			ks = append(ks, Rows{Fill: func(dst []float64, i0, i1 int) {
				for i := i0; i < i1; i++ {
					copy(dst[(i-i0)*n+i:(i-i0+1)*n], k[i*n+i:(i+1)*n])
				}
			}})
		}
	}
	if err := e.Gather(context.Background(), dst, p, ks, ls...); err != nil {
		t.Fatal(err)
	}
	for c := range dst {
		if !slices.Equal(dst[c], want[c]) {
			t.Fatalf("%v, n = %d, product %d of %d times %d differs", e.Kind, n, c, count, of)
		}
	}
}

// Which matrix is permuted makes no difference but for the direction of the permutation.
func TestInverse(t *testing.T) {
	const n = 40
	k, l := symmetric(n, 1), symmetric(n, 2)
	p := must(must(NewDesign(n, 3, nil)).Perms(0, 20))
	a, b := gatherOne(t, Best(), p, k, l), gatherOne(t, Best(), p.Inverse(), l, k)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-10 {
			t.Errorf("permutation %d: %v, the other way round %v", i, a[i], b[i])
		}
	}
}

func TestGatherAgainstLoops(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 8, 9, 24, 25, 33, 40, 67} {
		for _, count := range []int{1, 9, 257} {
			checkGather(t, n, count, 4, nil)
		}
	}
	checkGather(t, 500, 2, 5, nil) // several blocks of rows
}

func FuzzGather(f *testing.F) {
	f.Add(uint8(9), uint8(3), uint64(1))
	f.Fuzz(func(t *testing.T, size, count uint8, seed uint64) {
		n := 1 + int(size)%70
		blocks := make([]int, n)
		for i := range blocks {
			blocks[i] = i * int(seed%5) / n
		}
		checkGather(t, n, 1+int(count)%20, seed, blocks)
	})
}

// A part of many rows takes minutes: progress and the end of the context come in between.
func TestGatherStops(t *testing.T) {
	const n, count = 700, 3
	k := symmetric(n, 1)
	p := must(must(NewDesign(n, 1, nil)).Perms(0, count))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls, stopAt, last := 0, 0, 0
	e := Best()
	e.Progress = func(done, total int) {
		if calls++; done != calls || total < 3 {
			t.Errorf("progress %d of %d at call %d", done, total, calls)
		}
		if last = total; done == stopAt {
			cancel()
		}
	}
	stop := func() error {
		dst := [][]float64{make([]float64, count)}
		return e.Gather(ctx, dst, p, []Rows{{Data: k}}, k)
	}
	if err := stop(); err != nil || calls != last {
		t.Errorf("%d calls of %d, error %v", calls, last, err)
	}
	calls, stopAt = 0, 2
	err := stop()
	if !errors.Is(err, context.Canceled) || calls < 2 || calls > 1+workers.AtOnce(e.Parallel, n) {
		t.Errorf("%d calls where the second cancelled, error %v", calls, err)
	}
}

// Low rank is gather for the centred matrices.
func TestCrossAgainstLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, n := range []int{1, 2, 7, 30} {
		for _, ranks := range [][2]int{{0, 3}, {1, 1}, {3, 9}, {8, 16}, {17, 5}, {20, 33}} {
			var columns [2][]float64
			for c := range columns {
				for range n * ranks[c] {
					columns[c] = append(columns[c], 1+r.NormFloat64())
				}
			}
			p := must(must(NewDesign(n, 6, nil)).Perms(0, 40))
			for _, e := range engines() {
				got := make([]float64, 40)
				err := e.Cross(context.Background(), got, p, NewFactor(columns[0], n),
					NewFactor(columns[1], n))
				if err != nil {
					t.Fatal(err)
				}
				for b := range got {
					want := naiveCross(columns, n, p.At(b))
					if !(math.Abs(got[b]-want) <= 1e-12*float64(n*n*(1+ranks[0]*ranks[1]))) {
						t.Fatalf("%v, n = %d, ranks %v, permutation %d: %v, want %v",
							e.Kind, n, ranks, b, got[b], want)
					}
				}
			}
		}
	}
}

func naiveCross(columns [2][]float64, n int, p []int32) float64 {
	mean := func(v []float64) float64 {
		sum := 0.0
		for _, x := range v {
			sum += x
		}
		return sum / float64(len(v))
	}
	norm := 0.0
	for a := 0; a < len(columns[0]); a += n {
		for b := 0; b < len(columns[1]); b += n {
			phi, psi := columns[0][a:a+n], columns[1][b:b+n]
			sum := 0.0
			for i, row := range p {
				sum += (phi[i] - mean(phi)) * (psi[row] - mean(psi))
			}
			norm += sum * sum
		}
	}
	return norm
}

// gram is the Gram matrix of standard normal numbers with their median distance as lengthscale, and
// centred if wanted.
func gram(n int, seed uint64, centred bool) []float64 {
	r := rand.New(rand.NewPCG(seed, 3))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	const theta = 0.9538 // the median of |x - y| is this for standard normal x and y
	k := make([]float64, n*n)
	for i := range x {
		for j := range x {
			d := (x[i] - x[j]) / theta
			k[i*n+j] = math.Exp(-d * d / 2)
		}
	}
	if !centred {
		return k
	}
	means, all := make([]float64, n), 0.0
	for i := range means {
		for _, v := range k[i*n : (i+1)*n] {
			means[i] += v / float64(n)
		}
		all += means[i] / float64(n)
	}
	for i := range means {
		for j := range means {
			k[i*n+j] += all - means[i] - means[j]
		}
	}
	return k
}

func factor(k []float64, n int) *Factor { return NewFactor(factorColumns(k, n), n) }

func factorColumns(k []float64, n int) []float64 {
	var c lowrank.Cholesky
	diagonal := make([]float64, n)
	for i := range diagonal {
		diagonal[i] = k[i*n+i]
	}
	c.Factor(diagonal, 1e-10, func(dst []float64, i int) { copy(dst, k[i*n:(i+1)*n]) })
	return c.Columns()
}

// With rank tolerance 1e-10 low rank and gather differ by less than the two residuals' traces.
func TestCrossIsGather(t *testing.T) {
	const n, count = 300, 40
	p := must(must(NewDesign(n, 6, nil)).Perms(0, count))
	phi, psi := factor(gram(n, 1, false), n), factor(gram(n, 2, false), n)
	for _, e := range engines() {
		low := make([]float64, count)
		if err := e.Cross(context.Background(), low, p, phi, psi); err != nil {
			t.Fatal(err)
		}
		k, l := gram(n, 1, true), gram(n, 2, true)
		full := gatherOne(t, e, p, k, l)
		for b := range low {
			if math.Abs(low[b]-full[b]) > 2*n*n*1e-10 {
				t.Errorf("%v, permutation %d: %v by low rank, %v by gather", e.Kind, b, low[b], full[b])
			}
		}
	}
}
