package sequential

import "fmt"

// Independence tests whether two variables that are observed in pairs are independent.
type Independence struct {
	o      Options
	dx, dy int
	first  [][2][]float64
	x, y   *features
	sums   [][]float64 // of the payoffs' features, one for each pair of groups
	spread []float64
	bets   *table
	held   *[2][]float64 // a pair that waits for another
	rows   int
}

// NewIndependence starts a test.
func NewIndependence(o Options) (*Independence, error) {
	o, err := o.complete()
	return &Independence{o: o}, err
}

// Add takes new pairs: row i of x with row i of y.
func (t *Independence) Add(x, y [][]float64) (State, error) {
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
		if err := t.pair([2][]float64{x[i], y[i]}); err != nil {
			return t.State(), err
		}
	}
	return t.State(), nil
}

func (t *Independence) pair(p [2][]float64) error {
	if t.x == nil {
		t.first = append(t.first, p)
		if len(t.first) < warmUp {
			return nil
		}
		var xs, ys [][]float64
		for _, q := range t.first {
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
		for i := 0; i+1 < len(t.first); i += 2 {
			learn(t.sums, t.spread, t.contrast(t.first[i], t.first[i+1]), i)
		}
		return nil
	}
	t.rows++
	if t.held == nil {
		t.held = &p
		return nil
	}
	d := t.contrast(*t.held, p)
	t.held = nil
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
func (t *Independence) State() State { return state(t.bets, t.rows, t.o.Alpha) }
