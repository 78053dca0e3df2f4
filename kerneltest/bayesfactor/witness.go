package bayesfactor

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/internal/mixture"
	"bayeskernel/internal/workers"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Witness is delta(p) = k(p, X)'h/N, the difference of the two densities smoothed by the kernel,
// given that they differ. Mean and SD are those of its posterior, averaged over lengthscale and
// amplitude, Low and High the 2.5% and 97.5% quantiles at each point.
type Witness struct {
	Mean, SD, Low, High []float64
}

// points reads where the witness is wanted.
func (c *contrast) points(points mat.Matrix) ([]float64, error) {
	at, _, dim, err := finiteRows("points", points)
	if err != nil {
		return nil, err
	}
	if dim != c.dim {
		return nil, fmt.Errorf("bayesfactor: points have width %d, want %d", dim, c.dim)
	}
	return at, nil
}

// view is delta at some points and one lengthscale. With features F, whitened and of covariance T
// = Q'F'F Q, and t = Q'F'k(X, p), weighted by the masses, it has given s and sigma = s²/(N² kappa0)
//
//	mean sigma sqrt(kappa0) t'(I + sigma T)⁻¹ z,   variance sigma kappa0 t'(I + sigma T)⁻¹ t.
//
// Where the matrix is whole, F = I, and t = Q'g for the centred g_i = sqrt(m_i) k(x_i, p) and t'F
// F' = g'A: the mean is sqrt(kappa0) sigma g'A(I + sigma A)⁻¹ v = sqrt(kappa0) g'(v - (I + sigma
// A)⁻¹v).
type view struct {
	c     *contrast
	f     *features
	z     []float64
	t     [][]float64 // by point
	count int
}

func (c *contrast) view(ctx context.Context, a *arrangements, at []float64, theta float64, parallel int) (*view,
	error) {
	f, err := c.at(ctx, theta)
	if err != nil {
		return nil, err
	}
	one := &arrangements{signs: a.signs, toX: a.toX, toY: a.toY}
	v := &view{c: c, f: f, count: len(at) / c.dim}
	if v.z, _, err = c.project(ctx, f, one); err != nil {
		return nil, err
	}
	n := c.x + c.y
	k, path := kernels.SquaredExponential(theta), fused.Best()
	v.t = make([][]float64, v.count)
	return v, workers.Each(ctx, (v.count+together-1)/together, parallel, func() func(i int) error {
		values, g, all := make([]float64, n), make([]float64, n), make([]float64, f.rank*together)
		turn := f.node.own()
		return func(i int) error {
			first := i * together
			count := min(v.count-first, together)
			for j := range count {
				kernels.Fill(values, k, path, at[(first+j)*c.dim:(first+j+1)*c.dim], c.sorted, c.dim)
				for to, value := range values {
					g[c.order[to]] = value
				}
				v.features(all[j:], count, g)
			}
			turn.rotate(all[:f.rank*count], count)
			for j := range count {
				t := make([]float64, f.rank)
				for l := range t {
					t[l] = all[l*count+j]
				}
				v.t[first+j] = t
			}
			return nil
		}
	})
}

// together is how many points are rotated at once.
const together = 64

// features writes F'g, weighted by the masses, for a function g of the rows: number k at k times stride.
func (v *view) features(to []float64, stride int, g []float64) {
	c, n := v.c, v.c.x+v.c.y
	if v.f.whole {
		c.removeMean(g)
		for i := range v.f.rank {
			to[i*stride] = g[i] * math.Sqrt(c.massOf(i))
		}
		return
	}
	for k := range v.f.rank {
		s := 0.0
		for i, value := range v.f.columns[k*n : (k+1)*n] {
			s += value * g[i] * c.massOf(i)
		}
		to[k*stride] = s
	}
}

// amplitude is what all points share at one amplitude: sigma and the factor of I + sigma T.
type amplitude struct {
	sigma float64
	factor
}

func (v *view) amplitude(s float64) amplitude {
	sigma := s * s * v.c.variance()
	return amplitude{sigma, v.f.factor(sigma)}
}

// normal returns mean and standard deviation at point i. Room is for as many numbers as there are features.
func (v *view) normal(i int, a amplitude, room []float64) (mean, sd float64) {
	t := v.t[i]
	copy(room, t)
	a.solve(room) // (I + sigma T)⁻¹ t
	root := math.Sqrt(v.c.kappa)
	variance := 0.0
	for k, b := range room {
		if v.f.whole {
			mean += root * (t[k] - b) * v.z[k]
			variance += v.c.kappa * (t[k] - b) * t[k]
		} else {
			mean += root * a.sigma * b * v.z[k]
			variance += v.c.kappa * a.sigma * b * t[k]
		}
	}
	return mean, math.Sqrt(max(0, variance))
}

// averaged is the witness over the posterior of lengthscale and amplitude: that of every node with
// the posterior mass nearest to it, and of the points of a coarser rule for s.
func (c *contrast) averaged(ctx context.Context, q *integral, r *Result, points mat.Matrix) (*Witness,
	error) {
	at, err := c.points(points)
	if err != nil {
		return nil, err
	}
	count := len(at) / c.dim
	mixtures := make([]mixture.Normals, count)
	var weights []float64 // of the components, the same at all points
	for k, mass := range q.masses(r) {
		if mass < negligible {
			continue
		}
		v, err := c.view(ctx, q.observed, at, q.unit*math.Exp(chebyshev(k, q.degree, q.from, q.to)),
			q.o.Parallel)
		if err != nil {
			return nil, err
		}
		s := coarseAmplitudeRule()
		var used []amplitude
		for j, w := range q.amplitudes(ctx, v, s) {
			if w*mass >= negligible/10 {
				used, weights = append(used, v.amplitude(s.at[j]*q.o.Amplitude)), append(weights, w*mass)
			}
		}
		if err := workers.Each(ctx, count, q.o.Parallel, func() func(i int) error {
			room := make([]float64, v.f.rank)
			return func(i int) error {
				m := &mixtures[i]
				for _, a := range used {
					mean, sd := v.normal(i, a, room)
					m.Means, m.SDs = append(m.Means, mean), append(m.SDs, sd)
				}
				return nil
			}
		}); err != nil {
			return nil, err
		}
	}
	w := &Witness{Mean: make([]float64, count), SD: make([]float64, count), Low: make([]float64, count),
		High: make([]float64, count)}
	return w, workers.Each(ctx, count, q.o.Parallel, func() func(i int) error {
		return func(i int) error {
			m := mixtures[i]
			m.Weights = weights
			w.Mean[i], w.SD[i] = m.Moments()
			w.Low[i], w.High[i] = m.Quantile(0.025, w.Mean[i], w.SD[i]), m.Quantile(0.975, w.Mean[i], w.SD[i])
			return nil
		}
	})
}

// A lengthscale with a posterior mass of at most negligible is left out of the average.
const negligible = 1e-3

// masses shares the posterior of the lengthscale among the nodes, between two linearly in log
// theta.
func (q *integral) masses(r *Result) []float64 {
	out := make([]float64, q.degree+1)
	k := 0
	for i, theta := range r.Theta.At {
		u := math.Log(theta / q.unit)
		for k+1 < q.degree && u > chebyshev(k+1, q.degree, q.from, q.to) {
			k++
		}
		a, b := chebyshev(k, q.degree, q.from, q.to), chebyshev(k+1, q.degree, q.from, q.to)
		t := min(1, max(0, (u-a)/(b-a)))
		out[k] += (1 - t) * r.Theta.Weight[i]
		out[k+1] += t * r.Theta.Weight[i]
	}
	return out
}

// amplitudes returns the posterior weights of s given the lengthscale of the view.
func (q *integral) amplitudes(ctx context.Context, v *view, s rule) []float64 {
	logs, w := make([]float64, len(s.at)), &workspace{}
	square := []float64{0} // a constant
	for j, a := range s.at {
		sigma := a * a * q.o.Amplitude * q.o.Amplitude * v.c.variance()
		v.f.node.at(sigma, logs[j:j+1], v.z, square, w)
		logs[j] += math.Log(s.weight[j]) + logHalfNormal(a, 1)
	}
	all := logSumExp(logs)
	for j := range logs {
		logs[j] = math.Exp(logs[j] - all)
	}
	return logs
}
