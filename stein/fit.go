package stein

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/mat"
)

// Model is a model with its data, as model.Program and stan.Model are.
type Model interface {
	// Residuals brings what was observed to coordinates in which it is independent and standard normal if the
	// parameters are those of a draw: a row for each observation.
	Residuals(draw []float64) (*mat.Dense, error)
}

// Fitting says how Fit looks at residuals. The zero value asks whether they are normal, whatever their mean and covariance.
type Fitting struct {
	// X are covariates, a row for each observation, of which the distribution of the residuals must not depend. Nil:
	// that is not looked at.
	X mat.Matrix
	// Linear says that the model has a coefficient with a vague prior for each column of X. What is linear in them is
	// taken out of the residuals, which makes the test see more of the rest.
	Linear bool
	// Known says that no parameter was fitted: the mean and covariance of the residuals count too.
	Known      bool
	Seed       uint64
	Draws      int // of the posterior that are looked at, evenly spaced; 0 means 25
	Replicates int // simulated under the model; 0 means 299
	Rows       int // at most so many are looked at, evenly spaced; 0 means 400
}

// Goodness is what Fit finds.
type Goodness struct {
	P      float64 // of all statistics together
	PShape float64 // of the distribution of the residuals
	PGiven float64 // of its dependence on covariates; NaN without these
	Draws  int     // the p-values of these are combined by Cauchy's distribution

	Rows      []int      // of the observations that were looked at
	Residuals *mat.Dense // of these, one draw's, of mean 0 and variance 1 unless they are known
	Excess    []float64  // at each: positive where there are more than the model says
	Most      Place      // where the excess is largest
	Least     Place      // where it is least
	Curve     *Curve     // nil with several columns
}

// Place is a residual, and the row of X at which it is.
type Place struct {
	Row      int
	Residual []float64
	Excess   float64
}

// Curve is the excess of residuals of one column, whatever the covariates, with the range that 95% of replicates have
// at each place.
type Curve struct{ At, Excess, Lower, Upper []float64 }

// Fit tests whether continuous data fit a model, with draws from its posterior. See the section on goodness of fit of
// the documentation of the package.
func Fit(ctx context.Context, m Model, draws [][]float64, o Fitting) (*Goodness, error) {
	if len(draws) == 0 {
		return nil, fmt.Errorf("stein: no draws")
	}
	if o.Draws == 0 {
		o.Draws = 25
	}
	if o.Draws < 0 || o.Replicates < 0 || o.Rows < 0 {
		return nil, fmt.Errorf("stein: %d draws, %d replicates and %d rows; none may be negative", o.Draws, o.Replicates, o.Rows)
	}
	count := min(o.Draws, len(draws))
	sets := make([]*mat.Dense, count)
	for k := range sets {
		e, err := m.Residuals(draws[(2*k+1)*len(draws)/(2*count)])
		if err != nil {
			return nil, err
		}
		sets[k] = e
	}
	return fit(ctx, sets, o)
}

// FitRows is Fit for rows that are standard normal if a model is right, or with o.Known false normal.
func FitRows(ctx context.Context, e mat.Matrix, o Fitting) (*Goodness, error) {
	return fit(ctx, []*mat.Dense{mat.DenseCopyOf(e)}, o)
}

// fit looks at the residuals of several draws.
func fit(ctx context.Context, sets []*mat.Dense, o Fitting) (*Goodness, error) {
	n, d := sets[0].Dims()
	for _, e := range sets {
		if i := slices.IndexFunc(e.RawMatrix().Data, func(v float64) bool { return v-v != 0 }); i >= 0 {
			return nil, fmt.Errorf("stein: the residual of observation %d is %v; it must be finite", i/d+1, e.RawMatrix().Data[i])
		}
	}
	most := o.Rows
	if most == 0 {
		most = 400
	}
	rows := make([]int, min(n, most))
	for k := range rows {
		rows[k] = (2*k + 1) * n / (2 * len(rows))
	}
	l, err := newLooks(rows, n, d, o)
	if err != nil {
		return nil, err
	}
	replicates := o.Replicates
	if replicates == 0 {
		replicates = 299
	}
	null, err := l.simulate(ctx, replicates, o.Seed)
	if err != nil {
		return nil, err
	}
	type answer struct {
		e              []float64
		p, shape, rest float64
	}
	answers := make([]answer, len(sets))
	w := l.newWork()
	for k, e := range sets {
		a := &answers[k]
		for _, i := range rows {
			a.e = append(a.e, e.RawRowView(i)...)
		}
		if !l.settle(a.e) {
			return nil, fmt.Errorf("stein: the residuals, or a combination of their columns, do not vary")
		}
		s := make([]float64, l.count())
		l.statistics(s, a.e, w)
		a.p, a.shape, a.rest = null.p(s, 0, l.count()), null.p(s, 0, len(l.scales)), math.NaN()
		if len(l.given) > 0 {
			a.rest = null.p(s, len(l.scales), l.count())
		}
	}
	out := &Goodness{Draws: len(sets), Rows: rows}
	together := func(f func(answer) float64) float64 {
		sum := 0.0
		for _, a := range answers { // half a replicate less, for p may be 1
			sum += math.Tan(math.Pi * (0.5 - f(a) + 0.5/float64(replicates+1)))
		}
		return math.Min(1, 0.5-math.Atan(sum/float64(len(answers)))/math.Pi+0.5/float64(replicates+1))
	}
	out.P = together(func(a answer) float64 { return a.p })
	out.PShape = together(func(a answer) float64 { return a.shape })
	out.PGiven = together(func(a answer) float64 { return a.rest })
	slices.SortStableFunc(answers, func(a, b answer) int { return cmp.Compare(a.p, b.p) })
	typical := answers[len(answers)/2].e
	out.Residuals = mat.NewDense(len(rows), d, typical)
	l.where(out, null, typical, o.Seed)
	return out, ctx.Err()
}

// Fits reports whether no fault was found at the level 0.05.
func (g *Goodness) Fits() bool { return g.P > 0.05 }

// Given reports whether the dependence on covariates speaks against the model at least as clearly as the distribution of the
// residuals: whether Most and Least are places with covariates.
func (g *Goodness) Given() bool { return g.PGiven <= g.PShape }

// simulated are replicates of all statistics under the model.
type simulated struct {
	values [][]float64 // of each statistic, by replicate
	sorted [][]float64
	curves [][]float64 // by replicate
}

// simulate draws residuals of the model and does with them what is done with those of the data.
func (l *looks) simulate(ctx context.Context, replicates int, seed uint64) (*simulated, error) {
	out := &simulated{values: make([][]float64, l.count()), curves: make([][]float64, replicates)}
	for k := range out.values {
		out.values[k] = make([]float64, replicates)
	}
	err := workers.Each(ctx, replicates, 0, func() func(int) error {
		e, s, w := make([]float64, l.n*l.d), make([]float64, l.count()), l.newWork()
		return func(b int) error {
			r := rand.New(rand.NewPCG(seed, 0xf17<<32+uint64(b)))
			for {
				for i := range e {
					e[i] = r.NormFloat64()
				}
				if l.settle(e) {
					break
				}
			}
			l.statistics(s, e, w)
			for k, v := range s {
				out.values[k][b] = v
			}
			if l.d == 1 {
				out.curves[b] = l.curve(e)
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	for _, v := range out.values {
		s := slices.Clone(v)
		slices.Sort(s)
		out.sorted = append(out.sorted, s)
	}
	return out, nil
}

// p is the p-value of the statistics from to to-1 together: of the least of their p-values, by the same replicates, all
// of which, with the data, are treated alike, so that the level is exact.
func (s *simulated) p(observed []float64, from, to int) float64 {
	replicates := len(s.values[0])
	atLeast := func(k int, v float64) int { // replicates, and the data
		below, _ := slices.BinarySearch(s.sorted[k], v)
		n := replicates - below
		if observed[k] >= v {
			n++
		}
		return n
	}
	least := func(value func(k int) float64) int {
		m := replicates + 1
		for k := from; k < to; k++ {
			m = min(m, atLeast(k, value(k)))
		}
		return m
	}
	own, count := least(func(k int) float64 { return observed[k] }), 1
	for b := range replicates {
		if least(func(k int) float64 { return s.values[k][b] }) <= own {
			count++
		}
	}
	return float64(count) / float64(replicates+1)
}
