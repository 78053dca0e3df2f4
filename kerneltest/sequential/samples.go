package sequential

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/kerneltest"

	"gonum.org/v1/gonum/mat"
)

// Options says which test is meant. The zero value is the default.
type Options struct {
	Alpha float64 // the level, 0.05 if zero
	Seed  uint64  // of the random features and of the permutations
	// Expect is the number of rows of each sample, or of pairs, that are planned for. Most of the level is then spent there, and
	// the test is nearly as powerful at that number as one that looks only once. It may stop earlier, and go on beyond.
	Expect int
	// Drift says that what both samples follow may change with time while rows arrive in pairs. The test then bets only.
	Drift bool
}

func (o Options) complete() (Options, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return o, fmt.Errorf("sequential: alpha is %v, want a number between 0 and 1", o.Alpha)
	}
	if o.Expect < 0 || o.Expect > 1e9 {
		return o, fmt.Errorf("sequential: expect is %d, want a number of rows up to 1e9, or 0", o.Expect)
	}
	return o, nil
}

// State is what a test knows so far.
type State struct {
	Rows    int     // of each sample, or pairs, that were bet on
	Capital float64 // of the bets now
	P       float64 // of bets and looks together: valid at any time
	Reject  bool    // P is at most alpha
}

// TwoSample tests whether two streams have one distribution.
type TwoSample struct {
	o      Options
	dim    int
	data   [2][]float64 // all rows
	paired int          // rows of each sample that were taken together
	f      *features    // nil before the first rows fix them
	sums   [][]float64  // differences of the features of the rows so far, group by group
	spread []float64    // sums of squared payoffs before they are scaled, group by group
	bets   *table
	rows   int
	looks  looks
}

// NewTwoSample starts a test.
func NewTwoSample(o Options) (*TwoSample, error) {
	o, err := o.complete()
	return &TwoSample{o: o, looks: looks{schedule: schedule{o.Expect}, p: 1}}, err
}

// Add takes new rows of the two samples, any number of each. After an error that ctx caused, the next call goes on
// where this one stopped.
func (t *TwoSample) Add(ctx context.Context, x, y [][]float64) (State, error) {
	for g, rows := range [2][][]float64{x, y} {
		for i, row := range rows {
			if err := t.admit(row, fmt.Sprintf("row %d of sample %d", i+1, g+1)); err != nil {
				return t.State(), err
			}
		}
	}
	for g, rows := range [2][][]float64{x, y} {
		for _, row := range rows {
			t.data[g] = append(t.data[g], row...)
		}
	}
	for {
		if err := t.looks.due(ctx, t.paired, t.o, t.test); err != nil {
			return t.State(), err
		}
		if min(len(t.data[0]), len(t.data[1])) < (t.paired+1)*max(1, t.dim) {
			return t.State(), nil
		}
		if err := t.pair(t.row(0, t.paired), t.row(1, t.paired)); err != nil {
			return t.State(), err
		}
		t.paired++
	}
}

func (t *TwoSample) row(sample, i int) []float64 { return t.data[sample][i*t.dim : (i+1)*t.dim] }

// test is that of the first n rows of each sample.
func (t *TwoSample) test(ctx context.Context, n int, o kerneltest.Options) (*kerneltest.Result, error) {
	x, y := mat.NewDense(n, t.dim, t.data[0][:n*t.dim]), mat.NewDense(n, t.dim, t.data[1][:n*t.dim])
	return kerneltest.TwoSample(ctx, x, y, o)
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
	const before = warmUp / 2
	if t.f == nil {
		if t.paired+1 < before {
			return nil
		}
		var first [][]float64
		for i := range before {
			first = append(first, t.row(0, i), t.row(1, i))
		}
		var err error
		if t.f, err = newFeatures(first, t.o.Seed, "sequential samples"); err != nil {
			return err
		}
		t.sums, t.spread = make([][]float64, len(t.f.groups)), make([]float64, len(t.f.groups))
		for k, g := range t.f.groups {
			t.sums[k] = make([]float64, g.size())
		}
		t.bets = newTable(len(t.f.groups))
		for i := range before {
			t.learn(t.difference(t.row(0, i), t.row(1, i)))
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
func (t *TwoSample) learn(d [][]float64) { learn(t.sums, t.spread, d, t.rows+warmUp/2) }

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
func (t *TwoSample) State() State { return state(t.bets, t.rows, t.o, t.looks.p) }

// state joins the bets, whose p-value is 1 over their largest capital, and the looks, by their shares of the level.
func state(b *table, rows int, o Options, looks float64) State {
	s := State{Rows: rows, Capital: 1, P: looks}
	if b != nil {
		s.Capital = math.Exp(b.logCapital())
		p := math.Exp(-b.most)
		if !o.Drift {
			p /= betting
		}
		s.P = min(looks, p)
	}
	s.Reject = s.P <= o.Alpha
	return s
}
