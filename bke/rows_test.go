package bke

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
)

// blockEvaluator returns an evaluator with blocks of so many rows; of the usual size if 0.
func blockEvaluator(mod *Model, rows int) *Evaluator {
	e := mod.Evaluator()
	if rows > 0 {
		e.pass.(interface{ split(rows int) }).split(rows)
	}
	return e
}

// withProcs calls f at each of several values of GOMAXPROCS.
func withProcs(f func(procs int)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		f(procs)
	}
}

func TestBlockRows(t *testing.T) {
	for _, c := range []struct {
		dim, pair int
		rows      func(n, m, dim int) int
	}{
		{1, fusedWork(1), fusedRows}, {2, fusedWork(2), fusedRows}, {3, fusedWork(3), fusedRows},
		{2, pairWork(2), blockRows}, {10, pairWork(10), blockRows},
	} {
		for _, m := range []int{1, 7, 50, 1000} {
			most, two := 0, 2*blockWork/(m*c.pair)
			for n := 2; n < 1e8; n += 1 + n/7 {
				rows := c.rows(n, m, c.dim)
				count := workers.NewBlocks(n, rows, nil).Count()
				if n < two && rows != n || count > maxBlocks || count > 1 && rows%8 != 0 ||
					rows*count < n || rows*(count-1) >= n {
					t.Fatalf("n = %d, m = %d, D = %d, %d each: %d blocks of %d rows",
						n, m, c.dim, c.pair, count, rows)
				}
				most = max(most, count)
			}
			if most != maxBlocks {
				t.Errorf("m = %d, D = %d: no more than %d blocks", m, c.dim, most)
			}
		}
	}
}

// Every row is in one block, with no block but the last shorter than the others.
func TestRowBlocks(t *testing.T) {
	withProcs(func(procs int) {
		for _, c := range []struct{ n, rows, last int }{
			{1, 1, 1}, {7, 7, 7}, {7, 100, 7}, {8, 4, 4}, {9, 4, 1}, {11, 4, 3}, {64, 1, 1},
		} {
			seen := make([]int, c.n)
			count := (c.n-1)/c.rows + 1
			r := workers.NewBlocks(c.n, c.rows, func(b, first, last int) {
				size := c.rows
				if b == count-1 {
					size = c.last
				}
				if first != b*c.rows || last != first+size {
					t.Errorf("%+v: block %d is [%d, %d)", c, b, first, last)
				}
				for i := first; i < last; i++ {
					seen[i]++
				}
			})
			r.Run()
			r.Run()
			for i, k := range seen {
				if k != 2 {
					t.Fatalf("%d processors, %+v: row %d was met %d times in 2 runs", procs, c, i, k)
				}
			}
		}
	})
}

// A run that is stopped begins no further block, and one that is stopped before it begins reads no
// row at all, in any number of dimensions. (At theta = 1 all sums of log gamma over no row are 0.)
func TestStop(t *testing.T) {
	stop, begun := make(chan struct{}), 0
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := workers.NewBlocks(6, 1, func(b, _, _ int) {
		if begun++; b == 2 {
			close(stop)
		}
	})
	r.Stop = stop
	if r.Run(); begun != 3 {
		t.Errorf("%d blocks begun, want 3", begun)
	}
	src := rand.New(rand.NewPCG(93, 94))
	for dim := 1; dim <= 5; dim++ {
		mod, err := NewModel(normalRows(src, 20, dim), normalRows(src, dim+4, dim), Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, one := mod.Evaluator(), Params{Theta: []float64{1}, Tau2: 1}
		open := make(chan struct{})
		want := bits(e, one)
		e.stopAt(open)
		if got := bits(e, one); !slices.Equal(got, want) {
			t.Errorf("%d columns: bits %x with a channel that stays open, %x without", dim, got, want)
		}
		e = mod.Evaluator()
		e.stopAt(stop)
		if s := e.sums(one, true); s.logGamma != 0 {
			t.Errorf("%d columns: log gamma is %v, want 0 of no row", dim, s.logGamma)
		}
		parts := newRowBlock(mod, make([]float64, mod.m))
		parts.run(one.Theta, 0, 20, false, r)
		if parts.logGamma != 0 || parts.spread != 0 {
			t.Errorf("%d columns: rows were read within a block", dim)
		}
		if near := rows.NearestOther(mod.x, mod.z, dim, 1, one.Theta, stop); len(near) > 0 {
			t.Errorf("%d columns: %d rows were looked at for neighbours", dim, len(near))
		}
	}
}

// Doubling and profile say that they were stopped, and so do both ways to learn.
func TestStoppedIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := laplaceModel(t, "50", Options{})
	d, doubling := m.doubling(ctx, []float64{1})
	_, learn := m.Learn(ctx, LearnOptions{})
	_, all := Learn(ctx, mat.NewDense(4, 1, []float64{1, 2, 4, 7}), InputOptions{}, Options{}, LearnOptions{})
	_, profile := m.Profile(ctx, nil)
	_, points := m.Profile(ctx, []float64{1})
	for i, err := range []error{doubling, learn, all, profile, points} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: error %v", i, err)
		}
	}
	if d.Wanted || d.Reasons != nil {
		t.Errorf("doubling %+v", d)
	}
}

// A panic in a block is the caller's, the first block's whichever came first, and neither it nor
// the next run leaves a goroutine behind.
func TestRowBlocksPanic(t *testing.T) {
	withProcs(func(procs int) {
		before := runtime.NumGoroutine()
		bad, done := true, [6]bool{}
		r := workers.NewBlocks(len(done), 1, func(b, _, _ int) {
			if b == 2 {
				time.Sleep(time.Millisecond) // so that 3 is first
			}
			if bad && (b == 2 || b == 3) {
				panic(b)
			}
			done[b] = true
		})
		for range 3 {
			func() {
				defer func() {
					if v := recover(); v != 2 {
						t.Errorf("%d processors: recovered %v, want 2", procs, v)
					}
				}()
				r.Run()
				t.Errorf("%d processors: no panic", procs)
			}()
		}
		bad, done = false, [6]bool{}
		r.Run()
		if done != [6]bool{true, true, true, true, true, true} {
			t.Errorf("%d processors: done %v after a panic", procs, done)
		}
		// A goroutine that has reported is gone a moment later.
		for range 1000 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("%d processors: %d goroutines, %d before", procs, runtime.NumGoroutine(), before)
	})
}

// bits are those of all that an evaluator returns at p.
func bits(e *Evaluator, p Params) []uint64 {
	grad := make([]float64, len(e.model.Free()))
	value := e.Gradient(grad, p)
	g, j := e.Value(p)
	var out []uint64
	for _, v := range append(grad, value, g, j, e.Omega(p.Theta, 1)) {
		out = append(out, math.Float64bits(v))
	}
	return out
}

// No bit depends on the number of processors, with blocks of the usual size and with others.
func TestBlocksBitsDoNotDependOnProcessors(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 61))
	for _, c := range []struct {
		d, n, m int
		ard     bool
		rows    int
	}{
		{1, 34000, 60, false, 0},
		{1, 5003, 7, false, 1000},
		{1, 6000, 7, false, 1500},
		{2, 26000, 50, false, 0},
		{3, 16000, 50, true, 0},
		{4, 3200, 20, false, 0},
		{4, 3300, 20, true, 0},
		{3, 301, 8, true, 50},
		{3, 300, 8, false, 60},
	} {
		mod, err := NewModel(normalRows(r, c.n, c.d), normalRows(r, c.m, c.d),
			Options{Nu: Gaussian, ARD: c.ard})
		if err != nil {
			t.Fatal(err)
		}
		rows := c.rows
		if rows == 0 {
			if rows = fusedRows(c.n, c.m, c.d); c.d > fused.MaxDim {
				rows = blockRows(c.n, c.m, c.d)
			}
		}
		if rows >= c.n {
			t.Errorf("%+v: a single block", c)
		}
		for _, theta := range []float64{1e-3, 0.5, 200} {
			p := Params{Tau2: 0.1, Eta: 1.5}
			for a := range mod.thetas() {
				p.Theta = append(p.Theta, theta*(1+float64(a)/4))
			}
			var want []uint64
			withProcs(func(procs int) {
				got := bits(blockEvaluator(mod, c.rows), p)
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%+v, theta = %v, %d processors: bits %x, want %x",
						c, theta, procs, got, want)
				}
			})
		}
		limit := math.NaN()
		withProcs(func(procs int) {
			l := mod.omegaLimit(rows, nil)
			if procs == 1 {
				limit = l
			}
			if l != limit {
				t.Errorf("%+v, %d processors: limit of Omega %v, want %v", c, procs, l, limit)
			}
		})
	}
}

// The sums of blocks are those of all rows at once, up to rounding.
func TestBlocksAgainstOne(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 63))
	for _, c := range []struct {
		d   int
		ard bool
	}{{1, false}, {2, false}, {2, true}, {3, false}, {3, true}, {4, true}} {
		const n = 240
		mod, err := NewModel(normalRows(r, n, c.d), normalRows(r, 9, c.d), Options{ARD: c.ard})
		if err != nil {
			t.Fatal(err)
		}
		for _, theta := range []float64{0.1, 1, 30, 1e4} {
			p := Params{Tau2: 1}
			for a := range mod.thetas() {
				p.Theta = append(p.Theta, theta*(1+float64(a)/4))
			}
			want := mod.Evaluator().sums(p, true)
			for _, rows := range []int{n - 1, 80, 77, 8, 1} {
				got := blockEvaluator(mod, rows).sums(p, true)
				what := fmt.Sprintf("%+v, theta = %v, blocks of %d: ", c, theta, rows)
				nearly(t, what+"log gamma", got.logGamma, want.logGamma, 1e-13)
				// What the rounding of each kernel value does to its deviation from the mean.
				tol := 1e-13 + 3*0x1p-52*math.Sqrt(float64(n*mod.m)/want.spread)
				nearly(t, what+"spread", got.spread, want.spread, tol)
				for a := range want.dlog {
					nearly(t, what+"d log gamma", got.dlog[a]+2*n, want.dlog[a]+2*n, 1e-12)
					nearly(t, what+"d spread", got.dspread[a], want.dspread[a], 10*tol)
				}
				for l, v := range want.muhat {
					nearly(t, what+"muhat", got.muhat[l], v, 1e-13)
				}
				for l, v := range want.dmuhat {
					nearly(t, what+"d muhat", got.dmuhat[l], v, 1e-12)
				}
				nearly(t, what+"limit of Omega", mod.omegaLimit(rows, nil), mod.OmegaLimit(), 1e-12)
			}
		}
	}
}

// The hard cases of TestValueAgainstOracle, in blocks of one to three rows.
func TestBlocksAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 65))
	for done := 0; done < 40; {
		d := 1 + r.IntN(3)
		c, err := newHardCase(r, d, 4+r.IntN(5), d+1+r.IntN(4))
		if err != nil || c.beyondDD() {
			continue
		}
		done++
		g, j := blockEvaluator(c.model, 1+done%3).Value(c.p)
		wantG, wantJ := oracleGaussian(c.model, c.p), oracleLogGamma(c.model, c.p, c.unit)
		// Written so that NaN fails.
		if !(math.Abs(g-wantG) <= 1e-9*(math.Abs(wantG)+1)) ||
			!(math.Abs(j-wantJ) <= 1e-12*(math.Abs(wantJ)+1)) {
			t.Errorf("%s: parts %v and %v, want %v and %v", c.what, g, j, wantG, wantJ)
		}
	}
}

// testing.AllocsPerRun would leave one processor only.
func TestBlocksDoNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(66, 67))
	withProcs(func(procs int) {
		for _, d := range []int{1, 3, 4} {
			mod, err := NewModel(normalRows(r, 80, d), normalRows(r, 5, d), Options{})
			if err != nil {
				t.Fatal(err)
			}
			e, grad := blockEvaluator(mod, 10), make([]float64, 2)
			p := Params{Theta: []float64{0.5}, Tau2: 0.1}
			run := func(times int) uint64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range times {
					e.Gradient(grad, p)
					e.Value(p)
				}
				runtime.ReadMemStats(&after)
				return after.Mallocs - before.Mallocs
			}
			run(300) // the runtime keeps goroutines that ended, but makes some at first
			if k := run(100); k >= 100 {
				t.Errorf("%d processors, D = %d: %d allocations in 100 evaluations", procs, d, k)
			} else if k > 0 {
				t.Logf("%d processors, D = %d: %d allocations in 100 evaluations", procs, d, k)
			}
		}
	})
}
