package sequential

import (
	"fmt"
	"math"
)

// Options says which test is meant. The zero value is the default.
type Options struct {
	Alpha float64 // the level, 0.05 if zero
	Seed  uint64  // of the random features
}

func (o Options) complete() (Options, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return o, fmt.Errorf("sequential: alpha is %v, want a number between 0 and 1", o.Alpha)
	}
	return o, nil
}

// State is what a test knows so far.
type State struct {
	Rows    int     // of each sample, or pairs, that were bet on
	Capital float64 // now
	P       float64 // 1 over the largest capital so far, at most 1: valid at any time
	Reject  bool    // P is at most alpha
}

// TwoSample tests whether two streams have one distribution.
type TwoSample struct {
	o       Options
	dim     int
	waiting [2][][]float64 // rows without a partner
	first   [][]float64    // rows before the features are fixed
	f       *features
	sums    [][]float64 // differences of the features of the rows so far, group by group
	spread  []float64   // sums of squared payoffs before they are scaled, group by group
	bets    *table
	rows    int
}

// NewTwoSample starts a test.
func NewTwoSample(o Options) (*TwoSample, error) {
	o, err := o.complete()
	return &TwoSample{o: o}, err
}

// Add takes new rows of the two samples, any number of each.
func (t *TwoSample) Add(x, y [][]float64) (State, error) {
	for g, rows := range [2][][]float64{x, y} {
		for i, row := range rows {
			if err := t.admit(row, fmt.Sprintf("row %d of sample %d", i+1, g+1)); err != nil {
				return t.State(), err
			}
		}
	}
	t.waiting[0], t.waiting[1] = append(t.waiting[0], x...), append(t.waiting[1], y...)
	for len(t.waiting[0]) > 0 && len(t.waiting[1]) > 0 {
		a, b := t.waiting[0][0], t.waiting[1][0]
		t.waiting[0], t.waiting[1] = t.waiting[0][1:], t.waiting[1][1:]
		if err := t.pair(a, b); err != nil {
			return t.State(), err
		}
	}
	return t.State(), nil
}

// admit checks a row before any is taken.
func (t *TwoSample) admit(row []float64, what string) error {
	if t.dim == 0 {
		t.dim = len(row)
	}
	return check(row, t.dim, what)
}

func check(row []float64, dim int, what string) error {
	if len(row) != dim || dim == 0 {
		return fmt.Errorf("sequential: %s has width %d, want %d", what, len(row), max(1, dim))
	}
	for j, v := range row {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("sequential: %s, column %d is %v, want a finite number", what, j+1, v)
		}
	}
	return nil
}

// pair bets on a pair, and learns from it.
func (t *TwoSample) pair(a, b []float64) error {
	if t.f == nil {
		t.first = append(t.first, a, b)
		if len(t.first) < warmUp {
			return nil
		}
		var err error
		if t.f, err = newFeatures(t.first, t.o.Seed, "sequential samples"); err != nil {
			return err
		}
		t.sums, t.spread = make([][]float64, len(t.f.groups)), make([]float64, len(t.f.groups))
		for k, g := range t.f.groups {
			t.sums[k] = make([]float64, g.size())
		}
		t.bets = newTable(len(t.f.groups))
		for i := 0; i < len(t.first); i += 2 {
			t.learn(t.difference(t.first[i], t.first[i+1]))
		}
		return nil
	}
	d := t.difference(a, b)
	payoffs := make([]float64, len(d))
	for k := range d {
		payoffs[k] = payoff(t.sums[k], d[k], t.spread[k])
	}
	t.bets.bet(payoffs)
	t.learn(d)
	t.rows++
	return nil
}

// payoff is the dot product of the witness so far with a difference, scaled by the root mean square of those before and
// squashed by an odd function: its sign changes with that of the difference, and it is in (-1, 1).
func payoff(witness, difference []float64, spread float64) float64 {
	dot, norm := 0.0, 0.0
	for i, w := range witness {
		dot += w * difference[i]
		norm += w * w
	}
	if !(norm > 0) || !(spread > 0) {
		return 0
	}
	z := dot / math.Sqrt(norm) / spread
	return math.Tanh(z / 2)
}

func (t *TwoSample) difference(a, b []float64) [][]float64 {
	x, y := t.f.of(a), t.f.of(b)
	for k := range x {
		for i := range x[k] {
			x[k][i] -= y[k][i]
		}
	}
	return x
}

// learn adds a difference to the witnesses. The unit of payoffs is the length of a difference in one direction.
func (t *TwoSample) learn(d [][]float64) { learn(t.sums, t.spread, d, t.rows+len(t.first)/2) }

func learn(sums [][]float64, spread []float64, d [][]float64, count int) {
	for k := range d {
		dot, norm := 0.0, 0.0
		for i, v := range d[k] {
			dot += v * sums[k][i]
			norm += sums[k][i] * sums[k][i]
			sums[k][i] += v
		}
		size := 0.0
		if norm > 0 {
			size = math.Abs(dot) / math.Sqrt(norm)
		}
		w := max(0.02, 1/float64(count+1))
		if spread[k] == 0 {
			spread[k] = size
		}
		spread[k] = math.Sqrt((1-w)*spread[k]*spread[k] + w*size*size)
	}
}

// State returns what is known so far.
func (t *TwoSample) State() State { return state(t.bets, t.rows, t.o.Alpha) }

func state(b *table, rows int, alpha float64) State {
	s := State{Rows: rows, Capital: 1, P: 1}
	if b != nil {
		s.Capital, s.P = math.Exp(b.logCapital()), math.Exp(-b.most)
	}
	s.Reject = s.P <= alpha
	return s
}
