package summary

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayeskernel/bke/inputs"

	"gonum.org/v1/gonum/mat"
)

// wide returns the plan with blocks that are summed by way of expansions, and one whose rows are summed
// one by one.
func wide(p *Plan) (expanded, apart *Plan) {
	a, b := *p, *p
	a.Block, b.Block = 1024, 1024
	a.shared, b.shared = &shared{}, &shared{}
	b.Low, b.High = nil, nil
	return &a, &b
}

// Sums by way of expansions are those of the rows one by one, to 1e-14 a row relative to one or to the
// value, for pseudo-inputs that are dense, far apart, equal, or not where the rows are, for ties, and for
// rows beyond the range of the plan.
func TestExpansion(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	smooth := mixture(1, 20000, 1)
	rounded := slices.Clone(smooth)
	for i, v := range rounded {
		rounded[i] = math.Round(4*v) / 4
	}
	heavy := make([]float64, 20000)
	for i := range heavy {
		heavy[i] = math.Tan(1.5 * (r.Float64() - 0.5) * 1.99)
	}
	for _, c := range []struct {
		name  string
		x     []float64
		z     []float64
		theta float64
	}{
		{"sparse", smooth, []float64{-1, 0, 0.7, 2.5}, 0.3},
		{"dense", smooth, []float64{-1, -0.9, -0.8, -0.7, 0, 0.01, 0.02, 2, 2.1}, 0.3},
		{"isolated", smooth, []float64{-1, -0.8, -0.7, 3.5}, 0.12},
		{"equal", smooth, []float64{-1, -1, 0.5, 0.5, 2}, 0.3},
		{"elsewhere", smooth, []float64{20, 21, 22}, 2},
		{"rounded", rounded, []float64{-1, -0.25, 0, 0.5, 2.5}, 0.3},
		{"heavy", heavy, []float64{-1, -0.25, 0, 0.5, 9}, 0.4},
		{"far from 0", shifted(smooth, 20000), []float64{19999, 20000, 20000.7, 20002.5}, 0.3},
	} {
		expanded, apart := wide(planFor(t, c.x, 1, PlanOptions{Bins: 8, Thetas: []float64{c.theta},
			Inputs: inputs.Options{Points: mat.NewDense(len(c.z), 1, c.z)}}))
		kind, err := expanded.kind()
		if err != nil {
			t.Fatal(err)
		}
		e := expanded.expanded(kind, expanded.hash())
		if e == nil || e != expanded.expanded(kind, expanded.hash()) {
			t.Fatalf("%s: there is no expansion, or more than one", c.name)
		}
		more := append(slices.Clone(c.x), 1e3, -40, 12)
		a, b := summarise(t, expanded, "P", more, 20000), summarise(t, apart, "P", more, 20000)
		p, q := a.samples[0], b.samples[0]
		worst := 0.0
		compare := func(one, other []int128, unit int, count float64, scale float64) {
			for i := range one {
				u, v := one[i].float(unit), other[i].float(unit)
				worst = max(worst, math.Abs(u-v)/(count*scale+math.Abs(v)))
			}
		}
		for bin := range 8 {
			n := float64(p.rows[bin])
			sums, gamma := p.of(expanded, bin)
			other, also := q.of(apart, bin)
			compare(sums, other, unitKernel, n, 1)
			compare(gamma, also, unitWide, n, 1)
		}
		compare([]int128{p.between}, []int128{q.between}, unitKernel, 20000, 0.01)
		compare([]int128{p.within}, []int128{q.within}, unitKernel, 20000, 0.01)
		t.Logf("%s: %d pieces, off by %.1e", c.name, len(e.pieces), worst)
		if !(worst < 1e-14) {
			t.Errorf("%s: sums are off by %.1e", c.name, worst)
		}
		if p.outside != q.outside || p.blocks != q.blocks {
			t.Errorf("%s: counts %d, %d, want %d, %d", c.name, p.outside, p.blocks, q.outside, q.blocks)
		}
	}
}

func shifted(x []float64, by float64) []float64 {
	out := slices.Clone(x)
	for i := range out {
		out[i] += by
	}
	return out
}

// A plan that is a copy with changes has an expansion of its own, and its sums are those of its rows one by
// one.
func TestExpansionOfACopy(t *testing.T) {
	x := mixture(1, 5000, 1)
	p, _ := wide(smallPlan(t, x, 1))
	summarise(t, p, "P", x, 5000)
	q := *p
	q.Z = [][]float64{{-1}, {0}, {1}, {1.5}, {2}, {2.5}}
	alone := q
	alone.shared = nil
	if !bytes.Equal(encoded(t, summarise(t, &q, "P", x, 5000)), encoded(t, summarise(t, &alone, "P", x, 5000))) {
		t.Error("a copy with other pseudo-inputs takes the expansion of the first plan")
	}
}

// There is no expansion where it would not pay, or would take too much room: in two columns, with short
// blocks, and where the range is very many lengthscales.
func TestNoExpansion(t *testing.T) {
	one, two := mixture(1, 2000, 1), mixture(1, 2000, 2)
	for _, c := range []struct {
		p     *Plan
		block int
		want  bool
	}{
		{smallPlan(t, one, 1), 1024, true}, {smallPlan(t, one, 1), 128, false},
		{smallPlan(t, two, 2), 1024, false},
		{smallPlan(t, append(slices.Clone(one), 1e6), 1), 1024, false},
	} {
		c.p.Block = c.block
		kind, err := c.p.kind()
		if err != nil {
			t.Fatal(err)
		}
		if got := c.p.expanded(kind, c.p.hash()) != nil; got != c.want {
			t.Errorf("%d columns, blocks of %d: %v", c.p.Dim(), c.block, got)
		}
	}
}

// The bytes do not depend on who takes which chunk, nor on what was taken before.
func TestExpandedBytes(t *testing.T) {
	x := mixture(4, 40000, 1)
	p, _ := wide(smallPlan(t, x, 1))
	want := encoded(t, summarise(t, p, "P", x, 3000))
	var parts [3]*Summary
	for i := range parts {
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		parts[i] = s
	}
	for k := 13; k >= 0; k-- {
		addChunks(t, parts[k*k%3], "P", x[k*3000:min((k+1)*3000, len(x))], 3000)
	}
	for _, s := range parts[1:] {
		if err := parts[0].Merge(s); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(encoded(t, parts[0]), want) {
		t.Error("other workers, other bytes")
	}
}

// BenchmarkPass compares the pass over rows with as many kernel values as it has the sums of, 24 of each row
// and pseudo-input, and in one column with the rows one by one.
func BenchmarkPass(b *testing.B) {
	for _, c := range []struct {
		dim, m int
		theta  float64
	}{{1, 10, 0.3}, {1, 50, 0.3}, {2, 20, 0.5}, {2, 100, 0.5}, {5, 20, 1.4}} {
		n := 1 << 20 / (c.dim * c.dim * c.dim)
		x := mixture(1, n, c.dim)
		set, err := inputs.Choose(context.Background(), dense(x[:n/8/c.dim*c.dim], c.dim),
			inputs.Options{Number: c.m})
		if err != nil {
			b.Fatal(err)
		}
		expanded, apart := wide(planFor(b, x, c.dim, PlanOptions{Thetas: []float64{c.theta},
			Inputs: inputs.Options{Points: set.Z}, Rows: 1e8}))
		pass := func(p *Plan) func(*testing.B) {
			return func(b *testing.B) {
				for b.Loop() {
					summarise(b, p, "P", x, n)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
			}
		}
		name := fmt.Sprintf("D=%d/m=%d/", c.dim, c.m)
		b.Run(name+"pass", pass(expanded))
		if c.dim == 1 {
			b.Run(name+"apart", pass(apart))
		}
		kind, err := expanded.kind()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"values", func(b *testing.B) {
			k, node := newKernelSums(expanded.flat(), c.dim, kind), expanded.Windows[0].Nodes[0]
			size := mostBlock * c.dim
			for b.Loop() {
				for at := 0; at < len(x); at += size {
					k.load(x[at:min(at+size, len(x))])
					k.run(node, true)
				}
			}
			b.ReportMetric(24*float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
		b.Run(name+"expand", func(b *testing.B) {
			for b.Loop() {
				expanded.expand(kind)
			}
		})
	}
}

// Rows beyond the range are no more than wait for a while, however many there are in a chunk, and their
// sums are those of the rows one by one.
func TestManyBeyondTheRange(t *testing.T) {
	x := mixture(1, 20000, 1)
	expanded, apart := wide(planFor(t, x, 1, PlanOptions{Bins: 4, Thetas: []float64{0.3},
		Inputs: inputs.Options{Points: mat.NewDense(4, 1, []float64{-1, 0, 0.7, 2.5})}}))
	more := append(shifted(mixture(2, 60000, 1), 50), x...)
	a, b := summarise(t, expanded, "P", more, len(more)), summarise(t, apart, "P", more, len(more))
	for bin, rest := range a.work.series.rest {
		if len(rest) > 0 || cap(rest) > 2*(mostRest+expanded.Block) {
			t.Errorf("bin %d: %d rows wait, with room for %d", bin, len(rest), cap(rest))
		}
	}
	for bin := range 4 {
		sums, gamma := a.samples[0].of(expanded, bin)
		other, also := b.samples[0].of(apart, bin)
		n := float64(a.samples[0].rows[bin])
		for i, s := range sums {
			if u, v := s.float(unitKernel), other[i].float(unitKernel); !(math.Abs(u-v) <= 1e-13*(n+math.Abs(v))) {
				t.Fatalf("bin %d, sum %d: %v, want %v", bin, i, u, v)
			}
		}
		for i, s := range gamma {
			if u, v := s.float(unitWide), also[i].float(unitWide); !(math.Abs(u-v) <= 1e-13*(n+math.Abs(v))) {
				t.Fatalf("bin %d, log gamma %d: %v, want %v", bin, i, u, v)
			}
		}
	}
}

// Pseudo-inputs so far away that no function converges anywhere leave rows to be summed one by one.
func TestNothingConverges(t *testing.T) {
	z := mat.NewDense(3, 1, []float64{1e160, 2e160, 3e160})
	p := planFor(t, mixture(1, 5000, 1), 1, PlanOptions{Bins: 8, Thetas: []float64{0.5},
		Inputs: inputs.Options{Points: z}})
	p, _ = wide(p)
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Chunk("P", false)
	if err != nil {
		t.Fatal(err)
	}
	if err = c.Add(mixture(1, 5000, 1)); err == nil {
		err = c.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "out of the range of 128 bits") {
		t.Errorf("error %v, want one about the range", err)
	}
}
