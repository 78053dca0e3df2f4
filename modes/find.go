package modes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"bayeskernel/draws"
	"bayeskernel/hmc"
	"bayeskernel/internal/rng"
	"bayeskernel/internal/workers"
)

// Options configures a search. Zero values mean the defaults in parentheses.
type Options struct {
	Starts     int          // searches (16)
	InitFrom   hmc.InitKind // uniform starts, or draws of the target's own (hmc.InitUniform)
	Radius     float64      // each coordinate of a uniform start is in (-Radius, Radius) (2)
	Points     [][]float64  // if given, the starts, on the sampler's own scale
	Iterations int          // of L-BFGS, at most, in each search (1000)
	Seed       uint64
	Source     string // random source: "pcg" or "chacha8" ("pcg")
	Parallel   int    // searches made at once (GOMAXPROCS); does not change the result
}

func (o Options) defaults() (Options, error) {
	if o.Points != nil {
		o.Starts = len(o.Points)
	}
	for _, f := range []struct {
		name string
		v    *int
		def  int
	}{{"Starts", &o.Starts, 16}, {"Iterations", &o.Iterations, 1000},
		{"Parallel", &o.Parallel, runtime.GOMAXPROCS(0)}} {
		if *f.v < 0 {
			return o, fmt.Errorf("modes: %s is %d, want a positive number, or 0 for %d",
				f.name, *f.v, f.def)
		}
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	if o.Points != nil && len(o.Points) == 0 {
		return o, fmt.Errorf("modes: Points is empty, want at least one point, or nil")
	}
	if o.Radius == 0 {
		o.Radius = 2
	}
	if !(o.Radius > 0) || math.IsInf(o.Radius, 1) {
		return o, fmt.Errorf("modes: Radius is %v, want a positive, finite number", o.Radius)
	}
	if o.InitFrom != hmc.InitUniform && o.InitFrom != hmc.InitTarget {
		return o, fmt.Errorf("modes: unknown InitFrom %d", o.InitFrom)
	}
	return o, nil
}

// Find searches for the modes of the target. The report counts searches that fail. Find returns an
// error if there was nothing to search or ctx was cancelled; in the latter case the report covers
// the finished searches.
func Find(ctx context.Context, f hmc.Factory, o Options) (*draws.Modes, error) {
	o, err := o.defaults()
	if err != nil {
		return nil, err
	}
	t, err := workers.Open("modes", f)
	if err != nil {
		return nil, err
	}
	if _, err := workers.NewValues("modes", t); err != nil {
		return nil, err
	}
	for i, p := range o.Points {
		if len(p) != t.Dim() {
			return nil, fmt.Errorf("modes: start %d has %d components: the target has %d",
				i+1, len(p), t.Dim())
		}
	}
	if _, ok := t.(hmc.Initializer); !ok && o.Points == nil && o.InitFrom == hmc.InitTarget {
		return nil, fmt.Errorf("modes: InitTarget was asked for, but the target (%T) "+
			"has no method Initial", t)
	}
	if _, err := rng.New(rng.Kind(o.Source), rng.Name{}, 0); err != nil {
		return nil, fmt.Errorf("modes: %w", err)
	}
	found, err := searchAll(ctx, f, o)
	return report(found), err
}

// peak is where a search ended.
type peak struct {
	draws.Mode
	done  bool
	ok    bool // a mode, and not a failure
	shape *shape
}

// searchAll makes all searches. Each has its own random stream, so it does not matter which target
// it uses. Targets are handed on from one search to the next.
func searchAll(ctx context.Context, f hmc.Factory, o Options) ([]peak, error) {
	found := make([]peak, o.Starts)
	idle := make(chan hmc.Target, o.Starts)
	var mu sync.Mutex // factories are called one at a time
	open := func() (hmc.Target, error) {
		select {
		case t := <-idle:
			return t, nil
		default:
		}
		mu.Lock()
		defer mu.Unlock()
		return workers.Open("modes", f)
	}
	errs := workers.Run(ctx, o.Starts, o.Parallel, func(i int) error {
		t, err := open()
		if err != nil {
			return err
		}
		src, err := rng.New(rng.Kind(o.Source), rng.Name{Seed: o.Seed, Purpose: "modes"}, uint64(i))
		if err != nil {
			return fmt.Errorf("modes: %w", err)
		}
		found[i] = peak{done: true} // a failure, should the target end this goroutine
		p, panicked := search(ctx, t, &o, i, rand.New(src))
		found[i] = p
		if !panicked { // what a panic left behind may be half done
			idle <- t
		}
		return nil
	})
	if ctx.Err() != nil {
		return found, fmt.Errorf("modes: stopped before the end: %w", context.Cause(ctx))
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, workers.ErrGoexit) {
			return found, err
		}
	}
	return found, nil
}

// sameMode is the distance, in local standard deviations, below which two ends are one mode. Ends
// are within a thousandth of the mode, and two different modes within a tenth by the Hessians of
// both would each lie where the other's density still falls off.
const sameMode = 0.1

// report groups the searches that ended in the same mode.
func report(found []peak) *draws.Modes {
	m := &draws.Modes{}
	var peaks []peak
	for _, p := range found {
		if p.done {
			m.Starts++
		}
		if p.ok {
			peaks = append(peaks, p)
		}
	}
	m.Failed = m.Starts - len(peaks)
	slices.SortStableFunc(peaks, func(a, b peak) int { return cmp.Compare(b.LP, a.LP) })
	var kept []peak
	for _, p := range peaks {
		i := slices.IndexFunc(kept, func(q peak) bool {
			return p.shape.distance(p.X, q.X) < sameMode && q.shape.distance(p.X, q.X) < sameMode
		})
		if i >= 0 {
			m.Modes[i].Hits++
			continue
		}
		p.Hits = 1
		kept = append(kept, p)
		m.Modes = append(m.Modes, p.Mode)
	}
	return m
}
