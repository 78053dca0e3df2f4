package kerneltest

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"testing"

	"bayeskernel/internal/fixture"
	"bayeskernel/internal/permute"
	"bayeskernel/kernels"
	"bayeskernel/kerneltest/statistic"

	"gonum.org/v1/gonum/mat"
)

// The fused statistic of every permutation, from its formula.
func TestFuseAgainstFormula(t *testing.T) {
	x, y := fixture.Normals(1, 14, 2, 0), fixture.Normals(2, 11, 2, 0.4)
	ks := []kernels.Kernel{se(0.3), se(1), se(4)}
	z := fixture.Pooled(x, y)
	const n = 11.0 // the smaller sample
	for _, sharpness := range []float64{0, 3} {
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{
			Kernel: Fixed(ks...), Permutations: 99, Seed: 8, Combine: Fuse,
			Sharpness: sharpness, Standardize: StandardizeNever}))
		all := naiveTable(t, ks, x, y, 8, 100)
		p := 0
		var first float64
		for b := range 100 {
			mean := 0.0
			for k := range ks {
				squares := 0.0
				for i := range 25 {
					for j := range 25 {
						if i != j {
							v := ks[k].At(z.RawRowView(i), z.RawRowView(j))
							squares += v * v
						}
					}
				}
				lambda := math.Sqrt(n*(n-1)) * max(1, sharpness)
				mean += math.Exp(lambda*all[k][b]/math.Sqrt(squares/(n*(n-1)))) / 3
			}
			want := math.Log(mean)
			got := r.Statistic
			if b == 0 {
				first = want
			} else {
				got = r.Draws[b-1]
			}
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("statistic %d is %v, want %v", b, got, want)
			}
			if want >= first {
				p++
			}
		}
		if r.P != float64(p)/100 {
			t.Errorf("p-value %v, want %v", r.P, float64(p)/100)
		}
		for k, c := range r.Candidates {
			if math.Abs(c.Statistic-all[k][0]) > 1e-10 || !(c.P > 0 && c.P <= 1) {
				t.Errorf("kernel %d alone: %v", k, c)
			}
		}
	}
}

// The largest statistic of every permutation, from loops and from statistic.MMD.NullVariance.
func TestLargest(t *testing.T) {
	x, y := fixture.Normals(1, 14, 2, 0), fixture.Normals(2, 11, 2, 0.4)
	ks := []kernels.Kernel{se(0.3), se(1), se(4), se(1e9)} // the last is constant
	r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{
		Kernel: Fixed(ks...), Permutations: 99, Seed: 8,
		Standardize: StandardizeNever}))
	all := naiveTable(t, ks, x, y, 8, 100)
	count := 0
	var first float64
	for b := range 100 {
		want := 0.0
		for k := range ks[:3] {
			s := fixture.Get[*statistic.MMD](t)(statistic.NewMMD(fixture.Gram(t, ks[k], fixture.Pooled(x, y)), 14))
			want = max(want, all[k][b]/math.Sqrt(fixture.Get[float64](t)(s.NullVariance())))
		}
		got := r.Statistic
		if b == 0 {
			first = want
		} else {
			got = r.Draws[b-1]
		}
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("statistic %d is %v, want %v", b, got, want)
		}
		if want >= first {
			count++
		}
	}
	if r.P != float64(count)/100 {
		t.Errorf("p-value %v, want %v", r.P, float64(count)/100)
	}
	a, b := fixture.Normals(3, 40, 1, 0), fixture.Normals(4, 40, 1, 0)
	h := fixture.Get[*Result](t)(Independence(context.Background(), a, b, Options{
		Kernel: Fixed(se(0.4), se(1.6)), Permutations: 199}))
	for _, c := range h.Candidates {
		k := fixture.Get[*statistic.Centred](t)(statistic.NewCentred("k", fixture.Gram(t, c.Kernel, a))).Margin()
		l := fixture.Get[*statistic.Centred](t)(statistic.NewCentred("l", fixture.Gram(t, c.KernelY, b))).Margin()
		sd := math.Sqrt(2*k.Squares*l.Squares) / math.Pow(40*39, 1.5)
		if h.Statistic < c.Statistic/sd-1e-9 {
			t.Errorf("statistic %v, of one kernel %v", h.Statistic, c.Statistic/sd)
		}
	}
}

// The unit of a statistic in Largest is its standard deviation over all ways to divide the rows,
// whose mean is 0.
func TestNullDeviationOverAllDivisions(t *testing.T) {
	k := se(0.8)
	for _, size := range [][2]int{{2, 3}, {4, 4}, {3, 6}} {
		m, n := size[0], size[1]
		z := fixture.Normals(uint64(m), m+n, 1, 0)
		ways, mean, square := 0.0, 0.0, 0.0
		for mask := range 1 << (m + n) {
			if bits.OnesCount(uint(mask)) != m {
				continue
			}
			v := naiveMMD(k, z, func(i int) bool { return mask>>i&1 == 1 }, true)
			ways++
			mean += v
			square += v * v
		}
		squares, sums := 0.0, make([]float64, m+n)
		for i := range sums {
			for j := range sums {
				if i != j {
					v := k.At(z.RawRowView(i), z.RawRowView(j))
					squares += v * v
					sums[i] += v
				}
			}
		}
		got, want := nullDeviation(m, n, squares, sums), math.Sqrt(square/ways)
		if math.Abs(mean/ways) > 1e-12 || fixture.Relative(got, want) > 1e-10 {
			t.Errorf("%d and %d rows: %v, want %v; mean %v", m, n, got, want, mean/ways)
		}
	}
}

// The p-value from its definition, and beside that of the published test with its bisection. The
// latter counts the data among the permutations that make quantiles and not among those that make
// the level: each kernel moves some one permutation across the line.
func TestAggregateAgainstBisection(t *testing.T) {
	ks := []kernels.Kernel{se(0.3), se(1), se(4)}
	weights := []float64{0.5, 0.3, 0.2}
	for seed := range uint64(12) {
		x, y := fixture.Normals(seed, 15, 1, 0), fixture.Normals(seed+100, 12, 1, 0.15*float64(seed))
		r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{Seed: seed,
			Weights: weights, Kernel: Fixed(ks...), Combine: Aggregate, Permutations: 199,
			Alpha: 0.2}))
		if r.Permutations != 199 {
			t.Fatalf("%d permutations, want 199", r.Permutations)
		}
		all := naiveTable(t, ks, x, y, seed, 399)
		score := func(b int) float64 {
			least := math.Inf(1)
			for k := range ks {
				rank := 1.0
				for _, v := range all[k][200:] {
					if v >= all[k][b] {
						rank++
					}
				}
				least = min(least, rank/200/weights[k])
			}
			return least
		}
		count := 0.0
		for b := range 200 {
			if score(b) <= score(0) {
				count++
			}
		}
		if r.P != count/200 {
			t.Errorf("seed %d: p-value %v, want %v", seed, r.P, count/200)
		}
		if want := publishedAgg(all, weights, 199); math.Abs(r.P-(1+199*want)/200) > 0.025 {
			t.Errorf("seed %d: p-value %v, by bisection %v", seed, r.P, want)
		}
	}
}

// No resolution is lost to few permutations.
func TestAggregatePermutations(t *testing.T) {
	x, y := fixture.Normals(1, 20, 1, 0), fixture.Normals(2, 20, 1, 3)
	r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, Options{
		Kernel: Choice{Rule: AggGrid, Bandwidths: 20}, Combine: Aggregate}))
	if r.Permutations != 2000 || !r.Reject || len(r.Candidates) != 20 {
		t.Errorf("%d permutations, p-value %v", r.Permutations, r.P)
	}
}

func TestIndependenceCombined(t *testing.T) {
	x, y := fixture.Normals(1, 30, 1, 0), fixture.Normals(2, 30, 1, 0)
	for i := range 30 {
		y.Set(i, 0, 0.5*y.At(i, 0)+x.At(i, 0)*x.At(i, 0))
	}
	kx, ky := []kernels.Kernel{se(0.5), se(2)}, []kernels.Kernel{se(0.7), se(3)}
	o := Options{Kernel: Fixed(kx...), KernelY: Fixed(ky...), Permutations: 99, Seed: 2, Combine: Fuse}
	r := fixture.Get[*Result](t)(Independence(context.Background(), x, y, o))
	design := fixture.Get[*permute.Design](t)(permute.NewDesign(30, 2, nil))
	perms := fixture.Get[*permute.Perms](t)(design.Perms(0, 100))
	norm := func(k, l kernels.Kernel) float64 {
		a := fixture.Get[*statistic.HSIC](t)(statistic.NewHSIC(fixture.Gram(t, k, x), fixture.Gram(t, k, x))).Biased()
		b := fixture.Get[*statistic.HSIC](t)(statistic.NewHSIC(fixture.Gram(t, l, y), fixture.Gram(t, l, y))).Biased()
		return math.Sqrt(a*b) * 900 * 900 / 900 / math.Pow(30*29, 1.5)
	}
	for b := range 100 {
		mean := 0.0
		for i, k := range kx {
			for j, l := range ky {
				v := naiveHSIC(k, l, x, y, perms.At(b), true)
				if b == 0 && math.Abs(r.Candidates[2*i+j].Statistic-v) > 1e-12 {
					t.Errorf("kernels %d, %d: %v, want %v", i, j, r.Candidates[2*i+j].Statistic, v)
				}
				mean += math.Exp(v/norm(k, l)) / 4
			}
		}
		got := r.Statistic
		if b > 0 {
			got = r.Draws[b-1]
		}
		if math.Abs(got-math.Log(mean)) > 1e-9 {
			t.Errorf("statistic %d is %v, want %v", b, got, math.Log(mean))
		}
	}
	o.Combine = Aggregate
	a := fixture.Get[*Result](t)(Independence(context.Background(), x, y, o))
	if !a.Reject || a.Permutations != 400 {
		t.Errorf("aggregated: p-value %v of %d permutations", a.P, a.Permutations)
	}
}

// Stopping early is looking at the same sequence and leaving sooner.
func TestStop(t *testing.T) {
	for seed := range uint64(20) {
		x, y := fixture.Normals(seed, 12, 1, 0), fixture.Normals(seed+50, 12, 1, 0.05*float64(seed))
		o := Options{Kernel: Lengthscale(1), Permutations: 1999, Seed: seed}
		whole := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
		for _, stop := range []int{1, 10, 100} {
			o.Stop = stop
			r := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
			count, at, want := 0, 0, whole.P
			for l, v := range whole.Draws {
				if v >= whole.Statistic-1e-13 {
					count++
				}
				at = l + 1
				if count == stop {
					if at < 1999 {
						want = float64(stop) / float64(at)
					}
					break
				}
			}
			if r.P != want || r.Permutations != at || r.Stopped != (at < 1999) ||
				!slices.Equal(r.Draws, whole.Draws[:at]) {
				t.Errorf("seed %d, stop %d: p-value %v after %d, want %v after %d", seed, stop, r.P,
					r.Permutations, want, at)
			}
		}
	}
}

// Rows stay in their block: a difference between blocks is not one between samples.
func TestBlocks(t *testing.T) {
	const n = 40
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	blocks := make([]int, 2*n)
	noise := fixture.Normals(3, 2*n, 1, 0)
	for i := range n {
		// Block 1 is shifted, and has more rows of y than of x.
		if i < n/4 {
			blocks[i] = 1
		}
		if i < 3*n/4 {
			blocks[n+i] = 1
		}
		x.Set(i, 0, noise.At(i, 0)+5*float64(blocks[i]))
		y.Set(i, 0, noise.At(n+i, 0)+5*float64(blocks[n+i]))
	}
	o := Options{Kernel: Lengthscale(2)}
	free := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	o.Blocks = blocks
	within := fixture.Get[*Result](t)(TwoSample(context.Background(), x, y, o))
	if free.P > 0.01 || within.P < 0.05 {
		t.Errorf("p-values %v and within blocks %v", free.P, within.P)
	}
	o.Blocks = blocks[:n]
	h := fixture.Get[*Result](t)(Independence(context.Background(), x, mat.NewDense(n, 1, func() []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = noise.At(n+i, 0) + 5*float64(blocks[i])
		}
		return v
	}()), o))
	if h.P < 0.05 {
		t.Errorf("p-value of independence within blocks %v", h.P)
	}
}
