package models

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"bayeskernel/examples/models/internal/byhand"
	"bayeskernel/priors"
)

type diamondsData struct {
	Y []float64
	X [][]float64 // the first column is of ones
}

// Diamonds regresses the log price of 5000 diamonds on 24 contrasts, Xc being X without its column
// of ones and with the mean of every other column subtracted:
//
//	Y ~ normal(Intercept + Xc b, sigma)
//	b[k] ~ normal(0, 1)
//	Intercept ~ student_t(3, 8, 10)
//	sigma ~ half-student_t(3, 0, 10)
//
// The columns are partly collinear: the posterior correlations have a condition number of 2.6e5.
func Diamonds() (Posterior, error) {
	var data diamondsData
	ref, err := loadFrom("diamonds.json.gz", "diamonds_reference.json", &data)
	if err != nil {
		return Posterior{}, err
	}
	f, err := newLeastSquares(data)
	if err != nil {
		return Posterior{}, err
	}
	var m byhand.Model
	m.Reals("b", len(f.best), priors.Normal{Mean: 0, SD: 1})
	m.Real("Intercept", priors.StudentT{DF: 3, Location: 8, Scale: 10})
	m.Positive("sigma", priors.StudentT{DF: 3, Location: 0, Scale: 10})
	return Posterior{"diamonds", m.Factory(f.likelihood), ref}, nil
}

// leastSquares is what a regression on centred columns has to know of its data.
type leastSquares struct {
	n        float64
	mean     float64     // of Y
	best     []float64   // the coefficients of least squares
	residual float64     // their sum of squared residuals
	s        [][]float64 // Xc'Xc
}

func newLeastSquares(data diamondsData) (*leastSquares, error) {
	n, k := len(data.Y), len(data.X[0])-1
	f := &leastSquares{n: float64(n)}
	for _, y := range data.Y {
		f.mean += y / f.n
	}
	xc, yc := mat.NewDense(n, k, nil), mat.NewVecDense(n, nil)
	for i, row := range data.X {
		xc.SetRow(i, row[1:])
		yc.SetVec(i, data.Y[i]-f.mean)
	}
	for j := range k {
		mean := 0.0
		for i := range n {
			mean += xc.At(i, j) / f.n
		}
		for i := range n {
			xc.Set(i, j, xc.At(i, j)-mean)
		}
	}
	var qr mat.QR
	qr.Factorize(xc)
	var best, fit mat.VecDense
	if err := qr.SolveVecTo(&best, false, yc); err != nil {
		return nil, fmt.Errorf("models: diamonds: least squares: %w", err)
	}
	fit.MulVec(xc, &best)
	fit.SubVec(yc, &fit)
	f.best, f.residual = best.RawVector().Data, mat.Dot(&fit, &fit)
	var s mat.Dense
	s.Mul(xc.T(), xc)
	for j := range k {
		f.s = append(f.s, mat.Row(nil, j, &s))
	}
	return f, nil
}

// likelihood is that of b, Intercept and sigma. The residuals of least squares are orthogonal to
// the columns of Xc and to 1, so that with d = b - best and e = Intercept - mean Y the sum of all
// squared residuals is
//
//	Q = residual + d'S d + n e^2,  S = Xc'Xc
//
// and the 5000 rows need not be visited again:
//
//	log p         = -n log sigma - Q / (2 sigma^2)
//	d/d b         = -S d / sigma^2
//	d/d Intercept = -n e / sigma^2
//	d/d sigma     = (Q / sigma^2 - n) / sigma
func (f *leastSquares) likelihood() byhand.LogLikelihood {
	k := len(f.best)
	d := make([]float64, k)
	return func(v, grad []float64) float64 {
		e, sigma := v[k]-f.mean, v[k+1]
		if sigma == 0 { // sigma = exp(x) has underflowed
			return math.Inf(-1)
		}
		for j, b := range f.best {
			d[j] = v[j] - b
		}
		w, q := 1/(sigma*sigma), f.residual+f.n*e*e
		for j, row := range f.s {
			sd := 0.0
			for i, s := range row {
				sd += s * d[i]
			}
			q += d[j] * sd
			grad[j] = -sd * w
		}
		grad[k] = -f.n * e * w
		grad[k+1] = (q*w - f.n) / sigma
		return -f.n*math.Log(sigma) - q*w/2
	}
}
