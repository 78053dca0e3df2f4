package declared

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/examples/models"
	"bayeskernel/model"
)

// AccelGP has a Gaussian process for the mean and another for the log standard deviation of
// accelerations, both by basis functions.
func AccelGP() (*model.Model, error) {
	var d struct {
		Y       []float64
		X       [][]float64 `json:"Xgp_1"`
		XSigma  [][]float64 `json:"Xgp_sigma_1"`
		Freq    [][]float64 `json:"slambda_1"`
		FreqSig [][]float64 `json:"slambda_sigma_1"`
	}
	if err := models.Data("accel_gp", &d); err != nil {
		return nil, err
	}
	m := model.New()
	mean := basisGP(m, "", model.StudentT(3, -13, 36), d.X, d.Freq)
	logSD := basisGP(m, "_sigma", model.StudentT(3, 0, 10), d.XSigma, d.FreqSig)
	m.Observe(m.Data("Y", d.Y), model.Normal(mean, logSD.Exp()))
	return m, nil
}

// basisGP is a Gaussian process in a basis of functions x with these frequencies, whose weights
// have the square root of its spectral density for their standard deviation.
func basisGP(m *model.Model, suffix string, intercept model.Dist, x, freq [][]float64) model.Expr {
	first := m.Real("Intercept"+suffix, intercept)
	s := m.Positive("sdgp"+suffix+"_1", model.StudentT(3, 0, 36))
	l := m.Positive("lscale"+suffix+"_1", model.InvGamma(1.124909, 0.0177))
	z := m.Reals("zgp"+suffix+"_1", len(freq), model.Normal(0, 1))
	omega := m.Values(mat.Col(nil, 0, matrix(freq)))
	scale := s.Mul(l.Sqrt()).Scale(math.Pow(2*math.Pi, 0.25))
	w := scale.Mul(l.Mul(omega).Square().Scale(-0.25).Exp())
	return first.Add(m.Matrix("Xgp"+suffix+"_1", matrix(x)).MatVec(w.Mul(z)))
}
