package stein

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"bayeskernel/internal/rows"
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

	// Again fits the model again to data that it makes with the parameters of a draw, and returns it with these data and
	// draws of its posterior: see package runs. Nil: a p-value is right on average over the prior, and not
	// for parameters that the prior holds for improbable.
	Again  func(ctx context.Context, draw []float64, seed uint64) (Model, [][]float64, error)
	Refits int // if a misfit is suspected; 0 means 99
}

// Goodness is what Fit finds.
type Goodness struct {
	P      float64 // of all statistics together
	PShape float64 // of the distribution of the residuals
	PGiven float64 // of its dependence on covariates; NaN without these
	Draws  int     // the p-values of these are combined by Cauchy's distribution
	Refits int     // to data of the model itself; 0 where no misfit was suspected

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

// suspected is the p-value up to which a model is fitted again.
const suspected = 0.1

// Fit tests whether continuous data fit a model, with draws from its posterior. See the section on goodness of fit of
// the documentation of the package.
func Fit(ctx context.Context, m Model, draws [][]float64, o Fitting) (*Goodness, error) {
	if len(draws) == 0 {
		return nil, fmt.Errorf("stein: no draws")
	}
	if o.Draws < 0 || o.Replicates < 0 || o.Rows < 0 || o.Refits < 0 {
		return nil, fmt.Errorf("stein: %d draws, %d replicates, %d rows and %d refits; none may be negative", o.Draws, o.Replicates, o.Rows,
			o.Refits)
	}
	if o.Draws == 0 {
		o.Draws = 25
	}
	sets, err := residuals(m, draws, o.Draws)
	if err != nil {
		return nil, err
	}
	l, null, err := prepare(ctx, sets[0], o)
	if err != nil {
		return nil, err
	}
	g, err := l.fit(sets, null, o.Seed)
	if err != nil || o.Again == nil || g.P > suspected {
		return g, err
	}
	return g, l.again(ctx, m, g, null, draws, o)
}

// residuals are those of some draws, evenly spaced.
func residuals(m Model, draws [][]float64, count int) ([]*mat.Dense, error) {
	sets := make([]*mat.Dense, min(count, len(draws)))
	for k := range sets {
		e, err := m.Residuals(draws[(2*k+1)*len(draws)/(2*len(sets))])
		if err != nil {
			return nil, err
		}
		sets[k] = e
	}
	return sets, nil
}

// again compares the p-values of g with those of data that the model makes, to which it is fitted again: g's become the
// larger of the two.
func (l *looks) again(ctx context.Context, m Model, g *Goodness, null *simulated, draws [][]float64, o Fitting) error {
	refits := o.Refits
	if refits == 0 {
		refits = 99
	}
	found := make([][3]float64, refits)
	few := 0
	three := func(a []answer) [3]float64 {
		p, shape, given := l.together(a, null)
		return [3]float64{p, shape, given}
	}
	var mu sync.Mutex
	err := workers.Each(ctx, refits, 0, func() func(int) error {
		w := l.newWork()
		return func(b int) error {
			q, posterior, err := o.Again(ctx, draws[(2*b+1)*len(draws)/(2*refits)], o.Seed+uint64(b))
			if err != nil {
				return err
			}
			mu.Lock()
			few = len(posterior)
			mu.Unlock()
			sets, err := residuals(q, posterior, len(posterior))
			if err != nil {
				return err
			}
			a, err := l.answers(sets, null, w)
			found[b] = three(a)
			return err
		}
	})
	if err != nil {
		return err
	}
	sets, err := residuals(m, draws, few) // as many draws as each of the others has
	if err != nil {
		return err
	}
	a, err := l.answers(sets, null, l.newWork())
	if err != nil {
		return err
	}
	own := three(a)
	for k, p := range []*float64{&g.P, &g.PShape, &g.PGiven} {
		count := 1
		for _, f := range found {
			if f[k] <= own[k] {
				count++
			}
		}
		*p = math.Max(*p, float64(count)/float64(refits+1))
	}
	g.Refits = refits
	return nil
}

// FitRows is Fit for rows that are standard normal if a model is right, or with o.Known false normal.
func FitRows(ctx context.Context, e mat.Matrix, o Fitting) (*Goodness, error) {
	if err := rows.Check("e", e); err != nil {
		return nil, fmt.Errorf("stein: %w", err)
	}
	sets := []*mat.Dense{mat.DenseCopyOf(e)}
	l, null, err := prepare(ctx, sets[0], o)
	if err != nil {
		return nil, err
	}
	return l.fit(sets, null, o.Seed)
}

// prepare makes the statistics of residuals of this shape, and simulates them.
func prepare(ctx context.Context, e *mat.Dense, o Fitting) (*looks, *simulated, error) {
	n, d := e.Dims()
	if err := finite(e); err != nil {
		return nil, nil, err
	}
	if err := rows.Scaled("the rows", e); err != nil {
		return nil, nil, fmt.Errorf("stein: %w", err)
	}
	if o.X != nil {
		if err := rows.Scaled("Fitting.X", o.X); err != nil {
			return nil, nil, fmt.Errorf("stein: %w", err)
		}
	}
	most, replicates := o.Rows, o.Replicates
	if most == 0 {
		most = 400
	}
	if replicates == 0 {
		replicates = 299
	}
	rows := make([]int, min(n, most))
	for k := range rows {
		rows[k] = (2*k + 1) * n / (2 * len(rows))
	}
	l, err := newLooks(rows, n, d, o)
	if err != nil {
		return nil, nil, err
	}
	null, err := l.simulate(ctx, replicates, o.Seed)
	return l, null, err
}

func finite(e *mat.Dense) error {
	_, d := e.Dims()
	if i := slices.IndexFunc(e.RawMatrix().Data, func(v float64) bool { return v-v != 0 }); i >= 0 {
		return fmt.Errorf("stein: the residual of observation %d is %v; it must be finite", i/d+1, e.RawMatrix().Data[i])
	}
	return nil
}

// answer is what the residuals of one draw say.
type answer struct {
	e               []float64 // of the rows that are looked at
	p, shape, given float64
}

func (l *looks) answers(sets []*mat.Dense, null *simulated, w *work) ([]answer, error) {
	out := make([]answer, len(sets))
	for k, e := range sets {
		if err := finite(e); err != nil {
			return nil, err
		}
		a := &out[k]
		for _, i := range l.rows {
			a.e = append(a.e, e.RawRowView(i)...)
		}
		if !l.settle(a.e) {
			return nil, fmt.Errorf("stein: the residuals, or a combination of their columns, do not vary")
		}
		s := make([]float64, l.count())
		l.statistics(s, a.e, w)
		a.p, a.shape, a.given = null.p(s, 0, l.count()), null.p(s, 0, len(l.scales)), math.NaN()
		if len(l.given) > 0 {
			a.given = null.p(s, len(l.scales), l.count())
		}
	}
	return out, nil
}

// together combines the p-values of several draws by Cauchy's distribution.
func (l *looks) together(answers []answer, null *simulated) (p, shape, given float64) {
	half := 0.5 / float64(len(null.values[0])+1) // half a replicate less, for p may be 1
	of := func(f func(answer) float64) float64 {
		sum := 0.0
		for _, a := range answers {
			sum += math.Tan(math.Pi * (0.5 - f(a) + half))
		}
		return math.Min(1, 0.5-math.Atan(sum/float64(len(answers)))/math.Pi+half)
	}
	return of(func(a answer) float64 { return a.p }), of(func(a answer) float64 { return a.shape }),
		of(func(a answer) float64 { return a.given })
}

// fit looks at the residuals of several draws.
func (l *looks) fit(sets []*mat.Dense, null *simulated, seed uint64) (*Goodness, error) {
	answers, err := l.answers(sets, null, l.newWork())
	if err != nil {
		return nil, err
	}
	out := &Goodness{Draws: len(sets), Rows: l.rows}
	out.P, out.PShape, out.PGiven = l.together(answers, null)
	slices.SortStableFunc(answers, func(a, b answer) int { return cmp.Compare(a.p, b.p) })
	typical := answers[len(answers)/2].e
	out.Residuals = mat.NewDense(l.n, l.d, typical)
	l.where(out, null, typical, seed)
	return out, nil
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
