package kernels

import (
	"errors"
	"fmt"
	"math"

	"bayeskernel/internal/dd"
)

// Prior is the prior covariance of the mean embedding,
//
//	r(x, y) = integral of k(x, u) k(u, y) nu(du),
//
// of a radial kernel at given hyperparameters, in the scaled form r = exp(LogAmplitude) Q, in which
// no Q exceeds 1. Under Unit and Lebesgue Q is psi, the Square of the kernel. Under Gaussian it is
// a sum over pairs of the kernel's Mixture. A Prior owns its workspace: one serves one goroutine.
type Prior struct {
	// Path is the numerical path of Pair and Diagonal under Gaussian, for kernels whose mixture has
	// many widths. It matters to nothing else.
	Path Path

	nu       Nu
	dim      int
	theta    []float64
	eta      float64
	inv      []float64 // 1/theta, as many as theta
	logAmp   float64
	amp      float64
	psi      Radial
	logConst float64   // of Square
	terms    *gaussian // Gaussian only
	exact    bool
	rounded  []float64 // of PairExtended where not exact
}

// NewPrior returns the prior covariance of a kernel for points of dim coordinates. Set comes next.
func NewPrior(k Radial, nu Nu, dim int) (*Prior, error) {
	if k == nil {
		return nil, errors.New("kernels: kernel of a prior is nil, want a radial kernel")
	}
	if dim < 1 {
		return nil, fmt.Errorf("kernels: number of columns is %d, want at least 1", dim)
	}
	if err := k.Check(); err != nil {
		return nil, err
	}
	p := &Prior{nu: nu, dim: dim}
	switch nu {
	case Unit, Lebesgue:
		psi, logConst, err := k.Square(dim)
		if err != nil {
			return nil, err
		}
		p.psi, p.logConst = psi, logConst
		if e, ok := psi.(extended); ok {
			p.exact = e.exact()
		}
	case Gaussian:
		terms, err := newGaussian(k, dim)
		if err != nil {
			return nil, err
		}
		p.terms, p.exact = terms, terms.exact()
	default:
		return nil, fmt.Errorf("kernels: nu is %v, want unit, lebesgue or gaussian", nu)
	}
	return p, nil
}

// extended is implemented by a psi that may have 32 digits.
type extended interface {
	pairExtended(q dd.Number) (k, kappa dd.Number)
	exact() bool
}

// Set takes new hyperparameters: one lengthscale or one for each coordinate, and eta, the scale of
// Gaussian, which the others ignore. It does not allocate after the first call.
func (p *Prior) Set(theta []float64, eta float64) {
	if len(theta) != 1 && len(theta) != p.dim {
		panic("kernels: Prior.Set: length of theta is neither 1 nor the number of columns")
	}
	p.theta = append(p.theta[:0], theta...)
	p.eta = eta
	p.inv = p.inv[:0]
	p.logAmp = 0
	for _, t := range theta {
		// Points that are equal are at distance 0 also where 1/t overflows.
		p.inv = append(p.inv, min(1/t, math.MaxFloat64))
	}
	switch p.nu {
	case Lebesgue:
		p.logAmp = p.logConst
		for a := range p.dim {
			p.logAmp += math.Log(theta[min(a, len(theta)-1)])
		}
	case Gaussian:
		p.logAmp = p.terms.set(p.theta, p.inv, eta)
	}
	p.amp = math.Exp(p.logAmp)
}

// LogAmplitude returns the logarithm of the factor of r that depends on neither point: 0 for Unit.
func (p *Prior) LogAmplitude() float64 { return p.logAmp }

// Exact reports whether PairExtended has about 32 digits: for the squared exponential and mixtures,
// and for Matern kernels under Unit and Lebesgue in an odd number of dimensions. Otherwise it has
// those of Pair.
func (p *Prior) Exact() bool { return p.exact }

// Fill writes r(x_i, y_j), amplitude included, into dst[i*ny+j], where x and y hold points row by
// row and ny is the number of points in y.
func (p *Prior) Fill(dst []float64, path Path, x, y []float64) {
	checkPairs(dst, x, y, p.dim)
	inBlocks(dst, x, y, p.dim, func(dst, x, y []float64) {
		if p.nu == Gaussian {
			p.terms.fill(dst, path, x, y)
		} else {
			squares(dst, x, y, p.dim, p.inv)
			values(p.psi, path, dst, dst)
		}
		if p.amp != 1 {
			for i := range dst {
				dst[i] *= p.amp
			}
		}
	})
}

// Diagonal writes r(x_i, x_i), amplitude included, into dst[i].
func (p *Prior) Diagonal(dst, x []float64) {
	if len(x) != len(dst)*p.dim {
		panic("kernels: Prior.Diagonal: length of dst is not the number of points")
	}
	for i := range dst {
		dst[i] = p.amp
		if p.nu == Gaussian {
			dst[i] *= p.terms.diagonal(p.Path, x[i*p.dim:(i+1)*p.dim])
		}
	}
}

// Pair returns Q(x, y) and the derivatives of r, divided by the amplitude: dr/dlog theta_a in
// dTheta[a], or the sum over all coordinates in dTheta[0] if that is its length, and dr/dlog eta,
// which is 0 unless nu is Gaussian. An empty dTheta asks for Q alone. Pair does not allocate.
func (p *Prior) Pair(dTheta, x, y []float64) (q, dEta float64) {
	p.checkPair(len(dTheta), x, y)
	if p.nu == Gaussian {
		return p.terms.pair(p.Path, dTheta, x, y)
	}
	clear(dTheta)
	d := 0.0
	for a, v := range x {
		u := (v - y[a]) * p.inv[min(a, len(p.inv)-1)]
		d += u * u
		if len(dTheta) > 0 {
			dTheta[min(a, len(dTheta)-1)] += u * u
		}
	}
	k, kappa := slopeOf(p.psi, d)
	for a := range dTheta {
		if kappa == 0 {
			dTheta[a] = 0 // the distance may be infinite
		}
		dTheta[a] *= kappa
		if p.nu == Lebesgue {
			dTheta[a] += float64(p.dim/len(dTheta)) * k
		}
	}
	return k, 0
}

func (p *Prior) checkPair(derivatives int, x, y []float64) {
	if len(x) != p.dim || len(y) != p.dim || derivatives > 1 && derivatives != p.dim {
		panic("kernels: Prior.Pair: lengths of points or of dTheta do not fit the number of columns")
	}
}

// PairExtended is Pair in about 32 digits where Exact, and in 16 elsewhere.
func (p *Prior) PairExtended(dTheta []dd.Number, x, y []float64) (q, dEta dd.Number) {
	p.checkPair(len(dTheta), x, y)
	switch {
	case !p.exact:
		return p.pairRounded(dTheta, x, y)
	case p.nu == Gaussian:
		return p.terms.pairExtended(dTheta, x, y)
	}
	clear(dTheta)
	var d dd.Number
	for a, v := range x {
		u := dd.TwoSum(v, -y[a]).Div(dd.Number{Hi: p.theta[min(a, len(p.theta)-1)]})
		u = u.Mul(u)
		d = d.Add(u)
		if len(dTheta) > 0 {
			b := min(a, len(dTheta)-1)
			dTheta[b] = dTheta[b].Add(u)
		}
	}
	if !(d.Hi < 1e300) {
		clear(dTheta)
		return q, dEta
	}
	k, kappa := p.psi.(extended).pairExtended(d)
	for a := range dTheta {
		dTheta[a] = dTheta[a].Mul(kappa)
		if p.nu == Lebesgue {
			dTheta[a] = dTheta[a].Add(k.Scale(float64(p.dim / len(dTheta))))
		}
	}
	return k, dEta
}

// pairRounded is Pair.
func (p *Prior) pairRounded(dTheta []dd.Number, x, y []float64) (q, dEta dd.Number) {
	if cap(p.rounded) < len(dTheta) {
		p.rounded = make([]float64, len(dTheta))
	}
	d := p.rounded[:len(dTheta)]
	q.Hi, dEta.Hi = p.Pair(d, x, y)
	for a, v := range d {
		dTheta[a] = dd.Number{Hi: v}
	}
	return q, dEta
}
