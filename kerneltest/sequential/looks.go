package sequential

import (
	"context"
	"math"

	"bayeskernel/kerneltest"
)

// schedule says at which numbers of rows the whole test by permutation is made, and with which share of the level. The
// shares and that of the bets add up to at most 1.
type schedule struct{ expect int }

const (
	// betting is the share of the bets.
	betting = 0.1
	// fewest is the number of rows below which no look is taken.
	fewest = 8
	// shares of the looks at a quarter, a half and all of the rows that are expected, and of all later ones together.
	quarter, half, whole, later = 0.02, 0.08, 0.7, 0.1
	// tail is the sum of (k+2)^-1.5 over k = 0, 1, ...: zeta(1.5) - 1.
	tail = 1.612375348685488
)

// look is number k: so many rows of each sample, and the share. Where rows are expected the last shares halve as
// the rows double; else looks are at 30, 100, 300, 1000 and so on, with shares that fall slowly.
func (s schedule) look(k int) (rows int, share float64) {
	if s.expect == 0 {
		power := math.Pow(10, float64(k/2))
		return int([2]float64{30, 100}[k%2] * power), (1 - betting) * math.Pow(float64(k+2), -1.5) / tail
	}
	switch k {
	case 0:
		return s.expect / 4, quarter
	case 1:
		return s.expect / 2, half
	case 2:
		return s.expect, whole
	}
	return s.expect << min(k-2, 40), later * math.Exp2(float64(2-k))
}

// looks are those that were taken.
type looks struct {
	schedule
	next int
	p    float64 // smallest p-value, each over its share; 1 before the first
}

// due takes all looks up to this number of rows. Test makes the test of the first rows.
func (l *looks) due(ctx context.Context, rows int, o Options, test func(context.Context, int, kerneltest.Options) (
	*kerneltest.Result, error)) error {
	if o.Drift {
		return nil
	}
	for {
		at, share := l.look(l.next)
		if at > rows {
			return nil
		}
		if at >= fewest {
			// Ten permutations that are as extreme end the test: it could not reject any more.
			enough := 10 / (o.Alpha * share)
			if enough > mostPermutations {
				return nil
			}
			r, err := test(ctx, at, kerneltest.Options{Permutations: int(math.Ceil(enough)), Stop: 10,
				Alpha: o.Alpha * share, Seed: o.Seed})
			if err != nil {
				return err
			}
			l.p = min(l.p, r.P/share)
		}
		l.next++
	}
}

// mostPermutations is the number that a look may need: beyond, its share is too small to matter.
const mostPermutations = 1e7
