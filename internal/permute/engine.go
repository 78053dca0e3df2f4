package permute

import (
	"context"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/workers"
)

// Engine says how to compute, not what: Forms does not depend on it to the last bit, Gather and
// Cross depend on Kind alone, by rounding.
type Engine struct {
	Kind     fused.Kind
	Parallel int                   // at most so many at once; 0 means GOMAXPROCS; changes no result
	Progress func(done, total int) // called after each part, by one goroutine at a time, if not nil
}

// Best returns the engine with the fastest kernels of this machine.
func Best() Engine { return Engine{Kind: fused.Best()} }

// each runs the parts 0 to parts-1, every worker with what newWorker made for it, until the context
// is done.
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

// slack is the relative rounding that AtLeast forgives. Sums of Gram matrices differ by some 1e-15
// of the sum of their terms' sizes when their terms come in another order, and by less than 1e-13
// when elements that ought to be equal differ in their last bits.
const slack = 1e-12

// AtLeast reports whether a permuted statistic counts as at least the observed one, when both are
// sums of terms whose sizes add up to size: a permutation that only rearranges the terms counts. A
// NaN counts too, so that it never makes a p-value small.
func AtLeast(permuted, observed, size float64) bool {
	return !(permuted < observed-slack*math.Abs(size))
}
