package bayesfactor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"bayeskernel/internal/permute"
	"bayeskernel/internal/workers"
)

// model is what the integral needs: of two samples, or of pairs.
type model interface {
	at(ctx context.Context, theta float64) (*features, error)
	arrange(ctx context.Context, d *permute.Design, first, count int) (*arrangements, error)
	project(ctx context.Context, f *features, a *arrangements) (z, square []float64, err error)
	variance() float64
}

// integral is a Bayes factor under way: log BF at the extreme points of a Chebyshev polynomial in
// log theta, and for every s.
type integral struct {
	m        model
	o        Options
	unit     float64
	s        rule
	from, to float64 // of log t
	degree   int
	logs     map[int][]float64 // by the place of the node among mostDegree+1
	floors   map[int][]float64
	observed *arrangements
	all      *arrangements // with the permutations; nil without
	draws    [][]float64   // of each of the first nodes, those of all arrangements

	mu         sync.Mutex
	done, want int
	rank       int
	traceError float64
}

// mostDegree is the highest degree there can be, so that nodes are named by integers.
const mostDegree = 1 << 14

// integrate finds the logs, of as many lengthscales as the tolerance wants.
func (q *integral) integrate(ctx context.Context) (*posterior, float64, error) {
	q.logs, q.floors = map[int][]float64{}, map[int][]float64{}
	var last *posterior
	for q.degree = leastNodes - 1; ; q.degree *= 2 {
		if err := q.level(ctx); err != nil {
			return nil, 0, err
		}
		p := q.posterior(q.logs)
		if last != nil {
			change := math.Abs(p.logBF - last.logBF)
			if change < q.o.Tolerance || 2*q.degree+1 > q.o.Nodes || 2*q.degree > mostDegree {
				return p, change, nil
			}
		} else if 2*q.degree+1 > q.o.Nodes {
			return p, math.NaN(), nil
		}
		last = p
	}
}

// level adds the nodes of the degree that are missing.
func (q *integral) level(ctx context.Context) error {
	var missing []int
	for k := 0; k <= q.degree; k++ {
		if name := k * (mostDegree / q.degree); q.logs[name] == nil {
			missing = append(missing, name)
		}
	}
	first := len(q.logs) == 0
	if first && q.all != nil {
		q.draws = make([][]float64, len(missing))
	}
	q.want += len(missing)
	logs, floors := make([][]float64, len(missing)), make([][]float64, len(missing))
	errs := workers.Run(ctx, len(missing), q.o.Parallel, func(i int) error {
		u := chebyshev(missing[i], mostDegree, q.from, q.to)
		f, err := q.m.at(ctx, q.unit*math.Exp(u))
		if err != nil {
			return err
		}
		if logs[i], floors[i], err = q.node(ctx, f); err != nil {
			return err
		}
		if first && q.all != nil {
			if q.draws[i], err = q.permuted(ctx, f); err != nil {
				return err
			}
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.rank, q.traceError = max(q.rank, f.rank), max(q.traceError, f.traceError)
		if q.done++; q.o.Progress != nil {
			q.o.Progress("bayes factor", q.done, q.want)
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("bayesfactor: %w", context.Cause(ctx))
		}
		return err
	}
	for i, name := range missing {
		q.logs[name], q.floors[name] = logs[i], floors[i]
	}
	return nil
}

// node returns log BF of the data for every s, and what it would be with a contrast of 0.
func (q *integral) node(ctx context.Context, f *features) (logs, floors []float64, err error) {
	z, square, err := q.m.project(ctx, f, q.observed)
	if err != nil {
		return nil, nil, err
	}
	logs, floors = make([]float64, len(q.s.at)), make([]float64, len(q.s.at))
	var w workspace
	w.grow(f.rank, 1)
	for i, s := range q.s.at {
		sigma := s * s * q.m.variance()
		f.at(sigma, logs[i:i+1], z, square, &w)
		floors[i] = -0.5 * f.pivots(sigma, w.d, w.l)
	}
	return logs, floors, nil
}

// permuted returns log of the integral over s of the Bayes factors of all arrangements.
func (q *integral) permuted(ctx context.Context, f *features) ([]float64, error) {
	z, square, err := q.m.project(ctx, f, q.all)
	if err != nil {
		return nil, err
	}
	count := q.all.signs.Count()
	s := coarseAmplitudeRule()
	terms := make([][]float64, len(s.at))
	var w workspace
	for i, v := range s.at {
		terms[i] = make([]float64, count)
		sigma := v * v * q.o.Amplitude * q.o.Amplitude * q.m.variance()
		f.at(sigma, terms[i], z, square, &w)
		log := math.Log(s.weight[i]) + logHalfNormal(v, 1)
		for b := range terms[i] {
			terms[i][b] += log
		}
	}
	return sumOver(terms), nil
}

// sumOver is log sum_i exp(terms[i][b]) for every b.
func sumOver(terms [][]float64) []float64 {
	out, column := make([]float64, len(terms[0])), make([]float64, len(terms))
	for b := range out {
		for i, t := range terms {
			column[i] = t[b]
		}
		out[b] = logSumExp(column)
	}
	return out
}

// permutedBF returns log BF of all arrangements by the rule of Clenshaw and Curtis over the first
// nodes.
func (q *integral) permutedBF() []float64 {
	terms := make([][]float64, len(q.draws))
	degree := len(q.draws) - 1
	weights := clenshawCurtis(degree, q.from, q.to)
	for k, draws := range q.draws {
		log := math.Log(weights[k]) + q.o.Theta.LogDensity(chebyshev(k, degree, q.from, q.to))
		terms[k] = slices.Clone(draws)
		for b := range terms[k] {
			terms[k][b] += log
		}
	}
	return sumOver(terms)
}

// posterior is what follows from the logs.
type posterior struct {
	logBF float64
	u     rule      // of log t
	atU   []float64 // probabilities
	atS   []float64
}

// panels is the number of intervals of log t, of eight points each, on which the interpolant of log
// BF is integrated.
const panels = 64

// posterior integrates exp of the interpolant of log BF, which for many rows is far smoother than
// the Bayes factor itself.
func (q *integral) posterior(logs map[int][]float64) *posterior {
	p := &posterior{u: composite(equal(q.from, q.to, panels), 8), atS: make([]float64, len(q.s.at))}
	c := make([]float64, q.degree+1)
	terms := make([]float64, len(p.u.at)*len(q.s.at))
	for i, u := range p.u.at {
		row := terms[i*len(q.s.at) : (i+1)*len(q.s.at)]
		barycentric(c, u, q.from, q.to)
		for k, w := range c {
			for j, v := range logs[k*(mostDegree/q.degree)] {
				row[j] += w * v
			}
		}
		log := math.Log(p.u.weight[i]) + q.o.Theta.LogDensity(u)
		for j, s := range q.s.at {
			row[j] += log + math.Log(q.s.weight[j]) + logHalfNormal(s, q.o.Amplitude)
		}
	}
	p.logBF = logSumExp(terms)
	p.atU = make([]float64, len(p.u.at))
	for i := range p.u.at {
		for j := range q.s.at {
			w := math.Exp(terms[i*len(q.s.at)+j] - p.logBF)
			p.atU[i] += w
			p.atS[j] += w
		}
	}
	return p
}
