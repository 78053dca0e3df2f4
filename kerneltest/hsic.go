package kerneltest

import (
	"fmt"

	"bayeskernel/internal/lowrank"

	"gonum.org/v1/gonum/mat"
)

// HSIC computes the Hilbert-Schmidt independence criterion of two variables and its null
// distributions. It does not change once made.
type HSIC struct {
	n            int
	x, y         margin
	cross        float64 // sum of Kc_ij Lc_ij, with Kc and Lc the two centred matrices
	crossSquares float64 // sum of (Kc_ij Lc_ij)² over i != j
}

// margin is what is known of one of the two variables alone. Gram or factor may be nil.
type margin struct {
	gram     *centred
	factor   *Factor
	diag     []float64 // of the centred Gram matrix
	squares  float64   // sum of its squared elements
	diagMean float64   // mean of the diagonal of the Gram matrix, and
	offMean  float64   // of what is off the diagonal
}

// NewHSIC reads the Gram matrices of the two variables, whose points are in the same order. The
// matrices are not copied and must not change.
func NewHSIC(gramX, gramY *mat.SymDense) (*HSIC, error) {
	k, err := center("gramX", gramX)
	if err != nil {
		return nil, err
	}
	l, err := center("gramY", gramY)
	if err != nil {
		return nil, err
	}
	if err := checkPairs(k.n, l.n); err != nil {
		return nil, err
	}
	s := &HSIC{n: k.n, x: k.margin(), y: l.margin()}
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
		s.x.squares += kk
		s.y.squares += ll
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
	s := &HSIC{n: x.n, x: x.margin(), y: y.margin()}
	products := make([]float64, y.rank)
	for k := range x.rank {
		lowrank.Products(products, x.centred[k*x.n:(k+1)*x.n], y.centred, y.n)
		for _, v := range products {
			s.cross += v * v
		}
	}
	return s, nil
}

func checkPairs(nx, ny int) error {
	if nx != ny {
		return fmt.Errorf("kerneltest: the variables have %d and %d rows, want as many of each",
			nx, ny)
	}
	if nx < 2 {
		return fmt.Errorf("kerneltest: the variables have %d row, want at least 2", nx)
	}
	return nil
}

func (c *centred) margin() margin {
	n := float64(c.n)
	return margin{gram: c, diag: c.diagonal(), diagMean: c.diagMean,
		offMean: (n*c.grand - c.diagMean) / (n - 1)}
}

func (f *Factor) margin() margin {
	v := margin{factor: f, diag: f.diagonal(), diagMean: f.diagMean}
	for _, e := range f.covariance().Data {
		v.squares += e * e
	}
	n, grand := float64(f.n), 0.0
	for _, e := range f.mean {
		grand += e * e
	}
	v.offMean = (n*grand - f.diagMean) / (n - 1)
	return v
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
		return 0, fmt.Errorf("kerneltest: the variables have %d rows, want at least 4 for the "+
			"unbiased statistic", s.n)
	}
	return unbiased(s.cross, s.x.diag, s.y.diag), nil
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
	tx, ty := total(s.x.diag), total(s.y.diag)
	alike := !(tx > n*negligible*s.x.diagMean) || !(ty > n*negligible*s.y.diagMean)
	if alike && null >= Spectral && null <= GammaDHSIC {
		return Tail{Null: null, P: 1}, nil
	}
	// The moments of a sum of chi-squares weighted by products of eigenvalues of K and L, over n
	// each: the sums of powers are products of traces.
	mean := tx * ty / (n * n)
	variance := 2 * s.x.squares * s.y.squares / (n * n * n * n)
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
	return Tail{}, fmt.Errorf("kerneltest: null of an HSIC is %v, want spectral, pearson, gamma, "+
		"gamma-kci or gamma-dhsic", null)
}

// gamma is the approximation of Gretton et al. (2008, section 3).
func (s *HSIC) gamma(statistic float64) (Tail, error) {
	if s.x.gram == nil {
		return Tail{}, fmt.Errorf("kerneltest: null gamma of an HSIC needs the Gram matrices, " +
			"not factors: want gamma-kci")
	}
	if s.n < 6 {
		return Tail{}, tooFew(s.n, Gamma)
	}
	n := float64(s.n)
	mean := (s.x.diagMean - s.x.offMean) * (s.y.diagMean - s.y.offMean)
	variance := 2 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) *
		s.crossSquares / (n * (n - 1))
	return gammaTail(Gamma, statistic, mean, variance*n*n)
}

func tooFew(n int, null Null) error {
	return fmt.Errorf("kerneltest: the variables have %d rows, want at least 6 for null %v", n, null)
}

// weighted is the limit, whose weights are products of an eigenvalue of each Gram matrix, or its
// three cumulants, which are products of traces.
func (s *HSIC) weighted(null Null, statistic float64) (Tail, error) {
	x, err := s.x.factored()
	if err != nil {
		return Tail{}, err
	}
	y, err := s.y.factored()
	if err != nil {
		return Tail{}, err
	}
	if null == Pearson {
		a, b := x.traces(), y.traces()
		return weightedPearson(statistic, [3]float64{a[0] * b[0], a[1] * b[1], a[2] * b[2]})
	}
	a, err := x.Spectrum()
	if err != nil {
		return Tail{}, err
	}
	b, err := y.Spectrum()
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

func (v *margin) factored() (*Factor, error) {
	if v.factor != nil {
		return v.factor, nil
	}
	return v.gram.factor(0)
}

func total(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}
