package models

import (
	"math"
	"math/rand/v2"

	"bayeskernel/hmc"
)

// Nine noisy observations that a Gaussian process explains in two ways: as a wiggly curve seen
// almost without noise, or as a smooth one seen through noise.
var (
	gpX = [...]float64{-4.7, -3.93, -3.38, 0, 1.32, 1.47, 2.02, 2.63, 4.45}
	gpY = [...]float64{0.61, 0.42, 1.07, 0.3, 0.9, 0.87, 0.74, -0.08, 0.62}
)

const gpN = len(gpX)

// GPBimodal is the posterior of the logarithms of the lengthscale l and of the noise s of a
// Gaussian process with unit amplitude,
//
//	y ~ N(0, K + s^2 I), K_ij = exp(-(x_i - x_j)^2 / (2 l^2)),
//	log l ~ N(0.5, 1.2^2), log s ~ N(-1.2, 0.8^2).
//
// It has two modes of nearly equal mass (compare Rasmussen and Williams 2006, figure 5.5).
// Densities are normalised, so that its integral is the evidence.
type GPBimodal struct {
	prior GPPrior
	k     [gpN][gpN]float64 // K
	chol  [gpN][gpN]float64 // lower Cholesky factor of K + s^2 I
	inv   [gpN][gpN]float64 // its inverse, lower triangular too
	alpha [gpN]float64      // (K + s^2 I)^-1 y
}

// NewGPBimodal is the hmc.Factory of the model.
func NewGPBimodal() (hmc.Target, error) { return &GPBimodal{}, nil }

// Dim returns 2.
func (g *GPBimodal) Dim() int { return 2 }

// Names returns the names of the two parameters.
func (g *GPBimodal) Names() []string { return []string{"log_lengthscale", "log_noise"} }

// Constrain copies: the parameters are reported on the scale on which they are sampled.
func (g *GPBimodal) Constrain(dst, x []float64) { copy(dst, x) }

// Initial draws from the prior.
func (g *GPBimodal) Initial(x []float64, r *rand.Rand) { g.prior.Draw(x, r) }

// LogDensity returns the log of prior times likelihood.
func (g *GPBimodal) LogDensity(x, grad []float64) float64 {
	lp := g.prior.LogDensity(x, grad)
	ll, dl, ds := g.likelihood(x[0], x[1])
	grad[0] += dl
	grad[1] += ds
	return lp + ll
}

// likelihood returns the log likelihood and its derivatives. With C = K + s^2 I and alpha = C^-1 y
// the derivative in any parameter is tr((alpha alpha' - C^-1) dC) / 2 (Rasmussen and Williams 2006,
// equation 5.9); dC is K_ij (x_i - x_j)^2 / l^2 in log l, and 2 s^2 I in log s.
func (g *GPBimodal) likelihood(logL, logS float64) (ll, dl, ds float64) {
	invL2, s2 := math.Exp(-2*logL), math.Exp(2*logS)
	for i := range gpN {
		for j := range i + 1 {
			u := gpX[i] - gpX[j]
			g.k[i][j] = math.Exp(-0.5 * u * u * invL2)
		}
	}
	if !g.factorize(s2) {
		return math.Inf(-1), 0, 0
	}
	ll = -0.5 * float64(gpN) * math.Log(2*math.Pi)
	g.alpha = [gpN]float64{}
	for i := range gpN {
		w := 0.0 // of chol^-1 y
		for j := range i + 1 {
			w += g.inv[i][j] * gpY[j]
		}
		for j := range i + 1 {
			g.alpha[j] += g.inv[i][j] * w
		}
		ll -= 0.5*w*w + math.Log(g.chol[i][i])
	}
	for i := range gpN {
		for j := range i + 1 {
			c := 0.0 // element of C^-1
			for k := i; k < gpN; k++ {
				c += g.inv[k][i] * g.inv[k][j]
			}
			a := g.alpha[i]*g.alpha[j] - c
			if i == j {
				ds += a * s2
				continue
			}
			u := gpX[i] - gpX[j]
			dl += a * g.k[i][j] * u * u * invL2
		}
	}
	return ll, dl, ds
}

// factorize computes the Cholesky factor of K + s2 I and its inverse. It reports false where s2 is
// too small beside K for the matrix to be positive definite in floating point.
func (g *GPBimodal) factorize(s2 float64) bool {
	for j := range gpN {
		p := g.k[j][j] + s2
		for k := range j {
			p -= g.chol[j][k] * g.chol[j][k]
		}
		if !(p > 0) || math.IsInf(p, 1) {
			return false
		}
		g.chol[j][j] = math.Sqrt(p)
		for i := j + 1; i < gpN; i++ {
			c := g.k[i][j]
			for k := range j {
				c -= g.chol[i][k] * g.chol[j][k]
			}
			g.chol[i][j] = c / g.chol[j][j]
		}
	}
	for j := range gpN {
		g.inv[j][j] = 1 / g.chol[j][j]
		for i := j + 1; i < gpN; i++ {
			c := 0.0
			for k := j; k < i; k++ {
				c -= g.chol[i][k] * g.inv[k][j]
			}
			g.inv[i][j] = c / g.chol[i][i]
		}
	}
	return true
}

// GPPrior is the prior of GPBimodal, with a density and draws of its own: what tempering asks of a
// reference.
type GPPrior struct{}

var (
	gpMean = [2]float64{0.5, -1.2}
	gpSD   = [2]float64{1.2, 0.8}
)

// Dim returns 2.
func (GPPrior) Dim() int { return 2 }

// LogDensity returns the log density, normalised.
func (GPPrior) LogDensity(x, grad []float64) float64 {
	lp := -math.Log(2 * math.Pi)
	for i, v := range x {
		z := (v - gpMean[i]) / gpSD[i]
		lp -= 0.5*z*z + math.Log(gpSD[i])
		grad[i] = -z / gpSD[i]
	}
	return lp
}

// Draw writes a draw from the prior into x.
func (GPPrior) Draw(x []float64, r *rand.Rand) {
	for i := range x {
		x[i] = gpMean[i] + gpSD[i]*r.NormFloat64()
	}
}
