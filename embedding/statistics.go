package embedding

import (
	"context"
	"math"

	"bayeskernel/bke"
	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/workers"
)

// statistics are all that the posterior needs of the rows at given points, as one vector for each
// lengthscale: v; then, for each sample, the mean of k(X, p) and its covariance. The covariance is
// the diagonal or, if joint, the lower triangle. Where there are many draws of a single lengthscale
// they come from a table.
type statistics struct {
	*problem
	points []float64
	q      int
	joint  bool
	table  *table // nil: computed for each draw
}

// newStatistics makes a table if it pays for these draws.
func newStatistics(ctx context.Context, p *problem, points []float64, joint bool,
	draws []bke.Params) *statistics {
	s := &statistics{problem: p, points: points, q: len(points) / p.dim, joint: joint}
	s.tabulate(ctx, draws)
	return s
}

// size returns the length of the vector.
func (s *statistics) size() int { return 1 + len(s.samples)*s.stride() }

func (s *statistics) stride() int {
	if s.joint {
		return s.q + s.q*(s.q+1)/2
	}
	return 2 * s.q
}

// of returns the mean and the covariance of sample i in a vector.
func (s *statistics) of(vector []float64, i int) (mean, cov []float64) {
	part := vector[1+i*s.stride() : 1+(i+1)*s.stride()]
	return part[:s.q], part[s.q:]
}

// compute writes the vector at the hyperparameters.
func (s *statistics) compute(dst []float64, f *field, a *accumulator, h bke.Params) {
	dst[0] = 1
	if !s.opts.AtTest {
		dst[0] = f.level(h)
	}
	f.set(s.kernelAt(h))
	for i, rows := range s.samples {
		mean, cov := s.of(dst, i)
		if s.joint {
			a.joint(mean, cov, f, rows, s.points)
		} else {
			a.alone(mean, cov, f, rows, s.points)
		}
	}
}

// reader reads the statistics, for one goroutine.
type reader struct {
	*statistics
	f      *field
	a      accumulator
	vector []float64
	coef   []float64
}

func (s *statistics) reader() *reader {
	return &reader{statistics: s, f: newField(s.model), vector: make([]float64, s.size())}
}

// at returns the vector at the hyperparameters, and s; the vector is valid until the next call.
func (r *reader) at(h bke.Params) (vector []float64, scale float64, err error) {
	if r.table == nil {
		r.compute(r.vector, r.f, &r.a, h)
		if r.a.err != nil {
			return nil, 0, r.a.err
		}
	} else {
		r.coef = resize(r.coef, len(r.table.nodes))
		r.table.at(r.vector, r.coef, h.Theta[0])
	}
	scale, err = r.noiseScale(h, r.vector[0])
	return r.vector, scale, err
}

// table holds the statistics at a number of lengthscales. In between, each element is the value of
// the polynomial in log theta through these: the kernels are analytic in log theta, so that with
// Chebyshev nodes it converges geometrically, and the barycentric formula evaluates it stably
// (Berrut and Trefethen, 2004). The cost of the rows is then that of the nodes, whatever the number
// of draws.
type table struct {
	nodes   []float64 // log theta
	weights []float64 // barycentric
	values  []float64 // a vector at each node
}

const (
	// tableTol is the largest error of a table, in standard deviations of the empirical embedding.
	tableTol = 1e-6
	// tableBytes bounds its size.
	tableBytes = 64 << 20
)

// tabulate makes the table over the range of the draws, unless it would not pay or not be accurate.
func (s *statistics) tabulate(ctx context.Context, draws []bke.Params) {
	if len(draws[0].Theta) > 1 {
		return
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, h := range draws {
		u := math.Log(h.Theta[0])
		lo, hi = min(lo, u), max(hi, u)
	}
	// So many nodes leave errors near 1e-13; it is checked all the same.
	count := 11 + int(math.Ceil(min(11*(hi-lo), 1e6)))
	if 2*count > len(draws) || count*s.size() > tableBytes/8 {
		return
	}
	t := &table{nodes: make([]float64, count), weights: make([]float64, count),
		values: make([]float64, count*s.size())}
	for k := range count {
		sin, cos := math.Sincos((2*float64(k) + 1) * math.Pi / (2 * float64(count)))
		t.nodes[k] = (lo+hi)/2 + (hi-lo)/2*cos
		t.weights[k] = sin * float64(1-2*(k%2))
	}
	size := s.size()
	err := workers.Each(ctx, count, 0, func() func(k int) error {
		f, a := newField(s.model), new(accumulator)
		return func(k int) error {
			h := bke.Params{Theta: []float64{math.Exp(t.nodes[k])}, Eta: 1}
			s.compute(t.values[k*size:(k+1)*size], f, a, h)
			return a.err
		}
	})
	if err == nil && s.accurate(ctx, t) {
		s.table = t
	}
}

// at writes the vector at theta, with room for as many coefficients as there are nodes.
func (t *table) at(dst, coef []float64, theta float64) {
	u, sum := math.Log(theta), 0.0
	for k, node := range t.nodes {
		d := u - node
		if d == 0 {
			copy(dst, t.values[k*len(dst):])
			return
		}
		coef[k] = t.weights[k] / d
		sum += coef[k]
	}
	clear(dst)
	lowrank.Combine(dst, 1/sum, coef[:len(t.nodes)], t.values)
}

// accurate compares the table with the statistics themselves in the middle and near the ends of the
// range, half way between nodes.
func (s *statistics) accurate(ctx context.Context, t *table) bool {
	last := len(t.nodes) - 1
	between := []int{0, last / 2, last - 1}
	good := make([]bool, len(between))
	err := workers.Each(ctx, len(between), 0, func() func(i int) error {
		f, a, coef := newField(s.model), new(accumulator), make([]float64, len(t.nodes))
		got, want := make([]float64, s.size()), make([]float64, s.size())
		return func(i int) error {
			k := between[i]
			theta := math.Exp((t.nodes[k] + t.nodes[k+1]) / 2)
			t.at(got, coef, theta)
			s.compute(want, f, a, bke.Params{Theta: []float64{theta}, Eta: 1})
			good[i] = s.close(got, want)
			return nil
		}
	})
	return err == nil && good[0] && good[1] && good[2]
}

// close compares two vectors in units of the standard deviations.
func (s *statistics) close(got, want []float64) bool {
	if !(math.Abs(got[0]-want[0]) <= tableTol*want[0]) {
		return false
	}
	unit := make([]float64, s.q)
	for i, rows := range s.samples {
		gm, gc := s.of(got, i)
		wm, wc := s.of(want, i)
		for j := range unit {
			at := j
			if s.joint {
				at = j*(j+1)/2 + j
			}
			unit[j] = math.Sqrt(wc[at] + kappa*rows.square*rows.square)
			if !(math.Abs(gm[j]-wm[j]) <= tableTol*unit[j]) {
				return false
			}
		}
		for j := range unit {
			if !s.joint {
				if !(math.Abs(gc[j]-wc[j]) <= tableTol*unit[j]*unit[j]) {
					return false
				}
				continue
			}
			for l := range j + 1 {
				at := j*(j+1)/2 + l
				if !(math.Abs(gc[at]-wc[at]) <= tableTol*unit[j]*unit[l]) {
					return false
				}
			}
		}
	}
	return true
}
