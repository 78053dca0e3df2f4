package models

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type accelData struct {
	Y       []float64
	X       [][]float64 `json:"Xgp_1"`
	XSigma  [][]float64 `json:"Xgp_sigma_1"`
	Freq    [][]float64 `json:"slambda_1"`
	FreqSig [][]float64 `json:"slambda_sigma_1"`
}

// AccelGP is a Gaussian process for the mean, and another for the log standard deviation, of 133
// accelerations of a motorcyclist's head, both by basis functions (Riutort-Mayol et al. 2023):
//
//	Y[i] ~ normal(mu[i], sd[i])
//	mu     = Intercept + Xgp_1 (w(sdgp_1, lscale_1) zgp_1)
//	log sd = Intercept_sigma + Xgp_sigma_1 (w(sdgp_sigma_1, lscale_sigma_1) zgp_sigma_1)
//	Intercept ~ student_t(3, -13, 36),  Intercept_sigma ~ student_t(3, 0, 10)
//	sdgp_1, sdgp_sigma_1 ~ half-student_t(3, 0, 36)
//	lscale_1, lscale_sigma_1 ~ inv_gamma(1.124909, 0.0177)
//	zgp_1[m], zgp_sigma_1[m] ~ normal(0, 1)
//
// gpBasis has the weights w. With z[i] = (Y[i] - mu[i]) / sd[i],
//
//	log p          = sum_i -log sd[i] - z[i]^2 / 2
//	d/d mu[i]      = z[i] / sd[i]
//	d/d log sd[i]  = z[i]^2 - 1
func AccelGP() (Posterior, error) {
	var data accelData
	ref, err := load("accel_gp", &data)
	if err != nil {
		return Posterior{}, err
	}
	var m byhand.Model
	declare := func(suffix string, k int, intercept priors.Prior) int {
		first := m.Real("Intercept"+suffix, intercept)
		m.Positive("sdgp"+suffix+"_1", priors.StudentT{DF: 3, Location: 0, Scale: 36})
		m.Positive("lscale"+suffix+"_1", priors.InvGamma{Shape: 1.124909, Scale: 0.0177})
		m.Reals("zgp"+suffix+"_1", k, priors.Normal{Mean: 0, SD: 1})
		return first
	}
	declare("", len(data.Freq), priors.StudentT{DF: 3, Location: -13, Scale: 36})
	second := declare("_sigma", len(data.FreqSig), priors.StudentT{DF: 3, Location: 0, Scale: 10})
	likelihood := func() byhand.LogLikelihood {
		mean, spread := newGPBasis(data.X, data.Freq), newGPBasis(data.XSigma, data.FreqSig)
		return func(v, grad []float64) float64 {
			mean.evaluate(v[:second])
			spread.evaluate(v[second:])
			lp := 0.0
			for i, y := range data.Y {
				inv := math.Exp(-spread.f[i])
				z := (y - mean.f[i]) * inv
				lp -= spread.f[i] + z*z/2
				mean.df[i], spread.df[i] = z*inv, z*z-1
			}
			mean.pullBack(v[:second], grad[:second])
			spread.pullBack(v[second:], grad[second:])
			if !finite(lp, grad...) {
				return math.Inf(-1)
			}
			return lp
		}
	}
	return Posterior{"accel_gp", m.Factory(likelihood), ref}, nil
}

// gpBasis is a Gaussian process in a basis of functions X with frequencies omega. Its parameters v
// are, in this order, the intercept, the standard deviation s, the lengthscale l, and z:
//
//	f[i] = v[0] + sum_m X[i][m] w[m] z[m]
//	w[m] = s (2 pi)^(1/4) sqrt(l) exp(-l^2 omega[m]^2 / 4)
//
// With h[m] = sum_i df[i] X[i][m], the derivative of anything whose derivative in f[i] is df[i] is
//
//	d/d v[0] = sum_i df[i]
//	d/d z[m] = h[m] w[m]
//	d/d s    = sum_m h[m] z[m] w[m] / s
//	d/d l    = sum_m h[m] z[m] w[m] (1 / (2 l) - l omega[m]^2 / 2)
type gpBasis struct {
	x        [][]float64
	omega2   []float64 // squared
	w, wz, h []float64
	f, df    []float64
}

func newGPBasis(x, freq [][]float64) *gpBasis {
	b := &gpBasis{x: x}
	for _, row := range freq {
		b.omega2 = append(b.omega2, row[0]*row[0])
	}
	k, n := len(freq), len(x)
	b.w, b.wz, b.h = make([]float64, k), make([]float64, k), make([]float64, k)
	b.f, b.df = make([]float64, n), make([]float64, n)
	return b
}

func (b *gpBasis) evaluate(v []float64) {
	s, l, z := v[1], v[2], v[3:]
	scale := s * math.Sqrt(math.Sqrt(2*math.Pi)) * math.Sqrt(l)
	for m, o := range b.omega2 {
		b.w[m] = scale * math.Exp(-l*l*o/4)
		b.wz[m] = b.w[m] * z[m]
	}
	for i, row := range b.x {
		b.f[i] = v[0] + floats.Dot(row, b.wz)
	}
}

// pullBack writes the derivatives in v into grad.
func (b *gpBasis) pullBack(v, grad []float64) {
	s, l := v[1], v[2]
	clear(b.h)
	grad[0], grad[1], grad[2] = 0, 0, 0
	for i, row := range b.x {
		grad[0] += b.df[i]
		floats.AddScaled(b.h, b.df[i], row)
	}
	for m, h := range b.h {
		grad[3+m] = h * b.w[m]
		grad[1] += h * b.wz[m] / s
		grad[2] += h * b.wz[m] * (1/(2*l) - l*b.omega2[m]/2)
	}
}
