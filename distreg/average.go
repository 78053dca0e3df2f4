package distreg

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
)

// Average is a regression with sigma and kappa averaged over what the labels leave open of them, on a grid. Of few bags the
// evidence has its maximum far from where most of its mass is, often at a sigma of almost 0: intervals of one value of them
// are too narrow.
//
// The priors are half-normal for sigma, with the standard deviation of the labels, and log-normal for kappa, around twice
// the value with which the features of bags vary as labels do, with the standard deviation 1 of the logarithm.
type Average struct {
	m      *Model
	at     *prepared
	in     *inferred
	points []point
}

// point is a value of sigma and kappa with its log weight.
type point struct {
	p      Params
	g      *regression // without what it has of each bag
	second *mat.Dense  // of the weights, in the frame
	weight float64
}

// The grid has gridSide points on each side of the mode along each axis. They are a standard deviation apart, but at most
// widest in the logarithm.
const (
	gridSide = 3
	widest   = 0.7
)

// Average integrates over sigma and kappa, the lengthscale being that of the fit.
func (f *Fit) Average() (*Average, error) {
	m := f.Model
	at, err := m.prepare(f.Params.Theta, false)
	if err != nil {
		return nil, err
	}
	in := m.inferAll(at, f.Params, 0)
	sd := stat.StdDev(m.y, nil)
	unit := math.Log(2 * sd / math.Sqrt(max(in.spread(), 1e-12)))
	params := func(v []float64) Params {
		p := f.Params
		p.Sigma, p.Kappa = math.Exp(v[0]), math.Exp(v[1])
		return p
	}
	density := func(v []float64) float64 {
		s, k := math.Exp(v[0])/sd, v[1]-unit
		return m.evidence(nil, in, at.frame, params(v)) - s*s/2 + v[0] - k*k/2
	}
	mode := []float64{math.Log(max(f.Params.Sigma, 0.1*sd)), min(math.Log(f.Params.Kappa), unit+1)}
	found, _ := optimize.Minimize(optimize.Problem{Func: func(v []float64) float64 { return -density(v) }}, mode,
		&optimize.Settings{FuncEvaluations: 200}, &optimize.NelderMead{SimplexSize: 0.3})
	if found != nil && -found.F > density(mode) {
		mode = found.X
	}
	// The scale of each axis, the other being where it is.
	var step [2]float64
	for k := range step {
		const h = 0.1
		up, down := append([]float64(nil), mode...), append([]float64(nil), mode...)
		up[k], down[k] = up[k]+h, down[k]-h
		bend := (2*density(mode) - density(up) - density(down)) / (h * h)
		step[k] = widest
		if s := 1 / math.Sqrt(bend); s < widest { // false for NaN
			step[k] = s
		}
	}
	out := &Average{m: m, at: at, in: in}
	most := math.Inf(-1)
	for i := -gridSide; i <= gridSide; i++ {
		for k := -gridSide; k <= gridSide; k++ {
			v := []float64{mode[0] + float64(i)*step[0], mode[1] + float64(k)*step[1]}
			p := params(v)
			g := m.regress(in, p)
			if g == nil {
				continue
			}
			w := density(v)
			most = max(most, w)
			g.phi, g.variance, g.residual = nil, nil, nil
			out.points = append(out.points, point{p: p, g: g, second: m.moment(g, at.frame, p), weight: w})
		}
	}
	if len(out.points) == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return nil, fmt.Errorf("distreg: the weights have no posterior near %+v", f.Params)
	}
	return out, nil
}

// spread is the variance of the features of bags: what kappa multiplies.
func (in *inferred) spread() float64 {
	_, m := in.means.Dims()
	s := 0.0
	for l := range m {
		s += stat.Variance(mat.Col(nil, l, in.means), nil)
	}
	return s
}

// mixture is the mean and the variance of a mixture; log weights need not be normalised.
func mixture(weight, mean, variance []float64) (m, v float64) {
	total := floats.LogSumExp(weight)
	for k, w := range weight {
		w = math.Exp(w - total)
		m += w * mean[k]
		v += w * (variance[k] + mean[k]*mean[k])
	}
	return m, v - m*m
}

// LeaveOneOut predicts the label of each bag from those of the others; what these say of sigma and kappa leaves it out
// too. As in Model.LeaveOneOut, landmarks, the lengthscale and the covariances know the rows of the bag.
func (a *Average) LeaveOneOut() (mean, variance []float64) {
	n, k := len(a.m.y), len(a.points)
	weight, means, variances := mat.NewDense(n, k, nil), mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
	for j, q := range a.points {
		m, total := a.m.regress(a.in, q.p).without(a.m.y)
		for i := range n {
			r := a.m.y[i] - m[i]
			// log w - log p(y_i | the others)
			weight.Set(i, j, q.weight+(math.Log(total[i])+r*r/total[i])/2)
			means.Set(i, j, m[i])
			variances.Set(i, j, total[i]-q.p.Kappa*q.p.Kappa*a.in.bags[i].t)
		}
	}
	for i := range n {
		cov := a.m.covariance(a.at.frame, a.at.bags[i], a.points[0].p)
		v := variances.RawRowView(i)
		for j, q := range a.points {
			v[j] += inner(q.second, cov)
		}
		x, s := mixture(weight.RawRowView(i), means.RawRowView(i), v)
		mean, variance = append(mean, x), append(variance, s)
	}
	return mean, variance
}

// Predict is Model.Predict, averaged.
func (a *Average) Predict(bags []mat.Matrix) (mean, variance []float64, err error) {
	k := len(a.points)
	post := newPosterior(a.m.m, 0)
	weight, means, variances := make([]float64, k), make([]float64, k), make([]float64, k)
	for i, b := range bags {
		x, err := rows(fmt.Sprintf("bag %v", i), b, a.m.dim)
		if err != nil {
			return nil, nil, err
		}
		p := a.points[0].p
		e := a.at.frame.embed(a.m.sum(x, p.Theta, false))
		a.m.infer(post, a.at.frame, e, p, 0)
		cov := a.m.covariance(a.at.frame, e, p)
		for j, q := range a.points {
			weight[j] = q.weight
			means[j], variances[j] = a.m.label(q.g, a.at.frame, post, q.p)
			variances[j] += inner(q.second, cov)
		}
		m, v := mixture(weight, means, variances)
		mean, variance = append(mean, m), append(variance, v)
	}
	return mean, variance, nil
}
