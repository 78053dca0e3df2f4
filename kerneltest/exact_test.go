package kerneltest

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"strings"
	"sync/atomic"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/long"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// Of all 20 ways to divide six rows into two samples of three, with several seeds each, no more than a
// share alpha may have a p-value of at most alpha, for any way to choose and to combine kernels.
// Six standard errors are passed once in 1e9 reseeds. The kernel is the same for all of them.
func TestExactLevel(t *testing.T) {
	seeds := uint64(3)
	if long.Enabled() {
		seeds = 16
	}
	for _, c := range []struct {
		name string
		z    []float64
		o    Options
	}{
		{"default", []float64{0.3, -1.2, 2.2, 0.9, -0.1, 1.7}, Options{}},
		{"default, ties", []float64{0, 1, 0, 3, 1, 4}, Options{}},
		{"two values", []float64{0, 1, 0, 1, 1, 0}, Options{Kernel: Lengthscale(1)}},
		{"stop", []float64{0.3, -1.2, 2.2, 0.9, -0.1, 1.7}, Options{Kernel: Lengthscale(1), Stop: 3}},
		{"fuse", []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, Options{Combine: Fuse,
			Kernel: Choice{Rule: FuseGrid}}},
		{"aggregate", []float64{0.3, -1.2, 2.2, 0.9, -0.1, 1.7}, Options{Combine: Aggregate,
			Kernel: Choice{Rule: AggGrid, Bandwidths: 2}}},
		{"blocks", []float64{0.3, -1.2, 2.2, 0.9, -0.1, 1.7}, Options{Kernel: Lengthscale(1),
			Blocks: []int{4, 4, 7, 7, 7, 7}}},
	} {
		p, labels := []float64{}, c.o.Blocks
		var theta float64
		for mask := range uint(64) {
			x, y, blocks, ok := divide(c.z, labels, mask)
			if !ok {
				continue
			}
			for seed := range seeds {
				o := c.o
				o.Blocks, o.Permutations, o.Alpha, o.Seed = blocks, 19, 0.5, seed<<6|uint64(mask)
				r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
				p = append(p, r.P)
				if len(p) == 1 {
					theta = r.Kernel.Theta[0]
				} else if r.Kernel.Theta[0] != theta {
					t.Fatalf("%s: lengthscale %v and %v", c.name, theta, r.Kernel.Theta[0])
				}
			}
		}
		for _, alpha := range []float64{0.05, 0.1, 0.2, 0.3, 0.5} {
			count, n := 0.0, float64(len(p))
			for _, v := range p {
				if v <= alpha*(1+1e-12) {
					count++
				}
			}
			if count/n > alpha+6*math.Sqrt(alpha*(1-alpha)/n) {
				t.Errorf("%s: %.3g of %v p-values are at most %v", c.name, count/n, n, alpha)
			}
		}
	}
}

// divide makes two samples of three, the first that of the mask, and their labels. With labels it
// takes only those with one row of label 4.
func divide(z []float64, labels []int, mask uint) (x, y *mat.Dense, blocks []int, ok bool) {
	if bits.OnesCount(mask) != 3 || labels != nil && bits.OnesCount(mask&3) != 1 {
		return nil, nil, nil, false
	}
	var rows [2][]float64
	for _, part := range []uint{1, 0} {
		for i, v := range z {
			if mask>>i&1 != part {
				continue
			}
			rows[part] = append(rows[part], v)
			if labels != nil {
				blocks = append(blocks, labels[i])
			}
		}
	}
	return mat.NewDense(3, 1, rows[1]), mat.NewDense(3, 1, rows[0]), blocks, true
}

// Rows on a lattice, and a kernel whose diagonal is not constant: the statistic is the squared
// difference of the means, and divisions that ought to be equal are so up to rounding. They count.
func TestTiesUpToRounding(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0.1, 0.3, 0.4, 0.8})
	y := mat.NewDense(4, 1, []float64{0.2, 0.5, 0.6, 0.7})
	for _, unbiased := range []bool{false, true} {
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{Kernel: Fixed(inner{}),
			Unbiased: unbiased}))
		count, near := 0, 0
		for _, v := range r.Draws {
			if v >= r.Statistic-1e-9 {
				count++
				if v < r.Statistic {
					near++
				}
			}
		}
		if r.AtLeast != count || near == 0 && !unbiased {
			t.Errorf("%d permutations count, want %d, of which %d are lower by rounding", r.AtLeast,
				count, near)
		}
	}
	// The same for what Aggregate ranks.
	ranks := newRanking([]float64{1 - 1e-13, 2}, 1)
	if share := ranks.share(1); share != 1 {
		t.Errorf("share %v, want 1", share)
	}
}

type inner struct{}

func (inner) At(x, y []float64) float64 { return x[0] * y[0] }
func (inner) Check(int) error           { return nil }

// A p-value equal to alpha rejects, and one that stopped at the last permutation counts them all.
func TestBoundaries(t *testing.T) {
	x, y := fixture.Normals(1, 9, 1, 0), fixture.Normals(2, 9, 1, 4)
	r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{Kernel: Lengthscale(1),
		Permutations: 19}))
	if r.P != 0.05 || !r.Reject {
		t.Errorf("p-value %v, rejected is %v", r.P, r.Reject)
	}
	x, y = fixture.Normals(1, 9, 1, 0), fixture.Normals(2, 9, 1, 0)
	o := Options{Kernel: Lengthscale(1), Permutations: 999}
	all := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	last := 0 // the place of the last that counts
	for i, v := range all.Draws {
		if v >= all.Statistic-1e-13 {
			last = i + 1
		}
	}
	o.Permutations, o.Stop = last, all.AtLeast
	r = fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	if want := float64(all.AtLeast+1) / float64(last+1); r.Stopped || r.P != want {
		t.Errorf("p-value %v, want %v; stopped is %v", r.P, want, r.Stopped)
	}
	o.Permutations, o.Stop = 999, 7
	r = fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	if want := r.P * math.Sqrt((1-r.P)/7); !r.Stopped || math.Abs(r.PError-want) > 1e-15 {
		t.Errorf("error of the p-value %v, want %v", r.PError, want)
	}
	if r.Candidates[0].P != r.P {
		t.Errorf("p-value %v, of the only kernel %v", r.P, r.Candidates[0].P)
	}
}

// Auto permutes, whatever the number of rows, with the kernels of the default.
func TestAutoPermutes(t *testing.T) {
	for _, rows := range []int{denseRows, denseRows + 1} {
		x, y := fixture.Normals(1, rows-2000, 1, 0), fixture.Normals(2, 2000, 1, 0)
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{
			Kernel: Fixed(se(1), se(0.01)), Permutations: 19}))
		if r.Null != statistic.Permutation || len(r.Candidates) != 2 || r.TraceError != 0 {
			t.Errorf("%d rows: null is %v, %d kernels, trace error %v", rows, r.Null,
				len(r.Candidates), r.TraceError)
		}
	}
}

// The kernel with the largest statistic has it in its own units.
func TestBestDoesNotDependOnUnits(t *testing.T) {
	x, y := fixture.Normals(1, 40, 1, 0), fixture.Normals(2, 40, 1, 0.8)
	loud := kernels.Product{scale(1e6), se(1e-3)}
	for _, combine := range []Combination{Fuse, Aggregate} {
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{
			Kernel: Fixed(loud, se(1)), Combine: combine}))
		if r.Best != 1 {
			t.Errorf("%v: best is kernel %d, want 1", combine, r.Best)
		}
	}
}

// scale is a constant kernel.
type scale float64

func (s scale) At(_, _ []float64) float64 { return float64(s) }
func (s scale) Check(int) error           { return nil }

// The note of the smallest p-value counts the ways that blocks leave.
func TestLeastP(t *testing.T) {
	x, y := fixture.Normals(1, 6, 1, 0), fixture.Normals(2, 6, 1, 0)
	for _, c := range []struct {
		blocks []int
		want   string
	}{
		{nil, ""},
		{[]int{1, 1, 2, 2, 2, 2, 1, 1, 3, 3, 3, 3}, "With samples of 6 and 6 rows in these blocks " +
			"no p-value can be below 0.17."},
		{[]int{1, 1, 2, 3, 4, 5, 1, 1, 6, 7, 8, 9}, "0.17."},
		{[]int{1, 1, 2, 3, 4, 5, 1, 1, 2, 3, 4, 5}, ""},             // 6 x 2⁴ ways
		{[]int{1, 2, 2, 2, 2, 2, 1, 3, 3, 3, 3, 3}, "below 0.5."},   // 2 ways
		{[]int{1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2}, "below 0.14."},  // 7 ways
		{[]int{1, 1, 1, 2, 2, 2, 1, 1, 1, 3, 3, 3}, "below 0.05."},  // 20 ways, no mirror image
		{[]int{1, 1, 1, 2, 3, 4, 1, 1, 1, 2, 3, 4}, ""},             // 20 x 2³ ways
		{[]int{1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 2, 2}, "below 0.0048"}, // 70 x 6 ways, half of them
	} {
		o := Options{Kernel: Lengthscale(1), Blocks: c.blocks, Alpha: 0.04}
		if strings.Contains(c.want, "0.0048") {
			o.Alpha = 0.004
		}
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
		notes := strings.Join(r.Notes, "|")
		if c.want == "" && notes != "" || !strings.HasSuffix(strings.TrimSuffix(notes, "."),
			strings.TrimSuffix(c.want, ".")) {
			t.Errorf("blocks %v: notes %q, want %q", c.blocks, notes, c.want)
		}
	}
	r := fixture.Get[*Result](t)(Independence(context.Background(), x, y, Options{Kernel: Lengthscale(1),
		Blocks: []int{1, 1, 1, 2, 3, 4}}))
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0],
		"in these blocks no p-value can be below 0.17") {
		t.Errorf("notes %q", r.Notes)
	}
}

// Weights of any size are divided by their sum; one that no number of permutations serves is an
// error.
func TestWeights(t *testing.T) {
	x, y := fixture.Normals(1, 20, 1, 0), fixture.Normals(2, 20, 1, 2)
	o := Options{Kernel: Fixed(se(1), se(2)), Combine: Aggregate, Weights: []float64{1, 3}}
	want := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	for _, w := range [][]float64{{0.5e308, 1.5e308}, {1e-320, 3e-320}} {
		o.Weights = w
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
		if r.P != want.P || math.Abs(r.Candidates[1].Weight-0.75) > 1e-3 {
			t.Errorf("weights %v: p-value %v, want %v", w, r.P, want.P)
		}
	}
	for _, w := range [][]float64{{1, 1e-9}, {1, 1e-300}} {
		o.Weights = w
		_, err := TwoSample(context.Background(), x, y, o)
		if err == nil || !strings.Contains(err.Error(), "the smallest weight is") {
			t.Errorf("weights %v: error %v", w, err)
		}
	}
}

// A factor ends with its context, with the context's error, and tells how far it is.
func TestFactorStops(t *testing.T) {
	x := fixture.Normals(1, 2*statistic.MaxRank+500, 1, 0)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	tiles := newTiles(se(0.01), x.RawMatrix().Data, 1)
	_, err := tiles.factor(ctx, 1e-10, statistic.MaxRank, func(done, total int) {
		if calls++; done != calls || total != statistic.MaxRank {
			t.Errorf("progress %d of %d at call %d", done, total, calls)
		}
		if calls == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "kerneltest: ") ||
		calls != 3 {
		t.Errorf("error %v after %d calls", err, calls)
	}
	// In the middle of a test.
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	var count atomic.Int64
	k := counted{func() {
		if count.Add(1) == denseRows*20 {
			cancel()
		}
	}}
	if _, err := TwoSample(ctx, x, x, Options{Kernel: Fixed(k)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// counted calls a function at every value.
type counted struct{ f func() }

func (k counted) At(x, y []float64) float64 { k.f(); return se(1e-4).At(x, y) }
func (k counted) Check(int) error           { return nil }

// To a kernel of very great lengthscale all rows are nearly alike, and the test says so. The kernel
// is 1-d²/(2 theta²), centred (x-mean)(x'-mean)/theta², and HSIC of x with itself the squared
// variance over theta⁴: cancellation must not swallow it.
func TestWideKernel(t *testing.T) {
	x := fixture.Normals(1, 25, 1, 0)
	for _, theta := range []float64{1e4, 1e5, 1e6} {
		o := Options{Kernel: Lengthscale(theta), Permutations: 199}
		r := fixture.Get[*Result](t)(Independence(context.Background(), x, x, o))
		mean, square := 0.0, 0.0
		for i := range 25 {
			mean += x.At(i, 0) / 25
		}
		for i := range 25 {
			square += (x.At(i, 0) - mean) * (x.At(i, 0) - mean) / 25
		}
		if want := square * square / math.Pow(theta, 4); math.Abs(r.Statistic/want-1) > 1e-2 {
			t.Errorf("theta %v: statistic %v, want %v", theta, r.Statistic, want)
		}
		two := fixture.Get[*Result](t)(TwoSample(context.Background(), x, fixture.Normals(2, 25, 1, 1), o))
		for _, notes := range [][]string{r.Notes, two.Notes} {
			said := strings.Contains(strings.Join(notes, ""), "shorter lengthscale")
			if said != (theta > 1e4) {
				t.Errorf("theta %v: notes %q", theta, notes)
			}
		}
	}
	// Equal rows are alike to all kernels.
	same := mat.NewDense(25, 1, nil)
	if r := fixture.Get[*Result](t)(TwoSample(context.Background(), same, same, Options{
		Kernel: Lengthscale(1)})); len(r.Notes) != 0 {
		t.Errorf("notes %q", r.Notes)
	}
}

// Pairs in another order are the same pairs, also to factors.
func TestOrderOfPairs(t *testing.T) {
	const n = 300
	x, y := fixture.Normals(1, n, 1, 0), fixture.Normals(2, n, 1, 0)
	back := func(a *mat.Dense) *mat.Dense {
		b := mat.NewDense(n, 1, nil)
		for i := range n {
			b.Set(i, 0, a.At((7*i+3)%n, 0))
		}
		return b
	}
	o := Options{Kernel: Lengthscale(1), Permutations: 19}
	a := fixture.Get[*Result](t)(Independence(context.Background(), x, y, o))
	b := fixture.Get[*Result](t)(Independence(context.Background(), back(x), back(y), o))
	if d := math.Abs(a.Statistic/b.Statistic - 1); d > 1e-12 {
		t.Errorf("statistic differs by %.2g of itself", d)
	}
}

// Of 20 arrangements the data and their mirror image are as far apart as can be: no draw of permutations makes p smaller.
func TestRaisedToLeastP(t *testing.T) {
	x, y := mat.NewDense(3, 1, []float64{1, 2, 3}), mat.NewDense(3, 1, []float64{7, 8, 9})
	for seed := range uint64(20) {
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{Kernel: Lengthscale(1), Seed: seed, Alpha: 0.099}))
		if r.P < 0.1*(1-1e-12) || r.Reject {
			t.Errorf("seed %d: p = %v, reject %v", seed, r.P, r.Reject)
		}
	}
}
