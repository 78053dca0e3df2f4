package distreg

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// LogEvidence is the log density of the labels in the moment form,
//
//	y ~ N(a0 1, a² 11' + kappa² M inv(P) M' + diag(sigma² + kappa² t_i)),
//
// with the weights at the landmarks integrated out. Unless grad is nil it must have length 5 and
// receives the derivatives in the logarithms of Sigma, Kappa, Eta, S and Theta. LogEvidence is -Inf,
// and grad unspecified, where a parameter is not positive or the covariance within bags is singular
// (Evidence in its place says which).
func (m *Model) LogEvidence(grad []float64, p Params) float64 {
	v, err := m.Evidence(grad, p)
	if err != nil {
		return math.Inf(-1)
	}
	return v
}

// Evidence is LogEvidence with the reason where there is none.
func (m *Model) Evidence(grad []float64, p Params) (float64, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	derivatives := 0
	if grad != nil {
		derivatives = len(grad) - 2
	}
	at, err := m.prepare(p.Theta, derivatives > byTheta)
	if err != nil {
		return 0, err
	}
	return m.evidence(grad, m.inferAll(at, p, derivatives), at.frame, p), nil
}

// inferred are the posteriors of all bags, and their means as features z m_i.
type inferred struct {
	bags  []*posterior
	means *mat.Dense // n x m: z m_i
}

func (m *Model) inferAll(at *prepared, p Params, derivatives int) *inferred {
	out := &inferred{bags: make([]*posterior, len(at.bags)), means: new(mat.Dense)}
	means := mat.NewDense(len(at.bags), m.m, nil)
	for i, b := range at.bags {
		out.bags[i] = newPosterior(m.m, derivatives)
		m.infer(out.bags[i], at.frame, b, p, derivatives)
		means.SetRow(i, out.bags[i].mean)
	}
	out.means.Mul(means, at.frame.z.T())
	return out
}

// regression is the linear model of the labels in features (a, kappa z m_i), whose weights are standard
// normal, with errors of variance sigma² + kappa² t_i.
type regression struct {
	*inferred
	phi      *mat.Dense // n x (1+m)
	variance []float64  // D
	residual []float64  // y - a0
	chol     mat.Cholesky
	mean     []float64 // of the weights
}

// regress fits the labels. It returns nil where the posterior of the weights has no Cholesky factor.
func (m *Model) regress(in *inferred, p Params) *regression {
	n := len(m.y)
	out := &regression{inferred: in, phi: mat.NewDense(n, m.m+1, nil),
		variance: make([]float64, n), residual: make([]float64, n)}
	weighted := mat.NewDense(n, m.m+1, nil) // D^-1/2 phi
	right := make([]float64, n)             // D^-1/2 e
	for i := range n {
		out.variance[i] = p.Sigma*p.Sigma + p.Kappa*p.Kappa*in.bags[i].t
		out.residual[i] = m.y[i] - m.form.AlphaMean
		row, to := out.phi.RawRowView(i), weighted.RawRowView(i)
		row[0] = m.form.AlphaSD
		floats.ScaleTo(row[1:], p.Kappa, in.means.RawRowView(i))
		root := 1 / math.Sqrt(out.variance[i])
		floats.ScaleTo(to, root, row)
		right[i] = root * out.residual[i]
	}
	k := blas64.Symmetric{Uplo: blas.Upper, N: m.m + 1, Stride: m.m + 1, Data: make([]float64, (m.m+1)*(m.m+1))}
	blas64.Syrk(blas.Trans, 1, weighted.RawMatrix(), 0, k)
	for l := range k.N {
		k.Data[l*k.Stride+l]++
	}
	var sym mat.SymDense
	sym.SetRawSymmetric(k)
	if !out.chol.Factorize(&sym) {
		return nil
	}
	projected := times(weighted.T(), right)
	var mean mat.VecDense
	// A condition error is a warning: the factor exists.
	_ = out.chol.SolveVecTo(&mean, mat.NewVecDense(len(projected), projected))
	out.mean = mean.RawVector().Data
	return out
}

// evidence computes the density and its derivatives: dL = tr(H dV), H = (V^-1 e e'V^-1 - V^-1)/2, where
// V = D + phi phi' and V^-1 phi = D^-1 phi K^-1, K = I + phi'D^-1 phi.
func (m *Model) evidence(grad []float64, in *inferred, f *frame, p Params) float64 {
	derivatives := max(0, len(grad)-2)
	g := m.regress(in, p)
	if g == nil {
		return math.Inf(-1)
	}
	n := len(m.y)
	// V^-1 e = D^-1 (e - phi mean)
	fitted := times(g.phi, g.mean)
	r := make([]float64, n)
	value := -float64(n) / 2 * math.Log(2*math.Pi)
	for i := range n {
		r[i] = (g.residual[i] - fitted[i]) / g.variance[i]
		value -= (math.Log(g.variance[i]) + g.residual[i]*r[i]) / 2
	}
	value -= g.chol.LogDet() / 2
	if math.IsNaN(value) {
		value = math.Inf(-1)
	}
	if grad == nil {
		return value
	}
	clear(grad)
	var inverse mat.SymDense
	_ = g.chol.InverseTo(&inverse)
	var vphi mat.Dense // V^-1 phi
	vphi.Mul(g.phi, &inverse)
	along := times(g.phi.T(), r) // phi'V^-1 e
	width := m.m + 1
	h := make([]float64, n)
	hphi := mat.NewDense(n, width, nil) // H phi
	for i := range n {
		floats.Scale(1/g.variance[i], vphi.RawRowView(i))
		own := 1/g.variance[i] - floats.Dot(vphi.RawRowView(i), g.phi.RawRowView(i))/g.variance[i]
		h[i] = (r[i]*r[i] - own) / 2
		row := hphi.RawRowView(i)
		for l := range width {
			row[l] = (r[i]*along[l] - vphi.At(i, l)) / 2
		}
		grad[0] += h[i] * 2 * p.Sigma * p.Sigma
		grad[1] += h[i] * 2 * p.Kappa * p.Kappa * g.bags[i].t
		grad[1] += 2 * floats.Dot(row[1:], g.phi.RawRowView(i)[1:])
	}
	if derivatives == 0 {
		return value
	}
	// d phi = kappa z dm: the derivatives in m are kappa z'H phi
	var inM mat.Dense
	inM.Mul(hphi.Slice(0, n, 1, width), f.z)
	for d := range derivatives {
		sum := 0.0
		for i, b := range g.bags {
			sum += h[i]*p.Kappa*p.Kappa*b.dt[d] + 2*p.Kappa*floats.Dot(inM.RawRowView(i), b.dMean[d])
		}
		grad[2+d] = sum
	}
	if derivatives > byTheta && f.dp != nil {
		// d(phi phi') = -kappa² M inv(P) dP inv(P) M': the rest of P's derivative
		var square mat.Dense
		square.Mul(g.phi.Slice(0, n, 1, width).T(), hphi.Slice(0, n, 1, width))
		grad[2+byTheta] -= inner(f.dp, &square)
	}
	return value
}
