package sequential

import (
	"context"
	"fmt"

	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// Independence tests whether two variables that are observed in pairs are independent.
type Independence struct {
	o      Options
	dx, dy int
	data   [2][]float64 // all pairs
	taken  int          // pairs so far
	x, y   *features    // nil before the first pairs fix them
	sums   [][]float64  // of the payoffs' features, one for each pair of groups
	spread []float64
	bets   *table
	rows   int
	looks  looks
}

// NewIndependence starts a test.
func NewIndependence(o Options) (*Independence, error) {
	o, err := o.complete()
	return &Independence{o: o, looks: looks{schedule: schedule{o.Expect}, p: 1}}, err
}

// Add takes new pairs: row i of x with row i of y. After an error that ctx caused, the next call goes on where this
// one stopped.
func (t *Independence) Add(ctx context.Context, x, y [][]float64) (State, error) {
	if len(x) != len(y) {
		return t.State(), fmt.Errorf("sequential: there are %d rows of x and %d of y, want as many", len(x), len(y))
	}
	for i := range x {
		if t.dx == 0 {
			t.dx, t.dy = len(x[i]), len(y[i])
		}
		if err := check(x[i], t.dx, fmt.Sprintf("row %d of x", i+1)); err != nil {
			return t.State(), err
		}
		if err := check(y[i], t.dy, fmt.Sprintf("row %d of y", i+1)); err != nil {
			return t.State(), err
		}
	}
	for i := range x {
		t.data[0], t.data[1] = append(t.data[0], x[i]...), append(t.data[1], y[i]...)
	}
	for {
		if err := t.looks.due(ctx, t.taken, t.o, t.test); err != nil {
			return t.State(), err
		}
		if len(t.data[0]) < (t.taken+1)*max(1, t.dx) {
			return t.State(), nil
		}
		if err := t.take(t.taken); err != nil {
			return t.State(), err
		}
		t.taken++
	}
}

// row is pair i.
func (t *Independence) row(i int) [2][]float64 {
	return [2][]float64{t.data[0][i*t.dx : (i+1)*t.dx], t.data[1][i*t.dy : (i+1)*t.dy]}
}

// test is that of the first n pairs.
func (t *Independence) test(ctx context.Context, n int, o kerneltest.Options) (*kerneltest.Result, error) {
	x, y := mat.NewDense(n, t.dx, t.data[0][:n*t.dx]), mat.NewDense(n, t.dy, t.data[1][:n*t.dy])
	return kerneltest.Independence(ctx, x, y, o)
}

// take bets on pair i and the one before, if it is the second of two.
func (t *Independence) take(i int) error {
	if t.x == nil {
		if i+1 < warmUp {
			return nil
		}
		var xs, ys [][]float64
		for j := range warmUp {
			q := t.row(j)
			xs, ys = append(xs, q[0]), append(ys, q[1])
		}
		var err error
		if t.x, err = newFeatures(xs, t.o.Seed, "sequential x"); err != nil {
			return err
		}
		if t.y, err = newFeatures(ys, t.o.Seed, "sequential y"); err != nil {
			return err
		}
		for a, g := range t.x.groups {
			for b, h := range t.y.groups {
				if joined(a, b) {
					t.sums = append(t.sums, make([]float64, g.size()*h.size()))
				}
			}
		}
		t.spread, t.bets = make([]float64, len(t.sums)), newTable(len(t.sums))
		for j := 0; j+1 < warmUp; j += 2 {
			learn(t.sums, t.spread, t.contrast(t.row(j), t.row(j+1)), j)
		}
		return nil
	}
	if t.rows++; t.rows%2 == 1 {
		return nil
	}
	d := t.contrast(t.row(i-1), t.row(i))
	payoffs := make([]float64, len(d))
	for k := range d {
		payoffs[k] = payoff(t.sums[k], d[k], t.spread[k])
	}
	t.bets.bet(payoffs)
	learn(t.sums, t.spread, d, t.rows/2)
	return nil
}

// joined reports whether a gambler bets on this pair of groups: lengthscales with lengthscales near to theirs, and
// polynomials with each other.
func joined(a, b int) bool {
	n := len(scales())
	if a >= n || b >= n {
		return a >= n && b >= n
	}
	return a-b <= 1 && b-a <= 1
}

// contrast has the products of the features of x and y: (f(x)-f(u)) times (g(y)-g(v)) for pairs (x, y) and (u, v).
// It changes its sign where y and v change places.
func (t *Independence) contrast(p, q [2][]float64) [][]float64 {
	x, u, y, v := t.x.of(p[0]), t.x.of(q[0]), t.y.of(p[1]), t.y.of(q[1])
	var out [][]float64
	for a := range x {
		for b := range y {
			if !joined(a, b) {
				continue
			}
			list := make([]float64, 0, len(x[a])*len(y[b]))
			for i := range x[a] {
				for j := range y[b] {
					list = append(list, (x[a][i]-u[a][i])*(y[b][j]-v[b][j])/2)
				}
			}
			out = append(out, list)
		}
	}
	return out
}

// State returns what is known so far.
func (t *Independence) State() State { return state(t.bets, t.rows, t.o, t.looks.p) }
