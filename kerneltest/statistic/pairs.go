package statistic

import (
	"fmt"
	"math"

	"bayeskernel/kernels"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Averaged is a squared MMD that is the mean of many terms, independent under the null hypothesis
// and otherwise, so that it is normal in the limit.
type Averaged struct {
	MMD2     float64
	Terms    int     // pairs of rows of each sample, or blocks
	Size     int     // rows of each sample in a term
	Variance float64 // of MMD2, from the spread of the terms
	P        float64 // probability of more than MMD2 under the normal null, mean 0
}

// pairs takes row i of X and row i of Y as a pair; of the larger sample, the first min(m, n) rows.
type pairs struct {
	n int
	h func(i, j int) float64 // k(xi,xj) + k(yi,yj) - k(xi,yj) - k(xj,yi), for i <= j
}

func (s *MMD) pairs() (*pairs, error) {
	if s.gram == nil {
		return nil, fmt.Errorf("statistic: MMD is made of a factor, want the Gram matrix for " +
			"pairs of rows")
	}
	raw, m := s.gram.gram.RawSymmetric(), s.m
	return &pairs{min(m, s.n), func(i, j int) float64 {
		return raw.Data[i*raw.Stride+j] + raw.Data[(m+i)*raw.Stride+m+j] -
			raw.Data[i*raw.Stride+m+j] - raw.Data[j*raw.Stride+m+i]
	}}, nil
}

func pairsOfRows(k kernels.Kernel, x, y mat.Matrix) (*pairs, error) {
	xs, m, dim, err := finiteRows("x", x)
	if err != nil {
		return nil, err
	}
	ys, n, ydim, err := finiteRows("y", y)
	if err != nil {
		return nil, err
	}
	if ydim != dim {
		return nil, fmt.Errorf("statistic: y has width %d, want %d as x", ydim, dim)
	}
	if err := checkKernel(k, dim); err != nil {
		return nil, err
	}
	return &pairs{min(m, n), func(i, j int) float64 {
		xi, xj := xs[i*dim:(i+1)*dim], xs[j*dim:(j+1)*dim]
		yi, yj := ys[i*dim:(i+1)*dim], ys[j*dim:(j+1)*dim]
		return k.At(xi, xj) + k.At(yi, yj) - k.At(xi, yj) - k.At(xj, yi)
	}}, nil
}

// Paired returns the unbiased statistic that leaves out the diagonal of K_XY also, the mean of h_ij
// = k(xi,xj) + k(yi,yj) - k(xi,yj) - k(xj,yi) over i != j (Gretton et al., 2012, eq. 4). Of the
// larger sample it takes the first min(m, n) rows. It depends on which rows make a pair.
func (s *MMD) Paired() (float64, error) {
	p, err := s.pairs()
	if err != nil {
		return 0, err
	}
	if p.n < 2 {
		return 0, fmt.Errorf("statistic: samples have %d and %d rows, want at least 2 in each for "+
			"the paired statistic", s.m, s.n)
	}
	return p.mean(0, p.n), nil
}

// PairedVariance estimates n times the variance of Paired where the distributions differ, to first
// order, as Liu et al. (2020, eq. 5) do: 4/n³ sum_i (sum_j h_ij)² - 4/n⁴ (sum_ij h_ij)².
func (s *MMD) PairedVariance() (float64, error) {
	p, err := s.pairs()
	if err != nil {
		return 0, err
	}
	if p.n < 2 {
		return 0, fmt.Errorf("statistic: samples have %d and %d rows, want at least 2 in each for "+
			"a variance", s.m, s.n)
	}
	sums := make([]float64, p.n)
	for i := range sums {
		sums[i] += p.h(i, i)
		for j := range i {
			h := p.h(j, i)
			sums[i] += h
			sums[j] += h
		}
	}
	n := float64(p.n)
	mean := total(sums) / n
	s2 := 0.0
	for _, v := range sums {
		s2 += (v - mean) * (v - mean)
	}
	return 4 * s2 / (n * n * n), nil
}

// mean is the mean of h_ij over i != j from one row up to another.
func (p *pairs) mean(from, to int) float64 {
	s := 0.0
	for i := from; i < to; i++ {
		t := 0.0
		for j := from; j < i; j++ {
			t += p.h(j, i)
		}
		s += t
	}
	n := float64(to - from)
	return 2 * s / (n * (n - 1))
}

// Linear returns the mean of h over the disjoint pairs of rows (1,2), (3,4), ... (Gretton et al.,
// 2012, lemma 14). It takes four rows in each sample.
func (s *MMD) Linear() (Averaged, error) { return averaged(s.pairs())(2) }

// Block returns the mean of Paired over disjoint blocks of floor(sqrt(min(m, n))) rows (Zaremba et
// al., 2013). It takes four rows in each sample.
func (s *MMD) Block() (Averaged, error) { return averaged(s.pairs())(0) }

// Linear is MMD.Linear from the rows themselves: time and memory grow as the number of rows.
func Linear(k kernels.Kernel, x, y mat.Matrix) (Averaged, error) {
	return averaged(pairsOfRows(k, x, y))(2)
}

// Block is MMD.Block from the rows themselves: memory grows as the number of rows, time as its
// power 3/2.
func Block(k kernels.Kernel, x, y mat.Matrix) (Averaged, error) {
	return averaged(pairsOfRows(k, x, y))(0)
}

// averaged returns the function that does the work, for blocks of a size, 0 meaning the root.
func averaged(p *pairs, err error) func(size int) (Averaged, error) {
	return func(size int) (Averaged, error) {
		if err != nil {
			return Averaged{}, err
		}
		return p.average(size)
	}
}

func (p *pairs) average(size int) (Averaged, error) {
	if p.n < 4 {
		return Averaged{}, fmt.Errorf("statistic: the smaller sample has %d rows, want at least 4 "+
			"for the linear-time and block statistics", p.n)
	}
	if size == 0 {
		size = int(math.Sqrt(float64(p.n)))
	}
	a := Averaged{Terms: p.n / size, Size: size}
	terms := make([]float64, a.Terms)
	for i := range terms {
		terms[i] = p.mean(i*size, (i+1)*size)
	}
	n := float64(a.Terms)
	a.MMD2 = total(terms) / n
	a.Variance = stat.Variance(terms, nil) / n
	switch {
	case a.Variance > 0:
		a.P = math.Erfc(a.MMD2/math.Sqrt(2*a.Variance)) / 2
	case a.MMD2 == 0:
		a.P = 1
	default:
		return Averaged{}, fmt.Errorf("statistic: all %d terms of the statistic are %v, want "+
			"terms that vary for a normal null", a.Terms, a.MMD2)
	}
	return a, nil
}
