package distreg

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Embeddings are what bags say of their embeddings, in coordinates where the weights of the
// regression have the prior N(0, kappa² I): the label of a bag with embedding u is alpha + beta'u, u being
// normal with the mean and covariance here. With the ridge prior these are the values at the landmarks.
type Embeddings struct {
	Mean *mat.Dense      // a row for each bag
	Cov  []*mat.SymDense // a matrix for each bag
}

// Embeddings returns those of bags, or of the model's own bags if bags is nil.
func (m *Model) Embeddings(p Params, bags []mat.Matrix) (*Embeddings, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	at, err := m.prepare(p.Theta, false)
	if err != nil {
		return nil, err
	}
	all := at.bags
	if bags != nil {
		all = nil
		for i, b := range bags {
			x, err := rows(fmt.Sprintf("bag %v", i+1), b, m.dim)
			if err != nil {
				return nil, err
			}
			all = append(all, at.frame.embed(m.sum(x, p.Theta, false)))
		}
	}
	out := &Embeddings{Mean: mat.NewDense(max(len(all), 1), m.m, nil)}
	post := newPosterior(m.m, 0)
	for i, b := range all {
		m.infer(post, at.frame, b, p, 0)
		out.Mean.SetRow(i, times(at.frame.z, post.mean))
		out.Cov = append(out.Cov, symmetric(congruent(at.frame.z, m.covariance(at.frame, b, p))))
	}
	return out, nil
}

// Labels are the labels that the model was made with.
func (m *Model) Labels() []float64 { return append([]float64(nil), m.y...) }

// Intercept returns the mean and the standard deviation of the intercept's prior.
func (m *Model) Intercept() (mean, sd float64) { return m.form.AlphaMean, m.form.AlphaSD }

// Weights are the posterior mean and the Cholesky factor of the covariance of (alpha, beta) in the moment
// form, in the coordinates of Embeddings.
func (m *Model) Weights(p Params) (mean []float64, factor *mat.TriDense, err error) {
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	at, err := m.prepare(p.Theta, false)
	if err != nil {
		return nil, nil, err
	}
	g := m.regress(m.inferAll(at, p, 0), p)
	if g == nil {
		return nil, nil, fmt.Errorf("distreg: the weights have no posterior at %+v", p)
	}
	var cov mat.SymDense
	_ = g.chol.InverseTo(&cov)
	scale := func(l int) float64 {
		if l == 0 {
			return m.form.AlphaSD
		}
		return p.Kappa
	}
	for l := range m.m + 1 {
		for k := l; k <= m.m; k++ {
			cov.SetSym(l, k, cov.At(l, k)*scale(l)*scale(k))
		}
		mean = append(mean, g.mean[l]*scale(l))
	}
	mean[0] += m.form.AlphaMean
	var chol mat.Cholesky
	if !chol.Factorize(&cov) {
		return nil, nil, fmt.Errorf("distreg: the covariance of the weights is singular at %+v", p)
	}
	factor = new(mat.TriDense)
	chol.LTo(factor)
	return mean, factor, nil
}
