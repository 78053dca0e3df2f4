package permute

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/internal/fused"
)

// engines returns one for each kind this machine has.
func engines() []Engine {
	var out []Engine
	for k := fused.Portable; k <= fused.AVX512; k++ {
		if fused.Available(k) {
			out = append(out, Engine{Kind: k})
		}
	}
	return out
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// symmetric returns a symmetric matrix of positive and negative elements.
func symmetric(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	k := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			k[i*n+j] = r.NormFloat64()
			k[j*n+i] = k[i*n+j]
		}
	}
	return k
}

// naive is Forms by double loops, with the sum of the sizes of its terms.
func naive(k []float64, n int, first func(i int) bool) (sums Sums, size float64) {
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			v := k[i*n+j]
			size += math.Abs(v)
			switch x, y := first(i), first(j); {
			case x && y:
				sums.XX += v
			case !x && !y:
				sums.YY += v
			case x:
				sums.XY += v
			}
		}
	}
	return sums, size
}

func checkForms(t *testing.T, k []float64, n, nx, count int, blocks []int, seed uint64) {
	t.Helper()
	d := must(NewDesign(n, seed, blocks))
	s := must(d.Signs(nx, 0, count))
	var before []Sums
	for _, e := range engines() {
		got := make([]Sums, count)
		if err := e.Forms(context.Background(), got, s, Matrix{N: n, Data: k}); err != nil {
			t.Fatal(err)
		}
		for b, g := range got {
			want, size := naive(k, n, func(i int) bool { return s.First(b, i) })
			if worst := max(math.Abs(g.XX-want.XX), math.Abs(g.YY-want.YY),
				math.Abs(g.XY-want.XY)); !(worst <= 1e-12*size) {
				t.Fatalf("%v, n = %d, nx = %d, permutation %d: %v, want %v, off by %.2g of %v",
					e.Kind, n, nx, b, g, want, worst, size)
			}
		}
		if before != nil && !slices.Equal(got, before) {
			t.Errorf("%v, n = %d: bits differ from the kind before", e.Kind, n)
		}
		before = got
	}
}

func TestFormsAgainstLoops(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 7, 8, 9, 24, 25, 63, 127, 128, 129, 131, 200, 257, 300} {
		for _, nx := range []int{1, n / 2, n - 1} {
			for _, count := range []int{1, 5, 64, 65} {
				if n > 130 && (count > 5 || nx == 1) {
					continue
				}
				checkForms(t, symmetric(n, 1), n, nx, count, nil, 7)
			}
		}
	}
}

func FuzzForms(f *testing.F) {
	f.Add(uint8(7), uint8(3), uint8(2), uint64(1))
	f.Fuzz(func(t *testing.T, size, first, count uint8, seed uint64) {
		n := 2 + int(size)%70
		nx := 1 + int(first)%(n-1)
		blocks := make([]int, n)
		for i := range blocks {
			blocks[i] = i * int(seed%5) / n
		}
		checkForms(t, symmetric(n, seed), n, nx, 1+int(count)%70, blocks, seed)
	})
}

func TestFormsTilesWorkersAndChunks(t *testing.T) {
	const n, nx, count = 300, 120, 130
	k := symmetric(n, 2)
	tile := func(dst []float64, i0, i1, j0, j1 int) {
		for i := i0; i < i1; i++ {
			copy(dst[(i-i0)*(j1-j0):], k[i*n+j0:i*n+j1])
		}
	}
	d := must(NewDesign(n, 3, nil))
	want := make([]Sums, count)
	e, ctx := Best(), context.Background()
	if err := e.Forms(ctx, want, must(d.Signs(nx, 0, count)), Matrix{N: n, Data: k}); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 7} {
		calls := 0
		e := Engine{Kind: fused.Best(), Parallel: workers, Progress: func(done, total int) {
			if calls++; done != calls || total != 6 {
				t.Errorf("progress %d of %d at call %d", done, total, calls)
			}
		}}
		for first := 0; first < count; first += 50 {
			some := min(50, count-first)
			got := make([]Sums, some)
			calls = 0
			err := e.Forms(ctx, got, must(d.Signs(nx, first, some)), Matrix{N: n, Tile: tile})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want[first:first+some]) {
				t.Errorf("%d workers, from %d: other bits", workers, first)
			}
		}
	}
}

// Duplicates, and points of a lattice, make many permutations equal in theory. Those that only swap
// the samples, or equal points, must count as equal.
func TestTiesCount(t *testing.T) {
	const n, nx = 12, 6
	x := []float64{.1, .2, .3, .1, .2, .3, .4, .4, .2, .1, .3, .4}
	k := make([]float64, n*n)
	for i := range x {
		for j := range x {
			k[i*n+j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]) / .02)
		}
	}
	const count = 2000
	s := must(must(NewDesign(n, 5, nil)).Signs(nx, 0, count))
	got := make([]Sums, count)
	if err := Best().Forms(context.Background(), got, s, Matrix{N: n, Data: k}); err != nil {
		t.Fatal(err)
	}
	w := Sums{1. / 36, 1. / 36, -2. / 36}
	byCounts := map[[4]int]float64{} // how many of each value are in the first sample
	for b, sums := range got {
		var c, other [4]int
		for i, v := range x {
			at := int(math.Round(10*v)) - 1
			if s.First(b, i) {
				c[at]++
			} else {
				other[at]++
			}
		}
		v := sums.Dot(w)
		for _, key := range [][4]int{c, other} {
			if before, ok := byCounts[key]; ok && !(AtLeast(v, before, 1) && AtLeast(before, v, 1)) {
				t.Errorf("permutation %d: %v, one equal to it had %v", b, v, before)
			}
			byCounts[key] = v
		}
	}
	if len(byCounts) > 150 {
		t.Errorf("%d different configurations: there are too few ties to test", len(byCounts))
	}
}

func TestPermutationsDependOnTheirNumberAlone(t *testing.T) {
	blocks := []int{5, 1, 5, 1, 1, 9, 5, 5, 1, 1, 5}
	n := len(blocks)
	for _, labels := range [][]int{nil, blocks} {
		d := must(NewDesign(n, 11, labels))
		all, signs := must(d.Perms(0, 100)), must(d.Signs(4, 0, 100))
		part, signPart := must(d.Perms(37, 9)), must(d.Signs(4, 37, 9))
		for b := range 100 {
			p := all.At(b)
			if b >= 37 && b < 46 && !slices.Equal(p, part.At(b-37)) {
				t.Errorf("permutation %d depends on the range", b)
			}
			seen, inX, want := make([]bool, n), map[int]int{}, map[int]int{}
			for i, row := range p {
				seen[row] = true
				if labels != nil && labels[i] != labels[row] {
					t.Errorf("permutation %d leaves its block: %v", b, p)
				}
				if b == 0 && (int(row) != i || signs.First(0, i) != (i < 4)) {
					t.Errorf("permutation 0 is not the identity")
				}
				label := 0
				if labels != nil {
					label = labels[i]
				}
				if signs.First(b, i) {
					inX[label]++
				}
				if i < 4 {
					want[label]++
				}
				if b >= 37 && b < 46 && signs.First(b, i) != signPart.First(b-37, i) {
					t.Errorf("choice %d depends on the range", b)
				}
			}
			if slices.Contains(seen, false) {
				t.Errorf("permutation %d is none: %v", b, p)
			}
			if fmt.Sprint(inX) != fmt.Sprint(want) {
				t.Errorf("choice %d has %v rows by block, want %v", b, inX, want)
			}
		}
	}
}

// All 24 permutations of four, and all ten choices of two of five, are equally frequent:
// chi-squared below a bound that a reseed exceeds with probability below 1e-7 (80 for 23 degrees of
// freedom, 55 for 9).
func TestUniform(t *testing.T) {
	const count = 24000
	p := must(must(NewDesign(4, 1, nil)).Perms(1, count))
	s := must(must(NewDesign(5, 2, nil)).Signs(2, 1, count))
	perms, choices := map[[4]int32]float64{}, map[[5]bool]float64{}
	for b := range count {
		perms[[4]int32(p.At(b))]++
		var c [5]bool
		for i := range c {
			c[i] = s.First(b, i)
		}
		choices[c]++
	}
	chi := func(cells int, counts func(yield func(float64))) float64 {
		sum, want := 0.0, float64(count)/float64(cells)
		counts(func(v float64) { sum += (v - want) * (v - want) / want; cells-- })
		return sum + float64(cells)*want
	}
	if v := chi(24, func(yield func(float64)) {
		for _, c := range perms {
			yield(c)
		}
	}); v > 80 {
		t.Errorf("permutations: chi-squared %v", v)
	}
	if v := chi(10, func(yield func(float64)) {
		for _, c := range choices {
			yield(c)
		}
	}); v > 55 {
		t.Errorf("choices: chi-squared %v", v)
	}
}

// Every pair of five rows is left out of the first sample of three equally often.
func TestUniformLargerSample(t *testing.T) {
	const count = 12000
	s := must(must(NewDesign(5, 3, nil)).Signs(3, 1, count))
	choices := map[[5]bool]float64{}
	for b := range count {
		var c [5]bool
		for i := range c {
			c[i] = s.First(b, i)
		}
		choices[c]++
	}
	chi := 0.0
	for _, v := range choices {
		chi += (v - count/10) * (v - count/10) / (count / 10)
	}
	if len(choices) != 10 || chi > 55 { // as in TestUniform
		t.Errorf("%d choices, chi-squared %v", len(choices), chi)
	}
}

// Elements as large as can be, with all digits, one sample nearly everything: the sums of a tile
// are as large as floating point holds exactly. Rows in another order give the same bits.
func TestFormsAreExact(t *testing.T) {
	const n = 300
	r := rand.New(rand.NewPCG(4, 4))
	k, back := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			v := 1 - r.Float64()/1024
			k[i*n+j], k[j*n+i] = v, v
		}
	}
	at := func(i int) int { // row 0, the first sample, stays
		if i == 0 {
			return 0
		}
		return 1 + (7*i+5)%(n-1)
	}
	for i := range n {
		for j := range n {
			back[i*n+j] = k[at(i)*n+at(j)]
		}
	}
	s := must(must(NewDesign(n, 1, nil)).Signs(1, 0, 1))
	for _, e := range engines() {
		var a, b [1]Sums
		for _, c := range []struct {
			dst  []Sums
			data []float64
		}{{a[:], k}, {b[:], back}} {
			m := Matrix{N: n, Data: c.data, Bound: 1}
			if err := e.Forms(context.Background(), c.dst, s, m); err != nil {
				t.Fatal(err)
			}
		}
		if a != b {
			t.Errorf("%v: %v, in another order %v", e.Kind, a, b)
		}
	}
}

// The integers of 4097 rows, all of them as large as can be, do not overflow.
func TestFormsDoNotOverflow(t *testing.T) {
	const n, nx = 4097, 2000
	s := must(must(NewDesign(n, 1, nil)).Signs(nx, 0, 2))
	for _, v := range []float64{1, -1} {
		got := make([]Sums, 2)
		fill := func(dst []float64, _, _, _, _ int) {
			for i := range dst {
				dst[i] = v
			}
		}
		if err := Best().Forms(context.Background(), got, s, Matrix{N: n, Tile: fill}); err != nil {
			t.Fatal(err)
		}
		want := Sums{XX: nx * (nx - 1) * v, YY: (n - nx) * (n - nx - 1) * v, XY: nx * (n - nx) * v}
		if got[0] != want || got[1] != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	ctx, d := context.Background(), must(NewDesign(4, 1, nil))
	s, p := must(d.Signs(2, 0, 3)), must(d.Perms(0, 3))
	with := func(v float64) []float64 {
		k := make([]float64, 16)
		k[2] = v
		return k
	}
	forms := func(m Matrix) error { return Best().Forms(ctx, make([]Sums, 3), s, m) }
	for want, err := range map[string]error{
		"0 rows":                       second(NewDesign(0, 1, nil)),
		"2 block":                      second(NewDesign(3, 1, []int{1, 2})),
		"0 of 4 rows":                  second(d.Signs(0, 0, 1)),
		"4 of 4 rows":                  second(d.Signs(4, 0, 1)),
		"0 perm":                       second(d.Perms(0, 0)),
		"from number -1":               second(d.Signs(2, -1, 1)),
		"value is NaN":                 forms(Matrix{N: 4, Data: with(math.NaN())}),
		"largest kernel value is +Inf": forms(Matrix{N: 4, Data: with(math.Inf(-1))}),
		"largest kernel value is NaN":  forms(Matrix{N: 4, Data: with(1), Bound: math.NaN()}),
		"value is 3":                   forms(Matrix{N: 4, Data: with(3), Bound: 1}),
		"permutation 0 is NaN": Best().Gather(ctx, [][]float64{make([]float64, 3)}, p,
			[]Rows{{Data: with(math.NaN())}}, make([]float64, 16)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "permute: ") ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if err := forms(Matrix{N: 4, Data: make([]float64, 16)}); err != nil {
		t.Errorf("zero matrix: %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if err := Best().Forms(stopped, make([]Sums, 3), s, Matrix{N: 4, Data: with(1)}); err == nil {
		t.Error("no error of a cancelled context")
	}
	if !AtLeast(math.NaN(), 1, 1) || AtLeast(1-1e-11, 1, 1) || !AtLeast(1-1e-13, 1, 1) {
		t.Error("AtLeast is wrong")
	}
}

func second[T any](_ T, err error) error { return err }

// Sums scale with the matrix, from tiny to large.
func TestScales(t *testing.T) {
	const n = 9
	s := must(must(NewDesign(n, 1, nil)).Signs(4, 0, 3))
	k := symmetric(n, 3)
	want := make([]Sums, 3)
	if err := Best().Forms(context.Background(), want, s, Matrix{N: n, Data: k}); err != nil {
		t.Fatal(err)
	}
	for _, exponent := range []int{-800, -30, 30, 800} {
		scaled, got := slices.Clone(k), make([]Sums, 3)
		for i := range scaled {
			scaled[i] = math.Ldexp(scaled[i], exponent)
		}
		if err := Best().Forms(context.Background(), got, s, Matrix{N: n, Data: scaled}); err != nil {
			t.Fatal(err)
		}
		for b := range got {
			if got[b].XX != math.Ldexp(want[b].XX, exponent) ||
				got[b].XY != math.Ldexp(want[b].XY, exponent) {
				t.Errorf("times 2^%d: %v, want %v times as much", exponent, got[b], want[b])
			}
		}
	}
}
