package statistic

import (
	"fmt"
	"math"

	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/mat"
)

// HSIC computes the Hilbert-Schmidt independence criterion of two variables and its null
// distributions. It does not change once made.
type HSIC struct {
	n            int
	x, y         Margin
	cross        float64 // sum of Kc_ij Lc_ij, with Kc and Lc the two centred matrices
	crossSquares float64 // sum of (Kc_ij Lc_ij)² over i != j
}

// NewHSIC reads the Gram matrices of the two variables, whose points are in the same order. The
// matrices are not copied and must not change.
func NewHSIC(gramX, gramY *mat.SymDense) (*HSIC, error) {
	k, err := NewCentred("gramX", gramX)
	if err != nil {
		return nil, err
	}
	l, err := NewCentred("gramY", gramY)
	if err != nil {
		return nil, err
	}
	if err := checkPairs(k.n, l.n); err != nil {
		return nil, err
	}
	s := &HSIC{n: k.n, x: k.withoutSquares(), y: l.withoutSquares()}
	raw, buffer := l.gram.RawSymmetric(), make([]float64, l.n)
	k.upper(func(i int, e []float64) {
		other := buffer[:len(e)]
		l.fill(other, raw, i)
		kk, ll, kl, four := e[0]*e[0], other[0]*other[0], e[0]*other[0], 0.0
		other = other[1:]
		for j, v := range e[1:] {
			w := other[j]
			p := v * w
			kk += 2 * v * v
			ll += 2 * w * w
			kl += 2 * p
			four += 2 * p * p
		}
		s.x.Squares += kk
		s.y.Squares += ll
		s.cross += kl
		s.crossSquares += four
	})
	return s, nil
}

// NewHSICFactor is NewHSIC from factors of the Gram matrices. It cannot give Gamma, which needs
// single elements of the matrices.
func NewHSICFactor(x, y *Factor) (*HSIC, error) {
	if err := checkPairs(x.n, y.n); err != nil {
		return nil, err
	}
	s := &HSIC{n: x.n, x: x.Margin(), y: y.Margin()}
	products := make([]float64, y.rank)
	for k := range x.rank {
		lowrank.Products(products, x.centred[k*x.n:(k+1)*x.n], y.centred, y.n)
		for _, v := range products {
			s.cross += v * v
		}
	}
	return s, nil
}

// NewHSICMargins is NewHSIC from the margins of the variables and cross, the sum of the products of
// the elements of the two centred Gram matrices. It cannot give Gamma, nor Spectral and Pearson where
// a margin is not from a Factor.
func NewHSICMargins(x, y Margin, cross float64) (*HSIC, error) {
	if err := checkPairs(len(x.Diagonal), len(y.Diagonal)); err != nil {
		return nil, err
	}
	return &HSIC{n: len(x.Diagonal), x: x, y: y, cross: cross}, nil
}

func checkPairs(nx, ny int) error {
	if nx != ny {
		return fmt.Errorf("statistic: the variables have %d and %d rows, want as many of each",
			nx, ny)
	}
	if nx < 2 {
		return fmt.Errorf("statistic: the variables have %d row, want at least 2", nx)
	}
	return nil
}

// Biased returns tr(KHLH)/n² (Gretton et al., 2008).
func (s *HSIC) Biased() float64 {
	n := float64(s.n)
	return max(0, s.cross/(n*n))
}

// Unbiased returns the estimator of Song et al. (2012), which can be negative. It takes four
// points.
func (s *HSIC) Unbiased() (float64, error) {
	if s.n < 4 {
		return 0, fmt.Errorf("statistic: the variables have %d rows, want at least 4 for the "+
			"unbiased statistic", s.n)
	}
	return unbiased(s.cross, s.x.Diagonal, s.y.Diagonal), nil
}

// Normalized returns HSIC divided by the root of the product of the HSICs of each variable with
// itself, a number between 0 and 1 like the square of a correlation (Cortes, Mohri and Rostamizadeh,
// 2012). The error says that the latter is 0.
func (s *HSIC) Normalized() (float64, error) {
	self := math.Sqrt(s.x.Squares) * math.Sqrt(s.y.Squares)
	if !(self > 0) {
		return 0, fmt.Errorf("statistic: HSIC of the variables with themselves is %v, want above 0",
			self)
	}
	return min(1, max(0, s.cross/self)), nil
}

// Variation is that of the kernel of each variable over its values: see MMD.Variation.
func (s *HSIC) Variation() (x, y float64) {
	return variation(s.x.Diagonal, s.x.DiagMean), variation(s.y.Diagonal, s.y.DiagMean)
}

// unbiased is the estimator of Song et al. for centred matrices, whose sums over a row are 0: cross
// is the sum of the products of their elements, dx and dy are their diagonals.
func unbiased(cross float64, dx, dy []float64) float64 {
	var both, tx, ty float64
	for i, v := range dx {
		both += v * dy[i]
		tx += v
		ty += dy[i]
	}
	n := float64(len(dx))
	return (cross - n/(n-2)*both + tx*ty/((n-1)*(n-2))) / (n * (n - 3))
}

// Tail returns the p-value of n Biased, the statistic, under one of its asymptotic null
// distributions: Spectral, Pearson, Gamma, GammaKCI or GammaDHSIC. P is 1 where the
// kernel of a variable is constant over its values.
func (s *HSIC) Tail(null Null) (Tail, error) {
	n := float64(s.n)
	statistic := n * s.Biased()
	tx, ty := total(s.x.Diagonal), total(s.y.Diagonal)
	alike := !(tx > n*negligible*s.x.DiagMean) || !(ty > n*negligible*s.y.DiagMean)
	if alike && null >= Spectral && null <= GammaDHSIC {
		return Tail{Null: null, P: 1}, nil
	}
	// The moments of a sum of chi-squares weighted by products of eigenvalues of K and L, over n
	// each: the sums of powers are products of traces.
	mean := tx * ty / (n * n)
	variance := 2 * s.x.Squares * s.y.Squares / (n * n * n * n)
	switch null {
	case Spectral, Pearson:
		return s.weighted(null, statistic)
	case GammaKCI:
		return gammaTail(null, statistic, mean, variance)
	case GammaDHSIC:
		if s.n < 6 {
			return Tail{}, tooFew(s.n, null)
		}
		finite := (n - 4) * (n - 5) * n * n / (n * (n - 1) * (n - 2) * (n - 3))
		return gammaTail(null, statistic, mean, variance*finite)
	case Gamma:
		return s.gamma(statistic)
	}
	return Tail{}, fmt.Errorf("statistic: null of an HSIC is %v, want spectral, pearson, gamma, "+
		"gamma-kci or gamma-dhsic", null)
}

// gamma is the approximation of Gretton et al. (2008, section 3).
func (s *HSIC) gamma(statistic float64) (Tail, error) {
	if s.x.gram == nil {
		return Tail{}, fmt.Errorf("statistic: null gamma of an HSIC needs the Gram matrices, " +
			"not factors: want gamma-kci")
	}
	if s.n < 6 {
		return Tail{}, tooFew(s.n, Gamma)
	}
	n := float64(s.n)
	mean := (s.x.DiagMean - s.x.OffMean) * (s.y.DiagMean - s.y.OffMean)
	variance := 2 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) *
		s.crossSquares / (n * (n - 1))
	return gammaTail(Gamma, statistic, mean, variance*n*n)
}

func tooFew(n int, null Null) error {
	return fmt.Errorf("statistic: the variables have %d rows, want at least 6 for null %v", n, null)
}

// weighted is the limit, whose weights are products of an eigenvalue of each Gram matrix, or its
// three cumulants, which are products of traces.
func (s *HSIC) weighted(null Null, statistic float64) (Tail, error) {
	x, err := s.x.factored(null)
	if err != nil {
		return Tail{}, err
	}
	y, err := s.y.factored(null)
	if err != nil {
		return Tail{}, err
	}
	if null == Pearson {
		a, b := x.Traces(), y.Traces()
		return weightedPearson(statistic, [3]float64{a[0] * b[0], a[1] * b[1], a[2] * b[2]})
	}
	a, err := x.spectrum()
	if err != nil {
		return Tail{}, err
	}
	b, err := y.spectrum()
	if err != nil {
		return Tail{}, err
	}
	weights := make([]float64, 0, len(a)*len(b))
	for _, v := range a {
		for _, w := range b {
			weights = append(weights, v*w)
		}
	}
	return weightedSpectral(statistic, weights)
}
