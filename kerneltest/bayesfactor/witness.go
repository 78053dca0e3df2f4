package bayesfactor

import (
	"context"
	"fmt"
	"math"

	"bayeskernel/internal/fused"
	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
)

// Witness is delta(p) = k(p, X)'h/N, the difference of the two densities smoothed by the kernel,
// given that they differ. Mean and SD are those of its posterior, averaged over lengthscale and
// amplitude, Low and High the 2.5% and 97.5% quantiles at each point.
type Witness struct {
	Mean, SD, Low, High []float64
}

// normal is a component of the posterior at a point, a mixture of normals.
type normal struct{ weight, mean, sd float64 }

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
	w     workspace
	one   []float64
}

func (c *contrast) view(ctx context.Context, a *arrangements, at []float64, theta float64) (*view,
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
	k := kernels.SquaredExponential(theta)
	values, path := make([]float64, n), fused.Best()
	g := make([]float64, n)
	for i := range v.count {
		kernels.Fill(values, k, path, at[i*c.dim:(i+1)*c.dim], c.sorted, c.dim)
		for to, value := range values {
			g[c.order[to]] = value
		}
		v.t = append(v.t, v.features(g))
	}
	v.one = make([]float64, f.rank)
	return v, nil
}

// features returns Q'F'g for a function g of the rows.
func (v *view) features(g []float64) []float64 {
	c, n := v.c, v.c.x+v.c.y
	t := make([]float64, v.f.rank)
	if v.f.whole {
		c.removeMean(g)
		for i := range t {
			t[i] = g[i] * math.Sqrt(c.massOf(i))
		}
	} else {
		for k := range t {
			s := 0.0
			for i, value := range v.f.columns[k*n : (k+1)*n] {
				s += value * g[i] * c.massOf(i)
			}
			t[k] = s
		}
	}
	v.f.rotate(t, 1)
	return t
}

// normal returns mean and standard deviation at point i.
func (v *view) normal(i int, s float64) (mean, sd float64) {
	sigma, t := s*s*v.c.variance(), v.t[i]
	copy(v.one, t)
	v.f.solve(sigma, v.one, &v.w) // (I + sigma T)⁻¹ t
	root := math.Sqrt(v.c.kappa)
	variance := 0.0
	for k, b := range v.one {
		if v.f.whole {
			mean += root * (t[k] - b) * v.z[k]
			variance += v.c.kappa * (t[k] - b) * t[k]
		} else {
			mean += root * sigma * b * v.z[k]
			variance += v.c.kappa * sigma * b * t[k]
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
	mixtures := make([][]normal, len(at)/c.dim)
	for k, mass := range q.masses(r) {
		if mass < negligible {
			continue
		}
		v, err := c.view(ctx, q.observed, at, q.unit*math.Exp(chebyshev(k, q.degree, q.from, q.to)))
		if err != nil {
			return nil, err
		}
		s := coarseAmplitudeRule()
		weights := q.amplitudes(ctx, v, s)
		for i := range mixtures {
			for j, w := range weights {
				if w*mass < negligible/10 {
					continue
				}
				m, sd := v.normal(i, s.at[j]*q.o.Amplitude)
				mixtures[i] = append(mixtures[i], normal{w * mass, m, sd})
			}
		}
	}
	w := &Witness{}
	for _, mixture := range mixtures {
		w.add(mixture)
	}
	return w, nil
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
	logs := make([]float64, len(s.at))
	square := []float64{0} // a constant
	for j, a := range s.at {
		sigma := a * a * q.o.Amplitude * q.o.Amplitude * v.c.variance()
		v.f.node.at(sigma, logs[j:j+1], v.z, square, &v.w)
		logs[j] += math.Log(s.weight[j]) + logHalfNormal(a, 1)
	}
	all := logSumExp(logs)
	for j := range logs {
		logs[j] = math.Exp(logs[j] - all)
	}
	return logs
}

// add appends the summaries of a mixture.
func (w *Witness) add(mixture []normal) {
	total, mean, second := 0.0, 0.0, 0.0
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range mixture {
		total += c.weight
		mean += c.weight * c.mean
		second += c.weight * (c.mean*c.mean + c.sd*c.sd)
		low, high = min(low, c.mean-10*c.sd), max(high, c.mean+10*c.sd)
	}
	mean /= total
	quantile := func(level float64) float64 {
		a, b := low, high
		for range 60 {
			mid := (a + b) / 2
			below := 0.0
			for _, c := range mixture {
				if c.sd > 0 {
					below += c.weight * 0.5 * math.Erfc((c.mean-mid)/(c.sd*math.Sqrt2))
				} else if mid >= c.mean {
					below += c.weight
				}
			}
			if below < level*total {
				a = mid
			} else {
				b = mid
			}
		}
		return (a + b) / 2
	}
	w.Mean = append(w.Mean, mean)
	w.SD = append(w.SD, math.Sqrt(max(0, second/total-mean*mean)))
	w.Low = append(w.Low, quantile(0.025))
	w.High = append(w.High, quantile(0.975))
}
