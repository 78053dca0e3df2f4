package bayesfactor

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// PublishedDensity has the parts of the published model (Zhang, Wild, Filippi, Flaxman and
// Sejdinovic, 2022) as its program computes them at one lengthscale, all logarithms. They are here
// to be compared with: see the package comment for what is wrong with them.
type PublishedDensity struct {
	Prior float64 // Gamma(2, 2) of theta in the data's units
	VolJ  float64 // 1/2 sum log det J_i'J_i of the map from a pair of rows to its features
	// Null and the others are densities of the features, without volJ: under H0, and under H1 as
	// Stan 2.21 parses the program and as the algebra needs.
	Null, Compiled, Intended float64
	// StepIndependent and StepPaired are the log Bayes factors with which the program draws
	// the hypothesis, with the noise of independent samples or of pairs.
	StepIndependent, StepPaired float64
}

// published holds what the parts at one lengthscale are made of.
type published struct {
	x, y, z   []float64
	n, m, dim int
}

func newPublished(x, y, z mat.Matrix) (*published, error) {
	p := &published{}
	var err error
	var ny, dy, dz int
	if p.x, p.n, p.dim, err = finiteRows("x", x); err != nil {
		return nil, err
	}
	if p.y, ny, dy, err = finiteRows("y", y); err != nil {
		return nil, err
	}
	if p.z, p.m, dz, err = finiteRows("points", z); err != nil {
		return nil, err
	}
	if ny != p.n || dy != p.dim || dz != p.dim {
		return nil, fmt.Errorf("bayesfactor: y has %d rows of %d columns and there are points of %d, "+
			"want %d rows of %d", ny, dy, dz, p.n, p.dim)
	}
	if p.n < 2 || p.m < 2*p.dim {
		return nil, fmt.Errorf("bayesfactor: %d pairs and %d points, want at least 2 and %d", p.n, p.m,
			2*p.dim)
	}
	return p, nil
}

// PublishedAt computes the parts at one lengthscale, from pairs of rows and points z.
func PublishedAt(x, y, z mat.Matrix, theta float64) (PublishedDensity, error) {
	p, err := newPublished(x, y, z)
	if err != nil {
		return PublishedDensity{}, err
	}
	return p.at(theta)
}

const publishedNugget = 1e-8

func (p *published) at(theta float64) (out PublishedDensity, err error) {
	n, m := float64(p.n), float64(p.m)
	kx, ky := gaussian(p.x, p.z, p.dim, theta), gaussian(p.y, p.z, p.dim, theta)
	var g mat.Dense
	g.Sub(kx, ky)
	d, s := moments(&g)
	wide := gaussian(p.z, p.z, p.dim, math.Sqrt2*theta)
	r := mat.NewSymDense(p.m, nil)
	for i := range p.m {
		for j := range i + 1 {
			r.SetSym(i, j, wide.At(i, j))
		}
	}
	r = plus(r, 1, r, 0, publishedNugget) // R, with its nugget
	out.Prior = math.Log(4*theta) - 2*theta
	out.VolJ = p.volJ(kx, ky, theta)

	noise := plus(s, 1, s, 0, 0.1)
	logDet, quad, trace, err := against(noise, d, s)
	if err != nil {
		return out, err
	}
	out.Null = -n/2*logDet - n/2*(trace+quad)
	joint, _, _, err := against(plus(r, 1, noise, 1/n, 0), d, nil)
	if err != nil {
		return out, err
	}
	_, quad, _, err = against(plus(r, 1, s, 1/n, 0), d, nil)
	if err != nil {
		return out, err
	}
	t := m + quad/n // the trace of S\S, and the mean
	common := -0.5 * ((n-1)*logDet + joint + m*math.Log(n))
	out.Intended = common - n/2*t
	out.Compiled = common - t/(2*n)

	_, cx := moments(kx)
	_, cy := moments(ky)
	if out.StepIndependent, err = shift(r, plus(cx, 1/n, cy, 1/n, publishedNugget), d); err != nil {
		return out, err
	}
	out.StepPaired, err = shift(r, plus(s, 1/n, s, 0, publishedNugget), d)
	return out, err
}

// shift is log N(d; 0, R + V) - log N(d; 0, V).
func shift(r, v *mat.SymDense, d *mat.VecDense) (float64, error) {
	det0, quad0, _, err := against(v, d, nil)
	if err != nil {
		return 0, err
	}
	det1, quad1, _, err := against(plus(r, 1, v, 1, 0), d, nil)
	if err != nil {
		return 0, err
	}
	return 0.5 * (det0 + quad0 - det1 - quad1), nil
}

// against returns log det A, d'A⁻¹d and the trace of A⁻¹B.
func against(a *mat.SymDense, d *mat.VecDense, b *mat.SymDense) (logDet, quad, trace float64, err error) {
	var c mat.Cholesky
	if !c.Factorize(a) {
		return 0, 0, 0, fmt.Errorf("bayesfactor: a covariance of the features is not positive definite, " +
			"want points that differ")
	}
	var v mat.VecDense
	if err := c.SolveVecTo(&v, d); err != nil {
		if _, ok := err.(mat.Condition); !ok {
			return 0, 0, 0, fmt.Errorf("bayesfactor: %w", err)
		}
	}
	if b != nil {
		var w mat.Dense
		if err := c.SolveTo(&w, b); err != nil {
			if _, ok := err.(mat.Condition); !ok {
				return 0, 0, 0, fmt.Errorf("bayesfactor: %w", err)
			}
		}
		trace = mat.Trace(&w)
	}
	return c.LogDet(), mat.Dot(&v, d), trace, nil
}

// plus is p A + q B + nugget I.
func plus(a *mat.SymDense, p float64, b *mat.SymDense, q, nugget float64) *mat.SymDense {
	n := a.SymmetricDim()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			v := p*a.At(i, j) + q*b.At(i, j)
			if i == j {
				v += nugget
			}
			out.SetSym(i, j, v)
		}
	}
	return out
}

// moments are the mean of the rows and their covariance with divisor n.
func moments(g *mat.Dense) (*mat.VecDense, *mat.SymDense) {
	n, m := g.Dims()
	mean := mat.NewVecDense(m, nil)
	for i := range n {
		mean.AddScaledVec(mean, 1/float64(n), g.RowView(i))
	}
	centred := mat.DenseCopyOf(g)
	for i := range n {
		for j := range m {
			centred.Set(i, j, centred.At(i, j)-mean.AtVec(j))
		}
	}
	c := mat.NewSymDense(m, nil)
	c.SymOuterK(1/float64(n), centred.T())
	return mean, c
}

// gaussian has a row for each row of x and a column for each point.
func gaussian(x, z []float64, dim int, theta float64) *mat.Dense {
	n, m := len(x)/dim, len(z)/dim
	out := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			q := 0.0
			for a := range dim {
				d := (x[i*dim+a] - z[j*dim+a]) / theta
				q += d * d
			}
			out.Set(i, j, math.Exp(-q/2))
		}
	}
	return out
}

// volJ is minus infinity where x_i = y_i.
func (p *published) volJ(kx, ky *mat.Dense, theta float64) float64 {
	total := 0.0
	j := mat.NewDense(p.m, 2*p.dim, nil)
	for i := range p.n {
		for l := range p.m {
			for a := range p.dim {
				z := p.z[l*p.dim+a]
				j.Set(l, a, -kx.At(i, l)*(p.x[i*p.dim+a]-z)/(theta*theta))
				j.Set(l, p.dim+a, ky.At(i, l)*(p.y[i*p.dim+a]-z)/(theta*theta))
			}
		}
		var qr mat.QR // J'J squares the condition
		qr.Factorize(j)
		var r mat.Dense
		qr.RTo(&r)
		for a := range 2 * p.dim {
			total += math.Log(math.Abs(r.At(a, a)))
		}
	}
	return total
}

// PublishedAnswers are the answers that the parts of the published program give, with theta
// integrated over.
type PublishedAnswers struct {
	// Compiled and Intended are log evidence ratios of H1 over H0.
	Compiled, Intended float64
	// SamplerIndependent and SamplerPaired are the shares of H1 in the long run of the program's
	// sampler, which draws the hypothesis by its step and theta from the compiled density.
	SamplerIndependent, SamplerPaired float64
}

// Published integrates the published densities over theta.
func Published(x, y, z mat.Matrix) (PublishedAnswers, error) {
	p, err := newPublished(x, y, z)
	if err != nil {
		return PublishedAnswers{}, err
	}
	r := composite(equal(math.Log(1e-3), math.Log(20), 150), 8)
	logs := [3][]float64{}
	steps := [2][]float64{}
	for i, u := range r.at {
		d, err := p.at(math.Exp(u))
		if err != nil {
			return PublishedAnswers{}, err
		}
		common := math.Log(r.weight[i]) + u + d.Prior + d.VolJ
		for k, v := range []float64{d.Null, d.Compiled, d.Intended} {
			logs[k] = append(logs[k], common+v)
		}
		for k, v := range []float64{d.StepIndependent, d.StepPaired} {
			steps[k] = append(steps[k], 1/(1+math.Exp(-v)))
		}
	}
	z0, z1, z2 := logSumExp(logs[0]), logSumExp(logs[1]), logSumExp(logs[2])
	out := PublishedAnswers{Compiled: z1 - z0, Intended: z2 - z0}
	for k, to := range []*float64{&out.SamplerIndependent, &out.SamplerPaired} {
		var fromNull, stay float64 // of the step's probability of H1, given H0 and H1 before
		for i, s := range steps[k] {
			fromNull += s * math.Exp(logs[0][i]-z0)
			stay += s * math.Exp(logs[1][i]-z1)
		}
		*to = fromNull / (fromNull + 1 - stay)
	}
	return out, nil
}
