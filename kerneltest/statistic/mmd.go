package statistic

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// MMD computes the squared maximum mean discrepancy of two samples and its null distributions. It
// does not change once made.
type MMD struct {
	m, n     int
	gram     *Centred  // nil if made of a Factor
	factor   *Factor   // nil if made of a Gram matrix
	toX      []float64 // sum of row i of the centred Gram matrix over X; over Y it is the opposite
	diag     []float64 // of the centred Gram matrix
	xx       float64   // sum of toX over X, which is also that over Y x Y
	diagMean float64
}

// NewMMD reads the Gram matrix of the pooled sample: the first m rows are X, the others Y. The
// matrix is not copied and must not change.
func NewMMD(gram *mat.SymDense, m int) (*MMD, error) {
	c, err := NewCentred("gram", gram)
	if err != nil {
		return nil, err
	}
	if err := checkSizes(m, c.n); err != nil {
		return nil, err
	}
	s := &MMD{m: m, n: c.n - m, gram: c, diag: c.diagonal(), diagMean: c.diagMean}
	s.toX = make([]float64, c.n)
	c.upper(func(i int, e []float64) {
		if i >= m {
			return
		}
		t := e[0]
		for j, v := range e[1:] {
			if i+1+j < m {
				t += v
			}
			s.toX[i+1+j] += v
		}
		s.toX[i] += t
	})
	s.sum()
	return s, nil
}

// NewMMDFactor is NewMMD from a factor of the Gram matrix. It cannot give Paired, Linear, Block and
// Gamma, which need single elements of the matrix.
func NewMMDFactor(f *Factor, m int) (*MMD, error) {
	if err := checkSizes(m, f.n); err != nil {
		return nil, err
	}
	s := &MMD{m: m, n: f.n - m, factor: f, diag: f.Diagonal(), diagMean: f.diagMean}
	s.toX = make([]float64, f.n)
	for k := range f.rank {
		column, sum := f.centred[k*f.n:(k+1)*f.n], 0.0
		for _, v := range column[:m] {
			sum += v
		}
		for i, v := range column {
			s.toX[i] += v * sum
		}
	}
	s.sum()
	return s, nil
}

func checkSizes(m, total int) error {
	if m < 1 || m >= total {
		return fmt.Errorf("statistic: the first sample has %d of %d rows, want at least one in "+
			"each sample", m, total)
	}
	return nil
}

func (s *MMD) sum() {
	for _, v := range s.toX[:s.m] {
		s.xx += v
	}
}

// Biased returns the squared distance of the two mean embeddings, mean K_XX + mean K_YY - 2 mean
// K_XY, which is not negative (Gretton et al., 2012, eq. 5).
func (s *MMD) Biased() float64 {
	both := 1/float64(s.m) + 1/float64(s.n)
	return max(0, s.xx*both*both)
}

// Unbiased leaves the diagonals of K_XX and K_YY out of the means and can be negative (Gretton et
// al., 2012, eq. 3). It takes two rows in each sample.
func (s *MMD) Unbiased() (float64, error) {
	if s.m < 2 || s.n < 2 {
		return 0, fmt.Errorf("statistic: samples have %d and %d rows, want at least 2 in each for "+
			"the unbiased statistic", s.m, s.n)
	}
	m, n := float64(s.m), float64(s.n)
	var dx, dy float64
	for _, v := range s.diag[:s.m] {
		dx += v
	}
	for _, v := range s.diag[s.m:] {
		dy += v
	}
	return (s.xx-dx)/(m*(m-1)) + (s.xx-dy)/(n*(n-1)) + 2*s.xx/(m*n), nil
}

// Variance estimates the variance of Unbiased where the distributions differ, to first order in
// 1/m and 1/n: 4 var h(x)/m + 4 var h(y)/n, where h is the witness, the difference of the mean
// embeddings (Serfling, 1980, section 5.5). It is 0 to this order where they do not differ: see
// NullVariance.
func (s *MMD) Variance() (float64, error) {
	if s.m < 2 || s.n < 2 {
		return 0, fmt.Errorf("statistic: samples have %d and %d rows, want at least 2 in each for "+
			"a variance", s.m, s.n)
	}
	m, n := float64(s.m), float64(s.n)
	both := 1/m + 1/n // the witness at point i is toX[i] (1/m + 1/n), up to a constant
	vx, vy := stat.Variance(s.toX[:s.m], nil), stat.Variance(s.toX[s.m:], nil)
	return 4 * both * both * (vx/m + vy/n), nil
}

// SignalToNoise returns Unbiased in units of the square root of Variance, the ratio that decides the
// power of the test in large samples (Sutherland et al., 2017). It grows with the number of
// rows and does not depend on their order. The error says that the variance is 0.
func (s *MMD) SignalToNoise() (float64, error) {
	u, err := s.Unbiased()
	if err != nil {
		return 0, err
	}
	v, err := s.Variance()
	if err != nil {
		return 0, err
	}
	if floor := negligible * s.diagMean; !(v > floor*floor) {
		return 0, fmt.Errorf("statistic: variance of the squared MMD is %v, want above 0", v)
	}
	return u / math.Sqrt(v), nil
}

// NullVariance estimates the variance of Unbiased where the distributions are the same,
// 2 (1/(m(m-1)) + 1/(n(n-1)) + 2/(mn)) E k(x,x')², with k centred; the expectation is estimated
// without bias by the unbiased HSIC of the pooled sample with itself.
func (s *MMD) NullVariance() (float64, error) {
	if s.m < 2 || s.n < 2 {
		return 0, fmt.Errorf("statistic: samples have %d and %d rows, want at least 2 in each for "+
			"a variance", s.m, s.n)
	}
	m, n := float64(s.m), float64(s.n)
	square := 0.0
	if s.gram != nil {
		square = s.gram.norm2()
	} else {
		for _, v := range s.factor.Covariance().Data {
			square += v * v
		}
	}
	e := unbiased(square, s.diag, s.diag)
	return 2 * (1/(m*(m-1)) + 1/(n*(n-1)) + 2/(m*n)) * e, nil
}

// Tail returns the p-value of Biased under one of its asymptotic null distributions. For Spectral
// and Pearson the statistic is m n/(m+n) times Biased, for Gamma it is m times Biased. Gamma needs
// samples of equal size and depends on the order of the rows: it takes x_i and y_i as a pair.
// P is 1 where the kernel is constant over the points.
func (s *MMD) Tail(null Null) (Tail, error) {
	switch null {
	case Spectral, Pearson:
	case Gamma:
		return s.gamma()
	default:
		return Tail{}, fmt.Errorf("statistic: null of an MMD is %v, want spectral, pearson or "+
			"gamma", null)
	}
	m, n := float64(s.m), float64(s.n)
	statistic := m * n / (m + n) * s.Biased()
	if s.alike() {
		return Tail{Null: null, P: 1}, nil
	}
	f := s.factor
	if f == nil {
		var err error
		if f, err = s.gram.factor(0); err != nil {
			return Tail{}, err
		}
	}
	if null == Pearson {
		return weightedPearson(statistic, f.Traces())
	}
	weights, err := f.spectrum()
	if err != nil {
		return Tail{}, err
	}
	return weightedSpectral(statistic, weights)
}

// alike reports whether the kernel sees no difference between any two points.
func (s *MMD) alike() bool {
	return !(total(s.diag)/float64(s.m+s.n) > negligible*s.diagMean)
}

// Variation is that of the kernel over the points in units of its size: the trace of the centred
// Gram matrix over that of the matrix itself.
func (s *MMD) Variation() float64 { return variation(s.diag, s.diagMean) }

func variation(diagonal []float64, diagMean float64) float64 {
	return total(diagonal) / (float64(len(diagonal)) * diagMean)
}

func weightedPearson(statistic float64, power [3]float64) (Tail, error) {
	// Cumulant j of a sum of weighted chi-squares is 2^(j-1) (j-1)! times the sum of w^j.
	return pearsonTail(statistic, [3]float64{power[0], 2 * power[1], 8 * power[2]})
}

func weightedSpectral(statistic float64, weights []float64) (Tail, error) {
	t := Tail{Null: Spectral, Statistic: statistic}
	for _, w := range weights {
		t.Mean += w
		t.Variance += 2 * w * w
	}
	var err error
	t.P, t.Bound, err = Imhof(weights, statistic)
	return t, err
}

// gamma is the approximation of Gretton et al. (2009), on m MMD².
func (s *MMD) gamma() (Tail, error) {
	if s.m != s.n {
		return Tail{}, fmt.Errorf("statistic: samples have %d and %d rows, want as many in each "+
			"for null gamma", s.m, s.n)
	}
	if s.m < 2 {
		return Tail{}, fmt.Errorf("statistic: samples have %d row each, want at least 2 for null "+
			"gamma", s.m)
	}
	p, err := s.pairs()
	if err != nil {
		return Tail{}, err
	}
	m := float64(s.m)
	if s.alike() {
		return Tail{Null: Gamma, P: 1}, nil
	}
	var mean, square float64
	for i := range s.m {
		mean += p.h(i, i) / m
		for j := range i {
			h := p.h(j, i)
			square += 2 * h * h
		}
	}
	return gammaTail(Gamma, m*s.Biased(), mean, 2*square/((m-1)*(m-1)))
}
