package distreg

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LeaveOneOut predicts the label of each bag from those of the others, at these parameters: the mean is
// y_i - [V^-1 e]_i/[V^-1]_ii. The variance has the bag's own uncertainty by the posterior of the weights, as
// Predict has it. Landmarks, and the covariances within and between bags, still know the rows of the bag.
func (m *Model) LeaveOneOut(p Params) (mean, variance []float64, err error) {
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
	weights := m.moment(g, at.frame, p)
	mean, variance = g.without(m.y)
	for i := range variance {
		variance[i] += inner(weights, m.covariance(at.frame, at.bags[i], p)) - p.Kappa*p.Kappa*g.bags[i].t
	}
	return mean, variance, nil
}

// without is the mean and the variance of each label given the others, in the moment form.
func (g *regression) without(y []float64) (mean, variance []float64) {
	var inverse mat.SymDense
	_ = g.chol.InverseTo(&inverse)
	var along mat.Dense // phi K^-1
	along.Mul(g.phi, &inverse)
	fitted := times(g.phi, g.mean)
	for i, d := range g.variance {
		own := (1 - floats.Dot(along.RawRowView(i), g.phi.RawRowView(i))/d) / d
		residual := (g.residual[i] - fitted[i]) / d
		mean, variance = append(mean, y[i]-residual/own), append(variance, 1/own)
	}
	return mean, variance
}

// moment is the second moment of the weights at an embedding in the frame: kappa² z'(b b' + S_b) z.
func (m *Model) moment(g *regression, f *frame, p Params) *mat.Dense {
	var s mat.SymDense
	_ = g.chol.InverseTo(&s)
	s.SymRankOne(&s, 1, mat.NewVecDense(m.m+1, g.mean))
	out := congruent(f.z.T(), s.SliceSym(1, m.m+1))
	out.Scale(p.Kappa*p.Kappa, out)
	return out
}
