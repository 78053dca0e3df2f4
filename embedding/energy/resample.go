package energy

import (
	"context"
	"math"

	"bayeskernel/internal/lowrank"
	"bayeskernel/internal/rows"
	"bayeskernel/internal/workers"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// features returns the features of the rows of each sample, for the kernel |x-z| + |y-z| - |x-y|, z
// being the mean of all rows, and their number.
func (d *distances) features(ctx context.Context) ([][]float64, int, error) {
	all := rows.Join(d.x)
	n := len(all) / d.dim
	at := func(i int) []float64 { return all[i*d.dim : (i+1)*d.dim] }
	centre := make([]float64, d.dim)
	for i := range n {
		floats.AddScaled(centre, 1/float64(n), at(i))
	}
	norm, diag := make([]float64, n), make([]float64, n)
	for i := range n {
		norm[i] = distance(at(i), centre)
		diag[i] = 2 * norm[i]
	}
	c := lowrank.Cholesky{Limit: 300}
	if len(d.x) > mostSamples {
		c.Limit = 100
	}
	if err := c.FactorContext(ctx, diag, 1e-12*floats.Max(diag), func(dst []float64, j int) {
		for i := range dst {
			dst[i] = norm[i] + norm[j] - distance(at(i), at(j))
		}
	}); err != nil {
		return nil, 0, err
	}
	rank := len(c.Pivots)
	out := make([][]float64, len(d.x))
	first := 0
	for a, x := range d.x {
		m := len(x) / d.dim
		out[a] = make([]float64, m*rank)
		for l := range rank {
			column := c.Columns()[l*n+first : l*n+first+m]
			mean := floats.Sum(column) / float64(m)
			for i, v := range column {
				out[a][i*rank+l] = v - mean
			}
		}
		first += m
	}
	return out, rank, nil
}

// noise has the resamples of one sample: the error e* of its embedding in the features, and the inner
// products of e* with the differences of its embedding and the others'.
type noise struct {
	quadratic []float64 // resamples x rank
	linear    []float64 // resamples x samples
	largest   float64   // variance of e* in the direction of the largest
	direction []float64 // that direction
}

// widen is the factor of the weights of resampled rows.
func widen(n int, level float64) float64 {
	df, p := float64(n-1), (1+level)/2
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
	return math.Sqrt(float64(n)/df) * t / distuv.UnitNormal.Quantile(p)
}

// noiseOf resamples the rows of sample a.
func (d *distances) noiseOf(ctx context.Context, a int, features []float64, rank int) (*noise, error) {
	k, times := len(d.x), d.options.Resamples
	n := len(d.x[a]) / d.dim
	r, err := d.stream("resamples", a)
	if err != nil {
		return nil, err
	}
	// <phi(x_i) - m_a, m_a - m_b> of row i is its mean distance to sample b less that to sample a,
	// centred.
	inner := make([]float64, n*k)
	for b := range k {
		shift := d.between[a][b] - d.between[a][a]
		for i := range n {
			inner[i*k+b] = d.mean[a][b][i] - d.mean[a][a][i] - shift
		}
	}
	out := &noise{quadratic: make([]float64, times*rank), linear: make([]float64, times*k)}
	count := make([]float64, n)
	by := widen(n, d.options.Level) / float64(n)
	for t := range times {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		clear(count)
		for range n {
			count[r.IntN(n)]++
		}
		q, l := out.quadratic[t*rank:(t+1)*rank], out.linear[t*k:(t+1)*k]
		for i, c := range count {
			if c > 0 { // rows are centred: 1 need not be subtracted
				floats.AddScaled(q, c*by, features[i*rank:(i+1)*rank])
				floats.AddScaled(l, c*by, inner[i*k:(i+1)*k])
			}
		}
	}
	out.largest, out.direction = largest(out.quadratic, rank)
	return out, nil
}

// largest is the largest eigenvalue of the mean of e e', over the rows e of some resamples, by power
// iteration: from below, within a few percent. The vector is its eigenvector.
func largest(e []float64, rank int) (value float64, vector []float64) {
	v, next := make([]float64, rank), make([]float64, rank)
	floats.AddConst(1, v)
	for range 15 {
		norm := floats.Norm(v, 2)
		if norm == 0 {
			break
		}
		floats.Scale(1/norm, v)
		clear(next)
		for at := 0; at < len(e); at += rank {
			floats.AddScaled(next, floats.Dot(v, e[at:at+rank]), e[at:at+rank])
		}
		value = floats.Dot(v, next) * float64(rank) / float64(len(e))
		v, next = next, v
	}
	if norm := floats.Norm(v, 2); norm > 0 {
		floats.Scale(1/norm, v)
	}
	return value, v
}

// steer widens the resamples of <e*, h> for the noise in the direction of h: its variance is that along
// h, for the share of |h|² that is no noise, and for the rest the largest of any direction. It returns h.
func steer(linear []float64, h, noise, worst float64) float64 {
	if h == 0 {
		return 0
	}
	along := floats.Dot(linear, linear) / float64(len(linear)) / (h * h)
	if !(along > 0) {
		return 0
	}
	noise = min(1, max(0, noise))
	floats.Scale(math.Sqrt((along+noise*max(0, worst-along)/2)/along), linear)
	return h
}

// resample sets the intervals and the order.
func (d *distances) resample(ctx context.Context, out *Distances) error {
	features, rank, err := d.features(ctx)
	if err != nil {
		return err
	}
	k, times := len(d.x), d.options.Resamples
	all := make([]*noise, k)
	for _, err := range workers.Run(ctx, k, d.options.Parallel, func(a int) (err error) {
		d.options.Progress("resamples", a, k)
		all[a], err = d.noiseOf(ctx, a, features[a], rank)
		return err
	}) {
		if err != nil {
			return err
		}
	}
	out.Lower, out.Upper = mat.NewSymDense(k, nil), mat.NewSymDense(k, nil)
	var spread [][]float64 // of each pair, in the order of Pairs
	if k <= mostSamples {
		spread = make([][]float64, k*(k-1)/2)
	}
	ends := make([][2]float64, k*(k-1)/2)
	for _, err := range workers.Run(ctx, k, d.options.Parallel, func(a int) error {
		d.options.Progress("intervals", a, k)
		for b := range a {
			linear, quadratic := make([]float64, times), make([]float64, times)
			for t := range times {
				e, f := all[a].quadratic[t*rank:(t+1)*rank], all[b].quadratic[t*rank:(t+1)*rank]
				for l, u := range e {
					quadratic[t] += (u - f[l]) * (u - f[l])
				}
				linear[t] = all[a].linear[t*k+b] + all[b].linear[t*k+a]
			}
			floats.AddConst(-floats.Sum(quadratic)/float64(times), quadratic)
			h := d.biased(a, b)
			h = steer(linear, h, 1-out.Squared.At(a, b)/(h*h), all[a].largest+all[b].largest)
			if h == 0 { // no direction is known
				v := all[a].direction
				if all[b].largest > all[a].largest {
					v = all[b].direction
				}
				for t := range times {
					linear[t] = floats.Dot(v, all[a].quadratic[t*rank:(t+1)*rank]) -
						floats.Dot(v, all[b].quadratic[t*rank:(t+1)*rank])
				}
				h = 1
			}
			lower, upper := interval(out.Squared.At(a, b), h, (1-out.Level)/2, linear, quadratic,
				make([]float64, times))
			p := place(a, b)
			ends[p] = [2]float64{lower, upper}
			if spread != nil {
				floats.AddScaled(quadratic, 2*d.biased(a, b)/h, linear)
				spread[p] = quadratic
			}
		}
		return nil
	}) {
		if err != nil {
			return err
		}
	}
	for a := range k {
		for b := range a {
			e := ends[place(a, b)]
			out.Lower.SetSym(a, b, e[0])
			out.Upper.SetSym(a, b, e[1])
		}
	}
	if spread != nil {
		out.order, err = newOrder(ctx, d.options, out, spread)
	}
	return err
}

// biased is the distance of the empirical embeddings, 0 if it is no more than rounding.
func (d *distances) biased(a, b int) float64 {
	square := 2*d.between[a][b] - d.between[a][a] - d.between[b][b]
	if square < 1e-12*d.between[a][b] {
		return 0
	}
	return math.Sqrt(square)
}

// place is the place of the pair (a, b) among all, a > b.
func place(a, b int) int { return a*(a-1)/2 + b }
