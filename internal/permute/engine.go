package permute

import (
	"context"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/workers"
)

// Engine says how to compute. Forms gives the same bits with every engine. Gather and Cross depend
// on Kind alone, within rounding.
type Engine struct {
	Kind     fused.Kind
	Parallel int                   // at most so many at once; 0 means GOMAXPROCS; changes no result
	Progress func(done, total int) // called after each part, by one goroutine at a time, if not nil
}

// Best returns the engine with the fastest kernels of this machine.
func Best() Engine { return Engine{Kind: fused.Best()} }

// each runs the parts 0 to parts-1 until the context is done. Every worker runs its own function,
// made by newWorker.
func (e Engine) each(ctx context.Context, parts int, newWorker func() func(part int)) error {
	done := workers.NewMeter(parts, e.Progress)
	return workers.Each(ctx, parts, e.Parallel, func() func(int) error {
		work := newWorker()
		return func(part int) error {
			work(part)
			done.Tick()
			return nil
		}
	})
}

// slack is the relative rounding that AtLeast forgives. Relative to the sum of the absolute values
// of the terms, sums of Gram matrices change by some 1e-15 when the terms come in another order, and
// by less than 1e-13 when elements that should be equal differ in their last bits.
const slack = 1e-12

// AtLeast reports whether a permuted statistic counts as at least the observed one. Both are sums of
// terms, and size is the sum of the terms' absolute values. A permutation that only rearranges the
// terms counts. A NaN counts too, so it never makes a p-value small.
func AtLeast(permuted, observed, size float64) bool {
	return !(permuted < observed-slack*math.Abs(size))
}
