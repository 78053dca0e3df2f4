package target

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// way leads from coordinates x to the intercept and the weights. With the posterior of (alpha, beta) at kappa_0, LL' being
// its covariance, and the eigenvectors U and eigenvalues kappa_0² c of that of beta given alpha,
//
//	alpha = mean + L_00 x_0,   beta = U v,   v_l = (kappa/kappa_0)^c_l (U'mean + U'L_10 x_0 + kappa_0 c_l^(1/2) x_l)_l.
//
// The share c_l is 0 in directions that the data know, and 1 in those of which they say nothing: there the weights
// have their prior N(0, kappa²), and the coordinates are those in which it does not depend on kappa.
type way struct {
	m            int
	mean, step   float64    // of alpha
	turn         *mat.Dense // U
	start, along []float64  // of v at kappa_0: where x is 0, and by x_0
	wide, share  []float64
	logDet       float64
}

// newWay has the mean and the factor of the covariance of (alpha, beta) at kappa_0.
func newWay(mean []float64, factor *mat.TriDense, kappa float64) (*way, error) {
	m := len(mean) - 1
	w := &way{m: m, mean: mean[0], step: factor.At(0, 0), turn: new(mat.Dense), start: make([]float64, m),
		along: make([]float64, m), wide: make([]float64, m), share: make([]float64, m)}
	cov := mat.NewSymDense(m, nil)
	by := make([]float64, m)
	for l := range m {
		by[l] = factor.At(l+1, 0)
		for k := l; k < m; k++ {
			s := 0.0
			for i := 1; i <= l+1; i++ {
				s += factor.At(l+1, i) * factor.At(k+1, i)
			}
			cov.SetSym(l, k, s)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(cov, true) {
		return nil, fmt.Errorf("target: the covariance of the weights has no eigenvalues")
	}
	eigen.VectorsTo(w.turn)
	mat.NewVecDense(m, w.start).MulVec(w.turn.T(), mat.NewVecDense(m, mean[1:]))
	mat.NewVecDense(m, w.along).MulVec(w.turn.T(), mat.NewVecDense(m, by))
	w.logDet = math.Log(w.step)
	for l, v := range eigen.Values(nil) {
		w.share[l] = min(max(v/(kappa*kappa), least), 1)
		w.wide[l] = kappa * math.Sqrt(w.share[l])
		w.logDet += math.Log(w.wide[l])
	}
	return w, nil
}

// least is the share below which an eigenvalue is rounding.
const least = 1e-14

// prior is the factor where nothing is known but the prior.
func prior(m int, sd, kappa float64) *mat.TriDense {
	f := mat.NewTriDense(m+1, mat.Lower, nil)
	f.SetTri(0, 0, sd)
	for l := 1; l <= m; l++ {
		f.SetTri(l, l, kappa)
	}
	return f
}

// weights sets dst to alpha and beta at x, kappa being exp(change) kappa_0, and v to the beta's along U.
func (w *way) weights(dst, v, x []float64, change float64) {
	dst[0] = w.mean + w.step*x[0]
	for l := range v {
		v[l] = math.Exp(w.share[l]*change) * (w.start[l] + w.along[l]*x[0] + w.wide[l]*x[l+1])
	}
	mat.NewVecDense(w.m, dst[1:1+w.m]).MulVec(w.turn, mat.NewVecDense(w.m, v))
}

// back turns the gradient in alpha and beta into that in x, which it writes, and in change, which it returns; both are with the
// log determinant of the change of coordinates, which it returns too. V is what weights left.
func (w *way) back(dst, bar, v []float64, change float64) (logDet, byChange float64) {
	by := dst[1 : 1+w.m]
	mat.NewVecDense(w.m, by).MulVec(w.turn.T(), mat.NewVecDense(w.m, bar[1:]))
	dst[0] = bar[0] * w.step
	logDet = w.logDet
	for l, c := range w.share {
		logDet += c * change
		byChange += c * (1 + by[l]*v[l])
		by[l] *= math.Exp(c * change)
		dst[0] += by[l] * w.along[l]
		by[l] *= w.wide[l]
	}
	return logDet, byChange
}
